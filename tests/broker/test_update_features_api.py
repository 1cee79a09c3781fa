"""UpdateFeatures: levels are finalized for the whole cluster, or the whole request is refused."""

import pytest
from api_harness import CONTROLLERS, running_broker

from snakka.protocol.errors import ErrorCode
from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from snakka.security.operations import CLUSTER_NAME, Operation, ResourceType

GROUPS = "group.version"


@pytest.fixture
async def broker(tmp_path):
    async with running_broker(tmp_path) as running:
        yield running


def update(feature: str, level: int, version: int, *, down: bool = False) -> UpdateFeaturesRequest:
    key = FeatureUpdateKey(feature=feature, max_version_level=level)
    if version == 0:
        key.allow_downgrade = down
    else:
        key.upgrade_type = 2 if down else 1
    return UpdateFeaturesRequest(timeout_ms=10_000, feature_updates=[key])


async def finalized(broker) -> dict[str, int]:
    asked = ApiVersionsRequest(client_software_name="test", client_software_version="1")
    response = await broker.ask(asked)
    return {row.name: row.max_version_level for row in response.finalized_features}


@pytest.mark.parametrize("version", range(3))
@pytest.mark.parametrize("listener", ["PLAINTEXT", CONTROLLERS])
async def test_a_level_goes_down_and_up_again(broker, version, listener):
    response = await broker.ask(update(GROUPS, 0, version, down=True), version, listener=listener)
    assert response.error_code == 0
    assert [row.feature for row in response.results] == ([GROUPS] if version < 2 else [])
    assert GROUPS not in await finalized(broker)
    assert (await broker.ask(update(GROUPS, 1, version), version, listener=listener)).error_code == 0
    assert (await finalized(broker))[GROUPS] == 1


@pytest.mark.parametrize("version", range(3))
async def test_what_cannot_be_finalized(broker, version):
    before = await finalized(broker)
    for request in (
        update(GROUPS, 0, version),
        update(GROUPS, 9, version),
        update("no.such.feature", 1, version),
        update("metadata.version", 7, version, down=True),
    ):
        response = await broker.ask(request, version)
        assert response.error_code == ErrorCode.INVALID_UPDATE_VERSION
        assert request.feature_updates[0].feature in response.error_message
    assert await finalized(broker) == before


async def test_who_may_not_alter_the_cluster(broker):
    denied = ((Operation.ALTER, ResourceType.CLUSTER, CLUSTER_NAME),)
    response = await broker.ask(update(GROUPS, 0, 2, down=True), denied=denied)
    assert response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert (await finalized(broker))[GROUPS] == 1


async def test_without_an_active_controller_the_client_is_told(broker):
    broker.services.controller.handle_leader_change(None, 99)
    response = await broker.ask(update(GROUPS, 0, 2, down=True))
    assert response.error_code == ErrorCode.NOT_CONTROLLER
