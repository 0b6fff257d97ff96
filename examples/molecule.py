#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The potential around a molecule in salt water, as colours of its surface.

    python3 examples/molecule.py examples/data/1a0q.pqr --out molecule.png
"""
import argparse

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Normalize

import clopt

PROBE = 1.4  # radius of a water molecule; all lengths are in Angstrom
KT = 560.74  # e^2 / (4 pi eps0 kT) at 298 K: with it potentials are in kT/e


def foremost(xyz, radii, x, y):
    """The atom whose sphere is in front at each pixel, or -1, and the place there."""
    z, atom = np.full((len(y), len(x)), -np.inf), np.full((len(y), len(x)), -1)
    for n, ((cx, cy, cz), r) in enumerate(zip(xyz, radii)):
        i, j = (slice(*np.searchsorted(at, (c - r, c + r))) for at, c in ((y, cy), (x, cx)))
        square = r**2 - (x[None, j] - cx)**2 - (y[i, None] - cy)**2
        height = np.where(square >= 0, cz + np.sqrt(np.maximum(square, 0)), -np.inf)
        atom[i, j] = np.where(height > z[i, j], n, atom[i, j])
        z[i, j] = np.maximum(height, z[i, j])
    return atom, np.stack([*np.meshgrid(x, y), z], axis=-1)


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("pqr")
parser.add_argument("--out", default="molecule.png")
parser.add_argument("--pixels", type=int, default=700, help="along the longer side")
parser.add_argument("--salt", type=float, default=0.15, help="in mol/l")
args = parser.parse_args()

with open(args.pqr) as file:
    rows = [line.split()[-5:] for line in file if line.startswith(("ATOM", "HETATM"))]
xyz, charges, radii = np.split(np.array(rows, float), (3, 4), axis=1)
radii = radii[:, 0]
# The longest axis goes to the right, the shortest one towards the eye; no mirror image.
axes = np.linalg.eigh(np.cov(xyz.T))[1][:, ::-1]
xyz = (xyz - xyz.mean(0)) @ axes * (1, 1, np.linalg.det(axes))
low, high = xyz.min(0) - 5, xyz.max(0) + 5
step = (high - low)[:2].max() / args.pixels
x, y = np.arange(low[0], high[0], step), np.arange(low[1], high[1], step)

# Where the centre of a water molecule touches the atoms: the surface and PROBE along its normal.
atom, places = foremost(xyz, radii + PROBE, x, y)
seen = atom >= 0
normals = (places[seen] - xyz[atom[seen]]) / (radii[atom[seen]] + PROBE)[:, None]
phi = clopt.potential(
    xyz, places[seen] - PROBE * normals, weights=charges[:, 0], normals=normals, projection=PROBE, law="alpb",
    radius=clopt.electrostatic_radius(xyz, radii), kappa=clopt.kappa(args.salt, 80, 298), scale=KT).phi
print(f"{len(xyz)} atoms, {len(phi)} points: {phi.min():.2f} to {phi.max():.2f} kT/e")

norm, colours = Normalize(-3, 3), plt.get_cmap("RdBu")
light = 0.35 + 0.65 * np.maximum(normals @ (-0.4, 0.5, 0.77), 0)
image = np.ones((*seen.shape, 3))
image[seen] = colours(norm(phi))[:, :3] * light[:, None]
figure, axes = plt.subplots(figsize=(8, 7.2 * len(y) / len(x)), layout="constrained")
axes.imshow(image, origin="lower", extent=(x[0], x[-1], y[0], y[-1]))
axes.set(xlabel="Angstrom", title=f"Potential in water with {args.salt:g} mol/l of salt")
figure.colorbar(plt.cm.ScalarMappable(norm, colours), ax=axes, label="kT/e")
figure.savefig(args.out, dpi=150)
