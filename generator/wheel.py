"""Single files out of the wheel of a release, read by HTTP range requests.

Never downloads a whole wheel, never runs or installs one, and judges no content: `source.py` verifies the bytes.
"""

from __future__ import annotations

import fnmatch
import os
import threading
import zipfile
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

from packaging.requirements import Requirement
from packaging.utils import canonicalize_version
from packaging.version import Version
from pypi_simple import DistributionPackage, NoSuchProjectError, PyPISimple
from remotezip import RangeNotSupported, RemoteZip

from generator.errors import SourceError

_LARGEST = 16 * 1024 * 1024
"""Bytes; a larger member is not a source file, and unpacking it could exhaust the memory."""

T = TypeVar("T")


@dataclass(frozen=True)
class Release:
    """One release on the package index, with some of its files."""

    version: str
    date: str | None
    """Day of the upload in UTC, `YYYY-MM-DD`; None when the index does not tell."""
    files: dict[str, bytes]
    """Path → bytes of the files that match."""


def read_release(requirement: str, patterns: Sequence[str], timeout: int) -> Release:
    """A release, and those of its files that match one of the glob patterns; without a version, the newest one.

    Raises:
        SourceError: the index or the wheel cannot be read within `timeout` seconds; one line says why.
    """

    def work() -> Release:
        with _client() as client:
            wheel = _find_wheel(client, Requirement(requirement), timeout)
            with RemoteZip(wheel.url, session=client.s, timeout=timeout) as archive:
                names = [n for n in archive.namelist() if any(fnmatch.fnmatchcase(n, p) for p in patterns)]
                date = wheel.upload_time.date().isoformat() if wheel.upload_time else None
                return Release(wheel.version or "", date, {name: _member(archive, name) for name in names})

    return _told(work, timeout)


def read_wheel(requirement: str, paths: Sequence[str], timeout: int) -> dict[str, bytes]:
    """The files of `paths` that the wheel of an exact requirement contains; a file it lacks is left out.

    Asks the package index of `PIP_INDEX_URL`, or the default one of pypi-simple.

    Raises:
        SourceError: the index or the wheel cannot be read within `timeout` seconds; one line says why.
    """
    return _told(lambda: _read(Requirement(requirement), paths, timeout), timeout)


def _told(work: Callable[[], T], timeout: int) -> T:
    """The value of `work()`; every failure becomes a SourceError of one line."""
    try:
        return _within(timeout, work)
    except SourceError:
        raise
    except TimeoutError:
        raise SourceError(f"no answer within {timeout} s") from None
    except NoSuchProjectError:
        raise SourceError("the package index has no such project") from None
    except RangeNotSupported:
        raise SourceError("the server refuses range requests, and a whole wheel is never downloaded") from None
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise SourceError(f"damaged or cut off: {error}") from None
    except Exception as error:  # requests, urllib3 and remotezip share no base class
        raise SourceError(f"not readable: {_cause(error)}") from None


def choose_wheel(packages: Sequence[DistributionPackage], version: str) -> DistributionPackage | None:
    """The smallest wheel of a version, by file name where sizes are equal or unknown; None when there is none."""
    wheels = [
        package
        for package in packages
        if package.package_type == "wheel"
        and package.version is not None
        and canonicalize_version(package.version) == canonicalize_version(version)
    ]
    return min(wheels, key=lambda wheel: (wheel.size is None, wheel.size or 0, wheel.filename), default=None)


def _read(requirement: Requirement, paths: Sequence[str], timeout: int) -> dict[str, bytes]:
    with _client() as client:
        wheel = _find_wheel(client, requirement, timeout)
        with RemoteZip(wheel.url, session=client.s, timeout=timeout) as archive:
            present = set(archive.namelist()).intersection(paths)
            return {path: _member(archive, path) for path in paths if path in present}


def _client() -> PyPISimple:
    index = os.environ.get("PIP_INDEX_URL")
    return PyPISimple(index) if index else PyPISimple()


def _find_wheel(client: PyPISimple, requirement: Requirement, timeout: int) -> DistributionPackage:
    packages = client.get_project_page(requirement.name, timeout=timeout).packages
    version = next((each.version for each in requirement.specifier), None) or _newest(packages)
    wheel = choose_wheel(packages, version)
    if wheel is None:
        raise SourceError(f"the package index has no wheel of version {version}")
    return wheel


def _newest(packages: Sequence[DistributionPackage]) -> str:
    """The newest final version that has a wheel."""
    versions = [Version(p.version) for p in packages if p.version and p.package_type == "wheel" and not p.is_yanked]
    final = [version for version in versions if not version.is_prerelease]
    if not final:
        raise SourceError("the package index has no wheel of a final release")
    return str(max(final))


def _member(archive: RemoteZip, path: str) -> bytes:
    size = archive.getinfo(path).file_size
    if size > _LARGEST:
        raise SourceError(f"{path} claims to be {size} bytes long, more than a source file is")
    data: bytes = archive.read(path)
    return data


def _within(seconds: int, work: Callable[[], T]) -> T:
    """The value of `work()`, or TimeoutError.

    The timeout of requests starts anew with each byte, so a server that sends one byte now and then would hold us for
    ever. A thread cannot be stopped; it is left behind, as a daemon, and ends with its connection or with the program.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(timeout=seconds)


def _cause(error: BaseException) -> str:
    """The innermost reason: outer layers only repeat it, with the addresses of their objects."""
    while error.__context__ is not None:
        error = error.__context__
    return str(error) or type(error).__name__
