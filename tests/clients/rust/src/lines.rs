//! How the programs talk to the tests: lines of text in, JSON objects, one a line, out.

use std::io::{stdin, stdout, BufRead, Write};

use rdkafka::error::{KafkaError, KafkaResult};
use serde_json::{json, Value};

/// Longer than any answer takes on a machine that does much else.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Writes one line.
pub fn say(facts: Value) {
    let mut out = stdout().lock();
    writeln!(out, "{facts}").and_then(|()| out.flush()).expect("a test reads");
}

/// The answer of a verb that has nothing to tell.
pub fn done() -> Value {
    json!({ "done": true })
}

/// Answers each line of standard input by what `verb` makes of its words.
pub fn serve(mut verb: impl FnMut(&[&str]) -> KafkaResult<Value>) {
    for line in stdin().lock().lines() {
        let line = line.expect("a test writes text");
        let words: Vec<&str> = line.split_whitespace().collect();
        say(verb(&words).unwrap_or_else(|error| json!({ "error": code(&error) })));
    }
}

/// Kafka's number of an error, or librdkafka's own, which is negative.
fn code(error: &KafkaError) -> i32 {
    match error {
        KafkaError::Transaction(said) => said.code() as i32,
        other => match other.rdkafka_error_code() {
            Some(said) => said as i32,
            None => panic!("{other}"),
        },
    }
}
