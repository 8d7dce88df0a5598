import pytest

from holdfast.agents import catalog
from holdfast.agents.catalog import NoSuchAgent
from holdfast.agents.scripted.agent import NAME
from holdfast.agents.spec import AgentSpec


def test_the_tour_is_named_for_what_it_is() -> None:
    assert catalog.find("tour").title == NAME == "Tour (scripted, no model)"
    assert catalog.find("") == catalog.find("tour")


def test_an_unknown_agent_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(NoSuchAgent, match=r"no agent 'hermes'. There are: tour, builtin, opencode, .*, mine"):
        catalog.find("hermes", {"mine": AgentSpec(name="mine", title="Mine", command=("mine",))})


def test_an_added_agent_replaces_a_built_in_one() -> None:
    mine = AgentSpec(name="tour", title="My own", command=("mine",))
    assert catalog.find("tour", {"tour": mine}) is mine
