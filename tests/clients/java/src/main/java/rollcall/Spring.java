package rollcall;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.event.ListenerContainerIdleEvent;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;

/**
 * spring-kafka as applications have it: {@code Spring BOOTSTRAP NAME SESSION_MS [setting=value ...]}.
 *
 * <p>Two listeners of three threads each: one of the topic and group {@code NAME}, the other of
 * {@code NAME-audit}. What is said is about the first; a line on standard input makes each of its
 * threads commit that offset for what it holds, and what is committed is said once all have.
 * SIGTERM stops both.
 */
final class Spring implements ConsumerAwareRebalanceListener, ApplicationEventPublisher {
    private static final int CONCURRENCY = 3;

    private final String topic;
    private final Map<Consumer<?, ?>, TreeSet<Integer>> held = new ConcurrentHashMap<>();
    private final Map<Integer, Long> committed = new TreeMap<>();
    private final Map<Consumer<?, ?>, Long> done = new ConcurrentHashMap<>();
    private volatile Long order = null;

    private Spring(String topic) {
        this.topic = topic;
    }

    public static void main(String[] args) throws InterruptedException {
        Lines.say(Map.of("event", "starts"));
        var one = new Spring(args[1]);
        var work = one.listener(args, args[1]);
        var audit = one.listener(args, args[1] + "-audit");
        var closed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            work.stop();
            audit.stop();
            closed.countDown();
        }));
        work.start();
        audit.start();
        Lines.listen(line -> one.order = Long.valueOf(line));
        closed.await();
    }

    private ConcurrentMessageListenerContainer<byte[], byte[]> listener(String[] args, String name) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", args[0]);
        settings.put("enable.auto.commit", false);
        settings.put("key.deserializer", ByteArrayDeserializer.class);
        settings.put("value.deserializer", ByteArrayDeserializer.class);
        settings.put("session.timeout.ms", Integer.valueOf(args[2]));
        settings.put("heartbeat.interval.ms", 500);
        for (String setting : List.of(args).subList(3, args.length)) {
            var pair = setting.split("=", 2);
            settings.put(pair[0], pair[1]);
        }
        var properties = new ContainerProperties(name);
        properties.setGroupId(name);
        properties.setMessageListener((MessageListener<byte[], byte[]>) record -> {});
        properties.setPollTimeout(200);
        properties.setIdleEventInterval(200L);
        properties.setConsumerRebalanceListener(this);
        var container = new ConcurrentMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<byte[], byte[]>(settings), properties);
        container.setConcurrency(CONCURRENCY);
        container.setBeanName(name);
        container.setApplicationEventPublisher(this);
        return container;
    }

    @Override
    public void publishEvent(Object event) {
        if (event instanceof ListenerContainerIdleEvent idle && order != null) {
            commit(idle.getConsumer(), order);
        }
    }

    @Override
    public void publishEvent(ApplicationEvent event) {
        publishEvent((Object) event);
    }

    /** In a consumer's own thread, between two polls. */
    private synchronized void commit(Consumer<?, ?> consumer, long offset) {
        var mine = held.get(consumer);
        if (mine == null || Long.valueOf(offset).equals(done.put(consumer, offset))) {
            return;
        }
        var wanted = new HashMap<TopicPartition, OffsetAndMetadata>();
        mine.forEach(p -> wanted.put(new TopicPartition(topic, p), new OffsetAndMetadata(offset)));
        consumer.commitSync(wanted);
        consumer.committed(wanted.keySet()).forEach((p, at) -> committed.put(p.partition(), at.offset()));
        if (held.keySet().stream().allMatch(c -> Long.valueOf(offset).equals(done.get(c)))) {
            Lines.say(Map.of("event", "committed", "offsets", new TreeMap<>(committed)));
            committed.clear();
        }
    }

    @Override
    public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> given) {
        change(consumer, given, true);
    }

    @Override
    public void onPartitionsRevokedBeforeCommit(Consumer<?, ?> consumer, Collection<TopicPartition> taken) {
        change(consumer, taken, false);
    }

    @Override
    public void onPartitionsLost(Consumer<?, ?> consumer, Collection<TopicPartition> taken) {
        change(consumer, taken, false);
    }

    private synchronized void change(Consumer<?, ?> consumer, Collection<TopicPartition> moved, boolean given) {
        var numbers = moved.stream().filter(p -> p.topic().equals(topic)).map(TopicPartition::partition).toList();
        if (numbers.isEmpty()) {
            return;
        }
        var mine = held.computeIfAbsent(consumer, one -> new TreeSet<>());
        if (given) {
            mine.addAll(numbers);
        } else {
            mine.removeAll(numbers);
        }
        var all = new TreeSet<Integer>();
        held.values().forEach(all::addAll);
        Lines.say(Map.of("event", "assigned", "partitions", all));
    }
}
