import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A webhook dispatcher with Kafka's own consumer: a partition is a customer's endpoint, an offset
 * the number of the next delivery. Deliveries of one customer come in order, from one process.
 *
 * <p>{@code java -cp 'kafka-clients.jar:...' Dispatcher.java BOOTSTRAP QUEUE URL}: the delivery
 * {@code N} of customer {@code P} is the file {@code QUEUE/P/N.json}, posted to {@code URL/P}.
 */
class Dispatcher {
    public static void main(String[] args) throws IOException, InterruptedException {
        var settings =
                Map.<String, Object>of(
                        "bootstrap.servers", args[0],
                        "group.id", System.getenv().getOrDefault("WEBHOOK_GROUP", "webhooks"),
                        "group.protocol", "consumer",
                        "auto.offset.reset", "earliest",
                        "enable.auto.commit", "false",
                        "key.deserializer", ByteArrayDeserializer.class,
                        "value.deserializer", ByteArrayDeserializer.class);
        var http = HttpClient.newHttpClient();
        try (var consumer = new KafkaConsumer<byte[], byte[]>(settings)) {
            consumer.subscribe(Set.of("endpoints"));
            while (true) {
                consumer.poll(Duration.ofMillis(200)); // no records: it keeps the membership
                for (var endpoint : consumer.assignment()) {
                    deliver(consumer, http, endpoint, Path.of(args[1]), args[2]);
                }
            }
        }
    }

    /** The next delivery of one endpoint, if there is one. */
    private static void deliver(
            KafkaConsumer<byte[], byte[]> consumer,
            HttpClient http,
            TopicPartition endpoint,
            Path queue,
            String url)
            throws IOException, InterruptedException {
        var committed = consumer.committed(Set.of(endpoint)).get(endpoint);
        long number = committed == null ? 0 : committed.offset();
        var file = queue.resolve(endpoint.partition() + "/" + number + ".json");
        if (!Files.exists(file)) {
            return;
        }
        var request =
                HttpRequest.newBuilder(URI.create(url + "/" + endpoint.partition()))
                        .timeout(Duration.ofSeconds(10))
                        .POST(HttpRequest.BodyPublishers.ofFile(file))
                        .build();
        var answer = http.send(request, HttpResponse.BodyHandlers.discarding());
        if (answer.statusCode() / 100 == 2) { // else it is tried again: at least once
            consumer.commitSync(Map.of(endpoint, new OffsetAndMetadata(number + 1)));
        }
    }
}
