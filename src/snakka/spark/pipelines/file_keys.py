"""Every key that a pipeline's file may have.

Rule: the order is the order in the documentation; docs/pipelines.md has each of them (a test compares).
"""

from types import MappingProxyType

from snakka.spark.pipelines.table_keys import Key, Keys, Kind

DECODINGS = ("raw", "json", "avro", "protobuf")
SINK_FORMATS = ("topic", "parquet", "delta", "iceberg", "console", "noop")
OUTPUT_MODES = ("append", "complete", "update")
GUARANTEES = ("at-least-once", "exactly-once")
POLICIES = ("fail", "skip", "dead-letter")
DEAD_LETTER_FORMATS = ("topic", "parquet", "delta", "iceberg")

_KAFKA = Key(
    Kind.SETTINGS,
    "settings of the client by Kafka's names, such as bootstrap.servers; these win over the file's",
)

PIPELINE_KEYS: Keys = MappingProxyType(
    {
        "name": Key(Kind.TEXT, "what it is called; its consumer group too. The file's name unless said"),
        "trigger": Key(
            Kind.TEXT,
            "available-now (all that is there, then end), once, or every 5s; available-now unless said",
        ),
        "checkpoint": Key(
            Kind.PATH,
            "the directory that remembers what is done; checkpoints/NAME beside the file unless said",
        ),
        "kafka": Key(Kind.SETTINGS, "settings of all clients by Kafka's names; bootstrap.servers is needed"),
        "registry": Key(Kind.TEXT, "the schema registry of all sources, http://HOST:PORT"),
        "python_path": Key(Kind.PATHS, "where the modules of steps are; the file's directory unless said"),
        "spark": Key(Kind.SETTINGS, "Spark's settings by their names, and master (local[*] unless said)"),
        "sources": Key(Kind.TABLES, "the topics to read: each name is a view for the steps", required=True),
        "steps": Key(
            Kind.TABLES, "what becomes of the rows, in this order: each name is a view for those behind it"
        ),
        "sinks": Key(Kind.TABLES, "where the rows go", required=True),
        "errors": Key(Kind.TABLE, "what becomes of rows that can't be decoded; they end the run unless said"),
    }
)

SOURCE_KEYS: Keys = MappingProxyType(
    {
        "topics": Key(Kind.TEXTS, "the topics to read"),
        "pattern": Key(Kind.TEXT, "or: a regular expression of topics, also of those that appear later"),
        "decode": Key(
            Kind.TEXT, "what the values are; raw (the record's columns as they are) unless said", DECODINGS
        ),
        "schema": Key(
            Kind.TEXT,
            "json: the columns, such as id BIGINT, total DOUBLE; avro: its JSON; protobuf: the .proto's text",
        ),
        "schema_file": Key(Kind.PATH, "or: the file with that; for protobuf also a descriptor set"),
        "message": Key(Kind.TEXT, "protobuf: the name of the message, if there are several"),
        "registry": Key(
            Kind.TEXT, "the schema registry, http://HOST:PORT, that knows the schema of framed values"
        ),
        "subject": Key(Kind.TEXT, "what the registry calls the schema; TOPIC-value unless said"),
        "framing": Key(
            Kind.TEXT,
            "plain, or confluent (a schema id first); confluent if there is a registry",
            ("plain", "confluent"),
        ),
        "keep": Key(
            Kind.TEXTS, "which of the record's own columns decoded rows keep; all but the value unless said"
        ),
        "starting_offsets": Key(
            Kind.TEXT, "where the first run begins: earliest (unless said), latest or Spark's JSON"
        ),
        "headers": Key(Kind.FLAG, "raw only: also the headers, as a column"),
        "watermark": Key(Kind.TEXT, "the event-time column and how late rows may be: at 10 minutes"),
        "kafka": _KAFKA,
        "options": Key(Kind.SETTINGS, "further options of the format snakka, such as maxOffsetsPerTrigger"),
    }
)

STEP_KEYS: Keys = MappingProxyType(
    {
        "sql": Key(Kind.SQL, "one SELECT over the views of sources and earlier steps"),
        "function": Key(Kind.TEXT, "or: module:function, which takes DataFrames and gives one"),
        "from": Key(Kind.TEXTS, "the views that the function takes; the one before it unless said"),
        "watermark": Key(Kind.TEXT, "the event-time column and how late rows may be: at 10 minutes"),
    }
)

SINK_KEYS: Keys = MappingProxyType(
    {
        "format": Key(Kind.TEXT, "where rows go", SINK_FORMATS, required=True),
        "from": Key(Kind.TEXT, "the view to write; the last one unless said"),
        "mode": Key(
            Kind.TEXT,
            "append (finished rows; unless said), complete (all, each time) or update",
            OUTPUT_MODES,
        ),
        "topic": Key(
            Kind.TEXT,
            "topic: where the rows go; without it (raw only) each row names its own in the column topic",
        ),
        "encode": Key(
            Kind.TEXT,
            "topic: json makes the value of all columns; raw (unless said) takes key and value",
            ("raw", "json"),
        ),
        "key": Key(Kind.TEXT, "topic: with json, the column that becomes the key"),
        "guarantee": Key(Kind.TEXT, "topic: at-least-once (unless said) or exactly-once", GUARANTEES),
        "path": Key(Kind.PATH, "parquet, delta: the table's directory or address"),
        "table": Key(Kind.TEXT, "iceberg: namespace.table"),
        "catalog": Key(Kind.SETTINGS, "iceberg: the catalog's properties, such as uri and warehouse"),
        "partition_by": Key(
            Kind.TEXTS,
            "parquet, delta, iceberg: the columns that part the table; iceberg: also day(at) and the like",
        ),
        "target_file_size": Key(Kind.BYTES, "delta, iceberg: how large files should be"),
        "merge_schema": Key(Kind.FLAG, "delta, iceberg: whether new columns may be added to the table"),
        "retention": Key(
            Kind.DURATION,
            "delta, iceberg: for how long `maintain` keeps what is not needed any more; 7d unless said",
        ),
        "kafka": _KAFKA,
        "options": Key(Kind.SETTINGS, "further options of the format"),
    }
)

# Which keys mean something with which format; `format`, `from`, `mode` and `options` do with every one.
KEYS_OF_FORMAT = MappingProxyType(
    {
        "topic": ("topic", "encode", "key", "guarantee", "kafka"),
        "parquet": ("path", "partition_by"),
        "delta": ("path", "partition_by", "target_file_size", "merge_schema", "retention"),
        "iceberg": ("table", "catalog", "partition_by", "target_file_size", "merge_schema", "retention"),
        "console": (),
        "noop": (),
    }
)
KEYS_OF_EVERY_FORMAT = ("format", "from", "mode", "options", "policy")

ERROR_KEYS: Keys = MappingProxyType(
    {
        "policy": Key(Kind.TEXT, "fail, skip or dead-letter", POLICIES, required=True),
        "format": Key(
            Kind.TEXT, "dead-letter: where the bad rows go; topic unless said", DEAD_LETTER_FORMATS
        ),
        **{
            name: SINK_KEYS[name]
            for name in (
                "topic",
                "guarantee",
                "path",
                "table",
                "catalog",
                "target_file_size",
                "retention",
                "kafka",
                "options",
            )
        },
    }
)

ALL_TABLES = MappingProxyType(
    {
        "": PIPELINE_KEYS,
        "sources.NAME": SOURCE_KEYS,
        "steps.NAME": STEP_KEYS,
        "sinks.NAME": SINK_KEYS,
        "errors": ERROR_KEYS,
    }
)
