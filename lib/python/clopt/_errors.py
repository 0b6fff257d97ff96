# SPDX-License-Identifier: MIT
"""Exceptions: a class for each status of clopt.h, with the library's text.

Where Python has a word for the failure, the class is also Python's own: ``except MemoryError`` and
``except ValueError`` work as anywhere.
"""
from __future__ import annotations

import concurrent.futures

from ._headers import ENUMS

STATUS = ENUMS["status"]


class Error(Exception):
    """A call failed.  ``str()`` is the library's text, ``status`` the number in clopt.h."""

    status = 0


class InvalidArgument(Error, ValueError):
    """Arguments that were refused: nothing was computed or changed."""

    status = STATUS["einval"]


class InvalidType(InvalidArgument, TypeError):
    """Arrays of a type that the routine does not take, or of several types."""


class OutOfMemory(Error, MemoryError):
    """Too little memory, on the host or on the device."""

    status = STATUS["enomem"]


class NoDevice(Error):
    """No OpenCL driver, no device, or none that matches."""

    status = STATUS["enodevice"]


class DeviceError(Error):
    """A call of OpenCL failed."""

    status = STATUS["edevice"]


class BuildError(Error):
    """A kernel did not build."""

    status = STATUS["ebuild"]


class NoVariant(Error):
    """No kernel variant can serve this call."""

    status = STATUS["enovariant"]


class Unsupported(Error):
    """The device lacks what this call needs, such as double."""

    status = STATUS["eunsupported"]


class WrongResult(Error):
    """A kernel gave a wrong result."""

    status = STATUS["ewrong"]


class FileError(Error, OSError):
    """A file could not be read, written or removed."""

    status = STATUS["eio"]


class Cancelled(Error, concurrent.futures.CancelledError):
    """The call was cancelled."""

    status = STATUS["ecanceled"]


class DeviceLost(Error):
    """The device was lost: the context is unusable."""

    status = STATUS["elost"]


class ForkError(Error):
    """The context belongs to the parent process."""

    status = STATUS["efork"]


CLASSES = {c.status: c for c in (InvalidArgument, OutOfMemory, NoDevice, DeviceError, BuildError,
                                 NoVariant, Unsupported, WrongResult, FileError, Cancelled,
                                 DeviceLost, ForkError)}


def error(status: int, text: str) -> Error:
    """The exception for a status; of a newer library also for one that is not known here."""
    found = CLASSES.get(status, Error)(text)
    found.status = status
    return found
