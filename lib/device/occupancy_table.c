/* SPDX-License-Identifier: MIT */
/*
 * occupancy_table.c - the resources of a compute unit of each architecture.
 *
 * NVIDIA: the tables "Compute Capabilities" of the CUDA C Programming Guide, version 8.0 up to 6.2
 * and version 13.0 for later ones (where 10.1 is 11.0); the allocation steps of registers
 * and shared memory, and the parts of a multiprocessor with registers of their own, from the CUDA
 * Occupancy Calculator.
 *
 * AMD: TeraScale 2 from the APP SDK's OpenCL Programming Guide of 2011, "Resource Limits on Active
 * Wavefronts".  A lane has 256 registers, 8 of them reserved for temporaries of clauses; a whole HD
 * 5870 holds at most 496 waves, 24.8 a unit.  Later architectures from their instruction set
 * guides, the steps from LLVM's AMDGPUBaseInfo.cpp, as in docs/amd-registers.md.  The smaller chips
 * of RDNA 3 have the registers of RDNA 2.
 */
#include "arch.h"

#define KIB ((size_t)1024)

/* Names, wave; waves and groups of a unit; SIMDs, all their registers, the step of a wave; most
 * registers of a work-item and of a group; local memory, its step, most of a group; work-items of a
 * group. */
const struct arch clopt__archs[] = {
	/* Tesla */
	{ "sm_10 sm_11", 32, 24, 8, 1, 8 * 1024, 256, 124, 8 * 1024, 16 * KIB, 512, 16 * KIB,
	  .group = 512, .pair = 2 },
	{ "sm_12 sm_13", 32, 32, 8, 1, 16 * 1024, 512, 124, 16 * 1024, 16 * KIB, 512, 16 * KIB,
	  .group = 512, .pair = 2 },
	/* Fermi */
	{ "sm_20 sm_21", 32, 48, 8, 2, 32 * 1024, 64, 63, 32 * 1024, 48 * KIB, 128, 48 * KIB,
	  .group = 1024 },
	/* Kepler */
	{ "sm_30", 32, 64, 16, 4, 64 * 1024, 256, 63, 64 * 1024, 48 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_32", 32, 64, 16, 4, 64 * 1024, 256, 255, 32 * 1024, 48 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_35", 32, 64, 16, 4, 64 * 1024, 256, 255, 64 * 1024, 48 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_37", 32, 64, 16, 4, 128 * 1024, 256, 255, 64 * 1024, 112 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	/* Maxwell */
	{ "sm_50", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 64 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_52", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 96 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_53", 32, 64, 32, 4, 64 * 1024, 256, 255, 32 * 1024, 64 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	/* Pascal */
	{ "sm_60", 32, 64, 32, 2, 64 * 1024, 256, 255, 64 * 1024, 64 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_61", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 96 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_62", 32, 64, 32, 4, 64 * 1024, 256, 255, 32 * 1024, 64 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	/* Volta, Turing */
	{ "sm_70", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 96 * KIB, 256, 96 * KIB,
	  .group = 1024 },
	{ "sm_72", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 96 * KIB, 256, 48 * KIB,
	  .group = 1024 },
	{ "sm_75", 32, 32, 16, 4, 64 * 1024, 256, 255, 64 * 1024, 64 * KIB, 256, 64 * KIB,
	  .group = 1024 },
	/* Ampere, Ada */
	{ "sm_80", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 164 * KIB, 128, 163 * KIB,
	  .group = 1024, .reserved = KIB },
	{ "sm_86", 32, 48, 16, 4, 64 * 1024, 256, 255, 64 * 1024, 100 * KIB, 128, 99 * KIB,
	  .group = 1024, .reserved = KIB },
	{ "sm_87", 32, 48, 16, 4, 64 * 1024, 256, 255, 64 * 1024, 164 * KIB, 128, 163 * KIB,
	  .group = 1024, .reserved = KIB },
	{ "sm_89", 32, 48, 24, 4, 64 * 1024, 256, 255, 64 * 1024, 100 * KIB, 128, 99 * KIB,
	  .group = 1024, .reserved = KIB },
	/* Hopper */
	{ "sm_90 sm_90a", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 228 * KIB, 128, 227 * KIB,
	  .group = 1024, .reserved = KIB },
	/* Blackwell */
	{ "sm_100 sm_103", 32, 64, 32, 4, 64 * 1024, 256, 255, 64 * 1024, 228 * KIB, 128, 227 * KIB,
	  .group = 1024, .reserved = KIB },
	{ "sm_101 sm_110", 32, 48, 24, 4, 64 * 1024, 256, 255, 64 * 1024, 228 * KIB, 128, 227 * KIB,
	  .group = 1024, .reserved = KIB },
	{ "sm_120 sm_121", 32, 48, 24, 4, 64 * 1024, 256, 255, 64 * 1024, 100 * KIB, 128, 99 * KIB,
	  .group = 1024, .reserved = KIB },
	/* TeraScale 2: Radeon HD 5000.  Registers of four floats. */
	{ "terascale2 cypress juniper redwood", 64, 32, 8, 1, 248 * 64, 64, 128, 248 * 64, 32 * KIB,
	  256, 32 * KIB, .group = 256 },
	/* GCN */
	{ "gfx600 gfx601 gfx602 gcn1 tahiti pitcairn capeverde oland hainan", 64, 40, 16, 4,
	  4 * 256 * 64, 4 * 64, 256, 4 * 256 * 64, 64 * KIB, 256, 32 * KIB, .group = 1024,
	  .lone = 1, .scalars = 512, .scalar_step = 8 },
	{ "gfx700 gfx701 gfx702 gfx703 gfx704 gfx705 gcn2 hawaii bonaire spectre spooky kalindi "
	  "mullins",
	  64, 40, 16, 4, 4 * 256 * 64, 4 * 64, 256, 4 * 256 * 64, 64 * KIB, 512, 64 * KIB,
	  .group = 1024, .lone = 1, .scalars = 512, .scalar_step = 8 },
	{ "gfx801 gfx802 gfx803 gfx805 gfx810 gcn3 carrizo tonga iceland fiji ellesmere baffin "
	  "stoney",
	  64, 40, 16, 4, 4 * 256 * 64, 4 * 64, 256, 4 * 256 * 64, 64 * KIB, 512, 64 * KIB,
	  .group = 1024, .lone = 1, .scalars = 800, .scalar_step = 16 },
	{ "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c gcn5", 64, 40, 16, 4, 4 * 256 * 64, 4 * 64,
	  256, 4 * 256 * 64, 64 * KIB, 512, 64 * KIB, .group = 1024, .lone = 1, .scalars = 800,
	  .scalar_step = 16 },
	/* CDNA */
	{ "gfx908 cdna1", 64, 40, 16, 4, 4 * 256 * 64, 4 * 64, 256, 4 * 256 * 64, 64 * KIB, 512,
	  64 * KIB, .group = 1024, .lone = 1, .scalars = 800, .scalar_step = 16 },
	{ "gfx90a cdna2", 64, 32, 16, 4, 4 * 512 * 64, 8 * 64, 512, 4 * 512 * 64, 64 * KIB, 512,
	  64 * KIB, .group = 1024, .lone = 1, .scalars = 800, .scalar_step = 16 },
	{ "gfx940 gfx941 gfx942 cdna3", 64, 32, 16, 4, 4 * 512 * 64, 8 * 64, 512, 4 * 512 * 64,
	  64 * KIB, 512, 64 * KIB, .group = 1024, .lone = 1, .scalars = 800, .scalar_step = 16 },
	/* RDNA, two compute units as one */
	{ "gfx1010 gfx1011 gfx1012 gfx1013 rdna1", 32, 80, 32, 4, 4 * 1024 * 32, 8 * 32, 256,
	  4 * 1024 * 32, 128 * KIB, 512, 64 * KIB, .group = 1024, .lone = 1 },
	{ "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 rdna2", 32, 64, 32, 4,
	  4 * 1024 * 32, 16 * 32, 256, 4 * 1024 * 32, 128 * KIB, 512, 64 * KIB, .group = 1024,
	  .lone = 1 },
	{ "gfx1100 gfx1101 gfx1151 rdna3", 32, 64, 32, 4, 4 * 1536 * 32, 24 * 32, 256,
	  4 * 1536 * 32, 128 * KIB, 512, 64 * KIB, .group = 1024, .lone = 1 },
	{ "gfx1102 gfx1103 gfx1150", 32, 64, 32, 4, 4 * 1024 * 32, 16 * 32, 256, 4 * 1024 * 32,
	  128 * KIB, 512, 64 * KIB, .group = 1024, .lone = 1 },
	{ .names = NULL },
};
