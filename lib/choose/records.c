/* SPDX-License-Identifier: MIT */
/*
 * records.c - results of tuning, as lines of text; see "Tuning" in clopt_tune.h.  The library's
 * records are read first, then the user's.  A later record replaces an earlier one of its class.
 * Only records for this device and driver are kept.
 */
#if !defined _FILE_OFFSET_BITS && __SIZEOF_LONG__ < 8
#define _FILE_OFFSET_BITS 64 /* otherwise 32-bit systems refuse files with larger inode numbers */
#endif
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* strdup and fdopen, also under -std=c99 */
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "choose.h"

#define FIELDS 5
#define LINE_SIZE 768

struct record {
	char line[LINE_SIZE];
	const struct variant *v;
	enum {
		USERS,
		SHIPPED
	} origin;
	struct record *next, *next_in_bucket;
	char key[]; /* the class */
};

#define BUCKETS 4096 /* a file shared by many machines has tens of thousands of classes */

struct records {
	char *path; /* NULL: no file */
	int read;
	struct record *list; /* the latest key first */
	struct record *bucket[BUCKETS]; /* by the hash of the key */
};

static struct record **bucket_of(struct records *all, const char *key)
{
	struct hash hash = clopt__hash_empty();

	clopt__hash_add(&hash, key, strlen(key));
	return &all->bucket[hash.low % BUCKETS];
}

static struct record *record_of(struct records *all, const char *key)
{
	struct record *r = *bucket_of(all, key);

	while (r && strcmp(r->key, key))
		r = r->next_in_bucket;
	return r;
}

/* The record of this key, made if there is none; NULL after CLOPT_ENOMEM. */
static struct record *record_for(const struct clopt *ctx, struct records *all, const char *key)
{
	struct record **bucket = bucket_of(all, key), *r = record_of(all, key);

	if (r)
		return r;
	if (!(r = calloc(1, sizeof *r + strlen(key) + 1))) {
		clopt__fail(ctx, CLOPT_ENOMEM, "no memory for a record");
		return NULL;
	}
	strcpy(r->key, key);
	r->next = all->list;
	all->list = r;
	r->next_in_bucket = *bucket;
	*bucket = r;
	return r;
}

/* A missing file is fine: the first record creates it.  Opening a folder succeeds, so check
 * that. */
static int check_readable(const char *path)
{
	const int file = clopt__open(path, OPEN_READ);
	int error = file < 0 ? errno : 0;
	struct stat about;

	if (file >= 0 && !fstat(file, &about) && S_ISDIR(about.st_mode))
		error = EISDIR;
	if (file >= 0)
		clopt__close(file);
	return error && error != ENOENT && error != ENOTDIR ?
	               clopt__fail(NULL, CLOPT_EIO, "the tuning file %s cannot be read: %s", path,
	                           strerror(error)) :
	               CLOPT_OK;
}

int clopt__records_open(struct clopt *ctx, const char *path, int named)
{
	const int any = path && *path && strcmp(path, "0");

	ctx->records = calloc(1, sizeof *ctx->records);
	if (ctx->records && any)
		ctx->records->path = strdup(path);
	if (!ctx->records || (any && !ctx->records->path))
		return clopt__fail(NULL, CLOPT_ENOMEM, "no memory for records");
	return any && named ? check_readable(path) : CLOPT_OK;
}

static void free_all(struct records *all)
{
	struct record *r;

	while (all && (r = all->list)) {
		all->list = r->next;
		free(r);
	}
	free(all);
}

void clopt__records_free(struct clopt *ctx)
{
	if (ctx->records)
		free(ctx->records->path);
	free_all(ctx->records);
}

/* Whether all words of `wanted`, separated by commas, are in `all`. */
static int has_words(const char *all, const char *wanted)
{
	const char *at;
	size_t n;

	for (; *wanted; wanted += n + (wanted[n] == ',')) {
		n = strcspn(wanted, ",");
		for (at = all; *at; at += strcspn(at, ","), at += *at == ',')
			if (strcspn(at, ",") == n && !strncmp(at, wanted, n))
				break;
		if (!*at && n)
			return 0;
	}
	return 1;
}

static int holds_for(const struct clopt_device_info *d, const char *device, const char *driver)
{
	return (*device == '+' ? has_words(d->traits, device + 1) : !strcmp(device, d->name)) &&
	       (!strcmp(driver, "*") || !strcmp(driver, d->driver));
}

static char *trimmed(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n && strchr(" \t\r\n", text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

/* Split a line into its fields, in place. 0: it is not a record. */
static int split(char *line, char **field)
{
	unsigned n = 0;
	char *at = line;

	if (*(at += strspn(at, " \t")) == '#')
		return 0;
	for (; n < FIELDS; n++) {
		char *end = strchr(at, ';');

		field[n] = at;
		if (end)
			*end = '\0';
		field[n] = trimmed(field[n]);
		if (!*field[n] || (!end && n + 1 < FIELDS) || (end && n + 1 == FIELDS))
			return 0;
		at = end ? end + 1 : at;
	}
	return 1;
}

/* A record that this library can read, of any device. */
struct parsed {
	char text[LINE_SIZE], tidy[LINE_SIZE], *field[FIELDS]; /* tidy: without extra blanks */
	const struct variant *v;
};

static int parse(struct clopt *ctx, const char *line, struct parsed *p)
{
	char **field, why[160];

	if (strlen(line) >= sizeof p->text)
		return 0;
	memset(p, 0, sizeof *p);
	strcpy(p->text, line);
	field = p->field;
	if (!split(p->text, field) || strlen(field[2]) >= CLASS_SIZE ||
	    !(p->v = clopt__named(ctx, field[3], strlen(field[3]), why, sizeof why)) ||
	    strncmp(field[2], clopt__ops[p->v->op]->name, strlen(clopt__ops[p->v->op]->name)))
		return 0;
	snprintf(p->tidy, sizeof p->tidy, "%s; %s; %s; %s; %s", field[0], field[1], field[2],
	         field[3], field[4]);
	return 1;
}

/* Keep the record if it is for this device and driver, in place of one of its class.
 * CLOPT_ENOMEM. */
static int take(struct clopt *ctx, const char *line, int origin)
{
	struct parsed p;
	struct record *r;

	if (!parse(ctx, line, &p) || !holds_for(&ctx->device.info, p.field[0], p.field[1]))
		return CLOPT_OK;
	if (!(r = record_for(ctx, ctx->records, p.field[2])))
		return CLOPT_ENOMEM;
	strcpy(r->line, p.tidy);
	ctx->chosen.v = NULL;
	r->v = p.v;
	r->origin = origin;
	return CLOPT_OK;
}

/* Open regular files only, so that no read waits for a pipe. */
static FILE *open_regular(const char *path)
{
	const int file = clopt__open(path, OPEN_READ);
	struct stat about;
	FILE *f = NULL;

	if (file >= 0 && !fstat(file, &about) && S_ISREG(about.st_mode))
		f = fdopen(file, "r");
	if (!f && file >= 0)
		clopt__close(file);
	return f;
}

/* Take the records of the file. known, if not NULL: only add their lines to it, as keys.  A file
 * that cannot be read counts as missing. */
static int read_file(struct clopt *ctx, struct records *known)
{
	char line[LINE_SIZE];
	FILE *f = ctx->records->path ? open_regular(ctx->records->path) : NULL;
	int whole = 1, begins, rc = CLOPT_OK;
	struct parsed p;

	while (f && rc == CLOPT_OK && fgets(line, sizeof line, f)) {
		begins = whole;
		whole = strchr(line, '\n') != NULL;
		if (!begins || !(whole || feof(f)))
			continue;
		if (!known)
			rc = take(ctx, line, USERS);
		else if (parse(ctx, line, &p) && !record_for(ctx, known, p.tidy))
			rc = CLOPT_ENOMEM;
	}
	if (f)
		fclose(f);
	return rc;
}

/* Read all records when they are first needed.  Without memory some are missing. */
static void read_all(struct clopt *ctx)
{
	struct records *all = ctx->records;
	size_t i;

	if (all->read)
		return;
	all->read = 1;
	for (i = 0; clopt__shipped[i]; i++)
		if (take(ctx, clopt__shipped[i], SHIPPED) != CLOPT_OK)
			return;
	read_file(ctx, NULL);
}

const struct variant *clopt__record(struct clopt *ctx, const struct clopt_problem *p,
                                    const char **where)
{
	char class[CLASS_SIZE];
	const struct record *r;

	read_all(ctx);
	if (!clopt__is_tuned(p) || !ctx->records->list)
		return NULL;
	clopt__class_text(p, class, sizeof class);
	if (!(r = record_of(ctx->records, class)))
		return NULL;
	*where = r->origin == SHIPPED ? "a record that comes with the library" :
	         ctx->records->path   ? ctx->records->path :
	                                "tuning in this context";
	return r->v;
}

static int cannot_write(const struct clopt *ctx, const char *why)
{
	return clopt__fail(ctx, CLOPT_EIO, "%s cannot be written: %s", ctx->records->path, why);
}

int clopt__records_writable(const struct clopt *ctx)
{
	const char *path = ctx->records->path;
	const int file = path ? clopt__open(path, OPEN_WRITE) : -1;

	if (path && file < 0 && errno != ENOENT)
		return cannot_write(ctx, strerror(errno));
	if (file >= 0)
		clopt__close(file);
	return CLOPT_OK;
}

/* Append the line in one write, so that lines of several processes do not mix.  End a line first
 * that an interrupted process left unfinished. */
static int append(struct clopt *ctx, const char *line)
{
	char *const path = ctx->records->path;
	char text[LINE_SIZE + 2], last = '\n';
	struct stat about;
	int file, n, bad;

	clopt__make_folders(path);
	file = clopt__open(path, OPEN_APPEND);
	if (file < 0)
		return cannot_write(ctx, strerror(errno));
	if (!fstat(file, &about) && about.st_size > 0 &&
	    (lseek(file, -1, SEEK_END) < 0 || read(file, &last, 1) != 1))
		last = '\n';
	n = snprintf(text, sizeof text, "%s%s\n", last == '\n' ? "" : "\n", line);
	errno = 0;
	if (!fstat(file, &about) && clopt__file_may_grow((uint64_t)about.st_size + (uint64_t)n))
		bad = write(file, text, (size_t)n) != n;
	else
		bad = errno = EFBIG;
	bad |= close(file) != 0;
	return bad ? cannot_write(ctx, errno ? strerror(errno) : "no room for a line") : CLOPT_OK;
}

#define SPEED_SIZE 32

/* Three digits with a decimal point in every locale. */
static const char *speed_text(double units_per_second, char *speed)
{
	char text[SPEED_SIZE];
	const char *e;

	snprintf(text, sizeof text, "%.2e", units_per_second);
	e = strchr(text, 'e');
	if (e)
		snprintf(speed, SPEED_SIZE, "%c.%.2s%s", text[0], e - 2, e);
	else
		snprintf(speed, SPEED_SIZE, "0");
	return speed;
}

int clopt__record_add(struct clopt *ctx, const struct clopt_problem *p, const struct variant *v,
                      double units_per_second, int write, char *line, size_t size)
{
	const struct clopt_device_info *d = &ctx->device.info;
	char class[CLASS_SIZE], text[LINE_SIZE], speed[SPEED_SIZE];
	int rc = CLOPT_OK;

	read_all(ctx);
	clopt__class_text(p, class, sizeof class);
	snprintf(text, sizeof text, "%s; %s; %s; %s; %s", d->name, d->driver, class, v->name,
	         speed_text(units_per_second, speed));
	if (line && size)
		snprintf(line, size, "%s", text);
	TRY(take(ctx, text, USERS));
	if (write && ctx->records->path)
		TRY(append(ctx, text));
out:
	return rc;
}

/* Append one line unless it is known. */
static int merge_line(struct clopt *ctx, const char *line, struct records *known, size_t *added)
{
	struct parsed p;
	int rc;

	if (!parse(ctx, line, &p) || record_of(known, p.tidy))
		return CLOPT_OK;
	if (!record_for(ctx, known, p.tidy))
		return CLOPT_ENOMEM;
	TRY(append(ctx, p.tidy));
	++*added;
	TRY(take(ctx, p.tidy, USERS));
out:
	return rc;
}

int clopt__records_merge(struct clopt *ctx, const char *text, size_t *added)
{
	struct records *known = NULL;
	char line[LINE_SIZE];
	int rc = CLOPT_OK;
	size_t n;

	*added = 0;
	if (!ctx->records->path)
		return clopt__fail(
		        ctx, CLOPT_EINVAL,
		        "there is no tuning file: set clopt_options.tuning or CLOPT_TUNING");
	TRY(clopt__records_writable(ctx));
	read_all(ctx);
	if (!(known = calloc(1, sizeof *known)))
		return clopt__fail(ctx, CLOPT_ENOMEM, "no memory for records");
	TRY(read_file(ctx, known));
	for (; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (n >= sizeof line)
			continue;
		snprintf(line, sizeof line, "%.*s", (int)n, text);
		TRY(merge_line(ctx, line, known, added));
	}
out:
	free_all(known);
	return rc;
}

size_t clopt_tuning_records(struct clopt *ctx, char *text, size_t size)
{
	const struct record *r;
	size_t n = 0, used = 0;
	int origin;

	if (text && size)
		text[0] = '\0';
	if (clopt__may_wait(ctx) != CLOPT_OK)
		return 0;
	clopt__caller_hold();
	pthread_mutex_lock(&ctx->lock);
	read_all(ctx);
	for (origin = USERS; origin <= SHIPPED; origin++)
		for (r = ctx->records->list; r; r = r->next) {
			if ((int)r->origin != origin)
				continue;
			n++;
			if (text && used < size)
				used += (size_t)snprintf(text + used, size - used, "%s\n", r->line);
		}
	pthread_mutex_unlock(&ctx->lock);
	clopt__caller_back();
	return n;
}
