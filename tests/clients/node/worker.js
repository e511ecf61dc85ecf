"use strict";
// A stock consumer: `worker.js BOOTSTRAP NAME SESSION_MS`.
//
// It says what it is given and what is taken from it; a line on standard input makes it commit
// that offset for all it holds and say what is committed. SIGTERM closes it cleanly. It also says
// that it starts, and how long a commit, the read of it and its close took.

const { connect, listen, say } = require("./lines");

const HEARTBEAT_MS = Number(process.env.HEARTBEAT_MS ?? 500);
const [bootstrap, name, sessionMs] = process.argv.slice(2);

async function main() {
  say({ event: "starts" });
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
    const began = performance.now();
    await consumer.commitOffsets(
      held.map((partition) => ({ topic: name, partition, offset: String(offset) })),
    );
    const written = performance.now();
    const [stored] = await admin.fetchOffsets({ groupId: name, topics: [name] });
    const mine = stored.partitions.filter((found) => held.includes(found.partition));
    const offsets = mine.map((found) => [found.partition, Number(found.offset)]);
    say({
      event: "committed",
      offsets: Object.fromEntries(offsets),
      commit_s: (written - began) / 1000,
      read_s: (performance.now() - written) / 1000,
    });
  }

  process.once("SIGTERM", async () => {
    const began = performance.now();
    await consumer.disconnect();
    say({ event: "closed", close_s: (performance.now() - began) / 1000 });
    await admin.disconnect();
    process.exit(0);
  });
  await Promise.all([consumer.connect(), admin.connect()]);
  await consumer.subscribe({ topics: [name] });
  await consumer.run({ autoCommit: false, eachMessage: async () => {} });
  await listen(commit);
}

main();
