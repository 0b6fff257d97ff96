/* SPDX-License-Identifier: MIT */
/*
 * transfer.h - the room of `clopt bench transfer': bandwidths between host and device, and
 * of the device's memory.  It includes the rooms tool/ and plot/.
 *
 * The measurements are a list of cells, in the order of the tables.
 */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "clopt_cl.h"
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

/* A number of GB/s, or MHzxBITS for the formula above; 0 for a word that is
 * neither. */
double transfer_read_theoretical(const char *word);

/* A cell more, at the end of the list.  1 if memory
 * ran out. */
int transfer_add(struct transfer_bench *b, const struct transfer_cell *cell);

/* The cells from first to the end, in turns; once() runs one of them, given by its number
 * from first, and returns its seconds. */
typedef double transfer_turn(void *what, size_t i, struct transfer_cell *cell);
void transfer_measure(struct transfer_bench *b, size_t first, double seconds, transfer_turn *once,
                      void *what);

/* ----------------------------------------------------------- side.c ---- */

/* One way to the device: a context, host memory, two buffers. */
enum transfer_sides {
	TRANSFER_BY_DRIVER,
	TRANSFER_PINNED,
	TRANSFER_BY_STAGING,
	TRANSFER_SIDES
};

struct transfer_side {
	struct clopt *ctx;
	struct clopt_queue *queue[2];
	struct clopt_buffer *up, *down; /* written to; read from, and holds TRANSFER_DOWN */
	uint32_t *from, *to; /* host memory: holds TRANSFER_UP; read into */
	const char *method; /* the mover of the host memory, or its kind */
	int allocated; /* by clopt_host_alloc */
};

/* Bytes of each array of a side. */
size_t transfer_largest(const struct tool_args *args, const struct clopt_device_info *info);

int transfer_side_open(struct transfer_side *s, const struct tool_args *args,
                       enum transfer_sides which, struct clopt_device_info *info);
void transfer_side_close(struct transfer_side *s);

enum transfer_contents {
	TRANSFER_UP = 1,
	TRANSFER_DOWN,
	TRANSFER_NOTHING
};

/* Words that tell their place and whose they are; the number of the first that
 * does not, or `words' if all do. */
void transfer_fill(uint32_t *to, size_t words, enum transfer_contents what);
size_t transfer_differs(const uint32_t *at, size_t words, enum transfer_contents what);

/* ------------------------------------------------- host.c, device.c ---- */

/* 0, or 1 after an error message if nothing can be measured. */
int transfer_host(struct transfer_bench *b);
int transfer_device(struct transfer_bench *b);

/* --------------------------------------------------------- launch.c ---- */

enum transfer_kernel {
	TRANSFER_FILL,
	TRANSFER_OFFSET_COPY,
	TRANSFER_STRIDE_COPY,
	TRANSFER_KERNELS
};

/* Kernels of our own on the library's buffers, by way of clopt_cl.h. */
struct transfer_launcher {
	struct clopt *ctx; /* times its commands */
	struct clopt_queue *queue;
	struct clopt_buffer *in, *out;
	size_t group; /* work-items in one */
	cl_program program;
	cl_kernel kernel[TRANSFER_KERNELS];
};

/* 0 or 1.  The buffers are the caller's to make, and are freed by close. */
int transfer_launcher_open(struct transfer_launcher *l, const struct tool_args *args,
                           struct clopt_device_info *info);
void transfer_launcher_close(struct transfer_launcher *l);

/* Run it over whole groups of items; its seconds by its event.  A failure is the
 * cell's. */
double transfer_launch(struct transfer_launcher *l, enum transfer_kernel which, size_t items,
                       size_t step, struct transfer_cell *cell);
/* The seconds of an event, which is freed. */
double transfer_event_seconds(struct transfer_launcher *l, struct clopt_event *event,
                              struct transfer_cell *cell);

/* The value that TRANSFER_FILL writes to place i: a whole number that a float can tell from
 * its neighbours. */
float transfer_filled(size_t i);

/* --------------------------------------------------------- report.c ---- */

json_t *transfer_report_json(const struct transfer_bench *b);
void transfer_report_text(const struct transfer_bench *b);
void transfer_report_csv(const json_t *json, FILE *to);
void transfer_report_svg(const struct transfer_bench *b, FILE *to);

#endif
