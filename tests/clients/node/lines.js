"use strict";
// How the programs talk to the tests: lines of text in, JSON objects, one a line, out.

const readline = require("node:readline");
const { Kafka, logLevel } = require("kafkajs");

/** One line for the test. */
function say(facts) {
  process.stdout.write(JSON.stringify(facts) + "\n");
}

/** Hands each line of standard input to `reader`, one after the other. */
async function listen(reader) {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    await reader(line.trim());
  }
}

/** The library, quiet below errors. */
function connect(bootstrap, clientId) {
  return new Kafka({ clientId, brokers: [bootstrap], logLevel: logLevel.ERROR });
}

module.exports = { connect, listen, say };
