"""What a reader of committed records sees, as clients find it out: they skip what belongs to aborted transactions."""

from tests.kafka.data_set import fetch_row
from tests.kafka.wire import Wire

from snakka.protocol.batch_reader import read_records
from snakka.protocol.control_records import ControlType, read_control_key
from snakka.protocol.record_batch import iter_headers

READ_COMMITTED = 1


def committed_values(port: int, topic: str, partition: int = 0) -> list[bytes]:
    """Of a log that one fetch can hold."""
    with Wire(port) as wire:
        row = fetch_row(wire, topic, partition, 0, READ_COMMITTED)
    beginnings = sorted((each.first_offset, each.producer_id) for each in row.aborted_transactions or ())
    aborted: set[int] = set()
    values = []
    data = bytes(row.records or b"")
    for position, header in iter_headers(data):
        while beginnings and beginnings[0][0] <= header.last_offset:
            aborted.add(beginnings.pop(0)[1])
        records = list(read_records(data[position : position + header.size]))
        if header.is_control:
            if read_control_key(records[0].key) == ControlType.ABORT:
                aborted.discard(header.producer_id)
        elif not (header.is_transactional and header.producer_id in aborted):
            values += [record.value or b"" for record in records]
    return values
