"""Pipelines that are declared in a file: topics in, SQL or Python between, topics and tables out, on Spark.

A file goes through three rooms. `document` reads TOML or YAML and remembers the line of everything; `declaration`
makes it typed, and says all that is wrong with it; `plan` puts it on a Spark session, where the SQL is analysed
without any data. `runner` starts one streaming query for each sink, each with a checkpoint of its own, so that each
sink is exactly as reliable as it is by itself. `progress` follows them and `run_state` writes down what they do, for
whoever asks from another terminal.

Rule: what is wrong with a file is a `Problem` with its line, never a stack trace. Whatever needs no Spark
(declaration, progress arithmetic, planning of resets) imports none. Graphs of tables are Spark's own business:
`declarative` hands them over.
"""
