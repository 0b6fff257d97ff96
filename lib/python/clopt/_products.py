# SPDX-License-Identifier: MIT
"""Products of matrices, and transposes."""
from __future__ import annotations

import ctypes as C
from math import prod
from typing import TYPE_CHECKING, Any, Callable, overload

import numpy as np

from . import _library as L
from ._arrays import Matrices, as_array, copy_back, is_written, kinds, matrices, no_objects, scalar, type_of
from ._buffers import Buffer
from ._errors import InvalidArgument, InvalidType
from ._routines import Routines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import _types as t

TRANS = {"N": "no", "T": "yes", "C": "conj"}
COL, ROW = L.ENUMS["layout"]["col-major"], L.ENUMS["layout"]["row-major"]
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
RESULTS = {"int8": np.dtype(np.int8), "float32": F32}  # of products of int8 with an epilogue


class Products(Routines):
    """Products and transposes: clopt_gemm and clopt_transpose in clopt.h."""

    @overload
    def matmul(self, a: Buffer, b: Buffer, out: Buffer | None = None, *, math: t.Math = "exact",
               type: t.Type | None = None) -> Buffer: ...

    @overload
    def matmul(self, a: NDArray[t.Number], b: NDArray[t.Number],
               out: NDArray[t.Number] | None = None, *, math: t.Math = "exact",
               type: t.Type | None = None) -> NDArray[t.Number]: ...

    @overload
    def matmul(self, a: t.Array, b: t.Array, out: NDArray[Any] | None = None, *,
               math: t.Math = "exact", type: t.Type | None = None) -> NDArray[Any]: ...

    def matmul(self, a: Any, b: Any, out: Any = None, *, math: t.Math = "exact",
               type: t.Type | None = None) -> Any:
        """a @ b, with numpy.matmul's rules for vectors and for batches (leading axes).

        a: (..., m, k) or (k,); b: (..., k, n) or (k,), of float16, float32, float64, complex64,
        complex128 or int8, whose result is int32, or both of ml_dtypes.bfloat16, or uint16 with type="bfloat16"; or both Buffers.
        out: where the result goes.  math: "exact"; "tf32" or "half", to which operands of float32
        may be rounded; "int8" or "int8-fine", of which products of float64 may be made.  Returns out, or a new array (a new Buffer) of shape (..., m, n).

        >>> ctx.matmul(np.ones((2, 3)), np.ones((3, 2))).tolist()
        [[3.0, 3.0], [3.0, 3.0]]
        """
        if isinstance(a, Buffer) or isinstance(b, Buffer):
            return self._product("matmul", a, b, out, math=math, type=type)
        a, b = as_array(a, "matmul: a"), as_array(b, "matmul: b")
        if not a.ndim or not b.ndim:
            raise InvalidArgument(f"matmul: a has shape {a.shape} and b {b.shape}: neither may be a number")
        rows, columns, given = a.ndim > 1, b.ndim > 1, out
        if out is not None and not (rows and columns):
            out_shape = (a.shape[:-1] if rows else ()) + (
                b.shape[:-2] + b.shape[-1:] if columns else ())
            whole = is_written("matmul: the result", out, out_shape, type_of("matmul", [a, b], type)[2])[...]
            out = whole[..., None, :] if not rows and columns else whole[..., None]
            out = out if rows or columns else out[None]
        return self._product("matmul", a if rows else a[None], b if columns else b[:, None], out,
                             math=math, type=type,
                             then=lambda c: _squeeze(c, rows, columns) if given is None else given)

    def gemm(self, a: t.Matrix, b: t.Matrix, c: t.Matrix | None = None, *, alpha: complex = 1.0,
             beta: complex = 0.0, trans_a: t.Trans = "N", trans_b: t.Trans = "N",
             math: t.Math = "exact", triangle: t.Triangle | None = None,
             type: t.Type | None = None, result: t.Result | None = None,
             scale_rows: t.Line | None = None, scale_columns: t.Line | None = None,
             bias: t.Line | None = None, clamp: tuple[float, float] | None = None) -> t.Matrix:
        """c = alpha op(a) op(b) + beta c, also for batches (leading axes).

        op(x) is x ("N"), its transpose ("T"), or the transpose of its conjugates ("C").  A view such
        as x.T needs neither a copy nor "T".  op(a): (..., m, k), op(b): (..., k, n), c:
        (..., m, n), types as in matmul, or all Buffers.  triangle "lower" or "upper": only that part
        of c is written.  c None: a new array, with beta 0.  Returns c.

        result "float32" or "int8", of int8: c has that type, and is the sum in float32, times
        scale_rows (m numbers, or one), times scale_columns (n), plus bias (n), clamped to the two
        numbers of clamp; of "int8" rounded to the nearest even, and clamped to -128 and 127.

        >>> ctx.gemm(np.eye(2), np.ones((2, 2)), np.ones((2, 2)), alpha=2, beta=1).tolist()
        [[3.0, 3.0], [3.0, 3.0]]
        """
        return self._product("gemm", a, b, c, alpha=alpha, beta=beta, trans_a=trans_a,
                             trans_b=trans_b, math=math, triangle=triangle, type=type, to=result,
                             lines={"scale_rows": scale_rows, "scale_columns": scale_columns, "bias": bias},
                             clamp=clamp)

    def syrk(self, a: t.Matrix, c: t.Matrix | None = None, *, alpha: float = 1.0,
             beta: float = 0.0, trans: t.Trans = "N", triangle: t.Triangle = "lower",
             type: t.Type | None = None) -> t.Matrix:
        """One triangle of c = alpha a a^T + beta c ("N", a: (n, k)) or alpha a^T a + beta c ("T",
        a: (k, n)), for half the work of a product.

        c: (n, n); the other triangle is neither read nor written, and 0 in a new array.

        >>> ctx.syrk(np.ones((2, 3))).tolist()
        [[3.0, 0.0], [3.0, 3.0]]
        """
        return self._rank_k("syrk", a, c, trans, "T", alpha=alpha, beta=beta, triangle=triangle, type=type)

    def herk(self, a: t.Matrix, c: t.Matrix | None = None, *, alpha: float = 1.0,
             beta: float = 0.0, trans: t.Trans = "N", triangle: t.Triangle = "lower",
             type: t.Type | None = None) -> t.Matrix:
        """One triangle of the Hermitian c = alpha a a^H + beta c ("N", a: (n, k)) or
        alpha a^H a + beta c ("C", a: (k, n)); of real types as syrk.

        >>> ctx.herk(np.ones((2, 3), np.complex64), triangle="upper").real.tolist()
        [[3.0, 3.0], [0.0, 3.0]]
        """
        return self._rank_k("herk", a, c, trans, "C", alpha=alpha, beta=beta, triangle=triangle, type=type)

    def _rank_k(self, name: str, a: Any, c: Any, trans: str, other: str, **more: Any) -> Any:
        """a times its transpose `other`.  Of real types both transposes are the same."""
        a = a if isinstance(a, Buffer) else as_array(a, f"{name}: a")
        if trans not in ("N", other) and (trans not in TRANS or a.dtype.kind == "c"):
            raise InvalidArgument(f"{name}: trans is {trans!r}: of {a.dtype} it must be 'N' or {other!r}")
        return self._product(name, a, a, c, trans_a=trans, trans_b=other if trans == "N" else "N",
                             hermitian=other == "C", **more)

    def _product(self, name: str, a: Any, b: Any, c: Any, *, alpha: complex = 1.0,
                 beta: complex = 0.0, trans_a: str = "N", trans_b: str = "N", math: str = "exact",
                 triangle: str | None = None, type: str | None = None, hermitian: bool = False,
                 to: str | None = None, lines: dict[str, Any] = {}, clamp: Any = None,
                 then: Callable[[Any], Any] = lambda c: c) -> Any:
        on_device = isinstance(a, Buffer)
        if on_device != isinstance(b, Buffer) or (c is not None and
                                                  on_device != isinstance(c, Buffer)):
            raise InvalidType(f"{name}: the arguments are buffers and arrays: all must be buffers; "
                              "upload() the arrays")
        for trans in (trans_a, trans_b):
            if trans not in TRANS:
                raise InvalidArgument(f"{name}: trans is {trans!r}: it must be 'N', 'T' or 'C'")
        if not on_device:
            same, a = b is a, as_array(a, f"{name}: a")
            b = a if same else as_array(b, f"{name}: b")
        if c is not None and not on_device and not isinstance(c, np.ndarray):
            raise InvalidType(f"{name}: the result is {c.__class__.__name__}: it must be a NumPy array")
        code, dtype, result = type_of(name, [a, b], type)
        if to is not None and (to not in RESULTS or dtype != np.int8):
            raise InvalidArgument(f"{name}: result is {to!r} and the type {dtype}: for int8 it may be 'int8' "
                                  "or 'float32'")
        result = RESULTS.get(to, result)
        given = [a, b] + ([] if c is None else [c])
        if on_device and (a.dtype != dtype or b.dtype != dtype or (c is not None and c.dtype != result)):
            raise InvalidType(f"{name}: {kinds(given)}: all buffers must have one type, but int8 gives int32")

        def refuse(why: str) -> InvalidArgument:
            return InvalidArgument(f"{name}: a is {a.shape} {trans_a}, b is {b.shape} {trans_b}: "
                                   f"{why}")

        if a.ndim < 2 or b.ndim < 2:
            raise refuse("both must have two axes or more")
        m, k = a.shape[-2:] if trans_a == "N" else a.shape[:-3:-1]
        k_b, n = b.shape[-2:] if trans_b == "N" else b.shape[:-3:-1]
        if k != k_b:
            raise refuse(f"the {k} columns must be as many as the {k_b} rows")
        if triangle is not None and m != n:
            raise refuse(f"triangle is {triangle!r}: the result, {m} x {n}, must be square")
        try:
            lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        except ValueError:
            raise refuse("the axes before the last two must agree, or be 1") from None
        shape = lead + (m, n)
        lines = {key: line if line is None else _line(f"{name}: {key}", line, on_device, m if key == "scale_rows" else n)
                 for key, line in lines.items()}
        if c is None:
            if beta != 0:
                raise refuse(f"beta is {beta}: give c, to which it belongs")
            if on_device:
                c = self._ctx.buffer(shape, result)
            else:
                c = np.zeros(shape, result) if triangle else np.empty(shape, result)
        elif on_device:
            if c.shape != shape:
                raise refuse(f"c has shape {c.shape}: it must be {shape}")
        else:
            is_written(f"{name}: the result", c, shape, result)
        alpha, beta = scalar(f"{name}: alpha", alpha, complex), scalar(f"{name}: beta", beta, complex)
        is_complex = dtype.kind == "c"
        if (hermitian or not is_complex) and (alpha.imag or beta.imag):
            raise refuse(f"alpha is {alpha} and beta {beta}: for {name} of {dtype} they must be real")
        batch = prod(lead)
        if not batch or not m or not n:
            return self._do(lambda: then(c))

        g = L.GemmDesc(type=code, math=L.number("math", math), triangle=L.number("uplo", triangle, "triangle"),
                       hermitian=int(hermitian and is_complex), m=m, n=n,
                       k=k if alpha else 0, alpha=alpha.real if alpha else 1, beta=beta.real,
                       batch=batch, alpha_imag=alpha.imag, beta_imag=beta.imag,
                       result=L.number("type", to and str(to).replace("float32", "float")))
        if clamp is not None:
            g.least, g.most = clamp

        def lay() -> tuple[Matrices, Matrices, Matrices]:
            pc = c._matrices() if on_device else matrices(c, False, written=True)
            pa = self._operand(a, lead, pc.swapped, trans_a == "C" and is_complex, dtype)
            same = b is a and pa.is_copy
            pb = self._operand(pa.array.reshape(b.shape) if same else b, lead, pc.swapped,
                               trans_b == "C" and is_complex, dtype)
            return pa, pb, pc

        laid = lay() if on_device else None

        def call() -> Any:
            pa, pb, pc = laid or lay()
            kept = {key: line() for key, line in lines.items() if line}
            for key, line in kept.items():
                setattr(g, key, line._at() if on_device else line.ctypes.data)
            g.layout = COL if pc.swapped else ROW
            g.transa = _trans(trans_a, pa.swapped != pc.swapped)
            g.transb = _trans(trans_b, pb.swapped != pc.swapped)
            g.lda, g.ldb, g.ldc = pa.ld, pb.ld, pc.ld
            g.stride_a, g.stride_b, g.stride_c = pa.stride, pb.stride, pc.stride
            if on_device:
                self._c("clopt_gemm_buffers", C.byref(g),
                        *(m.array._at() for m in (pa, pb, pc)), self._order())
            else:
                self._c("clopt_gemm", C.byref(g), pa.at, pb.at, pc.at)
                copy_back(c, pc)
            return then(c)

        return self._do(call)

    def _operand(self, x: Any, lead: tuple[int, ...], swapped: bool, conjugate: bool,
                 dtype: np.dtype) -> Matrices:
        """A factor.  There is no conjugate without a transpose, so that one has to lie as c does."""
        if isinstance(x, Buffer):
            if x.shape[:-2] != lead and prod(x.shape[:-2]) != 1:
                raise InvalidArgument(f"a buffer has shape {x.shape}: for a batch of {lead} it must begin "
                                      "so, as buffers are not repeated")
            return x._matrices()
        if prod(x.shape[:-2]) == 1:
            return matrices(x.reshape(x.shape[-2:]), swapped, copy=conjugate, dtype=dtype)
        if x.shape[:-2] != lead:
            x = np.broadcast_to(x, lead + x.shape[-2:])
        return matrices(x, swapped, copy=conjugate, dtype=dtype)

    def transpose(self, a: t.Matrix, out: t.Matrix | None = None, *, alpha: float = 1.0
                  ) -> t.Matrix:
        """The transpose of a (..., rows, columns), of elements of 1, 2, 4, 8 or 16 bytes, in memory
        of its own.

        alpha: a factor, for one matrix of float32 or float64.  out: (..., columns, rows).  Returns
        out, or a new array; of a Buffer a Buffer.

        >>> ctx.transpose(np.arange(6).reshape(2, 3)).tolist()
        [[0, 3], [1, 4], [2, 5]]
        """
        on_device = isinstance(a, Buffer)
        a = a if on_device else as_array(a, "transpose: a")
        no_objects("transpose", a.dtype, a.shape)
        size = a.dtype.itemsize
        if a.ndim < 2 or size not in (1, 2, 4, 8, 16):
            raise InvalidArgument(f"transpose: a is {a.dtype} {a.shape}: it must have two axes or more, and "
                                  "elements of 1, 2, 4, 8 or 16 bytes")
        if alpha != 1 and (a.ndim != 2 or a.dtype.newbyteorder("=") not in (F32, F64) or on_device):
            raise InvalidArgument(f"transpose: alpha is {alpha}: for it a must be one matrix of float32 or "
                                  f"float64, not {a.dtype} {a.shape}")
        *lead, rows, cols = a.shape
        shape = (*lead, cols, rows)
        if out is None:
            out = (self._ctx.buffer(shape, a.dtype) if on_device else
                   np.empty(shape, a.dtype.newbyteorder("=")))
        elif not on_device:
            is_written("transpose: out", out, shape, a.dtype.newbyteorder("="))
        elif not isinstance(out, Buffer) or out.shape != shape or out.dtype != a.dtype:
            raise InvalidArgument(f"transpose: out is {out!r}: it must be a Buffer of {a.dtype} {shape}")
        if not prod(shape):
            return self._do(lambda: out)
        batch = prod(lead)
        laid = (a._matrices(), out._matrices()) if on_device else None

        def call() -> Any:
            if laid:
                pi, po = laid
            else:
                pi = matrices(a, False)
                po = matrices(out, pi.swapped, written=True, copy=True)
            down, across = (cols, rows) if pi.swapped else (rows, cols)
            if alpha != 1:
                self._c("clopt_stranspose" if size == 4 else "clopt_dtranspose", down, across, alpha,
                        pi.at, pi.ld, po.at, po.ld)
            else:
                self._c("clopt_transpose_strided_batched" + ("_buffers" if on_device else ""),
                        down, across, size, a._at() if on_device else pi.at, pi.ld, pi.stride,
                        out._at() if on_device else po.at, po.ld, po.stride, batch,
                        *((self._order(),) if on_device else ()))
            if not on_device:
                copy_back(out, po)
            return out

        return self._do(call)

    def transpose_inplace(self, a: np.ndarray) -> np.ndarray:
        """Replace a (rows, columns) by its transpose, of either byte order.  Rows may have gaps if the
        matrix is square, else it has none.  Returns a view (columns, rows) of the same memory.

        >>> ctx.transpose_inplace(np.arange(4).reshape(2, 2)).tolist()
        [[0, 2], [1, 3]]
        """
        if not isinstance(a, np.ndarray) or a.ndim != 2 or not a.flags.writeable:
            raise InvalidArgument(f"transpose_inplace: a is {type(a).__name__} {np.shape(a)}: it must be a "
                                  "writeable array of two axes")
        as_array(a)
        no_objects("transpose_inplace", a.dtype, a.shape)
        rows, cols = a.shape
        if not a.size:
            return self._do(lambda: a.reshape(cols, rows))
        pa = matrices(a.view(a.dtype.newbyteorder("=")), False, written=True)
        if pa.is_copy or pa.swapped or (rows != cols and pa.ld != max(cols, 1)):
            raise InvalidArgument(f"transpose_inplace: a {a.shape} has steps of {a.strides} bytes: it must "
                                  "be aligned and in C order")

        def call() -> np.ndarray:
            self._c("clopt_transpose_inplace", rows, cols, a.itemsize, pa.at, pa.ld)
            return a if rows == cols else a.reshape(cols, rows)

        return self._do(call)


def _line(name: str, line: Any, on_device: bool, length: int) -> Callable[[], Any]:
    """A function that gives a scale or the bias as the library takes it, at the time of the call."""
    line = line if isinstance(line, Buffer) else as_array(line, name)
    if on_device != isinstance(line, Buffer) or (on_device and line.dtype != F32):
        raise InvalidType(f"{name} is {kinds([line])}: with buffers it must be a Buffer of float32, else numbers")
    if line.shape != (length,) and (on_device or line.shape not in ((), (1,))):
        raise InvalidArgument(f"{name} has shape {line.shape}: it must be ({length},)")
    if on_device:
        return lambda: line
    return lambda: np.ascontiguousarray(np.broadcast_to(line, (length,)), F32)


def _squeeze(c: Any, rows: bool, columns: bool) -> Any:
    """numpy.matmul's result, without the axes that vectors were given."""
    if not columns:
        c = c[..., 0]
    if not rows:
        c = c[..., 0, :] if columns else c[..., 0]
    return c if c.ndim else c[()]


def _trans(word: str, turned: bool) -> int:
    """The number for an operand that lies turned or not."""
    if turned:
        word = {"N": "T", "T": "N"}[word if word != "C" else "T"]
    return L.ENUMS["trans"][TRANS[word]]
