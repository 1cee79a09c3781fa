"""What `snakka pipeline ACTION --help` shows beside its arguments.

Rule: what is common, as it is typed, and what the exit codes mean.
"""

DESCRIPTION = "Run data pipelines on Spark that are declared in a TOML or YAML file."

EXAMPLES = """a pipeline, orders.toml:
  kafka.bootstrap.servers = "127.0.0.1:9092"
  trigger = "every 5s"

  [sources.orders]
  topics = "orders"
  decode = "json"
  schema = "id BIGINT, customer STRING, total DOUBLE"

  [steps.big]
  sql = "SELECT id, customer, total FROM orders WHERE total > 100"

  [sinks.alerts]
  format = "topic"
  topic = "big-orders"
  encode = "json"
  key = "customer"

examples:
  snakka pipeline check orders.toml                     what is wrong, by line; no data is read
  snakka pipeline run orders.toml                       until Ctrl-C, or until all is read (available-now)
  snakka pipeline status orders.toml                    from another terminal
  snakka pipeline reset orders.toml --to earliest --dry-run
  snakka pipeline warmup                                once: every run starts a third faster
  snakka pipeline cluster up --workers 2                then: run orders.toml --master spark://127.0.0.1:7077"""

CHECK_NOTES = """examples:
  snakka pipeline check orders.toml
  snakka pipeline check orders.toml --no-cluster        where no broker is in reach, in CI say
  snakka pipeline check orders.toml --no-spark          in a second: leaves SQL, modules, columns and tables out

What is wrong goes to standard output, FILE:LINE: REASON, one a line.
Exit codes: 0 nothing is wrong, 2 something is, 1 it could not be found out (no broker or catalog answers, Spark
does not start)."""

RUN_NOTES = """examples:
  snakka pipeline run orders.toml
  snakka pipeline run orders.toml --trigger available-now
  snakka pipeline run orders.toml --master spark://127.0.0.1:7077 --conf spark.executor.memory=2g
  snakka pipeline run orders.toml --master yarn --conf spark.executor.instances=4
  snakka pipeline run orders.toml --master k8s://https://HOST:6443 --conf spark.kubernetes.container.image=IMAGE

On a terminal the progress is drawn in place; elsewhere it is a line for each batch. Ctrl-C or SIGTERM lets the
batches that are under way finish, then stops; a second one stops at once. A terminal that is closed ends it too, unless it
was started by nohup. What was not finished is done by the next run.
Exit codes: 0 all is read, 1 it failed, 2 the file is wrong, 130 it was interrupted."""

RESET_NOTES = """examples:
  snakka pipeline reset orders.toml --to earliest --dry-run
  snakka pipeline reset orders.toml --to 2026-01-31T12:00:00Z
  snakka pipeline reset orders.toml --to '{"orders":{"0":1200,"1":0}}' --sink alerts

A time without a zone is UTC; a number is milliseconds since 1970. What is read again is written again: tables and topics
keep what they have. An aggregation loses its state, and begins anew there."""

STATUS_NOTES = """examples:
  snakka pipeline status orders.toml                    while it runs, or afterwards
  snakka pipeline status orders.toml -o json            for scripts; its state is never, starting, running, stopping,
                                                        finished, interrupted, failed or died
It needs the file's name and checkpoint only: not the variables of its secrets, nor that all else in it is right.
Exit codes: 0 it runs, has ended, or has not run yet; 1 it failed or died, or status.json is damaged; 2 the file is
wrong."""

MAINTAIN_NOTES = """examples:
  snakka pipeline maintain orders.toml --dry-run
  snakka pipeline maintain orders.toml                  daily, by cron say; the pipeline may run meanwhile
  snakka pipeline maintain orders.toml --sink table

It is for sinks of Delta and Iceberg. What is older than the sink's retention (7d unless said) is dropped.
Exit codes: 0 all are maintained; 1 a table is not there, say, and the others are done; 2 the file is wrong."""

WARMUP_NOTES = """The archive belongs to one Java and one Spark: give the command again after another one is installed.
It is in ~/.cache/snakka, or in $XDG_CACHE_HOME/snakka; SNAKKA_SPARK_ARCHIVE=off starts without it."""

CLUSTER_NOTES = """examples:
  snakka pipeline cluster up --workers 2 --cores 2 --memory 2g
  snakka pipeline run orders.toml --master spark://127.0.0.1:7077
  snakka pipeline cluster status
  snakka pipeline cluster down

All of it runs on this machine, on loopback, from the installed Spark. Its logs are in the cluster's directory,
~/.local/state/snakka/spark-cluster unless said."""
