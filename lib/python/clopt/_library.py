# SPDX-License-Identifier: MIT
"""The shared library: ctypes' structs and functions, of what lib/bindings.py reads in the headers."""
from __future__ import annotations

import ctypes as C
import glob
import os
import platform
import re
import shutil
import tempfile
import threading
from importlib import metadata
from numbers import Integral
from pathlib import Path

from ._errors import Error, InvalidType, error
from ._headers import ENUMS, FUNCTIONS, SONAME, STRUCTS

size_t = C.c_size_t
LETTERS = {"no": "N", "yes": "T", "conj": "C"}  # of enum clopt_trans
ROUTINES = {"potential_points": "potential", "nbody_evolve": "evolve", "nbody_leapfrog": "leapfrog",
            "nbody_conserved": "conserved"}  # whose names in C are others


class Sized(C.Structure):
    """A struct whose first field is its size.  What is not given is 0, the default."""

    def __init__(self, **fields: object) -> None:
        super().__init__(size=C.sizeof(type(self)))
        for name, value in fields.items():  # ctypes cuts numbers off, and text at a zero byte
            try:
                setattr(self, name, value)
            except TypeError as e:
                raise InvalidType(f"{name} is {value!r:.60}: {e}") from None
            kept = getattr(self, name)
            if isinstance(kept, (int, bytes)) and kept != value:
                raise error(-20001, f"{name} is {value!r}: it does not fit its type in C")


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
# Over user, and the environment for the time of the loader's look.  No child gets it locked.
lock = threading.RLock()
os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


def begin() -> None:
    """Before OpenCL's first use in this process.  In a child of a process that has used it, drivers
    let clopt_open succeed and wait for ever in the first call."""
    global user
    if user not in (None, os.getpid()):
        raise error(-20012, "the parent process used OpenCL before it forked this one, so that calls "
                            "would hang: fork first, or use multiprocessing's spawn")
    with lock:
        if user is None:
            show_driver_of_pip()
        user = os.getpid()


def driver_of_pip() -> tuple[str, list[str]] | None:
    """The library of the extra [cpu]'s driver, unless the loader sees it or shall not, and the .icd
    files that the loader sees.  One with its path cannot come with it."""
    try:
        library = next(str(file.locate()) for file in metadata.files("intel-opencl-rt") or ()
                       if file.name == "libintelocl.so")
    except (metadata.PackageNotFoundError, StopIteration):
        return None
    given = os.environ.get("OCL_ICD_VENDORS")
    system = given or os.environ.get("OPENCL_VENDOR_PATH") or "/etc/OpenCL/vendors"
    others = [path for path in glob.glob(os.path.join(system, "*.icd")) if os.access(path, os.R_OK)]
    if (given and not os.path.isdir(given)) or any(
            b"libintelocl" in Path(path).read_bytes() for path in others):
        return None  # the user named one driver, or the system has this one too
    return library, others


def show_driver_of_pip() -> None:
    """Let the loader, which looks once, also see the driver of the extra [cpu], behind others."""
    found, given = driver_of_pip(), os.environ.get("OCL_ICD_VENDORS")
    if not found:
        return
    library, others = found
    with tempfile.TemporaryDirectory(prefix="clopt-") as folder:
        for path in others:
            shutil.copy(path, folder)
        Path(folder, "zz-pip.icd").write_text(library + "\n")
        os.environ["OCL_ICD_VENDORS"] = folder + "/"
        try:
            lib.clopt_device_list(None, 0, C.byref(size_t()))
        finally:
            del os.environ["OCL_ICD_VENDORS"]
            if given is not None:
                os.environ["OCL_ICD_VENDORS"] = given


# The laws that potential() takes; the library picks the others.
LAWS = ("default", "coulomb", "distance4", "debye", "alpb")


def number(enum: str, word: object, name: str | None = None,
           known: tuple[str, ...] | None = None) -> int:
    """The number of an enum's word.  None is 0, the default, as is "default", which is not told.
    name: the argument, if not called like the enum; known: the words that it takes, if not all."""
    words = {w: ENUMS[enum][w] for w in known or ENUMS[enum]}
    if word is None:
        return 0
    if not isinstance(word, str) or word not in words:
        told = ", ".join(repr(w) for w in words if w != "default")
        raise error(-20001, f"{name or enum} is {word!r}: it must be one of {told}")
    return words[word]


def is_size(value: object) -> bool:
    """Whether this is a whole number that fits size_t; ctypes would cut it off."""
    return isinstance(value, Integral) and size_t(value).value == value


def failure(status: int, ctx: int | None) -> Error:
    """The exception for a failed call of this thread."""
    words = lib.clopt_error(ctx) or lib.clopt_strerror(status)
    return error(status, in_python(words.decode(errors="replace")))


def in_python(text: str) -> str:
    """The library's text in Python's words: 'alpb-salt' for CLOPT_LAW_ALPB_SALT, None for NULL."""
    def word(found: re.Match[str]) -> str:
        name = found[2].lower().replace("_", "-")
        if name not in ENUMS.get(found[1].lower(), {}):
            return found[0]
        return repr(LETTERS[name] if found[1] == "TRANS" else name)
    text = text.replace("CLOPT_OUTPUTS_PHI_NORMAL", "normal=True")
    text = re.sub(r"\bCLOPT_([A-Z]+)_([A-Z0-9_]+)\b", word, text)
    for kind, told in (("sources.w", r"sources have no weights: give weights=, \1 numbers, or an "
                                     r"array (\1, 4)"),
                       ("targets.w", r"targets have no weights: give an array (\1, 4)"),
                       ("sources.v[xyz]", r"velocities= is missing: give an array (\1, 3)"),
                       ("targets.v[xyz]", r"target_velocities= is missing: give an array (\1, 3)")):
        text = re.sub(rf"\b{kind} is NULL: it must have (\d+) numbers", told, text)
    if platform.machine() == "x86_64":  # there is no such driver for others
        text = text.replace("or the package pocl-opencl-icd to run on the CPU",
                            "or to run on the CPU: pip install intel-opencl-rt intel-cmplr-lib-rt")
    text = text.replace("clopt_force_variants: names: ", "force: variants: ")
    text = text.replace("clopt_options.", "").replace("results.", "out.")
    text = text.replace("is NULL", "is None")
    text = re.sub(r"\bone of enum clopt_([a-z_]+)",
                  lambda found: "one of " + ", ".join(map(repr, ENUMS.get(found[1], ()))), text)
    return re.sub(r"\bclopt_([a-z_]+)", lambda found: ROUTINES.get(found[1], found[1]), text)


def words_of(value: object) -> object:
    """A field's value, with text as str."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
