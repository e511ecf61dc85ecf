package rollcall;

import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A stock transactional producer of offsets: {@code Producer BOOTSTRAP TRANSACTIONAL_ID}. */
final class Producer {
    private final String bootstrap;
    private final KafkaProducer<byte[], byte[]> client;

    private Producer(String bootstrap, String transactionalId) {
        this.bootstrap = bootstrap;
        var settings = new Properties();
        settings.setProperty("bootstrap.servers", bootstrap);
        settings.setProperty("transactional.id", transactionalId);
        client = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    public static void main(String[] args) {
        var producer = new Producer(args[0], args[1]);
        try (producer.client) {
            Lines.listen(producer::answer);
        }
    }

    private void answer(String line) {
        String[] words = line.split(" ");
        try {
            obey(words);
            Lines.say(Map.of("done", true));
        } catch (KafkaException refused) {
            Lines.say(Map.of("error", Errors.forException(refused).code()));
        }
    }

    private void obey(String[] words) {
        switch (words[0]) {
            case "init" -> client.initTransactions();
            case "begin" -> client.beginTransaction();
            case "offset" -> offset(words);
            case "commit" -> client.commitTransaction();
            case "abort" -> client.abortTransaction();
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private void offset(String[] words) {
        var partition = new TopicPartition(words[2], Integer.parseInt(words[3]));
        var offset = new OffsetAndMetadata(Long.parseLong(words[4]));
        // The group comes from a consumer that never subscribes, so that it is no member.
        var consumer = new Properties();
        consumer.setProperty("bootstrap.servers", bootstrap);
        consumer.setProperty("group.id", words[1]);
        var bytes = new ByteArrayDeserializer();
        try (var outsider = new KafkaConsumer<>(consumer, bytes, bytes)) {
            client.sendOffsetsToTransaction(Map.of(partition, offset), outsider.groupMetadata());
        }
    }
}
