# SPDX-License-Identifier: MIT
"""Sums over pairs of points, and bodies that move."""
from __future__ import annotations

import ctypes as C
from typing import TYPE_CHECKING, Any, Callable, overload

import numpy as np

from . import _library as L
from ._answers import Conserved, Gravity, Potential, answer, is_rows, rows_of_four
from ._arrays import address, are_apart, as_array, contiguous, is_written, scalar
from ._errors import InvalidArgument, InvalidType
from ._points import (Results, check_points, check_results, new_results, pass_points,
                      pass_results, points)
from ._routines import Routines

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from . import _types as t

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


class Pairs(Routines):
    """Potentials, gravity and its integrators: clopt_potential_points, clopt_gravity, clopt_nbody,
    clopt_nbody_leapfrog and clopt_nbody_evolve in clopt_pairs.h."""

    @overload
    def potential(self, sources: t.Cloud, targets: t.Cloud | None = None, *, out: Results,
                  **options: Unpack[t.PotentialOptions]) -> Results: ...

    @overload
    def potential(self, sources: t.Cloud, targets: t.Cloud | None = None, *, out: None = None,
                  **options: Unpack[t.PotentialOptions]) -> Potential: ...

    def potential(self, sources: Any, targets: Any = None, *, weights: Any = None,
                  law: t.Law = "coulomb", field: bool = False, normal: bool = False,
                  out: Results | None = None, part: t.Part = "total",
                  precision: t.Precision | None = None, scale: float = 1.0, eps_in: float = 0.0,
                  eps_out: float = 0.0, kappa: float = 0.0, projection: float = 0.0,
                  radius: float = 0.0, ion_radius: float = 0.0, alpha: float = 0.0,
                  normals: Any = None, depths: Any = None, charge: float | None = None,
                  gem_compat: bool = False, tolerance: float = 0.0) -> Any:
        """Potential of charges at targets, phi_i = scale / eps_in  sum_j q_j / |x_i - x_j|, or by
        another law; clopt_pairs.h has the formulas and their sources.

        sources, targets (None: the sources): arrays (n, 4) of x, y, z and charge, (n, 3) with
        weights (n,), structured arrays (weights: the field's name; else w, m, mass, q or charge), or
        clopt.Points, of float32 or float64.  law: "coulomb", "distance4", "debye", "alpb".  part:
        "total", "reaction", "coulomb".  precision: "float", "compensated", "double-single",
        "double", "best"; default: best for float64.  kappa: clopt.kappa(); lengths in one unit of
        the caller's choice, charges in another: with e and Angstrom scale=332.06371 gives
        kcal/mol/e.  eps 0: 1 and 80.  normals: (ntargets, 3), or (ntargets, 4) with distances
        that are added to projection; depths: (nsources,); both are converted to float32.
        tolerance: not 0: by a tree, with 99 of 100 targets off by at most so much of the
        potentials' root mean square, or of their field; last_report() has the error found.

        Returns phi (n,), with field=True also the field (n, 3), with normal=True the field along
        the normals; or out, whose arrays say what is computed.

        >>> ctx.potential(np.array([[0.0, 0, 0, 1]]), np.array([[0.0, 0, 2]])).phi.round(6).tolist()
        [0.5]
        """
        p = L.PotentialOptions(law=L.number("law", law, known=L.LAWS), part=L.number("part", part),
                               precision=L.number("precision", precision), scale=scale,
                               eps_in=eps_in, eps_out=eps_out, kappa=kappa, projection=projection,
                               radius=radius, ion_radius=ion_radius, alpha=alpha,
                               gem_compat=int(gem_compat), tolerance=tolerance)
        s = points("sources", sources, weights)
        t = s if targets is None else points("targets", targets)
        total = None if charge is None else C.c_double(scalar("potential: charge", charge, float))
        if total is not None:
            p.charge = C.addressof(total)
        if normals is not None:
            normals = is_rows("normals", normals)
            if len(normals) != len(t.x):
                raise InvalidArgument(f"normals have shape {normals.shape}: for {len(t.x)} targets it "
                                      f"must be ({len(t.x)}, 3)")
        if depths is not None:
            depths = as_array(depths, "depths")
            if depths.shape != (len(s.x),):
                raise InvalidArgument(f"depths have shape {depths.shape}: for {len(s.x)} sources it must be "
                                      f"({len(s.x)},)")

        def more() -> Any:
            kept: list[Any] = [total]
            if normals is not None:
                kept.append(rows_of_four("normals", normals))
                p.normals = address(kept[-1])
            if depths is not None:
                kept.append(np.require(depths, F32, ["C", "A"]))
                p.depths = address(kept[-1])
            return kept

        names = "x y z phi" if field else "phi normal" if normal else "phi"
        if field and normal:
            raise InvalidArgument("potential: field and normal are both True: a call computes one of them")

        def parts(table: np.ndarray) -> Potential:
            return Potential(table[:, -1 if field else 0], table[:, :3] if field else None,
                             table[:, 1] if normal else None)

        return self._sum("clopt_potential_points", s, t, out, names, parts, p, more)

    @overload
    def gravity(self, sources: t.Cloud, targets: t.Cloud | None = None, *, out: Results,
                **options: Unpack[t.GravityOptions]) -> Results: ...

    @overload
    def gravity(self, sources: t.Cloud, targets: t.Cloud | None = None, *, out: None = None,
                **options: Unpack[t.GravityOptions]) -> Gravity: ...

    def gravity(self, sources: Any, targets: Any = None, *, weights: Any = None,
                velocities: Any = None, target_velocities: Any = None, potential: bool = False,
                jerk: bool = False, out: Results | None = None, g: float = 1.0,
                softening: float = 0.0, precision: t.Precision | None = None,
                target_softening: bool = False, tolerance: float = 0.0) -> Any:
        """Accelerations by the gravity of bodies, with Plummer softening (a length):
        a_i = g sum_j m_j (x_j - x_i) / (|x_i - x_j|^2 + softening^2)^(3/2).

        sources, targets (None: the sources), weights: as in potential; masses are weights, in the
        unit of g.  velocities: (n, 3), for the jerk.  precision, tolerance: as in potential;
        "double" is right to about 1e-15 of the terms' magnitudes.  A body does not act on itself.

        Returns the acceleration (n, 3), with potential=True also the potential (n,), with jerk=True
        the jerk (n, 3); or out, whose arrays say what is computed.

        >>> pull = ctx.gravity(np.array([[0.0, 0, 0, 4]]), np.array([[2.0, 0, 0]]))
        >>> pull.acceleration[0, 0].round(6).item()
        -1.0
        """
        o = L.NbodyOptions(g=g, softening=softening, precision=L.number("precision", precision),
                           target_softening=int(target_softening), tolerance=tolerance)
        s = points("sources", sources, weights, velocities)
        t = s if targets is None else points("targets", targets, None, target_velocities)
        names = "x y z" + " phi" * potential + " jx jy jz" * jerk

        def parts(table: np.ndarray) -> Gravity:
            return Gravity(table[:, :3], table[:, 3] if potential else None,
                           table[:, -3:] if jerk else None)

        return self._sum("clopt_gravity", s, t, out, names, parts, o)

    def _sum(self, name: str, sources: Any, targets: Any, out: Results | None, names: str,
             parts: Callable[[np.ndarray], Any], options: C.Structure,
             more: Callable[[], Any] = lambda: None) -> Any:
        """`more` fills the options with arrays, and returns what has to live."""
        s = check_points("sources", sources)
        t = s if targets is sources else check_points("targets", targets)
        table = None
        if out is not None and not isinstance(out, Results):
            raise InvalidType(f"out is {type(out).__name__}: it must be clopt.Results, whose arrays "
                              "say what is computed: clopt.Results(phi=...)")
        if out is None:
            results, table = new_results(t.n, F64 if F64 in (s.dtype, t.dtype) else F32, names)
        else:
            results = out
        r = check_results(results, t.n)

        def call() -> Any:
            ps, kept_s = pass_points(s)
            pt, kept_t = (ps, kept_s) if t is s else pass_points(t)
            pr, written = pass_results(r)
            kept = kept_s, kept_t, more()
            self._c(name, C.byref(ps), C.byref(pt), C.byref(pr), C.byref(options))
            del kept
            if written is not r.arrays:
                for k, a in r.arrays.items():
                    a[...] = written[k]
            return out if table is None else parts(table)

        return self._do(call)

    def nbody(self, sources: t.Array, targets: t.Array | None = None, *, g: float = 1.0,
              softening: float = 0.0, precision: t.Precision | None = None,
              target_softening: bool = False, potential: bool = False, tolerance: float = 0.0,
              theta: float = 0.0, order: int = 0,
              out: np.ndarray | None = None) -> np.ndarray:
        """Gravity in float32: sources (n, 4) of x, y, z, m, and targets (n, 4) (None: the sources)
        give ax, ay, az and the potential (0 without potential=True), as (n, 4).  theta, order: for
        experts, of a tree; theta alone needs a tolerance.

        >>> ctx.nbody(np.array([[0, 0, 0, 4], [2, 0, 0, 1]], np.float32))[1, 0].round(5).item()
        -1.0
        """
        o = L.NbodyOptions(g=g, softening=softening, precision=L.number("precision", precision),
                           target_softening=int(target_softening), potential=int(potential),
                           tolerance=tolerance, theta=theta, order=order)
        s = rows("nbody: sources", sources)
        t = s if targets is None else rows("nbody: targets", targets)
        if out is None:
            out = np.empty(t.shape, F32)
        is_written("nbody: out", out, t.shape, F32)

        def call() -> np.ndarray:
            a = contiguous(s)
            b, work = a if t is s else contiguous(t), contiguous(out)
            self._c("clopt_nbody", len(a), address(a), len(b), address(b), address(work),
                    C.byref(o))
            return back(out, work)

        return self._do(call)

    def leapfrog(self, bodies: NDArray[np.float32], velocities: NDArray[np.float32], dt: float, steps: int, *,
                 g: float = 1.0, softening: float = 0.0, tolerance: float = 0.0) -> None:
        """Move bodies (n, 4) of x, y, z, m, with velocities (n, 4) of vx, vy, vz and a number that
        is kept, both float32, in place, through leapfrog steps (kick, drift, kick) of length dt.
        tolerance: as in potential; report has the largest errors found in some of the steps.

        >>> bodies, v = np.eye(4, dtype=np.float32), np.ones((4, 4), np.float32)
        >>> ctx.leapfrog(bodies, v, 0.001, 10, softening=0.1)
        """
        _moving("leapfrog", bodies, velocities, F32)
        dt = scalar("leapfrog: dt", dt, float)
        o = L.NbodyOptions(g=g, softening=softening, tolerance=tolerance)
        _steps("leapfrog", steps)

        def call() -> None:
            b, v = contiguous(bodies), contiguous(velocities)
            try:
                self._c("clopt_nbody_leapfrog", len(b), address(b), address(v), dt, steps,
                        C.byref(o))
            finally:
                back(bodies, b), back(velocities, v)

        return self._do(call)

    def evolve(self, bodies: NDArray[np.float64], velocities: NDArray[np.float64], dt: float, steps: int,
               callback: Callable[[int, np.ndarray, np.ndarray, Conserved], Any] | None = None, *,
               every: int = 0, integrator: t.Integrator = "kick-drift-kick",
               precision: t.Precision | None = None, g: float = 1.0,
               softening: float = 0.0, tolerance: float = 0.0) -> None:
        """Move bodies (n, 4) of x, y, z, m with velocities (n, 4), both float64, in place.

        integrator: "kick-drift-kick" (order 2) or "hermite" (order 4).  precision: "float",
        "double-single", "double", "best" (the default), also between steps.  tolerance: as in leapfrog,
        for the sums' potential too; "hermite" and "double-single" are over all pairs all the same.

        callback(step, bodies, velocities, sums) is called after the last step, and unless every is 0
        before the first (step 0) and after each step whose number is a multiple of it, in the
        thread of the caller (of a started call: in the context's).  Its arrays are read-only views,
        sums is a Conserved.  If it returns something true the run ends there; if it raises, the
        run ends and the exception is raised.
        Source: Makino, Aarseth, Publ. Astron. Soc. Japan 44, 141 (1992).

        >>> bodies, v = np.eye(4), np.ones((4, 4))
        >>> ctx.evolve(bodies, v, 0.001, 10, lambda step, *_: print(step), softening=0.1)
        10
        """
        _moving("evolve", bodies, velocities, F64)
        dt = scalar("evolve: dt", dt, float)
        _steps("evolve", steps)
        _steps("evolve", every, "every")
        o = self._evolve_options(integrator, precision, g, softening)
        o.every, o.tolerance = every, tolerance
        worker = self._worker

        def call() -> None:
            b, v = contiguous(bodies), contiguous(velocities)
            shown = b.view(), v.view()
            for view in shown:
                view.flags.writeable = False

            def each(_: Any, step: int, __: Any, ___: Any, sums: int) -> int:
                job = worker.now
                if job.is_cancelled:
                    return 1
                conserved = answer(Conserved, L.Conserved.from_address(sums))
                stop = job.outside(lambda: bool(callback and callback(step, *shown, conserved)),
                                   worker)
                return int(stop or job.raised is not None)

            if callback is not None:
                o.each = L.EACH(each)
            try:
                self._c("clopt_nbody_evolve", len(b), address(b), address(v), dt, steps, C.byref(o))
            finally:
                o.each = L.EACH()
                back(bodies, b), back(velocities, v)

        return self._do(call)

    def conserved(self, bodies: t.Array, velocities: t.Array, *,
                  precision: t.Precision | None = None,
                  g: float = 1.0, softening: float = 0.0) -> Conserved:
        """Mass, energies, momentum, angular momentum and centre of mass of bodies (n, 4) and
        velocities (n, 4), as evolve's callback gets them.

        >>> ctx.conserved(np.array([[0.0, 0, 0, 4]]), np.array([[1.0, 0, 0, 0]])).kinetic
        2.0
        """
        bodies, velocities = (rows("conserved: " + name, a, F64)
                              for name, a in (("bodies", bodies), ("velocities", velocities)))
        if bodies.shape != velocities.shape:
            raise InvalidArgument(f"conserved: velocities have shape {velocities.shape}: it must be that of "
                                  f"bodies, {bodies.shape}")
        o = self._evolve_options("kick-drift-kick", precision, g, softening)
        sums = L.Conserved()

        def call() -> Conserved:
            b, v = contiguous(bodies), contiguous(velocities)
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


def rows(name: str, given: Any, dtype: np.dtype = F32) -> np.ndarray:
    """An array (n, 4)."""
    a = as_array(given, name)
    if a.ndim != 2 or a.shape[1] != 4:
        raise InvalidArgument(f"{name} has shape {a.shape}: it must be (n, 4)")
    if a.dtype.newbyteorder("=") != dtype:
        raise InvalidType(f"{name} is {a.dtype} {a.shape}: it must be {dtype}")
    return a


def _moving(name: str, bodies: Any, velocities: Any, dtype: np.dtype) -> None:
    """Both are arrays (n, 4) that may be written."""
    n = len(bodies) if np.ndim(bodies) else 0
    for what, a in (("bodies", bodies), ("velocities", velocities)):
        is_written(f"{name}: {what}", a, (n, 4), dtype)
    are_apart(name, {"bodies": bodies, "velocities": velocities})


def back(to: np.ndarray, work: np.ndarray) -> np.ndarray:
    if to is not work:
        to[...] = work
    return to


def _steps(name: str, steps: Any, what: str = "steps") -> None:
    if not L.is_size(steps):
        raise InvalidArgument(f"{name}: {what} is {steps!r}: it must be a whole number from 0 on")
