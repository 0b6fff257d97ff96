# SPDX-License-Identifier: MIT
# gravity.py - two bodies that attract each other, from Python (docs/python.md).
import clopt
import numpy as np

bodies = np.array([[0, 0, 0, 2], [3, 0, 0, 1]], np.float64)  # x, y, z, mass
with clopt.Context() as ctx:
    pull = ctx.gravity(bodies, potential=True)
print(pull.acceleration.tolist(), pull.potential.tolist())
