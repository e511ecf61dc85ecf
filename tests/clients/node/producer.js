"use strict";
// A stock transactional producer of offsets: `producer.js BOOTSTRAP TRANSACTIONAL_ID`.
//
// A line on standard input is a verb and its words; the answer is a JSON object, `{"error": code}`
// with Kafka's number where Rollcall refused. kafkajs initialises its transactions as it begins one.

const { connect, listen, say } = require("./lines");

const [bootstrap, transactionalId] = process.argv.slice(2);

async function main() {
  const producer = connect(bootstrap, "producer").producer({
    transactionalId,
    idempotent: true,
    maxInFlightRequests: 1,
    retry: { retries: 2 },
  });
  await producer.connect();
  let transaction;
  const verbs = {
    async init() {},
    async begin() {
      transaction = await producer.transaction();
    },
    async offset(consumerGroupId, topic, partition, offset) {
      const partitions = [{ partition: Number(partition), offset }];
      await transaction.sendOffsets({ consumerGroupId, topics: [{ topic, partitions }] });
    },
    async commit() {
      await transaction.commit();
    },
    async abort() {
      await transaction.abort();
    },
  };
  await listen(async (line) => {
    const [verb, ...words] = line.split(" ");
    try {
      await verbs[verb](...words);
      say({ done: true });
    } catch (error) {
      say({ error: error.code ?? error.cause?.code ?? error.message });
    }
  });
  await producer.disconnect();
}

main();
