/* SPDX-License-Identifier: MIT */
/*
 * help.c - what --help says.
 */
#include "tool.h"

const char tool_usage[] =
        "usage: clopt info  [options]       devices, and which one is taken\n"
        "       clopt list  [op] [options]  kernel variants, and which run here\n"
        "       clopt bench [op] [options]  how fast they are\n"
        "       clopt bench transfer [options]\n"
        "                                   how fast the device gets at its data\n"
        "       clopt bench gem --ablation, clopt bench OP --ladder\n"
        "                                   what single optimizations are worth\n"
        "       clopt cache [list|clear] [--json]\n"
        "                                   the compiled kernels that are kept on disk\n"
        "       clopt COMMAND --help, clopt --version\n";

const char tool_info_help[] =
        "usage: clopt info [--device SPEC] [--json]\n"
        "\n"
        "All devices, best first, which one is taken and why, and which variant\n"
        "would serve a large problem there.\n"
        "\n"
        "  --device SPEC  an index, vendor:type:name, or a word that matches any of\n"
        "                 the three; as CLOPT_DEVICE\n"
        "  --json         the same as JSON\n";

const char tool_list_help[] =
        "usage: clopt list [op] [--device SPEC] [--json]\n"
        "\n"
        "One line for each kernel variant, in order of preference.  * marks what is\n"
        "picked for a large problem; `tests' counts the test problems that reach the\n"
        "variant on this device.\n"
        "\n"
        "  op             matmul, transpose, potential (or gem), nbody, leapfrog,\n"
        "                 evolve-force, evolve-step or evolve-sums; all\n"
        "  --device SPEC  as for clopt info\n"
        "  --json         the same as JSON\n";

const char tool_bench_help[] =
        "usage: clopt bench [op] [options]     and see clopt bench transfer --help,\n"
        "                                      clopt bench gem --ablation --help\n"
        "\n"
        "Each variant that runs here on the same problem: median times of the kernel\n"
        "and of the whole call, and the rate by the kernel's.  * marks the choice.  A\n"
        "sample of each result is compared with plain C; a wrong one is not timed.\n"
        "\n"
        "  op              matmul, transpose, potential (or gem), nbody, leapfrog,\n"
        "                  evolve-force, evolve-step or evolve-sums; all\n"
        "  --variant NAME  this one only\n"
        "  --law NAME      of potential coulomb, distance4, debye, alpb-salt, alpb-far,\n"
        "                  alpb-inside or alpb-inside-salt; of nbody gravity or gravity-own\n"
        "  --size N        all dimensions; the default depends on the device\n"
        "  --seconds S     for each variant and problem, after one call to compile;\n"
        "                  0.3, and three calls at least\n"
        "  --small         sizes for a simulated device\n"
        "  --csv FILE      also as CSV\n"
        "  --device SPEC   as for clopt info\n"
        "  --json          the same as JSON\n";

const char tool_transfer_help[] =
        "usage: clopt bench transfer [options]\n"
        "\n"
        "Transfers by size: by the driver, from pinned memory, staged, and a kernel on\n"
        "arrays in place where host and device share memory; the bandwidth of the\n"
        "device's memory; and what is left of it when a kernel copies with an offset or\n"
        "a stride.  Medians of rounds in which all take turns; GB are 1e9 bytes.  What\n"
        "was moved is compared, and exit status 1 if some of it is wrong.\n"
        "\n"
        "  --size N         one size only, in bytes, of transfers and of copies\n"
        "  --seconds S      for each number, and three repeats at least; 0.2\n"
        "  --theoretical G  what the memory could do by its datasheet: GB/s, or\n"
        "                   MHZxBITS, clock and width of a double data rate memory\n"
        "  --svg FILE       draw offsets and strides against bandwidth\n"
        "  --csv FILE       all numbers as CSV\n"
        "  --small          sizes for a simulated device\n"
        "  --device SPEC    as for clopt info\n"
        "  --json           the same as JSON\n";

const char tool_study_help[] =
        "usage: clopt bench gem --ablation [options]\n"
        "       clopt bench nbody --ladder [options]\n"
        "       clopt bench matmul --ladder [options]\n"
        "       clopt bench transpose --ladder [options]\n"
        "\n"
        "What optimizations are worth on this device, one at a time and together: kernels\n"
        "that differ by one idea each, beside what the library picks.  All take turns, and\n"
        "a speed-up is the median over rounds of times within one round.  A result that is\n"
        "wrong gets no time, and exit status 1.\n"
        "\n"
        "  --ablation     the potential of GEM, after Daga, Scogland, Feng (HD 5870):\n"
        "                   MT max threads        KS kernel splitting\n"
        "                   RA register accumulator   RP register preloading\n"
        "                   LM local memory       IM image memory\n"
        "                   LU2, LU4              loop unrolling\n"
        "                   VASM2, VASM4          vector accesses, scalar math\n"
        "                   VAVM2, VAVM4          vector accesses, vector math\n"
        "                 Of several the product of what they gain alone is told, too.\n"
        "  --ladder       n-body: each work-item for itself, a tile in local memory, its\n"
        "                 loop unrolled by 2 and 4.  Products: tables 3.2 and 3.3 of NVIDIA's\n"
        "                 OpenCL Best Practices Guide (GTX 280): A B of 16 columns and rows,\n"
        "                 A A^T; from global memory, through tiles in local memory, without\n"
        "                 bank conflicts; in effective bandwidth: bytes of the arrays by time.\n"
        "                 Transposes: neighbours read or write along rows, or both by way\n"
        "                 of local memory\n"
        "  --size N       charges and vertices, bodies, or rows and columns of C or of the\n"
        "                 matrix; the default depends on the device\n"
        "  --seconds S    for each kernel, in 7 rounds at least; 0.3\n"
        "  --svg FILE     draw the speed-ups as bars\n"
        "  --csv FILE     all numbers as CSV\n"
        "  --small        sizes for a simulated device\n"
        "  --device SPEC  as for clopt info\n"
        "  --json         the same as JSON\n";

const char tool_cache_help[] =
        "usage: clopt cache [--json]        the folder, and how much is in it\n"
        "       clopt cache list [--json]   what is in it, the latest used first\n"
        "       clopt cache clear [--json]  remove that\n"
        "\n"
        "Compiled kernels are kept for the next process in the folder CLOPT_CACHE_DIR\n"
        "(0: nowhere), or else in libclopt in XDG_CACHE_HOME or ~/.cache, up to 256 MiB,\n"
        "and beside each the verdict of its check (CLOPT_CHECK=off, first or always).\n"
        "CLOPT_VERBOSE=1 tells for each call what was found there.\n"
        "\n"
        "  --json  the same as JSON\n";
