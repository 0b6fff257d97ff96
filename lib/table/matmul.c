/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - products: the operation, its kernels, best first, and their parameters.
 */
#include <stdio.h>
#include <string.h>

#include "../host/host.h"
#include "table.h"

static void on_host(const struct job *job)
{
	const struct clopt_problem *p = &job->problem;
	const struct operand *o = job->operand;
	const struct host_product product = {
		.m = p->dim[0],
		.n = p->dim[1],
		.k = p->dim[2],
		.a = o[0].host,
		.b = o[1].host,
		.c = o[2].host,
		.lda = o[0].ld,
		.ldb = o[1].ld,
		.ldc = o[2].ld,
		.turned_a = p->transa != CLOPT_TRANS_NO,
		.turned_b = p->transb != CLOPT_TRANS_NO,
		.triangle = !p->triangle                    ? 0 :
		            p->triangle == CLOPT_UPLO_UPPER ? 1 :
		                                              -1,
		.alpha = job->real[0],
		.beta = job->real[1],
	};

	if (p->type == CLOPT_TYPE_DOUBLE)
		clopt__host_dgemm(&product);
	else
		clopt__host_sgemm(&product);
}

/* clang-format off */
#define MATMUL    CLOPT_OP_MATMUL
#define WORDS (TYPE_NARROW | 4 | TYPE_COMPLEX_FLOAT | TYPE_INT8) /* that are computed in 4 bytes */
#define DOUBLES (8 | TYPE_COMPLEX_DOUBLE)
#define ALL (WORDS | DOUBLES)
#define LARGE (SHAPE_PLAIN | SHAPE_DEEP)
#define LDS_TILES "matmul/lds.clh"
#define MFMA_TILES LDS_TILES " matmul/mfma.clh"
#define MATRIX_HALF LDS_TILES " matmul/matrix_half.clh"
#define TMA "matmul/async.clh matmul/tma.clh matmul/aligned.clh"
#define TMA_TILES TMA " matmul/wgmma.clh"
#define TF32_TILES "matmul/tensor.clh " TMA_TILES " matmul/wgmma_p.clh"

/* Measured by clopt bench, never picked, since no device has T_STUDY.  name, options */
#define MATMUL_LADDER(name, options) \
	{MATMUL, "matmul/ladder-" name, "matmul/ladder.cl", options, {16, 16}, {16, 16}, 0, T_STUDY, .align = 1}

static const struct variant rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{MATMUL,   "matmul/host",           "",                    "",                                           {1,1},   {1,1},     0,          0, .align = 1, .types = 4 | 8, .shapes = ~SHAPE_VECTOR, .shallow = HOST_MOST_TERMS, .host = on_host, .most = 1 << 20},
	{MATMUL,   "matmul/gemv-512",       "matmul/gemv.cl",      "-DVBYTES=64 -DKC=2048",                      {1,1},   {1024,1024}, 0,        T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = TYPE_NARROW | 4 | 8 | TYPE_INT8, .shapes = SHAPE_VECTOR},
	{MATMUL,   "matmul/gemv-256",       "matmul/gemv.cl",      "-DVBYTES=32 -DKC=2048",                      {1,1},   {1024,1024}, 0,        T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = TYPE_NARROW | 4 | 8 | TYPE_INT8, .shapes = SHAPE_VECTOR},
	{MATMUL,   "matmul/gemv-tree-16",   "matmul/gemv_tree.cl", "-DLANES=32",                                 {256,1}, {16,16},   0,          T_GPU | T_LOCAL, .align = 1, .types = TYPE_NARROW | 4 | 8 | TYPE_INT8, .shapes = SHAPE_VECTOR},
	{MATMUL,   "matmul/packed-16x1",    "matmul/packed.cl",    "-DVBYTES=64 -DMR=16 -DNV=1 -DKC=256 -DSTRIPS=1 -DROWS=192 -DLOCAL_KB=256",         {1,1},   {4096,192}, T_BIGLOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = WORDS, .narrow = 16},
	{MATMUL,   "matmul/packed-12x1",    "matmul/packed.cl",    "-DVBYTES=32 -DMR=12 -DNV=1 -DKC=256 -DSTRIPS=2 -DROWS=192 -DLOCAL_KB=256",        {1,1},   {4096,192}, T_BIGLOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = WORDS, .narrow = 8},
	{MATMUL,   "matmul/packed-8x2-2M",  "matmul/packed.cl",    "-DVBYTES=64 -DMR=8 -DNV=2 -DKC=256 -DSTRIPS=4 -DROWS=512 -DLOCAL_KB=1920",         {1,1},   {4096,512}, T_VASTLOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = ALL},
	{MATMUL,   "matmul/packed-8x2",     "matmul/packed.cl",    "-DVBYTES=64 -DMR=8 -DNV=2 -DKC=384 -DSTRIPS=2 -DROWS=256 -DLOCAL_KB=960",          {1,1},   {4096,512}, T_HUGELOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = WORDS},
	{MATMUL,   "matmul/packed-8x2-f64", "matmul/packed.cl",    "-DVBYTES=64 -DMR=8 -DNV=2 -DKC=384 -DSTRIPS=2 -DROWS=136 -DLOCAL_KB=960",          {1,1},   {4096,264}, T_HUGELOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = DOUBLES},
	{MATMUL,   "matmul/packed-6x2",     "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=384 -DSTRIPS=4 -DROWS=258 -DLOCAL_KB=960",          {1,1},   {4096,516}, T_HUGELOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = WORDS},
	{MATMUL,   "matmul/packed-6x2-f64", "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=384 -DSTRIPS=4 -DROWS=132 -DLOCAL_KB=960",          {1,1},   {4096,258}, T_HUGELOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = DOUBLES},
	{MATMUL,   "matmul/packed-8x2-256K","matmul/packed.cl",    "-DVBYTES=64 -DMR=8 -DNV=2 -DKC=256 -DSTRIPS=2 -DROWS=64 -DLOCAL_KB=256",          {1,1},   {4096,64}, T_BIGLOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = ALL},
	{MATMUL,   "matmul/packed-4x3",     "matmul/packed.cl",    "-DVBYTES=32 -DMR=4 -DNV=3 -DKC=256 -DSTRIPS=3 -DROWS=288 -DLOCAL_KB=480",          {1,1},   {4096,288}, T_LARGELOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .broad = 353, .types = WORDS},
	{MATMUL,   "matmul/packed-4x3-f64", "matmul/packed.cl",    "-DVBYTES=32 -DMR=4 -DNV=3 -DKC=256 -DSTRIPS=3 -DROWS=144 -DLOCAL_KB=480",          {1,1},   {4096,144}, T_LARGELOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .broad = 257, .types = DOUBLES},
	{MATMUL,   "matmul/packed-6x2-256K","matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=256 -DSTRIPS=2 -DROWS=72 -DLOCAL_KB=256",          {1,1},   {4096,72}, T_BIGLOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = ALL},
	{MATMUL,   "matmul/packed-6x2-32K", "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=64 -DSTRIPS=2 -DROWS=24 -DLOCAL_KB=32",          {1,1},   {4096,24}, 0, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .types = ALL},
	{MATMUL,   "matmul/image-8x8",      "matmul/vec4.cl",      "-DIMAGES=1",                                 {8,8},   {64,64},   T_IMAGES,   T_FLOAT4 | T_TEXTURE | T_AMD, .align = 4, .images = 3, .types = 4, .shapes = SHAPE_PLAIN},
	{MATMUL,   "matmul/image-4x4",      "matmul/vec4.cl",      "-DIMAGES=1",                                 {16,4},  {64,16},   T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 4, .images = 3},
	{MATMUL,   "matmul/vec4-4x4",       "matmul/vec4.cl",      "-DIMAGES=0",                                 {16,4},  {64,16},   0,          T_FLOAT4, .align = 4},
	{MATMUL,   "matmul/mfma-64x64-f64", "matmul/mfma.cl",      "-DTK_BYTES=64 -DWM=32 -DWN=32",              {256,1}, {64,64},   0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .prelude = MFMA_TILES, .types = 8, .few = 1 << 15},
	{MATMUL,   "matmul/mfma-128x128-f64", "matmul/mfma.cl",    "-DTK_BYTES=32 -DWM=64 -DWN=64",              {256,1}, {128,128}, 0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .prelude = MFMA_TILES, .types = 8},
	{MATMUL,   "matmul/mfma-half-64x64", "matmul/matrix_half.cl", "-DTK_BYTES=128 -DHALVES=4 -DWM=32 -DWN=64", {128,1}, {64,64}, 0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .prelude = MATRIX_HALF, .types = TYPE_NARROW, .few = 1 << 15},
	{MATMUL,   "matmul/mfma-half-128x128", "matmul/matrix_half.cl", "-DTK_BYTES=128 -DHALVES=4 -DWM=64 -DWN=64", {256,1}, {128,128}, 0,     T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .prelude = MATRIX_HALF, .types = TYPE_NARROW},
	{MATMUL,   "matmul/wmma-64x64", "matmul/matrix_half.cl", "-DTK_BYTES=128 -DHALVES=16 -DWM=16 -DWN=64", {128,1}, {64,64}, 0, T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_WMMA, .align = 4, .prelude = MATRIX_HALF, .types = TYPE_NARROW, .few = 1 << 15},
	{MATMUL,   "matmul/wmma-128x128", "matmul/matrix_half.cl", "-DTK_BYTES=128 -DHALVES=16 -DWM=32 -DWN=64", {256,1}, {128,128}, 0, T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_WMMA, .align = 4, .prelude = MATRIX_HALF, .types = TYPE_NARROW},
	{MATMUL,   "matmul/wmma12-64x64", "matmul/matrix_half.cl", "-DTK_BYTES=128 -DHALVES=8 -DWM=16 -DWN=64", {128,1}, {64,64}, 0, T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_WMMA12, .align = 4, .prelude = MATRIX_HALF, .types = TYPE_NARROW, .few = 1 << 15},
	{MATMUL,   "matmul/wmma12-128x128", "matmul/matrix_half.cl", "-DTK_BYTES=128 -DHALVES=8 -DWM=32 -DWN=64", {256,1}, {128,128}, 0, T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_WMMA12, .align = 4, .prelude = MATRIX_HALF, .types = TYPE_NARROW},
	{MATMUL,   "matmul/mfma-64x64",     "matmul/mfma.cl",      "-DTK_BYTES=32 -DWM=64 -DWN=64",              {64,1},  {64,64},   0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .prelude = MFMA_TILES, .types = 4, .few = 1 << 15},
	{MATMUL,   "matmul/mfma-128x128",   "matmul/mfma.cl",      "-DTK_BYTES=32 -DWM=64 -DWN=64",              {256,1}, {128,128}, 0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR | T_MFMA, .align = 4, .prelude = MFMA_TILES, .types = 4},
	{MATMUL,   "matmul/lds-64x64",      "matmul/lds.cl",       "-DTK_BYTES=32",                              {8,8},   {64,64},   0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .prelude = LDS_TILES, .types = TYPE_NARROW | 4 | 8, .few = 1 << 15},
	{MATMUL,   "matmul/lds-128x128",    "matmul/lds.cl",       "-DTK_BYTES=32",                              {16,16}, {128,128}, 0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .prelude = LDS_TILES, .types = TYPE_NARROW | 4},
	{MATMUL,   "matmul/lds-128x64",     "matmul/lds.cl",       "-DTK_BYTES=32",                              {16,8},  {128,64},  0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .prelude = LDS_TILES, .types = 8},
	{MATMUL,   "matmul/wgmma-tf32-256x128", "matmul/wgmma_tf32.cl", "-DTK=32 -DCONSUMERS=256 -DSTAGES=4 -DPRODUCTS=1", {384,1}, {128,256}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .types = 4, .shallow = 16384, .fill = 45, .shapes = LARGE, .rows16 = 512, .math = CLOPT_MATH_TF32, .maps = 1, .flips = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/wgmma-tf32-64x128", "matmul/wgmma_tf32.cl", "-DTK=32 -DCONSUMERS=256 -DSTAGES=4 -DPRODUCTS=1", {288,1}, {128,64}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .types = 4, .shallow = 16384, .shapes = LARGE, .rows16 = 512, .math = CLOPT_MATH_TF32, .maps = 1, .flips = 1, .persists = 1, .retarget = 2},
	{MATMUL,   "matmul/mma-tf32-128x128", "matmul/mma.cl",     "-DPRODUCTS=1 -DPART=4096 -DWAVE0=32 -DWAVE1=64 -DDEPTH=16 -DBUFFERS=2", {256,1}, {128,128}, T_PTX | T_SM80, T_GPU | T_TF32, .align = 4, .prelude = "matmul/tensor.clh", .types = 4, .shapes = LARGE, .math = CLOPT_MATH_TF32},
	{MATMUL,   "matmul/wgmma-mix-128x128", "matmul/wgmma_mix.cl", "-DTK=32 -DCONSUMERS=256 -DSTAGES=4 -DPRODUCTS=2 -DP_STAGES=6", {384,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .types = 4, .deep = 3840, .fill = 80, .broad = 512, .shapes = LARGE, .rows16 = 512, .maps = 1, .planes = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/wgmma-f32-128x128", "matmul/wgmma_f32.cl", "-DTK=32 -DCONSUMERS=256 -DPRODUCTS=3", {512,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .types = 4, .deep = 32, .fill = 80, .broad = 65, .shapes = LARGE, .rows16 = 512, .maps = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/wgmma-f32-64x128", "matmul/wgmma_f32.cl", "-DTK=32 -DCONSUMERS=256 -DPRODUCTS=3", {512,1}, {128,64}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .types = 4, .deep = 32, .shapes = LARGE, .rows16 = 512, .maps = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/mma-128x128",    "matmul/mma.cl",       "-DPRODUCTS=3 -DPART=4096 -DWAVE0=32 -DWAVE1=64 -DDEPTH=16 -DBUFFERS=1", {256,1}, {128,128}, T_PTX | T_SM80, T_GPU | T_TF32, .align = 4, .prelude = "matmul/tensor.clh", .types = 4, .deep = 32, .shapes = LARGE},
	{MATMUL,   "matmul/wgmma-half-128x256", "matmul/wgmma_half.cl", "-DTK=64 -DCONSUMERS=256 -DSTAGES=4", {288,1}, {256,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA_TILES, .types = TYPE_NARROW, .shallow = 65536, .fill = 300, .shapes = LARGE, .rows16 = 512, .maps = 1, .retarget = 1},
	{MATMUL,   "matmul/wgmma-half-128x128", "matmul/wgmma_half.cl", "-DTK=64 -DCONSUMERS=256 -DSTAGES=3", {288,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA_TILES, .types = TYPE_NARROW, .shallow = 65536, .fill = 100, .shapes = LARGE, .rows16 = 512, .maps = 1, .retarget = 2},
	{MATMUL,   "matmul/wgmma-half-128x64", "matmul/wgmma_half.cl", "-DTK=64 -DCONSUMERS=256 -DSTAGES=4", {288,1}, {64,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA_TILES, .types = TYPE_NARROW, .shallow = 65536, .fill = 50, .shapes = LARGE, .rows16 = 512, .maps = 1, .retarget = 2},
	{MATMUL,   "matmul/wgmma-half-64x64", "matmul/wgmma_half.cl", "-DTK=64 -DCONSUMERS=128 -DSTAGES=3", {160,1}, {64,64}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA_TILES, .types = TYPE_NARROW, .shallow = 65536, .shapes = LARGE | SHAPE_BATCH, .rows16 = 512, .maps = 1, .retarget = 4},
	{MATMUL,   "matmul/mma-half-128x128", "matmul/mma_half.cl", "-DWAVE0=32 -DWAVE1=64",                    {256,1}, {128,128}, T_PTX | T_SM80, T_GPU, .align = 8, .types = TYPE_NARROW, .shapes = LARGE | SHAPE_BATCH, .rest_first = 1},
	{MATMUL,   "matmul/wgmma-mix-c64-128x64", "matmul/wgmma_mix.cl", "-DTK=32 -DCONSUMERS=256 -DSTAGES=4 -DPRODUCTS=2 -DP_STAGES=8", {384,1}, {64,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .types = TYPE_COMPLEX_FLOAT, .deep = 1920, .fill = 80, .broad = 256, .shapes = LARGE, .rows16 = 512, .maps = 1, .planes = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/wgmma-f32-c64-128x64", "matmul/wgmma_f32.cl", "-DTK=32 -DCONSUMERS=256 -DPRODUCTS=3", {512,1}, {64,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .types = TYPE_COMPLEX_FLOAT, .deep = 16, .broad = 33, .shapes = LARGE, .rows16 = 512, .maps = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/mma-c64-128x64", "matmul/mma.cl",       "-DPRODUCTS=3 -DPART=4096 -DWAVE0=32 -DWAVE1=64 -DDEPTH=16 -DBUFFERS=1", {256,1}, {64,128}, T_PTX | T_SM80, T_GPU | T_TF32, .align = 4, .prelude = "matmul/tensor.clh", .types = TYPE_COMPLEX_FLOAT, .deep = 16, .shapes = LARGE},
	{MATMUL,   "matmul/wgmma-int8-128x256", "matmul/wgmma_int8.cl", "-DTK=128 -DCONSUMERS=256 -DSTAGES=4 -DBAND=16", {384,1}, {256,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA_TILES, .types = TYPE_INT8, .fill = 45, .deep = 256, .shapes = LARGE, .rows16 = 512, .maps = 1, .by_k = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/wgmma-int8-128x64", "matmul/wgmma_int8.cl", "-DTK=128 -DCONSUMERS=256 -DSTAGES=4 -DBAND=16", {288,1}, {64,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA_TILES, .types = TYPE_INT8, .deep = 256, .shapes = LARGE, .rows16 = 512, .maps = 1, .by_k = 1, .persists = 1, .retarget = 2},
	{MATMUL,   "matmul/int8-mma",       "matmul/int8_mma.cl", "-DTK=128 -DTILE0=256 -DTILE1=128 -DITEMS=256 -DSTAGES=4 -DBAND=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/int8_sums.clh matmul/int8_tiles.clh", .types = TYPE_INT8, .fill = 700, .deep = 256, .shapes = LARGE, .moduli = 1},
	{MATMUL,   "matmul/int8-mma-48k",   "matmul/int8_mma.cl", "-DTK=128 -DTILE0=256 -DTILE1=128 -DITEMS=256 -DSTAGES=2 -DBAND=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/int8_sums.clh matmul/int8_tiles.clh", .types = TYPE_INT8, .fill = 700, .deep = 256, .shapes = LARGE, .moduli = 1},
	{MATMUL,   "matmul/int8-f64-wgmma", "matmul/int8_wgmma.cl", "-DTK=16 -DTILE0=256 -DTILE1=128 -DITEMS=384 -DCONSUMERS=256 -DFETCHERS=128 -DSTAGES=4 -DBAND=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/tma.clh matmul/wgmma.clh matmul/int8.clh", .types = DOUBLES, .fill = 3000, .deep = 1024, .math = CLOPT_MATH_INT8, .moduli = 14, .retarget = 1},
	{MATMUL,   "matmul/int8-f64-wgmma-16", "matmul/int8_wgmma.cl", "-DTK=16 -DTILE0=256 -DTILE1=128 -DITEMS=384 -DCONSUMERS=256 -DFETCHERS=128 -DSTAGES=4 -DBAND=16 -DMODULI=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/tma.clh matmul/wgmma.clh matmul/int8.clh", .types = DOUBLES, .fill = 3000, .deep = 1024, .math = CLOPT_MATH_INT8_FINE, .moduli = 16, .retarget = 1},
	{MATMUL,   "matmul/int8-f64-mma", "matmul/int8_mma.cl", "-DTK=16 -DTILE0=256 -DTILE1=128 -DITEMS=256 -DSTAGES=4 -DBAND=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/int8.clh matmul/int8_tiles.clh", .types = DOUBLES, .fill = 3000, .deep = 1024, .math = CLOPT_MATH_INT8, .moduli = 14},
	{MATMUL,   "matmul/int8-f64-mma-16", "matmul/int8_mma.cl", "-DTK=16 -DTILE0=256 -DTILE1=128 -DITEMS=256 -DSTAGES=4 -DBAND=16 -DMODULI=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/int8.clh matmul/int8_tiles.clh", .types = DOUBLES, .fill = 3000, .deep = 1024, .math = CLOPT_MATH_INT8_FINE, .moduli = 16},
	{MATMUL,   "matmul/int8-f64-mma-48k", "matmul/int8_mma.cl", "-DTK=16 -DTILE0=256 -DTILE1=128 -DITEMS=256 -DSTAGES=2 -DBAND=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/int8.clh matmul/int8_tiles.clh", .types = DOUBLES, .fill = 3000, .deep = 1024, .math = CLOPT_MATH_INT8, .moduli = 14},
	{MATMUL,   "matmul/int8-f64-mma-48k-16", "matmul/int8_mma.cl", "-DTK=16 -DTILE0=256 -DTILE1=128 -DITEMS=256 -DSTAGES=2 -DBAND=16 -DMODULI=16 -DPTX=1", {128,1}, {32,64}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh matmul/int8.clh matmul/int8_tiles.clh", .types = DOUBLES, .fill = 3000, .deep = 1024, .math = CLOPT_MATH_INT8_FINE, .moduli = 16},
	{MATMUL,   "matmul/tma-f64-128x128", "matmul/dmma_tma.cl", "-DTK=16 -DCONSUMERS=256 -DSTAGES=6 -DWP=64 -DWQ=32", {384,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA, .types = 8, .fill = 190, .broad = 65, .shapes = LARGE, .rows16 = 512, .maps = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/tma-f64-64x128", "matmul/dmma_tma.cl", "-DTK=16 -DCONSUMERS=256 -DSTAGES=8 -DWP=32 -DWQ=32", {384,1}, {128,64}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TMA, .types = 8, .fill = 50, .broad = 65, .shapes = LARGE, .rows16 = 512, .maps = 1, .persists = 1, .retarget = 1},
	{MATMUL,   "matmul/mma-f64-64x96",  "matmul/dmma.cl",      "-DTK=8 -DWM=32 -DWN=48 -DSTAGES=4",          {128,1}, {96,64},   T_PTX | T_SM90, T_GPU, .align = 1, .prelude = "matmul/async.clh", .fill = 600, .types = 8},
	{MATMUL,   "matmul/mma-f64-64x64",  "matmul/dmma.cl",      "-DTK=8 -DWM=32 -DWN=32 -DSTAGES=4",          {128,1}, {64,64},   T_PTX | T_SM90, T_GPU, .align = 1, .prelude = "matmul/async.clh", .types = 8},
	{MATMUL,   "matmul/mma-c128-96x32", "matmul/dmma.cl",      "-DTK=8 -DWM=48 -DWN=32 -DSTAGES=4",          {128,1}, {32,96},   T_PTX | T_SM90, T_GPU, .align = 1, .prelude = "matmul/async.clh", .fill = 600, .types = TYPE_COMPLEX_DOUBLE},
	{MATMUL,   "matmul/mma-c128-64x32", "matmul/dmma.cl",      "-DTK=8 -DWM=32 -DWN=32 -DSTAGES=4",          {128,1}, {32,64},   T_PTX | T_SM90, T_GPU, .align = 1, .prelude = "matmul/async.clh", .types = TYPE_COMPLEX_DOUBLE},
	{MATMUL,   "matmul/async-128x256",  "matmul/async.cl",     "-DTK=8 -DSTAGES=2 -DROWS=8 -DCOLS=16 -DLANES0=8 -DSPLIT=1", {256,1}, {256,128}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh", .fill = 90, .broad = 129, .types = 4},
	{MATMUL,   "matmul/async-128x64",   "matmul/async.cl",     "-DTK=8 -DSTAGES=4 -DROWS=8 -DCOLS=8 -DLANES0=8 -DSPLIT=0",  {128,1}, {64,128},  T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh", .types = 4},
	{MATMUL,   "matmul/reg-64x64x32",   "matmul/reg.cl",       "-DTK=32",                                    {16,16}, {64,64},   0,          T_GPU | T_LOCAL | T_NVIDIA, .align = 4, .types = 4 | 8 | TYPE_COMPLEX_FLOAT},
	{MATMUL,   "matmul/reg-64x64x16",   "matmul/reg.cl",       "-DTK=16",                                    {16,16}, {64,64},   0,          T_GPU | T_LOCAL, .align = 4, .types = 4 | 8 | TYPE_COMPLEX},
	{MATMUL,   "matmul/reg-i8-64x64",   "matmul/reg.cl",       "-DTK=32",                                    {16,16}, {64,64},   0,          T_GPU | T_LOCAL, .align = 16, .types = TYPE_INT8},
	{MATMUL,   "matmul/tile-16x16",     "matmul/tile.cl",      "",                                           {16,16}, {16,16},   0,          T_LOCAL, .align = 1, .types = ALL},
	{MATMUL,   "matmul/int8-plain", "matmul/int8.cl", "-DTILE0=32 -DTILE1=64 -DITEMS=128 -DPTX=0", {128,1}, {32,64}, 0, T_STUDY, .align = 1, .prelude = "matmul/int8_sums.clh matmul/int8_tiles.clh", .types = TYPE_INT8, .moduli = 1},
	{MATMUL,   "matmul/int8-f64-plain", "matmul/int8.cl", "-DTILE0=32 -DTILE1=64 -DITEMS=128 -DPTX=0", {128,1}, {32,64}, 0, T_STUDY, .align = 1, .prelude = "matmul/int8.clh matmul/int8_tiles.clh", .types = DOUBLES, .math = CLOPT_MATH_INT8, .moduli = 14},
	{MATMUL,   "matmul/int8-f64-plain-16", "matmul/int8.cl", "-DTILE0=32 -DTILE1=64 -DITEMS=128 -DMODULI=16 -DPTX=0", {128,1}, {32,64}, 0, T_STUDY, .align = 1, .prelude = "matmul/int8.clh matmul/int8_tiles.clh", .types = DOUBLES, .math = CLOPT_MATH_INT8_FINE, .moduli = 16},
	MATMUL_LADDER("naive",    "-DTILE_A=0 -DTILE_B=0 -DPAD=0"),
	MATMUL_LADDER("tile-a",   "-DTILE_A=1 -DTILE_B=0 -DPAD=0"),
	MATMUL_LADDER("tile-ab",  "-DTILE_A=1 -DTILE_B=1 -DPAD=0"),
	MATMUL_LADDER("tile-pad", "-DTILE_A=1 -DTILE_B=1 -DPAD=1"),
	{MATMUL,   "matmul/plain",          "matmul/plain.cl",     "",                                           {16,4},  {16,4},    0,          0, .align = 1, .types = ALL},
	{MATMUL,   "matmul/plain-1",        "matmul/plain.cl",     "",                                           {1,1},   {1,1},     0,          0, .align = 1, .types = ALL},
	{0}
};

const struct variant clopt__epilogue_row = {MATMUL, "matmul/epilogue", "matmul/epilogue.cl", "", {64,1}, {64,1}, 0, 0, .align = 1};

/* Values that tuning tries instead of the rows' values, by file. */
static const struct parameters parameters[] = {
	{ "matmul/packed.cl", { { "MR", "4 6 8 12" }, { "NV", "1 2 3" }, { "KC", "64 128 256 384 512" }, { "STRIPS", "1 2 4 8" }, { "ROWS", "64 136 192 256 264" }, { "out", "4096x24 4096x72 4096x192 4096x264 4096x528" } } },
	{ "matmul/gemv.cl",   { { "KC", "512 1024 2048 4096" }, { "out", "256x256 1024x1024 4096x4096" } } },
	{ "matmul/reg.cl",    { { "TK", "8 16 32" }, { "wg", "8x8 16x8 16x16" }, { "out", "32x32 64x32 64x64 128x64 128x128" } } },
	{ "matmul/lds.cl",    { { "TK_BYTES", "16 32 64" }, { "wg", "8x8 16x8 16x16" }, { "out", "32x32 64x32 64x64 128x64 128x128" } } },
	{ "matmul/mfma.cl",   { { "TK_BYTES", "32 64" }, { "WM", "32 64" }, { "WN", "32 64" }, { "wg", "64x1 128x1 256x1" }, { "out", "64x64 128x64 128x128" } } },
	{ "matmul/matrix_half.cl", { { "TK_BYTES", "64 128 256" }, { "WM", "16 32 64" }, { "wg", "64x1 128x1 256x1" }, { "out", "64x64 128x64 128x128" } } },
	{ "matmul/vec4.cl",   { { "wg", "8x8 16x4 16x8 32x2" }, { "out", "32x32 64x16 64x32 64x64 128x32" } } },
	{ "matmul/async.cl",  { { "TK", "8 16" }, { "STAGES", "2 3 4" }, { "ROWS", "4 8" }, { "COLS", "4 8 16" }, { "wg", "128x1 256x1" }, { "out", "64x64 64x128 128x64 128x128 256x128" } } },
	{ "matmul/dmma.cl",   { { "STAGES", "2 3 4 5" }, { "WM", "16 32 48" }, { "WN", "16 32 48" }, { "wg", "64x1 128x1 256x1" }, { "out", "32x32 64x32 64x64 96x64 96x96 128x64" } } },
	{ "matmul/tile.cl",   { { "wg", "8x8 16x16" }, { "out", "8x8 16x16" } } },
	{ "matmul/plain.cl",  { { "wg", "16x4 16x16 32x1 64x1" }, { "out", "16x4 16x16 32x1 64x1" } } },
	{0}
};
/* clang-format on */

const struct clopt_problem clopt__epilogue_problem = { .op = MATMUL,
	                                               .type = CLOPT_TYPE_FLOAT,
	                                               .elem_bytes = sizeof(cl_float) };

/* Derive type and element size from each other.  Clears fields of real products that only complex
 * types have. */
static int read_type(const struct clopt *ctx, struct clopt_problem *p)
{
	const struct element_type *type;

	if (!p->type)
		p->type = p->elem_bytes ? (int)p->elem_bytes : CLOPT_TYPE_FLOAT;
	if (!p->elem_bytes)
		p->elem_bytes = (size_t)p->type & 0xff;
	type = clopt__type(p->type);
	if (!type || p->elem_bytes != ((size_t)p->type & 0xff))
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "type is 0x%x and elem_bytes is %zu: use one of enum clopt_type "
		                   "and its bytes, or only elem_bytes 2, 4 or 8",
		                   (unsigned)p->type, p->elem_bytes);
	if (p->hermitian && !p->triangle)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "hermitian is %d and triangle is 0: set triangle, the part of C "
		                   "that is computed",
		                   p->hermitian);
	p->hermitian = p->hermitian && type->parts == 2;
	if (type->parts == 1) {
		p->transa = p->transa == CLOPT_TRANS_CONJ ? CLOPT_TRANS_YES : p->transa;
		p->transb = p->transb == CLOPT_TRANS_CONJ ? CLOPT_TRANS_YES : p->transb;
	}
	return CLOPT_OK;
}

const char *clopt__type_text(char *text, int type)
{
	const char *word = type == CLOPT_TYPE_HALF           ? "half" :
	                   type == CLOPT_TYPE_FLOAT          ? "float" :
	                   type == CLOPT_TYPE_DOUBLE         ? "double" :
	                   type == CLOPT_TYPE_BFLOAT16       ? "bfloat16" :
	                   type == CLOPT_TYPE_INT8           ? "int8" :
	                   type == CLOPT_TYPE_COMPLEX_FLOAT  ? "complex-float" :
	                   type == CLOPT_TYPE_COMPLEX_DOUBLE ? "complex-double" :
	                                                       NULL;

	return clopt__enumerator(text, "CLOPT_TYPE_", word, type);
}

const char *clopt__trans_text(char *text, int trans)
{
	const char *word = trans == CLOPT_TRANS_NO   ? "no" :
	                   trans == CLOPT_TRANS_YES  ? "yes" :
	                   trans == CLOPT_TRANS_CONJ ? "conj" :
	                                               NULL;

	return clopt__enumerator(text, "CLOPT_TRANS_", word, trans);
}

static int check_trans(const struct clopt *ctx, const char *name, int trans)
{
	char letter[48] = "";

	if (trans == CLOPT_TRANS_NO || trans == CLOPT_TRANS_YES || trans == CLOPT_TRANS_CONJ)
		return CLOPT_OK;
	if (trans > 0 && trans < 128 && strchr("NTCntc", trans))
		snprintf(letter, sizeof letter, ", the letter %c of Fortran's BLAS", trans);
	return clopt__fail(ctx, CLOPT_EINVAL,
	                   "%s is %d%s: use CLOPT_TRANS_NO, CLOPT_TRANS_YES or CLOPT_TRANS_CONJ",
	                   name, trans, letter);
}

int clopt__check_product(const struct clopt *ctx, const struct clopt_problem *p)
{
	int rc = CLOPT_OK;

	TRY(check_trans(ctx, "transa", p->transa));
	TRY(check_trans(ctx, "transb", p->transb));
	if (p->layout != CLOPT_LAYOUT_ROW_MAJOR && p->layout != CLOPT_LAYOUT_COL_MAJOR)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "layout is %d: use CLOPT_LAYOUT_ROW_MAJOR or CLOPT_LAYOUT_COL_MAJOR",
		        p->layout);
out:
	return rc;
}

/* Check the fields of a product, and replace a column-major product by its transpose, a row-major
 * product. */
static int read(const struct clopt *ctx, struct clopt_problem *p)
{
	const struct clopt_problem q = *p;
	int rc = CLOPT_OK;

	TRY(clopt__check_product(ctx, p));
	TRY(read_type(ctx, p));
	if (p->math < CLOPT_MATH_EXACT || p->math > CLOPT_MATH_INT8_FINE)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "math is %d: use CLOPT_MATH_EXACT, CLOPT_MATH_TF32, "
		                   "CLOPT_MATH_HALF, CLOPT_MATH_INT8 or CLOPT_MATH_INT8_FINE",
		                   p->math);
	if (p->triangle && p->triangle != CLOPT_UPLO_LOWER && p->triangle != CLOPT_UPLO_UPPER)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "triangle is %d: use CLOPT_UPLO_UPPER, CLOPT_UPLO_LOWER, or 0 for all of C",
		        p->triangle);
	if (p->triangle && p->dim[0] != p->dim[1])
		return clopt__fail(
		        ctx, CLOPT_EINVAL, "triangle is %s and C is %zu x %zu: it must be square",
		        p->triangle == CLOPT_UPLO_LOWER ? "CLOPT_UPLO_LOWER" : "CLOPT_UPLO_UPPER",
		        p->dim[0], p->dim[1]);
	if (p->layout == CLOPT_LAYOUT_COL_MAJOR) {
		p->layout = CLOPT_LAYOUT_ROW_MAJOR;
		p->dim[0] = q.dim[1];
		p->dim[1] = q.dim[0];
		p->transa = q.transb;
		p->transb = q.transa;
		p->triangle = !q.triangle ? 0 : CLOPT_UPLO_UPPER + CLOPT_UPLO_LOWER - q.triangle;
	}
out:
	return rc;
}

/* Sizes are m, n, k. */
static struct operand_shape shape(const struct clopt_problem *p, unsigned i)
{
	static const struct operand_shape plain[] = { { 0, 2, 0, 0 },
		                                      { 2, 1, 0, 0 },
		                                      { 0, 1, 0, 0 } };
	const int trans = i == 0 ? p->transa : i == 1 ? p->transb : CLOPT_TRANS_NO;

	if (trans != CLOPT_TRANS_NO)
		return (struct operand_shape){ plain[i].column_dim, plain[i].row_dim, 0, 0 };
	return plain[i];
}

static char letter(int trans)
{
	return trans == CLOPT_TRANS_CONJ         ? 'C' :
	       trans == CLOPT_TRANS_YES          ? 'T' :
	       !trans || trans == CLOPT_TRANS_NO ? 'N' :
	                                           '?';
}

/* Also for a problem that has not been read. */
static void say(const struct clopt_problem *p, struct text *t)
{
	const struct element_type *type = clopt__type(p->type ? p->type : (int)p->elem_bytes);

	clopt__say(t, "%zu x %zu x %zu %s %c%c%s%s", p->dim[0], p->dim[1], p->dim[2],
	           type ? type->name : "?", letter(p->transa), letter(p->transb),
	           p->layout == CLOPT_LAYOUT_COL_MAJOR ? " column-major" : "",
	           p->triangle == CLOPT_UPLO_LOWER ? " lower triangle" :
	           p->triangle == CLOPT_UPLO_UPPER ? " upper triangle" :
	                                             "");
}

static void say_class(const struct clopt_problem *p, struct text *t)
{
	static const char *const maths[] = { "", " tf32", " half", " int8", " int8-fine" };
	const int of_doubles = p->math >= CLOPT_MATH_INT8;
	const struct element_type *type = clopt__type(p->type);

	clopt__say(t, "%s %c%c %zux%zux%zu%s%s", type->name, letter(p->transa), letter(p->transb),
	           p->dim[0], p->dim[1], p->dim[2],
	           (of_doubles ? type->part == CLOPT_TYPE_DOUBLE : p->type == CLOPT_TYPE_FLOAT) ?
	                   maths[p->math] :
	                   "",
	           p->triangle ? " triangle" : "");
}

int clopt__turns(const struct variant *v, const struct clopt_problem *p, unsigned operand)
{
	if (operand == 1)
		return v->by_k && p->transb == CLOPT_TRANS_NO;
	return p->transa != CLOPT_TRANS_NO &&
	       (v->by_k || (v->flips && p->transb == CLOPT_TRANS_NO));
}

size_t clopt__out(const struct variant *v, const struct clopt_problem *p, unsigned axis)
{
	const int flipped = v->flips && p->transa != CLOPT_TRANS_NO && p->transb != CLOPT_TRANS_NO;

	return v->out[flipped ? 1 - axis : axis];
}

/* With fewer than two tiles of 64 x 64 per compute unit the device is partly idle; work-groups can
 * then share a long k.  A batch of products larger than a tile counts as one large product. */
unsigned clopt__shape(const struct clopt_problem *p, unsigned compute_units)
{
	const size_t m = p->dim[0], n = p->dim[1], k = p->dim[2];

	if (p->batch > 1)
		return (m <= 64 && n <= 64) || m == 1 || n == 1 ? SHAPE_BATCH : SHAPE_PLAIN;
	if (m == 1 || n == 1)
		return SHAPE_VECTOR;
	if (m <= SMALL && n <= SMALL && k <= SMALL)
		return SHAPE_SMALL;
	if (k >= 1024 &&
	    (double)clopt__groups(m, 64) * (double)clopt__groups(n, 64) <= 2.0 * compute_units)
		return SHAPE_DEEP;
	return SHAPE_PLAIN;
}

/* clang-format off */
const struct op clopt__matmul = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"matmul",    {"matmul/common.clh"},                     3, 2, 3, 1, 1, {"a", "b", "c"},                  {1, 0},      {0, 1},      2, .keep = 1, .triangular = 1, .views = 1,
	.rows = rows, .parameters = parameters, .banded = 1, .size = {"m", "n", "k"},
	.fields = FIELD_PRODUCT, .elem_sizes = 1 | 2 | 4 | 8 | 16,
	.read = read, .shape = shape, .text = say, .class_text = say_class
};
/* clang-format on */
