package rollcall;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * What a leader of Java's own sticky assignors assigns; each member's memory passes through the
 * bytes of its subscription, as over the wire.
 *
 * <p>A line on standard input is {@code NAME TOPIC=COUNT,... MEMBER=TOPIC:NUMBER,... ...}, the
 * members with what they own; {@code -} is nothing. The answer is a JSON object of what each owns
 * in the end, with the number of rebalances.
 */
final class Sticky {
    private static final int GENERATION = 7;

    /** The second rebalance of a cooperative group assigns what the first one took away. */
    private static final int REBALANCES_MAX = 5;

    private Sticky() {}

    public static void main(String[] args) {
        Lines.listen(line -> Lines.say(answer(line)));
    }

    private static Map<String, ?> answer(String line) {
        var words = line.split(" ");
        var cluster = cluster(words[1]);
        var topics = List.copyOf(cluster.topics());
        Map<String, List<TopicPartition>> owned = new LinkedHashMap<>();
        Stream.of(words).skip(2).forEach(word -> read(word, owned));
        var isCooperative = words[0].equals("cooperative-sticky");
        for (int rebalances = 1; rebalances <= REBALANCES_MAX; rebalances++) {
            var given = assigned(isCooperative, cluster, topics, owned, GENERATION + rebalances);
            var isSettled =
                    owned.entrySet().stream()
                            .allMatch(each -> given.get(each.getKey()).containsAll(each.getValue()));
            owned.replaceAll((member, before) -> given.get(member));
            if (isSettled || !isCooperative) {
                return Map.of("rebalances", rebalances, "owned", written(owned));
            }
        }
        throw new IllegalStateException("it does not settle");
    }

    private static Map<String, List<TopicPartition>> assigned(
            boolean isCooperative,
            Cluster cluster,
            List<String> topics,
            Map<String, List<TopicPartition>> owned,
            int generation) {
        Map<String, Subscription> subscriptions = new HashMap<>();
        owned.forEach(
                (member, parts) ->
                        subscriptions.put(
                                member, subscription(assignor(isCooperative), topics, parts, generation)));
        var leader = assignor(isCooperative);
        return leader.assign(cluster, new GroupSubscription(subscriptions)).groupAssignment().entrySet()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().partitions()));
    }

    /** A member without partitions is a new one. Outside of a consumer nobody else makes metadata. */
    @SuppressWarnings("removal")
    private static Subscription subscription(
            ConsumerPartitionAssignor assignor,
            List<String> topics,
            List<TopicPartition> parts,
            int generation) {
        if (!parts.isEmpty()) {
            assignor.onAssignment(
                    new Assignment(parts),
                    new ConsumerGroupMetadata("g", generation, "m", Optional.empty()));
        }
        var data = assignor.subscriptionUserData(Set.copyOf(topics));
        var isCooperative = assignor instanceof CooperativeStickyAssignor;
        var said =
                new Subscription(
                        topics,
                        data,
                        isCooperative ? parts : List.of(),
                        parts.isEmpty() ? -1 : generation,
                        Optional.empty());
        return ConsumerProtocol.deserializeSubscription(ConsumerProtocol.serializeSubscription(said));
    }

    private static ConsumerPartitionAssignor assignor(boolean isCooperative) {
        return isCooperative ? new CooperativeStickyAssignor() : new StickyAssignor();
    }

    private static Cluster cluster(String counts) {
        var parts = new ArrayList<PartitionInfo>();
        var nodes = new Node[] {new Node(0, "localhost", 1)};
        for (var each : counts.split(",")) {
            var topic = each.split("=");
            IntStream.range(0, Integer.parseInt(topic[1]))
                    .forEach(n -> parts.add(new PartitionInfo(topic[0], n, nodes[0], nodes, nodes)));
        }
        return new Cluster("c", List.of(nodes), parts, Set.of(), Set.of());
    }

    private static void read(String word, Map<String, List<TopicPartition>> owned) {
        var split = word.split("=");
        var parts = new ArrayList<TopicPartition>();
        if (!split[1].equals("-")) {
            for (var each : split[1].split(",")) {
                var part = each.split(":");
                parts.add(new TopicPartition(part[0], Integer.parseInt(part[1])));
            }
        }
        owned.put(split[0], parts);
    }

    private static Map<String, List<String>> written(Map<String, List<TopicPartition>> owned) {
        var found = new TreeMap<String, List<String>>();
        owned.forEach(
                (member, parts) ->
                        found.put(
                                member,
                                parts.stream().map(each -> each.topic() + ":" + each.partition()).sorted().toList()));
        return found;
    }
}
