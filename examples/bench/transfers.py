#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Transfers by size and way, and the bandwidth of the device's memory with offsets and strides.

    PYTHONPATH=build/python LD_LIBRARY_PATH=build python3 examples/bench/transfers.py [--theoretical 1593x5120]

Ways: ordinary memory by the driver, staged by the library, and memory of Context.pinned, also both ways at once;
where host and device share memory, a kernel on arrays in place beside one on copies.  The host's clock is read
with empty queues before and after.  Then kernels that copy along the device's memory, from an offset of 0 to 32
elements, or each 1st to 32nd element of the same arrays, by events.  GB are 1e9 bytes.  Source: NVIDIA, OpenCL
Best Practices Guide (2011), sections 2.1, 2.2, 3.1.1 and 3.2.1.  Exit status 1 if a result is wrong.
"""
import ctypes as C

from bench import Bench, L, Thing, Wrong, clock, must, np, pyplot, run_map, turns

COPIES = """
__kernel void offset_copy(ulong n, __global float *out, __global const float *in, int step)
{
	const ulong i = get_global_id(0) + step;
	if (i < n)
		out[i] = in[i];
}
__kernel void stride_copy(ulong n, __global float *out, __global const float *in, int step)
{
	if (get_global_id(0) < n)
		out[get_global_id(0) * step] = in[get_global_id(0) * step];
}
"""
COMPLEMENT = "__kernel void complement(__global uint *x) { x[get_global_id(0)] = ~x[get_global_id(0)]; }"
STEPS = 32


class Way:
    """A context that moves memory in one way, two arrays, two buffers, and a queue for each direction."""

    def __init__(self, bench, name, size, transfer):
        self.name, self.ctx = name, bench.open(transfer=transfer)
        self.handle = self.ctx._worker.handle
        make = self.ctx.pinned if name == "pinned" else np.empty
        self.up, self.down = make(size, np.uint8), make(size, np.uint8)
        self.up[:], self.down[:] = np.arange(size) % 251, 255
        self.to, self.of = self.ctx.upload(self.down), self.ctx.upload(self.up)
        self.orders = []
        for _ in range(2):
            queue = C.c_void_p()
            must(self.handle, L.lib.clopt_queue_new(self.handle, C.byref(queue)))
            self.orders.append(L.Order(queue=queue.value))
        self.ctx.finish()

    def move(self, size, up, down):
        """Bytes of `size`, up and down; by the library's functions, without the package's thread."""
        def call():
            if up:
                must(self.handle, L.lib.clopt_buffer_write(self.to._at(), 0, size, self.up.ctypes.data,
                                                           C.byref(self.orders[0])))
            if down:
                must(self.handle, L.lib.clopt_buffer_read(self.of._at(), 0, size, self.down.ctypes.data,
                                                          C.byref(self.orders[1])))
            must(self.handle, L.lib.clopt_finish(self.handle))
        return clock(call)

    def check(self, size, up, down):
        if down and not np.array_equal(self.down[:size], self.up[:size]):
            raise Wrong(f"{self.name}: not all of {size} bytes came down")
        if up and not np.array_equal(self.to.download()[:size], self.up[:size]):
            raise Wrong(f"{self.name}: not all of {size} bytes went up")

    def in_place(self, size):
        x = self.down[:size].view(np.uint32)
        return clock(lambda: run_map(self.ctx, COMPLEMENT, "complement", len(x), [("inout", x, 4)]))

    def check_in_place(self, size):
        if self.down[:size].any():
            raise Wrong(f"{self.name}: not the complement of {size} bytes")


def host(bench):
    largest = max(bench.size(1 << 16, 1 << 26, 1 << 28) // 4 * 4, 4)
    sizes = [s for s in (largest >> 2 * i for i in range(12)) if s >= 1 << 16][::-1] or [largest]
    ways, rows = [Way(bench, name, largest, mode) for name, mode in (
        ("driver", "driver"), ("pinned", "auto"), ("staged", "staged"))], []
    for size in sizes:
        things = [Thing(f"{w.name} {d}", lambda w=w, d=d: w.move(size, d != "down", d != "up"),
                        lambda w=w, d=d: w.check(size, d != "down", d != "up"), lambda w=w: w.down.fill(255),
                        way=w.name, direction=d, bytes=size, moved=(2 if d == "both" else 1) * size)
                  for w in ways for d in ("up", "down", "both") if d != "both" or w.name == "pinned"]
        if bench.device.unified:
            things += [
                Thing(f"{w.name} in place", lambda w=w: w.in_place(size), lambda w=w: w.check_in_place(size),
                      lambda w=w: w.down.fill(255), way=w.name, direction="a kernel over them", bytes=size,
                      moved=2 * size) for w in ways
            ]
        turns(things, bench.args.seconds / 2)
        rows += [t.fill(work=t.row["moved"]) for t in things]
    bench.table("between host and device", rows, [("bytes", "bytes", "d"), ("way", "memory or mover", "s"),
                                                  ("direction", "direction", "s"), ("rate", "GB/s", ".3f"),
                                                  ("why", "", "s")])
    return rows


def device(bench):
    """Kernels that copy along, with an offset, and with a stride."""
    ctx = bench.open(profile=True, queues=1)
    d = bench.device
    n = 1 << 14 if bench.args.small else min(1 << (23 if bench.cpu else 27), d.max_alloc_bytes //
                                             4, d.global_bytes // 32)
    a, b = ctx.pinned(n), ctx.pinned(n)
    a[:] = np.arange(n) % 16777213  # the largest prime that a float can count to
    group = min(256, d.max_group)

    def run(kernel, step):
        stride = step if kernel == "stride_copy" else 1
        return run_map(ctx, COPIES, kernel, n // stride, [("count", None, 0), ("inout", b, 4 * stride),
                       ("in", a, 4 * stride), ("value", C.c_int(step), 4)], group)

    def check(kernel, step):
        part = slice(step, None) if kernel == "offset_copy" else slice(0, n // step * step, step)
        want = np.full(n, -1, np.float32)
        want[part] = a[part]
        if not np.array_equal(b, want):
            raise Wrong(f"{kernel} by {step}: not the copy")
    things = [Thing(f"{kernel} {step}", lambda k=kernel, s=step: run(k, s), lambda k=kernel, s=step: check(k, s),
                    lambda: b.fill(-1), experiment=kernel, step=step,
                    moved=8 * (n - step if kernel == "offset_copy" else n // step))
              for kernel, first in (("offset_copy", 0), ("stride_copy", 1)) for step in range(first, STEPS + 1)]
    return bench.compare("the device's memory, read and written", things, [
        ("experiment", "copy", "s"), ("step", "step", "d"), ("rate", "GB/s", ".2f"), ("why", "", "s")], 0.25)


def theoretical(word):
    """GB/s, or MHzxBITS of double data rate memory."""
    clock_mhz, _, bits = word.partition("x")
    return float(clock_mhz) * 1e6 * float(bits) / 8 * 2 / 1e9 if bits else float(word)


def main():
    bench = Bench(__doc__, lambda p: p.add_argument("--theoretical", type=theoretical, metavar="G",
                                                    help="bandwidth by the datasheet: GB/s, or MHZxBITS"))
    bench.open().close()
    print(bench.title)
    moved, copied = host(bench), device(bench)
    plt = pyplot()
    figure, axes = plt.subplots(1, 3, figsize=(13, 5), gridspec_kw={"width_ratios": (1.3, 1, 1)})
    colours, lines = dict.fromkeys(r["way"] for r in moved), {"up": "-", "down": "--", "both": ":"}
    for key in dict.fromkeys((r["way"], r["direction"]) for r in moved):
        some = [r for r in moved if (r["way"], r["direction"]) == key and r["rate"]]
        axes[0].loglog([r["bytes"] for r in some], [r["rate"] for r in some], label=", ".join(key), marker="o",
                       markersize=4, color=f"C{list(colours).index(key[0])}", linestyle=lines.get(key[1], "-."))
    axes[0].set(xlabel="bytes", ylabel="GB/s", title="between host and device")
    for at, kernel, word in zip(axes[1:], ("offset_copy", "stride_copy"), ("offset", "stride")):
        some = [r for r in copied if r["experiment"] == kernel and r["rate"]]
        at.plot([r["step"] for r in some], [r["rate"] for r in some], "o-", markersize=4)
        at.set(xlabel=f"{word}, in elements of 4 bytes", ylim=(0, None),
               title=f"copy with {'an' if word == 'offset' else 'a'} {word}, read and written")
        if bench.args.theoretical:
            at.axhline(bench.args.theoretical, color="k", linestyle="--", linewidth=1, label="by the datasheet")
            at.legend()
    axes[0].legend(ncol=3, loc="upper center", bbox_to_anchor=(0.5, -0.15))
    figure.suptitle(bench.title)
    return bench.end(figure, theoretical=bench.args.theoretical)


if __name__ == "__main__":
    raise SystemExit(main())
