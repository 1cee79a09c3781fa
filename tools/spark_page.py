"""docs/spark.md: how Spark reads and writes topics and tables, with the tables of options from their declarations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snakka.spark.read_options import OPTIONS
from snakka.spark.session import FAST_SETTINGS, REDACTED
from snakka.spark.tables.table_options import DELTA_OPTIONS, ICEBERG_OPTIONS, TableOption
from snakka.spark.topic_sink.write_options import DEFAULT_DECISION_TOPIC

_TEXT = """\
# Topics and tables on Spark

<!-- GENERATED from the declared options by `make generate`: do not edit. -->

`pip install 'snakka[spark]'` brings PySpark and the formats below; beside that Spark needs Java 17. Spark finds them
by itself, in local sessions, on clusters and in SQL: there is nothing to register, and there are no jars.

| format | reads | writes |
|---|---|---|
| `snakka` | topics, in batches and as streams | topics, at least once or exactly once |
| `snakka-log` | [data directories](log-reader.md), without a broker | |
| `snakka-delta`, `snakka-iceberg` | | tables, each batch once |

A file can declare a whole job: see [pipelines.md](pipelines.md).

## Reading topics

Columns, options, offsets in JSON and checkpoints are those of Spark's own Kafka source, so a job changes one word,
and either goes on from the other's checkpoint once its first batch is committed.
`pyspark_snakka.enable_kafka_alias()` spares even that word where the JVM's connector is absent.

```python
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
orders = (
    spark.readStream.format("snakka")
    .option("kafka.bootstrap.servers", "127.0.0.1:9092")
    .option("subscribe", "orders")
    .schema("value BINARY, timestamp TIMESTAMP")  # only these columns are decoded; leave it out for all
    .load()
)
```

{reading}

Options that begin with `kafka.` are settings of the client, `kafka.isolation.level=read_committed` and those of TLS
and SASL among them. What finished batches have read is committed to the group `kafka.group.id`, or one that is named
after `groupIdPrefix` and the subscription: ordinary lag tools see the query. Queries that read the same topics share that
one, and each overwrites what the others have committed: give each query a `kafka.group.id` of its own, and its lag can be
seen. Spark says that a batch is done by asking for the next one: with `processingTime="1 hour"` it is committed an hour
later, and the last one before a query stops, as that of `trigger(once=True)`, by the next run. `availableNow=True` knows no
such delay, and neither do [declared pipelines](pipelines.md), which say it themselves.

Spark shows the options of a query in its plans, UI and event log, but for those whose name or value looks like a secret to
it. A private key as text does not: in a session of your own set `spark.redaction.regex` to
`{redacted}`, as `snakka pipeline` does.

A DataFrame with `pushDownFilters=true` is for one filter: Spark keeps the ranges of the last one with it, and uses them for
whatever else is made of that DataFrame, so that a second filter, a union or a join of it with itself, or a count of all of
it gives wrong rows. Load another one for each.

As in Spark's own source, a batch query's `latest` is looked up by each task when it begins. A job that writes into a topic
it reads gives numbers as `endingOffsets`, or it may read some of what it has just written.

A topic that is deleted and made anew is another topic, which is known by its id: what was planned for the old one counts as
lost, and with `failOnDataLoss=false` a running stream goes on with the first record of the new one. `endingOffsets` beyond
the end of a log end a batch query at once; what an open transaction holds back of them is waited for.

Several streams in one session: Spark 4.3 has a race where sources in Python begin at the same time, after which all tasks of
that source fail with `Illegal size 5 of collection, expected 6` until the session ends. It is rare for new queries and not
for two that go on from their checkpoints. One line before the first of them is started avoids it:

```python
from pyspark_snakka import enable_parallel_streams

enable_parallel_streams(spark)
```

[Declared pipelines](pipelines.md) start their queries one after the other and do not need it.

Where it differs: batches are saved with `.mode("append")`, streams in update mode are written through `foreachBatch`
(the alias hides both), and Spark has no continuous or real-time mode for sources in Python.

## Writing topics

Columns `value`, and if they are there `key`, `headers`, `topic` and `partition`, as Spark's own sink has them.

{writing}

With exactly-once every task writes in a transaction of its own, and the driver decides for all of them at once:
consumers that read committed records see each row of a batch once, whoever was killed in between. Speculative
execution must be off.

A stream in update mode is written by `foreachBatch`, at least once or exactly once as the options say:

```python
from snakka.spark.topic_sink.batch_saver import batch_saver

options = {{
    "kafka.bootstrap.servers": "127.0.0.1:9092",
    "topic": "counts",
    "deliveryGuarantee": "exactly-once",
}}
counts.writeStream.outputMode("update").foreachBatch(batch_saver(options)).start()
```

A function of your own may call several savers for a batch, each with another topic; two that write to the same one
need a `txnAppId` each, a name that stays. In a `foreachBatch` without them an exactly-once write needs `txnAppId`, a
name that stays and that no other write has, and `txnVersion`, the batch's id. A number is done once, and so are those
below it: what they write is left out, and a warning says so. A checkpoint that is older than what was written, from a
backup, begins with such batches: give its query a new `checkpointLocation` and say with `startingOffsets` where it
goes on.

## Writing tables

Tasks write Parquet files, and the driver adds them to the table in one commit that carries the query and the batch; a
batch that is tried again is not added twice. Another `checkpointLocation` is another query: what it reads again is added
again.

```python
rows = orders.selectExpr("CAST(value AS STRING) AS value", "timestamp")
delta = rows.writeStream.format("snakka-delta").option("path", "orders-table")
delta.option("checkpointLocation", "checkpoints/delta").start()

iceberg = rows.writeStream.format("snakka-iceberg").option("table", "shop.orders")
catalog = {{
    "catalog.type": "sql",
    "catalog.uri": "sqlite:///catalog.db",
    "catalog.warehouse": "file:///var/lib/warehouse",
}}
iceberg.options(**catalog).option("checkpointLocation", "checkpoints/iceberg").start()
```

They only write: tables are read with deltalake or pyiceberg, or with Spark's own connectors. What could not be read back
as it was written is refused before a table is made or changed: Iceberg partitions of type double, and for Delta a
timestamp_ntz within a map if the table has none elsewhere. So are tables that ask writers for features not known here.

`snakka-delta`; options that begin with `storage.` go to the object store:

{delta}

`snakka-iceberg`; options that begin with `catalog.` are pyiceberg's properties of a catalog, for example
`catalog.type`, `catalog.uri` and `catalog.warehouse`:

{iceberg}

`snakka pipeline maintain` compacts small files, expires what is old, and removes what killed tasks have left.

## What makes it faster

Records are decoded by compiled code if there was a C compiler when Snakka was installed, else by NumPy, which takes
several times as long; `snakka --version` says which, and `snakka pipeline run` when it begins.

Batches take the shortest way into Spark where a program asks for it once:

```python
from pyspark_snakka import enable_fast_reads

enable_fast_reads()
orders = (
    spark.read.format("snakka")
    .option("kafka.bootstrap.servers", "127.0.0.1:9092")
    .option("subscribe", "orders")
    .load()
)
```

Spark copies each row that it scans by a source in Python once more than it needs to. After that line what `spark.read`
loads of `snakka` and `snakka-log` is mapped over ranges of offsets instead, by `mapInArrow`: options, columns and rows
are the same, and records of 100 B take the JVM about half the time. As where Spark reads files, there is a task for each
core: partitions with many records are divided, unless `minPartitions` or `maxRecordsPerPartition` say otherwise
(`minPartitions=1`: a task reads a whole partition of the topic, in order). It asks for offsets when a DataFrame is loaded,
not when it is first used, and wrong options are told there. Streams, SQL's `USING snakka`, `pushDownFilters=true` and Spark
Connect go Spark's way as before; `disable()` of what it returns takes it back. bench/RESULTS.md has the figures.

In a schema, columns that have a value in every record may be `NOT NULL`: Spark looks for no nulls there, which saves a few
per cent. Those are `topic`, `partition`, `offset`, `timestamp` and `timestampType`; a `key` or `value` that is missing
though it was said to be there ends the query.

`snakka pipeline` and `snakka.spark.session.open_session` also set these of Spark's settings; in a session of your own they
are worth a line each:

{settings}
"""

_WRITING = (
    ("topic", "", "The topic of all rows; without it there must be a column."),
    ("deliveryGuarantee", "at-least-once", "`exactly-once`: in transactions."),
    ("decisionTopic", DEFAULT_DECISION_TOPIC, "Where the driver writes which batches count."),
    ("transactionTimeoutMs", "transaction.max.timeout.ms of the brokers", "How long a batch may take."),
    ("txnAppId", "", "Batch writes: who writes; with `txnVersion` a write is done once."),
    ("txnVersion", "", "Batch writes: grows with each write of a `txnAppId`."),
)


def spark_page() -> str:
    """The whole page."""
    return _TEXT.format(
        redacted=REDACTED,
        reading=_table(
            ("option", "default", "queries", "meaning"),
            ((f"`{each.name}`", each.default, each.where.value, each.meaning) for each in OPTIONS),
        ),
        writing=_table(
            ("option", "default", "meaning"),
            ((f"`{name}`", default, meaning) for name, default, meaning in _WRITING),
        ),
        settings=_table(
            ("setting", "value", "why"),
            ((f"`{each.name}`", f"`{each.value}`", each.reason) for each in FAST_SETTINGS),
        ),
        delta=_table_options(DELTA_OPTIONS),
        iceberg=_table_options(ICEBERG_OPTIONS),
    )


def _table_options(options: Iterable[TableOption]) -> str:
    rows = (
        (f"`{each.name}`", "must be set" if each.default is None else each.default, each.meaning)
        for each in options
    )
    return _table(("option", "default", "meaning"), rows)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
