/* SPDX-License-Identifier: MIT */
/*
 * picture.c - see picture.h.
 */
#include "picture.h"

#include <string.h>

#include "outfile.h"

#define BEFORE_NOTES 33 /* bytes of a PNG: its signature and the header's chunk */

struct stream {
	FILE *f;
	size_t written;
	const struct picture_note *note;
	size_t notes;
};

cairo_surface_t *picture_new(size_t width, size_t height, struct fault *e)
{
	cairo_surface_t *s =
	        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);

	if (cairo_surface_status(s) == CAIRO_STATUS_SUCCESS)
		return s;
	cairo_surface_destroy(s);
	fail(e, "out of memory for a picture of %zu x %zu", width, height);
	return NULL;
}

uint32_t *picture_row(cairo_surface_t *s, size_t y)
{
	const size_t stride = (size_t)cairo_image_surface_get_stride(s);

	return (uint32_t *)(void *)(cairo_image_surface_get_data(s) + y * stride);
}

uint32_t picture_pixel(const float rgb[3])
{
	return (uint32_t)(255 * rgb[0] + 0.5f) << 16 | (uint32_t)(255 * rgb[1] + 0.5f) << 8 |
	       (uint32_t)(255 * rgb[2] + 0.5f);
}

/* The checksum of PNG's chunks. */
static uint32_t crc(const unsigned char *p, size_t n)
{
	uint32_t c = 0xffffffffu;
	int k;

	for (; n; n--)
		for (c ^= *p++, k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	return ~c;
}

static void put_int(unsigned char p[4], uint32_t v)
{
	int i;

	for (i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* A tEXt chunk, which cairo has no call for. */
static int put_note(FILE *f, const struct picture_note *note)
{
	unsigned char chunk[400];
	const size_t key = strlen(note->key), n = key + 1 + strlen(note->text);

	put_int(chunk, (uint32_t)n);
	memcpy(chunk + 4, "tEXt", 4);
	memcpy(chunk + 8, note->key, key + 1);
	memcpy(chunk + 9 + key, note->text, n - key - 1);
	put_int(chunk + 8 + n, crc(chunk + 4, 4 + n));
	return fwrite(chunk, 12 + n, 1, f) == 1;
}

static cairo_status_t put(void *to, const unsigned char *data, unsigned n)
{
	struct stream *s = to;
	const size_t end = s->written + n;
	size_t first = s->written < BEFORE_NOTES ? BEFORE_NOTES - s->written : 0, i;
	int ok = 1;

	s->written = end;
	if (!first || end < BEFORE_NOTES)
		return fwrite(data, 1, n, s->f) == n ? CAIRO_STATUS_SUCCESS :
		                                       CAIRO_STATUS_WRITE_ERROR;
	ok = fwrite(data, 1, first, s->f) == first;
	for (i = 0; ok && i < s->notes; i++)
		ok = put_note(s->f, &s->note[i]);
	return ok && fwrite(data + first, 1, n - first, s->f) == n - first ?
	               CAIRO_STATUS_SUCCESS :
	               CAIRO_STATUS_WRITE_ERROR;
}

int picture_write(const char *path, cairo_surface_t *s, const struct picture_note *note,
                  size_t notes, struct fault *e)
{
	struct stream to = { NULL, 0, note, notes };
	struct outfile file;
	cairo_status_t bad;

	if (outfile_open(&file, path, e->text, sizeof e->text))
		return -1;
	to.f = file.f;
	cairo_surface_mark_dirty(s);
	bad = cairo_surface_write_to_png_stream(s, put, &to);
	if (bad && bad != CAIRO_STATUS_WRITE_ERROR) {
		outfile_drop(&file);
		return fail(e, "the picture: %s", cairo_status_to_string(bad));
	}
	return outfile_commit(&file, e->text, sizeof e->text); /* which tells a failed write */
}
