/* SPDX-License-Identifier: MIT */
/*
 * film.c - films of nbody and of clopt-gem: what ffmpeg gets.  test/programs.py is without it.
 *
 * A shell script takes ffmpeg's place, so that the film can be looked at: it has the arguments and
 * all pixels.  Where there is an ffmpeg, it makes a film, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/film.h"
#include "examples.h"
#include "folder.h"

static char *path_before, folder[FOLDER_SIZE], film[FOLDER_SIZE + 16], molecule[FOLDER_SIZE + 16];

static void enter(void)
{
	path_before = strdup(getenv("PATH"));
	ck_assert_ptr_nonnull(path_before);
	folder_make(folder);
	snprintf(film, sizeof film, "%s/film.mp4", folder);
	snprintf(molecule, sizeof molecule, "%s/m.pqr", folder);
}

static void leave(void)
{
	setenv("PATH", path_before, 1);
	free(path_before);
	folder_remove(folder);
}

/* From now on the only programs are this ffmpeg, and the linker, which PoCL runs. */
static void place_ffmpeg(const char *script)
{
	char path[2 * FOLDER_SIZE], command[8 * FOLDER_SIZE];

	snprintf(path, sizeof path, "%s/bin", folder);
	snprintf(command, sizeof command, "mkdir %s && ln -s \"$(command -v ld)\" %s/ld", path,
	         path);
	ck_assert_int_eq(system(command), 0);
	setenv("PATH", path, 1);
	strcat(path, "/ffmpeg");
	file_write(path, script, strlen(script));
	ck_assert_int_eq(chmod(path, 0700), 0);
}

/* The last argument is the film, and its beginning `file:`. */
static const char keeps[] = "#!/bin/sh\n"
                            "PATH=/usr/bin:/bin\n"
                            "for to; do :; done\n"
                            "{ echo \"$*\" | cut -d: -f1-2; cat; } >\"${to#file:}\"\n";

/* Three pictures of 17 x 17 as raw pixels, behind the line of arguments, in place of a private
 * file. */
START_TEST(pixels)
{
	unsigned char *data;
	size_t size, head;
	struct stat about;

	place_ffmpeg(keeps);
	file_write(film, "old", 3);
	ck_assert_int_eq(chmod(film, 0600), 0);
	ck_assert_int_eq(RUN(nbody, "--model", "two", "--steps", "4", "--every", "2", "--size",
	                     "17", "--film", film),
	                 0);
	data = file_read(film, &size);
	data[size] = 0;
	ck_assert_ptr_nonnull(strstr((char *)data, "-video_size 17x17 "));
	head = strcspn((char *)data, "\n") + 1;
	ck_assert_uint_eq(size - head, 3 * 17 * 17 * 4);
	free(data);
	ck_assert_int_eq(stat(film, &about), 0);
	ck_assert_int_eq(about.st_mode & 0777, 0600);
	ck_assert_uint_eq(folder_files(folder, NULL), 2); /* bin, and the film */
}
END_TEST

/* The film of before stays, and nothing else. */
START_TEST(ffmpeg_fails)
{
	size_t size;

	place_ffmpeg("#!/bin/sh\nexit 3\n");
	file_write(film, "old", 3);
	ck_assert_int_eq(RUN(nbody, "--model", "two", "--steps", "40", "--every", "1", "--size",
	                     "200", "--film", film),
	                 1);
	free(file_read(film, &size));
	ck_assert_uint_eq(size, 3);
	ck_assert_uint_eq(folder_files(folder, NULL), 2);
}
END_TEST

START_TEST(real_ffmpeg)
{
	unsigned char *data;
	size_t size;

	if (!film_can()) {
		printf("film: skipped, since there is no ffmpeg\n");
		return;
	}
	ck_assert_int_eq(RUN(nbody, "--model", "two", "--steps", "4", "--every", "2", "--size",
	                     "17", "--film", film),
	                 0);
	data = file_read(film, &size);
	ck_assert(size > 500 && memcmp(data + 4, "ftyp", 4) == 0);
	free(data);
}
END_TEST

/* Two models of a trajectory, by ENDMDL and by END: two pictures, and two files. */
START_TEST(trajectory)
{
	static const char *const models[] = {
		"MODEL 1\nATOM 1 A X 1 0 0 0 1 2\nATOM 2 B X 2 9 0 0 -1 2\nENDMDL\n"
		"MODEL 2\nATOM 1 A X 1 0 0 0 1 2\nATOM 2 B X 2 8 0 0 -1 2\nENDMDL\nEND\n",
		"ATOM 1 A X 1 0 0 0 1 2\nATOM 2 B X 2 9 0 0 -1 2\nEND\n"
		"ATOM 1 A X 1 0 0 0 1 2\nATOM 2 B X 2 8 0 0 -1 2\nEND\n"
	};
	char csv[FOLDER_SIZE + 16], one[FOLDER_SIZE + 32];
	unsigned char *data;
	size_t size, head, i;

	place_ffmpeg(keeps);
	file_write(molecule, models[_i], strlen(models[_i]));
	snprintf(csv, sizeof csv, "%s/%%s.csv", folder);
	ck_assert_int_eq(
	        RUN(clopt_gem, "--models", "--size", "60", "--film", film, "--csv", csv, molecule),
	        0);
	data = file_read(film, &size);
	head = strcspn((char *)data, "\n") + 1;
	ck_assert_uint_eq(size - head, 2 * 60 * 60 * 4);
	free(data);
	for (i = 1; i <= 2; i++) {
		snprintf(one, sizeof one, "%s/m-%05zu.csv", folder, i);
		ck_assert_msg(access(one, F_OK) == 0, "no %s", one);
	}
	ck_assert_uint_eq(folder_files(folder, NULL), 5);
}
END_TEST

/* A file that is missing does not keep the others from their results. */
START_TEST(molecules)
{
	static const char one[] = "ATOM 1 A X 1 0 0 0 1 2\n";
	char csv[FOLDER_SIZE + 16], made[FOLDER_SIZE + 16];

	file_write(molecule, one, sizeof one - 1);
	snprintf(csv, sizeof csv, "%s/%%s.csv", folder);
	snprintf(made, sizeof made, "%s/m.csv", folder);
	ck_assert_int_eq(RUN(clopt_gem, "--csv", csv, "/nonexistent.pqr", molecule), 1);
	ck_assert_int_eq(access(made, F_OK), 0);
	ck_assert_uint_eq(folder_files(folder, NULL), 2);
}
END_TEST

SUITE(film, long)
{
	tcase_add_checked_fixture(c, enter, leave);
	tcase_add_test(c, pixels);
	tcase_add_test(c, ffmpeg_fails);
	tcase_add_test(c, real_ffmpeg);
	tcase_add_loop_test(c, trajectory, 0, 2);
	tcase_add_test(c, molecules);
}
