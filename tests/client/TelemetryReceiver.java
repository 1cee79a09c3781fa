// A plugin of Apache Kafka that keeps every metrics push as a file: which client, whether it was the last, and the payload.

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.telemetry.ClientTelemetryContext;
import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;

public class TelemetryReceiver implements MetricsReporter, ClientTelemetryExporterProvider, ClientTelemetryExporter {
  private final AtomicInteger count = new AtomicInteger();
  private Path directory;

  @Override
  public void configure(Map<String, ?> configs) {
    directory = Path.of(String.valueOf(configs.get("telemetry.receiver.directory")));
  }

  @Override
  public ClientTelemetryExporter clientTelemetryExporter() {
    return this;
  }

  @Override
  public void exportMetrics(ClientTelemetryContext context, ClientTelemetryPayload payload) {
    ByteBuffer data = payload.data().duplicate();
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    String kind = payload.isTerminating() ? "last" : "more";
    String name = String.format("%s.%06d.%s", payload.clientInstanceId(), count.getAndIncrement(), kind);
    try {
      Path unfinished = Files.write(directory.resolve(name + ".tmp"), bytes);
      Files.move(unfinished, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public void init(List<KafkaMetric> metrics) {}

  @Override
  public void metricChange(KafkaMetric metric) {}

  @Override
  public void metricRemoval(KafkaMetric metric) {}

  @Override
  public void close() {}
}
