"""Real git over file://, a real wheel over loopback HTTP; nothing outside tmp_path is touched."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import PinnedRepo

from generator.errors import SourceError
from generator.pins import Pin
from generator.source import SourceFile, Sources, blob_id, fetch_source, fetch_sources
from generator.wheel import choose_wheel, read_wheel

PROJECT = Path(__file__).parent.parent
PATHS = ("demo/config.py", "demo/raw.bin")
NOWHERE = "file:///nowhere/upstream"
NOISE = random.Random(1).randbytes(4_000_000)


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index, no cache and no clone but those of the test."""
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed_port()}/simple")
    monkeypatch.setenv("VLLM_ERRORS_STORE", str(tmp_path / "cache" / "objects.git"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # of the processes that are killed
    for name in ("VLLM_ERRORS_CLONE", "VLLM_ERRORS_REMOTE", "XDG_CACHE_HOME", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def sources(tmp_path: Path, pinned_repo: PinnedRepo) -> Sources:
    return Sources(store=tmp_path / "cache" / "objects.git", clone=None, remote=pinned_repo.url, timeout=20)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def data_of(files: Mapping[str, SourceFile]) -> dict[str, bytes]:
    return {path: file.data for path, file in files.items()}


def failure(pin: Pin, sources: Sources, paths: tuple[str, ...] = PATHS) -> str:
    with pytest.raises(SourceError) as caught:
        fetch_source(pin, paths, sources)
    return str(caught.value)


def fsck(store: Path) -> str:
    """All that git finds wrong with a store."""
    done = subprocess.run(
        ["git", "-C", str(store), "fsck", "--strict", "--no-dangling"], capture_output=True, text=True, check=False
    )
    said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("notice:")]
    return "\n".join([*said, *([f"exit {done.returncode}"] if done.returncode else [])])


def loose(sources: Sources, blob: str) -> Path:
    return sources.store / "objects" / blob[:2] / blob[2:]


def damage(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


# Values


def test_blob_id_is_that_of_git(pinned_repo: PinnedRepo) -> None:
    for path, blob in pinned_repo.pin(0).blobs.items():
        assert blob_id(pinned_repo.data(0)[path]) == blob


def test_sources_from_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VLLM_ERRORS_STORE")
    plain = Sources.from_environment("vllm-project/vllm")
    assert plain.store.parts[-2:] == ("vllm-errors", "objects.git")
    assert (plain.clone, plain.remote, plain.timeout) == (None, "https://github.com/vllm-project/vllm", 60)
    monkeypatch.setenv("VLLM_ERRORS_STORE", "~/store.git")
    monkeypatch.setenv("VLLM_ERRORS_CLONE", "~/clone")
    monkeypatch.setenv("VLLM_ERRORS_REMOTE", "ssh://git@example.invalid/vllm")
    named = Sources.from_environment("vllm-project/vllm")
    assert named.store == tmp_path / "home" / "store.git"
    assert named.clone == tmp_path / "home" / "clone"
    assert named.remote == "ssh://git@example.invalid/vllm"
    assert Sources.from_environment("vllm-project/vllm", Path("given")).clone == Path("given")
    for name in ("STORE", "CLONE", "REMOTE"):
        monkeypatch.setenv(f"VLLM_ERRORS_{name}", "")
    assert Sources.from_environment("vllm-project/vllm") == plain


# The git remote


@pytest.mark.parametrize("filtering", ["true", "false"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_remote_full_commit(pinned_repo: PinnedRepo, sources: Sources, filtering: str, number: int) -> None:
    pinned_repo.git("config", "uploadpack.allowFilter", filtering)
    pin = pinned_repo.pin(number)
    files = fetch_source(pin, PATHS, sources)
    assert data_of(files) == pinned_repo.data(number)
    assert {path: file.blob for path, file in files.items()} == pin.blobs
    assert fsck(sources.store) == ""


def test_remote_fetches_one_commit_and_only_the_wanted_blobs(
    pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned_repo.git("config", "uploadpack.allowFilter", "true")
    trace = tmp_path / "packets"
    monkeypatch.setenv("GIT_TRACE_PACKET", str(trace))
    fetch_source(pinned_repo.pin(1), PATHS, sources)
    sent = [line.rpartition("> ")[2].strip() for line in trace.read_text().splitlines() if " fetch> " in line]
    wants = [line.removeprefix("want ") for line in sent if line.startswith("want ")]
    assert wants[0] == pinned_repo.commits[1]
    assert sorted(wants[1:]) == sorted(pinned_repo.pin(1).blobs.values())
    assert sent.count("command=fetch") == 2
    assert "deepen 1" in sent and "filter blob:none" in sent


@pytest.mark.parametrize(
    ("tips_only", "number", "works"),
    [(True, 2, True), (True, 1, False), (False, 1, True)],
)
def test_remote_of_the_old_protocol(
    pinned_repo: PinnedRepo,
    sources: Sources,
    monkeypatch: pytest.MonkeyPatch,
    tips_only: bool,
    number: int,
    works: bool,
) -> None:
    """Protocol 0 obeys allowReachableSHA1InWant, and without it refuses single blobs: then one plain fetch must do."""
    for name, value in {"COUNT": "1", "KEY_0": "protocol.version", "VALUE_0": "0"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    pinned_repo.git("config", "uploadpack.allowFilter", "true")
    pinned_repo.git("config", "uploadpack.allowReachableSHA1InWant", "false" if tips_only else "true")
    if works:
        assert data_of(fetch_source(pinned_repo.pin(number), PATHS, sources)) == pinned_repo.data(number)
    else:
        assert "gives out branch tips and tags only" in failure(pinned_repo.pin(number), sources)


@pytest.mark.parametrize(("number", "tag"), [(0, "v0"), (2, "v2")])
def test_remote_abbreviated_commit_with_tag(pinned_repo: PinnedRepo, sources: Sources, number: int, tag: str) -> None:
    pin = pinned_repo.pin(number, commit=pinned_repo.commits[number][:9], tag=tag)
    assert data_of(fetch_source(pin, PATHS, sources)) == pinned_repo.data(number)


def test_remote_abbreviated_commit_of_another_tag(pinned_repo: PinnedRepo, sources: Sources) -> None:
    said = failure(pinned_repo.pin(1, commit=pinned_repo.commits[1][:9], tag="v2"), sources)
    assert f"its refs/tags/v2 is commit {pinned_repo.commits[2]}, not {pinned_repo.commits[1][:9]}" in said


def test_remote_abbreviated_commit_without_tag(pinned_repo: PinnedRepo, sources: Sources) -> None:
    said = failure(pinned_repo.pin(2, commit=pinned_repo.commits[2][:9]), sources)
    assert f"cannot find abbreviated commit {pinned_repo.commits[2][:9]} without a tag; pin all 40 digits" in said


def test_remote_without_the_tag(pinned_repo: PinnedRepo, sources: Sources) -> None:
    pin = pinned_repo.pin(2, commit=pinned_repo.commits[2][:9], tag="v9")
    assert "the remote does not have this tag" in failure(pin, sources)


@pytest.mark.parametrize("filtering", ["true", "false"])
def test_remote_without_the_commit(pinned_repo: PinnedRepo, sources: Sources, filtering: str) -> None:
    pinned_repo.git("config", "uploadpack.allowFilter", filtering)
    assert "the remote does not have this commit" in failure(pinned_repo.pin(1, commit="12" * 20), sources)


@pytest.mark.parametrize("filtering", ["true", "false"])
def test_remote_path_and_blob_must_be_those_of_the_commit(
    pinned_repo: PinnedRepo, sources: Sources, filtering: str
) -> None:
    pinned_repo.git("config", "uploadpack.allowFilter", filtering)
    old, new = pinned_repo.pin(0).blobs, pinned_repo.pin(2).blobs
    blobs = {"demo/config.py": old["demo/config.py"], "demo/raw.bin": new["demo/raw.bin"], "demo/gone.py": "ab" * 20}
    pin = pinned_repo.pin(2, blobs={**blobs, "demo": "cd" * 20})
    said = failure(pin, sources, tuple(pin.blobs))
    commit = pinned_repo.commits[2]
    assert f"commit {commit} has blob {new['demo/config.py']} at this path, not the pinned one" in said
    assert f"commit {commit} has no such path; correct the path in data/pins.toml" in said
    assert "demo/raw.bin" not in said
    assert data_of(fetch_source(pin, ["demo/raw.bin"], replace(sources, remote=NOWHERE)))


def test_path_that_is_not_pinned(pinned_repo: PinnedRepo, sources: Sources) -> None:
    said = failure(pinned_repo.pin(2, tag="v2"), sources, ("demo/other.py",))
    assert said.startswith("v2: 'demo/other.py' is not pinned; add it to 'blobs' of the pin")


@pytest.mark.parametrize(
    "remote",
    [
        "ext::sh -c 'touch MARK'",
        "--upload-pack=touch MARK",
        "-x",
        "http://example.invalid/x",
        "ftp://example.invalid/x",
        "git@example.invalid:x/y",
        "/srv/mirror",
        "file://host/share",
        "ssh://-oProxyCommand=touch MARK/x",
        "ssh://-oProxyCommand=x@host/x",
        "ssh://%2DoProxyCommand=x/x",
        "https://-host/x",
        "https://host/x\n--upload-pack=x",
        "file:///x\ny",
        "",
    ],
)
def test_addresses_that_are_refused(
    pinned_repo: PinnedRepo, sources: Sources, remote: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = remote.replace("MARK", str(tmp_path / "mark"))
    said = failure(pinned_repo.pin(2), replace(sources, remote=remote))
    assert "refused: a git remote must be an https://, ssh:// or file:/// address" in said
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"commit": "--upload-pack=touch"},
        {"commit": "abcdef1", "tag": "--upload-pack=touch"},
        {"commit": "abcdef1", "tag": "x:refs/heads/y z"},
    ],
)
def test_pins_that_are_refused(pinned_repo: PinnedRepo, sources: Sources, changes: dict[str, str]) -> None:
    assert "refused: the pin has commit" in failure(pinned_repo.pin(2, **changes), sources)


def test_blob_ids_that_are_refused(pinned_repo: PinnedRepo, sources: Sources) -> None:
    pin = pinned_repo.pin(2, blobs={"demo/config.py": "--textconv"})
    fetch_source(pinned_repo.pin(2), PATHS, sources)
    assert "refused: '--textconv' is not a blob id" in failure(pin, sources, ("demo/config.py",))


def test_git_daemon_is_refused(pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path) -> None:
    port = closed_port()
    daemon = subprocess.Popen(
        ["git", "daemon", "--listen=127.0.0.1", f"--port={port}", "--export-all", f"--base-path={tmp_path}"],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        url = f"git://127.0.0.1:{port}/upstream"
        until(lambda: subprocess.run(["git", "ls-remote", url], capture_output=True, check=False).returncode == 0)
        assert f"git remote {url}: refused" in failure(pinned_repo.pin(2), replace(sources, remote=url))
    finally:
        os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait()


def test_url_rewriting_does_not_widen_the_protocols(
    pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text(
        f'[url "ext::touch {tmp_path}/mark #"]\n\tinsteadOf = file:///\n[protocol "ext"]\n\tallow = always\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert "transport 'ext' not allowed" in failure(pinned_repo.pin(2), sources)
    assert not (tmp_path / "mark").exists()


def test_no_network_at_all(pinned_repo: PinnedRepo, sources: Sources) -> None:
    offline = replace(sources, remote="https://user:secret@host.invalid/x", clone=sources.store.parent / "no-clone")
    said = failure(pinned_repo.pin(2, tag="v2", wheel="demo==2.0"), offline)
    blobs = pinned_repo.pin(2).blobs
    listed = ", ".join(f"{path} (blob {blobs[path]})" for path in PATHS)
    first, *lines = said.splitlines()
    assert first == f"v2: no source has {listed}:"
    assert lines[0] == f"  - object store {sources.store}: does not exist"
    assert lines[1] == f"  - clone {offline.clone}: does not exist"
    assert lines[2].startswith("  - git remote https://host.invalid/x: ") and "Could not resolve host" in lines[2]
    assert lines[3] == "  - wheel demo==2.0: not readable: [Errno 111] Connection refused"
    assert lines[4] == "What to do, one of:"
    assert "--clone PATH or VLLM_ERRORS_CLONE=PATH" in said
    assert "secret" not in said


def test_no_git_at_all(pinned_repo: PinnedRepo, sources: Sources) -> None:
    pin = pinned_repo.pin(2)
    script = f"""
from pathlib import Path
from generator.errors import SourceError
from generator.pins import Pin
from generator.source import Sources, fetch_source
try:
    fetch_source({pin!r}, {PATHS!r}, Sources(Path({str(sources.store)!r}), None, {sources.remote!r}))
except SourceError as error:
    print(error)
"""
    said = subprocess.run(
        [sys.executable, "-c", script],
        env={"PATH": "/nowhere"},
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "needs git, which is not on the PATH; install it" in said.stdout
    assert said.stderr == ""


@pytest.fixture
def slow_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make any remote hang while it packs. The yielded file says that it has begun, in lines of process ids."""
    started, hook, config = tmp_path / "started", tmp_path / "hook", tmp_path / "slow.gitconfig"
    hook.write_text(f"#!/bin/sh\necho $$ >> {started}\nexec sleep 60\n")
    hook.chmod(0o755)
    config.write_text(f"[uploadpack]\n\tpackObjectsHook = {hook}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    yield started
    for line in started.read_text().split() if started.exists() else []:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(line), signal.SIGKILL)


def test_remote_that_hangs(pinned_repo: PinnedRepo, sources: Sources, slow_pack: Path) -> None:
    begin = time.monotonic()
    assert f"git remote {sources.remote}: no answer in time" in failure(pinned_repo.pin(2), replace(sources, timeout=1))
    assert time.monotonic() - begin < 10
    assert slow_pack.exists()


def fetching(pin: Pin, sources: Sources) -> subprocess.Popen[bytes]:
    """A process of its own, in a session of its own, that fetches a pin."""
    script = f"""
from pathlib import PosixPath
from generator.pins import Pin
from generator.source import Sources, fetch_source
fetch_source({pin!r}, {PATHS!r}, {sources!r})
"""
    return subprocess.Popen([sys.executable, "-c", script], cwd=PROJECT, start_new_session=True)


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.01)


def test_killed_in_the_middle_of_a_fetch(
    pinned_repo: PinnedRepo, sources: Sources, slow_pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch_source(pinned_repo.pin(2), PATHS, replace(sources, remote=NOWHERE, clone=pinned_repo.folder))
    process = fetching(pinned_repo.pin(1), sources)
    until(slow_pack.exists)
    process.kill()
    process.wait()
    os.killpg(process.pid, signal.SIGKILL)
    assert fsck(sources.store) == ""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    assert data_of(fetch_source(pinned_repo.pin(1), PATHS, sources)) == pinned_repo.data(1)
    assert fsck(sources.store) == ""


def test_killed_at_any_time(pinned_repo: PinnedRepo, sources: Sources) -> None:
    for step in range(8):
        shutil.rmtree(sources.store, ignore_errors=True)
        process = fetching(pinned_repo.pin(1), sources)
        until(lambda: any(sources.store.parent.glob("*")) or any(sources.store.parent.glob(".*")))
        time.sleep(step * 0.004)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not sources.store.exists() or fsck(sources.store) == ""
        assert data_of(fetch_source(pinned_repo.pin(1), PATHS, sources)) == pinned_repo.data(1)
        assert fsck(sources.store) == ""


# The store and the clone


def test_store_comes_first_and_alone(pinned_repo: PinnedRepo, sources: Sources, index: Index) -> None:
    fetch_source(pinned_repo.pin(2), PATHS, sources)
    shutil.rmtree(pinned_repo.folder / ".git" / "objects")
    again = fetch_source(pinned_repo_pin(sources, wheel="demo==2.0"), PATHS, replace(sources, clone=pinned_repo.folder))
    assert data_of(again) == pinned_repo.data(2)
    assert index.asked == []


def pinned_repo_pin(sources: Sources, **changes: str) -> Pin:
    """The pin of commit 2, told from the data alone."""
    blobs = {path: blob_id(data) for path, data in PinnedRepo(Path(), ()).data(2).items()}
    return Pin(**{"commit": "12" * 20, "date": "2026-01-01", "blobs": blobs, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("bare", [True, False])
def test_clone(pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path, bare: bool) -> None:
    clone = tmp_path / "clone"
    pinned_repo.git("clone", "--quiet", *(["--bare"] if bare else []), ".", str(clone))
    offline = replace(sources, clone=clone, remote=NOWHERE)
    assert data_of(fetch_source(pinned_repo.pin(1), PATHS, offline)) == pinned_repo.data(1)
    shutil.rmtree(clone)
    assert data_of(fetch_source(pinned_repo.pin(1), PATHS, offline)) == pinned_repo.data(1)


def test_clone_as_worktree(pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path) -> None:
    pinned_repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "v0")
    offline = replace(sources, clone=tmp_path / "tree", remote=NOWHERE)
    assert data_of(fetch_source(pinned_repo.pin(1), PATHS, offline)) == pinned_repo.data(1)


def test_clone_is_never_completed_and_its_hooks_never_run(
    pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path
) -> None:
    """A blobless clone would fetch what is missing as soon as it is read."""
    pinned_repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    pinned_repo.git("clone", "--quiet", "--filter=blob:none", "--bare", pinned_repo.url, str(clone))
    for name in ("reference-transaction", "post-checkout", "pre-auto-gc"):
        (clone / "hooks" / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
        (clone / "hooks" / name).chmod(0o755)
    before = sorted(clone.rglob("*"))
    said = failure(pinned_repo.pin(1), replace(sources, clone=clone, remote=NOWHERE))
    assert f"  - clone {clone}: does not have it\n" in said
    assert sorted(clone.rglob("*")) == before
    assert not (tmp_path / "mark").exists()


def test_clone_that_is_none(pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path) -> None:
    said = failure(pinned_repo.pin(1), replace(sources, clone=tmp_path, remote=NOWHERE))
    assert f"clone {tmp_path}: is not a git repository" in said


@pytest.mark.parametrize("kind", ["garbage", "empty", "other content"])
def test_damaged_object_in_the_store_is_replaced(pinned_repo: PinnedRepo, sources: Sources, kind: str) -> None:
    pin = pinned_repo.pin(1)
    fetch_source(pin, PATHS, sources)
    one, two = (loose(sources, pin.blobs[path]) for path in PATHS)
    damage(one, {"garbage": b"garbage", "empty": b"", "other content": two.read_bytes()}[kind])
    offline = replace(sources, remote=NOWHERE)
    said = failure(pin, offline)
    assert ("corrupt" in said) or (f"has other bytes, of blob {pin.blobs[PATHS[1]]}" in said)
    assert "demo/raw.bin" not in said
    assert data_of(fetch_source(pin, PATHS, sources)) == pinned_repo.data(1)
    assert data_of(fetch_source(pin, PATHS, offline)) == pinned_repo.data(1)
    assert fsck(sources.store) == ""


def test_empty_folder_becomes_the_store(pinned_repo: PinnedRepo, sources: Sources) -> None:
    sources.store.mkdir(parents=True)
    fetch_source(pinned_repo.pin(1), PATHS, sources)
    assert data_of(fetch_source(pinned_repo.pin(1), PATHS, replace(sources, remote=NOWHERE)))


def test_relative_store(pinned_repo: PinnedRepo, sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pinned_repo.folder.parent)
    fetch_source(pinned_repo.pin(1), PATHS, replace(sources, store=Path("near.git")))
    assert fsck(pinned_repo.folder.parent / "near.git") == ""


def make_file(store: Path) -> None:
    store.parent.mkdir()
    store.write_text("a file")


def make_other_folder(store: Path) -> None:
    store.mkdir(parents=True)
    (store / "thesis.tex").write_text("not to be mixed with git objects")


def make_headless(store: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", str(store)], check=True)
    (store / "HEAD").unlink()


def make_broken_config(store: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", str(store)], check=True)
    (store / "config").write_text("[core\n")


def make_unwritable(store: Path) -> None:
    """Such that root cannot write either."""
    subprocess.run(["git", "init", "--quiet", "--bare", str(store)], check=True)
    shutil.rmtree(store / "objects")
    (store / "objects").symlink_to("/proc/1/attr")


def make_file_above(store: Path) -> None:
    store.parent.write_text("a file")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (make_file, "is not a git repository"),
        (make_other_folder, "is not a git repository"),
        (make_headless, "is not a git repository"),
        (make_broken_config, "has a config file that cannot be read"),
        (make_unwritable, ""),
        (make_file_above, ""),
    ],
)
def test_store_that_cannot_be_used(
    pinned_repo: PinnedRepo,
    sources: Sources,
    caplog: pytest.LogCaptureFixture,
    make: Callable[[Path], None],
    why: str,
) -> None:
    """The build goes on with verified bytes; one warning says what to do. Nothing else is put into the folder."""
    make(sources.store)
    before = sorted(sources.store.rglob("*"))
    files = fetch_sources([pinned_repo.pin(1), pinned_repo.pin(2)], sources)
    assert [data_of(of_pin) for of_pin in files.values()] == [pinned_repo.data(1), pinned_repo.data(2)]
    (warning,) = caplog.messages
    assert warning.startswith(f"object store {sources.store}: ") and why in warning
    assert warning.endswith("nothing is kept. Set VLLM_ERRORS_STORE to another folder.")
    assert sorted(sources.store.rglob("*")) == before
    said = failure(pinned_repo.pin(1), replace(sources, remote=NOWHERE))
    assert f"object store {sources.store}: " in said and why in said


def test_variables_of_a_git_hook_change_nothing(
    pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git sets these for its hooks; a build in a pre-commit hook must not write into the committer's repository."""
    pin = pinned_repo.pin(1)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"):
        monkeypatch.setenv(name, str(elsewhere))
    assert data_of(fetch_source(pin, PATHS, sources)) == pinned_repo.data(1)
    assert data_of(fetch_source(pin, PATHS, replace(sources, remote=NOWHERE))) == pinned_repo.data(1)
    assert list(elsewhere.iterdir()) == []


def test_settings_of_the_user_change_nothing(
    pinned_repo: PinnedRepo, sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin = pinned_repo.pin(1)
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    (template / "reference-transaction").write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    (template / "reference-transaction").chmod(0o755)
    config = tmp_path / "config"
    config.write_text(
        f"[core]\n\tautocrlf = true\n\thooksPath = {template}\n[init]\n\ttemplateDir = {template.parent}\n"
        "[safe]\n\tbareRepository = explicit\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    assert data_of(fetch_source(pin, PATHS, sources)) == pinned_repo.data(1)
    assert data_of(fetch_source(pin, PATHS, replace(sources, remote=NOWHERE))) == pinned_repo.data(1)
    assert not (tmp_path / "mark").exists()


# Several pins


def test_several_pins(pinned_repo: PinnedRepo, sources: Sources) -> None:
    seen: list[str] = []
    pins = [pinned_repo.pin(2, tag="v2"), pinned_repo.pin(1), pinned_repo.pin(0, tag="v0")]
    files = fetch_sources(pins, sources, lambda pin: seen.append(pin.label))
    assert list(files) == ["v2", pinned_repo.commits[1][:10], "v0"]
    assert [data_of(of_pin) for of_pin in files.values()] == [pinned_repo.data(number) for number in (2, 1, 0)]
    assert sorted(seen) == sorted(files)
    assert fetch_sources([], sources) == {}


def test_a_failing_pin_does_not_stop_the_others(pinned_repo: PinnedRepo, sources: Sources) -> None:
    lost = [
        replace(pinned_repo.pin(0), commit=digits * 20, blobs={"demo/config.py": digits * 20})
        for digits in ("12", "34")
    ]
    good = [pinned_repo.pin(1), pinned_repo.pin(2)]
    seen: list[str] = []
    with pytest.raises(SourceError) as caught:
        fetch_sources([lost[0], *good, lost[1]], sources, lambda pin: seen.append(pin.label))
    said = str(caught.value)
    assert said.index("1212121212: no source has demo/config.py") < said.index("3434343434: no source has")
    assert said.count("What to do") == 1
    assert len(seen) == 4
    kept = fetch_sources(good, replace(sources, remote=NOWHERE))
    assert [data_of(of_pin) for of_pin in kept.values()] == [pinned_repo.data(1), pinned_repo.data(2)]


def test_processes_and_threads_share_a_new_store(pinned_repo: PinnedRepo, sources: Sources) -> None:
    processes = [fetching(pinned_repo.pin(number % 3), sources) for number in range(6)]
    with ThreadPoolExecutor(8) as pool:
        files = list(pool.map(lambda number: fetch_source(pinned_repo.pin(number % 3), PATHS, sources), range(12)))
    assert [data_of(of_pin) for of_pin in files] == [pinned_repo.data(number % 3) for number in range(12)]
    assert [process.wait() for process in processes] == [0] * 6
    assert fsck(sources.store) == ""
    assert [path.name for path in sources.store.parent.iterdir()] == ["objects.git"]


# The wheel


class Index(ThreadingHTTPServer):
    """A package index with one wheel on loopback; `fault` says what it does wrong."""

    daemon_threads = True

    def __init__(self, wheel: bytes, style: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.wheel, self.style, self.fault = wheel, style, ""
        self.asked: list[str] = []
        self.sent = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/simple"


class Handler(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path == "/simple/demo/" and self.server.fault != "no project":
            self.page()
        elif self.path.endswith(".whl") and self.server.fault != "no file":
            self.file()
        else:
            self.send_error(404)

    def page(self) -> None:
        names = ["demo-2.0.tar.gz", "demo-2.0-py3-none-linux_x86_64.whl", "demo-2.0.1-py3-none-any.whl"]
        if self.server.fault == "no version":
            names = names[::2]
        if self.server.style == "json":
            files = [{"filename": name, "url": f"/files/{name}", "hashes": {}} for name in names]
            text = json.dumps({"meta": {"api-version": "1.0"}, "name": "demo", "files": files})
            kind = "application/vnd.pypi.simple.v1+json"
        else:
            text = "".join(f'<a href="/files/{name}">{name}</a>' for name in names)
            kind = "text/html"
        if self.server.fault == "no index":
            text, kind = "<html>log in first", "image/png"
        self.answer(200, text.encode(), {"Content-Type": kind})

    def file(self) -> None:
        whole, fault = self.server.wheel, self.server.fault
        begin, _, end = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        first = int(begin) if begin else max(len(whole) - int(end), 0)
        last = int(end) if begin and end else len(whole) - 1
        if fault == "no ranges":
            self.answer(200, whole, {})
            return
        part = whole[first : last + 1]
        headers = {"Content-Range": f"bytes {first}-{last}/{len(whole)}", "Content-Length": str(len(part))}
        if (fault == "cut off" and begin) or fault == "cut off at once":
            part = part[: len(part) // 2]
        self.answer(206, part, headers, pause=0.2 if fault == "trickle" else 0)

    def answer(self, status: int, data: bytes, headers: dict[str, str], pause: float = 0) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for start in range(0, len(data), 1 if pause else 65536):
                self.server.sent += self.wfile.write(data[start : start + (1 if pause else 65536)])
                time.sleep(pause)
        except OSError:  # the client has gone, as it should when it refuses a whole wheel
            pass

    def log_message(self, *arguments: object) -> None:
        pass


def wheel_of(files: Mapping[str, bytes]) -> bytes:
    """A wheel with the files among a few megabytes that must not be downloaded."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("demo/before.so", NOISE, zipfile.ZIP_STORED)
        for path, data in files.items():
            archive.writestr(path, data)
        archive.writestr("demo/after.so", NOISE, zipfile.ZIP_STORED)
    return buffer.getvalue()


@pytest.fixture
def index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with Index(wheel_of(PinnedRepo(Path(), ()).data(2)), getattr(request, "param", "html")) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", server.url)
        yield server
        server.shutdown()


@pytest.fixture
def wheel_pin(sources: Sources) -> Pin:
    """Commit 2 as a pin whose remote does not know it: only the wheel is left."""
    return pinned_repo_pin(sources, tag="v2", wheel="demo==2.0")


@pytest.mark.parametrize("index", ["html", "json"], indirect=True)
def test_wheel(pinned_repo: PinnedRepo, sources: Sources, index: Index, wheel_pin: Pin) -> None:
    offline = replace(sources, remote=NOWHERE)
    assert data_of(fetch_source(wheel_pin, PATHS, offline)) == pinned_repo.data(2)
    assert set(index.asked) == {"/simple/demo/", "/files/demo-2.0-py3-none-linux_x86_64.whl"}
    assert index.sent < 200_000
    index.asked.clear()
    assert data_of(fetch_source(wheel_pin, PATHS, offline)) == pinned_repo.data(2)
    assert index.asked == []


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("no project", "the package index has no such project"),
        ("no version", "the package index has no wheel of version 2.0"),
        ("no index", "unsupported Content-Type"),
        ("no file", "404 Client Error"),
        ("no ranges", "the server refuses range requests, and a whole wheel is never downloaded"),
        ("cut off", "damaged or cut off: "),
        ("cut off at once", "IncompleteRead"),
        ("trickle", "no answer within 1 s"),
    ],
)
def test_wheel_that_cannot_be_read(sources: Sources, index: Index, wheel_pin: Pin, fault: str, why: str) -> None:
    index.fault = fault
    said = failure(wheel_pin, replace(sources, remote=NOWHERE, timeout=1))
    line = next(line for line in said.splitlines() if line.startswith("  - wheel demo==2.0: "))
    assert why in line
    assert index.sent < len(index.wheel) / 2
    assert not sources.store.exists()


def test_wheel_with_other_bytes(pinned_repo: PinnedRepo, sources: Sources, index: Index, wheel_pin: Pin) -> None:
    index.wheel = wheel_of(pinned_repo.data(1))
    said = failure(wheel_pin, replace(sources, remote=NOWHERE))
    assert f"wheel demo==2.0: has other bytes, of blob {pinned_repo.pin(1).blobs['demo/config.py']}" in said
    assert not sources.store.exists()


def test_wheel_without_the_file(pinned_repo: PinnedRepo, sources: Sources, index: Index, wheel_pin: Pin) -> None:
    index.wheel = wheel_of({"demo/raw.bin": pinned_repo.data(2)["demo/raw.bin"]})
    said = failure(wheel_pin, replace(sources, remote=NOWHERE))
    assert "wheel demo==2.0: does not have it" in said
    assert "demo/raw.bin" not in said


def test_wheel_that_is_no_zip(sources: Sources, index: Index, wheel_pin: Pin) -> None:
    index.wheel = b"an error page\n" * 100_000
    assert "wheel demo==2.0: damaged or cut off: File is not a zip file" in failure(
        wheel_pin, replace(sources, remote=NOWHERE)
    )


def test_wheel_whose_file_is_a_bomb(sources: Sources, index: Index, wheel_pin: Pin) -> None:
    index.wheel = wheel_of({"demo/config.py": bytes(17 * 1024 * 1024)})
    said = failure(wheel_pin, replace(sources, remote=NOWHERE))
    assert "demo/config.py claims to be 17825792 bytes long, more than a source file is" in said


def test_wheel_completes_what_the_remote_lacks(pinned_repo: PinnedRepo, sources: Sources, index: Index) -> None:
    """Files of one pin may come from different sources."""
    pinned_repo.git("rm", "--quiet", "demo/raw.bin")
    pinned_repo.git("commit", "--quiet", "--message=less")
    pin = pinned_repo.pin(2, commit=pinned_repo.git("rev-parse", "HEAD"), wheel="demo==2.0")
    assert data_of(fetch_source(pin, PATHS, sources)) == pinned_repo.data(2)
    assert len(index.asked) >= 2


def test_wheel_choice_is_the_smallest_then_the_first() -> None:
    from pypi_simple import DistributionPackage

    def package(name: str, size: int | None, version: str = "2.0", kind: str = "wheel") -> DistributionPackage:
        return DistributionPackage(name, "", "demo", version, kind, {}, None, None, size=size)

    many = [
        package("c.whl", None),
        package("b.whl", 20),
        package("a.whl", 30),
        package("d.whl", 20),
        package("s.tar.gz", 1, kind="sdist"),
        package("e.whl", 1, version="2.0.1"),
    ]
    for order in (many, many[::-1]):
        chosen = choose_wheel(order, "2.0")
        assert chosen is not None and chosen.filename == "b.whl"
    unknown = choose_wheel([package("b.whl", None), package("a.whl", None)], "2.0.0")
    assert unknown is not None and unknown.filename == "a.whl"
    assert choose_wheel(many, "3.0") is None


def test_wheel_reads_no_other_file(index: Index) -> None:
    assert read_wheel("demo==2.0", ["demo/absent.py"], 10) == {}
