#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two disc galaxies that fall into each other, drawn at six moments.

    python3 examples/galaxies.py --out galaxies.png
"""
import argparse

import matplotlib.pyplot as plt
import numpy as np

import clopt

SOFTENING = 0.05
rng = np.random.default_rng(1)


def galaxy(ctx, n):
    """Bodies of mass 1 in all, for G = 1: a disc of n/2 stars in a halo, a sphere of Plummer's."""
    r = 0.6 / np.sqrt(rng.uniform(0.001, 0.95, n - n // 2)**(-2 / 3) - 1)
    halo = rng.normal(size=(len(r), 3))
    halo *= (r / np.linalg.norm(halo, axis=1))[:, None]
    angle = rng.uniform(0, 2 * np.pi, n // 2)
    disc = rng.gamma(2, 0.25, n // 2)[:, None] * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    disc[:, 2] = rng.normal(0, 0.02, n // 2)
    bodies = np.empty((n, 4), np.float32)
    bodies[:, :3] = np.concatenate([disc, halo])
    bodies[:, 3] = np.repeat([0.2 / len(disc), 0.8 / len(halo)], [len(disc), len(halo)])

    # Stars go round by the pull that they feel; the halo has the spread of speeds that holds it up.
    pull = ctx.gravity(bodies, softening=SOFTENING).acceleration[:len(disc)]
    speed = np.sqrt(np.maximum(-(pull * disc).sum(1), 0))
    v = np.zeros((n, 4), np.float32)
    v[:, :3] = rng.normal(size=(n, 3)) * np.append(0 * speed + 0.05, (36 * (r**2 + 0.36))**-0.25)[:, None]
    v[:len(disc), :2] += np.stack([-speed * np.sin(angle), speed * np.cos(angle)], axis=1)
    return bodies, v


def turn(tilt, node):
    """The matrix that turns rows of vectors about the x axis, and then about the z axis."""
    (c, d), (s, t) = np.cos((tilt, node)), np.sin((tilt, node))
    return np.array([[1, 0, 0], [0, c, s], [0, -s, c]]) @ [[d, t, 0], [-t, d, 0], [0, 0, 1]]


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--out", default="galaxies.png")
parser.add_argument("--bodies", type=int, default=16384)
parser.add_argument("--steps", type=int, default=120, help="between two moments")
args = parser.parse_args()

ctx, half = clopt.Context(progress=True), args.bodies // 2
both = [galaxy(ctx, half) for _ in range(2)]
# On a parabola, 4 apart, that would bring two points of mass 1 within 0.4 of each other.
for (x, v), sign, matrix in zip(both, (1, -1), (turn(0.5, 0.3), turn(-1.0, 1.2))):
    x[:, :3] = x[:, :3] @ matrix + sign * np.array([2, 0, 0])
    v[:, :3] = v[:, :3] @ matrix + sign * np.array([-0.474, 0.158, 0])
bodies, velocities = (np.concatenate(parts) for parts in zip(*both))

figure, panels = plt.subplots(2, 3, figsize=(9, 6), layout="constrained", facecolor="black")
for n, panel in enumerate(panels.flat):
    if n:
        ctx.leapfrog(bodies, velocities, 0.012, args.steps, softening=SOFTENING, tolerance=1e-2)
    for stars, colour in (bodies[half:][:half // 2], "tab:orange"), (bodies[:half // 2], "tab:cyan"):
        panel.plot(stars[:, 0], stars[:, 1], ".", color=colour, markersize=1.3, markeredgewidth=0)
    panel.set(xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
    panel.set_title(f"t = {n * args.steps * 0.012:.2f}", color="white", fontsize=9)
    panel.axis("off")
    sums = ctx.conserved(bodies.astype(float), velocities.astype(float), softening=SOFTENING)
    print(f"t = {n * args.steps * 0.012:.2f}: energy {sums.kinetic + sums.potential:.4f}")
figure.savefig(args.out, dpi=150)
