/* SPDX-License-Identifier: MIT */
/*
 * rows.c - the kernels that a study compares, and their problems.
 *
 * The ablation is that of Daga, Scogland, Feng, "Architecture-Aware Optimization
 * on a 1600-core Graphics Processor", figures 6 and 7; its speed-ups are those
 * that the text tells in numbers.  Where KS + RP is combined with scalar math the
 * paper does not give the width: float2, the better one of the paper's.
 *
 * The ladder is the n-body example of the lectures on OpenCL programming: every
 * work-item for itself, a tile in local memory, and its loop unrolled.  The ladder
 * of transposes is theirs too: which work-item takes which element, in global memory
 * and by way of local memory; padding against bank conflicts is added.
 *
 * The ladder of products is tables 3.2 and 3.3 of NVIDIA's OpenCL Best Practices
 * Guide (2011), whose bandwidths are those of a GTX 280.
 */
#include "study.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct study_row ablation[] = {
	{ "basic", "potential/paper-basic", 0.0, 0 },
	{ "MT", "potential/paper-mt", 1.3, 0 },
	{ "KS", "potential/paper-ks", 1.7, 0 },
	{ "RA", "potential/paper-ra", 1.3, 0 },
	{ "RP", "potential/paper-rp", 1.6, 0 },
	{ "LM", "potential/paper-lm", 2.3, 0 },
	{ "IM", "potential/paper-im", 1.2, 0 },
	{ "LU2", "potential/paper-lu2", 0.0, 0 },
	{ "LU4", "potential/paper-lu4", 0.0, 0 },
	{ "VASM2", "potential/paper-vasm2", 0.0, 0 },
	{ "VASM4", "potential/paper-vasm4", 0.0, 0 },
	{ "VAVM2", "potential/paper-vavm2", 3.0, 0 },
	{ "VAVM4", "potential/paper-vavm4", 0.0, 0 },
	{ "MT+KS", "potential/paper-mt-ks", 1.8, 0 },
	{ "KS+LM", "potential/paper-ks-lm", 0.0, 0 },
	{ "KS+RP", "potential/paper-ks-rp", 0.0, 0 },
	{ "KS+VAVM2", "potential/paper-ks-vavm2", 0.0, 0 },
	{ "KS+RP+VASM2", "potential/paper-ks-rp-vasm2", 3.2, 0 },
	{ "KS+RP+IM", "potential/paper-ks-rp-im", 4.1, 0 },
	{ "MT+KS+RP+IM", "potential/paper-mt-ks-rp-im", 0.0, 0 },
	{ "KS+RA+RP", "potential/paper-ks-ra-rp", 0.0, 0 },
	{ "MT+KS+RA+RP+LM+VASM4", "potential/paper-mt-ks-ra-rp-lm-vasm4", 0.0, 0 },
	{ "MT+KS+RA+RP+IM+VAVM4", "potential/paper-mt-ks-ra-rp-im-vavm4", 0.0, 0 },
	{ "picked", NULL, 0.0, 0 },
};

const struct study study_ablation = {
	.title = "GEM, one optimization at a time",
	.published = "HD 5870",
	.op = CLOPT_OP_POTENTIAL,
	.shape = { { .elem_bytes = 4,
	             .law = CLOPT_LAW_ALPB_SALT,
	             .alpha = 332.06371,
	             .scale = 20 } },
	.size = { 128, 4096, 32768 },
	.problem = "%zu charges x %zu vertices, ALPB with 0.1 mol/l of salt",
	.rows = ablation,
	.n = COUNT(ablation),
};

static const struct study_row ladder[] = {
	{ "naive", "nbody/ladder-naive", 0.0, 0 },
	{ "tile", "nbody/ladder-tile", 0.0, 0 },
	{ "tile, unroll 2", "nbody/ladder-tile-u2", 0.0, 0 },
	{ "tile, unroll 4", "nbody/ladder-tile-u4", 0.0, 0 },
	{ "picked", NULL, 0.0, 0 },
};

const struct study study_ladder = {
	.title = "N-body, step by step",
	.op = CLOPT_OP_NBODY,
	.shape = { { .elem_bytes = 4,
	             .family = CASE_SHARED,
	             .alpha = 1,
	             .scale = 1,
	             .softening = 0.01 } },
	.size = { 128, 4096, 32768 },
	.problem = "%zu bodies, accelerations",
	.rows = ladder,
	.n = COUNT(ladder),
};

static const struct study_row products[] = {
	{ "A B: no optimization", "matmul/ladder-naive", 8.8 / 8.8, 0 },
	{ "A B: a tile of A", "matmul/ladder-tile-a", 14.3 / 8.8, 0 },
	{ "A B: both tiles", "matmul/ladder-tile-ab", 29.7 / 8.8, 0 },
	{ "A B: picked", NULL, 0.0, 0 },
	{ "A A^T: no optimization", "matmul/ladder-naive", 1.1 / 1.1, 1 },
	{ "A A^T: both tiles", "matmul/ladder-tile-ab", 24.8 / 1.1, 1 },
	{ "A A^T: no bank conflicts", "matmul/ladder-tile-pad", 30.3 / 1.1, 1 },
	{ "A A^T: picked", NULL, 0.0, 1 },
};

const struct study study_matmul = {
	.title = "Products, step by step",
	.published = "GTX 280",
	.parts = { "C = A B", "C = A A^T" },
	.op = CLOPT_OP_MATMUL,
	/* Products of a column and a row of tiles: most bytes that move are those of C. */
	.shape = { { .dim = { 0, 0, 16 },
	             .elem_bytes = 4,
	             .transa = CLOPT_TRANS_NO,
	             .transb = CLOPT_TRANS_NO,
	             .alpha = 1,
	             .scale = 1 },
	           { .dim = { 0, 0, 16 },
	             .elem_bytes = 4,
	             .transa = CLOPT_TRANS_NO,
	             .transb = CLOPT_TRANS_YES,
	             .alpha = 1,
	             .scale = 1,
	             .family = CASE_SHARED } },
	.size = { 64, 2048, 16384 },
	.problem = "A is %zu x 16, C %zu x %zu",
	.rows = products,
	.n = COUNT(products),
};

static const struct study_row transposes[] = {
	{ "coalesced reads", "transpose/ladder-reads", 0.0, 0 },
	{ "coalesced writes", "transpose/ladder-writes", 0.0, 0 },
	{ "local memory", "transpose/ladder-local", 0.0, 0 },
	{ "local memory, padded", "transpose/ladder-local-padded", 0.0, 0 },
	{ "picked", NULL, 0.0, 0 },
};

const struct study study_transpose = {
	.title = "Transpose, step by step",
	.op = CLOPT_OP_TRANSPOSE,
	.shape = { { .elem_bytes = 4, .alpha = 1, .scale = 1 } },
	.size = { 64, 2048, 16384 },
	.problem = "%zu x %zu of 4 bytes",
	.rows = transposes,
	.n = COUNT(transposes),
};
