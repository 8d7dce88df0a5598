"""Folding: from records to what is true."""

from itertools import islice

import msgspec

from bench.material import records
from bench.measure import Number, Pairs
from bench.workshop import Workshop
from holdfast.core import codec
from holdfast.core.session import replay

GOAL_MS = 250


def run(workshop: Workshop) -> list[Number]:
    total = workshop.size(50_000)
    log = records(islice(workshop.material.session(), total))
    lines = [codec.encode_record(record) for record in log]
    joined = b"\n".join(lines)
    bare = msgspec.json.Decoder()
    fold, both = Pairs(), Pairs()
    for _ in range(workshop.size(20)):
        fold.measure(lambda: replay(log), lambda: bare.decode_lines(joined))
        both.measure(lambda: replay([codec.decode_record(line) for line in lines]), lambda: bare.decode_lines(joined))
    in_memory = _number(f"{total:,} events in memory", fold)
    goal = GOAL_MS * total / 50_000
    return [
        msgspec.structs.replace(in_memory, goal=f"< {goal:.0f} ms", met=in_memory.value < goal),
        _number(f"{total:,} records decoded and folded", both),
    ]


def _number(name: str, pairs: Pairs) -> Number:
    return Number(
        group="fold",
        name=name,
        value=pairs.ours * 1000,
        unit="ms",
        raw=pairs.raw * 1000,
        raw_name="the same bytes parsed as JSON",
        ratio=pairs.ratio,
    )
