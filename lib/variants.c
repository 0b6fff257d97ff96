/* SPDX-License-Identifier: MIT */
/*
 * variants.c - the table: every kernel variant, best first within its operation.
 *
 * Picking, tests, bench, `clopt list` and the docs walk it; nothing else names
 * a variant.  A row's geometry lives here alone: it becomes the build options
 * WG0 WG1 OUT0 OUT1 and the launch.  The last row of each operation needs and
 * likes nothing, so there is always an answer.
 */
#include "internal.h"

/* clang-format off */
const struct op clopt__ops[CLOPT_OPS] = {
	/*                   name         prelude                               dims reals operands pitched  operand                           extent      cut          sum     keep */
	[CLOPT_MATMUL]    = {"matmul",    {"matmul/common.clh", NULL},               3, 2, 3, 1, {"a", "b", "c"},                  {1, 0},      {0, 1},      2,      1},
	[CLOPT_TRANSPOSE] = {"transpose", {"transpose/common.clh", NULL},            2, 0, 2, 1, {"in", "out", NULL},              {1, 0},      {0, 1},      NO_DIM, 0},
	[CLOPT_POTENTIAL] = {"potential", {"pair/lanes.clh", "pair/coulomb.clh"},    2, 3, 3, 0, {"sources", "targets", "phi"},    {1, NO_DIM}, {1, NO_DIM}, 0,      2},
	[CLOPT_NBODY]     = {"nbody",     {"pair/lanes.clh", "pair/gravity.clh"},    2, 3, 3, 0, {"sources", "targets", "acc"},    {1, NO_DIM}, {1, NO_DIM}, 0,      2},
	[CLOPT_LEAPFROG]  = {"leapfrog",  {NULL, NULL},                              1, 2, 3, 0, {"bodies", "velocities", "acc"},  {0, NO_DIM}, {0, NO_DIM}, NO_DIM, 0},
	[CLOPT_EVOLVE_FORCE] = {"evolve-force", {"evolve/real.clh", "evolve/pull.clh"}, 1, 2, 2, 0, {"state", "rates"},            {0, NO_DIM}, {0, NO_DIM}, NO_DIM, 0},
	[CLOPT_EVOLVE_STEP]  = {"evolve-step",  {"evolve/real.clh"},                    1, 2, 3, 0, {"state", "next", "rates"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, 0},
	[CLOPT_EVOLVE_SUMS]  = {"evolve-sums",  {"evolve/real.clh"},                    1, 0, 3, 0, {"state", "rates", "sums"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, 0},
};

#define MATMUL    CLOPT_MATMUL
#define TRANSPOSE CLOPT_TRANSPOSE
#define POTENTIAL CLOPT_POTENTIAL
#define NBODY     CLOPT_NBODY
#define FORCE     CLOPT_EVOLVE_FORCE

const struct variant clopt__variants[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes                        align images texels */
	{MATMUL,   "matmul/packed-12x2",    "matmul/packed.cl",    "-DVBYTES=64 -DMR=12 -DKC=256",               {1,1},   {512,72},  T_BIGLOCAL, T_CPU | T_WIDE16,            1,    0,     0},
	{MATMUL,   "matmul/packed-6x2",     "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DKC=256",                {1,1},   {512,72},  T_BIGLOCAL, T_CPU,                       1,    0,     0},
	{MATMUL,   "matmul/packed-6x2-32K", "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DKC=64",                 {1,1},   {256,24},  0,          T_CPU,                       1,    0,     0},
	{MATMUL,   "matmul/image-4x4",      "matmul/vec4.cl",      "-DIMAGES=1",                                 {16,4},  {64,16},   T_IMAGES,   T_FLOAT4 | T_TEXTURE,        4,    3,     0},
	{MATMUL,   "matmul/vec4-4x4",       "matmul/vec4.cl",      "-DIMAGES=0",                                 {16,4},  {64,16},   0,          T_FLOAT4,                    4,    0,     0},
	{MATMUL,   "matmul/reg-64x64x32",   "matmul/reg.cl",       "-DTK=32",                                    {16,16}, {64,64},   0,          T_GPU | T_LOCAL | T_NVIDIA,  4,    0,     0},
	{MATMUL,   "matmul/reg-64x64x16",   "matmul/reg.cl",       "-DTK=16",                                    {16,16}, {64,64},   0,          T_GPU | T_LOCAL,             4,    0,     0},
	{MATMUL,   "matmul/tile-16x16",     "matmul/tile.cl",      "",                                           {16,16}, {16,16},   0,          T_LOCAL,                     1,    0,     0},
	{MATMUL,   "matmul/plain",          "matmul/plain.cl",     "",                                           {16,4},  {16,4},    0,          0,                           1,    0,     0},

	{TRANSPOSE,"transpose/wide-512",    "transpose/wide.cl",   "-DVBYTES=64",                                {1,1},   {1024,32}, 0,          T_CPU | T_WIDE16,            1,    0,     0},
	{TRANSPOSE,"transpose/wide-256",    "transpose/wide.cl",   "-DVBYTES=32",                                {1,1},   {1024,32}, 0,          T_CPU,                       1,    0,     0},
	{TRANSPOSE,"transpose/image",       "transpose/image.cl",  "",                                           {16,16}, {64,64},   T_IMAGES,   T_FLOAT4 | T_TEXTURE,        4,    1,     0},
	{TRANSPOSE,"transpose/vec4-64x64",  "transpose/vec4.cl",   "",                                           {16,16}, {64,64},   0,          T_GPU | T_LOCAL,             4,    0,     0},
	{TRANSPOSE,"transpose/tile-32x32",  "transpose/tile.cl",   "",                                           {32,8},  {32,32},   0,          T_LOCAL,                     1,    0,     0},
	{TRANSPOSE,"transpose/plain",       "transpose/plain.cl",  "",                                           {16,16}, {16,16},   0,          0,                           1,    0,     0},

	{POTENTIAL,"potential/wide-16x4",   "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",   {1,1},   {64,1},    0,          T_CPU | T_WIDE16,            4,    0,     0},
	{POTENTIAL,"potential/wide-8x4",    "pair/wide.cl",        "-DLANES=8 -cl-unsafe-math-optimizations",    {1,1},   {32,1},    0,          T_CPU,                       4,    0,     0},
	{POTENTIAL,"potential/image-4",     "pair/vec4.cl",        "-DLANES=4 -DIMAGES=1",                       {64,1},  {64,1},    T_IMAGES,   T_FLOAT4 | T_TEXTURE,        4,    0,     1},
	{POTENTIAL,"potential/vec4-4",      "pair/vec4.cl",        "-DLANES=4 -DIMAGES=0",                       {64,1},  {64,1},    0,          T_FLOAT4,                    4,    0,     0},
	{POTENTIAL,"potential/reg-256x2",   "pair/tile.cl",        "-DLANES=1 -DUNROLL=32",                      {256,1}, {512,1},   0,          T_GPU | T_LOCAL | T_SCALAR,  4,    0,     0},
	{POTENTIAL,"potential/tile-256",    "pair/tile.cl",        "-DLANES=1 -DUNROLL=16",                      {256,1}, {256,1},   0,          T_LOCAL,                     4,    0,     0},
	{POTENTIAL,"potential/plain",       "pair/plain.cl",       "-DLANES=1",                                  {64,1},  {64,1},    0,          0,                           4,    0,     0},

	{NBODY,    "nbody/wide-16x4",       "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",   {1,1},   {64,1},    0,          T_CPU | T_WIDE16,            4,    0,     0},
	{NBODY,    "nbody/wide-8x4",        "pair/wide.cl",        "-DLANES=8 -cl-unsafe-math-optimizations",    {1,1},   {32,1},    0,          T_CPU,                       4,    0,     0},
	{NBODY,    "nbody/image-4",         "pair/vec4.cl",        "-DLANES=4 -DIMAGES=1",                       {64,1},  {64,1},    T_IMAGES,   T_FLOAT4 | T_TEXTURE,        4,    0,     1},
	{NBODY,    "nbody/reg-256x2",       "pair/tile.cl",        "-DLANES=1 -DUNROLL=4",                       {256,1}, {512,1},   0,          T_GPU | T_LOCAL | T_AMD,     4,    0,     0},
	{NBODY,    "nbody/vec4-4",          "pair/vec4.cl",        "-DLANES=4 -DIMAGES=0",                       {64,1},  {64,1},    0,          T_FLOAT4,                    4,    0,     0},
	{NBODY,    "nbody/tile-256",        "pair/tile.cl",        "-DLANES=1 -DUNROLL=16",                      {256,1}, {256,1},   0,          T_LOCAL,                     4,    0,     0},
	{NBODY,    "nbody/plain",           "pair/plain.cl",       "-DLANES=1",                                  {64,1},  {64,1},    0,          0,                           4,    0,     0},

	{CLOPT_LEAPFROG, "leapfrog/plain",  "pair/leapfrog.cl",    "",                                           {64,1},  {64,1},    0,          0,                           4,    0,     0},

	{FORCE,    "evolve-force/wide-16",  "evolve/wide.cl",      "-DLANES=16",                                 {1,1},   {16,1},    0,          T_CPU | T_WIDE16,            4,    0,     0},
	{FORCE,    "evolve-force/wide-8",   "evolve/wide.cl",      "-DLANES=8",                                  {1,1},   {8,1},     0,          T_CPU,                       4,    0,     0},
	{FORCE,    "evolve-force/tile-64",  "evolve/tile.cl",      "-DLANES=1 -DUNROLL=4",                       {64,1},  {64,1},    0,          T_LOCAL,                     4,    0,     0},
	{FORCE,    "evolve-force/plain",    "evolve/plain.cl",     "-DLANES=1",                                  {64,1},  {64,1},    0,          0,                           4,    0,     0},

	{CLOPT_EVOLVE_STEP, "evolve-step/plain", "evolve/step.cl", "-DLANES=1",                                  {64,1},  {64,1},    0,          0,                           4,    0,     0},
	{CLOPT_EVOLVE_SUMS, "evolve-sums/tree",  "evolve/sums.cl", "-DLANES=1",                                  {64,1},  {1024,1},  0,          0,                           4,    0,     0},
	{0},
};
/* clang-format on */

const char *clopt_op_name(int op)
{
	return op >= 0 && op < CLOPT_OPS ? clopt__ops[op].name : NULL;
}

static size_t count(void)
{
	size_t n = 0;

	while (clopt__variants[n].name)
		n++;
	return n;
}

const char *clopt_variant_name(size_t i)
{
	return i < count() ? clopt__variants[i].name : NULL;
}

int clopt_variant_op(size_t i)
{
	return i < count() ? (int)clopt__variants[i].op : -1;
}
