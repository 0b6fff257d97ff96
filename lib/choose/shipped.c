/* SPDX-License-Identifier: MIT */
/*
 * shipped.c - records that come with the library, from `clopt tune` and sweeps of settings.  Some
 * are for measured devices.  Others are for a kind of device of which one was measured: two cores
 * of a Zen 4 or, with 2 MiB of second-level cache, of an Emerald Rapids.  See "Tuning" in
 * clopt_tune.h.
 */
#include "choose.h"

/* clang-format off */
const char *const clopt__shipped[] = {
	"NVIDIA H200; *; matmul float32 NN 64x64x64 x1024; matmul/lds-64x64; 8.74e+12",
	"NVIDIA H200; *; transpose 4 bytes 16384x16384; transpose/tile-64x64; 4.93e+11",
	"NVIDIA H200; *; transpose 8 bytes 16384x16384; transpose/tile-64x64; 2.45e+11",
	"NVIDIA H200; *; potential coulomb phi float 262144x262144; potential/reg-256x4-ptx; 3.05e+12",
	"NVIDIA H200; *; potential coulomb phi float 256x4096; potential/split-4x64:wg=128x1; 2.28e+11",
	"NVIDIA H200; *; potential coulomb phi float 4096x4096; potential/split-2x128; 9.24e+11",
	"NVIDIA H200; *; potential debye phi float 4096x4096; potential/split-2x128; 6.76e+11",
	"NVIDIA H200; *; potential distance4 phi float 4096x4096; potential/split-32x8:out=8x1; 8.97e+11",
	"NVIDIA H200; *; potential alpb-salt phi float 16384x16384 normals; potential/split-1x256:wg=64x1; 8.72e+11",
	"NVIDIA H200; *; nbody gravity field float 4096x4096; nbody/split-32x8:out=8x1; 9.7e+11",
	"NVIDIA H200; *; nbody gravity-own field float 4096x4096; nbody/split-32x8:out=8x1; 9.7e+11",
	"NVIDIA H200; *; nbody gravity field float 65536x4096; nbody/split-4x64:wg=128x1:out=1x1; 1.28e+12",
	"NVIDIA H200; *; nbody gravity field float 1024x16384; nbody/split-32x8; 9.75e+11",
	"NVIDIA H200; *; nbody gravity field float 256x32768; nbody/split-32x8; 8.6e+11",
	"NVIDIA H200; *; nbody gravity field float 1024x32768; nbody/split-32x8; 1.19e+12",
	"NVIDIA H200; *; nbody gravity field float 262144x262144; nbody/reg-128x2-ptx; 2e+12",
	"+cpu,simd-512,local-960K; *; matmul float64 NN 1024x1024x1024; matmul/packed-8x2-f64:MR=4; 5.14e+10",
	"+cpu,simd-512,local-960K; *; matmul float64 NN 1024x2048x1024; matmul/packed-8x2-f64:MR=4; 5.05e+10",
	"+cpu,simd-512,local-960K; *; matmul float64 NN 2048x2048x2048; matmul/packed-8x2-f64:MR=4:NV=3; 5.14e+10",
	"+cpu,simd-512,local-960K; *; matmul float64 TN 2048x2048x2048; matmul/packed-8x2-f64:MR=4:NV=3; 5.1e+10",
	"+cpu,simd-512,local-1920K; *; matmul float64 NN 1024x1024x1024; matmul/packed-8x2-2M; 7.1e+10",
	"+cpu,simd-512,local-1920K; *; matmul float64 NN 1024x2048x1024; matmul/packed-8x2-2M; 7.1e+10",
	"+cpu,simd-512,local-1920K; *; matmul float64 NN 2048x2048x2048; matmul/packed-8x2-2M; 7.1e+10",
	"+cpu,simd-512,local-1920K; *; matmul float64 TN 2048x2048x2048; matmul/packed-8x2-2M; 7.1e+10",
	NULL
};
/* clang-format on */
