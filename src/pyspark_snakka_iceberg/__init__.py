"""What Spark finds by itself: the format `snakka-iceberg`, Iceberg tables as sinks."""
