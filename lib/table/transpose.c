/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - transposes: the operation, its kernels, best first, and their parameters.
 */
#include "../host/host.h"
#include "table.h"

static void on_host(const struct job *job)
{
	const struct clopt_problem *p = &job->problem;
	const struct operand *in = &job->operand[0], *out = &job->operand[1];
	const struct host_transpose transpose = {
		.rows = p->dim[0],
		.columns = p->dim[1],
		.elem_bytes = p->elem_bytes,
		.in = in->host,
		.out = out->host,
		.ld_in = in->ld,
		.ld_out = out->ld,
		.scaled = p->scaled,
		.alpha = job->real[0],
	};

	clopt__host_transpose(&transpose);
}

/* clang-format off */
#define TRANSPOSE CLOPT_OP_TRANSPOSE
#define ALL_SIZES  (1 | 2 | 4 | 8 | 16)

/* Measured by clopt bench, never picked, since no device has T_STUDY.  name, options */
#define TRANSPOSE_LADDER(name, options) \
	{TRANSPOSE, "transpose/ladder-" name, "transpose/ladder.cl", options, {16, 16}, {16, 16}, 0, T_STUDY, .align = 1, .types = ALL_SIZES}

static const struct variant rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{TRANSPOSE,"transpose/host",        "",                    "",                                           {1,1},   {1,1},     0,          0, .align = 1, .types = ALL_SIZES, .host = on_host, .most = 1 << 16},
	/* Its likes are PoCL's device on a Zen 4.  On Intel's OpenCL, with 256 KiB of local memory, it took 1.2 times as long as wide-512. */
	{TRANSPOSE,"transpose/twin-256",    "transpose/wide.cl",   "-DVBYTES=32 -DSIDES=2",                     {1,1},   {1024,256}, 0,         T_CPU | T_WIDE16 | T_HUGELOCAL, .align = 1, .prelude = "transpose/block.clh", .types = 2 | 4 | 8, .uneven = UNEVEN_RESULT},
	{TRANSPOSE,"transpose/wide-512",    "transpose/wide.cl",   "-DVBYTES=64",                                {1,1},   {1024,256}, 0,         T_CPU | T_WIDE16, .align = 1, .prelude = "transpose/block.clh", .types = ALL_SIZES},
	{TRANSPOSE,"transpose/panel-256",    "transpose/wide.cl",   "-DVBYTES=32 -DPANEL",                               {1,1},   {1024,256}, T_BIGLOCAL,       T_CPU, .align = 1, .prelude = "transpose/block.clh", .types = ALL_SIZES},
	{TRANSPOSE,"transpose/wide-256",    "transpose/wide.cl",   "-DVBYTES=32",                                {1,1},   {1024,256}, 0,         T_CPU, .align = 1, .prelude = "transpose/block.clh", .types = ALL_SIZES},
	{TRANSPOSE,"transpose/image",       "transpose/image.cl",  "",                                           {16,16}, {64,64},   T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 16, .images = 1, .types = ALL_SIZES},
	{TRANSPOSE,"transpose/shift-128x256","transpose/shift.cl", "-DBAND=32", {32,8}, {128,256}, 0, T_GPU | T_LOCAL | T_NVIDIA, .prelude = "transpose/chunk.clh", .align = 16, .types = 1, .uneven = UNEVEN_ROWS},
	{TRANSPOSE,"transpose/shift-128x128","transpose/shift.cl", "-DBAND=32", {32,8}, {128,128}, 0, T_GPU | T_LOCAL | T_NVIDIA, .prelude = "transpose/chunk.clh", .align = 8, .types = 2, .uneven = UNEVEN_ROWS},
	{TRANSPOSE,"transpose/vec4-128x256","transpose/vec4.cl", "-DBAND=1", {32,8}, {128,256}, 0, T_GPU | T_LOCAL, .prelude = "transpose/chunk.clh", .align = 16, .types = 1},
	{TRANSPOSE,"transpose/vec4-128x128","transpose/vec4.cl", "-DBAND=32", {32,8}, {128,128}, 0, T_GPU | T_LOCAL, .prelude = "transpose/chunk.clh", .align = 8, .types = 2},
	{TRANSPOSE,"transpose/tile-64x128", "transpose/tile.cl",   "-DBAND=32",                                  {32,8},  {64,128},  0,          T_GPU | T_LOCAL | T_NVIDIA, .align = 1, .types = 4, .uneven = UNEVEN_ROWS},
	{TRANSPOSE,"transpose/tile-64x64",  "transpose/tile.cl",   "-DBAND=32",                                  {32,8},  {64,64},   0,          T_GPU | T_LOCAL | T_NVIDIA, .align = 1, .types = 4 | 8},
	{TRANSPOSE,"transpose/vec4-64x64",  "transpose/vec4.cl", "-DBAND=32", {32,8}, {64,64}, 0, T_GPU | T_LOCAL, .prelude = "transpose/chunk.clh", .align = 4, .types = 4},
	{TRANSPOSE,"transpose/vec4-32x32",  "transpose/vec4.cl", "-DBAND=32", {32,8}, {32,32}, 0, T_GPU | T_LOCAL, .prelude = "transpose/chunk.clh", .align = 2, .types = 8 | 16},
	{TRANSPOSE,"transpose/tile-32x32",  "transpose/tile.cl",   "-DBAND=1",                                  {32,8},  {32,32},   0,          T_LOCAL, .align = 1, .types = ALL_SIZES},
	TRANSPOSE_LADDER("reads", "-DMAPPING=0"),
	TRANSPOSE_LADDER("writes", "-DMAPPING=1"),
	TRANSPOSE_LADDER("local", "-DMAPPING=2 -DPAD=0"),
	TRANSPOSE_LADDER("local-padded", "-DMAPPING=2 -DPAD=1"),
	{TRANSPOSE,"transpose/plain",       "transpose/plain.cl",  "",                                           {16,16}, {16,16},   0,          0, .align = 1, .types = ALL_SIZES},
	{TRANSPOSE,"transpose/plain-1",     "transpose/plain.cl",  "",                                           {1,1},   {1,1},     0,          0, .align = 1, .types = ALL_SIZES},
	{0}
};

/* Values that tuning tries instead of the rows' values, by file. */
static const struct parameters parameters[] = {
	{ "transpose/wide.cl", { { "out", "256x64 256x128 512x128 512x256 512x512 1024x128 1024x256 1024x512" } } },
	{ "transpose/vec4.cl", { { "BAND", "1 4 8 32" }, { "wg", "16x8 32x4 32x8 32x16" }, { "out", "32x32 64x32 64x64 128x64 128x128" } } },
	{ "transpose/shift.cl", { { "BAND", "1 4 8 32" }, { "wg", "16x8 32x4 32x8 32x16" }, { "out", "32x32 64x32 32x64 64x64 64x128 128x128 128x256" } } },
	{ "transpose/tile.cl", { { "BAND", "1 8 32" }, { "wg", "16x4 16x16 32x4 32x8 32x16" }, { "out", "16x16 32x32 32x64 64x32 64x64 64x128 96x96 128x64" } } },
	{ "transpose/plain.cl", { { "wg", "16x4 16x16 32x8" }, { "out", "16x4 16x16 32x8" } } },
	{0}
};
/* clang-format on */

/* Sizes are rows, columns. */
static struct operand_shape shape(const struct clopt_problem *p, unsigned i)
{
	(void)p;
	return (struct operand_shape){ i, 1 - i, 0, 0 };
}

static void say(const struct clopt_problem *p, struct text *t)
{
	clopt__say(t, "%zu x %zu of %zu bytes%s%s%s", p->dim[0], p->dim[1], p->elem_bytes,
	           p->scaled ? ", scaled" : "",
	           p->uneven & UNEVEN_ROWS ? ", rows not aligned to 16 bytes" : "",
	           p->uneven & UNEVEN_RESULT ? ", the result's not to 64 bytes" : "");
}

static void say_class(const struct clopt_problem *p, struct text *t)
{
	clopt__say(t, "%zu bytes %zux%zu%s%s%s", p->elem_bytes, p->dim[0], p->dim[1],
	           p->scaled ? " scaled" : "", p->uneven & UNEVEN_ROWS ? " uneven" : "",
	           p->uneven & UNEVEN_RESULT ? " off lines" : "");
}

/* clang-format off */
const struct op clopt__transpose = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"transpose", {"transpose/common.clh"},                  2, 1, 2, 1, 1, {"in", "out"},                    {1, 0},      {0, 1},      NO_DIM, .keep = 0,
	.rows = rows, .parameters = parameters, .banded = 1, .views = 1, .size = {"rows", "cols"},
	.fields = FIELD_UNEVEN, .elem_sizes = ALL_SIZES, .scaled_sizes = 4 | 8,
	.shape = shape, .text = say, .class_text = say_class
};
/* clang-format on */
