"""Single files out of the wheel of a release, read by HTTP range requests.

Never downloads a whole wheel, never runs or installs one, and judges no content: `source.py` verifies the bytes.
"""

from __future__ import annotations

import os
import threading
import zipfile
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from packaging.requirements import Requirement
from packaging.utils import canonicalize_version
from pypi_simple import DistributionPackage, NoSuchProjectError, PyPISimple
from remotezip import RangeNotSupported, RemoteZip

from generator.errors import SourceError

_LARGEST = 16 * 1024 * 1024
"""Bytes; a larger member is not a source file, and unpacking it could exhaust the memory."""

T = TypeVar("T")


def read_wheel(requirement: str, paths: Sequence[str], timeout: int) -> dict[str, bytes]:
    """The files of `paths` that the wheel of an exact requirement contains; a file it lacks is left out.

    Asks the package index of `PIP_INDEX_URL`, or the default one of pypi-simple.

    Raises:
        SourceError: the index or the wheel cannot be read within `timeout` seconds; one line says why.
    """
    try:
        return _within(timeout, lambda: _read(Requirement(requirement), paths, timeout))
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
    version = next(iter(requirement.specifier)).version
    index = os.environ.get("PIP_INDEX_URL")
    with PyPISimple(index) if index else PyPISimple() as client:
        page = client.get_project_page(requirement.name, timeout=timeout)
        wheel = choose_wheel(page.packages, version)
        if wheel is None:
            raise SourceError(f"the package index has no wheel of version {version}")
        with RemoteZip(wheel.url, session=client.s, timeout=timeout) as archive:
            present = set(archive.namelist()).intersection(paths)
            return {path: _member(archive, path) for path in paths if path in present}


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
