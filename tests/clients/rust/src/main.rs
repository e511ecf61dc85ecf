//! The crate rdkafka as a consumer, an administrator or a producer of offsets:
//!
//! ```text
//! rollcall-clients work BOOTSTRAP NAME SESSION_MS [SETTING=VALUE...]
//! rollcall-clients admin BOOTSTRAP
//! rollcall-clients produce BOOTSTRAP TRANSACTIONAL_ID
//! ```

mod admin;
mod lines;
mod producer;
mod worker;

use rdkafka::ClientConfig;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["work", bootstrap, name, session_ms, settings @ ..] => {
            worker::work(bootstrap, name, session_ms, settings)
        }
        ["admin", bootstrap] => admin::administer(bootstrap),
        ["produce", bootstrap, transactional_id] => producer::produce(bootstrap, transactional_id),
        _ => panic!("work, admin or produce, and what they need"),
    }
}

/// The library's own settings.
fn config(bootstrap: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", bootstrap);
    config
}
