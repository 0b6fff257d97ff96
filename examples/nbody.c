/* SPDX-License-Identifier: MIT */
/*
 * nbody.c - bodies that move under their own gravity.
 *
 * This file orders the steps; nbody/ has one file for each.
 */
#include <stdio.h>
#include <string.h>

#include "common/progress.h"
#include "nbody/nb.h"

/* What tipsy files do not keep. */
static void tipsy_notes(struct nb_system *s)
{
	size_t i, others = 0;
	int kind;

	for (i = 0; i < s->n; i++) {
		kind = nb_system_kind(s, i);
		others += kind != NB_GAS && kind != NB_DARK && kind != NB_STAR;
	}
	if (others)
		nb_system_note(s,
		               "tipsy files have gas, dark matter and stars: %zu bodies of other "
		               "types are written as dark matter",
		               others);
	if (s->g != 1)
		nb_system_note(s,
		               "tipsy files have no units: those written here must be read with "
		               "--g %.9g",
		               s->g);
}

static int bodies(struct nb_system *s, struct nb_settings *o, struct fault *e)
{
	const char *file = o->in ? o->in : o->resume;

	if (file ? nb_read(s, NULL, file, e) : o->model->make(s, o->n, o->seed, e))
		return -1;
	if (nb_settings_finish(o, s, e))
		return -1;
	if (o->in && s->scale.a > 0 && !s->mixed && s->softening < 0 && o->softening < 0 &&
	    o->steps)
		nb_system_note(
		        s,
		        "%.300s: its bodies have no softenings: 0 is taken for all; give one "
		        "by --softening",
		        o->in);
	nb_system_settle(s, o->softening, o->g);
	if (o->format == NB_TIPSY && (o->out || o->snapshots))
		tipsy_notes(s);
	return 0;
}

/* Print the notes from there on. */
static void warn(const struct nb_settings *o, const char *note)
{
	progress_hide();
	for (; *note && !o->quiet; note = strchr(note, '\n') + 1)
		fprintf(stderr, "nbody: warning: %.*s\n", (int)strcspn(note, "\n"), note);
}

static int files(const struct nb_settings *o, const struct nb_system *s, struct fault *e)
{
	struct nb_view view = { .size = o->size, .width = o->width };

	if (o->out && nb_write(o->out, s, o->format, e))
		return -1;
	return o->png ? nb_draw(o->png, &view, s, o->colour, e) : 0;
}

/* From bodies to files.  The caller frees the bodies and the report, also after a failure. */
static int flow(struct nb_settings *o, struct nb_system *s, struct nb_report *report,
                struct fault *e)
{
	struct nb_result r;
	size_t told;

	progress_say("making or reading the bodies");
	if (bodies(s, o, e) || nb_writable(o, e) || nb_report_open(report, o, e))
		return -1;
	nb_warnings(o, s);
	warn(o, s->notes);
	if (nb_run(&r, o, s, report, e) || files(o, s, e))
		return -1;
	told = strlen(s->notes);
	nb_drift_warning(&r, s);
	warn(o, s->notes + told);
	if (nb_report_end(report, o, s, &r, e))
		return -1;
	/* Last, so that the other outputs are there. */
	return o->film ? film_made(o->film, r.frames, s->stage.pictures, e) : 0;
}

int main(int argc, char **argv)
{
	struct nb_settings o;
	static struct nb_system s;
	struct nb_report report = { 0 };
	struct fault e = { "" };
	int rc;

	program_begin();
	ranks_begin(argc, argv);
	rc = nb_settings_read(&o, argc, argv);
	if (rc >= 0)
		return rc;
	rc = ranks_serve(o.mpi, &o.device, &e);
	if (rc)
		return rc > 0 ? 0 : (fprintf(stderr, "nbody: %s\n", e.text), EXIT_MISUSED);
	progress_begin(!o.quiet);
	rc = flow(&o, &s, &report, &e);
	progress_hide();
	if (rc)
		fprintf(stderr, "nbody: %s\n", e.text);
	nb_report_close(&report);
	nb_system_free(&s);
	return rc ? EXIT_FAILED : 0;
}
