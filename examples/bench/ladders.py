#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels that differ by one idea each, beside the library's choice: speed-ups over the first.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/ladders.py [nbody matmul transpose ablation]

nbody:     the lectures on OpenCL programming: one work-item a body, a tile in local memory, its loop unrolled
matmul:    tables 3.2 and 3.3 of NVIDIA's OpenCL Best Practices Guide (2011, GTX 280): from global memory, by
           tiles in local memory, without bank conflicts; A B of 16 columns and rows, and A A^T; GB/s are
           bytes of the arrays by time
transpose: neighbours read or write along rows, or both by way of local memory, which is padded
ablation:  figures 6 and 7 of Daga, Scogland, Feng, Architecture-Aware Optimization on a 1600-core Graphics
           Processor (HD 5870): GEM's potential with one optimization at a time, and with several beside the
           product of their parts.  MT max threads, KS kernel splitting, RA register accumulator, RP register
           preloading, LM local memory, IM image memory, LU loop unrolling, VASM and VAVM vector accesses with
           scalar and vector math

All of a study take turns.  A wrong result gets no time, and exit status 1.
"""
from bench import (COMPARED, Bench, Thing, clopt, close, kernel_seconds, np, pull, pyplot, ratios, sample,
                   turns)

# With the speed-ups that the texts tell in numbers.
NBODY = {"naive": "naive", "tile": "tile", "tile, unroll 2": "tile-u2", "tile, unroll 4": "tile-u4"}
TRANSPOSE = {"coalesced reads": "reads", "coalesced writes": "writes", "local memory": "local",
             "local memory, padded": "local-padded"}
A_B = {"no optimization": "naive", "a tile of A": "tile-a", "both tiles": "tile-ab"}
A_AT = {"no optimization": "naive", "both tiles": "tile-ab", "no bank conflicts": "tile-pad"}
ABLATION = {name: name.lower().replace("+", "-") for name in (
    "basic MT KS RA RP LM IM LU2 LU4 VASM2 VASM4 VAVM2 VAVM4 MT+KS KS+LM KS+RP KS+VAVM2 KS+RP+VASM2 KS+RP+IM MT+KS+RP+IM "
    "KS+RA+RP MT+KS+RA+RP+LM+VASM4 MT+KS+RA+RP+IM+VAVM4").split()}
PUBLISHED = {
    "C = A B": {"no optimization": 1, "a tile of A": 14.3 / 8.8, "both tiles": 29.7 / 8.8},
    "C = A A^T": {"no optimization": 1, "both tiles": 24.8 / 1.1, "no bank conflicts": 30.3 / 1.1},
    "ALPB with salt": {"MT": 1.3, "KS": 1.7, "RA": 1.3, "RP": 1.6, "LM": 2.3, "IM": 1.2, "VAVM2": 3.0, "MT+KS": 1.8,
                       "KS+RP+VASM2": 3.2, "KS+RP+IM": 4.1},
}


def nbody(ctx, n, random):
    x = random.random((n, 4), np.float32)
    out, some = np.empty_like(x), sample(n)
    return (lambda: ctx.nbody(x, softening=0.01, out=out),
            lambda: close("the field", out[some, :3], pull(x, some, 0.01), 1e-5), n * n, "Gpairs/s", out)


def transpose(ctx, n, random):
    a, out = random.random((n, n), np.float32), np.empty((n, n), np.float32)
    return (lambda: ctx.transpose(a, out=out), lambda: close("the transpose", out, a.T, 0), 8 * n * n, "GB/s", out)


def product(ctx, n, random, own=False):
    a, out, some = random.random((n, 16), np.float32), np.empty((n, n), np.float32), sample(n)
    b = a.T if own else random.random((16, n), np.float32)
    return (lambda: ctx.matmul(a, b, out), lambda: close("the product", out[some], a[some].astype(float) @ b, 1e-5),
            4 * n * n + (64 if own else 128) * n, "GB/s", out)


def potential(ctx, n, random):
    charges, points = random.random((n, 4), np.float32), 2 * random.random((n, 4), np.float32) - 1
    charges[:, :3] -= 0.5
    points[:, :3] /= np.linalg.norm(points[:, :3], axis=1)[:, None]
    normals, phi = points.copy(), clopt.Results(phi=np.empty(n, np.float32))
    normals[:, 3] = 0
    eps, kappa, radius, ions, alpha, some = 80.0, 0.5, 1.0, 0.1, 0.571412, sample(n)
    q, at = charges[:, 3].astype(float), points[some, :3].astype(float)
    direction = normals[some, :3] / np.linalg.norm(normals[some, :3].astype(float), axis=1)[:, None]
    far = [np.linalg.norm(t[:, None] - charges[None, :, :3], axis=2) for t in (at, at + ions * direction)]
    want = 332.06371 / (eps * (1 + alpha / eps)) * (
        (1 + alpha) * (1 / far[0] - 1 / (1 / kappa + far[1])) @ q
        - alpha * (1 - 1 / eps) * q.sum() * (1 / radius - 1 / (1 / kappa + radius + ions)))
    options = dict(law="alpb", scale=332.06371, eps_in=1.0, eps_out=eps, kappa=kappa, radius=radius, ion_radius=ions)
    return (lambda: ctx.potential(charges, points, normals=normals, out=phi, **options),
            lambda: close("the potential", phi.phi[some], want, 1e-4), n * n, "Gpairs/s", phi.phi)


def product_own(ctx, n, random):
    return product(ctx, n, random, True)


# Their problem, sizes, title, and parts: what it is, its problem, and the kernels by name.
STUDIES = {
    "nbody": ("nbody/ladder-", (128, 4096, 32768), "N-body, step by step: {n} bodies", [("", nbody, NBODY)]),
    "matmul": ("matmul/ladder-", (64, 2048, 16384), "Products, step by step: A is {n} x 16",
               [("C = A B", product, A_B), ("C = A A^T", product_own, A_AT)]),
    "transpose": ("transpose/ladder-", (64, 2048, 16384), "Transpose, step by step: {n} x {n} of 4 bytes",
                  [("", transpose, TRANSPOSE)]),
    "ablation": ("potential/paper-", (128, 4096, 32768), "GEM: {n} charges x {n} vertices",
                 [("ALPB with salt", potential, ABLATION)]),
}


def study(bench, ctx, name):
    """The rows of each part, measured; the title."""
    prefix, sizes, title, parts = STUDIES[name]
    n, measured = bench.size(*sizes), []
    for part, make, kernels in parts:
        call, check, work, unit, out = make(ctx, n, np.random.default_rng(1))

        def run(variant):
            ctx.force(variant)
            call()
            return kernel_seconds(ctx)
        things = [Thing(label, lambda v=variant: run(v), check, lambda: out.fill(np.nan),
                        published=PUBLISHED.get(part, {}).get(label))
                  for label, variant in [(k, prefix + v) for k, v in kernels.items()] + [("picked", None)]]
        turns(things, bench.args.seconds, least=7)
        ctx.force(None)
        for thing in things:
            pieces = [t.over(things[0])[0] for p in thing.name.split("+") for t in things if t.name == p]
            thing.fill(things[0], work, product=np.prod(pieces) if "+" in thing.name and all(pieces) else None)
        bench.bad += things[0].why is not None and not things[0].wrong
        bench.table(f"{title.format(n=n)} {part}".strip(), things, [
            ("name", "kernel", "s"), ("rate", unit, ".3f"), *COMPARED[:-1],
            ("product", "product of its parts", ".2f"), ("published", "published", ".2f"), COMPARED[-1]])
        measured.append((part, [t.row for t in things]))
    return title.format(n=n), measured


def bars(axes, rows, title, published):
    """Speed-ups, to the right of 1 or to its left; frames for the products of parts, stars for what was published."""
    for i, row in enumerate(rows):
        axes.barh(i, (row["speed"] or 1) - 1, 0.7, left=1, color="#0072B2")
        axes.text(1.01, i, f"{row['speed']:.2f}" if row["speed"] else "did not run", va="center",
                  transform=axes.get_yaxis_transform())
        if row["product"]:
            axes.barh(i, row["product"] - 1, 0.9, left=1, fill=False, linestyle=":", edgecolor="black",
                      label="product of its parts")
        if row["published"]:
            axes.plot(row["published"], i, "*", color="#D55E00", markersize=9, label=f"published, {published}")
    ratios(axes, "times as fast as the first")
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_title(title)
    legend = dict(zip(*axes.get_legend_handles_labels()[::-1]))
    if legend:
        axes.legend(legend.values(), legend, loc="upper right", frameon=True)


def main():
    bench = Bench(__doc__, lambda p: p.add_argument("study", nargs="*", choices=["all", *STUDIES], default="all"))
    ctx = bench.open(profile=True, queues=1)
    print(bench.title)
    plt, pictures = pyplot(), []
    for name in STUDIES if "all" in bench.args.study else bench.args.study:
        title, measured = study(bench, ctx, name)
        for part, rows in measured:
            alone = [r for r in rows if "+" not in r["name"]]
            for group, heading in ((alone, "each alone"), ([r for r in rows if r not in alone], "together")):
                if group:
                    more = heading if len(alone) < len(rows) else part
                    pictures.append((group, f"{title}\n{more}", "HD 5870" if name == "ablation" else "GTX 280"))
    columns = 2 if len(pictures) > 1 else 1
    lines = -(-len(pictures) // columns)
    heights = [max(len(r) for r, *_ in pictures[i * columns:(i + 1) * columns]) + 4 for i in range(lines)]
    figure, axes = plt.subplots(lines, columns, figsize=(6 * columns, 0.27 * sum(heights) + 0.4), squeeze=False,
                                gridspec_kw={"height_ratios": heights})
    for at, picture in zip(axes.flat, pictures):
        bars(at, *picture)
    for at in axes.flat[len(pictures):]:
        at.axis("off")
    figure.suptitle(bench.title)
    return bench.end(figure)


if __name__ == "__main__":
    raise SystemExit(main())
