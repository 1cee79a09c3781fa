"""The arguments that say which node is meant and how it is set up, for every command that deals with a node's data."""

import logging
from argparse import Namespace
from typing import TYPE_CHECKING

from snakka.cli.command import USAGE, CommandError, CommandParser

if TYPE_CHECKING:
    from snakka.options.option_set import OptionSet

DEFAULT_DATA_DIR = "snakka-data"


def add_node_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--data-dir",
        metavar="DIR",
        help=f"where the data is (log.dirs); ./{DEFAULT_DATA_DIR} unless the file says so",
    )
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help="where clients come in, 127.0.0.1:9092 unless said; port 0: any"
    )
    parser.add_argument("--config", metavar="FILE", help="options in a .properties or .toml file")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        dest="assignments",
        help="one option, by Kafka's name; may be given often",
    )


def read_options(given: Namespace) -> "OptionSet":
    """The node's options: the command line, then its file, then defaults. CommandError says what is wrong."""
    from snakka.broker.option_catalog import load_options
    from snakka.options.option import OptionError

    notices: list[str] = []

    def load(data_dir: str | None) -> "OptionSet":
        notices.clear()
        return load_options(
            config_file=given.config,
            assignments=given.assignments,
            listen=given.listen,
            data_dir=data_dir,
            log=notices.append,
        )

    try:
        options = load(given.data_dir)
        if not (options.is_set("log.dirs") or options.is_set("log.dir")):
            options = load(DEFAULT_DATA_DIR)
    except OptionError as error:
        raise CommandError(str(error), USAGE) from None
    for notice in notices:
        logging.getLogger("snakka.options").warning("%s", notice)
    return options
