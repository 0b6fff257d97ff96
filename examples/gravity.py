# SPDX-License-Identifier: MIT
# gravity.py - the library from Python, with nothing but ctypes: two bodies that attract each other.
import ctypes as C

class Options(C.Structure):  # struct clopt_nbody_options
    _fields_ = [("size", C.c_size_t), ("g", C.c_double), ("softening", C.c_double),
                ("precision", C.c_int), ("target_softening", C.c_int), ("potential", C.c_int),
                ("reserved", C.c_int)]

lib, ctx, o = C.CDLL("libclopt.so.0.2"), C.c_void_p(), Options()
lib.clopt_error.restype = C.c_char_p
lib.clopt_nbody_options_init(C.byref(o), C.c_size_t(C.sizeof(o)))
o.potential = 1
bodies, acc = (C.c_float * 8)(0, 0, 0, 2, 3, 0, 0, 1), (C.c_float * 8)()  # x, y, z, mass
two = C.c_size_t(2)
if lib.clopt_open(C.byref(ctx), None) or lib.clopt_nbody(ctx, two, bodies, two, bodies, acc, C.byref(o)):
    raise SystemExit(lib.clopt_error(ctx).decode())
print(acc[:4], acc[4:])
lib.clopt_close(ctx)
