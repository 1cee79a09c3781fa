"""What Spark finds by itself: the format `snakka-log`, log directories as DataFrames."""
