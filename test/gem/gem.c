/* SPDX-License-Identifier: MIT */
/*
 * gem.c - input files of clopt-gem: molecules, vertices, lists.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "gem_tests.h"

struct fault test_error;
const char test_square[] = "0 0 0 0 0 1\n2 0 0 0 0 1\n0 2 0 0 0 1\n2 2 0 0 0 1\n";

void test_write(const char *path, const char *s)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert(fputs(s, f) >= 0 && fclose(f) == 0);
}

FILE *test_text(const char *s)
{
	FILE *f = fmemopen((void *)(uintptr_t)s, strlen(s), "r");

	ck_assert_ptr_nonnull(f);
	return f;
}

int read_molecule(const char *s, struct gem_molecule *m)
{
	FILE *f = test_text(s);
	int rc = gem_molecule_read(m, f, "m.pqr", NULL, &test_error);

	fclose(f);
	return rc;
}

void read_vertices(const char *s, struct gem_points *p)
{
	FILE *f = test_text(s);

	ck_assert_msg(gem_points_read(p, GEM_VERTICES, f, "v.vert", &test_error) == 0, "%s",
	              test_error.text);
	fclose(f);
}

/* Records as found in files: with and without a chain, chain and number fused, columns fused,
 * insertion codes, long names, exponents, CRLF. */
START_TEST(pqr)
{
	static const struct {
		const char *chain;
		int resnum;
		char ins;
		double x, y, z, q, r;
	} want[] = {
		{ "", 1, 0, 11.104, 6.134, -6.504, 0.1414, 1.824 },
		{ "A", 1, 0, -12, -106.134, -1066.504, -0.06, 1.908 },
		{ "O", 1058, 0, -45.751, -100.406, 19.252, -0.5819, 1.6612 },
		{ "B", 301, 'A', 1, 2, 3, 2, 0.88 },
		{ "", 12, 0, 1.5, -2.25, 3.75, 0.25, 0.6 },
		{ "", -5, 0, 10, -2, 3, -1, 0 },
	};
	struct gem_molecule m;
	size_t i;

	ck_assert_msg(
	        read_molecule(
	                "REMARK one that mentions ATOM\r\n"
	                "ATOM      1  N   ALA     1      11.104   6.134  -6.504  0.1414 1.8240\r\n"
	                "ATOM      2  CA  ALA A   1     -12.000-106.134-1066.504 -0.0600 1.9080\n"
	                "ATOM      3  O   ASP O1058     -45.751-100.406  19.252 -0.5819 1.6612\n"
	                "HETATM    4 ZN   ZN  B 301A      1.000   2.000   3.000  2.0000 0.8800\n"
	                "ATOM 100000 HD21 NASN 12 1.5 -2.25 3.75 0.25 0.6\n"
	                "TER\n"
	                "ATOM 100001 CL2A LIGX -5 1.0e1 -2.0E+0 3.0 -1 0.0\n"
	                "END",
	                &m) == 0,
	        "%s", test_error.text);
	ck_assert_int_eq(m.n, 6);
	for (i = 0; i < 6; i++) {
		const struct gem_atom *a = &m.atom[i];

		ck_assert_str_eq(a->chain, want[i].chain);
		ck_assert(a->resnum == want[i].resnum && a->ins == want[i].ins);
		ck_assert(a->at[0] == want[i].x && a->at[1] == want[i].y && a->at[2] == want[i].z);
		ck_assert(a->q == want[i].q && a->r == want[i].r);
	}
	ck_assert(fabs(m.charge - 0.7495) < 1e-12);
	gem_molecule_free(&m);
	ck_assert_int_eq(
	        read_molecule(" ATOM 1 N ALA 1 1 2 3 .5 1\n\tatom 2 N ALA 1 4 5 6 .5 1\n", &m), 0);
	ck_assert(m.n == 2 && m.atom[1].at[2] == 6);
	gem_molecule_free(&m);
	/* Of Open Babel, with an element; a name, an alternate location and a residue in one. */
	ck_assert_msg(
	        read_molecule(
	                "HETATM    1  C   UNL     1       1.109  -0.058  -0.007  0.03306896   "
	                "1.700  C  \n"
	                "HETATM    2 CL   UNL A   1       1.109  -0.058   1.007 -0.25000000   "
	                "1.750 Cl  \n"
	                "ATOM      3 HG21AVAL A  12       1.000   2.000   3.000  0.5000 1.2000\n"
	                "ATOM      4 HG22AVAL    12       1.000   2.000   4.000  0.5000 1.2000\n",
	                &m) == 0,
	        "%s", test_error.text);
	ck_assert(m.n == 4 && m.atom[0].q == 0.03306896 && m.atom[1].r == 1.75);
	for (i = 2; i < 4; i++) {
		ck_assert(strncmp(m.atom[i].name, "HG2", 3) == 0 && strlen(m.atom[i].name) == 4);
		ck_assert_str_eq(m.atom[i].resname, "VAL");
		ck_assert_str_eq(m.atom[i].chain, i == 2 ? "A" : "");
		ck_assert_int_eq(m.atom[i].resnum, 12);
	}
	gem_molecule_free(&m);
	/* Lines of old Macintoshes. */
	ck_assert_int_eq(
	        read_molecule("ATOM 1 N ALA 1 1 2 3 .5 1\rATOM 2 N ALA 1 4 5 6 .5 1\rEND\r", &m),
	        0);
	ck_assert_int_eq(m.n, 2);
	gem_molecule_free(&m);
}
END_TEST

/* Records of programs, each with its atom: fields that run together, numbers with letters, layouts
 * of GROMACS, what stands behind the radius. */
START_TEST(pqr_layouts)
{
	static const struct {
		const char *line, *name, *resname, *chain;
		int resnum;
		char ins;
		const char *element;
		double z, q, r;
	} want[] = {
		/* clang-format off */
		{ "HETATMA0000 ZN   ZN  A   2       5.000   0.000   7.000  2.0000 1.5000",
		  "ZN", "ZN", "A", 2, 0, "", 7, 2, 1.5 },
		{ "HETATM***** ZN   ZN  A   2       5.000   0.000   7.000  2.0000 1.5000",
		  "ZN", "ZN", "A", 2, 0, "", 7, 2, 1.5 },
		{ "HETATMABCDE ZN ZN A 2 5 0 7 2.0 1.5", "ZN", "ZN", "A", 2, 0, "", 7, 2, 1.5 },
		{ "HETATM186a0 ZN ZN A 2 5 0 7 2.0 1.5", "ZN", "ZN", "A", 2, 0, "", 7, 2, 1.5 },
		{ "ATOM\xc2\xa0     2  CA  ALA A   1       1.500   0.000   7.000  1.0000 1.5000",
		  "CA", "ALA", "A", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM\xe2\x80\xaf 2\xe3\x80\x80 CA ALA A 1 1.5 0 7 1.0 1.5", "CA", "ALA", "A", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM\xa0 2\xa0 CA ALA A 1 1.5 0 7 1.0 1.5", "CA", "ALA", "A", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  N   ALA A1001    1999.3232998.7701900.490  0.1414 1.8240",
		  "N", "ALA", "A", 1001, 0, "", 1900.49, 0.1414, 1.824 },
		{ "ATOM      1  N   ALA A   1     199.3232998.770-900.490  0.1414 1.8240",
		  "N", "ALA", "A", 1, 0, "", -900.49, 0.1414, 1.824 },
		/* A residue of four letters or a number of four digits, and the chain. */
		{ "ATOM      1  CA  HSDPB   1       0.000   0.000   7.000  1.0000 1.5000",
		  "CA", "HSDP", "B", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  CA  HSDPB1234       0.000   0.000   7.000  1.0000 1.5000",
		  "CA", "HSDP", "B", 1234, 0, "", 7, 1, 1.5 },
		{ "ATOM      1 HG11 HSDPB-123C      0.000   0.000   7.000  1.0000 1.5000",
		  "HG11", "HSDP", "B", -123, 'C', "", 7, 1, 1.5 },
		{ "ATOM  100000  CA  HSDPB   1       0.000   0.000   7.000  1.0000 1.5000",
		  "CA", "HSDP", "B", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  CA  HSDPB   1     0.0000   0.0000   7.0000  1.0000 1.5000",
		  "CA", "HSDP", "B", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  CA TIP3 B   1       0.000   0.000   7.000  1.0000 1.5000",
		  "CA", "TIP3", "B", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  C1  144 B   1       0.000   0.000   7.000  1.0000 1.5000",
		  "C1", "144", "B", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  C1  144     5       0.000   0.000   7.000  1.0000 1.5000",
		  "C1", "144", "", 5, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 C1 144 5 1.0 2.0 7.0 1.0 1.5", "C1", "144", "", 5, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA 1 12 1.0 2.0 7.0 1.0 1.5", "CA", "ALA", "1", 12, 0, "", 7, 1, 1.5 },
		/* Numbers with letters; a chain that is apart stays. */
		{ "ATOM      1  CA  ALA AA000       0.000   0.000   7.000  1.0000 1.5000",
		  "CA", "ALA", "A", 10000, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  CA  ALA  A00Z       0.000   0.000   7.000  1.0000 1.5000",
		  "CA", "ALA", "", 10035, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  CA  ALA Ba001B      0.000   0.000   7.000  1.0000 1.5000",
		  "CA", "ALA", "B", 1223057, 'B', "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA A A00B 1 2 7 1.0 1.5", "CA", "ALA", "A", 10011, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA A00B 1 2 7 1.0 1.5", "CA", "ALA", "", 10011, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA A B12 1 2 7 1.0 1.5", "CA", "ALA", "A", 12, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA A 2af8 1 2 7 1.0 1.5", "CA", "ALA", "A", 11000, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA A 2710 1 2 7 1.0 1.5", "CA", "ALA", "A", 2710, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA A 301A 1 2 7 1.0 1.5", "CA", "ALA", "A", 301, 'A', "", 7, 1, 1.5 },
		/* GROMACS since 2018. */
		{ "ATOM      3 HG11POPEE 474    9.000    3.200    7.000  -0.29   1.65",
		  "HG11", "POPE", "E", 474, 0, "", 7, -0.29, 1.65 },
		{ "ATOM      3 N    LYS A1474    9.000    3.200    7.000  -0.29   1.65",
		  "N", "LYS", "A", 1474, 0, "", 7, -0.29, 1.65 },
		/* Behind the radius. */
		{ "ATOM      1  CA  ALA A   1       0.000   0.000   7.000  1.0000 1.5000 # 12 of A",
		  "CA", "ALA", "A", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CA ALA 1 0 0 7 1 1.5 ! by hand, 0.5", "CA", "ALA", "", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM      1  CG  PHE A   1       0.000   0.000   7.000  1.0000 1.5000      PROA C",
		  "CG", "PHE", "A", 1, 0, "C", 7, 1, 1.5 },
		{ "ATOM 1 CG PHE A 1 0 0 7 1.0 1.5 7", "CG", "PHE", "A", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CG PHE 1 0.5 0.0 7.0 1.0 1.5 PROA 7", "CG", "PHE", "", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CG PHE 1 0 0 7 1.0 1.5 CA", "CG", "PHE", "", 1, 0, "", 7, 1, 1.5 },
		{ "ATOM 1 CL LIG 1 0 0 7 1.0 1.5 CL1-", "CL", "LIG", "", 1, 0, "CL", 7, 1, 1.5 },
		{ "ATOM 1 C1 LIG 1 0 0 7 1.00 1.50 c3", "C1", "LIG", "", 1, 0, "", 7, 1, 1.5 },
		/* clang-format on */
	};
	struct gem_molecule m;
	size_t i;

	for (i = 0; i < sizeof want / sizeof *want; i++) {
		const struct gem_atom *a;

		ck_assert_msg(read_molecule(want[i].line, &m) == 0, "%s", test_error.text);
		a = m.atom;
		ck_assert_msg(
		        m.n == 1 && !strcmp(a->name, want[i].name) &&
		                !strcmp(a->resname, want[i].resname) &&
		                !strcmp(a->chain, want[i].chain) && a->resnum == want[i].resnum &&
		                a->ins == want[i].ins && !strcmp(a->element, want[i].element) &&
		                a->at[2] == want[i].z && a->q == want[i].q && a->r == want[i].r,
		        "%s: name '%s', residue '%s', chain '%s', number %d, insertion %d, "
		        "element '%s', z %g, charge %g, radius %g",
		        want[i].line, a->name, a->resname, a->chain, a->resnum, a->ins, a->element,
		        a->at[2], a->q, a->r);
		gem_molecule_free(&m);
	}
}
END_TEST

/* Of a PDB's columns charge and radius are taken only where GROMACS says that they are these. */
START_TEST(mead)
{
	static const char file[] =
	        "REMARK    The B-factors in this file hold atomic radii\r\n"
	        "REMARK    The occupancy in this file hold atomic charges\r\n"
	        "MODEL        1\r\n"
	        "ATOM      5  N   POPE0 476      17.000   3.200   3.900 -0.29  1.65           "
	        "N\r\n";
	struct gem_molecule m;

	ck_assert_msg(read_molecule(file, &m) == 0, "%s", test_error.text);
	ck_assert(m.n == 1 && m.atom->q == -0.29 && m.atom->r == 1.65 && m.unknown == 0);
	ck_assert_str_eq(m.atom->resname, "POPE");
	ck_assert_str_eq(m.atom->chain, "0");
	ck_assert_str_eq(m.atom->element, "N");
	gem_molecule_free(&m);
	/* -grasp has them in the other order. */
	ck_assert_int_eq(read_molecule("REMARK    The occupancy in this file hold atomic radii\n"
	                               "ATOM      3 HG11POPEE 474    9.000    3.200    7.000   1.65"
	                               "  -0.29\n",
	                               &m),
	                 0);
	ck_assert(m.atom->q == -0.29 && m.atom->r == 1.65);
	gem_molecule_free(&m);
	ck_assert_int_eq(read_molecule(strstr(file, "MODEL"), &m), -1);
	ck_assert_msg(strstr(test_error.text, "m.pqr:2: occupancy and B factor"), "%s",
	              test_error.text);
}
END_TEST

/* Lines that are no records are counted, and the first one is told. */
START_TEST(unknown_records)
{
	struct gem_molecule m;

	ck_assert_int_eq(read_molecule("# made by hand\n\nREMARK900\nHETNAM     ZN\nSCALE1 1 0 0\n"
	                               "ATOM 1 N ALA 1 1 2 3 1 1\nATAM 2 C ALA 1 1 2 4 1 1\n"
	                               "HETATMS\nTER\nconect 1 2\nEND\n",
	                               &m),
	                 0);
	ck_assert(m.n == 1 && m.unknown == 2 && m.unknown_line == 7);
	ck_assert_str_eq(m.unknown_word, "ATAM");
	gem_molecule_free(&m);
}
END_TEST

/* A file that gzip compressed is read, one that was cut off refused. */
START_TEST(compressed)
{
	char path[] = "/tmp/clopt-test-XXXXXX";
	struct gem_molecule m;
	gzFile z = gzdopen(mkstemp(path), "wb");
	struct stat st;

	ck_assert_int_gt(gzputs(z, "ATOM 1 N ALA 1 1 2 3 .5 1\nATOM 2 N ALA 1 4 5 6 .25 1\n"), 0);
	ck_assert_int_eq(gzclose(z), Z_OK);
	ck_assert_msg(gem_molecule_read(&m, NULL, path, NULL, &test_error) == 0, "%s",
	              test_error.text);
	ck_assert(m.n == 2 && m.charge == 0.75);
	gem_molecule_free(&m);
	ck_assert(stat(path, &st) == 0 && truncate(path, st.st_size - 9) == 0);
	ck_assert_int_eq(gem_molecule_read(&m, NULL, path, NULL, &test_error), -1);
	ck_assert_ptr_nonnull(strstr(test_error.text, "too early"));
	unlink(path);
}
END_TEST

/* A folder that is alone in PATH, with python3 and a program in the place of pdb2pqr. */
struct programs {
	char path[30], pdb2pqr[60], python[60], file[60], got[60], *before;
};

static void programs_begin(struct programs *o)
{
	char python[200] = "";
	FILE *f = popen("python3 -c 'import sys; print(sys.executable, end=\"\")'", "r");

	ck_assert(f && fgets(python, sizeof python, f) && pclose(f) == 0);
	strcpy(o->path, "/tmp/clopt-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(o->path));
	snprintf(o->pdb2pqr, sizeof o->pdb2pqr, "%s/pdb2pqr", o->path);
	snprintf(o->python, sizeof o->python, "%s/python3", o->path);
	snprintf(o->file, sizeof o->file, "%s/m.pdb", o->path);
	snprintf(o->got, sizeof o->got, "%s/got", o->path);
	ck_assert_int_eq(symlink(python, o->python), 0);
	o->before = strdup(getenv("PATH")); /* PoCL looks for the linker there */
	setenv("PATH", o->path, 1);
}

static void programs_write(const struct programs *o, const char *script)
{
	test_write(o->pdb2pqr, script);
	ck_assert_int_eq(chmod(o->pdb2pqr, 0700), 0);
}

static void programs_end(struct programs *o)
{
	setenv("PATH", o->before, 1);
	free(o->before);
	unlink(o->pdb2pqr);
	unlink(o->python);
	unlink(o->file);
	unlink(o->got);
	ck_assert_int_eq(rmdir(o->path), 0);
}

/* 0 or -1; a failure has this text. */
static int read_converted(const struct programs *o, struct gem_molecule *m, const char *says)
{
	const int rc = gem_molecule_read(m, NULL, o->file, NULL, &test_error);

	ck_assert_msg(rc == (says ? -1 : 0) && (!says || strstr(test_error.text, says)), "%s: %s",
	              says ? says : "", test_error.text);
	return rc;
}

/* Each model of a PDB file by itself; what is behind the last one is no model. */
static void models_converted(const struct programs *p)
{
	/* Its atoms with charges. */
	static const char script[] =
	        "#!/bin/sh\n"
	        "/bin/sed -n 's/^ATOM \\(.*\\) 1.00  0.00$/ATOM \\1 0.5 1.5/p' \"$4\" >\"$5\"\n";
	static const char models[] = "HEADER\nMODEL 1\nATOM 1 N GLY 1 1 2 3 1.00  0.00\nENDMDL\n"
	                             "MODEL 2\nATOM 1 N GLY 1 1 2 4 1.00  0.00\n"
	                             "ATOM 2 C GLY 1 1 2 5 1.00  0.00\nENDMDL\nCONECT 1 2\nEND\n";
	struct gem_models o;
	struct gem_molecule m;
	size_t i;

	programs_write(p, script);
	test_write(p->file, models);
	ck_assert_int_eq(gem_models_open(&o, NULL, p->file, NULL, 1, &test_error), 0);
	for (i = 1; i < 3; i++) {
		ck_assert_msg(gem_models_next(&m, &o, &test_error) == 1, "%s", test_error.text);
		ck_assert(m.n == i && m.charge == 0.5 * (double)i &&
		          m.atom[0].at[2] == 2 + (double)i);
		gem_molecule_free(&m);
	}
	ck_assert_int_eq(gem_models_next(&m, &o, &test_error), 0);
	gem_models_close(&o);
}

/* The records that pdb2pqr gets of an mmCIF file. */
START_TEST(cif)
{
	static const char file[] =
	        "# comment\r\ndata_1abc\r\n_entry.id 1ABC\n"
	        "_struct.title\n;A text; with\n loop_\n_atom_site.id\n;\n"
	        "loop_\n_entity.id _entity.name\n1 'Bob's _atom_site.id loop_' # ATOM\n2 \"#\"\n"
	        "loop_\n_atom_site.group_PDB\n_atom_site.type_symbol\n_ATOM_SITE.label_atom_id\n"
	        "_atom_site.auth_atom_id\n_atom_site.label_alt_id\n_atom_site.label_comp_id\n"
	        "_atom_site.label_asym_id\n_atom_site.auth_asym_id\n_atom_site.label_seq_id\n"
	        "_atom_site.auth_seq_id\n_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n"
	        "_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.pdbx_PDB_model_num\n"
	        "_atom_site.Cartn_x_esd\n"
	        "ATOM N N N . GLY A B 1 -5 A 1 -2.34567 3 1 ?\n"
	        "ATOM C CA ? 'A' GLY A 'B' 1 -5 ?\n 1.5 2 3 1 ?\n"
	        "HETATM CA X CA ? CA C AAA . 101 . 1e1 2 3 1 .\n"
	        "HETATM O \"O5'\" . . LONG1 D ? . . . 1 2 3 1 .\n"
	        "HETATM O O O . HOH E B . 99999 . 1 2 3 1 .\n"
	        "ATOM H HD11\n;\nHD11\n;\n. LEU A B 1 -5 . 1 2 3 2 .\n"
	        "# end\nloop_\n_atom_type.symbol\nC\ndata_2\n_atom_site.Cartn_x 1\n";
	static const char want[] = /* of both models */
	        "ATOM      1  N   GLY B  -5A      1.000  -2.346   3.000  1.00  0.00           N\n"
	        "ATOM      2  CA AGLY B  -5       1.500   2.000   3.000  1.00  0.00           C\n"
	        "HETATM    3 CA    CA 9 101      10.000   2.000   3.000  1.00  0.00          CA\n"
	        "HETATM    4  O5' LO~ D   0       1.000   2.000   3.000  1.00  0.00           O\n"
	        "ATOM      1 HD11 LEU B  -5       1.000   2.000   3.000  1.00  0.00           H\n"
	        "END\n";
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "data_1\n", "m.cif: no atoms" },
		{ "data_1\n_x 'a\n", "m.cif:2:6: unterminated 'string'" },
		{ "data_1\n_x\n;a\n", "m.cif:4:1: unterminated text field" },
		{ "data_1\n_atom_site.auth_atom_id\n;a\nb\n;\n_atom_site.Cartn_x 1\n"
		  "_atom_site.Cartn_y 1\n_atom_site.Cartn_z 1\n",
		  "m.cif: a name with a line's end or another control character: 'a?b'" },
		{ "data_1 loop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
		  "1 2 3\n1 2 ?\n",
		  "m.cif: atom 2: Cartn_z must be a number" },
		{ "data_1 loop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
		  "1 2 3 4\n",
		  "Wrong number of values in the loop" },
		{ "data_1\n_atom_site.auth_seq_id 10000\n_atom_site.Cartn_x 1\n"
		  "_atom_site.Cartn_y 1\n_atom_site.Cartn_z 1\n",
		  "a residue's number must be a whole one from -999 to 9999: '10000'" },
		{ "data_1\n_atom_site.auth_seq_id 6e11\n_atom_site.Cartn_x 1\n"
		  "_atom_site.Cartn_y 1\n_atom_site.Cartn_z 1\n",
		  "a residue's number must be a whole one from -999 to 9999: '6e11'" },
	};
	struct programs p;
	struct gem_models o;
	struct gem_molecule m;
	struct text got;
	char script[200];
	size_t i;

	programs_begin(&p);
	strcpy(strrchr(p.file, '.'), ".cif");
	snprintf(script, sizeof script,
	         "#!/bin/sh\n/bin/cat \"$4\" >>%s\necho 'ATOM 1 N GLY 9 1 1 2 3 -.3 1.5' >\"$5\"\n",
	         p.got);
	programs_write(&p, script);
	test_write(p.file, file);
	ck_assert_int_eq(gem_models_open(&o, NULL, p.file, NULL, 1, &test_error), 0);
	for (i = 0; gem_models_next(&m, &o, &test_error) > 0; i++) {
		ck_assert_str_eq(m.atom[0].chain, "AAA");
		gem_molecule_free(&m);
	}
	if (i == 0 && strstr(test_error.text, "gemmi"))
		printf("cif: skipped, there is no gemmi\n");
	else
		ck_assert_msg(i == 2, "%s", test_error.text);
	gem_models_close(&o);
	if (i) {
		ck_assert_int_eq(text_read(&got, NULL, p.got, &test_error), 0);
		ck_assert_str_eq(got.data, want);
		text_free(&got);
	}
	for (; i && i - 2 < sizeof bad / sizeof *bad; i++) {
		test_write(p.file, bad[i - 2].text);
		read_converted(&p, &m, bad[i - 2].says);
	}
	programs_end(&p);
}
END_TEST

/* What a conversion left out: residues, atoms of them, alternates, models. */
START_TEST(lost)
{
	static const char file[] = "ATOM      1  N   GLY A   1       0.000   0.000   0.000\n"
	                           "ATOM      2  CA AGLY A   1       0.000   0.000   0.000\n"
	                           "ATOM      3  CA BGLY A   1       0.000   0.000   0.000\n"
	                           "ATOM      4  CB BSER A   1       0.000   0.000   0.000\n"
	                           "ATOM      5  P    DT B   2       0.000   0.000   0.000\n"
	                           "HETATM    6 MG    MG B   3       0.000   0.000   0.000\n"
	                           "HETATM    7  O   HOH B   4       0.000   0.000   0.000\n"
	                           "ENDMDL\n"
	                           "ATOM      8  N   GLY A   1       0.000   0.000   0.000\n";
	static const char nameless[] =
	        "ATOM      1  N   GLY     1       0.000   0.000   0.000\nTER\n"
	        "ATOM      2  N   SER     1       1.000   0.000   0.000\n"
	        "HETATM    3 MG    MG     2       2.000   0.000   0.000\n"
	        "HETATM    4  OW  SOL     3       3.000   0.000   0.000\n";
	static const char atom[] = "ATOM      1  %s   %s %c   1       %d.500   0.000   0.000 1 1";
	struct programs p;
	struct gem_molecule m;
	char script[300], a[80], b[80];
	int i;

	programs_begin(&p);
	for (i = 0; i < 3;
	     i++) { /* the last two: chains without a name, as pdb2pqr names them or not */
		snprintf(a, sizeof a, atom, "N", "GLY", i < 2 ? 'A' : ' ', 0);
		snprintf(b, sizeof b, atom, i ? "N" : "H", i ? "SER" : "GLY",
		         i == 1 ? 'B' :
		         i      ? ' ' :
		                  'A',
		         1);
		snprintf(script, sizeof script, "#!/bin/sh\necho '%s\n%s' >\"$5\"\n", a, b);
		programs_write(&p, script);
		test_write(p.file, i ? nameless : file);
		read_converted(&p, &m, NULL);
		ck_assert_msg(i ? m.lost_residues == 1 :
		                  m.alternates == 2 && m.left_out == 1 && m.lost_residues == 3,
		              "%s", m.lost);
		ck_assert_str_eq(m.lost, i == 0 ? "GLY A 1 (1 atoms), DT B 2, MG B 3 (--forcefield "
		                                  "AMBER has nucleic acids)" :
		                         i == 1 ? "MG B 2" :
		                                  "MG 2");
		gem_molecule_free(&m);
	}
	programs_end(&p);
}
END_TEST

/* What pdb2pqr gets of a PDB file: no headers, which it may not understand, no waters, and numbers
 * for serials.  A file without anything else is refused, and a result without atoms. */
static void prepared(const struct programs *p)
{
	static const char file[] =
	        "REMARK by hand\nMODEL 1\n"
	        "ATOM  *****  N   GLY A   1       1.000   2.000   3.000  1.00  0.00\nTER   *****\n"
	        "HETATM*****  O   HOH A   2       5.000   2.000   3.000  1.00  0.00\nEND\n";
	struct gem_molecule m;

	programs_write(
	        p,
	        "#!/bin/sh\n"
	        "/bin/sed '/^TER/d; /^END/d; /^MODEL/d; s/  1.00  0.00$/ 0.5 1.5/' \"$4\" >\"$5\"\n"
	        "[ \"$(/bin/sed -n '/^ATOM      1  N   GLY/d; p' \"$4\")\" = 'TER   *****\nEND' "
	        "]\n");
	test_write(p->file, file);
	read_converted(p, &m, NULL);
	ck_assert(m.n == 1 && m.charge == 0.5);
	gem_molecule_free(&m);
	test_write(p->file, strstr(file, "HETATM"));
	read_converted(p, &m, "but for waters");
	test_write(p->file, file);
	programs_write(p, "#!/bin/sh\necho REMARK >\"$5\"\n");
	read_converted(p, &m, "m.pdb: pdb2pqr has no parameters");
}

/* Where pdb2pqr fails, it gets the file again without hydrogens and without residues that lack
 * backbone atoms, if these are few.  They are told. */
static void mended(const struct programs *p)
{
	char file[13 * 80] = "", *to = file;
	struct gem_molecule m;
	int few, i;

	programs_write(
	        p,
	        "#!/bin/sh\n/bin/grep -q 'ALA A  11\\|HA  ' \"$4\" && echo ERROR: gap && exit 1\n"
	        "echo 'ATOM 1 N GLY A 1 1 2 3 -.3 1.5' >\"$5\"\n");
	for (few = 0; few < 2; few++) {
		for (i = 0, to = file; i < 7 + few; i++)
			to += sprintf(to, "HETATM    1  ZN   ZN A%4d       0.000   0.000   0.000\n",
			              i);
		strcpy(to, "ATOM      1    N ALA A  11       0.000   0.000   0.000\n"
		           "ATOM      2   CA ALA A  11       0.000   0.000   0.000\n"
		           "ATOM      3 1HA  UNK A  12       0.000   0.000   0.000\n");
		test_write(p->file, file);
		read_converted(p, &m, few ? NULL : "ERROR: gap");
	}
	ck_assert_msg(m.mended && strstr(m.lost, "ALA A 11"), "%s", m.lost);
	gem_molecule_free(&m);
}

/* PDB files go through pdb2pqr, here a script in its place: the result is read, its error
 * told, and where there is none the message says how to get it. */
START_TEST(converted)
{
	static const char script[] =
	        "#!/bin/sh\n"
	        "case \"$1 $2 $3 $6 $7\" in\n"
	        "'--ff=PARSE --keep-chain --drop-water  ') ;;\n"
	        "'--ff=AMBER --keep-chain --drop-water --with-ph=6.5 "
	        "--titration-state-method=propka') ;;\n"
	        "*) exit 9 ;;\nesac\n"
	        "case $4 in *in.pdb) ;; *) exit 8 ;; esac\n"
	        "if /bin/grep -q bad \"$4\"; then echo 'ERROR: no atoms' >&2; echo later; exit 1; "
	        "fi\n"
	        "echo 'ATOM 1 N GLY A 1 1 2 3 -.3 1.5' >\"$5\"\n";
	static const char atom[] =
	        "ATOM      1  N   %s A   1       1.000   2.000   3.000  1.00  0.00\n";
	const struct gem_force amber = { "AMBER", 6.5 };
	struct programs p;
	struct gem_molecule m;
	char text[200];

	programs_begin(&p);
	snprintf(text, sizeof text, atom, "GLY");
	test_write(p.file, text);
	read_converted(&p, &m, "pip install pdb2pqr");
	programs_write(&p, script);
	read_converted(&p, &m, NULL);
	ck_assert(m.n == 1 && m.charge == -0.3 && m.atom[0].at[2] == 3);
	gem_molecule_free(&m);
	ck_assert_msg(gem_molecule_read(&m, NULL, p.file, &amber, &test_error) == 0, "%s",
	              test_error.text);
	gem_molecule_free(&m);
	models_converted(&p);
	prepared(&p);
	mended(&p);
	programs_write(&p, script);
	snprintf(text, sizeof text, atom, "bad");
	test_write(p.file, text);
	read_converted(&p, &m, "m.pdb: pdb2pqr failed: ERROR: no atoms");
	programs_end(&p);
	ck_assert(gem_converted("a/B.PDB.gz") && gem_converted("x.mmcif") &&
	          !gem_converted("x.pqr"));
	ck_assert(!gem_converted(".pdb") && !gem_converted("pdb"));
	ck_assert(gem_stem("ab.pqr.gz") == 2 && gem_stem("ab.ent") == 2 && gem_stem("ab.x") == 4);
}
END_TEST

/* The first of several models is read; atoms that occur twice are reported; charges that cancel sum
 * to zero. */
START_TEST(models)
{
	struct gem_molecule m;

	ck_assert_int_eq(read_molecule("MODEL        1\nATOM 1 N ALA 1 1 2 3 .1 1\n"
	                               "ATOM 2 N ALA 1 1 2 4 .2 1\nATOM 3 N ALA 1 1 2 5 -.3 1\n"
	                               "ENDMDL\nMODEL        2\nATOM 1 N ALA 1 1 2 3 .1 1\n"
	                               "ATOM 2 N ALA 1 1 2 4 .2 1\nENDMDL\n",
	                               &m),
	                 0);
	ck_assert(m.n == 3 && m.left_out == 2 && m.doubled == 0 && m.charge == 0);
	gem_molecule_free(&m);
	ck_assert_int_eq(read_molecule("ATOM 1 N ALA 1 1 2 3 .1 1\nMODEL 2\n"
	                               "ATOM 1 N ALA 1 1 2 3 .1 1\n",
	                               &m),
	                 0);
	ck_assert(m.n == 1 && m.left_out == 1);
	gem_molecule_free(&m);
	ck_assert_int_eq(read_molecule("ATOM 1 N ALA 1 1 2 3 .1 1\nATOM 2 N ALA 1 1 2 4 .2 1\n"
	                               "END\nATOM 1 N ALA 1 1 2 3 .1 1\n"
	                               "ATOM 3 N ALA 1 1 2 3 1e-9 1\n",
	                               &m),
	                 0);
	ck_assert(m.n == 4 && m.left_out == 0 && m.doubled == 2);
	ck_assert(fabs(m.charge - 0.400000001) < 1e-12);
	gem_molecule_free(&m);
}
END_TEST

/* All models, one after the other; END ends a model. */
START_TEST(next_models)
{
	char s[] = "MODEL 1\nATOM 1 N ALA 1 1 2 3 .1 1\nATOM 2 N ALA 1 1 2 4 .2 1\nENDMDL\n"
	           "MODEL 2\nATOM 1 N ALA 1 1 2 3 -.5 1\nENDMDL\nEND\n"
	           "REMARK END\nATOM 1 N ALA 1 7 2 3 .7 1\nEND\n\n";
	char none[] = "MODEL 1\nENDMDL\n";
	const size_t atoms[] = { 2, 1, 1 };
	const double charge[] = { 0.3, -0.5, 0.7 };
	struct gem_molecule m;
	struct gem_models o = { .t = { .name = "m.pqr", .data = s, .size = sizeof s - 1 },
		                .all = 1 };
	size_t i;

	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(gem_models_next(&m, &o, &test_error), 1);
		ck_assert(m.n == atoms[i] && fabs(m.charge - charge[i]) < 1e-12);
		ck_assert(m.left_out == 0 && m.doubled == 0);
		gem_molecule_free(&m);
	}
	ck_assert_int_eq(gem_models_next(&m, &o, &test_error), 0);
	o = (struct gem_models){ .t = { .name = "m.pqr", .data = none, .size = sizeof none - 1 },
		                 .all = 1 };
	ck_assert_int_eq(gem_models_next(&m, &o, &test_error), -1);
	ck_assert_ptr_nonnull(strstr(test_error.text, "no atoms"));
}
END_TEST

/* Each is refused with file, line and the line's text. */
/* A package in the place of MDAnalysis, whose trajectories have up to three frames of two atoms. */
static const char fake_mdanalysis[] =
        "import array\n"
        "class Positions(array.array):\n"
        "    def astype(self, kind):\n"
        "        assert kind == '=f4'\n"
        "        return self\n"
        "class Frame:\n"
        "    def __init__(self, i):\n"
        "        self.positions = Positions('f', [i, 2, 3, i + 2, 4, -8 if i < 2 else 1e30])\n"
        "class reader:\n"
        "    def __init__(self, name, n_atoms):\n"
        "        if name == 'bad':\n"
        "            raise OSError('no \\x1b such')\n"
        "        self.n_atoms = 3 if name == 'more' else n_atoms\n"
        "        self.n_frames = int(name) if name.isdigit() else 3\n"
        "        self.frames = min(self.n_frames, 2 if name == 'cut' else 3)\n"
        "    def __iter__(self):\n"
        "        return (Frame(i) for i in range(self.frames))\n";

/* The trajectory is read to its end; returns the number of its frames.  A failure is the last. */
static size_t all_frames(const char *name, const struct gem_molecule *m, int *rc)
{
	struct gem_frames f;
	struct gem_molecule got;
	size_t done;

	*rc = gem_frames_open(&f, name, m->n, &test_error) ? -1 : 1;
	while (*rc > 0 && (*rc = gem_frames_next(&got, &f, m, &test_error)) > 0) {
		const double i = (double)f.done - 1;

		ck_assert(got.n == 2 && got.charge == m->charge && got.lost_residues == (i == 0));
		ck_assert(got.atom[0].at[0] == i && got.atom[1].at[2] == -8);
		ck_assert(got.centre[0] == i + 1 && strcmp(got.atom[1].name, "B") == 0);
		gem_molecule_free(&got);
	}
	done = f.done;
	gem_frames_close(&f);
	return done;
}

/* Python's process gives the molecule's atoms other places, or the reason why it cannot. */
START_TEST(frames)
{
	static const struct {
		const char *name, *text;
	} bad[] = {
		{ "bad", "bad: MDAnalysis failed: no ? such" },
		{ "cut", "cut: it ends within frame 3 of 3" },
		{ "more", "more: it has 3 atoms, the molecule 2: both must have the same" },
		{ "0", "0: the trajectory has no frames" },
		{ "3", "3: frame 3: atom 2: the coordinate 1e+30 is out of range" },
	};
	char folder[] = "/tmp/clopt-test-XXXXXX", path[4][64];
	static const char *const part[] = { "", "/coordinates", "/coordinates/core.py" };
	struct gem_molecule m;
	size_t i;
	int rc;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (i = 0; i < 3; i++) {
		snprintf(path[i], sizeof path[i], "%s/MDAnalysis%s", folder, part[i]);
		ck_assert(i == 2 || mkdir(path[i], 0700) == 0);
	}
	test_write(path[2], fake_mdanalysis);
	setenv("PYTHONPATH", folder, 1);
	setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
	ck_assert_int_eq(read_molecule("ATOM 1 A X 1 0 0 0 1 1\nATOM 2 B X 1 0 0 1 2 1\n", &m), 0);
	m.lost_residues = 1;
	ck_assert_int_eq(all_frames("2", &m, &rc), 2);
	ck_assert_msg(rc == 0, "%s", test_error.text);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		all_frames(bad[i].name, &m, &rc);
		ck_assert_int_eq(rc, -1);
		ck_assert_msg(strstr(test_error.text, bad[i].text) != NULL, "%s: %s", bad[i].text,
		              test_error.text);
	}
	test_write(path[2], "import no_such_module\n");
	all_frames("2", &m, &rc);
	ck_assert_msg(strstr(test_error.text, "(No module named 'no_such_module'): install it"),
	              "%s", test_error.text);
	unlink(path[2]);
	ck_assert(rmdir(path[1]) == 0 && rmdir(path[0]) == 0 && rmdir(folder) == 0);
	unsetenv("PYTHONPATH");
	unsetenv("PYTHONDONTWRITEBYTECODE");
	gem_molecule_free(&m);
}
END_TEST

START_TEST(pqr_errors)
{
	static const struct {
		const char *text, *place;
	} bad[] = {
		{ "", "m.pqr" },
		{ "REMARK nothing\nEND\n", "m.pqr" },
		{ "ATOM 1 N ALA 1 1 2 3 0.1\n", "m.pqr:1:" },
		{ "END\nATOM 1 N ALA 1 1 2 x 0.1 1.5\n", "m.pqr:2:" },
		{ "ATOM 1 N ALA 1 nan 2 3 0.1 1.5\n", "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1 2 inf 0.1 1.5\n", "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1 2 3 0.1 -1.5\n", "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1 2 3 0.1 1e400\n", "m.pqr:1:" },
		{ "ATOM\n", "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1 2 3 0 1\nATOM 2 N ALA 1 4 5 6 0.0 1\n", "all 2 atoms are 0" },
		/* A PDB file's occupancy and B factor are no charge and radius. */
		{ "ATOM      1  N   GLY A   1       1.201   0.847   0.000  1.00  0.00           "
		  "N\n",
		  "m.pqr:1:" },
		{ "ATOM 1 N ALA 1 1.5 2.5 3.5 0.1\n", "m.pqr:1: no radius" },
		{ "ATOM      1  N   ASP L   1      60.797 122.650  12.260  1.0000\n",
		  "m.pqr:1: no radius" },
		{ "ATOM 1 N ALA A **** 1 2 3 0.1 1.5\n", "m.pqr:1: '****' is not a residue" },
		{ "HETATM***** N ALA A 1 1 2 x 0.1 1.5\n", "m.pqr:1: 'x' is not a number" },
		{ "ATOM 1 N ALA A12.5 1 2 3 0.1 1.5\n", "m.pqr:1: 'A12.5'" },
		/* Files behind one another, of which the first did not end with the end of a
		 * line. */
		{ "ATOM 1 N ALA 1 1 2 3 1 1ATOM 2 N ALA 2 4 5 6 1 1\n", "m.pqr:1: too many" },
		{ "ATOM 1 N ALA 1 1 2 3 1 1\nENDATOM 2 N ALA 2 4 5 6 1 1\n", "m.pqr:2: an atom" },
		{ "ATOM 1 N ALA 1 1 2 3 1 1\nTER 2 ALAHETATM 2 N ALA 2 4 5 6 1 1\n",
		  "m.pqr:2: an atom" },
	};
	struct gem_molecule m;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (*bad[i].text)
			ck_assert_msg(read_molecule(bad[i].text, &m) == -1, "taken: %s",
			              bad[i].text);
		else
			ck_assert_int_eq(
			        gem_molecule_read(&m, NULL, "/nonexistent.pqr", NULL, &test_error),
			        -1);
		ck_assert_msg(strstr(test_error.text,
		                     *bad[i].text ? bad[i].place : "nonexistent") != NULL,
		              "%s -> %s", bad[i].text, test_error.text);
	}
	ck_assert_int_eq(gem_molecule_read(&m, NULL, "/", NULL, &test_error), -1);
}
END_TEST

START_TEST(vertices)
{
	static const char *const good[] = {
		"1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n",
		"# MSMS\n#vertex\n 2 1 3.00 1.50\n1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n",
		/* The atom's name at the end, Windows's ends of lines, no last end of line. */
		"1 2 3 0 0 1 0 1 2 N_LYS_1\r\n4 5 6 0 3 4 0 2 3 CA_LYS_1",
		/* Fused columns. */
		"1.000-102.000  3.000 0 0 -1.000 0 1 2\n4.0 5.0 6.0 0 0.3 0.4 0 2 3\n",
	};
	static const char *const bad[] = {
		"1 2 3 0 0\n",
		"# MSMS\n#vertex\n 3 1 3.00 1.50\n1 2 3 0 0 1 0 1 2\n4 5 6 0 3 4 0 2 3\n",
		"1 2 3 0 0 x 0 1 2\n",
		"1 2 3 0 0 0 0 1 2\n",
		"1 2 nan 0 0 1 0 1 2\n",
		"# MSMS\n",
	};
	struct gem_points p;
	FILE *f;
	size_t i;

	for (i = 0; i < sizeof good / sizeof *good; i++) {
		memset(&p, 0, sizeof p);
		f = test_text(good[i]);
		ck_assert_msg(gem_points_read(&p, GEM_VERTICES, f, "v", &test_error) == 0, "%s",
		              test_error.text);
		fclose(f);
		ck_assert_int_eq(p.n, 2);
		ck_assert(p.at[1][2] == 6);
		ck_assert(fabs((double)p.normal[1][1] - 0.6) < 1e-6); /* scaled to length 1 */
		gem_points_free(&p);
	}
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		memset(&p, 0, sizeof p);
		f = test_text(bad[i]);
		ck_assert_int_eq(gem_points_read(&p, GEM_VERTICES, f, "v", &test_error), -1);
		fclose(f);
		gem_points_free(&p);
	}
	memset(&p, 0, sizeof p);
	f = test_text("# points\n1,2,3\n 4 5 6\n\n7, 8 ,9\n");
	ck_assert_msg(gem_points_read(&p, GEM_LIST, f, "p", &test_error) == 0, "%s",
	              test_error.text);
	fclose(f);
	ck_assert(p.n == 3 && p.at[2][0] == 7 && p.at[2][2] == 9 && !p.normal);
	gem_points_free(&p);
}
END_TEST

SUITE(gem, long)
{
	tcase_add_test(c, pqr);
	tcase_add_test(c, pqr_layouts);
	tcase_add_test(c, mead);
	tcase_add_test(c, unknown_records);
	tcase_add_test(c, compressed);
	tcase_add_test(c, cif);
	tcase_add_test(c, lost);
	tcase_add_test(c, converted);
	tcase_add_test(c, models);
	tcase_add_test(c, next_models);
	tcase_add_test(c, frames);
	tcase_add_test(c, pqr_errors);
	tcase_add_test(c, vertices);
	gem_faces_tests(c);
	gem_points_tests(c);
	gem_foot_tests(c);
	gem_options_tests(c);
	gem_runs_tests(c);
	gem_files_tests(c);
}
