#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far sums over pairs, bodies that move and distributed products should scale: a model, no measurement.

    clusters.py [NAME=NUMBER ...]     with other rates: those of your device and network

Rates of one device are measured ones (docs/measurements.md, one H200); the network's are stated.  The
model: computing is divided by the number of ranks P; a broadcast or gather of n bytes over all ranks
takes n / bandwidth + log2(P) latency, and P of them that follow each other P times the latency.
"""
import math
import sys

RATE = {
    'pairs': 2.8e12,  # potential, pairs a second
    'gravity': 1.95e12,  # bodies that move, pairs a second
    'flops': 52e12,  # float64 product on the device
    'bus': 50e9,  # bytes a second between host and device, each way
    'bandwidth': 12.5e9,  # of the network, bytes a second and node: 100 Gbit/s
    'latency': 2e-6,  # of one message
    'step': 30e-6,  # what a step of bodies takes beside its forces
}
RANKS = [1, 2, 4, 16, 64, 256, 1024]


def pair_sum(n, p):
    """All sources to all ranks, part by part, beside the sums; targets and results over the bus."""
    together = n * n / p / RATE['pairs'] + 20 * n / p / RATE['bus']
    spread = 0 if p == 1 else 16 * n / RATE['bandwidth'] + p * math.log2(p) * RATE['latency']
    return max(together, spread) + spread / p


def step(n, p):
    """Forces on whole groups of 256 bodies, then all forces to all ranks, and on to the device."""
    own = 256 * math.ceil(n / 256 / p)
    gather = 0 if p == 1 else 16 * n / RATE['bandwidth'] + math.log2(p) * RATE['latency']
    return n * own / RATE['gravity'] + gather + (0 if p == 1 else 32 * n / RATE['bus']) + RATE['step']


def product(n, p, nb):
    """pdgemm on a square grid of ranks: panels of nb go round, C comes and goes over the bus for each."""
    side, local = math.sqrt(p), n / math.sqrt(p)
    panels = n / nb
    compute = max(2 * local * local * nb / RATE['flops'], 8 * local * local / RATE['bus'])
    panel = 0 if p == 1 else 2 * 8 * local * nb / RATE['bandwidth'] + 2 * math.log2(side) * RATE['latency']
    return panels * max(compute, panel)


def table(name, seconds, size, power):
    """Strong: the same problem on more ranks; weak: a larger one, work being size^power."""
    def rate(p):
        return (size(p) / size(1)) ** power / seconds(size(p), p) / p

    print('%-34s' % name + ''.join('%9d' % p for p in RANKS))
    print('%-34s' % '  strong: speed over one' + ''.join('%9.1f' % (seconds(size(1), 1) / seconds(size(1), p)) for p in RANKS))
    print('%-34s' % '  weak: efficiency' + ''.join('%9.2f' % (rate(p) / rate(1)) for p in RANKS))


for word in sys.argv[1:]:
    key, _, value = word.partition('=')
    if key not in RATE:
        sys.exit('no rate is named %s: there are %s' % (key, ', '.join(RATE)))
    RATE[key] = float(value)
for exponent in 6, 7:
    table('potential, 10^%d by 10^%d' % (exponent, exponent), pair_sum, lambda p: 10 ** exponent * math.sqrt(p), 2)
    table('a step of 10^%d bodies' % exponent, step, lambda p: 10 ** exponent * math.sqrt(p), 2)
for nb in 256, 1024, 2048:
    table('pdgemm of 65536, NB %d' % nb, lambda n, p: product(n, p, nb), lambda p: 65536 * math.sqrt(p), 3)
