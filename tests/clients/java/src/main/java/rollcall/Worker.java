package rollcall;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A stock consumer: {@code Worker BOOTSTRAP NAME SESSION_MS [setting=value ...]}.
 *
 * <p>It says what it is given and what is taken from it; a line on standard input makes it commit
 * that offset for all it holds and say what is committed, or that it may not. SIGTERM closes it
 * cleanly. It also says that it starts, and how long a commit, the read of it and its close took.
 */
final class Worker implements ConsumerRebalanceListener {
    private static final String HEARTBEAT_MS =
            System.getenv().getOrDefault("HEARTBEAT_MS", "500");
    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final ConcurrentLinkedQueue<Long> orders = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping = false;

    private Worker(Properties settings) {
        consumer = new KafkaConsumer<>(settings);
    }

    public static void main(String[] args) throws InterruptedException {
        Lines.say(Map.of("event", "starts"));
        var worker = new Worker(settings(args));
        var closed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> worker.stop(closed)));
        var listener = new Thread(() -> Lines.listen(line -> worker.orders.add(Long.valueOf(line))));
        listener.setDaemon(true);
        listener.start();
        try {
            worker.work(args[1]);
        } finally {
            closed.countDown();
        }
    }

    private static Properties settings(String[] args) {
        var settings = new Properties();
        settings.setProperty("bootstrap.servers", args[0]);
        settings.setProperty("group.id", args[1]);
        settings.setProperty("enable.auto.commit", "false");
        settings.setProperty("key.deserializer", ByteArrayDeserializer.class.getName());
        settings.setProperty("value.deserializer", ByteArrayDeserializer.class.getName());
        var rest = List.of(args).subList(3, args.length);
        if (!rest.contains("group.protocol=consumer")) {
            // With the consumer protocol these two are the coordinator's.
            settings.setProperty("session.timeout.ms", args[2]);
            settings.setProperty("heartbeat.interval.ms", HEARTBEAT_MS);
        }
        for (String setting : rest) {
            var pair = setting.split("=", 2);
            settings.setProperty(pair[0], pair[1]);
        }
        return settings;
    }

    private void work(String topic) {
        try {
            consumer.subscribe(List.of(topic), this);
            while (!stopping) {
                consumer.poll(POLL);
                for (Long order = orders.poll(); order != null; order = orders.poll()) {
                    commit(order);
                }
            }
        } catch (WakeupException asked) {
            // SIGTERM came during a poll; the consumer is closed all the same.
        } finally {
            var began = System.nanoTime();
            consumer.close();
            Lines.say(Map.of("event", "closed", "close_s", secondsSince(began)));
        }
    }

    private void commit(long offset) {
        var held = consumer.assignment();
        // The first look at committed offsets may still be under way, and committed() would hand
        // out its old answer, from Kafka as well: let it end first.
        held.forEach(consumer::position);
        var wanted = new HashMap<TopicPartition, OffsetAndMetadata>();
        held.forEach(partition -> wanted.put(partition, new OffsetAndMetadata(offset)));
        var began = System.nanoTime();
        try {
            consumer.commitSync(wanted);
        } catch (KafkaException refused) {
            Lines.say(Map.of("event", "refused", "error", refused.toString()));
            return;
        }
        double commitSeconds = secondsSince(began);
        began = System.nanoTime();
        var stored = new HashMap<Integer, Long>();
        consumer.committed(held).forEach((p, at) -> stored.put(p.partition(), at.offset()));
        Lines.say(
                Map.of(
                        "event", "committed",
                        "offsets", stored,
                        "commit_s", commitSeconds,
                        "read_s", secondsSince(began)));
    }

    private static double secondsSince(long began) {
        return (System.nanoTime() - began) / 1e9;
    }

    private void stop(CountDownLatch closed) {
        stopping = true;
        consumer.wakeup();
        try {
            closed.await();
        } catch (InterruptedException late) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> given) {
        // What is given may come on top of what it has.
        say("assigned", consumer.assignment());
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> taken) {
        say("revoked", taken);
    }

    private static void say(String event, Collection<TopicPartition> partitions) {
        var numbers =
                partitions.stream().map(TopicPartition::partition).sorted().collect(Collectors.toList());
        var now = Instant.now();
        double at = now.getEpochSecond() + now.getNano() / 1e9;
        Lines.say(Map.of("event", event, "at", at, "partitions", numbers));
    }
}
