#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The potential of charges over the processes of an MPI job, by mpi4py.

    mpirun -np 4 python3 examples/mpi_potential.py [CHARGES]

Each rank has some of the charges and wants the potential at its own.  All ranks gather the charges, 16
bytes each, and sum for their own part.  clopt_mpi.h has the same for C.
"""
import sys

import numpy as np
from mpi4py import MPI

import clopt

comm = MPI.COMM_WORLD
n = int(sys.argv[1]) if len(sys.argv) > 1 else 4000

# This rank's charges: x, y, z, q.  Every rank can make all, so the end can be checked.
everything = np.random.default_rng(1).normal(size=(n, 4)).astype(np.float32)
own = everything[n * comm.rank // comm.size:n * (comm.rank + 1) // comm.size]

counts = np.array(comm.allgather(own.size))
charges = np.empty((counts.sum() // 4, 4), np.float32)
comm.Allgatherv(np.ascontiguousarray(own), (charges, counts))

# CLOPT_DEVICE=gpu#rank: each rank of a node has a GPU of its own.
with clopt.Context() as ctx:
    phi = ctx.potential(charges, own).phi
energy = comm.allreduce(0.5 * float(np.sum(own[:, 3] * phi, dtype=np.float64)))
if comm.rank == 0:
    distance = np.linalg.norm(everything[:1, :3] - everything[1:, :3], axis=1)
    right = float(np.sum(everything[1:, 3] / distance))
    if abs(phi[0] - right) > 1e-4 * np.sum(abs(everything[1:, 3]) / distance):
        sys.exit('wrong: %g instead of %g' % (phi[0], right))
    print('%d charges on %d ranks: energy %.6g' % (n, comm.size, energy))
