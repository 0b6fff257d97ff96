/* SPDX-License-Identifier: MIT */
/*
 * pair.c - sums over pairs: potential and n-body, their laws, kernels, best first, and parameters.
 */
#include "../host/host.h"
#include "table.h"

static void on_host(const struct job *job)
{
	const struct clopt_problem *p = &job->problem;
	const struct operand *o = job->operand;
	const int softened = p->op == CLOPT_OP_NBODY;
	const struct host_pairs pairs = {
		.nsources = p->dim[0],
		.ntargets = p->dim[1],
		.sources = o[0].host,
		.targets = o[2].host,
		.doubles = p->elem_bytes == 8,
		.normals = p->normals ? o[3].host : NULL,
		.results = o[4].host,
		.outputs = p->outputs,
		.own = p->law == CLOPT_LAW_GRAVITY_OWN,
		.scale = job->real[REAL_SCALE],
		.softening2 = softened ? job->real[REAL_SOFTENING2] : 0,
		.constant = job->real[REAL_CONSTANT],
		.over_r = job->real[REAL_OVER_R],
		.kappa_r = job->real[REAL_KAPPA_R],
		.projection = job->real[REAL_PROJECTION],
		.reach = job->real[REAL_REACH],
		.radius = job->real[REAL_RADIUS],
	};

	if (p->precision == CLOPT_PRECISION_DOUBLE)
		clopt__host_pairs_double(&pairs);
	else
		clopt__host_pairs_float(&pairs);
}

/* clang-format off */
#define PAIR_PRELUDE "pair/real.clh", "pair/target.clh", "pair/sum.clh"
#define PAIR_INPUTS  "sources", "depths", "targets", "normals"
#define PLAIN_LAW    "-DSOFTENED=0 -DOWN=0"

#define POTENTIAL CLOPT_OP_POTENTIAL
#define NBODY     CLOPT_OP_NBODY
#define FLOATS     (1u << CLOPT_PRECISION_FLOAT)
#define DOUBLES    (1u << CLOPT_PRECISION_DOUBLE)
#define COMPENSATED (1u << CLOPT_PRECISION_COMPENSATED)
#define SINGLES    (FLOATS | COMPENSATED)
#define DOUBLE_SINGLES (1u << CLOPT_PRECISION_DOUBLE_SINGLE)
#define RADIAL_LAWS (1u << CLOPT_LAW_COULOMB | 1u << CLOPT_LAW_GRAVITY | 1u << CLOPT_LAW_GRAVITY_OWN)
#define SALTED_LAWS (1u << CLOPT_LAW_ALPB_SALT | 1u << CLOPT_LAW_ALPB_FAR | 1u << CLOPT_LAW_ALPB_INSIDE_SALT)
#define WITH_JERK  (1u << CLOPT_OUTPUTS_FIELD_PHI | 1u << CLOPT_OUTPUTS_FIELD | 1u << CLOPT_OUTPUTS_JERK)
#define JERK_ALONE (1u << CLOPT_OUTPUTS_JERK) /* whose sums fill the registers sooner */
#define ALL_FLOATS (SINGLES | DOUBLES)

/* flops: a fused multiply-add counts as two; a root, a reciprocal or an exponential as one.  The 20
 * of gravity is the usual count. */
const struct law clopt__laws[CLOPT_LAWS] = {
	/*                            op               name                file                  options                                            flops */
	[CLOPT_LAW_DEFAULT]          = {CLOPT_OPS,       "default",          NULL,                 "",                                                {0, 0}, .radial = 1},
	[CLOPT_LAW_COULOMB]          = {CLOPT_OP_POTENTIAL, "coulomb",          "pair/radial.clh",    PLAIN_LAW " -DFOOT=0 -DINSIDE=0",                  {11, 19}, .radial = 1},
	[CLOPT_LAW_DISTANCE4]        = {CLOPT_OP_POTENTIAL, "distance4",        "pair/distance4.clh", PLAIN_LAW " -DFOOT=0 -DINSIDE=0",                  {12, 21}, .radial = 0},
	[CLOPT_LAW_DEBYE]            = {CLOPT_OP_POTENTIAL, "debye",            "pair/debye.clh",     PLAIN_LAW " -DFOOT=0 -DINSIDE=0",                  {15, 24}, .radial = 0},
	[CLOPT_LAW_ALPB]             = {CLOPT_OP_POTENTIAL, "alpb",             "pair/radial.clh",    PLAIN_LAW " -DFOOT=0 -DINSIDE=0",                  {11, 19}, .radial = 1},
	[CLOPT_LAW_ALPB_SALT]        = {CLOPT_OP_POTENTIAL, "alpb-salt",        "pair/alpb.clh",      PLAIN_LAW " -DFOOT=1 -DINSIDE=0 -DFAR=0",          {22, 31}, .normals = NORMALS_ALWAYS},
	[CLOPT_LAW_ALPB_FAR]         = {CLOPT_OP_POTENTIAL, "alpb-far",         "pair/alpb.clh",      PLAIN_LAW " -DFOOT=1 -DINSIDE=0 -DFAR=1",          {28, 40}, .normals = NORMALS_ALWAYS},
	[CLOPT_LAW_ALPB_INSIDE]      = {CLOPT_OP_POTENTIAL, "alpb-inside",      "pair/alpb.clh",      PLAIN_LAW " -DFOOT=0 -DINSIDE=1 -DFAR=0",          {17, 31}, .depths = 1, .normals = NORMALS_FIELD},
	[CLOPT_LAW_ALPB_INSIDE_SALT] = {CLOPT_OP_POTENTIAL, "alpb-inside-salt", "pair/alpb.clh",      PLAIN_LAW " -DFOOT=1 -DINSIDE=1 -DFAR=0",          {28, 42}, .depths = 1, .normals = NORMALS_ALWAYS},
	[CLOPT_LAW_GRAVITY]          = {CLOPT_OP_NBODY,     "gravity",          "pair/radial.clh",    "-DSOFTENED=1 -DOWN=0 -DFOOT=0 -DINSIDE=0",        {11, 20}, .radial = 1},
	[CLOPT_LAW_GRAVITY_OWN]      = {CLOPT_OP_NBODY,     "gravity-own",      "pair/radial.clh",    "-DSOFTENED=1 -DOWN=1 -DFOOT=0 -DINSIDE=0",        {11, 20}, .radial = 1},
};

/*
 * Measured by clopt bench, never picked, since no device has T_STUDY.
 * name, options, work-items in a group, needs, texels
 */
#define GEM_LAWS (1u << CLOPT_LAW_COULOMB | 1u << CLOPT_LAW_ALPB_SALT | 1u << CLOPT_LAW_ALPB_FAR | \
                  1u << CLOPT_LAW_ALPB_INSIDE | 1u << CLOPT_LAW_ALPB_INSIDE_SALT)
#define PAPER(name, options, group, needs, image) \
	{POTENTIAL, "potential/paper-" name, "pair/paper.cl", options, {group, 1}, {group, 1}, needs, T_STUDY, .align = 4, .texels = image, .precisions = FLOATS, .laws = GEM_LAWS, .outputs = 1u << CLOPT_OUTPUTS_PHI}
#define LADDER(name, options) \
	{NBODY, "nbody/ladder-" name, "pair/ladder.cl", options, {256, 1}, {256, 1}, 0, T_STUDY, .align = 4, .precisions = FLOATS, .laws = 1u << CLOPT_LAW_GRAVITY}

static const struct variant potential_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{POTENTIAL, "potential/host",        "",                    "",                                                   {1,1},   {1,1},     0,            0, .align = 1, .precisions = FLOATS | DOUBLES, .laws = RADIAL_LAWS, .host = on_host, .most = 1 << 15},
	{POTENTIAL, "potential/wide-16x4",   "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {64,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .fill = 51, .precisions = FLOATS},
	{POTENTIAL, "potential/wide-16x2",   "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {32,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = FLOATS},
	{POTENTIAL, "potential/wide-8x4",    "pair/wide.cl",        "-DLANES=8 -cl-unsafe-math-optimizations",            {1,1},   {32,1},    T_CPU,        T_CPU, .align = 4, .precisions = FLOATS},
	{POTENTIAL, "potential/strict-16x2", "pair/wide.cl",        "-DLANES=16",                                         {1,1},   {32,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = COMPENSATED},
	{POTENTIAL, "potential/strict-8x2",  "pair/wide.cl",        "-DLANES=8",                                          {1,1},   {16,1},    T_CPU,        T_CPU, .align = 4, .precisions = COMPENSATED | DOUBLES},
	{POTENTIAL, "potential/image-4",     "pair/vec.cl",         "-DLANES=4 -DIMAGES=1",                               {64,1},  {64,1},    T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 4, .texels = 1, .precisions = ALL_FLOATS, .types = 4},
	{POTENTIAL, "potential/vec-4",       "pair/vec.cl",         "-DLANES=4 -DIMAGES=0",                               {64,1},  {64,1},    0,          T_FLOAT4, .align = 4, .precisions = ALL_FLOATS, .types = 4},
	{POTENTIAL, "potential/split-1x256","pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {1,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 4},
	{POTENTIAL, "potential/split-2x128","pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {2,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 10},
	{POTENTIAL, "potential/split-4x64",  "pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {4,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 100},
	{POTENTIAL, "potential/reg-256x2-ptx","pair/tile.cl",       "-DLANES=1 -DIN_LOCAL=1 -DTILE=512 -DUNROLL=32 -DPTX", {256,1}, {512,1},   T_PTX,      T_GPU, .align = 4, .precisions = ALL_FLOATS, .fill = 190, .laws = SALTED_LAWS},
	{POTENTIAL, "potential/reg-256x4-ptx","pair/tile.cl",       "-DLANES=1 -DIN_LOCAL=1 -DTILE=512 -DUNROLL=64 -DPTX", {256,1}, {1024,1},  T_PTX,      T_GPU, .align = 4, .precisions = ALL_FLOATS, .fill = 70, .busy = 88, .laws = ~SALTED_LAWS},
	{POTENTIAL, "potential/reg-128x1-ptx","pair/tile.cl",       "-DLANES=1 -DIN_LOCAL=1 -DTILE=512 -DUNROLL=64 -DPTX", {128,1}, {128,1},   T_PTX,      T_GPU, .align = 4, .precisions = FLOATS, .fill = 148, .deep = 512},
	{POTENTIAL, "potential/split-32x8",  "pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {32,1},    0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 256},
	{POTENTIAL, "potential/packed-64x2", "pair/tile.cl",        "-DLANES=2 -DPACKED=1 -DNATIVE -DIN_LOCAL=0 -DTILE=256 -DUNROLL=4", {64,1},  {128,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = FLOATS},
	{POTENTIAL, "potential/packed-64x4", "pair/tile.cl",        "-DLANES=2 -DPACKED=1 -DNATIVE -DIN_LOCAL=0 -DTILE=256 -DUNROLL=2", {64,1},  {256,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = COMPENSATED},
	{POTENTIAL, "potential/uniform-64x4","pair/tile.cl",        "-DLANES=1 -DNATIVE -DIN_LOCAL=0 -DTILE=256 -DUNROLL=1",         {64,1},  {256,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = ALL_FLOATS},
	{POTENTIAL, "potential/reg-256x2",   "pair/tile.cl",        "-DLANES=1 -DNATIVE -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",        {256,1}, {512,1},   0,          T_GPU | T_LOCAL, .align = 4, .precisions = ALL_FLOATS, .fill = 190, .busy = 90},
	{POTENTIAL, "potential/tile-256",    "pair/tile.cl",        "-DLANES=1 -DNATIVE -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",        {256,1}, {256,1},   0,          T_LOCAL, .align = 4, .precisions = ALL_FLOATS},
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
	{POTENTIAL, "potential/exact-16",    "pair/exact.cl",       "-DLANES=16",                                         {1,1},   {16,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{POTENTIAL, "potential/exact-8",     "pair/exact.cl",       "-DLANES=8",                                          {1,1},   {8,1},     T_CPU,        T_CPU, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{POTENTIAL, "potential/exact",       "pair/exact.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{POTENTIAL, "potential/plain",       "pair/plain.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = ALL_FLOATS},
	{POTENTIAL, "potential/exact-1",     "pair/exact.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS},
	{POTENTIAL, "potential/plain-1",     "pair/plain.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = ALL_FLOATS},
	{0}
};

static const struct variant nbody_rows[] = {
	/* op      name                     file                   options                                       wg       out        needs       likes; the rest by name */
	{NBODY,     "nbody/host",            "",                    "",                                                   {1,1},   {1,1},     0,            0, .align = 1, .precisions = FLOATS | DOUBLES, .laws = RADIAL_LAWS, .host = on_host, .most = 1 << 15},
	{NBODY,     "nbody/wide-16x1",       "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {16,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = FLOATS, .outputs = JERK_ALONE},
	{NBODY,     "nbody/wide-8x1",        "pair/wide.cl",        "-DLANES=8 -cl-unsafe-math-optimizations",            {1,1},   {8,1},     T_CPU,        T_CPU, .align = 4, .precisions = FLOATS, .outputs = JERK_ALONE},
	{NBODY,     "nbody/strict-8x1",      "pair/wide.cl",        "-DLANES=8",                                          {1,1},   {8,1},     T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = DOUBLES, .outputs = JERK_ALONE},
	{NBODY,     "nbody/strict-4x1",      "pair/wide.cl",        "-DLANES=4",                                          {1,1},   {4,1},     T_CPU,        T_CPU, .align = 4, .precisions = DOUBLES, .outputs = JERK_ALONE},
	{NBODY,     "nbody/wide-16x4",       "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {64,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .fill = 51, .precisions = FLOATS, .outputs = WITH_JERK},
	{NBODY,     "nbody/wide-16x2",       "pair/wide.cl",        "-DLANES=16 -cl-unsafe-math-optimizations",           {1,1},   {32,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = FLOATS, .outputs = WITH_JERK},
	{NBODY,     "nbody/wide-8x4",        "pair/wide.cl",        "-DLANES=8 -cl-unsafe-math-optimizations",            {1,1},   {32,1},    T_CPU,        T_CPU, .align = 4, .precisions = FLOATS, .outputs = WITH_JERK},
	{NBODY,     "nbody/strict-16x2",     "pair/wide.cl",        "-DLANES=16",                                         {1,1},   {32,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = COMPENSATED, .outputs = WITH_JERK},
	{NBODY,     "nbody/strict-8x2",      "pair/wide.cl",        "-DLANES=8",                                          {1,1},   {16,1},    T_CPU,        T_CPU, .align = 4, .precisions = COMPENSATED | DOUBLES, .outputs = WITH_JERK},
	{NBODY,     "nbody/image-4",         "pair/vec.cl",         "-DLANES=4 -DIMAGES=1",                               {64,1},  {64,1},    T_IMAGES,   T_FLOAT4 | T_TEXTURE, .align = 4, .texels = 1, .precisions = ALL_FLOATS, .types = 4},
	{NBODY,     "nbody/vec-4",           "pair/vec.cl",         "-DLANES=4 -DIMAGES=0",                               {64,1},  {64,1},    0,          T_FLOAT4, .align = 4, .precisions = ALL_FLOATS, .types = 4},
	{NBODY,     "nbody/split-1x256",     "pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {1,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 4, .outputs = WITH_JERK},
	{NBODY,     "nbody/split-2x128",     "pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {2,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 10, .outputs = WITH_JERK},
	{NBODY,     "nbody/split-4x64",      "pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {4,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = SINGLES, .few = 100},
	{NBODY,     "nbody/split-8x32",      "pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {8,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 32, .outputs = WITH_JERK},
	{NBODY,     "nbody/reg-128x1-ptx",   "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=2048 -DUNROLL=64 -DPTX", {128,1}, {128,1},   T_PTX,      T_GPU, .align = 4, .precisions = FLOATS, .few = 450, .deep = 2048},
	{NBODY,     "nbody/split-32x8",      "pair/split.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {32,1},    0,          T_LOCAL | T_GPU, .align = 4, .precisions = ALL_FLOATS, .few = 256, .outputs = WITH_JERK},
	{NBODY,     "nbody/packed-64x2",     "pair/tile.cl",        "-DLANES=2 -DPACKED=1 -DNATIVE -DIN_LOCAL=0 -DTILE=256 -DUNROLL=4", {64,1},  {128,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = FLOATS, .outputs = WITH_JERK},
	{NBODY,     "nbody/packed-64x4",     "pair/tile.cl",        "-DLANES=2 -DPACKED=1 -DNATIVE -DIN_LOCAL=0 -DTILE=256 -DUNROLL=2", {64,1},  {256,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = COMPENSATED, .outputs = WITH_JERK},
	{NBODY,     "nbody/uniform-64x4",    "pair/tile.cl",        "-DLANES=1 -DNATIVE -DIN_LOCAL=0 -DTILE=256 -DUNROLL=1",         {64,1},  {256,1},   0,          T_GPU | T_AMD | T_SCALAR, .align = 4, .precisions = ALL_FLOATS, .outputs = WITH_JERK},
	{NBODY,     "nbody/reg-128x2-ptx",   "pair/tile.cl",        "-DLANES=1 -DIN_LOCAL=1 -DTILE=2048 -DUNROLL=32 -DPTX", {128,1}, {256,1},   T_PTX,      T_GPU, .align = 4, .precisions = ALL_FLOATS, .types = 4},
	{NBODY,     "nbody/reg-256x2",       "pair/tile.cl",        "-DLANES=1 -DNATIVE -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",        {256,1}, {512,1},   0,          T_GPU | T_LOCAL, .align = 4, .precisions = ALL_FLOATS, .fill = 190, .busy = 90, .outputs = WITH_JERK},
	{NBODY,     "nbody/tile-256",        "pair/tile.cl",        "-DLANES=1 -DNATIVE -DIN_LOCAL=1 -DTILE=256 -DUNROLL=16",        {256,1}, {256,1},   0,          T_LOCAL, .align = 4, .precisions = ALL_FLOATS, .outputs = WITH_JERK},
	LADDER("naive",   "-DLANES=1 -DTILE=0 -DUNROLL=1"),
	LADDER("tile",    "-DLANES=1 -DTILE=1 -DUNROLL=1"),
	LADDER("tile-u2", "-DLANES=1 -DTILE=1 -DUNROLL=2"),
	LADDER("tile-u4", "-DLANES=1 -DTILE=1 -DUNROLL=4"),
	{NBODY,     "nbody/exact-split-8x32","pair/exact.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {8,1},     0,          T_LOCAL | T_GPU, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS, .few = 32, .outputs = WITH_JERK},
	{NBODY,     "nbody/exact-split-32x8","pair/exact.cl",       "-DLANES=1 -DNATIVE",                                 {256,1}, {32,1},    0,          T_LOCAL | T_GPU, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS, .outputs = WITH_JERK},
	{NBODY,     "nbody/exact-16",        "pair/exact.cl",       "-DLANES=16",                                         {1,1},   {16,1},    T_CPU,        T_CPU | T_WIDE16, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS, .outputs = WITH_JERK},
	{NBODY,     "nbody/exact-8",         "pair/exact.cl",       "-DLANES=8",                                          {1,1},   {8,1},     T_CPU,        T_CPU, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS, .outputs = WITH_JERK},
	{NBODY,     "nbody/exact",           "pair/exact.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS, .outputs = WITH_JERK},
	{NBODY,     "nbody/plain",           "pair/plain.cl",       "-DLANES=1",                                          {64,1},  {64,1},    0,          0, .align = 4, .precisions = ALL_FLOATS, .outputs = WITH_JERK},
	{NBODY,     "nbody/exact-1",         "pair/exact.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = DOUBLE_SINGLES, .laws = RADIAL_LAWS, .outputs = WITH_JERK},
	{NBODY,     "nbody/plain-1",         "pair/plain.cl",       "-DLANES=1",                                          {1,1},   {1,1},     0,          0, .align = 4, .precisions = ALL_FLOATS, .outputs = WITH_JERK},
	{0}
};

/* Values that tuning tries instead of the rows' values, by file. */
static const struct parameters parameters[] = {
	{ "pair/tile.cl",     { { "TILE", "128 256 512 1024 2048" }, { "UNROLL", "4 8 16 32 64" }, { "wg", "64x1 128x1 256x1" }, { "out", "64x1 128x1 256x1 512x1 1024x1" } } },
	{ "pair/wide.cl",     { { "LANES", "4 8 16" }, { "out", "8x1 16x1 32x1 64x1 128x1" } } },
	{ "pair/vec.cl",      { { "LANES", "2 4" }, { "wg", "64x1 128x1 256x1" }, { "out", "64x1 128x1 256x1" } } },
	{ "pair/split.cl",    { { "wg", "64x1 128x1 256x1" }, { "out", "1x1 2x1 4x1 8x1 16x1 32x1 64x1" } } },
	{ "pair/plain.cl",    { { "wg", "64x1 128x1 256x1" }, { "out", "64x1 128x1 256x1" } } },
	{0}
};
/* clang-format on */

int clopt__law_has(int law, int precision)
{
	return precision != CLOPT_PRECISION_DOUBLE_SINGLE || clopt__laws[law].radial;
}

const char *clopt_law_name(int law)
{
	return law > CLOPT_LAW_DEFAULT && law < CLOPT_LAWS ? clopt__laws[law].name : NULL;
}

unsigned clopt_law_flops(int law, int outputs)
{
	return clopt_law_name(law) ? clopt__laws[law].flops[outputs != CLOPT_OUTPUTS_PHI] : 0;
}

const char *clopt__precision_name(int precision)
{
	static const char *const names[] = {
		[CLOPT_PRECISION_FLOAT] = "float",
		[CLOPT_PRECISION_COMPENSATED] = "compensated",
		[CLOPT_PRECISION_DOUBLE_SINGLE] = "double-single",
		[CLOPT_PRECISION_DOUBLE] = "double",
	};

	return names[precision];
}

const char *clopt__outputs_name(int outputs)
{
	static const char *const names[] = { "phi", "phi+normal", "phi+field", "field",
		                             "phi+field+jerk" };

	return names[outputs];
}

const char *clopt__law_text(char *text, int law)
{
	return clopt__enumerator(text, "CLOPT_LAW_", clopt_law_name(law), law);
}

const char *clopt__precision_text(char *text, int precision)
{
	const char *word = precision == CLOPT_PRECISION_BEST ? "best" :
	                   precision > 0 && precision < CLOPT_PRECISION_BEST ?
	                                                       clopt__precision_name(precision) :
	                                                       NULL;

	return clopt__enumerator(text, "CLOPT_PRECISION_", word, precision);
}

const char *clopt__outputs_text(char *text, int outputs)
{
	static const char *const words[] = { "phi", "phi-normal", "field-phi", "field", "jerk" };
	const char *word = outputs >= 0 && outputs <= CLOPT_OUTPUTS_JERK ? words[outputs] : NULL;

	return clopt__enumerator(text, "CLOPT_OUTPUTS_", word, outputs);
}

/* laws.c asks the same of options. */
static int needs_normals(const struct clopt_problem *p)
{
	const unsigned normals = clopt__laws[p->law].normals;

	return p->outputs == CLOPT_OUTPUTS_PHI_NORMAL || normals == NORMALS_ALWAYS ||
	       (normals == NORMALS_FIELD && p->outputs != CLOPT_OUTPUTS_PHI);
}

int clopt__pair_read(const struct clopt *ctx, struct clopt_problem *p)
{
	const int nbody = p->op == CLOPT_OP_NBODY || p->op == CLOPT_OP_TREE_NBODY;
	const enum clopt_op op = nbody ? CLOPT_OP_NBODY : CLOPT_OP_POTENTIAL;
	const char *name = nbody ? clopt__nbody.name : clopt__potential.name;
	char text[ENUM_SIZE], more[ENUM_SIZE];

	if (p->law == CLOPT_LAW_DEFAULT)
		p->law = nbody ? CLOPT_LAW_GRAVITY : CLOPT_LAW_COULOMB;
	if (p->law == CLOPT_LAW_ALPB)
		p->law = CLOPT_LAW_COULOMB;
	if (nbody && p->outputs == 0)
		p->outputs = CLOPT_OUTPUTS_FIELD;
	if (!nbody && p->outputs == CLOPT_OUTPUTS_JERK)
		return clopt__fail(ctx, CLOPT_EINVAL, "outputs is %s: %s does not compute it",
		                   clopt__outputs_text(text, p->outputs), name);
	if (p->law < 0 || p->law >= CLOPT_LAWS || clopt__laws[p->law].op != op)
		return clopt__fail(ctx, CLOPT_EINVAL, "law is %s: it is not a law of %s",
		                   clopt__law_text(text, p->law), name);
	if (nbody && p->outputs < CLOPT_OUTPUTS_FIELD_PHI)
		return clopt__fail(ctx, CLOPT_EINVAL, "outputs is %s: %s does not compute it",
		                   clopt__outputs_text(text, p->outputs), name);
	p->precision = p->precision ? p->precision : CLOPT_PRECISION_FLOAT;
	if (p->precision < 0 || p->precision > CLOPT_PRECISION_BEST)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "precision is %d: use one of enum clopt_precision",
		                   p->precision);
	if ((p->normals | p->depths) & ~1)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "normals is %d and depths is %d: each must be 0 or 1",
		                   p->normals, p->depths);
	if (!p->normals && needs_normals(p))
		return clopt__fail(ctx, CLOPT_EINVAL, "normals is 0: %s with %s needs normals",
		                   clopt__law_text(text, p->law),
		                   clopt__outputs_text(more, p->outputs));
	if (p->precision == CLOPT_PRECISION_BEST)
		p->precision = ctx->device.traits & T_FP64 ? CLOPT_PRECISION_DOUBLE :
		               clopt__law_has(p->law, CLOPT_PRECISION_DOUBLE_SINGLE) ?
		                                             CLOPT_PRECISION_DOUBLE_SINGLE :
		                                             CLOPT_PRECISION_COMPENSATED;
	if (p->elem_bytes == 8 && p->precision < CLOPT_PRECISION_DOUBLE_SINGLE)
		return clopt__fail(ctx, CLOPT_EINVAL,
		                   "elem_bytes is 8 and precision is %s: points of doubles need "
		                   "CLOPT_PRECISION_DOUBLE_SINGLE or CLOPT_PRECISION_DOUBLE",
		                   clopt__precision_text(text, p->precision));
	return CLOPT_OK;
}

size_t clopt__point_numbers(const struct clopt_problem *p)
{
	return p->outputs == CLOPT_OUTPUTS_JERK ? 8 : 4;
}

int clopt__point_precision(const struct clopt_problem *p)
{
	return p->elem_bytes == 8 ? p->precision : CLOPT_PRECISION_FLOAT;
}

/* Operands are sources, depths, targets, normals, results. */
static struct operand_shape shape(const struct clopt_problem *p, unsigned i)
{
	static const size_t results[] = { 1, 2, 4, 4, 8 };
	const size_t point = clopt__point_numbers(p);
	const size_t columns[] = { point, p->depths ? 1 : 0, point, p->normals ? 4 : 0,
		                   results[p->outputs] };

	return (struct operand_shape){ i < 2 ? 0 : 1, NO_DIM, columns[i], 0 };
}

static void say(const struct clopt_problem *p, struct text *t)
{
	const int usual = p->law <= CLOPT_LAW_COULOMB || p->law == CLOPT_LAW_GRAVITY;

	clopt__say(t, "%s%s%zu sources x %zu targets%s%s", usual ? "" : clopt__laws[p->law].name,
	           usual ? "" : " ", p->dim[0], p->dim[1], p->elem_bytes == 8 ? " of doubles" : "",
	           p->outputs == CLOPT_OUTPUTS_JERK ? " with jerk" : "");
}

static void say_class(const struct clopt_problem *p, struct text *t)
{
	clopt__say(t, "%s %s %s %zux%zu%s%s%s", clopt__laws[p->law].name,
	           clopt__outputs_name(p->outputs), clopt__precision_name(p->precision), p->dim[0],
	           p->dim[1], p->normals ? " normals" : "", p->depths ? " depths" : "",
	           p->elem_bytes == 8 ? " wide" : "");
}

/* clang-format off */
#define PAIR_COMMON \
	.size = {"nsources", "ntargets"}, .banded = 1, .views = 1, .sliced = 1, .fields = FIELD_LAW | FIELD_PRECISION, .most_outputs = CLOPT_OUTPUTS_JERK, .elem_sizes = 4 | 8, .floats = 1u << 1 | 1u << 3, \
	.read = clopt__pair_read, .shape = shape, .text = say, .class_text = say_class

const struct op clopt__potential = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"potential", {PAIR_PRELUDE},                            2, MAX_REALS, 5, 0, 0, {PAIR_INPUTS, "phi"},     {1, NO_DIM}, {1, NO_DIM}, 0, .keep = 2, .part_bytes = 64,
	.rows = potential_rows, .parameters = parameters, PAIR_COMMON
};

const struct op clopt__nbody = {
	/* name, preludes, sizes, reals, operands, pitched, batched, operands' names, extent, cut, sum */
	"nbody",     {PAIR_PRELUDE},                            2, MAX_REALS, 5, 0, 0, {PAIR_INPUTS, "acc"},     {1, NO_DIM}, {1, NO_DIM}, 0, .keep = 2, .part_bytes = 64,
	.rows = nbody_rows, .parameters = parameters, PAIR_COMMON
};
/* clang-format on */
