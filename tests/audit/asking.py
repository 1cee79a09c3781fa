"""What the tests of a whole broker's options ask it, and how they wait for what it does in its own time."""

import asyncio
from collections.abc import Callable

from tests.broker.raw_client import RawClient

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from snakka.testing import LocalBroker

TOPIC, BROKER = 2, 4
CLUSTER_DEFAULT = ""
DEADLINE_SECONDS = 20.0
_SET = 0


async def client_of(broker: LocalBroker) -> RawClient:
    return await RawClient.open((broker.host, broker.port))


async def set_configs(client: RawClient, kind: int, name: str, configs: dict[str, object]) -> None:
    """Set what is named, and let the rest be; it must succeed."""
    resource = AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            AlterableConfig(name=config, config_operation=_SET, value=str(value))
            for config, value in configs.items()
        ],
    )
    response = await client.ask(IncrementalAlterConfigsRequest(resources=[resource]))
    row = response.responses[0]
    assert row.error_code == ErrorCode.NONE, row.error_message


async def eventually(condition: Callable[[], bool]) -> None:
    """Until it holds; TimeoutError if that takes too long."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while True:
            if condition():
                return
            await asyncio.sleep(0.02)
