"""Every API that is served: dispatch, ApiVersions and SUPPORTED_APIS.md derive from this table.

What nearly every client asks for is imported at the start, the rest with its first request: most brokers never see most
APIs, and start-up time is a feature. Each file of this folder declares its API; what the table says of those that are not
imported yet are Kafka's own facts, and a test holds the two together.
"""

from importlib import import_module
from typing import Any

from snakka.broker.api import Api
from snakka.broker.apis import api_versions, fetch, init_producer_id, metadata, produce
from snakka.protocol.api_keys import API_FACTS, ApiKey
from snakka.protocol.error_codes import ErrorCode


def declared(key: ApiKey) -> Api:
    """What an API's own file says of it."""
    api: Api = import_module(f"snakka.broker.apis.{API_FACTS[key].module}").API
    return api


def _on_first_use(key: ApiKey, *, listeners: tuple[str, ...] = (), with_error_form: bool = False) -> Api:
    """An API whose file is imported with its first request.

    `listeners` are those that the file names, if they are not all of Kafka's; `with_error_form` if the file has an
    `error_response`.
    """

    def handle(request: Any, context: Any, services: Any) -> Any:
        return declared(key).handle(request, context, services)

    def error_response(request: Any, code: ErrorCode, text: str) -> Any:
        form = declared(key).error_response
        return None if form is None else form(request, code, text)

    return Api(
        key=key,
        handle=handle,
        listeners=listeners or tuple(sorted(API_FACTS[key].listeners)),
        error_response=error_response if with_error_form else None,
    )


ALL: tuple[Api, ...] = (
    produce.API,
    fetch.API,
    _on_first_use(ApiKey.LIST_OFFSETS),
    metadata.API,
    _on_first_use(ApiKey.OFFSET_COMMIT, with_error_form=True),
    _on_first_use(ApiKey.OFFSET_FETCH, with_error_form=True),
    _on_first_use(ApiKey.FIND_COORDINATOR),
    _on_first_use(ApiKey.JOIN_GROUP),
    _on_first_use(ApiKey.HEARTBEAT),
    _on_first_use(ApiKey.LEAVE_GROUP),
    _on_first_use(ApiKey.SYNC_GROUP),
    _on_first_use(ApiKey.DESCRIBE_GROUPS, with_error_form=True),
    _on_first_use(ApiKey.LIST_GROUPS),
    api_versions.API,
    _on_first_use(ApiKey.CREATE_TOPICS, with_error_form=True),
    _on_first_use(ApiKey.DELETE_TOPICS, with_error_form=True),
    _on_first_use(ApiKey.DELETE_RECORDS),
    init_producer_id.API,
    _on_first_use(ApiKey.OFFSET_FOR_LEADER_EPOCH),
    _on_first_use(ApiKey.ADD_PARTITIONS_TO_TXN, with_error_form=True),
    _on_first_use(ApiKey.ADD_OFFSETS_TO_TXN),
    _on_first_use(ApiKey.END_TXN),
    _on_first_use(ApiKey.WRITE_TXN_MARKERS, with_error_form=True),
    _on_first_use(ApiKey.TXN_OFFSET_COMMIT, with_error_form=True),
    _on_first_use(ApiKey.DESCRIBE_CONFIGS, with_error_form=True),
    _on_first_use(ApiKey.ALTER_CONFIGS, with_error_form=True),
    _on_first_use(ApiKey.DESCRIBE_LOG_DIRS),
    _on_first_use(ApiKey.CREATE_PARTITIONS, with_error_form=True),
    _on_first_use(ApiKey.DELETE_GROUPS, with_error_form=True),
    _on_first_use(ApiKey.INCREMENTAL_ALTER_CONFIGS, with_error_form=True),
    _on_first_use(ApiKey.OFFSET_DELETE),
    _on_first_use(ApiKey.DESCRIBE_QUORUM),
    _on_first_use(ApiKey.UPDATE_FEATURES),
    _on_first_use(ApiKey.DESCRIBE_CLUSTER),
    _on_first_use(ApiKey.DESCRIBE_PRODUCERS),
    _on_first_use(ApiKey.DESCRIBE_TRANSACTIONS, with_error_form=True),
    _on_first_use(ApiKey.LIST_TRANSACTIONS),
    _on_first_use(ApiKey.ALLOCATE_PRODUCER_IDS),
    _on_first_use(ApiKey.CONSUMER_GROUP_HEARTBEAT),
    _on_first_use(ApiKey.CONSUMER_GROUP_DESCRIBE, with_error_form=True),
    _on_first_use(ApiKey.LIST_CONFIG_RESOURCES),
    _on_first_use(ApiKey.DESCRIBE_TOPIC_PARTITIONS),
)
