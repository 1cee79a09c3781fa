// Which partition Apache Kafka's producer moves on to. Each line of the input has the batches that wait for each partition
// of a topic, or - for one without a leader; the answer has the partition for every number that chance may give.

package org.apache.kafka.clients.producer.internals;

import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.Set;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.utils.LogContext;

public class PartitionerFacts {
  private static final String TOPIC = "t";
  private static final Node LEADER = new Node(1, "127.0.0.1", 1);

  /** The partitioner with its load, and chance as it is told. */
  private static final class Scripted extends BuiltInPartitioner {
    private final int chance;

    Scripted(String[] words, int chance) {
      super(new LogContext(), TOPIC, 1);
      this.chance = chance;
      int[] sizes = new int[words.length];
      int[] partitions = new int[words.length];
      int usable = 0;
      for (int partition = 0; partition < words.length; partition++) {
        if (!words[partition].equals("-")) {
          sizes[usable] = Integer.parseInt(words[partition]);
          partitions[usable++] = partition;
        }
      }
      updatePartitionLoadStats(sizes, partitions, usable);
    }

    @Override
    int randomPartition() {
      return chance;
    }
  }

  private static Cluster cluster(String[] words) {
    List<PartitionInfo> partitions = new ArrayList<>();
    for (int partition = 0; partition < words.length; partition++) {
      Node leader = words[partition].equals("-") ? null : LEADER;
      partitions.add(new PartitionInfo(TOPIC, partition, leader, new Node[] {LEADER}, new Node[] {LEADER}));
    }
    return new Cluster("c", List.of(LEADER), partitions, Set.of(), Set.of());
  }

  private static int numbers(String[] words, Cluster cluster) {
    try {
      return new Scripted(words, 0).loadStatsRangeEnd();
    } catch (NullPointerException evenly) {
      int available = cluster.availablePartitionsForTopic(TOPIC).size();
      return available > 0 ? available : words.length;
    }
  }

  public static void main(String[] arguments) {
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String[] words = lines.nextLine().split(" ");
      Cluster cluster = cluster(words);
      List<String> chosen = new ArrayList<>();
      for (int chance = 0; chance < numbers(words, cluster); chance++) {
        chosen.add("" + new Scripted(words, chance).peekCurrentPartitionInfo(cluster).partition());
      }
      System.out.println(String.join(" ", chosen));
    }
  }
}
