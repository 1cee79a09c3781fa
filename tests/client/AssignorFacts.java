// What Apache Kafka's assignors make of the groups on standard input, and the bytes that its members exchange.

import java.nio.ByteBuffer;
import java.util.*;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.*;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.*;

public class AssignorFacts {
  static List<PartitionInfo> partitions = new ArrayList<>();
  static Map<String, Subscription> members = new TreeMap<>();

  static List<String> list(String text) {
    return text.equals("-") ? List.of() : List.of(text.split(","));
  }

  static List<TopicPartition> owned(String text) {
    return list(text).stream().map(each -> {
      int at = each.lastIndexOf('-');
      return new TopicPartition(each.substring(0, at), Integer.parseInt(each.substring(at + 1)));
    }).collect(Collectors.toList());
  }

  static ByteBuffer bytes(String hex) {
    return hex.equals("-") ? null : ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  static String hex(ByteBuffer buffer) {
    if (buffer == null) return "-";
    byte[] found = new byte[buffer.remaining()];
    buffer.duplicate().get(found);
    return HexFormat.of().formatHex(found);
  }

  // topic NAME RACKS RACKS ...: one field for each partition
  static void topic(String[] words) {
    for (int index = 0; index + 2 < words.length; index++) {
      List<String> racks = list(words[index + 2]);
      Node[] replicas = new Node[Math.max(racks.size(), 1)];
      for (int replica = 0; replica < replicas.length; replica++) {
        String rack = racks.isEmpty() ? null : racks.get(replica);
        replicas[replica] = new Node(replica, "host", 1, rack);
      }
      partitions.add(new PartitionInfo(words[1], index, null, replicas, replicas));
    }
  }

  // member ID INSTANCE RACK TOPICS OWNED GENERATION USERDATA
  static Subscription subscription(String[] words) {
    Optional<String> rack = words[3].equals("-") ? Optional.empty() : Optional.of(words[3]);
    Subscription subscription = new Subscription(
        list(words[4]), bytes(words[7]), owned(words[5]), Integer.parseInt(words[6]), rack);
    if (!words[2].equals("-")) subscription.setGroupInstanceId(Optional.of(words[2]));
    return subscription;
  }

  static void assign(String name) {
    ConsumerPartitionAssignor assignor = switch (name) {
      case "range" -> new RangeAssignor();
      case "roundrobin" -> new RoundRobinAssignor();
      case "sticky" -> new StickyAssignor();
      default -> new CooperativeStickyAssignor();
    };
    Cluster cluster = new Cluster("id", List.of(), partitions, Set.of(), Set.of());
    Map<String, Assignment> found = assignor.assign(cluster, new GroupSubscription(members)).groupAssignment();
    System.out.println(new TreeMap<>(found).entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue().partitions().stream()
            .map(TopicPartition::toString).sorted().collect(Collectors.joining(",")))
        .collect(Collectors.joining(" ")));
    partitions = new ArrayList<>();
    members = new TreeMap<>();
  }

  static void bytesOf(String[] words) {
    Subscription subscription = subscription(words);
    List<String> found = new ArrayList<>();
    for (short version = 0; version <= 3; version++) {
      found.add(hex(ConsumerProtocol.serializeSubscription(subscription, version)));
      found.add(hex(ConsumerProtocol.serializeAssignment(new Assignment(owned(words[5])), version)));
    }
    for (ConsumerPartitionAssignor assignor : List.of(new StickyAssignor(), new CooperativeStickyAssignor())) {
      found.add(hex(assignor.subscriptionUserData(Set.of())));
      assignor.onAssignment(
          new Assignment(owned(words[5])),
          new ConsumerGroupMetadata("g", Integer.parseInt(words[6]), "m", Optional.empty()));
      found.add(hex(assignor.subscriptionUserData(Set.of())));
    }
    System.out.println(String.join(" ", found));
  }

  public static void main(String[] arguments) {
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String[] words = lines.nextLine().split(" ");
      switch (words[0]) {
        case "topic" -> topic(words);
        case "member" -> members.put(words[1], subscription(words));
        case "assign" -> assign(words[1]);
        case "bytes" -> bytesOf(words);
        default -> throw new IllegalArgumentException(words[0]);
      }
    }
  }
}
