/* SPDX-License-Identifier: MIT */
/*
 * commands.c - the subcommands and their help.
 */
#include "command.h"
#include "bits.h"
#include "../ask/ask.h"
#include "../bench/bench.h"
#include "../study/study.h"
#include "../transfer/transfer.h"

#define OPERATIONS \
	"OP is matmul, transpose, potential (or gem), nbody, leapfrog, evolve-force, evolve-step " \
	"or evolve-sums; or all."

const struct command commands[] = {
	{ "info", "", INFO, WORDS_NONE, 0.0, tool_info, "",
	  "All devices, best first; the one that is taken, and why; and the variant that would "
	  "serve "
	  "a large problem there.  Drivers that are left out, since they crash, hang, or have a "
	  "known "
	  "bug (a quirk), and the features that a device loses by one: CLOPT_PROBE and "
	  "CLOPT_QUIRKS "
	  "in clopt.h.  Kernels that were wrong at their first use, by the cache." },
	{ "check", "", CHECK, WORDS_NONE, 0.0, tool_check, "",
	  "A page for a report: devices, drivers, their quirks and those left out, the cache, "
	  "tuning; "
	  "each routine on a small problem, all elements compared with plain C; the share of "
	  "transfers that was hidden behind kernels.  A few seconds.  Exit status 1 if a result is "
	  "wrong." },
	{ "list", "", LIST, WORDS_OPERATION, 0.0, tool_list, "[OP]",
	  "One line for each kernel variant, in order of preference.  * marks the choice for a "
	  "large "
	  "problem; `tests' counts the test problems that reach the variant on this "
	  "device.\n\n" OPERATIONS },
	{ "plan", "", PLAN, WORDS_SIZES, 0.0, tool_plan,
	  "matmul M N K\ntranspose ROWS COLS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog|evolve-force BODIES",
	  "The needs of a call on ordinary arrays, before there are any: whether it fits the "
	  "device, "
	  "its memory there, bytes moved, pieces, time; the kernel that would run, and the reasons "
	  "against those above it in the table.  Unknown speeds are measured: the kernel on a "
	  "smaller problem, and transfers." },
	{ "bench", "", BENCH, WORDS_OPERATION, 0.3, tool_bench, "[OP]",
	  "First the device's peaks, by kernels of nothing but multiply-adds, reciprocal roots, or "
	  "reading, writing and copying memory.  Then each variant that runs here on the same "
	  "problem, in turns with the kernel that is its roof:\n\n"
	  "  first ms        the first call, compiling kernels that no cache has\n"
	  "  kernel ms       the kernel alone, by events; median, as the next\n"
	  "  call ms         the whole call on arrays of the host, transfers included\n"
	  "  GFLOP/s ...     the rate of the kernel; `by call' that of the call\n"
	  "  of roof         its share of the rate that the device allows; matrix units, and\n"
	  "                  caches that hold all arrays, may go above it\n\n"
	  "The roof of a product is the multiply-adds of its type, of a transpose a copy, of a sum "
	  "over pairs the lower of multiply-adds by the instructions of a pair (Coulomb 7, gravity "
	  "12) and of reciprocal roots by its special functions (1 each).  * marks the choice.  A "
	  "sample of each result is compared with plain C; a wrong one is not timed.\n\n" OPERATIONS
	  "  See also clopt bench transfer --help and clopt bench gem --ablation --help." },
	{ "bench", "transfer", TRANSFER, WORDS_NONE, 0.2, tool_transfer, "",
	  "Transfers by size: by the driver, from pinned memory, staged, and a kernel on arrays in "
	  "place where host and device share memory; the bandwidth of the device's memory; and the "
	  "rest of it when a kernel copies with an offset or a stride.  Medians of rounds in which "
	  "all take turns; GB are 1e9 bytes.  Results are compared; exit status 1 if some are "
	  "wrong." },
	{ "bench", "--study", STUDY, WORDS_OPERATION, 0.3, tool_study,
	  "gem --ablation\nnbody|matmul|transpose --ladder",
	  "The worth of optimizations on this device, one at a time and together: kernels that "
	  "differ by one idea each, beside the library's choice.  All take turns, and a speed-up "
	  "is "
	  "the median over rounds of times within one round.  A wrong result gets no time, and "
	  "exit "
	  "status 1.\n\n"
	  "--ablation: the potential of GEM, after Daga, Scogland, Feng (HD 5870).\n"
	  "  MT max threads            KS kernel splitting\n"
	  "  RA register accumulator   RP register preloading\n"
	  "  LM local memory           IM image memory\n"
	  "  LU2, LU4                  loop unrolling\n"
	  "  VASM2, VASM4              vector accesses, scalar math\n"
	  "  VAVM2, VAVM4              vector accesses, vector math\n"
	  "A combination stands beside the product of its parts.\n\n"
	  "--ladder: n-body from one work-item a body to a tile in local memory, its loop unrolled "
	  "by 2 and 4.  Products of tables 3.2 and 3.3 of NVIDIA's OpenCL Best Practices Guide "
	  "(GTX "
	  "280), A B of 16 columns and rows and A A^T: from global memory, through tiles in local "
	  "memory, without bank conflicts; in effective bandwidth, bytes of the arrays by time.  "
	  "Transposes: neighbours read or write along rows, or both by way of local memory." },
	{ "tune", "", TUNE, WORDS_OPERATION, 20.0, tool_tune, "[OP]",
	  "Times the variants that can serve, and settings of their parameters, for twelve "
	  "problems "
	  "of each routine, and records the best: a line for each in the file of CLOPT_TUNING, or "
	  "tuning.txt in libclopt in XDG_CONFIG_HOME or ~/.config.  All calls on this device "
	  "follow "
	  "the records; clopt plan and clopt_explain say so.  Settings that do not compile are "
	  "tried "
	  "too, and the driver's compiler may complain.  The lines are printed too: device; "
	  "driver; "
	  "problem; variant; its work in a second.  To merge files, append one to the other.\n\n"
	  "OP is matmul, transpose, potential (or gem) or nbody; or all." },
	{ "cache", "", CACHE, WORDS_NONE, 0.0, tool_cache, "[list|clear]",
	  "Without a word the folder and its size; list: its files, the latest used first; clear: "
	  "remove them.\n\n"
	  "Compiled kernels are kept for the next process in the folder CLOPT_CACHE_DIR (0: "
	  "nowhere), or else in libclopt in XDG_CACHE_HOME or ~/.cache, up to 256 MiB, each with "
	  "the "
	  "verdict of its check (CLOPT_CHECK=off, first or always).  A wrong kernel is tried again "
	  "by each process; clear forgets the verdict.  CLOPT_VERBOSE=1 tells for each call the "
	  "files found there." },
	{ "cache", "list", CACHE, WORDS_NONE, 0.0, tool_cache_list, "", "See clopt cache --help." },
	{ "cache", "clear", CACHE, WORDS_NONE, 0.0, tool_cache_clear, "",
	  "See clopt cache --help." },
	{ "occupancy", "", OCCUPANCY, WORDS_SIZES, 0.0, tool_occupancy,
	  "--arch NAME\nmatmul M N K\ntranspose ROWS COLUMNS\npotential|nbody SOURCES TARGETS\n"
	  "leapfrog BODIES",
	  "The number of waves (warps, wavefronts) of a kernel that a compute unit holds at a "
	  "time, "
	  "its limit, and the same for groups of other sizes.  The first form needs no device.  "
	  "The "
	  "others ask the driver of an NVIDIA or AMD GPU about the kernel that would serve the "
	  "problem, of float32." },
	{ "trace", "", TRACE, WORDS_FILE, 0.0, tool_trace, "FILE.json --svg FILE",
	  "Draws a time line that clopt_trace_json wrote: a row for each queue, a box for each "
	  "command, and the share of the transfers that was hidden behind kernels." },
	{ NULL, NULL, 0, 0, 0.0, NULL, NULL, NULL },
};
