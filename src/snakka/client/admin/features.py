"""Features of the cluster, such as metadata.version: which levels brokers can have, and which one holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from snakka import __version__
from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, Row, outcome
from snakka.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from snakka.protocol.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)


class UpgradeType(IntEnum):
    """Which way a level may go. An unsafe downgrade may lose metadata."""

    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


class LevelRange(NamedTuple):
    """The lowest and the highest level."""

    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class Features:
    """What the broker can, and what the cluster has agreed on in which epoch."""

    supported: Mapping[str, LevelRange]
    finalized: Mapping[str, int]
    finalized_epoch: int


class FeatureAdmin(AdminCalls):
    """What can be done to features."""

    async def describe_features(self, *, timeout_ms: int | None = None) -> Features:
        """The features of the cluster, as a broker knows them.

        >>> features = await admin.describe_features()
        >>> features.finalized["metadata.version"] <= features.supported["metadata.version"].highest
        True
        """
        request = ApiVersionsRequest(client_software_name="snakka", client_software_version=__version__)
        response = await self._ask_any(request, ApiVersionsResponse, self._deadline(timeout_ms))
        return Features(
            {row.name: LevelRange(row.min_version, row.max_version) for row in response.supported_features},
            {row.name: row.max_version_level for row in response.finalized_features},
            response.finalized_features_epoch,
        )

    async def update_features(
        self,
        levels: Mapping[str, int],
        *,
        upgrade_type: UpgradeType = UpgradeType.UPGRADE,
        validate_only: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[str, None]:
        """Agree on these levels; 0 takes a feature away. From Kafka 4.0 on one that can't be hinders all others."""
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[str]) -> Iterable[Row[str, None]]:
            request = UpdateFeaturesRequest(
                timeout_ms=self._broker_ms(deadline),
                feature_updates=[
                    FeatureUpdateKey(feature=name, max_version_level=levels[name], upgrade_type=upgrade_type)
                    for name in pending
                ],
                validate_only=validate_only,
            )
            response = await self._ask_any(request, UpdateFeaturesResponse, deadline)
            told: dict[str, Row[str, None]] = {
                row.feature: (
                    row.feature,
                    outcome(None, row.error_code, row.error_message, f"feature {row.feature}"),
                )
                for row in response.results
            }
            return [told.get(name, (name, None)) for name in pending]

        return await self._each(levels, attempt, deadline)
