/* SPDX-License-Identifier: MIT */
/*
 * snapshots.c - what programs write: snapshots of GADGET's kind that nbody reads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nbody/nb.h"

#include "folder.h"
#include "suites.h"

static struct fault error;
static char folder[FOLDER_SIZE];

static const char *at(const char *name)
{
	return folder_at(folder, name);
}

static void expect_reason(const char *name, const char *reason)
{
	struct nb_system s;

	ck_assert_msg(nb_read(&s, NULL, at(name), &error) == -1, "read, in spite of: %s", reason);
	ck_assert_msg(strstr(error.text, reason) != NULL, "%s: not %s", error.text, reason);
	ck_assert_ptr_null(s.body);
}

/* ---- GADGET's binary formats ----------------------------------------------------------------- */

struct binary {
	unsigned char bytes[4096];
	size_t size;
	int format, big, wide;
};

static void put(struct binary *b, unsigned long long v, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		b->bytes[b->size++] = (unsigned char)(v >> 8 * (b->big ? bytes - 1 - i : i));
}

static void put_real(struct binary *b, double v, int wide)
{
	unsigned long long bits;
	unsigned narrow;
	float f = (float)v;

	memcpy(&bits, &v, sizeof bits);
	memcpy(&narrow, &f, sizeof narrow);
	put(b, wide ? bits : narrow, wide ? 8 : 4);
}

static void begin(struct binary *b, const char *name, size_t bytes)
{
	if (b->format == 2) {
		put(b, 8, 4);
		memcpy(b->bytes + b->size, name, 4);
		b->size += 4;
		put(b, bytes + 8, 4);
		put(b, 8, 4);
	}
	put(b, bytes, 4);
}

/* Of 2 gas and 3 dark particles; those of gas have 0.25 each.  first: the number of the first. */
static void binary(struct binary *b, int format, int big, int wide, unsigned first,
                   const unsigned files)
{
	const unsigned count[6] = { 2, 3 };
	const size_t own = wide ? 8 : 4;
	size_t i;

	memset(b, 0, sizeof *b);
	b->format = format, b->big = big, b->wide = wide;
	begin(b, "HEAD", 256);
	i = b->size;
	for (; b->size < i + 24;)
		put(b, count[(b->size - i) / 4], 4);
	put_real(b, 0.25, 1);
	b->size += 40;
	put_real(b, 1.5, 1); /* time */
	put_real(b, 0, 1);
	b->size += 8;
	for (; b->size < i + 120;)
		put(b, files * count[(b->size - i - 96) / 4], 4);
	put(b, 0, 4);
	put(b, files, 4);
	b->size = i + 152;
	put_real(b, 1, 1);
	b->size = i + 256;
	put(b, 256, 4);
	begin(b, "POS ", 15 * own);
	for (i = 0; i < 15; i++)
		put_real(b, (double)i + first, wide);
	put(b, 15 * own, 4);
	begin(b, "VEL ", 15 * own);
	for (i = 0; i < 15; i++)
		put_real(b, -(double)i, wide);
	put(b, 15 * own, 4);
	begin(b, "ID  ", 5 * own);
	for (i = 0; i < 5; i++)
		put(b, 1000 + first + i, own);
	put(b, 5 * own, 4);
	begin(b, "MASS", 3 * own);
	for (i = 0; i < 3; i++)
		put_real(b, 10.0 + (double)i, wide);
	put(b, 3 * own, 4);
	begin(b, "U   ", 8);
	put(b, 0, 8);
	put(b, 8, 4);
}

static void save(const char *name, const void *bytes, size_t size)
{
	file_write(at(name), bytes, size);
}

/* Both formats, orders of bytes and sizes; and files that are cut. */
START_TEST(gadget)
{
	struct binary b;
	struct nb_system s;
	size_t i;

	binary(&b, 1 + (_i & 1), _i & 2, _i & 4, 0, 1);
	save("g", b.bytes, b.size);
	ck_assert_msg(nb_read(&s, NULL, at("g"), &error) == 0, "%s", error.text);
	ck_assert(s.n == 5 && s.time == 1.5 && s.assumed);
	for (i = 0; i < 5; i++) {
		ck_assert(s.body[4 * i + 2] == 3 * (double)i + 2);
		ck_assert(s.velocity[4 * i + 1] == -3 * (double)i - 1);
		ck_assert(s.body[4 * i + 3] == (i < 2 ? 0.25 : 8.0 + (double)i));
		ck_assert(s.id[i] == 1000 + i && s.kind[i] == (i < 2 ? NB_GAS : NB_DARK));
	}
	nb_system_free(&s);
	save("g", b.bytes, b.size - 4);
	expect_reason("g", "must end in its number of bytes");
	save("g", b.bytes, b.size + 4);
	expect_reason("g", b.format == 1 ? "must end in its number" : "no name of a block");
	save("g", b.bytes, 264 + (b.format == 2 ? 16 : 0));
	expect_reason("g", "5 particles, but the file has none");
}
END_TEST

/* Any file leads to the others, which have to be there. */
START_TEST(gadget_files)
{
	struct binary b;
	struct nb_system s;
	unsigned i;

	for (i = 0; i < 3; i++) {
		binary(&b, 1, 0, 0, 100 * i, 3);
		save(i == 0 ? "s.0" : i == 1 ? "s.1" : "s.2", b.bytes, b.size);
	}
	ck_assert_msg(nb_read(&s, NULL, at("s.1"), &error) == 0, "%s", error.text);
	ck_assert_uint_eq(s.n, 15);
	for (i = 0; i < 15; i++) /* gas of all files first */
		ck_assert_uint_eq(s.id[i], i < 6 ? 1000 + 100 * (i / 2) + i % 2 :
		                                   1002 + 100 * ((i - 6) / 3) + (i - 6) % 3);
	nb_system_free(&s);
	unlink(at("s.2"));
	expect_reason("s.1", "this is one of 3 files of a snapshot; another is not there");
	binary(&b, 1, 0, 0, 0, 2);
	save("s.2", b.bytes, b.size);
	expect_reason("s.1", "a file of another snapshot");
}
END_TEST

/* Four bytes too few are no filler that is missing, unless the first mass shows it. */
START_TEST(tipsy_length)
{
	struct nb_system s, t;
	FILE *f;
	char bytes[512] = { 0 };
	size_t size, cut;

	ck_assert_int_eq(nb_model("figure-eight")->make(&s, 3, 1, &error), 0);
	ck_assert_int_eq(nb_write(at("t"), &s, NB_TIPSY, &error), 0);
	nb_system_free(&s);
	f = fopen(at("t"), "rb");
	size = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	for (cut = 1; cut < 40; cut++) {
		save("t", bytes, size - cut);
		expect_reason("t", cut == 4 ? "4 too few for its 3 bodies" : "3 bodies take");
	}
	save("t", bytes, size + 4);
	expect_reason("t", "3 bodies take");
	memmove(bytes + 28, bytes + 32, size - 32);
	save("t", bytes, size - 4);
	ck_assert_msg(nb_read(&t, NULL, at("t"), &error) == 0, "%s", error.text);
	ck_assert(t.n == 3 && t.body[3] == 1 && t.body[11] == 1);
	nb_system_free(&t);
}
END_TEST

/* ---- HDF5 ------------------------------------------------------------------------------------ */

#ifdef WITH_HDF5
#include <hdf5.h>

/* 3 dark particles and 2 stars, as nbody writes them. */
static void make(const char *name, double first)
{
	struct nb_system s;
	size_t i, k;

	ck_assert(nb_system_new(&s, 5, &error) == 0 && nb_system_kinds(&s, &error) == 0);
	for (i = 0; i < 5; i++) {
		for (k = 0; k < 3; k++) {
			s.body[4 * i + k] = first + (double)(3 * i + k);
			s.velocity[4 * i + k] = -first - (double)(3 * i + k);
		}
		s.body[4 * i + 3] = 10 + (double)i;
		s.kind[i] = i < 3 ? NB_DARK : NB_STAR;
		s.id[i] = 1000 + i;
	}
	s.time = 0.5;
	ck_assert_msg(nb_write(at(name), &s, NB_HDF5, &error) == 0, "%s", error.text);
	nb_system_free(&s);
}

static hid_t edit(const char *name)
{
	hid_t file = H5Fopen(at(name), H5F_ACC_RDWR, H5P_DEFAULT);

	ck_assert(file >= 0);
	return file;
}

/* An attribute in the place of another; n 0: none. */
static void tell(hid_t file, const char *object, const char *name, hsize_t n, const double *v)
{
	hid_t o = H5Oopen(file, object, H5P_DEFAULT), space, a;

	if (o < 0)
		o = H5Gcreate2(file, object, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	if (H5Aexists(o, name) > 0)
		H5Adelete(o, name);
	if (n) {
		space = H5Screate_simple(1, &n, NULL);
		a = H5Acreate2(o, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
		ck_assert(H5Awrite(a, H5T_NATIVE_DOUBLE, v) >= 0);
		H5Aclose(a);
		H5Sclose(space);
	}
	H5Oclose(o);
}

static void tell_one(hid_t file, const char *object, const char *name, double v)
{
	tell(file, object, name, 1, &v);
}

static void rename_set(hid_t file, const char *from, const char *to)
{
	ck_assert(H5Lmove(file, from, file, to, H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* A data set in the place of another, of three numbers; list NULL: an ordinary one. */
static hid_t replace(hid_t file, const char *name, hid_t type, hid_t list)
{
	const hsize_t n = 3;
	hid_t space = H5Screate_simple(1, &n, NULL), set;

	H5Ldelete(file, name, H5P_DEFAULT);
	set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
	ck_assert(set >= 0);
	H5Sclose(space);
	return set;
}

static const double three_masses[] = { 10, 11, 12 };

static void eagle(hid_t f)
{
	rename_set(f, "PartType4/Masses", "PartType4/Mass");
	rename_set(f, "PartType4/Velocities", "PartType4/Velocity");
}

static void dynamical(hid_t f)
{
	rename_set(f, "PartType4/Masses", "PartType4/DynamicalMasses");
}

static void seven(hid_t f)
{
	const double count[] = { 0, 3, 0, 0, 2, 0, 0 }, table[7] = { 0 };

	tell(f, "Header", "NumPart_ThisFile", 7, count);
	tell(f, "Header", "NumPart_Total", 7, count);
	tell(f, "Header", "MassTable", 7, table);
}

static void eight(hid_t f)
{
	const double count[8] = { 0, 3, 0, 0, 2 };

	tell(f, "Header", "NumPart_ThisFile", 8, count);
}

static void eighth(hid_t f)
{
	const double count[8] = { 0, 3, 0, 0, 2, 0, 0, 1 };

	tell(f, "Header", "NumPart_ThisFile", 8, count);
}

static void rounded(hid_t f)
{
	tell_one(f, "Header", "Redshift", -2.220446e-16);
}

static void column(hid_t f)
{
	const hsize_t size[2] = { 3, 1 };
	hid_t space = H5Screate_simple(2, size, NULL), set;

	H5Ldelete(f, "PartType1/Masses", H5P_DEFAULT);
	set = H5Dcreate2(f, "PartType1/Masses", H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT,
	                 H5P_DEFAULT);
	H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, three_masses);
	H5Dclose(set);
	H5Sclose(space);
}

static void packed(hid_t f)
{
	const hsize_t chunk = 2;
	hid_t list = H5Pcreate(H5P_DATASET_CREATE), set;

	H5Pset_chunk(list, 1, &chunk);
	H5Pset_shuffle(list);
	H5Pset_deflate(list, 4);
	set = replace(f, "PartType1/Masses", H5T_IEEE_F64LE, list);
	H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, three_masses);
	H5Dclose(set);
	H5Pclose(list);
}

static void notime(hid_t f)
{
	tell(f, "Header", "Time", 0, NULL);
}

static void box(hid_t f)
{
	tell_one(f, "Header", "BoxSize", 100);
}

static void cosmological(hid_t f)
{
	tell_one(f, "Cosmology", "Cosmological run", 1);
	tell_one(f, "Cosmology", "h", 0.68);
	tell(f, "Header", "HubbleParam", 0, NULL);
}

static void today(hid_t f)
{
	rounded(f);
	tell_one(f, "Header", "Time", 1);
	tell_one(f, "Header", "HubbleParam", 0.7);
}

static void isolated(hid_t f)
{
	today(f);
	tell_one(f, "Parameters", "ComovingIntegrationOn", 0);
}

static void noids(hid_t f)
{
	H5Ldelete(f, "PartType1/ParticleIDs", H5P_DEFAULT);
}

static void both(hid_t f)
{
	const double table[6] = { 0, 0.5 };

	tell(f, "Header", "MassTable", 6, table);
}

static void novel(hid_t f)
{
	H5Ldelete(f, "PartType1/Velocities", H5P_DEFAULT);
}

static void nomass(hid_t f)
{
	H5Ldelete(f, "PartType4/Masses", H5P_DEFAULT);
}

static void stale(hid_t f)
{
	const double count[6] = { 0, 9, 0, 0, 2 };

	tell(f, "Header", "NumPart_ThisFile", 6, count);
}

static void untold(hid_t f)
{
	const double count[2] = { 0, 3 };

	tell(f, "Header", "NumPart_ThisFile", 2, count);
}

static void unwritten(hid_t f)
{
	H5Dclose(replace(f, "PartType1/Masses", H5T_IEEE_F64LE, H5P_DEFAULT));
}

static void unwritten_chunk(hid_t f)
{
	const hsize_t chunk = 2, one = 1;
	hid_t list = H5Pcreate(H5P_DATASET_CREATE), set, space, part;

	H5Pset_chunk(list, 1, &chunk);
	set = replace(f, "PartType1/Masses", H5T_IEEE_F64LE, list);
	space = H5Dget_space(set);
	part = H5Screate_simple(1, &one, NULL);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, (const hsize_t[]){ 0 }, NULL, &one, NULL);
	H5Dwrite(set, H5T_NATIVE_DOUBLE, part, space, H5P_DEFAULT, three_masses);
	H5Sclose(part);
	H5Sclose(space);
	H5Dclose(set);
	H5Pclose(list);
}

static void dangling(hid_t f)
{
	noids(f);
	H5Lcreate_external("none.hdf5", "/ids", f, "PartType1/ParticleIDs", H5P_DEFAULT,
	                   H5P_DEFAULT);
}

static void wrong_ids(hid_t f)
{
	noids(f);
	H5Lcreate_soft("/PartType4/ParticleIDs", f, "PartType1/ParticleIDs", H5P_DEFAULT,
	               H5P_DEFAULT);
}

static void redshift(hid_t f)
{
	tell_one(f, "Header", "Redshift", -2);
}

/* Each change of the file: its bodies as before, with a warning or none, or the reason against it.
 */
static const struct {
	void (*change)(hid_t file);
	const char *warning, *reason;
} changes[] = {
	{ eagle, NULL, NULL },
	{ dynamical, NULL, NULL },
	{ seven, NULL, NULL },
	{ eight, NULL, NULL },
	{ rounded, NULL, NULL },
	{ column, NULL, NULL },
	{ packed, NULL, NULL },
	{ notime, "the header has no Time", NULL },
	{ box, "BoxSize is 100", NULL },
	{ cosmological, "a cosmological snapshot, a = 1, h = 0.68", NULL },
	{ today, "a = 1, h = 0.7: lengths and masses stay in units over h", NULL },
	{ isolated, "HubbleParam is 0.7", NULL },
	{ noids, "/PartType1 has no ParticleIDs", NULL },
	{ both, NULL, "Masses has 10, but MassTable 0.5" },
	{ novel, NULL, "/PartType1 has no Velocities" },
	{ nomass, NULL, "/PartType4 has no Masses" },
	{ stale, NULL, "NumPart_ThisFile asks for 9 x 3" },
	{ untold, NULL, "NumPart_ThisFile has none of type 4" },
	{ eighth, NULL, "more than 7 numbers of NumPart_ThisFile" },
	{ unwritten, NULL, "PartType1/Masses: its values were never written" },
	{ unwritten_chunk, NULL, "1 of its 2 chunks were never written" },
	{ dangling, NULL, "PartType1/ParticleIDs: it leads to a file or an object that is not" },
	{ wrong_ids, NULL, "PartType1/ParticleIDs: 2 x 1 numbers" },
	{ redshift, NULL, "redshift -2: it must be above -1" },
};

static void expect_made(const char *name, double first)
{
	struct nb_system s;
	size_t i;

	ck_assert_msg(nb_read(&s, NULL, at(name), &error) == 0, "%s", error.text);
	ck_assert_uint_eq(s.n, 5);
	for (i = 0; i < 5; i++) {
		ck_assert(s.body[4 * i + 1] == first + (double)(3 * i + 1));
		ck_assert(s.velocity[4 * i + 2] == -first - (double)(3 * i + 2));
		ck_assert(s.body[4 * i + 3] == 10 + (double)i);
		ck_assert_int_eq(s.kind[i], i < 3 ? NB_DARK : NB_STAR);
	}
	nb_system_free(&s);
}

START_TEST(hdf5_changes)
{
	struct nb_system s;
	hid_t file;

	make("h", 0);
	file = edit("h");
	changes[_i].change(file);
	H5Fclose(file);
	if (changes[_i].reason) {
		expect_reason("h", changes[_i].reason);
		return;
	}
	expect_made("h", 0);
	ck_assert_int_eq(nb_read(&s, NULL, at("h"), &error), 0);
	ck_assert_int_eq(nb_system_physical(&s, "h", 0, &error), 0);
	/* A file that is written of it needs the same warning of h. */
	if (changes[_i].change == today) {
		ck_assert_msg(nb_write(at("w"), &s, NB_HDF5, &error) == 0, "%s", error.text);
		nb_system_free(&s);
		ck_assert_int_eq(nb_read(&s, NULL, at("w"), &error), 0);
		ck_assert_int_eq(nb_system_physical(&s, "w", 0, &error), 0);
	}
	ck_assert_msg(changes[_i].warning ? strstr(s.notes, changes[_i].warning) != NULL :
	                                    !*s.notes,
	              "%s", s.notes);
	nb_system_free(&s);
}
END_TEST

/* Masses that a table of 7 has. */
START_TEST(mass_table)
{
	const double table[7] = { 0, 0.25 };
	struct nb_system s;
	hid_t file;

	make("h", 0);
	file = edit("h");
	tell(file, "Header", "MassTable", 7, table);
	H5Ldelete(file, "PartType1/Masses", H5P_DEFAULT);
	H5Fclose(file);
	ck_assert_msg(nb_read(&s, NULL, at("h"), &error) == 0, "%s", error.text);
	ck_assert(s.body[3] == 0.25 && s.body[11] == 0.25 && s.body[15] == 13);
	nb_system_free(&s);
}
END_TEST

/* Negative IDs stay so in each format that has IDs, as do neutrinos. */
START_TEST(negative)
{
	const long long id[] = { -1, INT64_MIN, 5 };
	long long again[3] = { 0 };
	struct nb_system s;
	hid_t file, set;

	make("h", 0);
	file = edit("h");
	set = replace(file, "PartType1/ParticleIDs", H5T_STD_I64LE, H5P_DEFAULT);
	H5Dwrite(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, id);
	H5Dclose(set);
	H5Fclose(file);
	ck_assert_msg(nb_read(&s, NULL, at("h"), &error) == 0, "%s", error.text);
	s.stage = (struct nb_stage){ .steps = 1, .integrator = "leapfrog", .precision = "best" };
	s.kind[4] = 6;
	ck_assert_int_eq(outfile_print(at("c"), nb_checkpoint_print, &s, &error), 0);
	nb_system_free(&s);
	ck_assert_msg(nb_read(&s, NULL, at("c"), &error) == 0, "%s", error.text);
	ck_assert_msg(nb_write(at("h"), &s, NB_HDF5, &error) == 0, "%s", error.text);
	nb_system_free(&s);
	file = edit("h");
	set = H5Dopen2(file, "PartType1/ParticleIDs", H5P_DEFAULT);
	H5Dread(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, again);
	H5Dclose(set);
	H5Fclose(file);
	ck_assert_mem_eq(again, id, sizeof id);
	ck_assert_msg(nb_read(&s, NULL, at("h"), &error) == 0, "%s", error.text);
	ck_assert_int_eq(s.kind[4], 6);
	nb_system_free(&s);
}
END_TEST

/* Numbers of a redshift are refused, or become physical ones by powers of a and h: GADGET's, or
 * those that the data sets tell. */
START_TEST(physical)
{
	const int told = _i;
	struct nb_system s;
	hid_t file;

	make("h", 0);
	file = edit("h");
	tell_one(file, "Header", "Redshift", 3);
	tell_one(file, "Header", "Time", 0.25);
	tell_one(file, "Header", "HubbleParam", 0.5);
	if (told) { /* SWIFT's, by which h is in no number */
		tell_one(file, "PartType1/Coordinates", "a-scale exponent", 1);
		tell_one(file, "PartType1/Coordinates", "h-scale exponent", 0);
		tell_one(file, "PartType1/Velocities", "a-scale exponent", 0);
		tell_one(file, "PartType1/Masses", "h-scale exponent", 0);
	}
	H5Fclose(file);
	ck_assert_int_eq(nb_read(&s, NULL, at("h"), &error), 0);
	ck_assert_int_eq(nb_system_physical(&s, "h", 0, &error), -1);
	ck_assert_msg(strstr(error.text, "a = 0.25 (redshift 3), h = 0.5") &&
	                      strstr(error.text, "--physical"),
	              "%s", error.text);
	ck_assert_int_eq(nb_system_physical(&s, "h", 1, &error), 0);
	ck_assert_double_eq_tol(s.body[1], told ? 0.25 : 0.5, 1e-15);
	ck_assert_double_eq_tol(s.velocity[1], told ? -1 : -0.5, 1e-15);
	ck_assert_double_eq_tol(s.body[3], told ? 10 : 20, 1e-14);
	ck_assert(s.time == 0);
	ck_assert_msg(strstr(s.notes, "converted with a = 0.25, h = 0.5") != NULL, "%s", s.notes);
	nb_system_free(&s);
	ck_assert_int_eq(nb_model("two")->make(&s, 2, 1, &error), 0);
	ck_assert_int_eq(nb_system_physical(&s, "t", 1, &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "has no scale factor"));
	nb_system_free(&s);
}
END_TEST

/* Without a redshift h is in lengths, masses, and the time of a run that is not comoving. */
START_TEST(physical_time)
{
	struct nb_system s;
	hid_t file;

	make("h", 0);
	file = edit("h");
	tell_one(file, "Header", "Time", 0.25);
	tell_one(file, "Header", "HubbleParam", 0.5);
	H5Fclose(file);
	ck_assert_int_eq(nb_read(&s, NULL, at("h"), &error), 0);
	ck_assert_int_eq(nb_system_physical(&s, "h", 1, &error), 0);
	ck_assert_double_eq_tol(s.time, 0.5, 1e-15);
	ck_assert_msg(strstr(s.notes, "the time by 2") != NULL, "%s", s.notes);
	nb_system_free(&s);
}
END_TEST

/* A part, and the file with the header alone. */
static void part(const char *name, double first, int empty)
{
	const double none[6] = { 0 }, total[6] = { 0, 6, 0, 0, 4 };
	hid_t file;

	make(name, first);
	file = edit(name);
	tell_one(file, "Header", "NumFilesPerSnapshot", 2);
	tell(file, "Header", "NumPart_Total", 6, total);
	if (empty) {
		tell(file, "Header", "NumPart_ThisFile", 6, none);
		H5Ldelete(file, "PartType1", H5P_DEFAULT);
		H5Ldelete(file, "PartType4", H5P_DEFAULT);
	}
	H5Fclose(file);
}

START_TEST(hdf5_files)
{
	static const char *const names[] = { "a.0.hdf5", "a.1.hdf5", "a.hdf5" };
	struct nb_system s;
	FILE *f;
	size_t i;

	part(names[0], 0, 0);
	part(names[1], 100, 0);
	part(names[2], 0, 1);
	for (i = 0; i < 3; i++) {
		ck_assert_msg(nb_read(&s, NULL, at(names[i]), &error) == 0, "%s", error.text);
		ck_assert(s.n == 10 && s.body[12] == 100 && s.body[24] == 9 && s.body[32] == 109);
		ck_assert(s.kind[5] == NB_DARK && s.kind[6] == NB_STAR && s.time == 0.5);
		nb_system_free(&s);
	}
	f = fopen(at(names[0]), "rb");
	ck_assert_int_eq(nb_read(&s, f, "standard input", &error), -1);
	ck_assert_msg(strstr(error.text, "give it by its name") != NULL, "%s", error.text);
	fclose(f);
	unlink(at(names[1]));
	for (i = 0; i < 3; i += 2)
		expect_reason(names[i], "a.1.hdf5: No such file");
}
END_TEST

/* Values in other files are those, or the file is refused: no fill values. */
START_TEST(hdf5_links)
{
	hid_t file;

	make("o", 7);
	make("h", 0);
	file = edit("h");
	H5Ldelete(file, "PartType1", H5P_DEFAULT);
	H5Ldelete(file, "PartType4", H5P_DEFAULT);
	H5Lcreate_external("o", "/PartType1", file, "PartType1", H5P_DEFAULT, H5P_DEFAULT);
	H5Lcreate_external("o", "/PartType4", file, "PartType4", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(file);
	expect_made("h", 7);
	unlink(at("o"));
	expect_reason("h", "/PartType1");
	/* One in the working directory is another file. */
	ck_assert_int_eq(mkdir(at("cwd"), 0700), 0);
	make("cwd/o", 7);
	ck_assert_int_eq(chdir(at("cwd")), 0);
	expect_reason("h", "its values are in o, which is not beside the file");
	unlink(at("cwd/o"));
	ck_assert_int_eq(chdir("/") | rmdir(at("cwd")), 0);
}
END_TEST

START_TEST(hdf5_external)
{
	hid_t file, list = H5Pcreate(H5P_DATASET_CREATE);

	make("h", 0);
	save("m", three_masses, sizeof three_masses);
	H5Pset_external(list, "m", 0, sizeof three_masses);
	file = edit("h");
	H5Dclose(replace(file, "PartType1/Masses", H5T_NATIVE_DOUBLE, list));
	H5Pclose(list);
	H5Fclose(file);
	expect_made("h", 0);
	save("m", three_masses, sizeof three_masses - 1);
	expect_reason("h", "which has 23 bytes of 24");
	unlink(at("m"));
	expect_reason("h", "which is not there");
}
END_TEST

/* Two parts of a data set of another file; with 1 as _i the second is in none. */
START_TEST(hdf5_virtual)
{
	const hsize_t n = 3, one[] = { 1 }, two[] = { 2 };
	hid_t file, list = H5Pcreate(H5P_DATASET_CREATE), all = H5Screate_simple(1, &n, NULL);
	hid_t from = H5Scopy(all);
	FILE *f;
	struct nb_system s;

	make("o", 0);
	make("h", 0);
	H5Sselect_hyperslab(all, H5S_SELECT_SET, (const hsize_t[]){ 0 }, NULL, two, NULL);
	H5Pset_virtual(list, all, "o", "/PartType1/Masses", all);
	H5Sselect_hyperslab(all, H5S_SELECT_SET, two, NULL, one, NULL);
	H5Sselect_hyperslab(from, H5S_SELECT_SET, two, NULL, one, NULL);
	if (!_i)
		H5Pset_virtual(list, all, "o", "/PartType1/Masses", from);
	file = edit("h");
	H5Dclose(replace(file, "PartType1/Masses", H5T_IEEE_F64LE, list));
	H5Fclose(file);
	H5Sclose(all);
	H5Sclose(from);
	H5Pclose(list);
	if (_i) {
		expect_reason("h", "1 of its values are in no file");
		return;
	}
	expect_made("h", 0);
	f = fopen(at("h"), "rb");
	ck_assert_int_eq(nb_read(&s, f, "standard input", &error), -1);
	ck_assert_msg(strstr(error.text, "its values are in other files") != NULL, "%s",
	              error.text);
	fclose(f);
	file = edit("o");
	rename_set(file, "PartType1/Masses", "PartType1/Mass");
	H5Fclose(file);
	expect_reason("h", "which has no such data set");
	unlink(at("o"));
	expect_reason("h", "which is not there");
}
END_TEST
#endif

static void enter(void)
{
	folder_make(folder);
}

static void leave(void)
{
	folder_remove(folder);
}

SUITE(nbody_snapshots, quick)
{
	tcase_add_checked_fixture(c, enter, leave);
	tcase_add_loop_test(c, gadget, 0, 8);
	tcase_add_test(c, gadget_files);
	tcase_add_test(c, tipsy_length);
#ifdef WITH_HDF5
	tcase_add_loop_test(c, hdf5_changes, 0, sizeof changes / sizeof *changes);
	tcase_add_test(c, mass_table);
	tcase_add_test(c, negative);
	tcase_add_loop_test(c, physical, 0, 2);
	tcase_add_test(c, physical_time);
	tcase_add_test(c, hdf5_files);
	tcase_add_test(c, hdf5_links);
	tcase_add_test(c, hdf5_external);
	tcase_add_loop_test(c, hdf5_virtual, 0, 2);
#else
	printf("nbody_snapshots: those of HDF5 are skipped, there is no libhdf5\n");
#endif
}
