"""An Iceberg table as a sink: opened, created or altered before a write; files added in one snapshot that names its batch.

Rule: the latest batch of each query is a property of the table, set in the very commit that adds the batch's files.
Snapshots carry query and batch too, for whoever reads the history, but they expire: a batch must be known for longer.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import pyarrow as pa
from pyiceberg.catalog import Catalog, CatalogType, load_catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NoSuchNamespaceError,
    NoSuchTableError,
    RESTError,
    TableAlreadyExistsError,
)
from pyiceberg.table import Table, Transaction
from pyiceberg.transforms import parse_transform
from pyiceberg.utils.config import Config
from sqlalchemy import inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from snakka.runtime.clock import SystemClock
from snakka.spark.client_settings import SparkOptionError
from snakka.spark.tables.catalog_answers import (
    BoundedRestCatalog,
    is_no_catalog,
    is_rest,
    naming_server,
    without_password,
)
from snakka.spark.tables.iceberg_files import (
    IcebergStorage,
    columns_with_ids,
    data_file,
    live_data_files,
    may_widen,
    partition_columns,
    refuse_unpartitionable,
    storable,
)
from snakka.spark.tables.iceberg_locations import refuse_taken
from snakka.spark.tables.partitions import IDENTITY, PartitionColumn
from snakka.spark.tables.schema_evolution import (
    Evolution,
    SchemaMismatchError,
    new_columns,
    plain_schema,
    plan_evolution,
)
from snakka.spark.tables.staged_files import FileLayout, StagedFile
from snakka.spark.tables.table_options import CommitKey, IcebergOptions, refuse_unwritable
from snakka.spark.tables.table_writer import (
    COMMIT_ID,
    MADE_ANEW,
    MAX_COMMIT_ATTEMPTS,
    PATIENCE_SECONDS,
    ConcurrentCommitError,
    UnansweredError,
    changed_meanwhile,
    pause,
)

LAST_BATCH = "snakka.last-batch."
QUERY_ID = "snakka.query-id"
BATCH_ID = "snakka.batch-id"
NEWEST_FORMAT_VERSION = 2
_OPEN_ATTEMPTS = 5
_TYPES = tuple(each.value for each in CatalogType)
_SQL = CatalogType.SQL.value
_TABLE_OF_TABLES = "iceberg_tables"  # of a catalog in a database
# So that pyiceberg looks at the newer table when a commit fails; `once` keeps it from more than that.
_ONE_RETRY = {"commit.retry.num-retries": "1", "commit.retry.min-wait-ms": "10"}

# A stream commits for ever: without these, each commit would read and write a little more than the one before.
NEW_TABLE_PROPERTIES = {
    "commit.manifest-merge.enabled": "true",
    "write.metadata.delete-after-commit.enabled": "true",
}


class CatalogDatabaseError(RuntimeError):
    """The database of a catalog does not do what it is asked."""


@dataclass(frozen=True, slots=True)
class IcebergOpener:
    """Opens the table for data of that schema."""

    options: IcebergOptions
    data: pa.Schema

    def open(self) -> "OpenIcebergTable":
        name, properties = self.options.catalog_name, self.options.catalog_properties
        clock = SystemClock()
        deadline = clock.monotonic() + PATIENCE_SECONDS
        for attempt in count():
            try:
                with naming_catalog(name, properties):
                    return self._open()
            except CatalogDatabaseError:
                # Another process creates the same rows, or holds the lock, at this moment.
                if attempt == _OPEN_ATTEMPTS:
                    raise
            except UnansweredError:
                if clock.monotonic() > deadline:
                    raise
            pause(attempt)
        raise AssertionError("it ends by a return or an error")

    def _open(self) -> "OpenIcebergTable":
        options = self.options
        data = storable(self.data)
        catalog = open_catalog(options.catalog_name, options.catalog_properties)
        try:
            table = catalog.load_table(options.table)
        except NoSuchTableError:
            table = self._create(catalog, data)
        refuse_version(table)
        partitions = self._partitions(table)
        evolution = _evolve(table, data, partitions, merge=options.sink.merge_schema)
        columns = columns_with_ids(table.metadata, evolution.target.names)
        layout = FileLayout(
            table_id=str(table.metadata.table_uuid),
            storage=IcebergStorage(table.io, table.location_provider(), partitions),
            columns=columns,
            file_schema=columns,
            partitions=partitions,
            target_file_size_bytes=options.sink.target_file_size_bytes,
            compression=options.sink.compression,
        )
        return OpenIcebergTable(table, layout)

    def check(self) -> None:
        """Raises what `open` would of a table that can't take the data, but creates and alters nothing."""
        options = self.options
        data = storable(self.data)
        table = find_table(options.catalog_name, options.catalog_properties, options.table)
        if table is None:
            self._new_partitions(data)
            if options.location is not None:
                known = catalog_settings(options.catalog_name, options.catalog_properties)
                refuse_taken(options.location, known)
            return
        refuse_version(table)
        columns = table_columns(table)
        plan = plan_evolution(columns, data, merge=options.sink.merge_schema, may_widen=may_widen)
        _refuse_as_partitions(self._partitions(table), plan)
        table.catalog.close()

    def _create(self, catalog: Catalog, data: pa.Schema) -> Table:
        options = self.options
        partitions = self._new_partitions(data)
        _refuse_view(catalog, options.table)
        self._refuse_location(catalog)
        make_namespace(catalog, options.table[:-1])
        try:
            with catalog.create_table_transaction(
                options.table,
                schema=new_columns(data),
                location=options.location,
                properties=NEW_TABLE_PROPERTIES,
            ) as transaction:
                if partitions:
                    with transaction.update_spec() as spec:
                        for column in partitions:
                            spec.add_field(column.source, parse_transform(column.transform), column.name)
        except (TableAlreadyExistsError, CommitFailedException):
            pass  # another writer was faster
        return catalog.load_table(options.table)

    def _refuse_location(self, catalog: Catalog) -> None:
        if self.options.location is None:
            return
        for attempt in range(_OPEN_ATTEMPTS + 1):
            try:
                refuse_taken(self.options.location, catalog.properties)
            except SparkOptionError:
                # Another writer may be making the table: its files are there before the catalog knows of it.
                if catalog.table_exists(self.options.table):
                    return
                if attempt == _OPEN_ATTEMPTS:
                    raise
                pause(attempt)
            else:
                return

    def _new_partitions(self, data: pa.Schema) -> list[PartitionColumn]:
        partitions = [PartitionColumn.declared(text) for text in self.options.sink.partition_by]
        reason = refuse_unpartitionable(data, partitions)
        if reason is not None:
            raise SparkOptionError(f"partitionBy: {reason}")
        return partitions

    def _partitions(self, table: Table) -> tuple[PartitionColumn, ...]:
        there = partition_columns(table.metadata)
        wanted = tuple(PartitionColumn.declared(text) for text in self.options.sink.partition_by)
        if wanted and [str(each).lower() for each in wanted] != [str(each).lower() for each in there]:
            raise SparkOptionError(
                f"partitionBy is {','.join(self.options.sink.partition_by)}, but the table is there already and is "
                f"partitioned by {','.join(map(str, there)) or 'nothing'}"
            )
        return there


class OpenIcebergTable:
    """A state of the table, which a commit replaces by the next one."""

    def __init__(self, table: Table, layout: FileLayout) -> None:
        self.name = ".".join(table.name())
        self.layout = layout
        self._table = table
        self._asked = partial(naming_catalog, table.catalog.name, table.catalog.properties)
        self._spec_id = table.metadata.default_spec_id

    def refresh(self) -> None:
        with self._asked():
            fresh = self._table.catalog.load_table(self._table.name())
        if str(fresh.metadata.table_uuid) != self.layout.table_id:
            raise SchemaMismatchError(changed_meanwhile(self.name, MADE_ANEW))
        refuse_version(fresh)
        self._table = fresh
        metadata = fresh.metadata
        # Whoever came first may have changed the columns or the partitions.
        plan_evolution(
            table_columns(self._table), self.layout.columns, merge=False, may_widen=lambda *_: False
        )
        now = columns_with_ids(metadata, self.layout.columns.names)
        moved = [
            field.name
            for field, other in zip(self.layout.columns, now, strict=True)
            if field.metadata != other.metadata
        ]
        if moved or metadata.default_spec_id != self._spec_id:
            what = f"column {moved[0]} was replaced" if moved else "the table's partitions were changed"
            raise SchemaMismatchError(changed_meanwhile(self.name, what))

    def last_batch(self, query_id: str) -> int | None:
        text = self._table.properties.get(f"{LAST_BATCH}{query_id}")
        return int(text) if text is not None else None

    def has_commit(self, commit_id: str) -> bool:
        summaries = (snapshot.summary for snapshot in self._table.snapshots())
        return any(summary is not None and summary.get(COMMIT_ID) == commit_id for summary in summaries)

    def commit(
        self, files: Sequence[StagedFile], key: CommitKey | None, commit_id: str, *, overwrite: bool
    ) -> None:
        def change(transaction: Transaction) -> None:
            metadata = self._table.metadata
            history = {COMMIT_ID: commit_id}
            if key is not None:
                history |= {QUERY_ID: key.query_id, BATCH_ID: str(key.batch_id)}
                transaction.set_properties({f"{LAST_BATCH}{key.query_id}": str(key.batch_id)})
            snapshot = transaction.update_snapshot(snapshot_properties=history)
            with once(snapshot.overwrite() if overwrite else snapshot.merge_append()) as producer:
                for old in live_data_files(self._table) if overwrite else ():
                    producer.delete_data_file(old)
                for file in files:
                    producer.append_data_file(data_file(metadata, file))

        with self._asked():
            commit_at_first_try(self._table, change)


def refuse_version(table: Table) -> None:
    """SparkOptionError if pyiceberg can read the table, but can't write it."""
    version = table.metadata.format_version
    if version > NEWEST_FORMAT_VERSION:
        raise SparkOptionError(
            f"the table {'.'.join(table.name())} is of Iceberg's format version {version}; versions up to "
            f"{NEWEST_FORMAT_VERSION} can be written"
        )


def _refuse_view(catalog: Catalog, table: tuple[str, ...]) -> None:
    """A name is a table's or a view's. A catalog that can't say has no views."""
    is_view = False
    if isinstance(catalog, RestCatalog):
        with suppress(RESTError):
            is_view = catalog.view_exists(table)
    if is_view:
        raise SparkOptionError(f"table is {'.'.join(table)}, but that is a view; give another")


def make_namespace(catalog: Catalog, namespace: tuple[str, ...]) -> None:
    """With those that it is in: some catalogs want them to be there. Who may make tables only is not asked for more."""
    if catalog.namespace_exists(namespace):
        return
    for depth in range(1, len(namespace)):
        if not catalog.namespace_exists(namespace[:depth]):
            catalog.create_namespace_if_not_exists(namespace[:depth])
    catalog.create_namespace_if_not_exists(namespace)


def open_catalog(name: str, properties: dict[str, str]) -> Catalog:
    """The catalog, by pyiceberg's properties or by its name in pyiceberg's own configuration."""
    settings = catalog_settings(name, properties)
    try:
        return BoundedRestCatalog(name, **settings) if is_rest(settings) else load_catalog(name, **properties)
    except (ValueError, TypeError, ArgumentError, RESTError) as error:
        uri = str(settings.get("uri", ""))
        if is_no_catalog(error):
            raise SparkOptionError(
                f"catalog.uri is {without_password(uri)}, but what answers there is no Iceberg catalog"
            ) from error
        if isinstance(error, RESTError):
            raise
        reason = str(error).splitlines()[0].replace(uri, without_password(uri))
        raise SparkOptionError(
            f"catalog {name} can't be opened, see the options catalog.*: {reason}"
        ) from error


def find_table(name: str, properties: Mapping[str, str], table: tuple[str, ...]) -> Table | None:
    """The table, None if there is none. Nothing is made for the question, as a catalog makes its database when it is opened.

    SparkOptionError if there can be no such catalog.
    """
    known = catalog_settings(name, properties)
    _refuse_unknown_type(known)
    file = database_file(known)
    if file is None:
        return _find_table(name, properties, table, is_sql=known.get("type", "").lower() == _SQL)
    if not os.path.exists(file):
        if not os.path.isdir(os.path.dirname(file)):
            raise SparkOptionError(f"catalog.uri is {known['uri']}, but there is no such directory")
        refuse_unwritable(os.path.dirname(file), f"catalog.uri is {known['uri']}, but")
        return None
    try:
        return _find_table(name, properties, table, is_sql=True)
    except CatalogDatabaseError as error:
        if "locked" in str(error):
            raise
        raise SparkOptionError(str(error)) from error


def _find_table(
    name: str, properties: Mapping[str, str], table: tuple[str, ...], *, is_sql: bool
) -> Table | None:
    as_it_is = {"init_catalog_tables": "false", "schema_version": "v0"} if is_sql else {}
    with naming_catalog(name, properties):
        catalog = open_catalog(name, {**properties, **as_it_is})
        if not isinstance(catalog, SqlCatalog) or inspect(catalog.engine).has_table(_TABLE_OF_TABLES):
            with suppress(NoSuchTableError, NoSuchNamespaceError):
                return catalog.load_table(table)
        _refuse_view(catalog, table)
        catalog.close()
        return None


def _refuse_unknown_type(settings: Mapping[str, str]) -> None:
    """A catalog that is not there yet is not opened, so nobody else would say it."""
    if settings.get("type", _SQL).lower() not in _TYPES:
        raise SparkOptionError(f"catalog.type is {settings['type']}, but there are {', '.join(_TYPES)}")


def catalog_settings(name: str, properties: Mapping[str, str]) -> dict[str, str]:
    """A catalog's properties, with those that pyiceberg's own configuration has of it."""
    return {**(Config().get_catalog_config(name) or {}), **properties}


def database_file(settings: Mapping[str, str]) -> str | None:
    """Where a catalog in SQLite is; None for others, and for one in memory."""
    is_other = settings.get("type", _SQL).lower() in set(_TYPES) - {_SQL}
    if is_other or not settings.get("uri", "").startswith("sqlite"):
        return None
    try:
        file = make_url(settings["uri"]).database
    except ArgumentError:
        return None  # which is said when it is opened
    return None if file in (None, "", ":memory:") or file.startswith("file:") else os.path.abspath(file)


@contextmanager
def naming_catalog(name: str, properties: Mapping[str, str]) -> Iterator[None]:
    """A database does not say which one it is that can't be opened, and a server that does not answer says nothing."""
    uri = catalog_settings(name, properties).get("uri", "")
    try:
        with naming_server(without_password(uri) or name):
            yield
    except DBAPIError as error:
        shown = make_url(uri).render_as_string(hide_password=True) if uri else name
        raise CatalogDatabaseError(f"catalog {shown}: {str(error.orig).splitlines()[0]}") from error


def table_columns(table: Table) -> pa.Schema:
    """The table's columns."""
    return plain_schema(table.schema().as_arrow())


def once(producer: Any) -> Any:
    """A snapshot that is not tried again on a newer table: whoever came first may be the same batch.

    pyiceberg asks the newer table first whether it has the snapshot already, for a conflict may be told of a commit
    whose answer was lost; only then it comes here. So nothing refers to what was written for the snapshot.
    """

    def give_up() -> None:
        producer._clean_all_uncommitted()
        raise ConcurrentCommitError("the table has changed")

    producer._validate_concurrency = give_up
    return producer


def commit_at_first_try(table: Table, change: Callable[[Transaction], None]) -> None:
    """One commit of snapshots made by `once`, on the table as it was loaded."""
    properties = {**table.metadata.properties, **_ONE_RETRY}
    table.metadata = table.metadata.model_copy(update={"properties": properties})
    transaction = table.transaction()
    try:
        change(transaction)
        transaction.commit_transaction()
    except CommitFailedException as error:
        raise ConcurrentCommitError(str(error)) from error
    except ValueError as error:
        # What pyiceberg says of a conflict if it finds another table under the name.
        if "UUID" in str(error):
            raise ConcurrentCommitError(str(error)) from error
        raise
    except DBAPIError as error:
        # SQLite's way to say that another process writes at this moment.
        if "locked" in str(error):
            raise ConcurrentCommitError(str(error)) from error
        raise


def _refuse_as_partitions(partitions: Sequence[PartitionColumn], evolution: Evolution) -> None:
    """Data without a column that the table's partitions need, or one that would be widened to what they can't be."""
    for column in partitions:
        if column.source not in evolution.target.names:
            raise SchemaMismatchError(
                f"column {column.source} decides the table's partition, but the data has none"
            )
        # A table that has doubles there is refused before.
        if column.transform == IDENTITY and pa.types.is_float64(evolution.merged.field(column.source).type):
            raise SchemaMismatchError(
                f"column {column.source} decides the table's partition, in which pyiceberg reads half the digits of a "
                "double; cast it to float in the query"
            )


def _evolve(
    table: Table, data: pa.Schema, partitions: Sequence[PartitionColumn], *, merge: bool
) -> Evolution:
    """The plan for the data, carried out: others may alter the table at the same moment."""
    for _ in range(MAX_COMMIT_ATTEMPTS):
        plan = plan_evolution(table_columns(table), data, merge=merge, may_widen=may_widen)
        _refuse_as_partitions(partitions, plan)
        if not plan.alters_table:
            return plan
        try:
            with table.update_schema() as update:
                update.union_by_name(plan.merged)
        except CommitFailedException:
            table.refresh()
    raise SchemaMismatchError(
        f"{'.'.join(table.name())}: others alter the table all the time; its columns can't be added"
    )
