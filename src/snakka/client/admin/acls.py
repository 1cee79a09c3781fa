"""ACLs: who may do what. Any broker takes them; it must have an authorizer."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Failure, Outcomes, Row, failure, outcome
from snakka.protocol.messages.create_acls import AclCreation, CreateAclsRequest, CreateAclsResponse
from snakka.protocol.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from snakka.protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from snakka.security.operations import Operation, ResourceType

ANY_HOST = "*"
_NOT_ASKED = -(2**31)


class PatternType(IntEnum):
    """How a resource's name is meant. ANY and MATCH are for filters: MATCH finds all that concerns the name."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class Permission(IntEnum):
    """What an ACL does; ANY is for filters."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


@dataclass(frozen=True, slots=True)
class Acl:
    """A principal such as User:alice may, or may not, do something to a resource, from a host."""

    principal: str
    operation: Operation
    resource_type: ResourceType
    resource_name: str
    pattern_type: PatternType = PatternType.LITERAL
    permission: Permission = Permission.ALLOW
    host: str = ANY_HOST


@dataclass(frozen=True, slots=True)
class AclFilter:
    """Which ACLs are meant: all of those where everything fits; None and ANY fit to all."""

    principal: str | None = None
    operation: Operation = Operation.ANY
    resource_type: ResourceType = ResourceType.ANY
    resource_name: str | None = None
    pattern_type: PatternType = PatternType.ANY
    permission: Permission = Permission.ANY
    host: str | None = None


class AclAdmin(AdminCalls):
    """What can be done to ACLs."""

    async def describe_acls(
        self, which: AclFilter | None = None, *, timeout_ms: int | None = None
    ) -> list[Acl]:
        """The ACLs that fit to a filter, or all.

        >>> await admin.describe_acls(AclFilter(principal="User:nobody"))
        []
        """
        wanted = which or AclFilter()
        request = DescribeAclsRequest(
            resource_type_filter=wanted.resource_type,
            resource_name_filter=wanted.resource_name,
            pattern_type_filter=wanted.pattern_type,
            principal_filter=wanted.principal,
            host_filter=wanted.host,
            operation=wanted.operation,
            permission_type=wanted.permission,
        )
        response = await self._ask_any(request, DescribeAclsResponse, self._deadline(timeout_ms))
        return [
            Acl(
                acl.principal,
                Operation(acl.operation),
                ResourceType(resource.resource_type),
                resource.resource_name,
                PatternType(resource.pattern_type),
                Permission(acl.permission_type),
                acl.host,
            )
            for resource in response.resources
            for acl in resource.acls
        ]

    async def create_acls(self, acls: Iterable[Acl], *, timeout_ms: int | None = None) -> Outcomes[Acl, None]:
        """Add ACLs; one that is there already stays.

        >>> reading = Acl("User:alice", Operation.READ, ResourceType.TOPIC, "orders")
        >>> added = await admin.create_acls([reading])
        >>> added[reading]
        >>> hers = AclFilter(principal="User:alice")
        >>> (await admin.delete_acls([hers]))[hers] == [reading]
        True
        """
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[Acl]) -> Iterable[Row[Acl, None]]:
            request = CreateAclsRequest(creations=[_creation(acl) for acl in pending])
            response = await self._ask_any(request, CreateAclsResponse, deadline)
            return [
                (acl, outcome(None, row.error_code, row.error_message, f"ACL of {acl.principal}"))
                for acl, row in zip(pending, response.results, strict=False)
            ]

        return await self._each(acls, attempt, deadline)

    async def delete_acls(
        self, filters: Iterable[AclFilter], *, timeout_ms: int | None = None
    ) -> Outcomes[AclFilter, list[Acl]]:
        """Delete what fits to the filters; the results are the ACLs that were deleted.

        >>> nobodys = AclFilter(principal="User:nobody")
        >>> (await admin.delete_acls([nobodys]))[nobodys]
        []
        """
        deadline = self._deadline(timeout_ms)

        async def attempt(pending: list[AclFilter]) -> Iterable[Row[AclFilter, list[Acl]]]:
            request = DeleteAclsRequest(filters=[_filter(each) for each in pending])
            response = await self._ask_any(request, DeleteAclsResponse, deadline)
            return [
                (each, _deleted(row)) for each, row in zip(pending, response.filter_results, strict=False)
            ]

        return await self._each(filters, attempt, deadline)


def allowed_operations(bits: int) -> frozenset[Operation] | None:
    """What we may do, as an answer tells it: a bit for each operation, or nothing if that was not asked for."""
    if bits == _NOT_ASKED:
        return None
    return frozenset(operation for operation in Operation if bits >> operation & 1)


def _creation(acl: Acl) -> AclCreation:
    return AclCreation(
        resource_type=acl.resource_type,
        resource_name=acl.resource_name,
        resource_pattern_type=acl.pattern_type,
        principal=acl.principal,
        host=acl.host,
        operation=acl.operation,
        permission_type=acl.permission,
    )


def _filter(wanted: AclFilter) -> DeleteAclsFilter:
    return DeleteAclsFilter(
        resource_type_filter=wanted.resource_type,
        resource_name_filter=wanted.resource_name,
        pattern_type_filter=wanted.pattern_type,
        principal_filter=wanted.principal,
        host_filter=wanted.host,
        operation=wanted.operation,
        permission_type=wanted.permission,
    )


def _deleted(row: DeleteAclsFilterResult) -> list[Acl] | Failure:
    if row.error_code:
        return failure(row.error_code, row.error_message, "deleting ACLs")
    for acl in row.matching_acls:
        if acl.error_code:
            return failure(acl.error_code, acl.error_message, f"deleting an ACL of {acl.principal}")
    return [
        Acl(
            acl.principal,
            Operation(acl.operation),
            ResourceType(acl.resource_type),
            acl.resource_name,
            PatternType(acl.pattern_type),
            Permission(acl.permission_type),
            acl.host,
        )
        for acl in row.matching_acls
    ]
