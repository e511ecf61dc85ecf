"use strict";
// A stock administrator: `admin.js BOOTSTRAP`.
//
// A line on standard input is a verb and its words; the answer is a JSON object,
// `{"error": code}` with Kafka's number where Rollcall refused. kafkajs cannot remove members.

const { AssignerProtocol } = require("kafkajs");
const { connect, listen, say } = require("./lines");

const [bootstrap] = process.argv.slice(2);
const DONE = { done: true };
// It asks again about a topic that does not exist, for seven seconds if one lets it.
const RETRIES = 2;
const TOPIC_ALREADY_EXISTS = 36;

function described(member, topic) {
  // A member that has not been given anything yet has an empty assignment.
  const decoded = AssignerProtocol.MemberAssignment.decode(member.memberAssignment);
  return { instance: "", partitions: decoded?.assignment[topic] ?? [] };
}

const VERBS = {
  async create(admin, topic, partitions) {
    const topics = [{ topic, numPartitions: Number(partitions) }];
    // It swallows this one error and says false.
    return (await admin.createTopics({ topics })) ? DONE : { error: TOPIC_ALREADY_EXISTS };
  },
  async groups(admin) {
    const { groups } = await admin.listGroups();
    return { groups: groups.map((group) => group.groupId) };
  },
  async describe(admin, groupId) {
    const { groups } = await admin.describeGroups([groupId]);
    const [group] = groups;
    if (group.errorCode) {
      return { error: group.errorCode };
    }
    return {
      state: group.state,
      members: group.members.map((member) => described(member, groupId)),
    };
  },
  async commit(admin, groupId, topic, partition, offset) {
    const partitions = [{ partition: Number(partition), offset }];
    await admin.setOffsets({ groupId, topic, partitions });
    return DONE;
  },
  async offsets(admin, groupId) {
    const topics = await admin.fetchOffsets({ groupId });
    const all = topics.flatMap((topic) => topic.partitions);
    const stored = all.filter((found) => found.offset !== "-1");
    const offsets = stored.map((found) => [found.partition, Number(found.offset)]);
    return { offsets: Object.fromEntries(offsets) };
  },
  async "delete-group"(admin, groupId) {
    await admin.deleteGroups([groupId]);
    return DONE;
  },
  async "delete-topic"(admin, topic) {
    await admin.deleteTopics({ topics: [topic] });
    return DONE;
  },
};

/** Kafka's number of an error, wherever kafkajs has it; a sentence where kafkajs itself refused. */
function reason(error) {
  const wrapped = error.cause?.code ?? error.groups?.[0]?.errorCode;
  return error.code ?? wrapped ?? error.message;
}

async function main() {
  const admin = connect(bootstrap, "admin").admin({ retry: { retries: RETRIES } });
  await admin.connect();
  await listen(async (line) => {
    const [verb, ...words] = line.split(" ");
    try {
      say(await VERBS[verb](admin, ...words));
    } catch (error) {
      say({ error: reason(error) });
    }
  });
  await admin.disconnect();
}

main();
