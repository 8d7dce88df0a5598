"""A command line as a shell reads it: simple commands, their words and where their input and output go.

Not a whole shell: groups, loops and conditions are taken apart, and the commands in them stand side by side; what is
run to make a word (`$(...)`, backquotes, `<(...)`) is a command like any other. A word that depends on what happens at
run time is `hidden`. Nothing raises: what can't be read is said in `problem`.
"""

import codecs
import re
from collections.abc import Mapping

import msgspec

BLANK, END = " \t", " \t\n;&|()<>"
OPERATORS = ("&&", "||", ";;&", ";;", ";&", "|&", ";", "&", "|", "\n")
REDIRECTIONS = ("&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">|", ">&", "<", ">")
LEADING = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "coproc"})
CLOSING = frozenset({"}", "fi", "done", "esac"})
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^]]*\])?\+?=")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
DEEPEST = 20


class Word(msgspec.Struct):
    """`text` is what it says, quotes removed. `plain` counts the letters before its first quote; None without one."""

    text: str = ""
    hidden: bool = False
    glob: bool = False
    plain: int | None = None

    @property
    def bare(self) -> bool:
        return self.plain is None

    def quote(self) -> None:
        """What follows stands in quotes, or behind a backslash."""
        if self.plain is None:
            self.plain = len(self.text)


class Redirection(msgspec.Struct):
    """`body` is a here-document's text."""

    operator: str
    target: Word
    body: str = ""


class Simple(msgspec.Struct):
    """A command: its words, the variables set for it, and its redirections. `piped` if it reads another's output."""

    words: list[Word] = msgspec.field(default_factory=list[Word])
    assignments: list[tuple[str, Word]] = msgspec.field(default_factory=list[tuple[str, Word]])
    redirections: list[Redirection] = msgspec.field(default_factory=list[Redirection])
    piped: bool = False


class Parsed(msgspec.Struct):
    commands: list[Simple]
    problem: str = ""


class Unreadable(Exception):
    """The text is no command that can be read."""


def parse(text: str, variables: Mapping[str, str] | None = None) -> Parsed:
    """`variables` are those whose values are known."""
    reader = Reader(text.replace("\r\n", "\n"), variables or {})
    try:
        reader.script("")
    except Unreadable as exc:
        return Parsed(reader.commands, str(exc))
    except RecursionError:
        return Parsed(reader.commands, "it is nested too deeply")
    return Parsed(reader.commands)


class Reader:
    def __init__(self, text: str, variables: Mapping[str, str]) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._variables = variables
        self._awaited: list[tuple[Redirection, bool]] = []
        self.commands: list[Simple] = []

    def _sees(self, *tokens: str) -> str:
        return next((token for token in tokens if self._text.startswith(token, self._at)), "")

    def script(self, closing: str) -> None:
        """Read commands up to `closing`, or to the end."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable("it is nested too deeply")
        current, groups = Simple(), 0
        while True:
            self._skip_blanks()
            if self._at >= len(self._text):
                if closing:
                    raise Unreadable(f"a {closing!r} is missing")
                break
            letter = self._text[self._at]
            if letter == ")" and closing == ")" and groups == 0:
                self._at += 1
                break
            if letter == "#":
                self._skip_comment()
            elif letter in "()":
                groups += 1 if letter == "(" else -1 if groups else 0
                self._at += 1
                current = self._close(current, piped=current.piped and not current.words)
            elif found := self._redirection():
                self._redirect(current, found)
            elif found := self._sees(*OPERATORS):
                self._at += len(found)
                current = self._close(current, piped=found in ("|", "|&"))
                if found == "\n":
                    self._read_documents()
            else:
                self._take(current, self._word())
        self._close(current, piped=False)
        self._read_documents()
        self._depth -= 1

    def _close(self, current: Simple, *, piped: bool) -> Simple:
        if current.words or current.assignments or current.redirections:
            self.commands.append(current)
        return Simple(piped=piped)

    def _take(self, current: Simple, word: Word) -> None:
        if not current.words and word.bare and word.text in LEADING | CLOSING:
            return
        if word.bare and word.text == "{" and current.words[0].text == "function":
            current.words.clear()  # what follows is what the function does
            return
        set_here = ASSIGNMENT.match(word.text)
        if not current.words and set_here and (word.plain is None or word.plain >= set_here.end()):
            value = msgspec.structs.replace(word, text=word.text[set_here.end() :])
            current.assignments.append((set_here[1], value))
        else:
            current.words.append(word)

    def _skip_blanks(self) -> None:
        while self._at < len(self._text):
            if self._text[self._at] in BLANK:
                self._at += 1
            elif self._text.startswith("\\\n", self._at):
                self._at += 2
            else:
                return

    def _skip_comment(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    # Redirections.

    def _redirection(self) -> str:
        """The operator at this place; what stands before it as a number is passed over."""
        number = re.compile(r"[0-9]+(?=[<>])|\{[A-Za-z_]\w*\}(?=[<>])").match(self._text, self._at)
        start = number.end() if number else self._at
        if self._text.startswith(("<(", ">("), start):
            return ""
        operator = next((each for each in REDIRECTIONS if self._text.startswith(each, start)), "")
        if operator:
            self._at = start + len(operator)
        return operator

    def _redirect(self, current: Simple, operator: str) -> None:
        self._skip_blanks()
        target = self._word()
        redirection = Redirection(operator, target)
        current.redirections.append(redirection)
        if operator in ("<<", "<<-"):
            self._awaited.append((redirection, target.bare))

    def _read_documents(self) -> None:
        awaited, self._awaited = self._awaited, []
        for redirection, expanded in awaited:
            lines: list[str] = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                line = self._text[self._at :] if end < 0 else self._text[self._at : end]
                self._at = len(self._text) if end < 0 else end + 1
                if (line.lstrip("\t") if redirection.operator == "<<-" else line) == redirection.target.text:
                    break
                lines.append(line)
            redirection.body = "\n".join(lines)
            if expanded:
                redirection.target.hidden |= self._nested(redirection.body)

    # Words.

    def _word(self) -> Word:
        word, start = Word(), self._at
        while self._at < len(self._text):
            letter = self._text[self._at]
            if self._sees("<(", ">("):
                self._substitute(word, 2, ")")
            elif letter in END:
                break
            else:
                self._piece(word, letter, first=self._at == start)
        if re.search(r"\{[^{}]*(,|\.\.)[^{}]*\}", word.text) and word.bare:
            word.hidden = True  # braces make several words of one
        return word

    def _piece(self, word: Word, letter: str, *, first: bool) -> None:
        match letter:
            case "'":
                word.quote()
                word.text += self._until("'", self._at + 1)
            case '"':
                word.quote()
                self._quoted(word)
            case "\\":
                word.quote()
                word.text += self._text[self._at + 1 : self._at + 2].replace("\n", "")
                self._at += 2
            case "`":
                self._backquoted(word)
            case "$":
                self._dollar(word)
            case "~" if first:
                self._at += 1
                rest = self._text[self._at : self._at + 1]
                word.hidden |= rest not in ("", "/") and rest not in END
                word.text += self._variables.get("HOME", "~")
            case _:
                word.glob |= letter in "*?["
                word.text += letter
                self._at += 1

    def _until(self, closing: str, start: int) -> str:
        end = self._text.find(closing, start)
        if end < 0:
            raise Unreadable(f"a {closing} is missing")
        self._at = end + len(closing)
        return self._text[start:end]

    def _quoted(self, word: Word) -> None:
        self._at += 1
        while self._at < len(self._text):
            letter = self._text[self._at]
            if letter == '"':
                self._at += 1
                return
            if letter == "\\" and self._text[self._at + 1 : self._at + 2] in ("$", "`", '"', "\\", "\n"):
                word.text += self._text[self._at + 1].replace("\n", "")
                self._at += 2
            elif letter == "`":
                self._backquoted(word)
            elif letter == "$":
                self._dollar(word, quoted=True)
            else:
                word.text += letter
                self._at += 1
        raise Unreadable('a " is missing')

    def _backquoted(self, word: Word) -> None:
        end = self._at + 1
        while end < len(self._text) and self._text[end] != "`":
            end += 2 if self._text[end] == "\\" else 1
        inner = re.sub(r"\\([$`\\])", r"\1", self._text[self._at + 1 : end])
        if end >= len(self._text):
            raise Unreadable("a ` is missing")
        self._at = end + 1
        word.hidden = True
        self._inside(inner)

    def _dollar(self, word: Word, *, quoted: bool = False) -> None:
        if self._sees("$("):
            self._substitute(word, 2, ")")
        elif self._sees("$'") and not quoted:
            self._at += 1
            word.quote()
            word.text += self._ansi()
        elif self._sees('$"') and not quoted:
            self._at += 1
        elif self._sees("${"):
            self._braced(word)
        elif found := VARIABLE.match(self._text, self._at + 1):
            self._at = found.end()
            word.hidden |= found[0] not in self._variables
            word.text += self._variables.get(found[0], f"${found[0]}")
        else:
            word.text += "$"
            self._at += 1

    def _ansi(self) -> str:
        found = re.compile(r"'((?:\\.|[^'\\])*)'", re.DOTALL).match(self._text, self._at)
        if found is None:
            raise Unreadable("a ' is missing")
        self._at = found.end()
        try:
            return codecs.decode(found[1].encode("latin-1", "backslashreplace"), "unicode_escape")
        except UnicodeDecodeError as exc:
            raise Unreadable("an escape can't be read") from exc

    def _braced(self, word: Word) -> None:
        depth, end = 0, self._at + 1
        while end < len(self._text):
            depth += {"{": 1, "}": -1}.get(self._text[end], 0)
            end += 1
            if depth == 0:
                break
        if depth:
            raise Unreadable("a } is missing")
        inner = self._text[self._at + 2 : end - 1]
        self._at = end
        if inner in self._variables:
            word.text += self._variables[inner]
            return
        word.hidden = True
        word.text += f"${{{inner}}}"
        self._nested(inner)

    def _substitute(self, word: Word, length: int, closing: str) -> None:
        word.hidden = True
        self._at += length
        awaited, self._awaited = self._awaited, []
        self.script(closing)
        self._awaited = awaited

    def _nested(self, text: str) -> bool:
        """Read what is run inside of `text`; return whether anything is."""
        found = [*re.finditer(r"(?<!\\)\$\(", text), *re.finditer(r"(?<!\\)`", text)]
        for each in found:
            inner = Reader(text[each.start() :], self._variables)
            word = Word()
            inner._depth = self._depth + 1
            if text[each.start()] == "`":
                if text.find("`", each.end()) > 0:
                    inner._backquoted(word)
            else:
                inner._dollar(word)
            self.commands += inner.commands
        return bool(found)

    def _inside(self, text: str) -> None:
        inner = Reader(text, self._variables)
        inner._depth = self._depth
        try:
            inner.script("")
        finally:
            self.commands += inner.commands
