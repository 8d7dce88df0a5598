"""The password: only its argon2id hash is kept, and each look at one takes 64 MB and some tenths of a second.

The costs are those that RFC 9106 names for machines without gigabytes to spare. A hash made with other costs is made
anew at the next good sign-in.
"""

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

from holdfast.core.errors import Refused

SHORTEST = 10
LONGEST = 1_000

_hasher = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)


class BadPassword(Refused):
    """A password has {0} to {1} characters. Choose another one."""

    status = 400


def hashed(password: str) -> str:
    """Slow by design: call it in a thread. Raise `BadPassword` if it is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadPassword(SHORTEST, LONGEST)
    return _hasher.hash(_spelled(password))


def fits(password: str, kept: str) -> bool:
    """Slow by design: call it in a thread."""
    try:
        return _hasher.verify(kept, _spelled(password))
    except (VerificationError, InvalidHashError):
        return False


def outdated(kept: str) -> bool:
    return _hasher.check_needs_rehash(kept)


def _spelled(password: str) -> bytes:
    """The same letters from any keyboard are the same bytes."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
