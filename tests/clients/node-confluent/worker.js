"use strict";
// A stock consumer: `worker.js BOOTSTRAP NAME SESSION_MS [setting=value ...]`.
//
// It says what it is given and what is taken from it; a line on standard input makes it commit
// that offset for all it holds and say what is committed. SIGTERM closes it cleanly.

const readline = require("node:readline");
const { KafkaJS } = require("@confluentinc/kafka-javascript");

const [bootstrap, name, sessionMs, ...settings] = process.argv.slice(2);
const chosen = Object.fromEntries(settings.map((setting) => setting.split("=", 2)));
const ofTheClient =
  chosen["group.protocol"] === "consumer"
    ? {}
    : { "session.timeout.ms": Number(sessionMs), "heartbeat.interval.ms": 500 };

function say(facts) {
  process.stdout.write(JSON.stringify(facts) + "\n");
}

async function main() {
  say({ event: "starts" });
  const quiet = { logLevel: KafkaJS.logLevel.NOTHING };
  const kafka = new KafkaJS.Kafka({ kafkaJS: { brokers: [bootstrap], ...quiet } });
  const held = new Set();
  const numbers = (assignment) => assignment.map(({ partition }) => partition);
  const consumer = kafka.consumer({
    kafkaJS: { groupId: name, autoCommit: false },
    ...ofTheClient,
    ...chosen,
    rebalance_cb: (error, assignment) => {
      const given = error.code === KafkaJS.ErrorCodes.ERR__ASSIGN_PARTITIONS;
      numbers(assignment).forEach((p) => (given ? held.add(p) : held.delete(p)));
      say({ event: "assigned", partitions: [...held].sort() });
    },
  });
  await consumer.connect();

  async function commit(offset) {
    await consumer.commitOffsets(
      [...held].map((partition) => ({ topic: name, partition, offset: String(offset) })),
    );
    const stored = await consumer.committed(
      [...held].map((partition) => ({ topic: name, partition })),
    );
    const offsets = stored.map(({ partition, offset: at }) => [partition, Number(at)]);
    say({ event: "committed", offsets: Object.fromEntries(offsets) });
  }

  process.once("SIGTERM", async () => {
    await consumer.disconnect();
    say({ event: "closed" });
    process.exit(0);
  });
  await consumer.subscribe({ topics: [name] });
  await consumer.run({ eachMessage: async () => {} });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    await commit(line.trim());
  }
}

main();
