"""What is allowed for good, and how to allow it no longer."""

from holdfast.core.policy import sentence
from holdfast.rules import read_house, revoke
from holdfast.server.endpoint import FromPath, delete, get
from holdfast.server.schema.asks import ApprovalRule, ApprovalRules
from holdfast.server.wired import Caller, Wired


@get("/api/approval-rules", summary="What is allowed for good, newest first")
async def list_rules(wiring: Wired) -> ApprovalRules:
    house = await read_house(wiring.store)
    found = [
        ApprovalRule(
            id=remembered.rule.id,
            words=sentence(remembered.rule),
            rule=remembered.rule,
            time=remembered.time,
            client=remembered.client,
            session=remembered.session,
            ask=remembered.ask,
            used=remembered.used,
        )
        for remembered in reversed(house.rules.values())
    ]
    return ApprovalRules(rules=found)


@delete("/api/approval-rules/{rule_id}", summary="Ask again from now on", status=204)
async def revoke_rule(wiring: Wired, client: Caller, rule_id: FromPath[str]) -> None:
    await revoke(wiring.store, rule_id, client)


ROUTES = (list_rules, revoke_rule)
