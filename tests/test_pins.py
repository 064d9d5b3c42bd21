"""`data/pins.toml` in and out, and what is said about a malformed one."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from generator.errors import PinError
from generator.pins import Pin, read_pins, write_pins

COMMIT = "c794754062d49a8fdb63ab3c5215b488b865030c"
BLOB = "2b5e512ccacf3d012d34a4947ada75a1abef2292"
PATH = "vllm/config/vllm.py"
PIN = Pin(commit=COMMIT, date="2026-08-14", blobs={PATH: BLOB})


def pins_file(folder: Path, text: str) -> Path:
    path = folder / "pins.toml"
    path.write_text(text, encoding="utf-8")
    return path


def table(**changes: str | None) -> str:
    """A well-formed `[[pin]]` table of TOML values, with some keys changed or (None) left out."""
    values = {"commit": f'"{COMMIT}"', "date": '"2026-08-14"', "blobs": f'{{ "{PATH}" = "{BLOB}" }}', **changes}
    return "\n".join(["[[pin]]", *(f"{key} = {value}" for key, value in values.items() if value is not None), ""])


def complaint(folder: Path, text: str) -> str:
    with pytest.raises(PinError) as caught:
        read_pins(pins_file(folder, text))
    return str(caught.value)


@pytest.mark.parametrize(
    ("pin", "label", "ref"),
    [
        (PIN, "c794754062", COMMIT),
        (replace(PIN, tag="v0.28.0"), "v0.28.0", COMMIT),
        (replace(PIN, commit="4ba787ec9", tag="v0.33.0"), "v0.33.0", "v0.33.0"),
        (replace(PIN, commit="4ba787ec9"), "4ba787ec9", "4ba787ec9"),
    ],
)
def test_label_and_permalink(pin: Pin, label: str, ref: str) -> None:
    assert pin.label == label
    address = f"https://github.com/vllm-project/vllm/blob/{ref}/{PATH}"
    assert pin.permalink("vllm-project/vllm", PATH, 7) == f"{address}#L7"
    assert pin.permalink("vllm-project/vllm", PATH, 7, 7) == f"{address}#L7"
    assert pin.permalink("vllm-project/vllm", PATH, 7, 9) == f"{address}#L7-L9"


def test_written_pins_are_read_back_in_the_same_order(tmp_path: Path) -> None:
    pins = (
        replace(PIN, commit="4ba787ec9", tag="v0.33.0", wheel="vllm==0.33.0", blobs={"b.py": BLOB, PATH: BLOB}),
        replace(PIN, context="v0.33.0", documented=False),
    )
    path = tmp_path / "pins.toml"
    write_pins(path, pins)
    assert read_pins(path) == pins
    first = path.read_bytes()
    write_pins(path, read_pins(path))
    assert path.read_bytes() == first and b"\r" not in first
    assert [file.name for file in tmp_path.iterdir()] == ["pins.toml"]


def test_written_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        write_pins(tmp_path / "pins.toml", [PIN])
    finally:
        os.umask(mask)
    assert (tmp_path / "pins.toml").stat().st_mode & 0o777 == 0o644


def test_file_that_cannot_be_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pins.toml").mkdir()
    with pytest.raises(PinError, match=r"pins\.toml: cannot be written: Is a directory"):
        write_pins(tmp_path / "pins.toml", [PIN])
    assert [file.name for file in tmp_path.iterdir()] == ["pins.toml"]
    with pytest.raises(PinError, match=r"pins\.toml: cannot be written: No such file"):
        write_pins(tmp_path / "none" / "pins.toml", [PIN])


def test_date_may_be_a_toml_date(tmp_path: Path) -> None:
    assert read_pins(pins_file(tmp_path, table(date="2026-08-14"))) == (PIN,)


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(PinError, match=r"pins\.toml: no such file; write it with: vllm-errors pin REF"):
        read_pins(tmp_path / "pins.toml")
    with pytest.raises(PinError, match="cannot be read: Is a directory"):
        read_pins(tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[pin\n", "pins.toml: not readable as TOML: "),
        ("", "pins.toml: no [[pin]] table; write one with: vllm-errors pin REF"),
        ("pin = 3\n", "pins.toml: no [[pin]] table"),
        ("pin = []\n", "pins.toml: no [[pin]] table"),
        ("pin = [3]\n", "pin 1: is not a table; write [[pin]]"),
        (table(colour='"red"'), "pin 1: unknown key 'colour'; use only blobs, commit, context, date, documented, tag"),
        *((table(commit=value), "'commit' must be 7 to 40 lower-case hex digits") for value in (
            None, "7", '"abcdef"', f'"{COMMIT}0"', f'"{COMMIT.upper()}"', '"--upload-pack=x"', f'"{COMMIT}\\n"',
        )),
        *((table(date=value), "'date' must be a day such as 2026-08-14") for value in (
            None, '"14.8.2026"', '"20260814"', '"2026-W33-5"', "2026-08-14T10:00:00", '"2026-02-30"', "20260814",
        )),
        *((table(tag=value), "'tag' must be a plain tag name such as v0.28.0") for value in (
            '""', '"-v1"', '"v1..v2"', '"v1:x"', '"a/b"', '"v1 "', "1",
        )),
        *((table(wheel=value), "'wheel' must name one release such as vllm==0.28.0") for value in (
            '"vllm"', '"vllm>=0.28"', '"vllm==0.28.*"', '"vllm==0.28,!=0.28.1"', '"vllm @ https://x.invalid/x"', "1",
        )),
        (table(documented='"no"'), "'documented' must be true or false"),
        (table(context="1"), "'context' must be the label of another pin"),
        (table(context='"v9"'), "c794754062: 'context' names 'v9', which is not pinned; use one of ['c794754062']"),
        *((table(blobs=value), "'blobs' must map at least one path to its git blob id") for value in (None, "{}", "1")),
        *((table(blobs=f'{{ "{value}" = "{BLOB}" }}'), "must be relative to the repository") for value in (
            "", ".", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", "a\\nb",
        )),
        *((table(blobs=f'{{ "{PATH}" = {value} }}'), "must be 40 lower-case hex digits") for value in (
            "1", '"2b5e512"', f'"{BLOB.upper()}"',
        )),
        (table() + table(), "pins.toml: c794754062 is pinned twice; delete one of the tables"),
    ],
)  # fmt: skip
def test_malformed_files(tmp_path: Path, text: str, why: str) -> None:
    assert why in complaint(tmp_path, text)


def test_all_complaints_come_at_once(tmp_path: Path) -> None:
    said = complaint(tmp_path, table(commit="1", date="2") + table(tag='"v1"') + table(tag='"v1"') + table(blobs="3"))
    assert [line.split(";")[0] for line in said.splitlines()] == [
        "pins.toml: pin 1: 'commit' must be 7 to 40 lower-case hex digits",
        "pins.toml: pin 1: 'date' must be a day such as 2026-08-14",
        "pins.toml: pin 4: 'blobs' must map at least one path to its git blob id",
        "pins.toml: v1 is pinned twice",
    ]
