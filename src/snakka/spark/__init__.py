"""Snakka and Apache Spark: the data source, the sinks, and the pipelines that are declared in a file.

Rule: Spark loads these modules in processes of its own, on drivers and executors, so importing one is cheap and does
nothing. What is needed beyond `pip install snakka` comes with `snakka[spark]`.
"""
