//! The administrator. The crate has none for single offsets nor for members.

use futures_executor::block_on;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::groups::{GroupInfo, GroupMemberInfo};
use rdkafka::{Offset, TopicPartitionList};
use serde_json::{json, Map, Value};

use crate::config;
use crate::lines::{done, serve, PATIENCE};

type Admin = AdminClient<DefaultClientContext>;

/// Answers the verbs of a test.
pub fn administer(bootstrap: &str) {
    let admin: Admin = config(bootstrap).create().expect("an administrator");
    let options = AdminOptions::new();
    serve(|words| match *words {
        ["create", topic, partitions] => create(&admin, topic, number(partitions)),
        ["delete-topic", topic] => {
            let said = block_on(admin.delete_topics(&[topic], &options))?;
            first(said).map(|_| done())
        }
        ["delete-group", group] => {
            let said = block_on(admin.delete_groups(&[group], &options))?;
            first(said).map(|_| done())
        }
        ["groups"] => {
            let found = admin.inner().fetch_group_list(None, PATIENCE)?;
            let names: Vec<&str> = found.groups().iter().map(GroupInfo::name).collect();
            Ok(json!({ "groups": names }))
        }
        ["describe", group] => {
            let found = admin.inner().fetch_group_list(Some(group), PATIENCE)?;
            Ok(described(&found.groups()[0]))
        }
        ["commit", group, topic, partition, offset] => {
            let mut wanted = TopicPartitionList::new();
            wanted.add_partition_offset(topic, number(partition), Offset::Offset(number(offset)))?;
            outsider(bootstrap, group)?.commit(&wanted, CommitMode::Sync)?;
            Ok(done())
        }
        ["offsets", group] => offsets(&outsider(bootstrap, group)?),
        _ => panic!("no verb: {words:?}"),
    })
}

fn number<N: std::str::FromStr>(word: &str) -> N {
    word.parse().ok().expect("a number")
}

/// What was said about the only thing that was asked for.
fn first<T, N>(said: Vec<Result<T, (N, rdkafka::types::RDKafkaErrorCode)>>) -> KafkaResult<()> {
    match said.into_iter().next().expect("an answer") {
        Ok(_) => Ok(()),
        Err((_, code)) => Err(KafkaError::Global(code)),
    }
}

fn create(admin: &Admin, topic: &str, partitions: i32) -> KafkaResult<Value> {
    let wanted = NewTopic::new(topic, partitions, TopicReplication::Fixed(1));
    first(block_on(admin.create_topics(&[wanted], &AdminOptions::new()))?).map(|()| done())
}

/// A consumer that names a group and never joins it.
fn outsider(bootstrap: &str, group: &str) -> KafkaResult<BaseConsumer> {
    config(bootstrap).set("group.id", group).create()
}

/// All that the group has committed: the library asks for partitions by name only.
fn offsets(consumer: &BaseConsumer) -> KafkaResult<Value> {
    let metadata = consumer.fetch_metadata(None, PATIENCE)?;
    let mut asked = TopicPartitionList::new();
    for topic in metadata.topics() {
        for partition in topic.partitions() {
            asked.add_partition(topic.name(), partition.id());
        }
    }
    let mut found = Map::new();
    for at in consumer.committed_offsets(asked, PATIENCE)?.elements() {
        at.error()?;
        if let Offset::Offset(offset) = at.offset() {
            found.insert(at.partition().to_string(), json!(offset));
        }
    }
    Ok(json!({ "offsets": found }))
}

fn described(group: &GroupInfo) -> Value {
    // The crate's library leaves the static member's own name out of what it tells.
    let members: Vec<Value> = group
        .members()
        .iter()
        .map(|member| json!({ "instance": "", "partitions": held(member) }))
        .collect();
    json!({ "state": group.state(), "members": members })
}

/// The partitions in Kafka's `ConsumerProtocolAssignment` of one topic: the crate hands out bytes.
///
/// A version, the number of topics, the topic's name, the number of partitions, the partitions.
fn held(member: &GroupMemberInfo) -> Vec<i32> {
    let bytes = member.assignment().unwrap_or_default();
    if bytes.len() < 6 || bytes[2..6] == [0; 4] {
        return Vec::new();
    }
    let name = usize::from(u16::from_be_bytes([bytes[6], bytes[7]]));
    let mut numbers = bytes[8 + name..]
        .chunks_exact(4)
        .map(|four| i32::from_be_bytes([four[0], four[1], four[2], four[3]]));
    let count = numbers.next().unwrap_or(0);
    numbers.take(usize::try_from(count).unwrap_or(0)).collect()
}
