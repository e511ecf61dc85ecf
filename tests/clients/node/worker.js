"use strict";
// A stock consumer: `worker.js BOOTSTRAP NAME SESSION_MS`.
//
// It says what it is given and what is taken from it; a line on standard input makes it commit
// that offset for all it holds and say what is committed. SIGTERM closes it cleanly.

const { connect, listen, say } = require("./lines");

const HEARTBEAT_MS = Number(process.env.HEARTBEAT_MS ?? 500);
const [bootstrap, name, sessionMs] = process.argv.slice(2);

async function main() {
  const kafka = connect(bootstrap, "worker");
  const consumer = kafka.consumer({
    groupId: name,
    sessionTimeout: Number(sessionMs),
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: 500,
  });
  const admin = kafka.admin();
  let held = [];
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    held = payload.memberAssignment[name] ?? [];
    say({ event: "assigned", partitions: held });
  });

  async function commit(offset) {
    await consumer.commitOffsets(
      held.map((partition) => ({ topic: name, partition, offset: String(offset) })),
    );
    const [stored] = await admin.fetchOffsets({ groupId: name, topics: [name] });
    const mine = stored.partitions.filter((found) => held.includes(found.partition));
    const offsets = mine.map((found) => [found.partition, Number(found.offset)]);
    say({ event: "committed", offsets: Object.fromEntries(offsets) });
  }

  process.once("SIGTERM", async () => {
    await consumer.disconnect();
    await admin.disconnect();
    process.exit(0);
  });
  await Promise.all([consumer.connect(), admin.connect()]);
  await consumer.subscribe({ topics: [name] });
  await consumer.run({ autoCommit: false, eachMessage: async () => {} });
  await listen(commit);
}

main();
