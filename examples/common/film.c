/* SPDX-License-Identifier: MIT */
/*
 * film.c - see film.h.
 *
 * ffmpeg reads raw pixels from a pipe.
 */
#include "film.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int film_can(void)
{
	const char *path = getenv("PATH"), *end;
	char name[4096];
	int n;

	for (; path && *path; path = *end ? end + 1 : end) {
		end = path + strcspn(path, ":");
		n = snprintf(name, sizeof name, "%.*s/ffmpeg", (int)(end - path), path);
		if (n > 0 && (size_t)n < sizeof name && access(name, X_OK) == 0)
			return 1;
	}
	return 0;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int film_named(const char *path)
{
	const char *dot = strrchr(base(path), '.');

	return dot && dot > base(path) && dot[1];
}

int film_picture(const char *path, size_t i, char *to, size_t room, struct fault *e)
{
	const char *dot = strrchr(base(path), '.');
	const int n = snprintf(to, room, "%.*s-%05zu.png",
	                       (int)(dot ? (size_t)(dot - path) : strlen(path)), path, i);

	return n < 0 || (size_t)n >= room ? fail(e, "%.400s...: the name is too long", path) : 0;
}

const char *film_warning(const char *path, char *text, size_t room)
{
	char first[4096];
	struct fault e;

	*text = 0;
	if (path && !film_can() && film_picture(path, 0, first, sizeof first, &e) == 0)
		snprintf(text, room,
		         "the program ffmpeg is not found: instead of the film there will be "
		         "pictures, %.300s, ...",
		         first);
	return text;
}

int film_made(const char *path, size_t n, size_t end, struct fault *e)
{
	char first[4096], last[4096];

	if (film_can())
		return 0;
	if (n == 0 || film_picture(path, end - n, first, sizeof first, e) ||
	    film_picture(path, end - 1, last, sizeof last, e))
		return fail(e, "%.400s was not made: the program ffmpeg is not found", path);
	return fail(e,
	            "%.200s was not made: the program ffmpeg is not found; instead there %s "
	            "%.170s%s%.170s",
	            path, n > 1 ? "are" : "is", first, n > 1 ? " to " : "", n > 1 ? last : "");
}

int film_open(struct film *f, const char *path, size_t width, size_t height, struct fault *e)
{
	const uint32_t one = 1;
	char size[48], pixels[] = "bgr0";
	/* Most players want even sizes, and colours at half of them. */
	/* clang-format off */
	const char *argv[] = { "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo",
	                 "-pixel_format", pixels, "-video_size", size, "-framerate", "25",
	                 "-i", "pipe:0", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
	                 "-pix_fmt", "yuv420p", NULL, NULL };
	/* clang-format on */
	int rc;

	memset(f, 0, sizeof *f);
	f->path = path;
	if (!film_can())
		return 0;
	if (outfile_open(&f->out, path, e)) {
		film_drop(f);
		return -1;
	}
	/* To ffmpeg a name with a colon would be a protocol. */
	snprintf(f->told, sizeof f->told, "file:%s", *f->out.temp ? f->out.temp : f->out.path);
	if (!*(const unsigned char *)&one)
		memcpy(pixels, "0rgb", 4);
	snprintf(size, sizeof size, "%zux%zu", width, height);
	argv[sizeof argv / sizeof *argv - 2] = f->told;
	/* If ffmpeg ends, the next picture shall fail to be written, and not end the program. */
	f->old_sigpipe = signal(SIGPIPE, SIG_IGN);
	rc = child_start(&f->ffmpeg, argv, CHILD_IN);
	if (rc)
		film_drop(f);
	return rc ? fail(e, "%.400s: ffmpeg: %s", path, strerror(rc)) : 0;
}

enum {
	REASON = 512
};

/*
 * ": " and ffmpeg's first line on its standard error, or "".  "[part @ address] " before it is left
 * out, and the temporary file gets the name of the film.
 */
static const char *reason(struct film *f, char text[REASON])
{
	char line[REASON];
	const char *begin, *name;

	*text = 0;
	if (!*child_line(&f->ffmpeg, 0, line, REASON))
		return text;
	begin = *line == '[' ? strstr(line, "] ") : NULL;
	begin = begin ? begin + 2 : line;
	name = strstr(begin, f->told);
	if (name)
		snprintf(text, REASON, ": %.*s%.200s%s", (int)(name - begin), begin, f->path,
		         name + strlen(f->told));
	else
		snprintf(text, REASON, ": %.500s", begin);
	return text;
}

/* Ends ffmpeg by the end of its input; returns its status, -1 if that was returned before. */
static int wait_for_ffmpeg(struct film *f)
{
	const int status = f->ffmpeg.id ? child_end(&f->ffmpeg) : -1;

	if (*f->told)
		signal(SIGPIPE, f->old_sigpipe);
	return status;
}

static void forget(struct film *f)
{
	child_free(&f->ffmpeg);
	memset(f, 0, sizeof *f);
}

int film_add(struct film *f, cairo_surface_t *picture, struct fault *e)
{
	const size_t width = (size_t)cairo_image_surface_get_width(picture);
	const size_t height = (size_t)cairo_image_surface_get_height(picture);
	const struct picture o = { picture, NULL, 0 };
	char name[4096], why[REASON];
	size_t y;
	int bad = 0;

	if (!*f->told) {
		if (film_picture(f->path, f->pictures++, name, sizeof name, e))
			return -1;
		return picture_write(name, &o, e);
	}
	cairo_surface_flush(picture);
	for (y = 0; y < height && !bad; y++)
		bad = fwrite(picture_row(picture, y), 4, width, f->ffmpeg.in) != width;
	f->pictures++;
	if (!bad)
		return 0;
	wait_for_ffmpeg(f);
	return fail(e, "%.400s: ffmpeg ended at picture %zu%s", f->path, f->pictures,
	            reason(f, why));
}

int film_close(struct film *f, struct fault *e)
{
	const int status = *f->told ? wait_for_ffmpeg(f) : 0;
	char why[REASON];
	int rc = 0;

	if (status)
		rc = fail(e, "%.400s: ffmpeg failed with status %d%s", f->path, status,
		          reason(f, why));
	else if (*f->told)
		rc = outfile_commit(&f->out, e);
	if (rc == 0)
		forget(f);
	return rc;
}

void film_drop(struct film *f)
{
	if (*f->told)
		wait_for_ffmpeg(f);
	outfile_drop(&f->out);
	forget(f);
}
