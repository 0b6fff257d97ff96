# SPDX-License-Identifier: MIT
"""The shared library: ctypes' structs and functions, of what lib/bindings.py reads in the headers."""
from __future__ import annotations

import ctypes as C
import os
from numbers import Integral

from ._errors import Error, error
from ._headers import ENUMS, FUNCTIONS, SONAME, STRUCTS

size_t = C.c_size_t


class Sized(C.Structure):
    """A struct whose first field is its size.  What is not given is 0, the default."""

    def __init__(self, **fields: object) -> None:
        super().__init__(size=C.sizeof(type(self)), **fields)
        for name, value in fields.items():  # ctypes cuts numbers off, and text at a zero byte
            kept = getattr(self, name)
            if isinstance(kept, (int, bytes)) and kept != value:
                raise error(-20001, f"{name} is {value!r}")


# Options, Points, Report and the others.
globals().update({name: type(name, (Sized if fields[0][0] == "size" else C.Structure,), {"_fields_": fields})
                  for name, fields in STRUCTS.items()})
LOG, PROGRESS = (dict(STRUCTS["Options"])[name] for name in ("log", "progress"))
EACH = dict(STRUCTS["EvolveOptions"])["each"]
LINE = dict(STRUCTS["SelfcheckOptions"])["line"]


def load() -> C.CDLL:
    """The library beside this file (a wheel has it there), or else the system's."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
    try:
        found = C.CDLL(beside if os.path.exists(beside) else SONAME)
    except OSError as e:
        raise ImportError(f"{SONAME} cannot be loaded: {e}.  Install libclopt, or name its folder "
                          "in LD_LIBRARY_PATH") from None
    for name, kinds in FUNCTIONS.items():
        function = getattr(found, name)
        function.restype, *function.argtypes = kinds
    return found


lib = load()
user: int | None = None  # the process that has used OpenCL


def begin() -> None:
    """Before OpenCL's first use in this process.  In a child of a process that has used it, drivers
    let clopt_open succeed and wait for ever in the first call."""
    global user
    if user not in (None, os.getpid()):
        raise error(-20012, "the parent process had used OpenCL before it forked this one, whose "
                            "calls would hang: fork first, or use multiprocessing's spawn")
    user = os.getpid()


def number(enum: str, word: object) -> int:
    """The number of an enum's word.  None is 0, the default."""
    words = ENUMS[enum]
    if word is None:
        return 0
    if word not in words:
        raise error(-20001, f"{enum} {word!r} is none of {', '.join(words)}")
    return words[word]


def is_size(value: object) -> bool:
    """Whether this is a whole number that fits size_t; ctypes would cut it off."""
    return isinstance(value, Integral) and size_t(value).value == value


def failure(status: int, ctx: int | None) -> Error:
    """The exception for a failed call of this thread."""
    words = lib.clopt_error(ctx) or lib.clopt_strerror(status)
    return error(status, words.decode(errors="replace"))


def words_of(value: object) -> object:
    """A field's value, with text as str."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
