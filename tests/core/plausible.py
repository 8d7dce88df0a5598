"""Histories as people, a server and runners would write them.

`World` knows just enough of the rules to act sensibly, and keeps its own books: it never asks the reducer. It also does
what really goes wrong: runners die with output in their spool, answers come twice, a cancel races with the end.
"""

from collections.abc import Callable

from holdfast.core import events as e
from holdfast.core.ids import AskId, CallId, SteerId, TurnId
from holdfast.core.records import Late, Record
from tests.core.dice import Dice
from tests.core.wild import ATTACHMENT, DIFF, PLAN

Action = Callable[[], None]


class World:
    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.records: list[Record] = []
        self.named = 0
        self.epoch = 0
        self.n = 0
        self.alive = False
        self.dead = False
        self.queue: list[str] = []
        self.held: set[str] = set()
        self.running: str | None = None
        self.latest: str | None = None
        self.transcript: list[str] = []
        self.outcomes: dict[str, e.Outcome] = {}
        self.epochs: dict[str, int] = {}
        self.cancelling = False
        self.asks: dict[str, str] = {}
        self.answered: list[str] = []
        self.steers: list[str] = []
        self.calls: dict[str, list[str]] = {}
        self.spool: list[tuple[Late, e.Event]] = []
        self.instances: list[str] = []

    def name(self, letter: str) -> str:
        self.named += 1
        return f"{letter}{self.named}"

    def write(self, event: e.Event, *, epoch: int = 0, late: Late | None = None) -> None:
        if epoch == self.epoch:
            self.n += 1
        seq = len(self.records) + 1
        n = self.n if epoch else 0
        self.records.append(Record(seq=seq, time=1_000 + 10 * seq, epoch=epoch, n=n, late=late, event=event))

    def fact(self, event: e.Event) -> None:
        self.write(event, epoch=self.epoch)

    def act(self) -> None:
        """Do one of the things that are possible now, the more usual ones more often."""
        self.dice.shake()
        actions = [action for weight, action in self.possible() for _ in range(weight)]
        self.dice.pick(actions)()

    def possible(self) -> list[tuple[int, Action]]:
        actions: list[tuple[int, Action]] = [(1 if self.queue else 6, self.submit), (1, self.manage)]
        if self.dead or not self.alive:
            actions.append((12, self.claim))
        if self.queue:
            actions.append((3 if self.held else 1, self.rearrange))
        if self.transcript:
            actions += [(1, self.truncate), (1, self.replace), (2, self.come_late)]
        if self.spool and self.epoch > self.spool[0][0].epoch:
            actions.append((10, self.adopt))
        if self.alive and not self.dead:
            actions += self.possible_alive()
        return actions

    def possible_alive(self) -> list[tuple[int, Action]]:
        actions: list[tuple[int, Action]] = [(2, self.report), (1, self.open_agent)]
        if "completed" in self.outcomes.values():
            actions.append((6, self.remember))
        if self.running is None:
            actions.append((1, self.stop))
            if any(turn not in self.held for turn in self.queue):
                actions.append((12, self.start))
            if self.latest is not None:
                actions += [(3, self.grow), (1, self.spend)]
            return actions
        actions += [(20, self.stream), (5, self.ask), (3, self.steer), (2, self.cancel), (4, self.end), (3, self.die)]
        if self.asks or self.answered:
            actions.append((8, self.settle_ask))
        if self.steers:
            actions.append((4, self.deliver_steer))
        return actions

    # The person.

    def submit(self) -> None:
        turn, ahead = self.name("t"), self.dice.once_in(5)
        attachments = (ATTACHMENT,) if self.dice.once_in(4) else ()
        self.write(e.TurnSubmitted(turn=TurnId(turn), text="do it", ahead=ahead, attachments=attachments))
        self.queue.insert(0 if ahead else len(self.queue), turn)

    def manage(self) -> None:
        options: list[e.Event] = [
            e.SessionRenamed(title="Mine"),
            e.SessionChanged(seen=self.dice.below(40)),
            e.SessionChanged(tags=("work",), pinned=True),
            e.SessionDeleted(),
            e.SessionRestored(),
            e.Unknown(kind="weather.changed", fields={"rain": True}),
            e.MemoryRequested(),
        ]
        self.write(self.dice.pick(options))

    def rearrange(self) -> None:
        turn = self.dice.pick(self.queue)
        match self.dice.below(5):
            case 4:
                order = self.queue[::-1]
                self.write(e.QueueReordered(turns=tuple(TurnId(name) for name in order)))
                self.queue[:] = order
            case 0:
                self.write(e.TurnWithdrawn(turn=TurnId(turn)))
                self.queue.remove(turn)
            case 1:
                self.write(e.TurnCancelRequested(turn=TurnId(turn)))
                self.queue.remove(turn)
                self.enter(turn, "cancelled")
            case 2:
                self.write(e.TurnReleased(turn=TurnId(turn)))
                self.held.discard(turn)
            case _:
                self.write(e.TurnReleased())
                self.held.clear()

    def truncate(self) -> None:
        turn = self.dice.pick(self.transcript) if self.dice.below(4) else None
        self.write(e.HistoryTruncated(turn=None if turn is None else TurnId(turn)))
        if self.running is None:
            first = 0 if turn is None else self.transcript.index(turn)
            self.latest = None if self.latest in self.transcript[first:] else self.latest
            del self.transcript[first:]

    def replace(self) -> None:
        """Say something else in the place of a turn: while one runs, neither half counts."""
        replaced = self.dice.pick(self.transcript)
        runs = self.running is not None
        turn = self.name("t")
        self.write(e.HistoryTruncated(turn=TurnId(replaced)))
        self.write(e.TurnSubmitted(turn=TurnId(turn), text="do this", ahead=True, replaces=TurnId(replaced)))
        if runs:
            return
        first = self.transcript.index(replaced)
        self.latest = None if self.latest in self.transcript[first:] else self.latest
        del self.transcript[first:]
        self.queue.insert(0, turn)

    def come_late(self) -> None:
        """Something for a turn that is over, or by an owner that is."""
        turn = TurnId(self.dice.pick(self.transcript))
        match self.dice.below(4):
            case 0:
                self.write(e.TurnCancelRequested(turn=turn))
            case 1:
                self.write(e.ApprovalAnswered(ask=AskId("a0"), choice="once"))
            case 2:
                self.write(e.TextAppended(turn=turn, text="stale"), epoch=max(1, self.epoch - 1))
            case _:
                late = Late(epoch=self.epochs.get(turn, 1), turn=turn)
                self.write(e.TextAppended(turn=turn, text="from a spool"), epoch=max(1, self.epoch), late=late)

    def steer(self) -> None:
        assert self.running is not None
        steer = self.name("s")
        self.write(e.TurnSteered(turn=TurnId(self.running), steer=SteerId(steer), text="not there"))
        self.steers.append(steer)

    def cancel(self) -> None:
        assert self.running is not None
        self.write(e.TurnCancelRequested(turn=TurnId(self.running)))
        self.cancelling = True

    # The runner.

    def claim(self) -> None:
        lost, turn = self.epoch > 0 and self.dice.once_in(2), self.running
        self.epoch, self.n = self.epoch + 1, 0
        if lost:
            self.fact(e.RunnerLost(reason="It was found dead."))
            for ask in self.asks:
                self.fact(e.ApprovalExpired(ask=AskId(ask), reason="lost"))
            if turn is not None:
                self.fact(e.TurnEnded(turn=TurnId(turn), outcome="interrupted"))
        self.fact(e.RunnerStarted(pid=self.epoch))
        self.lose()
        self.alive, self.dead = True, False
        if turn is not None and self.dice.once_in(2):
            self.fact(e.RecoveryPending(turn=TurnId(turn), attempts=self.dice.below(3)))

    def stop(self) -> None:
        self.fact(e.RunnerStopped())
        self.lose()

    def lose(self) -> None:
        self.alive = False
        if self.running is not None:
            self.finish(self.running, "interrupted")
        self.latest = None

    def die(self) -> None:
        assert self.running is not None
        late = Late(epoch=self.epoch, turn=TurnId(self.running))
        self.spool += [(late, self.output(self.running)) for _ in range(1 + self.dice.below(3))]
        self.dead = True

    def adopt(self) -> None:
        late, event = self.spool.pop(0)
        self.write(event, epoch=self.epoch, late=late)
        if not self.spool:
            results: tuple[e.RecoveryResult, ...] = ("recovered", "neutral", "complete")
            self.fact(e.RecoveryFinished(turn=late.turn, result=self.dice.pick(results)))

    def report(self) -> None:
        options: list[e.Event] = [
            e.AgentOpened(agent="scripted", instance="plain", pid=7, born=1, group=7),
            e.TitleSuggested(title="Suggested"),
            e.NoticeRaised(text="The network is slow.", level="warning"),
            e.AgentFailed(error="It did not start."),
            e.AgentOpening(agent="scripted"),
            e.AgentDescribed(agent="scripted", model="small", models=(e.Option(id="small"), e.Option(id="large"))),
        ]
        self.fact(self.dice.pick(options))

    def remember(self) -> None:
        """Commit the first generation, by whoever may have completed it: begin, end well, fail."""
        instance = self.dice.pick(self.instances[-2:] or ["aside"])
        options: list[e.Event] = [
            e.MemoryCommitted(token="s:1-1"),
            e.MemoryFailed(token="s:1-1", error="It broke.", in_doubt=self.dice.once_in(2)),
            e.AgentEnded(instance=instance),
        ]
        begun = isinstance(self.records[-1].event, e.MemoryStarted)
        started = e.MemoryStarted(token="s:1-1", owner=instance, first=1, last=1)
        self.fact(self.dice.pick(options) if begun else started)

    def open_agent(self) -> None:
        self.instances.append(self.name("i"))
        self.fact(e.AgentOpened(agent="scripted", instance=self.instances[-1], pid=7, born=1, group=7, remembers=True))

    def spend(self) -> None:
        assert self.latest is not None
        turn = TurnId(self.latest)
        self.fact(e.UsageReported(turn=turn, input=5, output=2, cost=3, context_used=7, context_window=100))

    def start(self) -> None:
        turn = next(turn for turn in self.queue if turn not in self.held)
        self.fact(e.TurnStarted(turn=TurnId(turn)))
        self.queue.remove(turn)
        self.transcript.append(turn)
        self.running = self.latest = turn
        self.epochs[turn] = self.epoch
        self.cancelling = False

    def stream(self) -> None:
        assert self.running is not None
        if self.dice.once_in(12):
            self.spend()
        else:
            self.fact(self.output(self.running))

    def grow(self) -> None:
        assert self.latest is not None
        self.fact(self.output(self.latest))

    def output(self, name: str) -> e.Event:
        turn, calls = TurnId(name), self.calls.setdefault(name, [])
        parent = CallId(self.dice.pick(calls)) if calls and self.dice.once_in(4) else None
        message = "m2" if self.dice.once_in(5) else ""
        match self.dice.below(12):
            case 0 | 1 | 2:
                text = self.dice.pick(("word ", "a longer sentence. ", "", "é"))
                return e.TextAppended(turn=turn, text=text, parent=parent, message=message)
            case 3 | 4:
                return e.ThoughtAppended(turn=turn, text=self.dice.pick(("hm ", "")), parent=parent, message=message)
            case 5:
                return e.PlanReplaced(turn=turn, entries=PLAN[: self.dice.below(3)])
            case 6:
                return e.NoticeRaised(turn=turn, text="Look.")
            case 7 | 8 if calls:
                status: tuple[e.ToolStatus, ...] = ("completed", "completed", "failed", "running")
                return e.ToolChanged(turn=turn, call=CallId(self.dice.pick(calls)), status=self.dice.pick(status))
            case 9 if calls:
                return e.ToolChanged(turn=turn, call=CallId(self.dice.pick(calls)), appended="line\n", diffs=(DIFF,))
            case _:
                return self.tool(turn, calls, parent)

    def tool(self, turn: TurnId, calls: list[str], parent: CallId | None) -> e.Event:
        call = self.name("c")
        calls.append(call)
        status: e.ToolStatus = "completed" if self.dice.once_in(3) else "running"
        return e.ToolChanged(
            turn=turn, call=CallId(call), first=True, parent=parent, name="shell", arguments="{}", status=status
        )

    def deliver_steer(self) -> None:
        assert self.running is not None
        steer = self.steers.pop(0)
        self.fact(e.SteerDelivered(turn=TurnId(self.running), steer=SteerId(steer)))

    def end(self) -> None:
        assert self.running is not None
        outcomes: tuple[e.Outcome, ...] = ("completed", "completed", "failed", "interrupted")
        if self.cancelling:
            outcomes = ("cancelled", "cancelled", "completed")
        outcome = self.dice.pick(outcomes)
        self.fact(
            e.TurnEnded(turn=TurnId(self.running), outcome=outcome, error="" if outcome == "completed" else "So.")
        )
        self.finish(self.running, "cancelled" if self.cancelling and outcome != "interrupted" else outcome)

    def finish(self, turn: str, outcome: e.Outcome) -> None:
        self.running, self.cancelling = None, False
        self.outcomes[turn] = outcome
        self.asks, self.answered = {}, []
        self.queue = self.steers + self.queue
        if outcome != "completed":
            self.held.update(self.steers)
            self.latest = None if outcome != "failed" else self.latest
        if outcome in ("failed", "interrupted"):
            self.held.update(self.queue)
        self.steers = []

    def enter(self, turn: str, outcome: e.Outcome) -> None:
        self.transcript.append(turn)
        self.outcomes[turn] = outcome

    # Asks.

    def ask(self) -> None:
        assert self.running is not None
        turn, ask = TurnId(self.running), self.name("a")
        if self.dice.once_in(2):
            self.asks[ask] = "question"
            self.fact(e.QuestionAsked(ask=AskId(ask), turn=turn, text="Which?", choices=("this", "that")))
        else:
            self.asks[ask] = "approval"
            self.fact(e.ApprovalRequested(ask=AskId(ask), turn=turn, command="rm -r build", directory="~"))

    def settle_ask(self) -> None:
        if self.answered and self.dice.below(3):
            ask = AskId(self.answered.pop(0))
            events: tuple[e.Event, ...] = (e.ApprovalDelivered(ask=ask), e.ApprovalExpired(ask=ask, reason="timed out"))
            self.fact(self.dice.pick(events))
            return
        name = self.dice.pick(list(self.asks) or self.answered)
        if self.dice.once_in(5):
            self.fact(e.QuestionExpired(ask=AskId(name), reason="timed out"))
            self.asks.pop(name, None)
            self.answered = [ask for ask in self.answered if ask != name]
            return
        if self.asks.pop(name, "approval") == "question":
            self.write(e.QuestionAnswered(ask=AskId(name), text="this"))
        else:
            self.write(e.ApprovalAnswered(ask=AskId(name), choice="once", client="phone"))
        self.answered.append(name)


def plausible_records(dice: Dice, length: int) -> list[Record]:
    world = World(dice)
    world.write(e.SessionCreated(agent="scripted"))
    while len(world.records) < length:
        world.act()
    return world.records[:length]
