/* SPDX-License-Identifier: MIT */
/*
 * traits.h - traits of a device: bits, and their words.
 */
#ifndef CLOPT_BASE_TRAITS_H
#define CLOPT_BASE_TRAITS_H

#include <stddef.h>

/* Traits that a row may need or like.  X(bit, word shown) */
#define TRAITS(X) \
	X(CPU, "cpu") \
	X(GPU, "gpu") \
	X(NVIDIA, "nvidia") \
	X(AMD, "amd") \
	X(SCALAR, "scalar-lanes") /* a work-item is one lane of a wave */ \
	X(FLOAT4, "float4") /* float4 accesses and arithmetic pay */ \
	X(TEXTURE, "texture-cache") /* images have a separate cache */ \
	X(WIDE8, "simd-256") /* CPU with vectors of 8 floats or more */ \
	X(WIDE16, "simd-512") /* ... of 16 floats */ \
	X(LOCAL, "local-memory") /* local memory is separate memory */ \
	X(BIGLOCAL, "local-256K") /* 256 KiB of local memory or more, as on CPUs */ \
	X(LARGELOCAL, "local-480K") \
	X(HUGELOCAL, "local-960K") \
	X(VASTLOCAL, "local-1920K") \
	X(IMAGES, "images") \
	X(FP64, "fp64") \
	X(FP16, "fp16") \
	X(UNIFIED, "unified-memory") \
	X(PTX, "inline-ptx") \
	X(SM80, "sm-80") /* NVIDIA's compute capability 8.0 or later */ \
	X(SM90, "sm-90") /* 9.0 or later */ \
	X(WGMMA, "warpgroup-mma") /* exactly 9.0 */ \
	X(TF32, "fast-tf32") /* a tf32 product costs less than a third of a float32 one */ \
	X(MFMA, "mfma") /* AMD's matrix instructions: MI200 and MI300 */ \
	X(WMMA, "wmma") /* ... RDNA 3 */ \
	X(WMMA12, "wmma-gfx12") /* ... RDNA 4, whose lanes are numbered differently */ \
	X(STUDY, "study") /* no device has it: for rows that are only benchmarked */

enum trait_index {
#define TRAIT_INDEX(bit, word) TI_##bit,
	TRAITS(TRAIT_INDEX)
#undef TRAIT_INDEX
	TRAIT_COUNT
};
enum trait {
#define TRAIT_BIT(bit, word) T_##bit = 1u << TI_##bit,
	TRAITS(TRAIT_BIT)
#undef TRAIT_BIT
};

/* The words of a set of traits, separated by commas. */
const char *clopt__traits_text(unsigned traits, char *text, size_t size);

#endif
