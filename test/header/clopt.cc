/* SPDX-License-Identifier: MIT */
/* clopt.h as C++: as alone and as safe to include twice as in C, and with names that C++ links. */
#include "clopt.h"
#include "clopt.h"

extern const clopt_options options = CLOPT_OPTIONS_INIT;
extern const clopt_gemm_desc gemm = CLOPT_GEMM_DESC_INIT;
extern const clopt_potential_options potential_options = CLOPT_POTENTIAL_OPTIONS_INIT;
extern const clopt_nbody_options nbody_options = CLOPT_NBODY_OPTIONS_INIT;
extern const clopt_evolve_options evolve_options = CLOPT_EVOLVE_OPTIONS_INIT;
extern const clopt_problem problem = CLOPT_PROBLEM_INIT;
extern const clopt_report report = CLOPT_REPORT_INIT;
extern "C" {
int (*const call)(clopt **, const clopt_options *) = clopt_open;
}
