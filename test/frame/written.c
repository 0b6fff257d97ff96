/* SPDX-License-Identifier: MIT */
/*
 * written.c - see written.h.
 */
#include "written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suites.h"
#include "wrap.h"

struct written written;

void written_open(void)
{
	struct written *w = &written;

	strcpy(w->folder, "/tmp/clopt-written-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(w->folder));
	snprintf(w->csv, sizeof w->csv, "%s/csv", w->folder);
	snprintf(w->out, sizeof w->out, "%s/out", w->folder);
}

void written_close(void)
{
	unlink(written.csv);
	unlink(written.out);
	ck_assert_msg(rmdir(written.folder) == 0, "something is left in %s", written.folder);
}

int written_run(int (*command)(const struct tool_args *), const struct tool_args *args)
{
	int rc, keep;

	fflush(stdout);
	keep = dup(STDOUT_FILENO);
	ck_assert_ptr_nonnull(freopen(written.out, "w", stdout));
	rc = command(args);
	fflush(stdout);
	dup2(keep, STDOUT_FILENO);
	close(keep);
	ck_assert_msg(wrap_live() == 0, "%ld OpenCL objects are left: %s", wrap_live(),
	              wrap_live_text());
	ck_assert_msg(wrap_fences() == 0, "a kernel wrote outside its buffers");
	return rc;
}

json_t *written_json(int (*command)(const struct tool_args *), const struct tool_args *args,
                     int status)
{
	json_error_t error;
	json_t *json;

	ck_assert_int_eq(written_run(command, args), status);
	json = json_load_file(written.out, 0, &error);
	ck_assert_msg(json != NULL, "line %d: %s", error.line, error.text);
	return json;
}

const char *written_text(const char *path)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

size_t written_count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}
