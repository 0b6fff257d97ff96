/* SPDX-License-Identifier: MIT */
/* clopt_pairs.h likewise, also before clopt.h, which includes it. */
#include "clopt_pairs.h"
#include "clopt_pairs.h"
#include "clopt.h"
#include "value.h"

CONSTANT struct clopt_potential_options potential_options = CLOPT_POTENTIAL_OPTIONS_INIT;
CONSTANT struct clopt_nbody_options nbody_options = CLOPT_NBODY_OPTIONS_INIT;
CONSTANT struct clopt_points points = CLOPT_POINTS_INIT;
CONSTANT struct clopt_results results = CLOPT_RESULTS_INIT;
CONSTANT struct clopt_evolve_options evolve_options = CLOPT_EVOLVE_OPTIONS_INIT;
LINKED(double (*const call)(double, double, double) = clopt_kappa)
