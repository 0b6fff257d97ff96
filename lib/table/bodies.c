/* SPDX-License-Identifier: MIT */
/*
 * bodies.c - moving bodies: the operations of a step, and their kernels, best first.
 */
#include "table.h"

/* clang-format off */
#define FORCE     CLOPT_EVOLVE_FORCE

static const struct variant leapfrog_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_LEAPFROG, "leapfrog/plain",  "pair/leapfrog.cl",    "",                                           {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_LEAPFROG, "leapfrog/plain-1","pair/leapfrog.cl",    "",                                           {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant force_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{FORCE,    "evolve-force/wide-16",  "evolve/plain.cl",     "-DLANES=16",                                 {1,1},   {16,1},    0,          T_CPU | T_WIDE16, .align = 4},
	{FORCE,    "evolve-force/wide-8",   "evolve/plain.cl",     "-DLANES=8",                                  {1,1},   {8,1},     0,          T_CPU, .align = 4},
	{FORCE,    "evolve-force/split-8x32","evolve/tile.cl",     "-DLANES=1 -DUNROLL=4",                       {256,1}, {8,1},     0,          T_GPU | T_LOCAL, .align = 4, .few = 32},
	{FORCE,    "evolve-force/split-32x8","evolve/tile.cl",     "-DLANES=1 -DUNROLL=4",                       {256,1}, {32,1},    0,          T_GPU | T_LOCAL, .align = 4},
	{FORCE,    "evolve-force/tile-64",  "evolve/tile.cl",      "-DLANES=1 -DUNROLL=4",                       {64,1},  {64,1},    0,          T_LOCAL, .align = 4},
	{FORCE,    "evolve-force/plain",    "evolve/plain.cl",     "-DLANES=1",                                  {64,1},  {64,1},    0,          0, .align = 4},
	{FORCE,    "evolve-force/plain-1",  "evolve/plain.cl",     "-DLANES=1",                                  {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant step_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_EVOLVE_STEP, "evolve-step/plain", "evolve/step.cl", "-DLANES=1",                                  {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_EVOLVE_STEP, "evolve-step/plain-1", "evolve/step.cl", "-DLANES=1",                                {1,1},   {1,1},     0,          0, .align = 4},
	{0}
};

static const struct variant sums_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{CLOPT_EVOLVE_SUMS, "evolve-sums/tree",  "evolve/sums.cl", "-DLANES=1",                                  {64,1},  {1024,1},  0,          0, .align = 4},
	{CLOPT_EVOLVE_SUMS, "evolve-sums/plain-1", "evolve/sums.cl", "-DLANES=1",                                {1,1},   {1024,1},  0,          0, .align = 4},
	{0}
};

const struct op clopt__leapfrog_op = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"leapfrog",  {NULL},                                    1, 2, 3, 0, 0, {"bodies", "velocities", "acc"},  {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = leapfrog_rows,
};

const struct op clopt__evolve_force = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"evolve-force", {"evolve/real.clh", "evolve/pull.clh"}, 1, 2, 2, 0, 0, {"state", "rates"},            {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = force_rows,
};

const struct op clopt__evolve_step = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"evolve-step",  {"evolve/real.clh"},                    1, 2, 3, 0, 0, {"state", "next", "rates"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = step_rows,
};

const struct op clopt__evolve_sums = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"evolve-sums",  {"evolve/real.clh"},                    1, 1, 3, 0, 0, {"state", "rates", "sums"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0,
	.rows = sums_rows,
};
/* clang-format on */
