# SPDX-License-Identifier: MIT
"""What lib/bindings.py reads in include/*.h is what lib/abi.txt has of a C compiler; answers have all fields."""
import ctypes as C
import os
import re
import unittest

import clopt
from clopt import _answers, _errors, _library as L
from common import ROOT


def text(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


ABI = text("lib/abi.txt")


class Headers(unittest.TestCase):
    def test_structs(self):
        declared = [("".join(map(str.capitalize, name.split("_"))), *rest) for name, *rest in re.findall(
            r"^\S+ struct clopt_(\w+) (\w+): .*, (\d+) bytes at (\d+)$", ABI, re.M)]
        own = [(name, field, str(at.size), str(at.offset)) for name, fields in L.STRUCTS.items()
               for field, at in ((field, getattr(getattr(L, name), field)) for field, _ in fields)
               if field != "reserved"]
        self.assertEqual(sorted(own), sorted(declared))

    def test_constants(self):
        own = {value for words in L.ENUMS.values() for value in words.items()}
        for name, number in re.findall(r"^\S+ CLOPT_(\w+) = (-?\d+)$", ABI, re.M):
            words = [name.split("_", i)[-1].lower().replace("_", "-") for i in range(3)]
            self.assertTrue(any((word, int(number)) in own for word in words), name)
        self.assertEqual(set(_errors.CLASSES) | {0}, set(L.ENUMS["status"].values()) - {1})

    def test_functions(self):
        kinds = {C.c_int: "int", C.c_uint: "unsigned", C.c_size_t: "size_t", C.c_double: "double", C.c_float: "float"}
        declared = re.findall(r"^\S+ [^=]*?(clopt_\w+)\(((?:[^()]|\(\*\)|\))*)\)$", ABI, re.M)
        for name, arguments in declared:
            wanted = ["pointer" if "*" in a or "cl_" in a else a for a in arguments.split(", ") if a != "void"]
            self.assertEqual([kinds.get(kind, "pointer") for kind in L.FUNCTIONS[name][1:]], wanted, name)
        self.assertEqual(sorted(name for name, _ in declared), sorted(L.FUNCTIONS))

    def test_answers_have_all_fields(self):
        for kind, struct in ((_answers.Device, L.DeviceInfo), (_answers.Report, L.Report),
                             (_answers.Plan, L.PlanInfo), (_answers.Conserved, L.Conserved)):
            fields = [name for name, _ in struct._fields_ if name not in ("size", "reserved", "dry")]
            self.assertEqual(list(kind._fields), fields)

    def test_environment(self):
        table = re.findall(r"^\| `(CLOPT_(?!BLAS)\w+)`", text("docs/environment.md"), re.M)
        self.assertEqual(sorted(table), sorted(_answers.VARIABLES))

    def test_version(self):
        self.assertEqual(L.SONAME, "libclopt.so." + clopt.__version__.rsplit(".", 1)[0])
