"""An `Explanation` as a short card for a terminal: what, why, the first way out, where to read on.

Prints nothing: lines of styled text out. Text from the log and from vLLM passes `escape.visible`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.text import Text

from generator.escape import one_line
from generator.handbook import Handbook
from generator.lookup import Explanation, Match
from generator.origin import Status

_STATUS = {
    Status.MATCHED: "A known error.",
    Status.OTHER_WORDING: "A known error, in the wording of other releases.",
    Status.OTHER_FILE: "Raised by vLLM, or while its configuration was built, but in a file without pages here.",
    Status.FIELD: "A field or an argument was refused before any check of the configuration ran.",
    Status.OTHER_PROGRAM: "No check of vLLM's configuration, and nothing in the text says that vLLM raised it.",
    Status.POINTER: "This only points to a cause further up, which is not in the text. Give more of the log.",
    Status.WARNING: "Warnings only: vLLM goes on after them. A failure, if there is one, is further down in the log.",
    Status.NO_ERROR: "There is no error in this text.",
}


def card(explanation: Explanation, handbook: Handbook, link: Callable[[str], str]) -> list[Text]:
    """The lines of the card.

    Args:
        explanation: What the log says.
        handbook: For the reasons and ways out.
        link: Path in the site → where to read it.
    """
    lines = [Text(_STATUS[explanation.status], style="bold")]
    for match in explanation.matches:
        lines += [Text(), *_of_match(match, handbook, link)]
    for each in explanation.complaints:
        name = ".".join(part for part in (each.class_name, each.field) if part)
        lines += [
            Text(),
            _row("what", one_line(f"{name}: {each.reason}"), "red"),
            _row("read", link(f"kinds/{each.kind}/")),
        ]
    if explanation.message:
        lines += [Text(), _row("also" if explanation.matches else "what", one_line(explanation.message), "red")]
        if explanation.file:
            lines.append(_row("file", one_line(explanation.file)))
    if explanation.version:
        lines.append(_row("version", f"the log names {explanation.version}"))
    if explanation.lines and not explanation.matches:
        lines.append(_row("line", str(explanation.lines[0])))
    return lines


def _of_match(match: Match, handbook: Handbook, link: Callable[[str], str]) -> Iterator[Text]:
    yield _row("what", one_line(match.template), "red")
    for value in match.values:
        yield _row("value", one_line(f"you have {value.placeholder} = {value.text}"))
    advice = handbook.advice.get(match.slug or "")
    if advice:
        yield _row("why", one_line(advice.summary))
        yield from (_row("fix", one_line(each), "green") for each in advice.solutions[:1])
    if match.file:
        yield _row("file", one_line(f"raised by {match.file}: an older or newer home of this check"))
    else:
        yield _row("release", _releases(match.releases))
    if match.lifted_in:
        yield _row("lifted", f"the configuration no longer makes this check since {match.lifted_in}")
    yield _row("line", f"{match.lines[0]} of the log ({match.confidence.value})")
    yield _row("read", link(f"errors/{match.slug}/") if match.slug else "no page: only releases without pages raise it")


def _releases(labels: tuple[str, ...]) -> str:
    if len(labels) < 2:
        return labels[0] if labels else "none of those that are tracked has quite this wording"
    return f"{labels[-1]} to {labels[0]} ({len(labels)} of the tracked releases)"


def _row(name: str, text: str, style: str = "") -> Text:
    return Text.assemble((f"{name:<8}", "dim"), (text, style))
