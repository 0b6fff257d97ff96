/* SPDX-License-Identifier: MIT */
/*
 * table.c - the table: every kernel variant, best first within its operation.
 *
 * Picking, tests, bench, `clopt list` and the docs walk it; nothing else names
 * a variant.  A row's geometry lives here alone: it becomes the build options
 * WG0 WG1 OUT0 OUT1 and the launch.  The last row of each operation needs and
 * likes nothing, and its groups are of one work-item, so there is always an answer.
 */
#include "table.h"

/* clang-format off */
#define PAIR_PRELUDE "pair/real.clh", "pair/target.clh", "pair/sum.clh"
#define PAIR_INPUTS  "sources", "depths", "targets", "normals"
#define PLAIN_LAW    "-DSOFTENED=0 -DOWN=0"

const struct op clopt__ops[CLOPT_OPS] = {
	/*                   name         prelude                               dims reals operands pitched batched  operand                           extent      cut          sum     keep */
	[CLOPT_MATMUL]    = {"matmul",    {"matmul/common.clh"},                     3, 2, 3, 1, 1, {"a", "b", "c"},                  {1, 0},      {0, 1},      2, .keep = 1, .triangular = 1},
	[CLOPT_TRANSPOSE] = {"transpose", {"transpose/common.clh"},                  2, 1, 2, 1, 1, {"in", "out"},                    {1, 0},      {0, 1},      NO_DIM, .keep = 0},
	[CLOPT_POTENTIAL] = {"potential", {PAIR_PRELUDE},                            2, MAX_REALS, 5, 0, 0, {PAIR_INPUTS, "phi"},     {1, NO_DIM}, {1, NO_DIM}, 0, .keep = 2, .part_bytes = 48},
	[CLOPT_NBODY]     = {"nbody",     {PAIR_PRELUDE},                            2, MAX_REALS, 5, 0, 0, {PAIR_INPUTS, "acc"},     {1, NO_DIM}, {1, NO_DIM}, 0, .keep = 2, .part_bytes = 48},
	[CLOPT_LEAPFROG]  = {"leapfrog",  {NULL},                                    1, 2, 3, 0, 0, {"bodies", "velocities", "acc"},  {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0},
	[CLOPT_EVOLVE_FORCE] = {"evolve-force", {"evolve/real.clh", "evolve/pull.clh"}, 1, 2, 2, 0, 0, {"state", "rates"},            {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0},
	[CLOPT_EVOLVE_STEP]  = {"evolve-step",  {"evolve/real.clh"},                    1, 2, 3, 0, 0, {"state", "next", "rates"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0},
	[CLOPT_EVOLVE_SUMS]  = {"evolve-sums",  {"evolve/real.clh"},                    1, 1, 3, 0, 0, {"state", "rates", "sums"},    {0, NO_DIM}, {0, NO_DIM}, NO_DIM, .keep = 0},
};

/* Operations: the count of a fused multiply-add is two, of a root, a reciprocal or
 * an exponential one.  Gravity's 20 is what everybody counts. */
const struct law clopt__laws[CLOPT_LAWS] = {
	/*                            op               name                file                  options                                            flops */
	[CLOPT_LAW_DEFAULT]          = {CLOPT_OPS,       "default",          NULL,                 "",                                                {0, 0}},
	[CLOPT_LAW_COULOMB]          = {CLOPT_POTENTIAL, "coulomb",          "pair/radial.clh",    PLAIN_LAW " -DFOOT=0 -DINSIDE=0",                  {11, 19}},
	[CLOPT_LAW_DISTANCE4]        = {CLOPT_POTENTIAL, "distance4",        "pair/distance4.clh", PLAIN_LAW " -DFOOT=0 -DINSIDE=0",                  {12, 21}},
	[CLOPT_LAW_DEBYE]            = {CLOPT_POTENTIAL, "debye",            "pair/debye.clh",     PLAIN_LAW " -DFOOT=0 -DINSIDE=0",                  {15, 24}},
	[CLOPT_LAW_ALPB_SALT]        = {CLOPT_POTENTIAL, "alpb-salt",        "pair/alpb.clh",      PLAIN_LAW " -DFOOT=1 -DINSIDE=0 -DFAR=0",          {22, 31}},
	[CLOPT_LAW_ALPB_FAR]         = {CLOPT_POTENTIAL, "alpb-far",         "pair/alpb.clh",      PLAIN_LAW " -DFOOT=1 -DINSIDE=0 -DFAR=1",          {28, 40}},
	[CLOPT_LAW_ALPB_INSIDE]      = {CLOPT_POTENTIAL, "alpb-inside",      "pair/alpb.clh",      PLAIN_LAW " -DFOOT=0 -DINSIDE=1 -DFAR=0",          {17, 31}},
	[CLOPT_LAW_ALPB_INSIDE_SALT] = {CLOPT_POTENTIAL, "alpb-inside-salt", "pair/alpb.clh",      PLAIN_LAW " -DFOOT=1 -DINSIDE=1 -DFAR=0",          {28, 42}},
	[CLOPT_LAW_GRAVITY]          = {CLOPT_NBODY,     "gravity",          "pair/radial.clh",    "-DSOFTENED=1 -DOWN=0 -DFOOT=0 -DINSIDE=0",        {11, 20}},
	[CLOPT_LAW_GRAVITY_OWN]      = {CLOPT_NBODY,     "gravity-own",      "pair/radial.clh",    "-DSOFTENED=1 -DOWN=1 -DFOOT=0 -DINSIDE=0",        {11, 20}},
};

#define MATMUL    CLOPT_MATMUL
#define TRANSPOSE CLOPT_TRANSPOSE
#define POTENTIAL CLOPT_POTENTIAL
#define NBODY     CLOPT_NBODY
#define FORCE     CLOPT_EVOLVE_FORCE

#define ALL_SIZES  (1 | 2 | 4 | 8 | 16)
#define LARGE (SHAPE_PLAIN | SHAPE_DEEP)
#define HALF_TILES "matmul/async.clh matmul/stages.clh matmul/wgmma.clh"
#define TF32_TILES "matmul/tensor.clh " HALF_TILES
#define FLOATS     (1u << CLOPT_PRECISION_FLOAT)
#define DOUBLES    (1u << CLOPT_PRECISION_DOUBLE)
#define DOUBLE_SINGLES (1u << CLOPT_PRECISION_DOUBLE_SINGLE)
#define RADIAL_LAWS (1u << CLOPT_LAW_COULOMB | 1u << CLOPT_LAW_GRAVITY | 1u << CLOPT_LAW_GRAVITY_OWN)
#define SALTED_LAWS (1u << CLOPT_LAW_ALPB_SALT | 1u << CLOPT_LAW_ALPB_FAR | 1u << CLOPT_LAW_ALPB_INSIDE_SALT)
#define ALL_FLOATS (FLOATS | DOUBLES | 1u << CLOPT_PRECISION_COMPENSATED)

/*
 * Study rows: measured by clopt bench, never picked, since no device has T_STUDY.
 * name, options, work-items in a group, needs, texels
 */
#define GEM_LAWS (1u << CLOPT_LAW_COULOMB | 1u << CLOPT_LAW_ALPB_SALT | 1u << CLOPT_LAW_ALPB_FAR | \
                  1u << CLOPT_LAW_ALPB_INSIDE | 1u << CLOPT_LAW_ALPB_INSIDE_SALT)
#define PAPER(name, options, group, needs, image) \
	{POTENTIAL, "potential/paper-" name, "pair/paper.cl", options, {group, 1}, {group, 1}, needs, T_STUDY, .align = 4, .texels = image, .precisions = FLOATS, .laws = GEM_LAWS, .outputs = 1u << CLOPT_PHI}
#define LADDER(name, options) \
	{NBODY, "nbody/ladder-" name, "pair/ladder.cl", options, {256, 1}, {256, 1}, 0, T_STUDY, .align = 4, .precisions = FLOATS, .laws = 1u << CLOPT_LAW_GRAVITY}
#define MATMUL_LADDER(name, options) \
	{MATMUL, "matmul/ladder-" name, "matmul/ladder.cl", options, {16, 16}, {16, 16}, 0, T_STUDY, .align = 1}
#define TRANSPOSE_LADDER(name, options) \
	{TRANSPOSE, "transpose/ladder-" name, "transpose/ladder.cl", options, {16, 16}, {16, 16}, 0, T_STUDY, .align = 1, .sizes = ALL_SIZES}

const struct variant clopt__variants[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{MATMUL,   "matmul/gemv-512",       "matmul/gemv.cl",      "-DVBYTES=64 -DKC=2048",                      {1,1},   {1024,1024}, 0,        T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4 | 8, .shapes = SHAPE_VECTOR},
	{MATMUL,   "matmul/gemv-256",       "matmul/gemv.cl",      "-DVBYTES=32 -DKC=2048",                      {1,1},   {1024,1024}, 0,        T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4 | 8, .shapes = SHAPE_VECTOR},
	{MATMUL,   "matmul/gemv-tree-16",   "matmul/gemv_tree.cl", "",                                           {256,1}, {16,16},   0,          T_GPU | T_LOCAL, .align = 1, .sizes = 2 | 4 | 8, .shapes = SHAPE_VECTOR},
	{MATMUL,   "matmul/packed-16x1",    "matmul/packed.cl",    "-DVBYTES=64 -DMR=16 -DNV=1 -DKC=256 -DSTRIPS=1 -DROWS=192 -DLOCAL_KB=256",         {1,1},   {4096,192}, T_BIGLOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4, .narrow = 16},
	{MATMUL,   "matmul/packed-12x1",    "matmul/packed.cl",    "-DVBYTES=32 -DMR=12 -DNV=1 -DKC=256 -DSTRIPS=2 -DROWS=192 -DLOCAL_KB=256",        {1,1},   {4096,192}, T_BIGLOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4, .narrow = 8},
	{MATMUL,   "matmul/packed-8x2",     "matmul/packed.cl",    "-DVBYTES=64 -DMR=8 -DNV=2 -DKC=384 -DSTRIPS=2 -DROWS=256 -DLOCAL_KB=960",          {1,1},   {4096,512}, T_HUGELOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4},
	{MATMUL,   "matmul/packed-8x2-f64", "matmul/packed.cl",    "-DVBYTES=64 -DMR=8 -DNV=2 -DKC=384 -DSTRIPS=2 -DROWS=136 -DLOCAL_KB=960",          {1,1},   {4096,264}, T_HUGELOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 8},
	{MATMUL,   "matmul/packed-6x2",     "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=384 -DSTRIPS=4 -DROWS=258 -DLOCAL_KB=960",          {1,1},   {4096,516}, T_HUGELOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4},
	{MATMUL,   "matmul/packed-6x2-f64", "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=384 -DSTRIPS=4 -DROWS=132 -DLOCAL_KB=960",          {1,1},   {4096,258}, T_HUGELOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 8},
	{MATMUL,   "matmul/packed-8x2-256K","matmul/packed.cl",    "-DVBYTES=64 -DMR=8 -DNV=2 -DKC=256 -DSTRIPS=2 -DROWS=64 -DLOCAL_KB=256",          {1,1},   {4096,64}, T_BIGLOCAL, T_CPU | T_WIDE16, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4 | 8},
	{MATMUL,   "matmul/packed-6x2-256K","matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=256 -DSTRIPS=2 -DROWS=72 -DLOCAL_KB=256",          {1,1},   {4096,72}, T_BIGLOCAL, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4 | 8},
	{MATMUL,   "matmul/packed-6x2-32K", "matmul/packed.cl",    "-DVBYTES=32 -DMR=6 -DNV=2 -DKC=64 -DSTRIPS=2 -DROWS=24 -DLOCAL_KB=32",          {1,1},   {4096,24}, 0, T_CPU, .align = 1, .prelude = "matmul/vector.clh", .spread = 1, .sizes = 2 | 4 | 8},
	{MATMUL,   "matmul/image-8x8",      "matmul/vec4.cl",      "-DIMAGES=1",                                 {8,8},   {64,64},   T_IMAGES,   T_FLOAT4 | T_TEXTURE | T_AMD, .align = 4, .images = 3, .sizes = 4, .shapes = SHAPE_PLAIN},
	{MATMUL,   "matmul/image-4x4",      "matmul/vec4.cl",      "-DIMAGES=1",                                 {16,4},  {64,16},   T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 4, .images = 3},
	{MATMUL,   "matmul/vec4-4x4",       "matmul/vec4.cl",      "-DIMAGES=0",                                 {16,4},  {64,16},   0,          T_FLOAT4, .align = 4},
	{MATMUL,   "matmul/lds-64x64",      "matmul/lds.cl",       "-DTK_BYTES=32",                              {8,8},   {64,64},   0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .sizes = 2 | 4 | 8, .few = 1 << 15},
	{MATMUL,   "matmul/lds-128x128",    "matmul/lds.cl",       "-DTK_BYTES=32",                              {16,16}, {128,128}, 0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .sizes = 2 | 4},
	{MATMUL,   "matmul/lds-128x64",     "matmul/lds.cl",       "-DTK_BYTES=32",                              {16,8},  {128,64},  0,          T_GPU | T_LOCAL | T_AMD | T_SCALAR, .align = 4, .sizes = 8},
	{MATMUL,   "matmul/wgmma-tf32-rows16", "matmul/wgmma_tf32.cl", "-DTK=16 -DSTAGES=3 -DAT_ONCE=0", {256,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = TF32_TILES, .sizes = 4, .shallow = 16384, .shapes = LARGE, .rows16 = 1, .math = CLOPT_MATH_TF32, .retarget = 2},
	{MATMUL,   "matmul/wgmma-tf32-128x128", "matmul/wgmma.cl", "-DPRODUCTS=1",                               {256,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 4, .prelude = "matmul/tensor.clh matmul/wgmma.clh", .sizes = 4, .shapes = LARGE, .math = CLOPT_MATH_TF32, .retarget = 1},
	{MATMUL,   "matmul/mma-tf32-128x128", "matmul/mma.cl",     "-DPRODUCTS=1 -DWAVE0=32 -DWAVE1=64 -DDEPTH=16 -DBUFFERS=2", {256,1}, {128,128}, T_PTX | T_SM80, T_GPU | T_TF32, .align = 4, .prelude = "matmul/tensor.clh", .sizes = 4, .shapes = LARGE, .math = CLOPT_MATH_TF32},
	{MATMUL,   "matmul/wgmma-128x128",  "matmul/wgmma.cl",     "-DPRODUCTS=3",                               {256,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 4, .prelude = "matmul/tensor.clh matmul/wgmma.clh", .sizes = 4, .deep = 32, .fill = 80, .broad = 65, .shapes = LARGE, .retarget = 1},
	{MATMUL,   "matmul/wgmma-128x64",   "matmul/wgmma.cl",     "-DPRODUCTS=3",                               {256,1}, {64,128},  T_PTX | T_WGMMA, T_GPU, .align = 4, .prelude = "matmul/tensor.clh matmul/wgmma.clh", .sizes = 4, .deep = 32, .shapes = LARGE, .retarget = 1},
	{MATMUL,   "matmul/mma-128x128",    "matmul/mma.cl",       "-DPRODUCTS=3 -DWAVE0=32 -DWAVE1=64 -DDEPTH=16 -DBUFFERS=1", {256,1}, {128,128}, T_PTX | T_SM80, T_GPU | T_TF32, .align = 4, .prelude = "matmul/tensor.clh", .sizes = 4, .deep = 32, .shapes = LARGE},
	{MATMUL,   "matmul/wgmma-half-128x128", "matmul/wgmma_half.cl", "-DTK=32 -DSTAGES=3",                 {256,1}, {128,128}, T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = HALF_TILES, .sizes = 2, .shallow = 65536, .fill = 100, .shapes = LARGE, .rows16 = 1, .retarget = 2},
	{MATMUL,   "matmul/wgmma-half-64x128", "matmul/wgmma_half.cl", "-DTK=32 -DSTAGES=3",                  {128,1}, {128,64},  T_PTX | T_WGMMA, T_GPU, .align = 1, .prelude = HALF_TILES, .sizes = 2, .shallow = 65536, .shapes = LARGE | SHAPE_BATCH, .rows16 = 1, .retarget = 4},
	{MATMUL,   "matmul/mma-half-128x128", "matmul/mma_half.cl", "-DWAVE0=32 -DWAVE1=64",                    {256,1}, {128,128}, T_PTX | T_SM80, T_GPU, .align = 8, .sizes = 2, .shapes = LARGE | SHAPE_BATCH},
	{MATMUL,   "matmul/mma-f64-64x96",  "matmul/dmma.cl",      "-DTK=8 -DWM=32 -DWN=48 -DSTAGES=4",          {128,1}, {96,64},   T_PTX | T_SM90, T_GPU, .align = 1, .prelude = "matmul/async.clh", .fill = 600, .sizes = 8},
	{MATMUL,   "matmul/mma-f64-64x64",  "matmul/dmma.cl",      "-DTK=8 -DWM=32 -DWN=32 -DSTAGES=4",          {128,1}, {64,64},   T_PTX | T_SM90, T_GPU, .align = 1, .prelude = "matmul/async.clh", .sizes = 8},
	{MATMUL,   "matmul/async-128x256",  "matmul/async.cl",     "-DTK=8 -DSTAGES=2 -DROWS=8 -DCOLS=16 -DLANES0=8 -DSPLIT=1", {256,1}, {256,128}, T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh", .fill = 90, .broad = 129, .sizes = 4},
	{MATMUL,   "matmul/async-128x64",   "matmul/async.cl",     "-DTK=8 -DSTAGES=4 -DROWS=8 -DCOLS=8 -DLANES0=8 -DSPLIT=0",  {128,1}, {64,128},  T_PTX | T_SM80, T_GPU, .align = 1, .prelude = "matmul/async.clh", .sizes = 4},
	{MATMUL,   "matmul/reg-64x64x32",   "matmul/reg.cl",       "-DTK=32",                                    {16,16}, {64,64},   0,          T_GPU | T_LOCAL | T_NVIDIA, .align = 4},
	{MATMUL,   "matmul/reg-64x64x16",   "matmul/reg.cl",       "-DTK=16",                                    {16,16}, {64,64},   0,          T_GPU | T_LOCAL, .align = 4},
	{MATMUL,   "matmul/tile-16x16",     "matmul/tile.cl",      "",                                           {16,16}, {16,16},   0,          T_LOCAL, .align = 1, .sizes = 2 | 4 | 8},
	MATMUL_LADDER("naive",    "-DTILE_A=0 -DTILE_B=0 -DPAD=0"),
	MATMUL_LADDER("tile-a",   "-DTILE_A=1 -DTILE_B=0 -DPAD=0"),
	MATMUL_LADDER("tile-ab",  "-DTILE_A=1 -DTILE_B=1 -DPAD=0"),
	MATMUL_LADDER("tile-pad", "-DTILE_A=1 -DTILE_B=1 -DPAD=1"),
	{MATMUL,   "matmul/plain",          "matmul/plain.cl",     "",                                           {16,4},  {16,4},    0,          0, .align = 1, .sizes = 2 | 4 | 8},
	{MATMUL,   "matmul/plain-1",        "matmul/plain.cl",     "",                                           {1,1},   {1,1},     0,          0, .align = 1, .sizes = 2 | 4 | 8},

	{TRANSPOSE,"transpose/wide-512",    "transpose/wide.cl",   "-DVBYTES=64",                                {1,1},   {1024,256}, 0,         T_CPU | T_WIDE16, .align = 1, .prelude = "transpose/turn.clh", .sizes = ALL_SIZES},
	{TRANSPOSE,"transpose/wide-256",    "transpose/wide.cl",   "-DVBYTES=32",                                {1,1},   {1024,256}, 0,         T_CPU, .align = 1, .prelude = "transpose/turn.clh", .sizes = ALL_SIZES},
	{TRANSPOSE,"transpose/image",       "transpose/image.cl",  "",                                           {16,16}, {64,64},   T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 16, .images = 1, .sizes = ALL_SIZES},
	{TRANSPOSE,"transpose/shift-128x256","transpose/shift.cl", "-DBAND=32", {32,8}, {128,256}, 0, T_GPU | T_LOCAL | T_NVIDIA, .prelude = "transpose/unit.clh", .align = 16, .sizes = 1, .uneven = 1},
	{TRANSPOSE,"transpose/shift-128x128","transpose/shift.cl", "-DBAND=32", {32,8}, {128,128}, 0, T_GPU | T_LOCAL | T_NVIDIA, .prelude = "transpose/unit.clh", .align = 8, .sizes = 2, .uneven = 1},
	{TRANSPOSE,"transpose/vec4-128x256","transpose/vec4.cl", "-DBAND=1", {32,8}, {128,256}, 0, T_GPU | T_LOCAL, .prelude = "transpose/unit.clh", .align = 16, .sizes = 1},
	{TRANSPOSE,"transpose/vec4-128x128","transpose/vec4.cl", "-DBAND=32", {32,8}, {128,128}, 0, T_GPU | T_LOCAL, .prelude = "transpose/unit.clh", .align = 8, .sizes = 2},
	{TRANSPOSE,"transpose/tile-64x128", "transpose/tile.cl",   "-DBAND=32",                                  {32,8},  {64,128},  0,          T_GPU | T_LOCAL | T_NVIDIA, .align = 1, .sizes = 4, .uneven = 1},
	{TRANSPOSE,"transpose/tile-64x64",  "transpose/tile.cl",   "-DBAND=32",                                  {32,8},  {64,64},   0,          T_GPU | T_LOCAL | T_NVIDIA, .align = 1, .sizes = 4 | 8},
	{TRANSPOSE,"transpose/vec4-64x64",  "transpose/vec4.cl", "-DBAND=32", {32,8}, {64,64}, 0, T_GPU | T_LOCAL, .prelude = "transpose/unit.clh", .align = 4, .sizes = 4},
	{TRANSPOSE,"transpose/vec4-32x32",  "transpose/vec4.cl", "-DBAND=32", {32,8}, {32,32}, 0, T_GPU | T_LOCAL, .prelude = "transpose/unit.clh", .align = 2, .sizes = 8 | 16},
	{TRANSPOSE,"transpose/tile-32x32",  "transpose/tile.cl",   "-DBAND=1",                                  {32,8},  {32,32},   0,          T_LOCAL, .align = 1, .sizes = ALL_SIZES},
	TRANSPOSE_LADDER("reads", "-DMAPPING=0"),
	TRANSPOSE_LADDER("writes", "-DMAPPING=1"),
	TRANSPOSE_LADDER("local", "-DMAPPING=2 -DPAD=0"),
	TRANSPOSE_LADDER("local-padded", "-DMAPPING=2 -DPAD=1"),
	{TRANSPOSE,"transpose/plain",       "transpose/plain.cl",  "",                                           {16,16}, {16,16},   0,          0, .align = 1, .sizes = ALL_SIZES},
	{TRANSPOSE,"transpose/plain-1",     "transpose/plain.cl",  "",                                           {1,1},   {1,1},     0,          0, .align = 1, .sizes = ALL_SIZES},

	{POTENTIAL, "potential/wide-16x4",   "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {64,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .fill = 51, .precisions = FLOATS},
	{POTENTIAL, "potential/wide-16x2",   "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {32,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = FLOATS},
	{POTENTIAL, "potential/wide-8x4",    "pair/wide.cl",        "-DLANES=8 -cl-unsafe-math-optimizations",            {1,1},   {32,1},    T_CPU,        T_CPU, .align = 4, .precisions = FLOATS | DOUBLES},
	{POTENTIAL, "potential/image-4",     "pair/vec.cl",         "-DLANES=4 -DIMAGES=1",                               {64,1},  {64,1},    T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 4, .texels = 1, .precisions = ALL_FLOATS},
	{POTENTIAL, "potential/vec-4",       "pair/vec.cl",         "-DLANES=4 -DIMAGES=0",                               {64,1},  {64,1},    0,          T_FLOAT4, .align = 4, .precisions = ALL_FLOATS},
	{POTENTIAL, "potential/split-1x256","pair/split.cl",       "-DLANES=1",                                          {256,1}, {1,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 4},
	{POTENTIAL, "potential/split-2x128","pair/split.cl",       "-DLANES=1",                                          {256,1}, {2,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 10},
	{POTENTIAL, "potential/split-4x64",  "pair/split.cl",       "-DLANES=1",                                          {256,1}, {4,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 100},
	{POTENTIAL, "potential/reg-256x2-ptx","pair/tile.cl",       "-DLANES=1 -DIN_LOCAL=1 -DTILE=512 -DUNROLL=32 -DPTX", {256,1}, {512,1},   T_PTX,      T_GPU, .align = 4, .precisions = ALL_FLOATS, .fill = 190, .laws = SALTED_LAWS},
	{POTENTIAL, "potential/reg-256x4-ptx","pair/tile.cl",       "-DLANES=1 -DIN_LOCAL=1 -DTILE=512 -DUNROLL=64 -DPTX", {256,1}, {1024,1},  T_PTX,      T_GPU, .align = 4, .precisions = ALL_FLOATS, .fill = 70, .laws = ~SALTED_LAWS},
	{POTENTIAL, "potential/reg-128x1-ptx","pair/tile.cl",       "-DLANES=1 -DIN_LOCAL=1 -DTILE=512 -DUNROLL=64 -DPTX", {128,1}, {128,1},   T_PTX,      T_GPU, .align = 4, .precisions = FLOATS, .fill = 148, .deep = 512},
	{POTENTIAL, "potential/split-32x8",  "pair/split.cl",       "-DLANES=1",                                          {256,1}, {32,1},    0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 256},
	{POTENTIAL, "potential/uniform-64x4","pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=0 -DTILE=256 -DUNROLL=4",                  {64,1},  {256,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = ALL_FLOATS},
	{POTENTIAL, "potential/reg-256x2",   "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",                 {256,1}, {512,1},   0,          T_GPU | T_LOCAL, .align = 4, .precisions = ALL_FLOATS, .fill = 190},
	{POTENTIAL, "potential/tile-256",    "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",                 {256,1}, {256,1},   0,          T_LOCAL, .align = 4, .precisions = ALL_FLOATS},
	PAPER("basic",                 "-DLANES=1",                                              64, 0,        0),
	PAPER("mt",                    "-DLANES=1",                                             256, 0,        0),
	PAPER("ks",                    "-DLANES=1 -DKS=1",                                       64, 0,        0),
	PAPER("ra",                    "-DLANES=1 -DRA=1",                                       64, 0,        0),
	PAPER("rp",                    "-DLANES=1 -DRP=1",                                       64, 0,        0),
	PAPER("lm",                    "-DLANES=1 -DLM=1",                                       64, 0,        0),
	PAPER("im",                    "-DLANES=1 -DIM=1",                                       64, T_IMAGES, 1),
	PAPER("lu2",                   "-DLANES=1 -DLU=2",                                       64, 0,        0),
	PAPER("lu4",                   "-DLANES=1 -DLU=4",                                       64, 0,        0),
	PAPER("vasm2",                 "-DLANES=1 -DVASM=2",                                     64, 0,        0),
	PAPER("vasm4",                 "-DLANES=1 -DVASM=4",                                     64, 0,        0),
	PAPER("vavm2",                 "-DLANES=2",                                              64, 0,        0),
	PAPER("vavm4",                 "-DLANES=4",                                              64, 0,        0),
	PAPER("mt-ks",                 "-DLANES=1 -DKS=1",                                      256, 0,        0),
	PAPER("ks-lm",                 "-DLANES=1 -DKS=1 -DLM=1",                                64, 0,        0),
	PAPER("ks-rp",                 "-DLANES=1 -DKS=1 -DRP=1",                                64, 0,        0),
	PAPER("ks-vavm2",              "-DLANES=2 -DKS=1",                                       64, 0,        0),
	PAPER("ks-rp-vasm2",           "-DLANES=1 -DKS=1 -DRP=1 -DVASM=2",                       64, 0,        0),
	PAPER("ks-rp-im",              "-DLANES=1 -DKS=1 -DRP=1 -DIM=1",                         64, T_IMAGES, 1),
	PAPER("mt-ks-rp-im",           "-DLANES=1 -DKS=1 -DRP=1 -DIM=1",                        256, T_IMAGES, 1),
	PAPER("ks-ra-rp",              "-DLANES=1 -DKS=1 -DRA=1 -DRP=1",                         64, 0,        0),
	PAPER("mt-ks-ra-rp-lm-vasm4",  "-DLANES=1 -DKS=1 -DRA=1 -DRP=1 -DLM=1 -DVASM=4",        256, 0,        0),
	PAPER("mt-ks-ra-rp-im-vavm4",  "-DLANES=4 -DKS=1 -DRA=1 -DRP=1 -DIM=1",                 256, T_IMAGES, 1),
	{POTENTIAL, "potential/exact",       "pair/exact.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{POTENTIAL, "potential/plain",       "pair/plain.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = ALL_FLOATS},
	{POTENTIAL, "potential/exact-1",     "pair/exact.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{POTENTIAL, "potential/plain-1",     "pair/plain.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = ALL_FLOATS},

	{NBODY,     "nbody/wide-16x4",       "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {64,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .fill = 51, .precisions = FLOATS},
	{NBODY,     "nbody/wide-16x2",       "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {32,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = FLOATS},
	{NBODY,     "nbody/wide-8x4",        "pair/wide.cl",        "-DLANES=8 -cl-unsafe-math-optimizations",            {1,1},   {32,1},    T_CPU,        T_CPU, .align = 4, .precisions = FLOATS | DOUBLES},
	{NBODY,     "nbody/image-4",         "pair/vec.cl",         "-DLANES=4 -DIMAGES=1",                               {64,1},  {64,1},    T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 4, .texels = 1, .precisions = ALL_FLOATS},
	{NBODY,     "nbody/vec-4",           "pair/vec.cl",         "-DLANES=4 -DIMAGES=0",                               {64,1},  {64,1},    0,          T_FLOAT4, .align = 4, .precisions = ALL_FLOATS},
	{NBODY,     "nbody/split-1x256",     "pair/split.cl",       "-DLANES=1",                                          {256,1}, {1,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 4},
	{NBODY,     "nbody/split-2x128",     "pair/split.cl",       "-DLANES=1",                                          {256,1}, {2,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 10},
	{NBODY,     "nbody/split-4x64",      "pair/split.cl",       "-DLANES=1",                                          {256,1}, {4,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 100},
	{NBODY,     "nbody/reg-128x1-ptx",   "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=2048 -DUNROLL=64 -DPTX", {128,1}, {128,1},   T_PTX,      T_GPU, .align = 4, .precisions = FLOATS, .few = 450, .deep = 2048},
	{NBODY,     "nbody/split-32x8",      "pair/split.cl",       "-DLANES=1",                                          {256,1}, {32,1},    0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 250},
	{NBODY,     "nbody/uniform-64x4",    "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=0 -DTILE=256 -DUNROLL=4",                  {64,1},  {256,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = ALL_FLOATS},
	{NBODY,     "nbody/reg-128x2-ptx",   "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=2048 -DUNROLL=64 -DPTX", {128,1}, {256,1},   T_PTX,      T_GPU, .align = 4, .precisions = ALL_FLOATS},
	{NBODY,     "nbody/reg-256x2",       "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",                 {256,1}, {512,1},   0,          T_GPU | T_LOCAL, .align = 4, .precisions = ALL_FLOATS, .fill = 190},
	{NBODY,     "nbody/tile-256",        "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",                 {256,1}, {256,1},   0,          T_LOCAL, .align = 4, .precisions = ALL_FLOATS},
	LADDER("naive",   "-DLANES=1 -DTILE=0 -DUNROLL=1"),
	LADDER("tile",    "-DLANES=1 -DTILE=1 -DUNROLL=1"),
	LADDER("tile-u2", "-DLANES=1 -DTILE=1 -DUNROLL=2"),
	LADDER("tile-u4", "-DLANES=1 -DTILE=1 -DUNROLL=4"),
	{NBODY,     "nbody/exact",           "pair/exact.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{NBODY,     "nbody/plain",           "pair/plain.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = ALL_FLOATS},
	{NBODY,     "nbody/exact-1",         "pair/exact.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{NBODY,     "nbody/plain-1",         "pair/plain.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = ALL_FLOATS},

	{CLOPT_LEAPFROG, "leapfrog/plain",  "pair/leapfrog.cl",    "",                                           {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_LEAPFROG, "leapfrog/plain-1","pair/leapfrog.cl",    "",                                           {1,1},   {1,1},     0,          0, .align = 4},

	{FORCE,    "evolve-force/wide-16",  "evolve/plain.cl",     "-DLANES=16",                                 {1,1},   {16,1},    0,          T_CPU | T_WIDE16, .align = 4},
	{FORCE,    "evolve-force/wide-8",   "evolve/plain.cl",     "-DLANES=8",                                  {1,1},   {8,1},     0,          T_CPU, .align = 4},
	{FORCE,    "evolve-force/split-8x32","evolve/tile.cl",     "-DLANES=1 -DUNROLL=4",                       {256,1}, {8,1},     0,          T_GPU | T_LOCAL, .align = 4, .few = 32},
	{FORCE,    "evolve-force/split-32x8","evolve/tile.cl",     "-DLANES=1 -DUNROLL=4",                       {256,1}, {32,1},    0,          T_GPU | T_LOCAL, .align = 4},
	{FORCE,    "evolve-force/tile-64",  "evolve/tile.cl",      "-DLANES=1 -DUNROLL=4",                       {64,1},  {64,1},    0,          T_LOCAL, .align = 4},
	{FORCE,    "evolve-force/plain",    "evolve/plain.cl",     "-DLANES=1",                                  {64,1},  {64,1},    0,          0, .align = 4},
	{FORCE,    "evolve-force/plain-1",  "evolve/plain.cl",     "-DLANES=1",                                  {1,1},   {1,1},     0,          0, .align = 4},

	{CLOPT_EVOLVE_STEP, "evolve-step/plain", "evolve/step.cl", "-DLANES=1",                                  {64,1},  {64,1},    0,          0, .align = 4},
	{CLOPT_EVOLVE_STEP, "evolve-step/plain-1", "evolve/step.cl", "-DLANES=1",                                {1,1},   {1,1},     0,          0, .align = 4},
	{CLOPT_EVOLVE_SUMS, "evolve-sums/tree",  "evolve/sums.cl", "-DLANES=1",                                  {64,1},  {1024,1},  0,          0, .align = 4},
	{CLOPT_EVOLVE_SUMS, "evolve-sums/plain-1", "evolve/sums.cl", "-DLANES=1",                                {1,1},   {1024,1},  0,          0, .align = 4},
	{0},
};
/* clang-format on */

const char *clopt_op_name(int op)
{
	return op >= 0 && op < CLOPT_OPS ? clopt__ops[op].name : NULL;
}

int clopt__law_has(int law, int precision)
{
	return precision != CLOPT_PRECISION_DOUBLE_SINGLE || law == CLOPT_LAW_DEFAULT ||
	       law == CLOPT_LAW_COULOMB || law == CLOPT_LAW_GRAVITY || law == CLOPT_LAW_GRAVITY_OWN;
}

const char *clopt_law_name(int law)
{
	return law > CLOPT_LAW_DEFAULT && law < CLOPT_LAWS ? clopt__laws[law].name : NULL;
}

unsigned clopt_law_flops(int law, int outputs)
{
	return clopt_law_name(law) ? clopt__laws[law].flops[outputs != CLOPT_PHI] : 0;
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
