//! The transactional producer of offsets, which takes the group from a consumer that never joins.

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaResult;
use rdkafka::producer::{BaseProducer, Producer};
use rdkafka::{Offset, TopicPartitionList};

use crate::config;
use crate::lines::{done, serve, PATIENCE};

/// Answers the verbs of a test.
pub fn produce(bootstrap: &str, transactional_id: &str) {
    let made = config(bootstrap).set("transactional.id", transactional_id).create();
    let producer: BaseProducer = made.expect("a producer");
    serve(|words| {
        match *words {
            ["init"] => producer.init_transactions(PATIENCE)?,
            ["begin"] => producer.begin_transaction()?,
            ["offset", group, topic, partition, offset] => {
                let mut wanted = TopicPartitionList::new();
                let (partition, offset) = (partition.parse(), offset.parse());
                let offset = Offset::Offset(offset.expect("an offset"));
                wanted.add_partition_offset(topic, partition.expect("an index"), offset)?;
                send(bootstrap, &producer, group, &wanted)?
            }
            ["commit"] => producer.commit_transaction(PATIENCE)?,
            ["abort"] => producer.abort_transaction(PATIENCE)?,
            _ => panic!("no verb: {words:?}"),
        }
        Ok(done())
    })
}

fn send(
    bootstrap: &str,
    producer: &BaseProducer,
    group: &str,
    wanted: &TopicPartitionList,
) -> KafkaResult<()> {
    let consumer: BaseConsumer = config(bootstrap).set("group.id", group).create()?;
    let metadata = consumer.group_metadata().expect("a consumer of a group");
    producer.send_offsets_to_transaction(wanted, &metadata, PATIENCE)
}
