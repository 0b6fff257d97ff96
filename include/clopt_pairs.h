/* SPDX-License-Identifier: MIT */
/*
 * clopt_pairs.h - sums over pairs of points in full: laws and their formulas, options, tolerance,
 * points in doubles and structs, bodies that move.  clopt.h includes it, and its rules hold here.
 */
#ifndef CLOPT_PAIRS_H
#define CLOPT_PAIRS_H

#include "clopt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ================================== Laws, and options of potentials =======
 *
 * A molecule in salt water, in kT/e, with charges in e and lengths in Angstrom:
 *
 *	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
 *
 *	o.law = CLOPT_LAW_DEBYE;
 *	o.scale = 560.46;
 *	o.eps_in = 80;
 *	o.kappa = clopt_kappa(0.15, 80, 298.15);
 *	rc = clopt_potential(ctx, n, atoms, m, points, phi, &o);
 */

/* How sums over pairs are computed.  Arrays of floats are float32 in any case. */
enum clopt_precision {
	CLOPT_PRECISION_DEFAULT, /* FLOAT; for doubles as each routine says */
	CLOPT_PRECISION_FLOAT, /* float32; a tenth of one running sum's error at 100,000 terms */
	/* Terms are float32, and the error of the sum does not grow with the number of sources. */
	CLOPT_PRECISION_COMPENSATED,
	/* Two float32 for each number: about 14 digits on any device, 7 to 15 times the work.  For
	 * Coulomb's law and gravity, but not the constants that CLOPT_LAW_ALPB adds to the sum;
	 * other laws are CLOPT_EUNSUPPORTED.  Where the driver's compiler computes floats with
	 * excess precision (PoCL on 32-bit x86), this and COMPENSATED are CLOPT_ENOVARIANT. */
	CLOPT_PRECISION_DOUBLE_SINGLE,
	CLOPT_PRECISION_DOUBLE, /* float64, if the device has it; else CLOPT_EUNSUPPORTED */
	CLOPT_PRECISION_BEST /* the last of these that the device has and the law allows */
};

/* The law of a pair: d is the distance, K is options.scale.  clopt_potential takes the first five;
 * the others name kernels, in struct clopt_problem. */
enum clopt_law {
	CLOPT_LAW_DEFAULT, /* COULOMB; of bodies GRAVITY */
	CLOPT_LAW_COULOMB, /* K / eps_in  sum q / d */
	CLOPT_LAW_DISTANCE4, /* K / 4  sum q / d^2: a dielectric constant of 4 d */
	CLOPT_LAW_DEBYE, /* K / eps_in  sum q exp(-kappa d) / d */
	/* A molecule of eps_in in a solvent of eps_out, with salt if kappa > 0: the analytical
	 * linearized Poisson-Boltzmann formula below.  Needs radius and, with salt or outputs other
	 * than PHI, normals.  The kernel is that of COULOMB (outside, without salt) or one of the
	 * next four. */
	CLOPT_LAW_ALPB,
	CLOPT_LAW_ALPB_SALT, /* between the surface and the ions */
	CLOPT_LAW_ALPB_FAR, /* among the ions */
	CLOPT_LAW_ALPB_INSIDE,
	CLOPT_LAW_ALPB_INSIDE_SALT,
	CLOPT_LAW_GRAVITY,
	CLOPT_LAW_GRAVITY_OWN, /* targets with softening lengths of their own */
	CLOPT_LAWS /* how many this header has; a newer library may have more */
};

/* The part of the potential that is wanted. */
enum clopt_part {
	CLOPT_PART_TOTAL,
	CLOPT_PART_REACTION, /* of CLOPT_LAW_ALPB, without the Coulomb part */
	CLOPT_PART_COULOMB /* only the Coulomb part, K / eps_in  sum q / d */
};

/* The results for each target, as adjacent floats.  The field is minus the gradient. */
enum clopt_outputs {
	CLOPT_OUTPUTS_PHI, /* 1: the potential */
	CLOPT_OUTPUTS_PHI_NORMAL, /* 2: the potential, and the field along the target's normal */
	CLOPT_OUTPUTS_FIELD_PHI, /* 4: the field's x, y and z, and the potential */
	CLOPT_OUTPUTS_FIELD, /* 4: the field and a 0 */
	CLOPT_OUTPUTS_JERK /* 8: the field, the potential, the jerk and a 0; of clopt_gravity */
};

struct clopt_group;

/* Lengths are in one unit of the caller's choice, charges in another; scale converts the results.
 * With e and Angstrom, 332.06371 gives kcal/mol/e, 560.46 kT/e at 298.15 K, 14399.6 mV.
 *
 * CLOPT_LAW_ALPB, with A, p, b and alpha of the fields below, and d' the distance from the target's
 * foot at distance b from the surface:
 *
 *	r = A + p,  r' = A + b,  Q = sum of charges,  beta = eps_in / eps_out,  L = 1 / kappa,
 *	C = 1 / (eps_out (1 + alpha beta)),  g = (1/eps_in - 1/eps_out) / (1 + alpha beta),
 *	r0 = A - depth
 *
 *	r >= A:   K C ((1 + alpha) sum q (1/d - 1/(L + d')) - alpha (1 - beta) Q (1/r - 1/(L + r')))
 *	r > r':   K C ((1 + alpha) L sum q exp(-kappa (d - d')) / (d (L + d'))
 *	               - alpha (1 - beta) Q L exp(-kappa (r - r')) / (r (L + r')))
 *	r < A:    K (sum q (1/(eps_in d) - g / sqrt(d^2 + (A^2 - r0^2) (A^2 - r^2) / A^2))
 *	             - g alpha beta Q / A
 *	             - C ((1 + alpha) sum q / (L + d') - alpha (1 - beta) Q / (L + r')))
 *
 * The target is outside the molecule (r >= A), among the ions (r > r') or inside (r < A).  The
 * terms of L are omitted if kappa (A + b + |p|) < 1e-9, and then r >= A is one region.  All targets
 * of a call lie in one region, that of `projection`, and all charges within 1e9 radii of them.  The
 * field is the gradient with the foot (the surface point) fixed.
 *
 * CLOPT_EINVAL: eps or radius not positive where needed, normals missing, or options that together
 * leave float32's range.  Source: Fenley, Gordon, Onufriev, J. Chem. Phys. 129, 075101 (2008);
 * Daga, Scogland, Feng, "Architecture-Aware Optimization on a 1600-core Graphics Processor". */
struct clopt_potential_options {
	size_t size; /* sizeof(struct clopt_potential_options) */
	int law, part, outputs, precision; /* of the enums above */
	double scale; /* K; 0: 1 */
	double eps_in, eps_out; /* dielectric constants of molecule and solvent; 0: 1 and 80 */
	double kappa; /* inverse Debye length; clopt_kappa().  0: no salt */
	double projection; /* p; negative is inside; 0 without normals */
	/* From here on for CLOPT_LAW_ALPB only, except the normals. */
	double radius; /* A, the electrostatic radius: clopt_electrostatic_radius() */
	double ion_radius; /* b: no ion's centre is nearer to the surface; 0: 2 */
	double alpha; /* 0: 0.571412.  For no alpha, or no ion_radius, set it to 1e-300, say */
	/* ntargets x 4 floats, for targets on a surface: the outward normal nx, ny, nz, of any
	 * length, and a distance.  With every law, values are computed at p plus this distance from
	 * the target along its normal.  0, 0, 0 is no normal.  Both arrays, normals and depths,
	 * have to live until a started call is done.  On buffers a clopt_buffer. */
	const float *normals;
	const struct clopt_buffer *normals_buffer;
	/* nsources floats, for targets inside: the depth of each charge below the surface, 0 to A.
	 * For a Born radius R, A - sqrt(A (A - R)) gives better energies than the distance from the
	 * surface.  NULL: A / 2 for all, as in GEM. */
	const float *depths;
	const struct clopt_buffer *depths_buffer;
	const double *charge; /* sum of all charges; NULL: of the weights; on buffers not NULL */
	int gem_compat; /* 1: as in GEM's program: no constant inside; the surface is inside */
	int reserved; /* 0 */
	const struct clopt_group *group; /* clopt_device.h: with other processes; NULL: alone */
	double tolerance; /* see Tolerance below; 0: all pairs */
	double theta; /* for experts: half a cell's diagonal / its distance; 0: by tolerance */
	unsigned order; /* for experts: of cells' expansions, 2 to 6; 0: by tolerance */
	unsigned tree_reserved; /* 0 */
};
#define CLOPT_POTENTIAL_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_potential_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, \
		        NULL, NULL, NULL, NULL, 0, 0, NULL, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_potential_options_init(struct clopt_potential_options *options, size_t size);

/* The electrostatic radius of a molecule of n atoms at atoms (x, y, z, unread) with these radii, in
 * their unit.  It is the radius of the ball with the same determinant of its moments of inertia,
 * atoms weighted by the cubes of their radii.  0 if no radius is positive; NaN if one is negative
 * or NaN.  Source: Sigalov, Fenley, Onufriev, J. Chem. Phys. 124, 124902 (2006). */
CLOPT_API double clopt_electrostatic_radius(size_t n, const float *atoms, const float *radii);
/* The inverse Debye length in 1/Angstrom for an ionic strength in mol/l, a dielectric constant and
 * a temperature in kelvin.  NaN if the strength is negative or another argument not positive. */
CLOPT_API double clopt_kappa(double ionic_strength, double eps, double kelvin);

/* Options of gravity; 0 means the default. */
struct clopt_nbody_options {
	size_t size; /* sizeof(struct clopt_nbody_options) */
	double g; /* the gravitational constant, in the caller's units; 0: 1 */
	double softening; /* eps, a length */
	int precision; /* enum clopt_precision */
	int target_softening; /* 1: a target's weight is its own softening; the squares are added */
	int potential; /* 1: compute phi too; 0: phi is 0, which is faster */
	int reserved; /* 0 */
	/* From here on as in struct clopt_potential_options. */
	const struct clopt_group *group;
	double tolerance, theta;
	unsigned order, tree_reserved;
};
#define CLOPT_NBODY_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_nbody_options), 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0 \
	}
CLOPT_API void clopt_nbody_options_init(struct clopt_nbody_options *options, size_t size);

/* ======================================================= Tolerance =======
 *
 * Sums over many points are faster by a tree, with an error that the caller chooses.  A potential
 * with a tolerance of 1e-3:
 *
 *	struct clopt_potential_options o = CLOPT_POTENTIAL_OPTIONS_INIT;
 *
 *	o.tolerance = 1e-3;
 *	rc = clopt_potential(ctx, n, charges, m, points, phi, &o);
 *
 * A cell of the tree stands for many sources far away, by multipoles or a few proxies.  With a
 * tolerance t at least 99 of 100 targets are off by at most t, with 95 % confidence.  For a field t
 * is a part of its own length.  For a potential, or a field along the normal, it is a part of the
 * root mean square over all targets.  In a group these are the targets of this process.
 *
 * The call measures its errors: it sums a sample of 512 to 1024 targets, or all if they are fewer,
 * over all sources too.  The report has these errors.  If they do not show the promise, the call
 * sums again with a smaller theta, at most twice.  Then the 99th percentile of the sample decides:
 * above t the call fails with CLOPT_EWRONG, and the last results are in place.  Both sums have the
 * call's precision, so its rounding is not seen: t below 1e-6 needs CLOPT_PRECISION_DOUBLE.
 *
 * All pairs are summed, and the report has tree_order 0,
 *
 * - where that is no slower;
 * - where a tree does not fit the device or mem_limit_bytes (verbose prints the bytes it needs);
 * - with depths, for the jerk, and in DOUBLE_SINGLE.
 *
 * theta and order without a tolerance are used as they are, and the report has the error.
 * CLOPT_EINVAL: t, theta or order out of range, or on buffers, except for kept trees
 * (clopt_tree_potential_buffers).
 */

/* ==================================== Points in doubles and structs =======
 *
 * clopt_potential and clopt_nbody for points as programs keep them: doubles, arrays apart, structs.
 * Accelerations in an array of n structs:
 *
 *	struct particle { double x, y, z, vx, vy, vz, ax, ay, az, m; } *p;
 *	struct clopt_points s = CLOPT_POINTS_INIT;
 *	struct clopt_results r = CLOPT_RESULTS_INIT;
 *
 *	s.n = n, s.x = &p->x, s.y = &p->y, s.z = &p->z, s.w = &p->m;
 *	r.x = &p->ax, r.y = &p->ay, r.z = &p->az;
 *	s.stride_bytes = r.stride_bytes = sizeof *p;
 *	clopt_gravity(ctx, &s, &s, &r, NULL);
 */

/* Where the numbers of points are. */
struct clopt_points {
	size_t size; /* sizeof(struct clopt_points) */
	size_t n;
	int type; /* of every number: CLOPT_TYPE_DOUBLE (0: also that) or CLOPT_TYPE_FLOAT */
	int reserved; /* 0 */
	size_t stride_bytes; /* from one point to the next in each array; 0: no gaps */
	const void *x, *y, *z;
	const void *w; /* charges or masses; of targets softening (target_softening), else unread */
	const void *vx, *vy, *vz; /* velocities; read for the jerk only */
};
#define CLOPT_POINTS_INIT \
	{ \
		sizeof(struct clopt_points), 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL \
	}
CLOPT_API void clopt_points_init(struct clopt_points *points, size_t size);

/* Where results go, one for each target; NULL: not computed. */
struct clopt_results {
	size_t size; /* sizeof(struct clopt_results) */
	int type; /* as in struct clopt_points; 0: that of the targets */
	int reserved; /* 0 */
	size_t stride_bytes; /* as in struct clopt_points */
	void *x, *y, *z; /* the field, or the acceleration */
	void *phi; /* the potential */
	void *normal; /* clopt_potential_points: the field along the target's normal */
	void *jx, *jy, *jz; /* clopt_gravity: the jerk, the acceleration's derivative in time */
};
#define CLOPT_RESULTS_INIT \
	{ \
		sizeof(struct clopt_results), 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
		        NULL \
	}
CLOPT_API void clopt_results_init(struct clopt_results *results, size_t size);

/* The potential and gravity of such points.  The results say what is computed: outputs and
 * potential of the options are not read.  Sources and targets may be one struct.  Results may lie
 * in the structs of the points, if they share no number with an input or with each other.
 *
 *	jerk_i = g * sum over j of m_j (u / r^3 - 3 (d . u) d / r^5),
 *	d = x_j - x_i,  u = v_j - v_i,  r^2 = |d|^2 + eps^2
 *
 * CLOPT_PRECISION_DEFAULT is BEST if sources, targets and results are all double, else FLOAT.
 * DOUBLE computes from the doubles as they are, for distances between 1.5e-154 and 1.3e154.  Its
 * accelerations are right to about 1e-15 of the sum of the terms' magnitudes.  The other precisions
 * first subtract the centre of the box round all points.  Then DOUBLE_SINGLE splits each double
 * into two floats (about 14 digits, float's range), and FLOAT and COMPENSATED round it to one.
 *
 * The call takes host memory, which clopt_host_trim releases: 16 bytes for each source, target and
 * result.  In DOUBLE and DOUBLE_SINGLE it is 32 bytes, and with jerk twice as much.  Targets that
 * are the sources take none.
 *
 * After a failure the results are as they were.  But floats x, y, z, w side by side, with results
 * likewise, are used in place in FLOAT and COMPENSATED without jerk.  Then the centre is not
 * subtracted, no memory is taken, and a failure may leave results partly written.
 *
 * CLOPT_EINVAL: no x, y or z, sources without w, no result wanted, or a jerk without velocities.
 * Also `normal` beside a component of the field, results that share numbers, and a stride shorter
 * than a number. */
CLOPT_API int clopt_potential_points(struct clopt *ctx, const struct clopt_points *sources,
                                     const struct clopt_points *targets,
                                     const struct clopt_results *results,
                                     const struct clopt_potential_options *options);
CLOPT_API int clopt_gravity(struct clopt *ctx, const struct clopt_points *sources,
                            const struct clopt_points *targets, const struct clopt_results *results,
                            const struct clopt_nbody_options *options);

/* =============================================== Bodies that move =======
 *
 * These routines move n bodies (x, y, z, m) with velocities (vx, vy, vz, and a number that is
 * kept), in place.  A hundred steps of 0.01, in floats and in doubles:
 *
 *	rc = clopt_nbody_leapfrog(ctx, n, bodies, velocities, 0.01, 100, NULL);
 *	rc = clopt_nbody_evolve(ctx, n, places, speeds, 0.01, 100, NULL);
 */

/* Leapfrog steps (kick, drift, kick) of length dt, which may be negative.  The bodies have to fit
 * the device whole: 48 bytes a body.  The precision has to be FLOAT, without target_softening.
 *
 * With a tolerance each step has a tree of its own.  The error of its accelerations is measured in
 * the first step, in one of 32, and in the last.  If it does not show the promise, theta is lowered
 * for this and later steps.  The report has the largest errors found.  If the tolerance cannot be
 * kept, the run fails, with the bodies as they were. */
CLOPT_API int clopt_nbody_leapfrog(struct clopt *ctx, size_t n, float *bodies, float *velocities,
                                   double dt, size_t steps,
                                   const struct clopt_nbody_options *options);

/* How clopt_nbody_evolve moves bodies through a step. */
enum clopt_integrator {
	CLOPT_INTEGRATOR_KICK_DRIFT_KICK, /* leapfrog: order 2, one evaluation a step */
	CLOPT_INTEGRATOR_HERMITE /* order 4: predict, evaluate with jerk, correct */
};

/* Sums over all bodies, in the caller's units. */
struct clopt_conserved {
	double mass, kinetic, potential; /* the energy is kinetic + potential */
	double momentum[3], angular_momentum[3]; /* about the origin */
	double centre[3]; /* of mass */
};

/* Options of clopt_nbody_evolve; 0 means the default. */
struct clopt_evolve_options {
	size_t size; /* sizeof(struct clopt_evolve_options) */
	double g, softening; /* as in struct clopt_nbody_options */
	int integrator; /* enum clopt_integrator */
	int precision; /* FLOAT, DOUBLE_SINGLE, DOUBLE or BEST (the default), also between steps */
	/* `each`, if not NULL, is called after the last step.  Unless `every` is 0, it is also
	 * called before the first step (step 0), and after each step whose number is a multiple of
	 * `every`.  It may read the bodies, velocities and sums of that step.  The rules are those
	 * of clopt_options.log.  Nonzero ends the run there, without a failure. */
	size_t every;
	int (*each)(void *user, size_t step, const double *bodies, const double *velocities,
	            const struct clopt_conserved *sums);
	void *user;
	const struct clopt_group *group; /* to tree_reserved as in struct clopt_nbody_options */
	double tolerance, theta;
	unsigned order, tree_reserved;
	/* With Hermite's steps, if not NULL: 8 n doubles.  They get the accelerations of all bodies
	 * (ax, ay, az, and a number that is kept), then their jerks, with which the next step
	 * begins.  `each` may read them.  A run of 0 steps leaves them.  Leapfrog needs none. */
	double *rates;
	/* 1: rates are also the first step's, so a run in several calls has the bits of one call.
	 * 0: those of the first step are computed. */
	int resume;
	int rates_reserved; /* 0 */
};
#define CLOPT_EVOLVE_OPTIONS_INIT \
	{ \
		sizeof(struct clopt_evolve_options), 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0, \
		        NULL, 0, 0 \
	}
CLOPT_API void clopt_evolve_options_init(struct clopt_evolve_options *options, size_t size);

/* Steps in doubles, by either integrator and in any precision.  In DOUBLE bodies take 96 bytes each
 * on the device, with Hermite 256.
 *
 * CLOPT_EINVAL for a number that is NaN or out of range.  In DOUBLE coordinates and velocities go
 * up to 1e153, and masses other than 0 from 2.3e-308 to 1.7e308.  In FLOAT and DOUBLE_SINGLE
 * coordinates and velocities go up to 1e18, and masses from 1.2e-38 to 3.4e38.  Numbers that leave
 * the range on the way, such as m / d^3 of bodies that meet without softening, become infinite and
 * then NaN.
 *
 * Bodies at one place do not pull one another; with softening their potential, -g m m' / eps, is in
 * the sums.  Two at different places, but nearer than 1.1e-19 (DOUBLE: 1.5e-154), have neither.
 *
 * With a tolerance t the potential of the sums is by the tree, too.  Each body's is off by t of the
 * root mean square, their sum by much less.  Hermite's steps, and DOUBLE_SINGLE, sum all pairs all
 * the same.  Each process of a group keeps the tolerance for its bodies, and the bits depend on
 * which these are.  Source: Makino, Aarseth, Publ. Astron. Soc. Japan 44, 141 (1992). */
CLOPT_API int clopt_nbody_evolve(struct clopt *ctx, size_t n, double *bodies, double *velocities,
                                 double dt, size_t steps,
                                 const struct clopt_evolve_options *options);
/* The sums as `each` gets them, of these bodies without a step, also with a tolerance.  The same
 * numbers are refused. */
CLOPT_API int clopt_nbody_conserved(struct clopt *ctx, size_t n, const double *bodies,
                                    const double *velocities,
                                    const struct clopt_evolve_options *options,
                                    struct clopt_conserved *sums);

#ifdef __cplusplus
}
#endif

#endif
