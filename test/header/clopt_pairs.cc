/* SPDX-License-Identifier: MIT */
/* clopt_pairs.h as C++. */
#include "clopt_pairs.h"
#include "clopt_pairs.h"
#include "clopt.h"

extern const clopt_potential_options potential_options = CLOPT_POTENTIAL_OPTIONS_INIT;
extern const clopt_nbody_options nbody_options = CLOPT_NBODY_OPTIONS_INIT;
extern const clopt_points points = CLOPT_POINTS_INIT;
extern const clopt_results results = CLOPT_RESULTS_INIT;
extern const clopt_evolve_options evolve_options = CLOPT_EVOLVE_OPTIONS_INIT;
extern "C" {
double (*const call)(double, double, double) = clopt_kappa;
}
