/* SPDX-License-Identifier: MIT */
/* clopt.h needs no other header before it, and may be included twice, also in C++; its
 * initialisers are constants. */
#include "clopt.h"
#include "clopt.h"
#include "value.h"

CONSTANT struct clopt_options options = CLOPT_OPTIONS_INIT;
CONSTANT struct clopt_gemm_desc gemm = CLOPT_GEMM_DESC_INIT;
CONSTANT struct clopt_potential_options potential_options = CLOPT_POTENTIAL_OPTIONS_INIT;
CONSTANT struct clopt_nbody_options nbody_options = CLOPT_NBODY_OPTIONS_INIT;
CONSTANT struct clopt_evolve_options evolve_options = CLOPT_EVOLVE_OPTIONS_INIT;
CONSTANT struct clopt_problem problem = CLOPT_PROBLEM_INIT;
CONSTANT struct clopt_report report = CLOPT_REPORT_INIT;
LINKED(int (*const call)(struct clopt **, const struct clopt_options *) = clopt_open)
