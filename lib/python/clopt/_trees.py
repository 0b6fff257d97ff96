# SPDX-License-Identifier: MIT
"""Sources that stay on the device with the cells of their tree, for many sums over them."""
from __future__ import annotations

import ctypes as C
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import _library as L
from ._answers import Potential, is_rows, rows_of_four
from ._arrays import address, contiguous, is_written, scalar
from ._buffers import OnDevice
from ._errors import InvalidArgument, InvalidType
from ._pairs import F32, back, rows

if TYPE_CHECKING:
    from . import _types as t
    from ._context import Context


class Tree(OnDevice):
    """Charges or bodies on the device: struct clopt_tree of clopt_device.h; Context.tree makes it.

    With a tolerance sums are by the tree, whose cells are made once, and again when the sources have
    moved.  Targets are float32: (n, 3) or (n, 4); None: the sources.  The memory is released by
    free(), with the last reference, or with the context.
    """

    def __init__(self, ctx: Context, handle: int | None, n: int) -> None:
        super().__init__(ctx, handle, L.lib.clopt_tree_free)
        self._n = n

    def __len__(self) -> int:
        return self._n

    def move(self, sources: t.Array) -> Tree:
        """The same number of sources at new places, with new weights.  Returns the tree.

        >>> ctx.tree(np.ones((5, 4), np.float32)).move(np.zeros((5, 4), np.float32))
        clopt.Tree(5)
        """
        a = rows("move: sources", sources)
        if len(a) != self._n:
            raise InvalidArgument(f"move: {len(a)} sources into a tree of {self._n}")

        def call() -> Tree:
            work = contiguous(a)
            self._ctx._c("clopt_tree_move", self._at(), address(work), ctx=False)
            return self

        return self._do(call)

    def potential(self, targets: t.Array | None = None, *, law: t.Law = "coulomb",
                  field: bool = False, normal: bool = False, part: t.Part = "total",
                  precision: t.Precision | None = None,
                  scale: float = 1.0, eps_in: float = 0.0, eps_out: float = 0.0, kappa: float = 0.0,
                  projection: float = 0.0, radius: float = 0.0, ion_radius: float = 0.0,
                  alpha: float = 0.0, normals: t.Array | None = None, charge: float | None = None,
                  tolerance: float = 0.0) -> Potential:
        """Potential of the tree's charges at targets; arguments and result as of Context.potential.

        >>> tree = ctx.tree(np.array([[0, 0, 0, 1]], np.float32))
        >>> tree.potential(np.array([[0, 0, 2]], np.float32)).phi.tolist()
        [0.5]
        """
        if field and normal:
            raise InvalidArgument("potential: field and normal: a call computes one of them")
        outputs = "field-phi" if field else "phi-normal" if normal else "phi"
        p = L.PotentialOptions(law=L.number("law", law, known=L.LAWS), part=L.number("part", part),
                               outputs=L.number("outputs", outputs),
                               precision=L.number("precision", precision), scale=scale,
                               eps_in=eps_in, eps_out=eps_out, kappa=kappa, projection=projection,
                               radius=radius, ion_radius=ion_radius, alpha=alpha,
                               tolerance=tolerance)
        total = None if charge is None else C.c_double(scalar("potential: charge", charge, float))
        t = _targets("potential", targets)
        n = self._n if t is None else len(t)
        if normals is not None and len(is_rows("normals", normals)) != n:
            raise InvalidArgument(f"{len(normals)} normals for {n} targets")
        table = np.empty((n, 4 if field else 2 if normal else 1), F32)

        def call() -> Potential:
            kept = None if normals is None else rows_of_four("normals", normals)
            p.normals = None if kept is None else address(kept)
            p.charge = None if total is None else C.addressof(total)
            self._sum("clopt_tree_potential", t, table, p)
            return Potential(table[:, -1 if field else 0], table[:, :3] if field else None,
                             table[:, 1] if normal else None)

        return self._do(call)

    def nbody(self, targets: t.Array | None = None, *, g: float = 1.0, softening: float = 0.0,
              precision: t.Precision | None = None, target_softening: bool = False,
              potential: bool = False,
              tolerance: float = 0.0, out: np.ndarray | None = None) -> np.ndarray:
        """Gravity of the tree's bodies at targets; arguments and result as of Context.nbody.

        >>> ctx.tree(np.eye(4, dtype=np.float32)).nbody(tolerance=1e-3).shape
        (4, 4)
        """
        o = L.NbodyOptions(g=g, softening=softening, precision=L.number("precision", precision),
                           target_softening=int(target_softening), potential=int(potential),
                           tolerance=tolerance)
        t = _targets("nbody", targets)
        shape = (self._n if t is None else len(t), 4)
        if out is None:
            out = np.empty(shape, F32)
        is_written("nbody: out", out, shape, F32)

        def call() -> np.ndarray:
            work = contiguous(out)
            self._sum("clopt_tree_nbody", t, work, o)
            return back(out, work)

        return self._do(call)

    def _do(self, call: Callable[[], Any]) -> Any:
        self._check()
        return self._ctx._do(call)

    def _sum(self, name: str, targets: np.ndarray | None, out: np.ndarray, o: C.Structure) -> None:
        four = None if targets is None else rows_of_four("targets", targets)
        self._ctx._c(name, self._at(), len(out), None if four is None else address(four),
                     address(out), C.byref(o), ctx=False)

    def __repr__(self) -> str:
        return f"clopt.Tree({self._n})"

    def __reduce__(self) -> Any:
        raise TypeError("a tree cannot be pickled: its memory is on a device")


def _targets(name: str, given: Any) -> np.ndarray | None:
    if given is None:
        return None
    a = is_rows(f"{name}: targets", given)
    if a.dtype.newbyteorder("=") != F32:
        raise InvalidType(f"{name}: targets is {a.dtype} {a.shape}; float32 is needed")
    return a
