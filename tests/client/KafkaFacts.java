// What Apache Kafka's clients have by themselves: every setting with its default, the kind of every error, and the names
// under which clients push their metrics.

import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.telemetry.internals.TelemetryMetricNamingConvention;

public class KafkaFacts {
  static void show(String kind, ConfigDef definition) {
    definition.configKeys().values().forEach(
        key -> System.out.println(kind + "\t" + key.name + "\t" + key.defaultValue));
  }

  static void showMetrics(String kind, Map<MetricName, ? extends Metric> metrics) {
    var names = TelemetryMetricNamingConvention.getClientTelemetryMetricNamingStrategy("org.apache.kafka");
    metrics.keySet().forEach(name -> System.out.println("metric\t" + kind + "\t" + names.metricKey(name).name()));
  }

  static void showMetrics() {
    Map<String, Object> settings = Map.of("bootstrap.servers", "127.0.0.1:1", "group.id", "g");
    var writer = new ByteArraySerializer();
    try (var producer = new KafkaProducer<>(Map.of("bootstrap.servers", "127.0.0.1:1"), writer, writer)) {
      showMetrics("producer", producer.metrics());
    }
    var reader = new ByteArrayDeserializer();
    try (var consumer = new KafkaConsumer<>(settings, reader, reader)) {
      showMetrics("consumer", consumer.metrics());
    }
  }

  public static void main(String[] arguments) {
    show("producer", org.apache.kafka.clients.producer.ProducerConfig.configDef());
    show("consumer", org.apache.kafka.clients.consumer.ConsumerConfig.configDef());
    show("admin", org.apache.kafka.clients.admin.AdminClientConfig.configDef());
    showMetrics();
    for (Errors error : Errors.values()) {
      boolean retriable = error.exception() instanceof RetriableException;
      boolean stale = error.exception() instanceof InvalidMetadataException;
      System.out.println("error\t" + error.name() + "\t" + (retriable ? "retriable" : "") + (stale ? " stale" : ""));
    }
  }
}
