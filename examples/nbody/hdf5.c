/* SPDX-License-Identifier: MIT */
/*
 * hdf5.c - bodies in HDF5 files, in the layout that GADGET and SWIFT share.
 *
 * /Header has the attributes of GADGET, and /PartType0 to /PartType6 the particles of a type:
 * Coordinates and Velocities (a row each), Masses, unless MassTable has one for all, ParticleIDs,
 * and Softenings (SWIFT's name); EAGLE and SWIFT have other names of some.  /Units has SWIFT's
 * units in cgs, or GADGET's, which may also be attributes of /Parameters and /Header; /Parameters
 * may have GADGET's GravityConstantInternal, which is all that bodies without units have.  A file
 * with neither is in GADGET's units: kpc, 1e10 solar masses and km/s.
 *
 * Files are opened by name, so that their values may be in others.  From a pipe and to one, or
 * compressed, they go through memory whole.
 *
 * Source: GADGET-4's and SWIFT's documentation of snapshots.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

static const unsigned char magic[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };

int nb_hdf5_is(const struct text *t)
{
	return t->size >= sizeof magic && memcmp(t->data, magic, sizeof magic) == 0;
}

#ifndef WITH_HDF5

int nb_hdf5_can(void)
{
	return 0;
}

int nb_hdf5_parse(struct nb_system *s, const struct text *t, int named, struct fault *e)
{
	(void)s, (void)named;
	return fail(e, "%.400s: an HDF5 file; this program was built without libhdf5", t->name);
}

int nb_hdf5_print(FILE *f, const void *system, struct fault *e)
{
	(void)f, (void)system;
	return fail(e, "this program was built without libhdf5");
}

#else

#define TYPES 6 /* of GADGET */

static const char length_name[] = "Unit length in cgs (U_L)",
                  mass_name[] = "Unit mass in cgs (U_M)", time_name[] = "Unit time in cgs (U_t)",
                  gadget_length[] = "UnitLength_in_cm", gadget_mass[] = "UnitMass_in_g",
                  gadget_speed[] = "UnitVelocity_in_cm_per_s", g_name[] = "GravityConstantInternal";

int nb_hdf5_can(void)
{
	return 1;
}

/* A file in memory, empty or with so many bytes. */
static hid_t open_image(void *bytes, size_t size)
{
	hid_t list = H5Pcreate(H5P_FILE_ACCESS), file;

	H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it would print */
	if (list < 0 || H5Pset_fapl_core(list, 1 << 20, 0) < 0 ||
	    (bytes && H5Pset_file_image(list, bytes, size) < 0))
		file = -1;
	else if (bytes)
		file = H5Fopen("bodies in memory", H5F_ACC_RDONLY, list);
	else
		file = H5Fcreate("bodies in memory", H5F_ACC_TRUNC, H5P_DEFAULT, list);
	if (list >= 0)
		H5Pclose(list);
	return file;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* An attribute's values; how many, 0 if there is none, or without numbers; -1 if there are more
 * than there is room for. */
static int attribute(hid_t at, const char *object, const char *name, double *v, int room)
{
	hid_t a = H5Aopen_by_name(at, object, name, H5P_DEFAULT, H5P_DEFAULT), space;
	hssize_t n;

	if (a < 0)
		return 0;
	space = H5Aget_space(a);
	n = H5Sget_simple_extent_npoints(space);
	H5Sclose(space);
	if (n > room)
		n = -1;
	else if (n < 1 || H5Aread(a, H5T_NATIVE_DOUBLE, v) < 0)
		n = 0;
	H5Aclose(a);
	return (int)n;
}

/* Names of SWIFT, EAGLE and GADGET-4 for the powers of a and h that make values physical. */
static const char *const exponents[3][2] = { { "a-scale exponent", "h-scale exponent" },
	                                     { "aexp-scale-exponent", "h-scale-exponent" },
	                                     { "a_scaling", "h_scaling" } };

static void powers(hid_t set, double power[2])
{
	double v;
	int i;

	for (i = 0; i < 6; i++)
		if (attribute(set, ".", exponents[i / 2][i % 2], &v, 1) == 1)
			power[i % 2] = v;
	if (attribute(set, ".", "Value stored as physical", &v, 1) == 1 && v != 0)
		power[0] = power[1] = 0;
}

static const char *shape(hid_t set, size_t rows, size_t columns)
{
	static char why[160];
	hid_t space = H5Dget_space(set);
	const int dimensions = H5Sget_simple_extent_ndims(space);
	hsize_t size[2] = { 0, 1 };
	const int right = dimensions >= 1 && dimensions <= 2 &&
	                  H5Sget_simple_extent_dims(space, size, NULL) > 0 && size[0] == rows &&
	                  size[1] == columns;

	H5Sclose(space);
	snprintf(why, sizeof why,
	         "%llu x %llu numbers in %d dimensions: NumPart_ThisFile asks for %zu x %zu",
	         (unsigned long long)size[0], (unsigned long long)size[1], dimensions, rows,
	         columns);
	return right ? NULL : why;
}

/* Numbers of a type's particles, columns for each (1: also of one dimension), under the first of
 * the names that is there: 1, 0 if there is none, or -1.  IDs are integers of 8 bytes, and
 * *negative says that these are signed; other numbers become doubles. */
static int data(struct part *p, hid_t group, const char *const *names, size_t rows, size_t columns,
                void *to, double *power, int *negative, struct fault *e)
{
	const char *why;
	char at[64] = "";
	hid_t set, list, type, as = H5T_NATIVE_DOUBLE;

	while (*names && H5Lexists(group, *names, H5P_DEFAULT) <= 0)
		names++;
	if (!*names)
		return 0;
	list = H5Pcreate(H5P_DATASET_ACCESS);
	H5Pset_efile_prefix(list, "${ORIGIN}");
	set = H5Dopen2(group, *names, list);
	H5Pclose(list);
	why = set < 0 ? "it leads to a file or an object that is not there" :
	                shape(set, rows, columns);
	if (!why)
		why = elsewhere(set, p->path);
	if (!why && negative) {
		type = H5Dget_type(set);
		*negative = H5Tget_class(type) != H5T_INTEGER || H5Tget_sign(type) == H5T_SGN_2;
		as = *negative ? H5T_NATIVE_LLONG : H5T_NATIVE_ULLONG;
		H5Tclose(type);
	}
	if (!why && H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0)
		why = unreadable(set);
	if (!why && power)
		powers(set, power);
	H5Iget_name(group, at, sizeof at);
	if (set >= 0)
		H5Dclose(set);
	return why ? fail(e, "%.250s: %s/%s: %.300s", p->text->name, at, *names, why) : 1;
}

/* The numbers of bodies from `first` on, whose IDs were read. */
static int identify(struct nb_system *s, const struct part *p, int found, int negative,
                    size_t first, size_t n, struct fault *e)
{
	size_t i;
	int sign;

	for (i = first; i < first + n; i++) {
		if (!found)
			s->id[i] = i + 1;
		if (s->id[i] <= INT64_MAX)
			continue;
		sign = negative ? -1 : 1;
		if (s->sign == -sign)
			return fail(e, "%.400s: some ParticleIDs are negative, others beyond 2^63",
			            p->text->name);
		s->sign = sign;
	}
	return 0;
}

static int particles(struct nb_system *s, struct part *p, int type, size_t first, struct fault *e)
{
	const size_t n = (size_t)p->count[type];
	double *const x = calloc(n + 1, 8 * sizeof *x), *v, *m, *soft, one[7];
	static const char *const names[5][4] = { { "Coordinates" },
		                                 { "Velocities", "Velocity" },
		                                 { "Masses", "Mass", "DynamicalMasses" },
		                                 { "Softenings" },
		                                 { "ParticleIDs" } };
	double *const power[5] = { s->scale.length, s->scale.velocity, s->scale.mass };
	void *to[5];
	const double common = p->mass[type];
	char group_name[16];
	int rc = -1, found[5], negative = 0, k;
	hid_t group = -1;
	size_t i;

	snprintf(group_name, sizeof group_name, "PartType%d", type);
	if (!x)
		return fail(e, "%.400s: out of memory", p->text->name);
	to[0] = x;
	to[1] = v = x + 3 * n;
	to[2] = m = x + 6 * n;
	to[3] = soft = x + 7 * n;
	to[4] = s->id + first;
	group = H5Gopen2((hid_t)p->file, group_name, H5P_DEFAULT);
	if (group < 0) {
		fail(e,
		     "%.400s: no group /%s for %zu particles, or it leads to a file that is not "
		     "there",
		     p->text->name, group_name, n);
		goto out;
	}
	for (k = 0; k < 5; k++) {
		found[k] = data(p, group, names[k], n, k < 2 ? 3 : 1, to[k], power[k],
		                k == 4 ? &negative : NULL, e);
		if (found[k] < 0)
			goto out;
	}
	if (!found[0] || !found[1] || (!found[2] && common == 0)) {
		fail(e, "%.400s: /%s has no %s", p->text->name, group_name,
		     !found[0] ? "Coordinates" :
		     !found[1] ? "Velocities" :
		                 "Masses, and MassTable has none");
		goto out;
	}
	if (!found[4])
		nb_system_note(s, "%.300s: /%s has no ParticleIDs: its bodies are numbered",
		               p->text->name, group_name);
	if (identify(s, p, found[4], negative, first, n, e))
		goto out;
	for (i = 0; i < n; i++) {
		memcpy(one, x + 3 * i, 3 * sizeof *one);
		memcpy(one + 3, v + 3 * i, 3 * sizeof *one);
		one[6] = found[2] ? m[i] : common;
		if (common != 0 && fabs(one[6] - common) > 1e-5 * fabs(common)) {
			fail(e,
			     "%.300s: /%s, particle %zu: Masses has %g, but MassTable %g: one of "
			     "them "
			     "must go",
			     p->text->name, group_name, i + 1, one[6], common);
			goto out;
		}
		if (found[3])
			nb_system_soften(s, first + i == 0, soft[i]);
		if (snapshot_put(s, p, type, i, first + i, one, e))
			goto out;
	}
	rc = 0;
out:
	if (group >= 0)
		H5Gclose(group);
	free(x);
	return rc;
}

/* Three attributes of one object; 1 if they are there and positive. */
static int three(const struct part *p, const char *object, const char *const name[3], double v[3])
{
	int i;

	for (i = 0; i < 3; i++)
		if (attribute((hid_t)p->file, object, name[i], &v[i], 1) != 1 ||
		    !(v[i] > 0 && isfinite(v[i])))
			return 0;
	return 1;
}

static const char *const swift_units[] = { length_name, mass_name, time_name };

/* The file's units, and the gravitational constant in them. */
static int units(struct nb_system *s, const struct part *p, struct fault *e)
{
	static const char *const gadget[] = { gadget_length, gadget_mass, gadget_speed };
	static const char *const places[] = { "Units", "Parameters", "Header" };
	double v[3] = { 0 }, g = 0;
	int found = three(p, "Units", swift_units, v), own;
	size_t i;

	for (i = 0; i < 3 && !found; i++) {
		found = three(p, places[i], gadget, v);
		if (found)
			v[2] = v[0] / v[2]; /* a length over a speed is a time */
	}
	own = attribute((hid_t)p->file, "Parameters", g_name, &g, 1) == 1;
	if (!(g >= 0 && isfinite(g)))
		return fail(e, "%.400s: %s is %g: it must be 0 or positive", p->text->name, g_name,
		            g);
	s->assumed = !found && !own;
	if (found)
		s->units = (struct nb_units){ v[0], v[1], v[2] };
	else if (s->assumed)
		s->units = nb_units_gadget;
	/* With units, 0 is GADGET's word for theirs. */
	s->g = own && (g > 0 || !found) ? g : nb_units_g(&s->units);
	if (!isfinite(s->g))
		return fail(
		        e,
		        "%.400s: the gravitational constant is %g in its units: it must be finite",
		        p->text->name, s->g);
	return 0;
}

/* A number of the header, or what it is without. */
static double header(const struct part *p, const char *object, const char *name, double without)
{
	double v[8];

	return attribute((hid_t)p->file, object, name, v, 8) > 0 ? v[0] : without;
}

/* Particles of a type that has none by the header. */
static hsize_t untold(hid_t file, const char *group)
{
	hid_t at = H5Gopen2(file, group, H5P_DEFAULT), set, space;
	hsize_t size[2] = { 0 };

	if (at < 0)
		return 0;
	set = H5Dopen2(at, "Coordinates", H5P_DEFAULT);
	if (set >= 0) {
		space = H5Dget_space(set);
		if (H5Sget_simple_extent_ndims(space) <= 2)
			H5Sget_simple_extent_dims(space, size, NULL);
		H5Sclose(space);
		H5Dclose(set);
	}
	H5Gclose(at);
	return size[0];
}

static int open_part(struct part *p, struct fault *e)
{
	static const char *const tables[] = { "NumPart_ThisFile", "NumPart_Total",
		                              "NumPart_Total_HighWord", "MassTable" };
	double high[NB_TYPES] = { 0 }, *const to[] = { p->count, p->total, high, p->mass };
	double all[2 * NB_TYPES];
	const char *const name = p->text->name;
	double v[3];
	char group[16];
	int type, i, n, found = 0;
	hid_t file = p->named ? H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;

	p->path = file >= 0 ? name : NULL;
	if (file < 0)
		file = open_image(p->text->data, p->text->size);
	p->file = file;
	if (file < 0)
		return fail(e, "%.400s: libhdf5 cannot read it; it may be cut", name);
	for (i = 0; i < 4; i++) {
		n = attribute(file, "Header", tables[i], all, 2 * NB_TYPES);
		for (type = 0; type < n && type < NB_TYPES; type++)
			to[i][type] = all[type];
		for (; n > 0 && type < n; type++) /* swiftsimio writes a place more */
			n = all[type] == 0 ? n : -1;
		if (n < 0)
			return fail(e, "%.400s: /Header has more than %d numbers of %s", name,
			            NB_TYPES, tables[i]);
		found |= i < 2 && n > 0;
	}
	if (!found)
		return fail(e,
		            "%.400s: /Header has no attribute NumPart_ThisFile of up to %d numbers",
		            name, NB_TYPES);
	p->time = header(p, "Header", "Time", (double)NAN);
	p->redshift = header(p, "Header", "Redshift", 0);
	p->hubble = header(p, "Header", "HubbleParam",
	                   header(p, "Parameters", "HubbleParam", header(p, "Cosmology", "h", 0)));
	p->files = header(p, "Header", "NumFilesPerSnapshot", 1);
	p->box = header(p, "Header", "BoxSize", 0);
	p->comoving = (int)header(p, "Cosmology", "Cosmological run",
	                          header(p, "Parameters", "ComovingIntegrationOn",
	                                 header(p, "Header", "ComovingIntegrationOn", -1)));
	p->scale = nb_scale_gadget;
	if (three(p, "Units", swift_units, v))
		p->scale = (struct nb_scale){ .length = { 1, 0 } }; /* of SWIFT */
	p->empty = 1;
	for (type = 0; type < NB_TYPES; type++) {
		p->total[type] += 0x1p32 * high[type];
		snprintf(group, sizeof group, "PartType%d", type);
		if (p->count[type] > 0 && H5Lexists(file, group, H5P_DEFAULT) > 0)
			p->empty = 0;
		if (p->count[type] == 0 && untold(file, group))
			return fail(e,
			            "%.400s: /%s has particles, but NumPart_ThisFile has none of "
			            "type %d",
			            name, group, type);
	}
	return 0;
}

static void close_part(struct part *p)
{
	if (p->file >= 0)
		H5Fclose((hid_t)p->file);
}

int nb_hdf5_parse(struct nb_system *s, const struct text *t, int named, struct fault *e)
{
	static const struct layout layout = { nb_hdf5_is, open_part, units, particles, close_part };

	H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it would print */
	return snapshot_parse(s, t, named, &layout, e);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int put_attribute(hid_t at, const char *name, hid_t file_type, hid_t type, size_t n,
                         const void *v)
{
	const hsize_t size = n;
	hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
	hid_t a = H5Acreate2(at, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
	int bad = a < 0 || H5Awrite(a, type, v) < 0;

	if (a >= 0)
		H5Aclose(a);
	H5Sclose(space);
	return bad;
}

static int put_number(hid_t at, const char *name, double v)
{
	return put_attribute(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &v);
}

static int put_count(hid_t at, const char *name, unsigned v)
{
	return put_attribute(at, name, H5T_STD_I32LE, H5T_NATIVE_UINT, 1, &v);
}

static int put_data(hid_t group, const char *name, size_t rows, size_t columns, hid_t file_type,
                    hid_t type, const void *v)
{
	const hsize_t size[2] = { rows, columns };
	hid_t space = H5Screate_simple(columns == 1 ? 1 : 2, size, NULL);
	/* Without the time of writing, so that the same bodies are the same file. */
	hid_t list = H5Pcreate(H5P_DATASET_CREATE);
	hid_t set =
	        list < 0 || H5Pset_obj_track_times(list, 0) < 0 ?
	                -1 :
	                H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, list, H5P_DEFAULT);
	int bad = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) < 0;

	if (list >= 0)
		H5Pclose(list);
	if (set >= 0)
		H5Dclose(set);
	H5Sclose(space);
	return bad;
}

static int put_numbers(hid_t group, const char *name, size_t rows, size_t columns, const double *v)
{
	return put_data(group, name, rows, columns, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, v);
}

/* The h in whose units lengths or masses still are; 1: in none. */
static double hubble_of(const struct nb_system *s)
{
	const struct nb_scale *c = &s->scale;

	return c->h > 0 && (c->length[1] != 0 || c->mass[1] != 0) ? c->h : 1;
}

static int put_powers(hid_t group, const char *name, const struct nb_system *s,
                      const double power[2])
{
	hid_t set = hubble_of(s) != 1 ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
	int bad = 0;

	if (set >= 0) {
		bad = put_number(set, exponents[0][0], power[0]) ||
		      put_number(set, exponents[0][1], power[1]);
		H5Dclose(set);
	}
	return bad;
}

/* All bodies of a type. */
static int put_particles(hid_t file, const struct nb_system *s, int type, size_t n)
{
	double *x = malloc(8 * n * sizeof *x), *v, *m, *soft;
	unsigned long long *id = malloc(n * sizeof *id);
	char name[16];
	size_t i, k = 0;
	int bad = 1;
	hid_t group = -1;

	if (!x || !id)
		goto out;
	v = x + 3 * n;
	m = x + 6 * n;
	soft = x + 7 * n;
	for (i = 0; i < s->n; i++) {
		if (nb_system_kind(s, i) != type)
			continue;
		memcpy(x + 3 * k, s->body + 4 * i, 3 * sizeof *x);
		memcpy(v + 3 * k, s->velocity + 4 * i, 3 * sizeof *v);
		m[k] = s->body[4 * i + 3];
		soft[k] = s->softening > 0 ? s->softening : 0;
		id[k++] = s->id ? s->id[i] : i + 1;
	}
	snprintf(name, sizeof name, "PartType%d", type);
	group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	bad = group < 0 || put_numbers(group, "Coordinates", n, 3, x) ||
	      put_numbers(group, "Velocities", n, 3, v) || put_numbers(group, "Masses", n, 1, m) ||
	      put_numbers(group, "Softenings", n, 1, soft) ||
	      put_powers(group, "Coordinates", s, s->scale.length) ||
	      put_powers(group, "Velocities", s, s->scale.velocity) ||
	      put_powers(group, "Masses", s, s->scale.mass) ||
	      put_data(group, "ParticleIDs", n, 1, s->sign < 0 ? H5T_STD_I64LE : H5T_STD_U64LE,
	               s->sign < 0 ? H5T_NATIVE_LLONG : H5T_NATIVE_ULLONG, id);
	if (group >= 0)
		H5Gclose(group);
out:
	free(id);
	free(x);
	return bad;
}

static int put_header(hid_t file, const struct nb_system *s, const unsigned count[NB_TYPES])
{
	static const double none[NB_TYPES] = { 0 };
	static const unsigned high[NB_TYPES] = { 0 };
	const size_t types = count[TYPES] ? NB_TYPES : TYPES;
	hid_t group = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	int bad = group < 0;

	bad = bad ||
	      put_attribute(group, "NumPart_ThisFile", H5T_STD_I32LE, H5T_NATIVE_UINT, types,
	                    count) ||
	      put_attribute(group, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_UINT, types, count) ||
	      put_attribute(group, "NumPart_Total_HighWord", H5T_STD_U32LE, H5T_NATIVE_UINT, types,
	                    high) ||
	      put_attribute(group, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, types, none) ||
	      put_number(group, "Time", s->time) || put_number(group, "Redshift", 0) ||
	      put_number(group, "BoxSize", 0) || put_number(group, "Omega0", 0) ||
	      put_number(group, "OmegaLambda", 0) ||
	      put_number(group, "HubbleParam", hubble_of(s)) ||
	      put_count(group, "NumFilesPerSnapshot", 1) || put_count(group, "Dimension", 3) ||
	      put_count(group, "Flag_Sfr", 0) || put_count(group, "Flag_Cooling", 0) ||
	      put_count(group, "Flag_StellarAge", 0) || put_count(group, "Flag_Metals", 0) ||
	      put_count(group, "Flag_Feedback", 0) || put_count(group, "Flag_DoublePrecision", 1);
	if (group >= 0)
		H5Gclose(group);
	return bad;
}

static int put_gadget_units(hid_t group, const struct nb_units *u)
{
	return put_number(group, gadget_length, u->length) ||
	       put_number(group, gadget_mass, u->mass) ||
	       put_number(group, gadget_speed, u->length / u->time);
}

/* By SWIFT's names and by GADGET's, for which programs look in both groups. */
static int put_units(hid_t file, const struct nb_system *s)
{
	const int known = s->units.length > 0;
	hid_t group = H5Gcreate2(file, "Parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	int bad = group < 0 || (s->g >= 0 && put_number(group, g_name, s->g)) ||
	          (known && put_gadget_units(group, &s->units));

	if (group >= 0)
		H5Gclose(group);
	if (bad || !known)
		return bad;
	group = H5Gcreate2(file, "Units", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	bad = group < 0 || put_gadget_units(group, &s->units) ||
	      put_number(group, length_name, s->units.length) ||
	      put_number(group, mass_name, s->units.mass) ||
	      put_number(group, time_name, s->units.time) ||
	      put_number(group, "Unit current in cgs (U_I)", 1) ||
	      put_number(group, "Unit temperature in cgs (U_T)", 1);
	if (group >= 0)
		H5Gclose(group);
	return bad;
}

static int put_all(hid_t file, const struct nb_system *s)
{
	unsigned count[NB_TYPES] = { 0 };
	size_t i;
	int type, bad;

	for (i = 0; i < s->n; i++)
		count[nb_system_kind(s, i)]++;
	bad = put_header(file, s, count) || put_units(file, s);
	for (type = 0; type < NB_TYPES && !bad; type++)
		bad = count[type] && put_particles(file, s, type, count[type]);
	return bad || H5Fflush(file, H5F_SCOPE_LOCAL) < 0;
}

int nb_hdf5_print(FILE *f, const void *system, struct fault *e)
{
	const struct nb_system *s = system;
	hid_t file;
	ssize_t size = -1;
	void *bytes = NULL;

	if (s->n > INT32_MAX)
		return fail(e, "an HDF5 file can have at most %d bodies", INT32_MAX);
	file = open_image(NULL, 0);
	if (file >= 0 && put_all(file, s) == 0)
		size = H5Fget_file_image(file, NULL, 0);
	if (size > 0)
		bytes = malloc((size_t)size);
	if (bytes && H5Fget_file_image(file, bytes, (size_t)size) == size)
		fwrite(bytes, (size_t)size, 1, f);
	else
		size = fail(e, "libhdf5 could not write %zu bodies", s->n);
	free(bytes);
	if (file >= 0)
		H5Fclose(file);
	return size > 0 ? 0 : -1;
}

#endif
