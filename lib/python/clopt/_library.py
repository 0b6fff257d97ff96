# SPDX-License-Identifier: MIT
"""The shared library, as its headers describe it: structs, constants and functions for ctypes.

test/python/test_headers.py asks a C compiler whether all of this agrees with include/*.h.
"""
from __future__ import annotations

import ctypes as C
import os
from numbers import Integral

from ._errors import Error, error

SONAME = "libclopt.so.0.3"

size_t, double, integer, unsigned, pointer, text = (C.c_size_t, C.c_double, C.c_int, C.c_uint,
                                                    C.c_void_p, C.c_char_p)

LOG = C.CFUNCTYPE(None, pointer, text)
PROGRESS = C.CFUNCTYPE(integer, pointer, double)
EACH = C.CFUNCTYPE(integer, pointer, size_t, pointer, pointer, pointer)


class Sized(C.Structure):
    """A struct whose first field is its size.  What is not given is 0, the default."""

    def __init__(self, **fields: object) -> None:
        super().__init__(size=C.sizeof(type(self)), **fields)
        for name, value in fields.items():  # ctypes cuts numbers off, and text at a zero byte
            kept = getattr(self, name)
            if isinstance(kept, (int, bytes)) and kept != value:
                raise error(-20001, f"{name} is {value!r}")


def declare(types: object, names: str) -> list:
    """Fields of one type."""
    return [(name, types) for name in names.split()]


class Options(Sized):
    _fields_ = [("size", size_t), ("device", text), ("variants", text), ("mem_limit_bytes", size_t),
                ("queues", unsigned), *declare(integer, "profile verbose check transfer"),
                ("copy_threads", unsigned), ("chunk_bytes", size_t),
                ("slice_seconds", double), *declare(text, "tuning cache_dir"),
                ("cache_bytes", size_t), ("quirks", text), ("log", LOG), ("log_user", pointer),
                ("progress", PROGRESS), ("progress_user", pointer),
                *declare(integer, "keep_output share small reserved")]


class GemmDesc(Sized):
    _fields_ = [("size", size_t),
                *declare(integer, "type layout transa transb math triangle hermitian reserved"),
                *declare(size_t, "m n k"), *declare(double, "alpha beta"),
                *declare(size_t, "lda ldb ldc batch stride_a stride_b stride_c"),
                *declare(double, "alpha_imag beta_imag")]


# The last fields of options of sums over pairs.
TREE = [*declare(double, "tolerance theta"), *declare(C.c_uint, "order tree_reserved")]


class PotentialOptions(Sized):
    _fields_ = [("size", size_t), *declare(integer, "law part outputs precision"),
                *declare(double, "scale eps_in eps_out kappa projection radius ion_radius alpha"),
                *declare(pointer, "normals normals_buffer depths depths_buffer charge"),
                *declare(integer, "gem_compat reserved"), ("group", pointer), *TREE]


class NbodyOptions(Sized):
    _fields_ = [("size", size_t), *declare(double, "g softening"),
                *declare(integer, "precision target_softening potential reserved"),
                ("group", pointer), *TREE]


class Points(Sized):
    _fields_ = [("size", size_t), ("n", size_t), *declare(integer, "type reserved"),
                ("stride_bytes", size_t), *declare(pointer, "x y z w vx vy vz")]


class Results(Sized):
    _fields_ = [("size", size_t), *declare(integer, "type reserved"), ("stride_bytes", size_t),
                *declare(pointer, "x y z phi normal jx jy jz")]


class Conserved(C.Structure):
    _fields_ = [*declare(double, "mass kinetic potential"),
                *declare(double * 3, "momentum angular_momentum centre")]


class EvolveOptions(Sized):
    _fields_ = [("size", size_t), *declare(double, "g softening"),
                *declare(integer, "integrator precision"), ("every", size_t), ("each", EACH),
                *declare(pointer, "user group"), *TREE, ("rates", pointer),
                *declare(integer, "resume rates_reserved")]


class Report(Sized):
    _fields_ = [("size", size_t), ("variant", text),
                *declare(size_t, "bands queues up_bytes down_bytes"),
                *declare(double, "seconds kernel_seconds up_seconds down_seconds device_seconds "
                                 "serial_seconds bound_seconds hidden"),
                *declare(size_t, "sum_parts in_place_bytes staged_bytes kernels_loaded "
                                 "kernels_compiled kernels_saved"),
                *declare(integer, "overlapped"), ("tree_order", C.c_uint),
                *declare(double, "tree_theta tree_seconds near_pairs far_pairs"),
                ("error_targets", size_t), *declare(double, "error_median error_99")]


class MemberShare(Sized):
    _fields_ = [("size", size_t), ("device", C.c_char * 128), *declare(double, "share seconds"),
                *declare(size_t, "bands up_bytes down_bytes"),
                *declare(integer, "status reserved"), ("text", C.c_char * 256)]


class Problem(Sized):
    _fields_ = [("size", size_t),
                *declare(integer, "op type transa transb law outputs precision normals depths "
                                  "layout math triangle hermitian scaled uneven reserved"),
                ("dim", size_t * 3), *declare(size_t, "elem_bytes batch steps")]


class PlanInfo(Sized):
    _fields_ = [("size", size_t), *declare(integer, "dry fits"), ("variant", text),
                ("needed_bytes", size_t), ("reason", C.c_char * 256),
                *declare(size_t, "bands queues sum_parts up_bytes down_bytes in_place_bytes "
                                 "staged_bytes device_bytes pinned_bytes"),
                *declare(double, "up_seconds kernel_seconds down_seconds seconds"),
                *declare(integer, "throughput_source members"),
                *declare(size_t, "array_bytes host_bytes")]


class DeviceInfo(Sized):
    _fields_ = [("size", size_t), *declare(C.c_char * 128, "name vendor platform driver version"),
                *declare(C.c_char * 16, "type family lanes"), ("traits", C.c_char * 256),
                *declare(unsigned, "wave compute_units clock_mhz vector_width capability "
                                   "copy_engines local_is_real unified fp64 fp16 inline_ptx "
                                   "reserved"),
                *declare(size_t, "max_group image2d_width image2d_height image_buffer"),
                *declare(C.c_uint64, "global_bytes max_alloc_bytes local_bytes"),
                ("score", double), ("buffer_align", size_t), ("quirks", C.c_char * 128),
                ("pci", C.c_char * 16), ("uuid", C.c_char * 40)]


class MapDesc(Sized):
    _fields_ = [("size", size_t), *declare(text, "source name build_options"),
                *declare(size_t, "items items_per_group items_per_work_item granule"),
                ("args", pointer), ("nargs", size_t)]


class Order(Sized):
    _fields_ = [("size", size_t), ("queue", pointer), ("nwait", size_t), ("wait", pointer),
                ("event", pointer)]


STRUCTS = {"options": Options, "gemm_desc": GemmDesc, "potential_options": PotentialOptions,
           "nbody_options": NbodyOptions, "points": Points, "results": Results,
           "conserved": Conserved, "evolve_options": EvolveOptions, "report": Report,
           "member_share": MemberShare,
           "problem": Problem, "plan_info": PlanInfo, "device_info": DeviceInfo,
           "map_desc": MapDesc, "order": Order}

# The enums, with the words that arguments take: CLOPT_LAW_ALPB_SALT is "alpb-salt".
ENUMS = {
    "type": {"half": 0x002, "float": 0x004, "double": 0x008, "bfloat16": 0x102,
             "complex-float": 0x208, "complex-double": 0x210},
    "layout": {"row-major": 101, "col-major": 102},
    "trans": {"no": 111, "yes": 112, "conj": 113},
    "uplo": {"upper": 121, "lower": 122},
    "math": {"exact": 0, "tf32": 1, "half": 2},
    "transfer": {"default": 0, "auto": 1, "driver": 2, "staged": 3},
    "check": {"default": 0, "off": 1, "first": 2, "always": 3},
    "share": {"default": 0, "auto": 1, "fixed": 2, "every": 3},
    "precision": {"default": 0, "float": 1, "compensated": 2, "double-single": 3, "double": 4,
                  "best": 5},
    "law": {"default": 0, "coulomb": 1, "distance4": 2, "debye": 3, "alpb": 4, "alpb-salt": 5,
            "alpb-far": 6, "alpb-inside": 7, "alpb-inside-salt": 8, "gravity": 9,
            "gravity-own": 10},
    "part": {"total": 0, "reaction": 1, "coulomb": 2},
    "outputs": {"phi": 0, "phi-normal": 1, "field-phi": 2, "field": 3, "jerk": 4},
    "integrator": {"kick-drift-kick": 0, "hermite": 1},
    "memory": {"ordinary": 0, "pinned": 1, "shared": 2},
    "op": {"matmul": 0, "transpose": 1, "potential": 2, "nbody": 3, "leapfrog": 4,
           "evolve-force": 5, "evolve-step": 6, "evolve-sums": 7, "tree-keys": 8,
           "tree-sort": 9, "tree-cells": 10, "tree-potential": 11, "tree-nbody": 12},
    "throughput_source": {"unknown": 0, "call": 1, "trial": 2},
}

# Result and arguments: i int, n size_t, d double, p any pointer, s text, - nothing.
FUNCTIONS = {
    "version": "s", "error": "s p", "strerror": "s i", "open": "i pp", "open_cl": "i pppp",
    "close": "- p", "cancel": "- p",
    "gemm": "i ppppp", "gemm_buffers": "i pppppp",
    "transpose_strided_batched": "i pnnnpnnpnnn",
    "transpose_strided_batched_buffers": "i pnnnpnnpnnnp",
    "stranspose": "i pnnfpnpn", "dtranspose": "i pnndpnpn", "transpose_inplace": "i pnnnpn",
    "potential_points": "i ppppp", "gravity": "i ppppp", "nbody": "i pnpnppp",
    "nbody_leapfrog": "i pnppdnp", "nbody_evolve": "i pnppdnp", "nbody_conserved": "i pnpppp",
    "tree_new": "i pnpp", "tree_free": "- p", "tree_move": "i pp", "tree_potential": "i pnppp",
    "tree_nbody": "i pnppp",
    "electrostatic_radius": "d npp", "kappa": "d ddd",
    "host_alloc": "i pnpp", "host_free": "i pp", "host_trim": "i p",
    "last_report": "i pp", "members": "n p", "last_shares": "i ppnp", "explain": "i pppn", "plan": "i ppp",
    "device_list": "i pnp", "device_get": "i pp",
    "buffer_new": "i pnp", "buffer_free": "- p", "buffer_write": "i pnnpp",
    "buffer_read": "i pnnpp", "buffer_from_cl": "i ppp", "queue_from_cl": "i ppp",
    "force_variants": "i pp", "map": "i pp", "matmul": "i pnnnppp", "transpose": "i pnnnpnpn",
    "join": "i ppn", "cl_context": "p p", "cl_device": "p p", "finish": "i p", "queue_new": "i pp",
    "queue_free": "- p", "queue_finish": "i pp", "event_wait": "i p", "event_free": "- p",
}
KINDS = {"i": integer, "n": size_t, "d": double, "f": C.c_float, "p": pointer, "s": text,
         "-": None}


def load() -> C.CDLL:
    """The library beside this file (a wheel has it there), or else the system's."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)
    try:
        found = C.CDLL(beside if os.path.exists(beside) else SONAME)
    except OSError as e:
        raise ImportError(f"{SONAME} cannot be loaded: {e}.  Install libclopt, or name its folder "
                          "in LD_LIBRARY_PATH") from None
    for name, kinds in FUNCTIONS.items():
        function = getattr(found, "clopt_" + name)
        function.restype, *function.argtypes = (KINDS[k] for k in kinds.replace(" ", ""))
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
