"""What is dangerous about a command, found by reading it as a shell would.

Law: what can't be read is dangerous. A command is quiet only if every part of it was understood and none is known to
destroy, to reach out, to raise rights, or to hide what it does.
"""

from holdfast.agents.builtin.danger.inspection import inspect
from holdfast.agents.builtin.danger.places import Danger

__all__ = ["Danger", "inspect"]
