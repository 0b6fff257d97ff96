# SPDX-License-Identifier: MIT
"""The context: a device, and the routines on it."""
from __future__ import annotations

import ctypes as C
import math as m_
import weakref
from typing import TYPE_CHECKING, Any, Callable, TypeVar

import numpy as np

from . import _library as L
from ._answers import (Conserved, Device, Gravity, Plan, Potential, Report, answer, rows_of_four)
from ._arrays import (TYPES, Matrices, address, contiguous, copy_back, is_written, matrices,
                      type_of)
from ._buffers import Buffer
from ._errors import InvalidArgument, InvalidType
from ._points import Results, new_results, pass_points, pass_results, points
from ._worker import Future, Worker

if TYPE_CHECKING:
    from typing import ParamSpec

    P = ParamSpec("P")
T = TypeVar("T")

TRANS = {"N": "no", "T": "yes", "C": "conj"}
COL, ROW = L.ENUMS["layout"]["col-major"], L.ENUMS["layout"]["row-major"]
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


class Routines:
    """The routines of clopt.h.  Arrays are NumPy's; what a routine cannot take as it lies is copied
    once.  Refused arguments raise InvalidArgument or InvalidType before anything is computed."""

    _worker: Worker
    _queue: int | None

    def _do(self, call: Callable[[], T]) -> T:
        raise NotImplementedError

    def _c(self, name: str, *arguments: Any, ctx: bool = True) -> None:
        """Call a function of the library in the thread of the context."""
        handle = self._worker.handle
        status = getattr(L.lib, name)(*((handle,) if ctx else ()), *arguments)
        if status:
            raise L.failure(status, handle)

    # ---- Products

    def matmul(self, a: Any, b: Any, out: Any = None, *, math: str = "exact",
               type: str | None = None) -> Any:
        """a @ b, with numpy.matmul's rules for vectors and for batches (leading axes).

        a: (..., m, k) or (k,); b: (..., k, n) or (k,), of one type: float16, float32, float64,
        complex64, complex128, ml_dtypes.bfloat16, or uint16 with type="bfloat16"; or both Buffers.
        out: where the result goes.  math: "exact", "tf32" or "half", to which operands of float32
        may be rounded.  Returns out, or a new array (a new Buffer) of shape (..., m, n).
        """
        if isinstance(a, Buffer) or isinstance(b, Buffer):
            return self._product("matmul", a, b, out, math=math, type=type)
        a, b = np.asarray(a), np.asarray(b)
        if not a.ndim or not b.ndim:
            raise InvalidArgument(f"matmul: a is {a.shape} and b is {b.shape}: no numbers are taken")
        rows, columns = a.ndim > 1, b.ndim > 1
        if out is not None and not (rows and columns):
            out_shape = (a.shape[:-1] if rows else ()) + (
                b.shape[:-2] + b.shape[-1:] if columns else ())
            whole = is_written("out", out, out_shape, a.dtype.newbyteorder("="))[...]
            out = whole[..., None, :] if not rows and columns else whole[..., None]
            out = out if rows or columns else out[None]
        c = self._product("matmul", a if rows else a[None], b if columns else b[:, None], out,
                          math=math, type=type, then=lambda c: _squeeze(c, rows, columns))
        return c

    def gemm(self, a: Any, b: Any, c: Any = None, *, alpha: complex = 1.0, beta: complex = 0.0,
             trans_a: str = "N", trans_b: str = "N", math: str = "exact",
             triangle: str | None = None, type: str | None = None) -> Any:
        """c = alpha op(a) op(b) + beta c, also for batches (leading axes).

        op(x) is x ("N"), its transpose ("T"), or the transpose of its conjugates ("C").  A view such
        as x.T needs neither a copy nor "T".  op(a): (..., m, k), op(b): (..., k, n), c:
        (..., m, n), types as in matmul, or all Buffers.  triangle "lower" or "upper": only that part
        of c is written.  c None: a new array, with beta 0.  Returns c.
        """
        return self._product("gemm", a, b, c, alpha=alpha, beta=beta, trans_a=trans_a,
                             trans_b=trans_b, math=math, triangle=triangle, type=type)

    def syrk(self, a: Any, c: Any = None, *, alpha: float = 1.0, beta: float = 0.0,
             trans: str = "N", triangle: str = "lower", type: str | None = None) -> Any:
        """One triangle of c = alpha a a^T + beta c ("N", a: (n, k)) or alpha a^T a + beta c ("T",
        a: (k, n)), for half the work of a product.

        c: (n, n); the other triangle is neither read nor written, and 0 in a new array.
        """
        return self._product("syrk", a, a, c, alpha=alpha, beta=beta, trans_a=trans,
                             trans_b="T" if trans == "N" else "N", triangle=triangle, type=type)

    def herk(self, a: Any, c: Any = None, *, alpha: float = 1.0, beta: float = 0.0,
             trans: str = "N", triangle: str = "lower", type: str | None = None) -> Any:
        """One triangle of the Hermitian c = alpha a a^H + beta c ("N", a: (n, k)) or
        alpha a^H a + beta c ("C", a: (k, n)); of real types as syrk."""
        return self._product("herk", a, a, c, alpha=alpha, beta=beta, trans_a=trans,
                             trans_b="C" if trans == "N" else "N", triangle=triangle, type=type,
                             hermitian=True)

    def _product(self, name: str, a: Any, b: Any, c: Any, *, alpha: complex = 1.0,
                 beta: complex = 0.0, trans_a: str = "N", trans_b: str = "N", math: str = "exact",
                 triangle: str | None = None, type: str | None = None, hermitian: bool = False,
                 then: Callable[[Any], Any] = lambda c: c) -> Any:
        on_device = isinstance(a, Buffer)
        if on_device != isinstance(b, Buffer) or (c is not None and
                                                  on_device != isinstance(c, Buffer)):
            raise InvalidType(f"{name}: buffers and arrays in one call: upload() the arrays")
        for trans in (trans_a, trans_b):
            if trans not in TRANS:
                raise InvalidArgument(f"{name}: trans {trans!r} is none of N, T, C")
        if not on_device:
            a, b = np.asarray(a), b if b is a else np.asarray(b)
        given = [a, b] + ([] if c is None else [c])
        if c is not None and not on_device and not isinstance(c, np.ndarray):
            raise InvalidType(f"{name}: {c.__class__.__name__} is no array to write to")
        code = type_of(name, given, type)

        def refuse(why: str) -> InvalidArgument:
            return InvalidArgument(f"{name}: a is {a.shape} {trans_a}, b is {b.shape} {trans_b}: "
                                   f"{why}")

        if a.ndim < 2 or b.ndim < 2:
            raise refuse("matrices have two axes")
        m, k = a.shape[-2:] if trans_a == "N" else a.shape[:-3:-1]
        k_b, n = b.shape[-2:] if trans_b == "N" else b.shape[:-3:-1]
        if k != k_b:
            raise refuse(f"{k} columns and {k_b} rows")
        if triangle is not None and m != n:
            raise refuse(f"a triangle of {m} x {n}")
        try:
            lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        except ValueError:
            raise refuse("batches of different shapes") from None
        shape, dtype = lead + (m, n), a.dtype.newbyteorder("=")
        if c is None:
            if beta != 0:
                raise refuse(f"beta is {beta}, but there is no c")
            if on_device:
                c = self._ctx.buffer(shape, dtype)
            else:
                c = np.zeros(shape, dtype) if triangle else np.empty(shape, dtype)
        elif on_device:
            if c.shape != shape:
                raise refuse(f"c has shape {c.shape}; {shape} is needed")
        else:
            is_written(f"{name}: the result", c, shape, dtype)
        alpha, beta = complex(alpha), complex(beta)
        batch = m_.prod(lead)
        if not batch or not m or not n:
            return self._do(lambda: then(c))

        pc = c._matrices() if on_device else matrices(c, False, written=True)
        is_complex = dtype.kind == "c"
        pa = self._operand(a, lead, pc.swapped, trans_a == "C" and is_complex)
        same = b is a and pa.is_copy
        pb = self._operand(pa.array if same else b, lead, pc.swapped,
                           trans_b == "C" and is_complex)
        g = L.GemmDesc(type=code, layout=COL if pc.swapped else ROW,
                       transa=_trans(trans_a, pa.swapped != pc.swapped),
                       transb=_trans(trans_b, pb.swapped != pc.swapped),
                       math=L.number("math", math), triangle=L.number("uplo", triangle),
                       hermitian=int(hermitian and is_complex), m=m, n=n,
                       k=k if alpha else 0, alpha=alpha.real if alpha else 1, beta=beta.real,
                       lda=pa.ld, ldb=pb.ld, ldc=pc.ld, batch=batch, stride_a=pa.stride,
                       stride_b=pb.stride, stride_c=pc.stride, alpha_imag=alpha.imag,
                       beta_imag=beta.imag)

        def call() -> Any:
            if on_device:
                self._c("clopt_gemm_buffers", C.byref(g), pa.at, pb.at, pc.at, self._order())
            else:
                self._c("clopt_gemm", C.byref(g), pa.at, pb.at, pc.at)
                copy_back(c, pc)
            return then(c)

        return self._do(call)

    def _operand(self, x: Any, lead: tuple[int, ...], swapped: bool, conjugate: bool) -> Matrices:
        """A factor.  There is no conjugate without a transpose, so that one has to lie as c does."""
        if isinstance(x, Buffer):
            if x.shape[:-2] != lead and m_.prod(x.shape[:-2]) != 1:
                raise InvalidArgument(f"buffers are not repeated: {x.shape} for a batch of {lead}")
            return x._matrices()
        if m_.prod(x.shape[:-2]) == 1:
            return matrices(x.reshape(x.shape[-2:]), swapped, copy=conjugate)
        if x.shape[:-2] != lead:
            x = np.broadcast_to(x, lead + x.shape[-2:])
        return matrices(x, swapped, copy=conjugate)

    # ---- Transposes

    def transpose(self, a: Any, out: Any = None, *, alpha: float = 1.0) -> Any:
        """The transpose of a (..., rows, columns), of elements of 1, 2, 4, 8 or 16 bytes, in memory
        of its own.

        alpha: a factor, for one matrix of float32 or float64.  out: (..., columns, rows).  Returns
        out, or a new array; of a Buffer a Buffer.
        """
        on_device = isinstance(a, Buffer)
        a = a if on_device else np.asarray(a)
        size = a.dtype.itemsize
        if a.ndim < 2 or size not in (1, 2, 4, 8, 16):
            raise InvalidArgument(f"transpose: {a.dtype} {a.shape}: a matrix of elements of 1, 2, 4, "
                                  "8 or 16 bytes is needed")
        if alpha != 1 and (a.ndim != 2 or a.dtype not in (F32, F64) or on_device):
            raise InvalidArgument(f"transpose: alpha is {alpha}: {a.dtype} {a.shape} is not one "
                                  "matrix of float32 or float64")
        *lead, rows, cols = a.shape
        shape = (*lead, cols, rows)
        if out is None:
            out = (self._ctx.buffer(shape, a.dtype) if on_device else
                   np.empty(shape, a.dtype.newbyteorder("=")))
        elif not on_device:
            is_written("transpose: out", out, shape, a.dtype.newbyteorder("="))
        elif not isinstance(out, Buffer) or out.shape != shape or out.dtype != a.dtype:
            raise InvalidArgument(f"transpose: out is {out!r}: a Buffer of {a.dtype} {shape} is "
                                  "needed")
        if not m_.prod(shape):
            return self._do(lambda: out)
        pi = a._matrices() if on_device else matrices(a, False)
        po = out._matrices() if on_device else matrices(out, pi.swapped, written=True, copy=True)
        if pi.swapped:
            rows, cols = cols, rows
        batch = m_.prod(lead)

        def call() -> Any:
            if alpha != 1:
                self._c("clopt_stranspose" if size == 4 else "clopt_dtranspose", rows, cols, alpha,
                        pi.at, pi.ld, po.at, po.ld)
            else:
                self._c("clopt_transpose_strided_batched" + ("_buffers" if on_device else ""),
                        rows, cols, size, pi.at, pi.ld, pi.stride, po.at, po.ld, po.stride, batch,
                        *((self._order(),) if on_device else ()))
            if not on_device:
                copy_back(out, po)
            return out

        return self._do(call)

    def transpose_inplace(self, a: np.ndarray) -> np.ndarray:
        """Replace a (rows, columns) by its transpose.  Rows may have gaps if the matrix is square,
        else it has none.  Returns a view (columns, rows) of the same memory."""
        if not isinstance(a, np.ndarray) or a.ndim != 2 or not a.flags.writeable:
            raise InvalidArgument("transpose_inplace: a matrix that may be written is needed, not "
                                  f"{type(a).__name__} {np.shape(a)}")
        pa = matrices(a, False, written=True)
        rows, cols = a.shape
        if pa.is_copy or pa.swapped or (rows != cols and pa.ld != max(cols, 1)):
            raise InvalidArgument(f"transpose_inplace: {a.shape} with steps of {a.strides} bytes: "
                                  "rows without gaps are needed, one behind the other")

        def call() -> np.ndarray:
            self._c("clopt_transpose_inplace", rows, cols, a.itemsize, pa.at, pa.ld)
            return a if rows == cols else a.reshape(cols, rows)

        return self._do(call)

    # ---- Sums over pairs

    def potential(self, sources: Any, targets: Any = None, *, weights: Any = None,
                  law: str = "coulomb", field: bool = False, normal: bool = False,
                  out: Results | None = None, part: str = "total", precision: str | None = None,
                  scale: float = 1.0, eps_in: float = 0.0, eps_out: float = 0.0,
                  kappa: float = 0.0, projection: float = 0.0, radius: float = 0.0,
                  ion_radius: float = 0.0, alpha: float = 0.0, normals: Any = None,
                  depths: Any = None, charge: float | None = None,
                  gem_compat: bool = False) -> Potential | Results:
        """Potential of charges at targets, phi_i = scale / eps_in  sum_j q_j / |x_i - x_j|, or by
        another law; clopt_potential in clopt.h has the formulas and their sources.

        sources, targets (None: the sources): arrays (n, 4) of x, y, z and charge, (n, 3) with
        weights (n,), structured arrays (weights: the field's name; else w, m, mass, q or charge), or
        clopt.Points, of float32 or float64.  law: "coulomb", "distance4", "debye", "alpb".  part:
        "total", "reaction", "coulomb".  precision: "float", "compensated", "double-single",
        "double", "best"; default: best for float64.  kappa: clopt.kappa(); lengths in one unit of
        the caller's choice, charges in another: with e and Angstrom scale=332.06371 gives
        kcal/mol/e.  eps 0: 1 and 80.  normals: (ntargets, 3), or (ntargets, 4) with distances
        that are added to projection; depths: (nsources,).

        Returns phi (n,), with field=True also the field (n, 3), with normal=True the field along
        the normals; or out, whose arrays say what is computed.
        """
        p = L.PotentialOptions(law=L.number("law", law), part=L.number("part", part),
                               precision=L.number("precision", precision), scale=scale,
                               eps_in=eps_in, eps_out=eps_out, kappa=kappa, projection=projection,
                               radius=radius, ion_radius=ion_radius, alpha=alpha,
                               gem_compat=int(gem_compat))
        s = points("sources", sources, weights)
        t = s if targets is None else points("targets", targets)
        kept: list[Any] = []
        if normals is not None:
            kept.append(rows_of_four("normals", normals))
            if len(kept[-1]) != len(t.x):
                raise InvalidArgument(f"{len(kept[-1])} normals for {len(t.x)} targets")
            p.normals = address(kept[-1])
        if depths is not None:
            kept.append(np.ascontiguousarray(depths, F32))
            if kept[-1].shape != (len(s.x),):
                raise InvalidArgument(f"depths have shape {kept[-1].shape} for {len(s.x)} sources")
            p.depths = address(kept[-1])
        if charge is not None:
            kept.append(C.c_double(charge))
            p.charge = C.addressof(kept[-1])
        names = "x y z phi" if field else "phi normal" if normal else "phi"
        if field and normal:
            raise InvalidArgument("potential: field and normal: a call computes one of them")

        def parts(table: np.ndarray) -> Potential:
            return Potential(table[:, -1 if field else 0], table[:, :3] if field else None,
                             table[:, 1] if normal else None)

        return self._sum("clopt_potential_points", s, t, out, names, parts, p, kept)

    def gravity(self, sources: Any, targets: Any = None, *, weights: Any = None,
                velocities: Any = None, target_velocities: Any = None, potential: bool = False,
                jerk: bool = False, out: Results | None = None, g: float = 1.0,
                softening: float = 0.0, precision: str | None = None,
                target_softening: bool = False) -> Gravity | Results:
        """Accelerations by the gravity of bodies, with Plummer softening (a length):
        a_i = g sum_j m_j (x_j - x_i) / (|x_i - x_j|^2 + softening^2)^(3/2).

        sources, targets (None: the sources), weights: as in potential; masses are weights, in the
        unit of g.  velocities: (n, 3), for the jerk.  precision: as in potential;
        "double" is right to about 1e-15 of the terms' magnitudes.  A body does not act on itself.

        Returns the acceleration (n, 3), with potential=True also the potential (n,), with jerk=True
        the jerk (n, 3); or out, whose arrays say what is computed.
        """
        o = L.NbodyOptions(g=g, softening=softening, precision=L.number("precision", precision),
                           target_softening=int(target_softening))
        s = points("sources", sources, weights, velocities)
        t = s if targets is None else points("targets", targets, None, target_velocities)
        names = "x y z" + " phi" * potential + " jx jy jz" * jerk

        def parts(table: np.ndarray) -> Gravity:
            return Gravity(table[:, :3], table[:, 3] if potential else None,
                           table[:, -3:] if jerk else None)

        return self._sum("clopt_gravity", s, t, out, names, parts, o, [])

    def _sum(self, name: str, sources: Any, targets: Any, out: Results | None, names: str,
             parts: Callable[[np.ndarray], Any], options: C.Structure, kept: list) -> Any:
        ps, kept_s = pass_points("sources", sources)
        pt, kept_t = (ps, kept_s) if targets is sources else pass_points("targets", targets)
        table = None
        if out is None:
            is_double = L.ENUMS["type"]["double"] in (ps.type, pt.type)
            results, table = new_results(pt.n, F64 if is_double else F32, names)
        else:
            results = out
        pr, written, wanted = pass_results(results, pt.n)
        keep = (kept_s, kept_t, kept)

        def call() -> Any:
            self._c(name, C.byref(ps), C.byref(pt), C.byref(pr), C.byref(options))
            assert keep
            if written is not wanted:
                for k, a in wanted.items():
                    a[...] = written[k]
            return out if table is None else parts(table)

        return self._do(call)

    def nbody(self, sources: Any, targets: Any = None, *, g: float = 1.0, softening: float = 0.0,
              precision: str | None = None, target_softening: bool = False,
              potential: bool = False, out: np.ndarray | None = None) -> np.ndarray:
        """Gravity in float32: sources (n, 4) of x, y, z, m, and targets (n, 4) (None: the sources)
        give ax, ay, az and the potential (0 without potential=True), as (n, 4)."""
        o = L.NbodyOptions(g=g, softening=softening, precision=L.number("precision", precision),
                           target_softening=int(target_softening), potential=int(potential))
        s = _rows("nbody: sources", sources)
        t = s if targets is None else _rows("nbody: targets", targets)
        if out is None:
            out = np.empty(t.shape, F32)
        work = contiguous(is_written("nbody: out", out, t.shape, F32))

        def call() -> np.ndarray:
            self._c("clopt_nbody", len(s), address(s), len(t), address(t), address(work),
                    C.byref(o))
            return _back(out, work)

        return self._do(call)

    # ---- Bodies that move

    def leapfrog(self, bodies: np.ndarray, velocities: np.ndarray, dt: float, steps: int, *,
                 g: float = 1.0, softening: float = 0.0) -> None:
        """Move bodies (n, 4) of x, y, z, m, with velocities (n, 4) of vx, vy, vz and a number that
        is kept, both float32, in place, through leapfrog steps (kick, drift, kick) of length dt."""
        b, v = _moving("leapfrog", bodies, velocities, F32)
        o = L.NbodyOptions(g=g, softening=softening)
        _steps("leapfrog", steps)

        def call() -> None:
            try:
                self._c("clopt_nbody_leapfrog", len(b), address(b), address(v), dt, steps,
                        C.byref(o))
            finally:
                _back(bodies, b), _back(velocities, v)

        return self._do(call)

    def evolve(self, bodies: np.ndarray, velocities: np.ndarray, dt: float, steps: int,
               callback: Callable[[int, np.ndarray, np.ndarray, Conserved], Any] | None = None, *,
               every: int = 0, integrator: str = "kick-drift-kick", precision: str | None = None,
               g: float = 1.0, softening: float = 0.0) -> None:
        """Move bodies (n, 4) of x, y, z, m with velocities (n, 4), both float64, in place.

        integrator: "kick-drift-kick" (order 2) or "hermite" (order 4).  precision: "float",
        "double-single", "double", "best" (the default), also between steps.

        callback(step, bodies, velocities, sums) is called after the last step, and unless every is 0
        before the first (step 0) and after each step whose number is a multiple of it, in the
        thread of the caller (of a started call: in the context's).  Its arrays are read-only views,
        sums is a Conserved.  If it returns something true the run ends there; if it raises, the
        run ends and the exception is raised.
        Source: Makino, Aarseth, Publ. Astron. Soc. Japan 44, 141 (1992).
        """
        b, v = _moving("evolve", bodies, velocities, F64)
        _steps("evolve", steps)
        _steps("evolve", every, "every")
        o = self._evolve_options(integrator, precision, g, softening)
        o.every = every
        worker = self._worker
        shown = b.view(), v.view()
        for view in shown:
            view.flags.writeable = False

        def each(_: Any, step: int, __: Any, ___: Any, sums: int) -> int:
            job = worker.now
            if job.is_cancelled:
                return 1
            conserved = answer(Conserved, L.Conserved.from_address(sums))
            stop = job.outside(lambda: bool(callback and callback(step, *shown, conserved)), worker)
            return int(stop or job.raised is not None)

        def call() -> None:
            if callback is not None:
                o.each = L.EACH(each)
            try:
                self._c("clopt_nbody_evolve", len(b), address(b), address(v), dt, steps, C.byref(o))
            finally:
                o.each = L.EACH()
                _back(bodies, b), _back(velocities, v)

        return self._do(call)

    def conserved(self, bodies: Any, velocities: Any, *, precision: str | None = None,
                  g: float = 1.0, softening: float = 0.0) -> Conserved:
        """Mass, energies, momentum, angular momentum and centre of mass of bodies (n, 4) and
        velocities (n, 4), as evolve's callback gets them."""
        b, v = (_rows("conserved: " + name, a, F64)
                for name, a in (("bodies", bodies), ("velocities", velocities)))
        if b.shape != v.shape:
            raise InvalidArgument(f"conserved: bodies are {b.shape} and velocities {v.shape}")
        o = self._evolve_options("kick-drift-kick", precision, g, softening)
        sums = L.Conserved()

        def call() -> Conserved:
            self._c("clopt_nbody_conserved", len(b), address(b), address(v), C.byref(o),
                    C.byref(sums))
            return answer(Conserved, sums)

        return self._do(call)

    @staticmethod
    def _evolve_options(integrator: str, precision: str | None, g: float,
                        softening: float) -> L.EvolveOptions:
        return L.EvolveOptions(g=g, softening=softening,
                               integrator=L.number("integrator", integrator),
                               precision=L.number("precision", precision))

    def _order(self) -> Any:
        """The queue of commands on buffers: the adopted one, or the context's own."""
        return C.byref(L.Order(queue=self._queue)) if self._queue else None

    @property
    def _ctx(self) -> Context:
        raise NotImplementedError


class Context(Routines):
    """A device, its kernels and the routines on it: ``with clopt.Context() as ctx: ...``

    Options are those of struct clopt_options in clopt.h, with their names; what is not given is
    taken from the environment (docs/environment.md), or is the library's default.

    device: "gpu", "nvidia", "vendor:type:name", or an index of clopt.devices(); mem_limit_bytes:
    device memory of one call; check: "off", "first", "always"; transfer: "auto", "driver", "staged";
    verbose=True: a line for each call, to log(line) or standard error; progress(done): about five
    times a second in a long call, with the part done; something true cancels the call.  log and
    progress run in the thread of the context.

    Threads may share a context; their calls run one after the other.  A Ctrl-C in the main thread
    cancels its call.  In a child process (fork) calls raise ForkError.
    """

    def __init__(self, device: str | int | None = None, *, variants: str | None = None,
                 mem_limit_bytes: int = 0, queues: int = 0, profile: bool = False,
                 verbose: bool | None = None, check: str | None = None,
                 transfer: str | None = None, copy_threads: int = 0, chunk_bytes: int = 0,
                 slice_seconds: float = 0.0, tune_seconds: float = 0.0,
                 tuning: str | None = None, cache_dir: str | None = None, cache_bytes: int = 0,
                 probe_seconds: float = 0.0, quirks: str | None = None,
                 log: Callable[[str], None] | None = None,
                 progress: Callable[[float], Any] | None = None, keep_output: bool = False,
                 _adopted: tuple[int, int] | None = None) -> None:
        worker = Worker(log, progress)
        for name, value in (("mem_limit_bytes", mem_limit_bytes), ("queues", queues),
                            ("copy_threads", copy_threads), ("chunk_bytes", chunk_bytes),
                            ("cache_bytes", cache_bytes)):
            if value < 0:
                raise InvalidArgument(f"{name} is {value}")
        words = {"device": device, "variants": variants, "tuning": tuning, "cache_dir": cache_dir,
                 "quirks": quirks}
        options = L.Options(
            **{k: str(v).encode() for k, v in words.items() if v is not None},
            mem_limit_bytes=mem_limit_bytes, queues=queues, profile=int(profile),
            verbose=0 if verbose is None else 1 if verbose else -1,
            check=L.number("check", check), transfer=L.number("transfer", transfer),
            copy_threads=copy_threads, chunk_bytes=chunk_bytes, slice_seconds=slice_seconds,
            tune_seconds=tune_seconds, cache_bytes=cache_bytes, probe_seconds=probe_seconds,
            log=worker.log, progress=worker.progress, keep_output=int(keep_output))
        L.begin()
        handle = C.c_void_p()
        if _adopted:
            status = L.lib.clopt_open_cl(C.byref(handle), *_adopted, C.byref(options))
        else:
            status = L.lib.clopt_open(C.byref(handle), C.byref(options))
        if status:
            worker.log = worker.progress = None  # they and the worker have each other
            raise L.failure(status, None)
        worker.start(handle.value)
        self._worker, self._queue = worker, None
        self._kept: Any = None  # pyopencl's objects
        self._buffers: weakref.WeakSet[Buffer] = weakref.WeakSet()
        self._finalizer = weakref.finalize(self, worker.close)
        self._free_queue: Callable[[], Any] = lambda: None  # of an adopted queue

    @classmethod
    def from_pyopencl(cls, context: Any, queue: Any = None, **options: Any) -> Context:
        """A context on a pyopencl.Context and its first device, or that of a
        pyopencl.CommandQueue (in order), behind whose commands those on buffers then run.

        options: as of Context, except device.
        """
        if not hasattr(context, "int_ptr") or (queue is not None and not hasattr(queue, "int_ptr")):
            raise InvalidType(f"from_pyopencl: {type(context).__name__} and {type(queue).__name__}: "
                              "a pyopencl.Context, and a pyopencl.CommandQueue or None, are needed")
        device = queue.device if queue is not None else context.devices[0]
        ctx = cls(_adopted=(context.int_ptr, device.int_ptr), **options)
        ctx._kept = (context, queue)
        if queue is not None:
            handle = C.c_void_p()
            try:
                ctx._do(lambda: ctx._c("clopt_queue_from_cl", queue.int_ptr, C.byref(handle)))
            except BaseException:
                ctx.close()
                raise
            ctx._queue = handle.value
            ctx._free_queue = weakref.finalize(ctx, ctx._worker.post,
                                               lambda: L.lib.clopt_queue_free(handle))
        return ctx

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is not None:
            self._worker.abandon()
        self.close()

    def close(self) -> None:
        """Wait for started calls, then release the device and all buffers.  Pinned arrays keep
        their memory, and what it needs, until they are gone."""
        for buffer in list(self._buffers):
            buffer.free()
        self._free_queue()
        self._finalizer()

    def cancel(self) -> None:
        """Cancel the call that runs, if any, from any thread or callback: it raises Cancelled, or
        returns if it was at its end."""
        self._worker.cancel()

    def start(self, routine: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Start a routine of this context: ``f = ctx.start(ctx.matmul, a, b)``; then
        ``f.result()``, or ``await f``.

        Started calls run in the order of their start, while the caller goes on.  Until the call is
        done its arrays must not be changed.  Arguments are checked at once.
        """
        name = getattr(routine, "__name__", "")
        if getattr(routine, "__self__", None) is not self or not hasattr(Routines, name):
            raise InvalidArgument(f"start: {name or routine!r} is no routine of this context")
        return getattr(_Starter(self), name)(*args, **kwargs)

    def _do(self, call: Callable[[], T]) -> T:
        return self._worker.do(call)

    @property
    def _ctx(self) -> Context:
        return self

    # ---- Memory

    def pinned(self, shape: int | tuple[int, ...], dtype: Any = np.float32) -> np.ndarray:
        """A new array in memory with the fastest transfers, not initialised; where host and device
        share memory, arrays in it are used in place.  The memory lives as long as the array and its
        views, also beyond close()."""
        dtype = np.dtype(dtype)
        shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        count = m_.prod(shape)
        if not count or dtype.hasobject:
            return np.empty(shape, dtype)
        worker, memory = self._worker, C.c_void_p()

        def allocate() -> None:
            self._c("clopt_host_alloc", count * dtype.itemsize, C.byref(memory), None)
            worker.users += 1

        self._do(allocate)
        at = memory.value
        owner = (C.c_char * (count * dtype.itemsize)).from_address(at)

        def free() -> None:
            L.lib.clopt_host_free(worker.handle, at)
            worker.release()

        weakref.finalize(owner, worker.post, free).atexit = False
        return np.frombuffer(owner, dtype).reshape(shape)

    def trim(self) -> None:
        """Release the memory that was kept for the next call or pinned array."""
        self._do(lambda: self._c("clopt_host_trim"))

    def buffer(self, shape: int | tuple[int, ...], dtype: Any = np.float32) -> Buffer:
        """An array on the device, not initialised."""
        shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        dtype, handle = np.dtype(dtype), C.c_void_p()
        self._do(lambda: self._c("clopt_buffer_new", m_.prod(shape) * dtype.itemsize,
                                 C.byref(handle)))
        return self._new_buffer(handle, shape, dtype)

    def upload(self, array: Any) -> Buffer:
        """A copy of an array on the device."""
        array = contiguous(np.asarray(array))
        return self.buffer(array.shape, array.dtype).upload(array)

    def buffer_from_pyopencl(self, memory: Any, shape: tuple[int, ...] | None = None,
                             dtype: Any = None) -> Buffer:
        """A pyopencl.Buffer (with shape and dtype), or a pyopencl.array.Array in C order, as a
        Buffer on the same memory; of a context by from_pyopencl."""
        shape = tuple(getattr(memory, "shape", ()) if shape is None else shape)
        dtype = np.dtype(memory.dtype if dtype is None else dtype)
        whole = getattr(memory, "base_data", memory)
        if getattr(memory, "offset", 0) and whole is not memory:
            raise InvalidArgument(f"the array begins {memory.offset} bytes into its memory")
        if whole is not memory and not memory.flags.c_contiguous:
            raise InvalidArgument(f"an array {shape} with steps of {memory.strides} bytes: C order "
                                  "is needed")
        handle = C.c_void_p()
        self._do(lambda: self._c("clopt_buffer_from_cl", whole.int_ptr, C.byref(handle)))
        return self._new_buffer(handle, shape, dtype)

    def _new_buffer(self, handle: C.c_void_p, shape: tuple[int, ...], dtype: np.dtype) -> Buffer:
        buffer = Buffer(self, handle.value, shape, dtype)
        self._buffers.add(buffer)
        return buffer

    def finish(self) -> None:
        """Wait for all commands on buffers."""
        self._do(lambda: self._c("clopt_queue_finish", self._queue))

    # ---- Answers

    @property
    def device(self) -> Device:
        """The device of this context."""
        info = L.DeviceInfo()
        self._do(lambda: self._c("clopt_device_get", C.byref(info)))
        return answer(Device, info)

    def last_report(self) -> Report:
        """How the last routine on this context went; also Future.report, of a started call."""
        return self._do(self._report)

    def _report(self) -> Report:
        report = L.Report()
        self._c("clopt_last_report", C.byref(report))
        return answer(Report, report)

    def explain(self, op: str, *dim: int, **problem: Any) -> str:
        """Which kernel variant serves a problem, and why those before it do not.

        op: "matmul" (dim: m, n, k), "transpose" (rows, columns), "potential" or "nbody" (nsources,
        ntargets), "leapfrog", "evolve-force" (bodies).  problem: fields of struct clopt_problem:
        dtype, trans_a, trans_b, law, outputs, precision, normals, depths, layout, math, triangle,
        hermitian, scaled, uneven, batch, steps.
        """
        p, words = _problem(op, dim, **problem), C.create_string_buffer(65536)
        self._do(lambda: self._c("clopt_explain", C.byref(p), words, len(words)))
        return words.value.decode(errors="replace")

    def plan(self, op: str, *dim: int, dry: bool = False, **problem: Any) -> Plan:
        """What a call would take, before there are arrays: memory, transfers, seconds.  Arguments as
        of explain; dry=True: nothing is run or moved."""
        p, plan = _problem(op, dim, **problem), L.PlanInfo(dry=int(dry))
        self._do(lambda: self._c("clopt_plan", C.byref(p), C.byref(plan)))
        return answer(Plan, plan)

    def __repr__(self) -> str:
        return f"<clopt.Context{' (closed)' if self._worker.is_closed else ''}>"

    def __reduce__(self) -> Any:
        raise TypeError("a clopt.Context cannot be pickled: it belongs to this process; open one in "
                        "each process")


class _Starter(Routines):
    """The routines of a context, started."""

    def __init__(self, ctx: Context) -> None:
        self._context, self._worker, self._queue = ctx, ctx._worker, ctx._queue

    def _do(self, call: Callable[[], T]) -> Any:
        return self._worker.begin(call, self._context._report)

    @property
    def _ctx(self) -> Context:
        return self._context


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


def _rows(name: str, given: Any, dtype: np.dtype = F32) -> np.ndarray:
    """An array (n, 4) without gaps."""
    a = np.asarray(given)
    if a.ndim != 2 or a.shape[1] != 4:
        raise InvalidArgument(f"{name} has shape {a.shape}; (n, 4) is needed")
    if a.dtype.newbyteorder("=") != dtype:
        raise InvalidType(f"{name} is {a.dtype} {a.shape}; {dtype} is needed")
    return contiguous(a)


def _moving(name: str, bodies: Any, velocities: Any, dtype: np.dtype) -> list[np.ndarray]:
    """Both arrays, or copies without gaps, to be written."""
    for what, a in (("bodies", bodies), ("velocities", velocities)):
        is_written(f"{name}: {what}", a, (len(bodies), 4), dtype)
    return [contiguous(bodies), contiguous(velocities)]


def _back(to: np.ndarray, work: np.ndarray) -> np.ndarray:
    if to is not work:
        to[...] = work
    return to


def _steps(name: str, steps: Any, what: str = "steps") -> None:
    if not isinstance(steps, (int, np.integer)) or steps < 0:
        raise InvalidArgument(f"{name}: {what} is {steps!r}: a whole number from 0 on is needed")


def _problem(op: str, dim: tuple[int, ...], dtype: Any = None, trans_a: str = "N",
             trans_b: str = "N", law: str | None = None, outputs: str | None = None,
             precision: str | None = None, layout: str | None = None, math: str | None = None,
             triangle: str | None = None, **numbers: int) -> L.Problem:
    wanted = {"matmul": 3, "transpose": 2, "potential": 2, "nbody": 2}.get(op, 1)
    if len(dim) != wanted or any(not isinstance(d, (int, np.integer)) or d < 0 for d in dim):
        raise InvalidArgument(f"{op} has {wanted} sizes, not {dim}")
    for trans in (trans_a, trans_b):
        if trans not in TRANS:
            raise InvalidArgument(f"trans {trans!r} is none of N, T, C")
    extra = set(numbers) - {"normals", "depths", "hermitian", "scaled", "uneven", "batch", "steps"}
    if extra:
        raise TypeError(f"no field of a problem: {', '.join(sorted(extra))}")
    p = L.Problem(op=L.number("op", op), dim=(C.c_size_t * 3)(*dim),
                  transa=L.ENUMS["trans"][TRANS[trans_a]], transb=L.ENUMS["trans"][TRANS[trans_b]],
                  law=L.number("law", law), outputs=L.number("outputs", outputs),
                  precision=L.number("precision", precision), layout=L.number("layout", layout),
                  math=L.number("math", math), triangle=L.number("uplo", triangle),
                  **{k: int(v) for k, v in numbers.items()})
    if dtype is not None:
        dtype = np.dtype(dtype)
        p.elem_bytes = dtype.itemsize
        if op == "matmul":
            p.type = TYPES.get(dtype, L.ENUMS["type"]["bfloat16"] if dtype.name == "bfloat16" else 0)
            if not p.type:
                raise InvalidType(f"{op}: no product of {dtype}")
    return p
