"""Every client reads what every other has written, with every compression."""

import pytest
from tests.clients.exchange import CLIENTS, CODECS, create_topic

RECORDS = 120


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("writer", CLIENTS, ids=lambda client: client.name)
def test_all_clients_read_what_one_has_written(broker, topic, kcat, writer, codec) -> None:
    create_topic(broker.bootstrap, topic)
    pairs = [(b"key-%d" % n, b"value-%d-" % n + b"x" * (n % 50)) for n in range(RECORDS)]
    writer.write(broker.bootstrap, topic, pairs, codec)
    for reader in CLIENTS:
        assert reader.read(broker.bootstrap, topic, RECORDS) == pairs, (
            f"{reader.name} reads {writer.name}'s {codec}"
        )


@pytest.mark.parametrize("codec", CODECS)
def test_one_topic_takes_the_records_of_all_clients(broker, topic, kcat, codec) -> None:
    create_topic(broker.bootstrap, topic)
    expected = []
    for writer in CLIENTS:
        pairs = [(writer.name.encode(), b"%d" % n) for n in range(10)]
        writer.write(broker.bootstrap, topic, pairs, codec)
        expected += pairs
    for reader in CLIENTS:
        assert reader.read(broker.bootstrap, topic, len(expected)) == expected
