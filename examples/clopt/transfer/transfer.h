/* SPDX-License-Identifier: MIT */
/*
 * transfer.h - the room of `clopt bench transfer': bandwidths between host and device, and
 * of the device's memory.  It includes the rooms tool/ and plot/.
 *
 * The measurements are a list of cells, in the order of the tables.
 */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "../tool/tool.h"

enum {
	TRANSFER_LEAST = 3, /* repeats of a cell */
	TRANSFER_STEPS = 32 /* the largest offset and stride */
};

struct transfer_cell {
	struct tool_sample s;
	const char *experiment; /* "transfer", "map", "memory", "offset", "stride" */
	const char *method;
	const char *direction; /* "up", "down", "both"; "device" */
	size_t x; /* a size in bytes, or a step in elements */
	double read, written; /* bytes of one repeat, of the device's memory */
	double moved; /* bytes of one repeat that went between host and device */
	double rate; /* GB/s by the median; 0: not measured */
};

struct transfer_bench {
	const struct tool_args *args;
	struct clopt_device_info info;
	struct transfer_cell *cell;
	size_t n, room;
	size_t copy_bytes; /* that a kernel copies without a stride */
};

int tool_transfer(const struct tool_args *args);

/* ------------------------------------------------------- transfer.c ---- */

/* NVIDIA, OpenCL Best Practices Guide (2011), section 2.2; GB/s, GB = 1e9. */
double transfer_effective(double bytes_read, double bytes_written, double seconds);
double transfer_theoretical(double clock_mhz, double width_bits);

/* A number of GB/s, or MHzxBITS for the formula above; 0 for a word that is neither. */
double transfer_read_theoretical(const char *word);

/* A cell more, at the end of the list.  1 if memory ran out. */
int transfer_add(struct transfer_bench *b, const struct transfer_cell *cell);

/* The cells from first to the end, in turns; once() runs one of them, given by its number
 * from first, and returns its seconds. */
typedef double transfer_turn(void *what, size_t i, struct transfer_cell *cell);
void transfer_measure(struct transfer_bench *b, size_t first, double seconds, transfer_turn *once,
                      void *what);

json_t *transfer_report_json(const struct transfer_bench *b);
void transfer_report_csv(const json_t *json, FILE *to);

/* ------------------------------------------------- host.c, device.c ---- */

/* 0, or 1 after an error message if nothing can be measured. */
int transfer_host(struct transfer_bench *b);
int transfer_device(struct transfer_bench *b);

enum transfer_contents {
	TRANSFER_UP = 1,
	TRANSFER_DOWN,
	TRANSFER_NOTHING
};

/* Words that tell their place and whose they are; the number of the first that
 * does not, or `words' if all do. */
void transfer_fill(uint32_t *to, size_t words, enum transfer_contents what);
size_t transfer_differs(const uint32_t *at, size_t words, enum transfer_contents what);

#endif
