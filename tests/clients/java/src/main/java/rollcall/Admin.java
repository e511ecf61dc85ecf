package rollcall;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * A stock administrator: {@code Admin BOOTSTRAP}.
 *
 * <p>A line on standard input is a verb and its words; the answer is a JSON object, {@code
 * {"error": code}} with Kafka's number where Rollcall refused.
 */
final class Admin {
    /** What a verb does with its words. */
    private interface Verb {
        Map<String, ?> apply(String[] words) throws ExecutionException, InterruptedException;
    }

    private static final Map<String, ?> DONE = Map.of("done", true);

    private final AdminClient client;
    private final Map<String, Verb> verbs =
            Map.of(
                    "create", this::create,
                    "groups", this::groups,
                    "describe", this::describe,
                    "commit", this::commit,
                    "offsets", this::offsets,
                    "delete-offsets", this::deleteOffsets,
                    "remove", this::remove,
                    "delete-group", this::deleteGroup,
                    "delete-topic", this::deleteTopic);

    private Admin(String bootstrap) {
        var settings = new Properties();
        settings.setProperty("bootstrap.servers", bootstrap);
        client = AdminClient.create(settings);
    }

    public static void main(String[] args) {
        var admin = new Admin(args[0]);
        try (admin.client) {
            Lines.listen(admin::answer);
        }
    }

    private void answer(String line) {
        String[] words = line.split(" ");
        try {
            Lines.say(verbs.get(words[0]).apply(words));
        } catch (ExecutionException refused) {
            Lines.say(Map.of("error", Errors.forException(refused.getCause()).code()));
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    private Map<String, ?> create(String[] words) throws ExecutionException, InterruptedException {
        var topic = new NewTopic(words[1], Integer.parseInt(words[2]), (short) 1);
        client.createTopics(List.of(topic)).all().get();
        return DONE;
    }

    private Map<String, ?> groups(String[] words) throws ExecutionException, InterruptedException {
        var found = client.listGroups(ListGroupsOptions.forConsumerGroups()).all().get();
        return Map.of("groups", found.stream().map(GroupListing::groupId).toList());
    }

    private Map<String, ?> describe(String[] words)
            throws ExecutionException, InterruptedException {
        var group = client.describeConsumerGroups(List.of(words[1])).all().get().get(words[1]);
        var members = new ArrayList<Map<String, ?>>();
        for (var member : group.members()) {
            var held = member.assignment().topicPartitions();
            members.add(
                    Map.of(
                            "instance", member.groupInstanceId().orElse(""),
                            "partitions",
                                    held.stream().map(TopicPartition::partition).sorted().toList()));
        }
        return Map.of("state", group.groupState().toString(), "members", members);
    }

    private Map<String, ?> commit(String[] words) throws ExecutionException, InterruptedException {
        var partition = new TopicPartition(words[2], Integer.parseInt(words[3]));
        var offset = new OffsetAndMetadata(Long.parseLong(words[4]), Optional.empty(), "by hand");
        client.alterConsumerGroupOffsets(words[1], Map.of(partition, offset)).all().get();
        return DONE;
    }

    private Map<String, ?> offsets(String[] words) throws ExecutionException, InterruptedException {
        var stored = client.listConsumerGroupOffsets(words[1]).partitionsToOffsetAndMetadata().get();
        var offsets = new TreeMap<Integer, Long>();
        stored.forEach((partition, at) -> offsets.put(partition.partition(), at.offset()));
        return Map.of("offsets", offsets);
    }

    private Map<String, ?> deleteOffsets(String[] words)
            throws ExecutionException, InterruptedException {
        var partition = new TopicPartition(words[2], Integer.parseInt(words[3]));
        client.deleteConsumerGroupOffsets(words[1], Set.of(partition)).all().get();
        return DONE;
    }

    private Map<String, ?> remove(String[] words) throws ExecutionException, InterruptedException {
        var who = new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove(words[2])));
        client.removeMembersFromConsumerGroup(words[1], who).all().get();
        return DONE;
    }

    private Map<String, ?> deleteGroup(String[] words)
            throws ExecutionException, InterruptedException {
        client.deleteConsumerGroups(List.of(words[1])).all().get();
        return DONE;
    }

    private Map<String, ?> deleteTopic(String[] words)
            throws ExecutionException, InterruptedException {
        client.deleteTopics(List.of(words[1])).all().get();
        return DONE;
    }
}
