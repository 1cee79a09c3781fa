"""The pipeline of the demo: a file as anybody would write one."""

EVENTS_TOPIC = "shop-events"
SALES_TOPIC = "shop-sales"
DEAD_LETTERS_TOPIC = "shop-dead-letters"
FILE_NAME = "sales.toml"
TABLE_NAME = "orders"

# How many batches the day is read in: late orders are late only to what an earlier batch has seen.
BATCHES = 6

_TEXT = """\
trigger = "available-now"
kafka.bootstrap.servers = "{bootstrap}"

[sources.events]                    # what the tills send
topics = "{events}"
decode = "json"
schema = \"\"\"
event STRING NOT NULL, at TIMESTAMP NOT NULL, order_id BIGINT,
city STRING, category STRING, quantity INT, price DECIMAL(10,2)
\"\"\"
watermark = "at 10 minutes"         # windows wait that long for stragglers
options.maxOffsetsPerTrigger = {batch}

[steps.clean]                       # real orders only
sql = \"\"\"
SELECT order_id, at, city, category, quantity, price,
       quantity * price AS total
FROM events
WHERE event = 'order'
\"\"\"

[steps.sales]                       # by when they were made
sql = \"\"\"
SELECT window.start AS start, category, count(*) AS orders,
       CAST(sum(total) AS DECIMAL(18,2)) AS revenue
FROM clean
GROUP BY window(at, '10 minutes'), category
\"\"\"

[sinks.orders]                      # a Delta table, each row exactly once
from = "clean"
format = "delta"
path = "{table}"

[sinks.sales]                       # a topic, each row exactly once
from = "sales"
format = "topic"
topic = "{sales}"
encode = "json"
key = "category"
guarantee = "exactly-once"

[errors]                            # what can't be decoded, with the reason
policy = "dead-letter"
topic = "{dead}"
"""


def pipeline_text(bootstrap: str, records: int) -> str:
    """The file for that broker and that many records."""
    return _TEXT.format(
        bootstrap=bootstrap,
        events=EVENTS_TOPIC,
        sales=SALES_TOPIC,
        dead=DEAD_LETTERS_TOPIC,
        table=TABLE_NAME,
        batch=records // BATCHES + BATCHES,  # a bit more: the shares of partitions are rounded down
    )
