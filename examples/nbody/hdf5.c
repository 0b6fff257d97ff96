/* SPDX-License-Identifier: MIT */
/*
 * hdf5.c - bodies in HDF5 files, in the layout that GADGET and SWIFT share.
 *
 * /Header has the attributes of GADGET, and /PartType0 to /PartType5 the particles of a type:
 * Coordinates and Velocities (a row each), Masses, unless MassTable has one for all, ParticleIDs,
 * and Softenings (SWIFT's name).  /Units has SWIFT's units in cgs, or GADGET's, which may also be
 * attributes of /Parameters and /Header; /Parameters may have GADGET's GravityConstantInternal,
 * which is all that bodies without units have.  A file with neither is in GADGET's units: kpc, 1e10
 * solar masses and km/s.  Only files without expansion of space (Redshift 0 or none) are read.
 *
 * Files go through memory whole, so that they may come from a pipe and go to one.
 *
 * Source: GADGET-4's and SWIFT's documentation of snapshots.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nb.h"

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

int nb_hdf5_parse(struct nb_system *s, const struct text *t, struct fault *e)
{
	(void)s;
	return fail(e, "%.400s: an HDF5 file; this program was built without libhdf5", t->name);
}

int nb_hdf5_print(FILE *f, const void *system, struct fault *e)
{
	(void)f, (void)system;
	return fail(e, "this program was built without libhdf5");
}

#else

#include <hdf5.h>

#define TYPES 6

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
		file = H5Fopen("bodies", H5F_ACC_RDONLY, list);
	else
		file = H5Fcreate("bodies", H5F_ACC_TRUNC, H5P_DEFAULT, list);
	if (list >= 0)
		H5Pclose(list);
	return file;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* An attribute's values, as many as there is room for; how many, 0 if there is none. */
static size_t attribute(hid_t at, const char *object, const char *name, double *v, size_t room)
{
	hid_t a = H5Aopen_by_name(at, object, name, H5P_DEFAULT, H5P_DEFAULT), space;
	hssize_t n = 0;

	if (a < 0)
		return 0;
	space = H5Aget_space(a);
	n = H5Sget_simple_extent_npoints(space);
	H5Sclose(space);
	if (n < 1 || (size_t)n > room || H5Aread(a, H5T_NATIVE_DOUBLE, v) < 0)
		n = 0;
	H5Aclose(a);
	return (size_t)n;
}

/* A data set of rows x columns (columns 1: also of one dimension) as memory has type; 1, or 0 if
 * there is none or it has another shape. */
static int data(hid_t group, const char *name, size_t rows, size_t columns, hid_t type, void *to)
{
	hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space;
	hsize_t size[2] = { 0, 1 };
	int right;

	if (set < 0)
		return 0;
	space = H5Dget_space(set);
	right = H5Sget_simple_extent_ndims(space) <= 2 &&
	        H5Sget_simple_extent_dims(space, size, NULL) >= 1 && size[0] == rows &&
	        size[1] == columns && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
	H5Sclose(space);
	H5Dclose(set);
	return right;
}

struct reading {
	hid_t file;
	const char *name;
	double count[TYPES], mass[TYPES];
};

/* Particles of a type, from body `first` on. */
static int particles(struct nb_system *s, const struct reading *r, int type, size_t first,
                     struct fault *e)
{
	const size_t n = (size_t)r->count[type];
	double *x = malloc(8 * (n + 1) * sizeof *x), *v, *m, *soft, one[7];
	char group_name[16];
	const char *wrong = NULL;
	int rc = -1, softened;
	hid_t group = -1;
	size_t i;

	snprintf(group_name, sizeof group_name, "PartType%d", type);
	if (!x) {
		fail(e, "%.400s: out of memory", r->name);
		goto out;
	}
	v = x + 3 * n;
	m = x + 6 * n;
	soft = x + 7 * n;
	group = H5Gopen2(r->file, group_name, H5P_DEFAULT);
	if (group < 0 || !data(group, "Coordinates", n, 3, H5T_NATIVE_DOUBLE, x) ||
	    !data(group, "Velocities", n, 3, H5T_NATIVE_DOUBLE, v)) {
		fail(e, "%.400s: no Coordinates and Velocities of %zu particles in /%s", r->name, n,
		     group_name);
		goto out;
	}
	for (i = 0; i < n; i++)
		m[i] = r->mass[type];
	if (r->mass[type] == 0 && !data(group, "Masses", n, 1, H5T_NATIVE_DOUBLE, m)) {
		fail(e, "%.400s: no Masses of %zu particles in /%s, and none in MassTable", r->name,
		     n, group_name);
		goto out;
	}
	if (!data(group, "ParticleIDs", n, 1, H5T_NATIVE_ULLONG, s->id + first))
		for (i = 0; i < n; i++)
			s->id[first + i] = first + i + 1;
	softened = data(group, "Softenings", n, 1, H5T_NATIVE_DOUBLE, soft);
	for (i = 0; i < n && !wrong; i++) {
		memcpy(one, x + 3 * i, 3 * sizeof *one);
		memcpy(one + 3, v + 3 * i, 3 * sizeof *one);
		one[6] = m[i];
		s->kind[first + i] = (unsigned char)type;
		if (softened)
			nb_system_soften(s, first + i == 0, soft[i]);
		wrong = nb_system_put(s, first + i, one);
	}
	rc = wrong ? fail(e, "%.400s: /%s, particle %zu: %s", r->name, group_name, i, wrong) : 0;
out:
	if (group >= 0)
		H5Gclose(group);
	free(x);
	return rc;
}

/* Three attributes of one object; 1 if they are there and positive. */
static int three(const struct reading *r, const char *object, const char *const name[3],
                 double v[3])
{
	int i;

	for (i = 0; i < 3; i++)
		if (!attribute(r->file, object, name[i], &v[i], 1) || !(v[i] > 0 && isfinite(v[i])))
			return 0;
	return 1;
}

/* The file's units, and the gravitational constant in them. */
static int units(struct nb_system *s, const struct reading *r, struct fault *e)
{
	static const char *const swift[] = { length_name, mass_name, time_name };
	static const char *const gadget[] = { gadget_length, gadget_mass, gadget_speed };
	static const char *const places[] = { "Units", "Parameters", "Header" };
	double v[3] = { 0 }, g = 0;
	int found = three(r, "Units", swift, v), own;
	size_t i;

	for (i = 0; i < 3 && !found; i++) {
		found = three(r, places[i], gadget, v);
		if (found)
			v[2] = v[0] / v[2]; /* a length over a speed is a time */
	}
	own = attribute(r->file, "Parameters", g_name, &g, 1) != 0;
	if (!(g >= 0 && isfinite(g)))
		return fail(e, "%.400s: %s is %g: it must be 0 or positive", r->name, g_name, g);
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
		        r->name, s->g);
	return 0;
}

static int parse(struct nb_system *s, struct reading *r, struct fault *e)
{
	double z = 0, h = 0, files = 1, time[8] = { 0 }, all = 0;
	size_t first = 0;
	int type;

	if (attribute(r->file, "Header", "NumPart_ThisFile", r->count, TYPES) == 0)
		return fail(e,
		            "%.400s: /Header has no attribute NumPart_ThisFile of up to 6 numbers",
		            r->name);
	attribute(r->file, "Header", "MassTable", r->mass, TYPES);
	attribute(r->file, "Header", "Time", time, 8);
	attribute(r->file, "Header", "Redshift", &z, 1);
	if (!attribute(r->file, "Header", "HubbleParam", &h, 1))
		attribute(r->file, "Parameters", "HubbleParam", &h, 1);
	attribute(r->file, "Header", "NumFilesPerSnapshot", &files, 1);
	if (files > 1)
		return fail(e,
		            "%.400s: this is one of %g files of a snapshot: it must be in one file",
		            r->name, files);
	if (z != 0)
		return fail(e,
		            "%.400s: redshift %g: it must be 0, as nbody's space does not expand",
		            r->name, z);
	for (type = 0; type < TYPES; type++) {
		if (!(r->count[type] >= 0 && r->count[type] <= 1e12))
			return fail(e,
			            "%.400s: %g particles of type %d: the number must be from 0 to "
			            "1e12",
			            r->name, r->count[type], type);
		all += r->count[type];
	}
	if (all == 0)
		return fail(e, "%.400s: the file has no bodies", r->name);
	if (!isfinite(time[0]))
		return fail(e, "%.400s: the time is not finite", r->name);
	if (nb_system_new(s, (size_t)all, e) || nb_system_kinds(s, e))
		return -1;
	s->time = time[0];
	if (units(s, r, e))
		return -1;
	s->hubble = h == 1 ? 0 : h;
	for (type = 0; type < TYPES; type++) {
		if (r->count[type] > 0 && particles(s, r, type, first, e))
			return -1;
		first += (size_t)r->count[type];
	}
	if (s->mixed)
		s->softening = -1;
	return 0;
}

int nb_hdf5_parse(struct nb_system *s, const struct text *t, struct fault *e)
{
	struct reading r = { open_image(t->data, t->size), t->name, { 0 }, { 0 } };
	int rc;

	if (r.file < 0)
		return fail(e, "%.400s: libhdf5 cannot read it", t->name);
	rc = parse(s, &r, e);
	H5Fclose(r.file);
	return rc;
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
	      put_data(group, "ParticleIDs", n, 1, H5T_STD_U64LE, H5T_NATIVE_ULLONG, id);
	if (group >= 0)
		H5Gclose(group);
out:
	free(id);
	free(x);
	return bad;
}

static int put_header(hid_t file, const struct nb_system *s, const unsigned count[TYPES])
{
	static const double none[TYPES] = { 0 };
	static const unsigned high[TYPES] = { 0 };
	hid_t group = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	int bad = group < 0;

	bad = bad ||
	      put_attribute(group, "NumPart_ThisFile", H5T_STD_I32LE, H5T_NATIVE_UINT, TYPES,
	                    count) ||
	      put_attribute(group, "NumPart_Total", H5T_STD_U32LE, H5T_NATIVE_UINT, TYPES, count) ||
	      put_attribute(group, "NumPart_Total_HighWord", H5T_STD_U32LE, H5T_NATIVE_UINT, TYPES,
	                    high) ||
	      put_attribute(group, "MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, TYPES, none) ||
	      put_number(group, "Time", s->time) || put_number(group, "Redshift", 0) ||
	      put_number(group, "BoxSize", 0) || put_number(group, "Omega0", 0) ||
	      put_number(group, "OmegaLambda", 0) || put_number(group, "HubbleParam", 1) ||
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
	unsigned count[TYPES] = { 0 };
	size_t i;
	int type, bad;

	for (i = 0; i < s->n; i++)
		count[nb_system_kind(s, i)]++;
	bad = put_header(file, s, count) || put_units(file, s);
	for (type = 0; type < TYPES && !bad; type++)
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
