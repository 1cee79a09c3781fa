"""What Spark finds by itself: the format `snakka-delta`, Delta tables as sinks."""
