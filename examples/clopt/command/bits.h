/* SPDX-License-Identifier: MIT */
/*
 * bits.h - the subcommands as bits, which say whose option an option is.
 */
#ifndef COMMAND_BITS_H
#define COMMAND_BITS_H

enum {
	INFO = 1,
	CHECK = 2,
	LIST = 4,
	PLAN = 8,
	BENCH = 16,
	TRANSFER = 32,
	STUDY = 64,
	TUNE = 128,
	CACHE = 256,
	OCCUPANCY = 512,
	TRACE = 1024
};

#endif
