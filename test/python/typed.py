# SPDX-License-Identifier: MIT
"""Uses of the package for type checkers, which must find the lines that say so and no other."""
import clopt
import numpy as np
from numpy.typing import NDArray

ctx = clopt.Context("0")
ctx = clopt.Context(0, check="always", progress=lambda done: done > 0.5)
a = np.ones((3, 3), np.float32)
b = np.ones((3, 3))
q = np.ones((5, 4))
f = np.ones((5, 4), np.float32)
c: NDArray[np.float32] = ctx.matmul(a, a)
c = ctx.matmul(a, a, c, math="half")
d = ctx.matmul(a, b)
d = ctx.matmul([[1.0, 2.0]], [a[0], a[1]])
clopt.matmul(a, a.T).sum()
ctx.gemm(a, a, c, alpha=2, beta=1, trans_a="T", triangle="lower").max()
ctx.syrk(a, triangle="upper")
ctx.herk(np.ones((3, 3), np.complex64))
ctx.transpose(a).sum()
x = ctx.upload(a)
y: clopt.Buffer = ctx.matmul(x, ctx.transpose(x))
y = x @ ctx.buffer((3, 3), "f4")
y.download(a).sum()
phi: float = ctx.potential(q, field=True, law="debye", kappa=0.1).phi.sum()
ctx.potential(q[:, :3], weights=q[:, 3], normals=f[:, :3], normal=True).normal.sum()
ctx.potential(clopt.Points(*q.T), out=clopt.Results(phi=q[:, 0])).phi
clopt.potential(q).field
ctx.gravity(q, velocities=q, jerk=True).jerk.sum()
clopt.gravity(q, softening=0.1).acceleration.sum()
ctx.nbody(f, tolerance=1e-3)[:, 0].sum()
ctx.leapfrog(f, f.copy(), 0.1, 3)
ctx.evolve(q, q.copy(), 0.1, 3, lambda step, bodies, v, sums: sums.kinetic > 1, integrator="hermite")
ctx.tree(f).potential(f, law="coulomb").phi.sum()
ctx.start(ctx.matmul, a, a).result().sum()
ctx.start(ctx.leapfrog, f, f.copy(), 0.1, 3).result()
total = ctx.last_report().seconds + ctx.device.score + ctx.plan("matmul", 1, 1, 1).seconds

ctx.matmul(a, "x")  # wrong
ctx.matmul(a, None)  # wrong
ctx.matmul(a, x)  # wrong
ctx.matmul(a, a, math="fast")  # wrong
clopt.matmul(a)  # wrong
ctx.gemm(a, a, trans_a="X")  # wrong
ctx.syrk(a, triangle="left")  # wrong
ctx.transpose("x")  # wrong
x @ a  # wrong
ctx.potential(q, tol=1)  # wrong
ctx.potential(q, law="gravity")  # wrong
ctx.potential(q, out=q)  # wrong
ctx.potential("x")  # wrong
ctx.gravity(q, softening="1")  # wrong
ctx.leapfrog(f, f, "0.1", 3)  # wrong
ctx.evolve(q, q, 0.1, 3, integrator="euler")  # wrong
clopt.Context(devices=3)  # wrong
clopt.Context(check="maybe")  # wrong
ctx.leapfrog(q, q, 0.1, 3)  # wrong
ctx.start(ctx.leapfrog, f, f)  # wrong
