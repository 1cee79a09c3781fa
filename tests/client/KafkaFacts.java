// What Apache Kafka's clients have by themselves: every setting with its default, and the kind of every error.

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

public class KafkaFacts {
  static void show(String kind, ConfigDef definition) {
    definition.configKeys().values().forEach(
        key -> System.out.println(kind + "\t" + key.name + "\t" + key.defaultValue));
  }

  public static void main(String[] arguments) {
    show("producer", org.apache.kafka.clients.producer.ProducerConfig.configDef());
    show("consumer", org.apache.kafka.clients.consumer.ConsumerConfig.configDef());
    show("admin", org.apache.kafka.clients.admin.AdminClientConfig.configDef());
    for (Errors error : Errors.values()) {
      boolean retriable = error.exception() instanceof RetriableException;
      boolean stale = error.exception() instanceof InvalidMetadataException;
      System.out.println("error\t" + error.name() + "\t" + (retriable ? "retriable" : "") + (stale ? " stale" : ""));
    }
  }
}
