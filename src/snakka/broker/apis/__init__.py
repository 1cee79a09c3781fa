"""One Kafka API a file, named as Kafka names it; `table` lists them all."""
