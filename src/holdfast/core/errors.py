"""What can go wrong, one class per remedy. The docstring is the sentence a person reads.

HoldfastError
├── Refused                 the person can do something else
│   ├── BadId
│   ├── BadCommand
│   ├── NoSuchSession
│   ├── NoSuchTurn
│   │   └── NotSettled
│   ├── NoSuchAsk
│   ├── SessionExists
│   ├── KeyTaken
│   ├── QueueFull
│   └── NotNow
├── Damaged                 a stored value can't be read; its neighbours can
├── Fenced                  another owner has the session: stop
├── Hole                    a fact was skipped: resend from the last stored position
└── StoreError              the store can't be used now
    ├── StoreBusy
    ├── StoreFull
    ├── StoreReadOnly
    ├── StoreCorrupt
    ├── StoreTooNew
    └── StoreMisplaced
"""

from typing import ClassVar


class HoldfastError(Exception):
    """Something went wrong in Holdfast."""

    status: ClassVar[int] = 500

    def __init__(self, *details: object) -> None:
        super().__init__(*details)
        self.details = details

    def __str__(self) -> str:
        sentence = " ".join((type(self).__doc__ or "").split("\n\n")[0].split())
        return sentence.format(*self.details)


class Refused(HoldfastError):
    """This can't be done."""

    status = 409


class BadId(Refused):
    """{0!r} is no valid id. Use 1 to 64 letters, digits, dashes or underscores, beginning with a letter or digit."""

    status = 400


class BadCommand(Refused):
    """{0}"""

    status = 400


class NoSuchSession(Refused):
    """There is no session {0}. It may have been deleted: look in the list of sessions."""

    status = 404


class NoSuchTurn(Refused):
    """There is no turn {0} in this session that is queued or running."""

    status = 404


class NotSettled(NoSuchTurn):
    """There is no turn {0} in this session, or what is asked for is not over yet."""


class NoSuchAsk(Refused):
    """Nothing with the id {0} waits for an answer in this session."""

    status = 404


class SessionExists(Refused):
    """There is a session {0} already. Choose another id, or use that session."""


class KeyTaken(Refused):
    """{0} was recorded before with other content, as record {1}. Use a new id for new content."""


class QueueFull(Refused):
    """{0} messages wait in this session already. Wait until some have run, or take some back."""

    status = 429


class NotNow(Refused):
    """{0}"""


class Damaged(HoldfastError):
    """A stored event can't be read ({0}). What lies before and after it is intact."""


class Fenced(HoldfastError):
    """Session {0} has a newer owner (epoch {2}); epoch {1} may write no more."""


class Hole(HoldfastError):
    """Session {0} expects fact {1} of this epoch next and was given {2}. Resend from {1}."""


class StoreError(HoldfastError):
    """The store can't be used: {0}"""

    status = 507


class StoreBusy(StoreError):
    """The store is locked by another process ({0}) and did not become free in time. Nothing was written; try again."""


class StoreFull(StoreError):
    """The disk of the store is full ({0}). Nothing was written and nothing stored is harmed; free some space."""


class StoreReadOnly(StoreError):
    """The store can't be written ({0}). Nothing was written; check the owner and the mode of its folder."""


class StoreCorrupt(StoreError):
    """A part of the store is damaged ({0}). Stop Holdfast, copy its folder away, and restore a backup
    (holdfast restore)."""


class StoreTooNew(StoreError):
    """The store was written by a newer Holdfast (format {0}; this one knows {1}). Install that one or a later one."""


class StoreMisplaced(StoreError):
    """{0} is on a network file system ({1}), where the store's locks don't hold. Put HOLDFAST_HOME on a local disk."""
