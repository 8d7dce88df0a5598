"""Where a request comes from and whom it addresses, through the proxies that the settings trust.

Law: what a header says of the way a request took is believed only if the machine that sent it is a trusted proxy; then
the address is the last one in the chain that is no trusted proxy itself. From anybody else such headers mean nothing.
"""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Headers = Mapping[bytes, Sequence[bytes]]


class Arrival(NamedTuple):
    """The address of who asks, the names that are asked for (one, if all is well), and whether by https."""

    address: str
    hosts: list[bytes]
    secure: bool


def gathered(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, list[bytes]]:
    """Headers by name: one that is said twice has two values."""
    said: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        said.setdefault(name.lower(), []).append(value)
    return said


class Proxies:
    """The networks of the trusted proxies."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = [ipaddress.ip_network(each, strict=False) for each in networks]

    def arrival(self, peer: str, scheme: str, said: Headers) -> Arrival:
        hosts = list(said.get(b"host", ()))
        if not self._trusts(peer):
            return Arrival(peer, hosts, scheme == "https")
        chain = _listed(said, b"x-forwarded-for")
        forwarded_hosts = _listed(said, b"x-forwarded-host")
        schemes = _listed(said, b"x-forwarded-proto")
        return Arrival(
            self._origin(peer, chain),
            [host.encode("latin-1") for host in forwarded_hosts] or hosts,
            (schemes[-1].lower() if schemes else scheme) == "https",
        )

    def _origin(self, peer: str, chain: list[str]) -> str:
        for address in reversed(chain):
            try:
                ipaddress.ip_address(address)
            except ValueError:
                return peer  # what lies before this was written by nobody we know
            peer = address
            if not self._trusts(address):
                break
        return peer

    def _trusts(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        return any(parsed in network for network in self._networks)


def _listed(said: Headers, name: bytes) -> list[str]:
    """The parts of a header that is a list, over all its lines, in order."""
    return [part.strip() for part in b",".join(said.get(name, ())).decode("latin-1").split(",") if part.strip()]
