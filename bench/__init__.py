"""How fast and how large Snakka is, as ratios to a bare server and to Apache Kafka on the same machine: `make bench`.

    python -m bench [--quick] [--output FILE]

The rule: an absolute time is never trusted. Whatever is compared is measured in short alternating rounds of one run, and
the figure is the median of the rounds' ratios. A target that is missed stands in the table, with the reason.
"""
