"""`snakka format`: makes the data directories of a new node, for those who say which quorum it belongs to.

`snakka start` does this by itself for a node that is told of no quorum; one that is told of a quorum might be meant to join
it, so somebody has to say that it is the first. The files are those of `kafka-storage format --standalone`.
"""

import random
from collections.abc import Sequence

from snakka.cli.command import OK, USAGE, CommandError, CommandParser
from snakka.cli.node_arguments import add_node_arguments, read_options
from snakka.runtime import SystemClock

_DESCRIPTION = """Format the data directories of a new node as the first and only voter of a new cluster.

They must be empty. A node without controller.quorum.* needs no formatting: snakka start does it."""

_EXAMPLES = """examples:
  snakka format --config server.properties
      then: snakka start --config server.properties
  snakka format --config server.properties --cluster-id MkU3OEVBNTcwNTJENDM2Qg
      with an id that you chose (22 characters, url-safe base64 of 16 bytes)

exit codes: 0 formatted; 2 could not be done, and nothing was written"""


def run(arguments: Sequence[str]) -> int:
    parser = CommandParser("snakka format", _DESCRIPTION, _EXAMPLES)
    add_node_arguments(parser)
    parser.add_argument(
        "--cluster-id", metavar="ID", help="the id of the new cluster; one is made up unless said"
    )
    given = parser.parse_args(arguments)
    options = read_options(given)
    from snakka.broker.assembly import voter_endpoints
    from snakka.broker.option_rules import log_directories, metadata_directory
    from snakka.network.endpoints import parse_listeners
    from snakka.options.option import OptionError
    from snakka.protocol.errors import ProtocolError
    from snakka.protocol.uuids import uuid_from_text
    from snakka.raft.format import open_node_directories
    from snakka.storage.files import OsFiles
    from snakka.storage.meta_properties import DataDirectoryError, find

    files = OsFiles(log_directories(options))
    paths = list(dict.fromkeys([*log_directories(options), metadata_directory(options)]))
    try:
        if given.cluster_id is not None:
            uuid_from_text(given.cluster_id)
        for path in find(files, paths).formatted:
            raise DataDirectoryError(f"{path} is formatted already")
        directories = open_node_directories(
            files,
            random.SystemRandom(),
            log_directories=log_directories(options),
            metadata_directory=options.text_or_none("metadata.log.dir"),
            node_id=options.integer("node.id"),
            endpoints=voter_endpoints(parse_listeners(options)),
            cluster_id=given.cluster_id,
            may_format=True,
            now_ms=SystemClock().now_ms(),
        )
    except (OptionError, DataDirectoryError, ProtocolError) as error:
        raise CommandError(str(error), USAGE) from None
    directories.release()
    print(f"formatted {', '.join(paths)} for cluster {directories.cluster_id}")
    return OK
