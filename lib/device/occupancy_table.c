/* SPDX-License-Identifier: MIT */
/*
 * occupancy_table.c - the resources of a compute unit of each architecture whose drivers have
 * OpenCL 1.2: NVIDIA's from Kepler on, AMD's from TeraScale 2 on.
 *
 * NVIDIA: the tables "Compute Capabilities" of the CUDA C Programming Guide, version 8.0 up to 6.2
 * and version 13.0 for later ones (where 10.1 is 11.0).  Allocation steps of registers and shared
 * memory, and the parts of a multiprocessor that have registers, are from the CUDA Occupancy
 * Calculator.
 *
 * AMD: TeraScale 2 from the APP SDK's OpenCL Programming Guide of 2011, "Resource Limits on Active
 * Wavefronts".  A lane has 256 registers, 8 of them reserved for temporaries of clauses.  A whole
 * HD 5870 holds at most 496 waves, 24.8 a unit.  Later architectures are from their instruction set
 * guides, the steps from LLVM's AMDGPUBaseInfo.cpp, as make amd-table shows.  The smaller chips of
 * RDNA 3 have the registers of RDNA 2.
 */
#include "device.h"

/* names; wave, waves, groups, SIMDs; registers of a lane, step, of a work-item; KiB of local
 * memory, of a group, step; work-items of a group */
const struct arch clopt__archs[] = {
	/* Kepler */
	{ "sm_30", 32, 64, 16, 4, 512, 8, 63, 48, 48, 256, .group = 1024 },
	{ "sm_32", 32, 64, 16, 4, 512, 8, 255, 48, 48, 256, .group = 1024, .halved = 1 },
	{ "sm_35", 32, 64, 16, 4, 512, 8, 255, 48, 48, 256, .group = 1024 },
	{ "sm_37", 32, 64, 16, 4, 1024, 8, 255, 112, 48, 256, .group = 1024, .halved = 1 },
	/* Maxwell, Pascal */
	{ "sm_50", 32, 64, 32, 4, 512, 8, 255, 64, 48, 256, .group = 1024 },
	{ "sm_52 sm_61", 32, 64, 32, 4, 512, 8, 255, 96, 48, 256, .group = 1024 },
	{ "sm_53 sm_62", 32, 64, 32, 4, 512, 8, 255, 64, 48, 256, .group = 1024, .halved = 1 },
	{ "sm_60", 32, 64, 32, 2, 1024, 8, 255, 64, 48, 256, .group = 1024 },
	/* Volta, Turing */
	{ "sm_70", 32, 64, 32, 4, 512, 8, 255, 96, 96, 256, .group = 1024 },
	{ "sm_72", 32, 64, 32, 4, 512, 8, 255, 96, 48, 256, .group = 1024 },
	{ "sm_75", 32, 32, 16, 4, 512, 8, 255, 64, 64, 256, .group = 1024 },
	/* Ampere, Ada */
	{ "sm_80", 32, 64, 32, 4, 512, 8, 255, 164, 163, 128, .group = 1024, .reserved_kib = 1 },
	{ "sm_86", 32, 48, 16, 4, 512, 8, 255, 100, 99, 128, .group = 1024, .reserved_kib = 1 },
	{ "sm_87", 32, 48, 16, 4, 512, 8, 255, 164, 163, 128, .group = 1024, .reserved_kib = 1 },
	{ "sm_89", 32, 48, 24, 4, 512, 8, 255, 100, 99, 128, .group = 1024, .reserved_kib = 1 },
	/* Hopper, Blackwell */
	{ "sm_90 sm_90a sm_100 sm_103", 32, 64, 32, 4, 512, 8, 255, 228, 227, 128, .group = 1024,
	  .reserved_kib = 1 },
	{ "sm_101 sm_110", 32, 48, 24, 4, 512, 8, 255, 228, 227, 128, .group = 1024,
	  .reserved_kib = 1 },
	{ "sm_120 sm_121", 32, 48, 24, 4, 512, 8, 255, 100, 99, 128, .group = 1024,
	  .reserved_kib = 1 },
	/* TeraScale 2: Radeon HD 5000.  Registers of four floats. */
	{ "terascale2 cypress juniper redwood", 64, 32, 8, 1, 248, 1, 128, 32, 32, 256,
	  .group = 256 },
	/* GCN, CDNA */
	{ "gfx600 gfx601 gfx602 gcn1 tahiti pitcairn capeverde oland hainan", 64, 40, 16, 4, 256, 4,
	  256, 64, 32, 256, .group = 1024, .lone = 1, .scalars = 512, .scalar_step = 8 },
	{ "gfx700 gfx701 gfx702 gfx703 gfx704 gfx705 gcn2 hawaii bonaire spectre spooky kalindi "
	  "mullins",
	  64, 40, 16, 4, 256, 4, 256, 64, 64, 512, .group = 1024, .lone = 1, .scalars = 512,
	  .scalar_step = 8 },
	{ "gfx801 gfx802 gfx803 gfx805 gfx810 gcn3 carrizo tonga iceland fiji ellesmere baffin "
	  "stoney "
	  "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c gcn5 gfx908 cdna1",
	  64, 40, 16, 4, 256, 4, 256, 64, 64, 512, .group = 1024, .lone = 1, .scalars = 800,
	  .scalar_step = 16 },
	{ "gfx90a cdna2 gfx940 gfx941 gfx942 cdna3", 64, 32, 16, 4, 512, 8, 512, 64, 64, 512,
	  .group = 1024, .lone = 1, .scalars = 800, .scalar_step = 16 },
	/* RDNA, two compute units as one */
	{ "gfx1010 gfx1011 gfx1012 gfx1013 rdna1", 32, 80, 32, 4, 1024, 8, 256, 128, 64, 512,
	  .group = 1024, .lone = 1 },
	{ "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 rdna2 gfx1102 gfx1103 gfx1150",
	  32, 64, 32, 4, 1024, 16, 256, 128, 64, 512, .group = 1024, .lone = 1 },
	{ "gfx1100 gfx1101 gfx1151 rdna3", 32, 64, 32, 4, 1536, 24, 256, 128, 64, 512,
	  .group = 1024, .lone = 1 },
	{ .names = NULL },
};
