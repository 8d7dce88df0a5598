"""What goes over the wire to a push service: sealed for one browser (RFC 8291) and signed by this home (RFC 8292).

The push service carries it and can't read it. It learns that something is sent to a browser, and nothing else.
"""

import base64
import binascii
import time
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast
from urllib.parse import urlsplit

from holdfast.core.errors import HoldfastError
from holdfast.server import private
from holdfast.server.push.subscriptions import Subscription

if TYPE_CHECKING:  # a server that pushes to nobody does not pay for cryptography
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

FILE = "push.key"
LASTS = 12 * 60 * 60
"""Seconds for which a signature is good; push services take at most a day."""
POINT, SECRET, TOPIC = 65, 16, 32
"""Bytes of a browser's key and of its secret; the longest name that a topic may have."""


class KeyUnreadable(HoldfastError):
    """{0} can't be read ({1}). Put back a good copy, or remove it and push.json: then push is switched on anew."""


class Signer(Protocol):
    """The part of `py_vapid.Vapid02` that is used."""

    def sign(self, claims: dict[str, object]) -> dict[str, str]: ...


class Keys:
    """The home's own pair, made when it is first needed, in a file that only its owner can read."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE

    @cached_property
    def signer(self) -> Signer:
        from py_vapid import Vapid02  # pyright: ignore[reportMissingTypeStubs]  has no types

        # Its own check of a contact refuses an address with a port, which is where many a home is.
        return cast("Callable[..., Signer]", Vapid02)(self._pair, conf={"no-strict": True})

    @cached_property
    def public(self) -> str:
        """What a browser is told when it subscribes, so that nobody else can push to it."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return encoded(self._pair.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    @cached_property
    def _pair(self) -> "EllipticCurvePrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ec import (
            SECP256R1,
            EllipticCurvePrivateKey,
            generate_private_key,
        )
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            NoEncryption,
            PrivateFormat,
            load_pem_private_key,
        )

        if not self._file.exists():
            made = generate_private_key(SECP256R1())
            text = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            private.replace(self._file, text.decode())
        try:
            pair = load_pem_private_key(self._file.read_bytes(), None)
        except (OSError, ValueError) as exc:
            raise KeyUnreadable(self._file, exc) from exc
        if not isinstance(pair, EllipticCurvePrivateKey):
            raise KeyUnreadable(self._file, "it is a key of another kind")
        return pair


def sealed(
    signer: Signer, subscription: Subscription, content: bytes, *, name: str, seconds: int, urgent: bool
) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of one push. A later one with the same name replaces what was not fetched yet."""
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from http_ece import encrypt  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]  has no types

    body = cast("Callable[..., bytes]", encrypt)(
        content,
        private_key=generate_private_key(SECP256R1()),
        dh=decoded(subscription.p256dh),
        auth_secret=decoded(subscription.auth),
        version="aes128gcm",
    )
    place = urlsplit(subscription.endpoint)
    claims: dict[str, object] = {
        "aud": f"{place.scheme}://{place.netloc}",
        "exp": int(time.time()) + LASTS,
        "sub": subscription.contact,
    }
    return body, {
        **signer.sign(claims),
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
        "TTL": str(seconds),
        "Urgency": "high" if urgent else "normal",
        "Topic": encoded(sha256(name.encode()).digest())[:TOPIC],
    }


def is_key(p256dh: str, auth: str) -> bool:
    """Whether these are what a browser gives: a point of the curve, and a secret."""
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey

    try:
        point, secret = decoded(p256dh), decoded(auth)
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), point)
    except ValueError:
        return False
    return len(point) == POINT and len(secret) == SECRET


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Raise `ValueError` if it is no base64 of the kind that is used in addresses."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as exc:
        raise ValueError(text) from exc
