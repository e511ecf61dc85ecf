//! The consumer. It says what it is given and what is taken from it; a line on standard input
//! makes it commit that offset for all it holds and say what is committed; SIGTERM closes it.

use std::env::var;
use std::io::{stdin, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::KafkaResult;
use rdkafka::{ClientContext, Offset, TopicPartitionList};
use serde_json::{json, Map, Value};

use crate::config;
use crate::lines::{say, PATIENCE};

const POLL: Duration = Duration::from_millis(200);

struct Told;

impl ClientContext for Told {}

impl ConsumerContext for Told {
    fn pre_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if let Rebalance::Revoke(taken) = rebalance {
            say(json!({ "event": "revoked", "partitions": numbers(taken) }));
        }
    }

    /// What is given may come on top of what it has.
    fn post_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if let Rebalance::Assign(_) = rebalance {
            let all = consumer.assignment().expect("an assignment");
            say(json!({ "event": "assigned", "partitions": numbers(&all) }));
        }
    }
}

/// Consumes until SIGTERM. The consumer protocol's sessions are the coordinator's.
pub fn work(bootstrap: &str, name: &str, session_ms: &str, settings: &[&str]) {
    let mut config = config(bootstrap);
    config.set("group.id", name).set("enable.auto.commit", "false");
    if !settings.contains(&"group.protocol=consumer") {
        config.set("session.timeout.ms", session_ms);
        config.set("heartbeat.interval.ms", var("HEARTBEAT_MS").unwrap_or("500".into()));
    }
    for setting in settings {
        let (key, value) = setting.split_once('=').expect("setting=value");
        config.set(key, value);
    }
    let stopping = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(15, Arc::clone(&stopping)).expect("a handler of SIGTERM");
    let consumer: BaseConsumer<Told> = config.create_with_context(Told).expect("a consumer");
    consumer.subscribe(&[name]).expect("a subscription");
    let orders = orders();
    while !stopping.load(Ordering::Relaxed) {
        // There are no messages; what goes wrong is for whoever reads the test's output.
        if let Some(Err(error)) = consumer.poll(POLL) {
            eprintln!("{error}");
        }
        if let Ok(offset) = orders.try_recv() {
            say(committed(&consumer, offset)
                .unwrap_or_else(|error| json!({ "event": "refused", "error": error.to_string() })));
        }
    }
    // Dropping it closes it: it leaves the group.
}

fn orders() -> mpsc::Receiver<i64> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in stdin().lock().lines().map_while(Result::ok) {
            let offset = line.trim().parse().expect("an offset");
            if sender.send(offset).is_err() {
                return;
            }
        }
    });
    receiver
}

fn committed(consumer: &BaseConsumer<Told>, offset: i64) -> KafkaResult<Value> {
    let mut wanted = consumer.assignment()?;
    wanted.set_all_offsets(Offset::Offset(offset))?;
    consumer.commit(&wanted, CommitMode::Sync)?;
    let mut stored = Map::new();
    for at in consumer.committed_offsets(wanted, PATIENCE)?.elements() {
        stored.insert(at.partition().to_string(), json!(at.offset().to_raw()));
    }
    Ok(json!({ "event": "committed", "offsets": stored }))
}

fn numbers(partitions: &TopicPartitionList) -> Vec<i32> {
    let mut numbers: Vec<i32> = partitions.elements().iter().map(|p| p.partition()).collect();
    numbers.sort_unstable();
    numbers
}
