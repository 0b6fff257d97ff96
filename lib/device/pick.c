/* SPDX-License-Identifier: MIT */
/*
 * pick.c - picks the devices that a spec names.
 *
 * A spec is words joined by '+'.  The whole spec, and each word, is first compared with the
 * devices' names, so that a name that contains '+', '#' or '*' is found.  These characters have
 * their meaning only if no device has them in its name, or at the start of a word.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "device.h"

#define DIGITS "0123456789"

/* ---- One word: word[0..n) ----------------------------------------------------- */

static int is(const char *text, const char *word, size_t n)
{
	return strlen(text) == n && clopt__begins(text, word, n);
}

static int is_platform(const struct clopt_device_info *info, const char *word, size_t n)
{
	/* Users say "pocl", not "Portable Computing Language". */
	return clopt__within(info->platform, word, n) ||
	       (strstr(info->platform, "Portable Computing") && clopt__within("pocl", word, n));
}

static int is_vendor(const struct clopt_device_info *info, const char *word, size_t n)
{
	return clopt__within(info->vendor, word, n) || is_platform(info, word, n);
}

/* Whether the word is the device's PCI address.  A domain of 0 may be missing, or have the eight
 * digits that nvidia-smi prints. */
static int has_address(const struct clopt_device_info *info, const char *word, size_t n)
{
	return *info->pci &&
	       (is(info->pci, word, n) ||
	        (clopt__begins(info->pci, "0000:", 5) && is(info->pci + 5, word, n)) ||
	        (n > 4 && clopt__begins(word, "0000", 4) && is(info->pci, word + 4, n - 4)));
}

/* nvidia-smi prints GPU- before the UUID. */
static int has_uuid(const struct clopt_device_info *info, const char *word, size_t n)
{
	return *info->uuid &&
	       (is(info->uuid, word, n) ||
	        (n > 4 && clopt__begins(word, "GPU-", 4) && is(info->uuid, word + 4, n - 4)));
}

/* Whether the word is "vendor:type:name", whose end may be missing, or is found in one of the
 * three. */
static int has_name(const struct clopt_device_info *info, const char *word, size_t n)
{
	const char *colon = memchr(word, ':', n), *end = word + n, *type;

	if (!colon)
		return is_vendor(info, word, n) || is(info->type, word, n) ||
		       clopt__within(info->name, word, n);
	if (!is_vendor(info, word, (size_t)(colon - word)))
		return 0;
	type = colon + 1;
	colon = memchr(type, ':', (size_t)(end - type));
	n = (size_t)((colon ? colon : end) - type);
	return (!n || is(info->type, type, n)) &&
	       (!colon || clopt__within(info->name, colon + 1, (size_t)(end - colon - 1)));
}

/* Digits are an index in the list.  An address is no vendor:type:name, since none of its parts is a
 * type. */
static int matches(const struct devices *f, size_t i, const char *word, size_t n)
{
	const struct clopt_device_info *info = &f->list[i].info;

	if (n && strspn(word, DIGITS) >= n)
		return n < 10 && strtoul(word, NULL, 10) == i;
	return has_address(info, word, n) || has_uuid(info, word, n) || has_name(info, word, n);
}

/* Whether i comes after the devices of that platform or type: "intel" means Intel's platform before
 * PoCL on an Intel processor. */
static int comes_later(const struct devices *f, size_t i, const char *word, size_t n)
{
	const char *colon = memchr(word, ':', n);
	const struct clopt_device_info *info = &f->list[i].info;

	return !is(info->type, word, n) &&
	       !is_platform(info, word, colon ? (size_t)(colon - word) : n);
}

/* Whether an earlier match is the same device by another driver.  Parts of one card may have one
 * address, but they have one driver. */
static int again(const struct devices *f, size_t i, const char *word, size_t n)
{
	const struct clopt_device_info *info = &f->list[i].info, *before;
	const int later = comes_later(f, i, word, n);
	size_t j;

	for (j = 0; j < f->count && *info->pci; j++) {
		before = &f->list[j].info;
		if (comes_later(f, j, word, n) < later + (j < i) &&
		    !strcmp(before->pci, info->pci) && strcmp(before->platform, info->platform) &&
		    matches(f, j, word, n))
			return 1;
	}
	return 0;
}

/* Position of the k-th device that matches the word; the count of all if there are fewer. */
static size_t nth(const struct devices *f, const char *word, size_t n, size_t k)
{
	int later;
	size_t i;

	for (later = 0; later < 2; later++)
		for (i = 0; i < f->count; i++)
			if (comes_later(f, i, word, n) == later && matches(f, i, word, n) &&
			    !again(f, i, word, n) && !k--)
				return i;
	return f->count;
}

static size_t matching(const struct devices *f, const char *word, size_t n)
{
	size_t count = 0;

	while (nth(f, word, n, count) < f->count)
		count++;
	return count;
}

/* ---- A spec */

struct pick {
	const char *spec, *source;
	struct devices all;
	struct device *list; /* room for all */
	size_t count;
};

static void take(struct pick *p, size_t i)
{
	const struct device *d = &p->all.list[i];
	size_t j;

	for (j = 0; j < p->count; j++)
		if (p->list[j].found == d->found)
			return;
	p->list[p->count++] = *d;
}

/* The '#' of word[0..n) before a number or "rank" at its end; or NULL. */
static const char *number_sign(const char *word, size_t n)
{
	const char *end = word + n, *at = end;

	while (at > word && at[-1] != '#')
		at--;
	if (at == word || at == end ||
	    (strspn(at, DIGITS) < (size_t)(end - at) &&
	     !(end - at == 4 && !strncmp(at, "rank", 4))))
		return NULL;
	return at - 1;
}

/* Take one of the devices that word[0..n) matches; after it "#2" or "#rank" follows. */
static int take_one_of(struct pick *p, const char *word, size_t n, const char *which)
{
	const size_t count = matching(&p->all, word, n);
	size_t k = strspn(which, DIGITS) > 9 ? count : strtoul(which, NULL, 10);
	int rc = CLOPT_OK;

	if (*which == 'r') {
		TRY(clopt__local_rank(p->spec, p->source, &k));
		k %= count;
	}
	if (k >= count)
		return clopt__fail(NULL, CLOPT_ENODEVICE,
		                   "%s=\"%s\" asks for number %.*s of the devices that match "
		                   "\"%.*s\": there are %zu, numbered from 0",
		                   p->source, p->spec, (int)strspn(which, DIGITS), which, (int)n,
		                   word, count);
	take(p, nth(&p->all, word, n, k));
out:
	return rc;
}

/* Take the devices of one word.  *any: whether it matches some. */
static int take_word(struct pick *p, const char *word, size_t n, int *any)
{
	const struct devices *f = &p->all;
	const char *sign = number_sign(word, n);
	size_t i, k;

	*any = 1;
	if (!strchr("+#*", *word) && (i = nth(f, word, n, 0)) < f->count) {
		take(p, i);
		return CLOPT_OK;
	}
	if (sign && nth(f, word, (size_t)(sign - word), 0) < f->count)
		return take_one_of(p, word, (size_t)(sign - word), sign + 1);
	*any = 0;
	if (n && word[n - 1] == '*')
		for (k = 0; (i = nth(f, word, n - 1, k)) < f->count; k++) {
			take(p, i);
			*any = 1;
		}
	return CLOPT_OK;
}

/* ---- Failures ----------------------------------------------------------------- */

/* What may be wrong with a word that matches no device. */
static const char *hint(const char *word, size_t n)
{
	static const char *const types[] = { "", "cpu", "gpu", "accelerator" };
	const char *type = memchr(word, ':', n);
	size_t i, length;

	if (memchr(word, '#', n) && !number_sign(word, n))
		return " (a number or rank follows #)";
	/* An address has colons too. */
	if (!type || strspn(word, DIGITS "abcdefABCDEF:.") >= n)
		return "";
	type++;
	length = strcspn(type, ":+#*");
	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (is(types[i], type, length))
			return "";
	return " (type is cpu, gpu or accelerator)";
}

static int no_match(const struct pick *p, const char *word, size_t n)
{
	char there[1536];
	struct text t = { there, sizeof there };
	const struct clopt_device_info *info;
	size_t i;

	for (i = 0; i < p->all.count; i++) {
		info = &p->all.list[i].info;
		clopt__say(&t, "%s%zu: %s (%s, %s%s%s)", i ? "; " : "", i, info->name, info->type,
		           info->platform, *info->pci ? ", " : "", info->pci);
	}
	clopt__skipped_text(&p->all, &t);
	if (n == strlen(p->spec))
		return clopt__fail(NULL, CLOPT_ENODEVICE,
		                   "no OpenCL device matches %s=\"%s\"%s; the devices are %s",
		                   p->source, p->spec, hint(word, n), there);
	return clopt__fail(NULL, CLOPT_ENODEVICE,
	                   "no OpenCL device matches \"%.*s\"%s of %s=\"%s\"; the devices are %s",
	                   (int)n, word, hint(word, n), p->source, p->spec, there);
}

/* Print a line for each skipped driver or device, with CLOPT_VERBOSE. */
static void tell(const struct clopt *ctx, const struct devices *f)
{
	size_t i;

	for (i = 0; i < f->skips; i++)
		clopt__notice(ctx, "%s is left out: %s", f->skipped[i].name, f->skipped[i].reason);
}

/* ---- For other rooms ---------------------------------------------------------- */

/* Take the devices of words joined by '+'. */
static int take_words(struct pick *p)
{
	const char *word = p->spec;
	size_t n;
	int any, rc = CLOPT_OK;

	for (;; word += n + 1) {
		n = strcspn(word, "+");
		if (!n)
			return clopt__fail(NULL, CLOPT_EINVAL,
			                   "%s=\"%s\": a device is missing before or after a +",
			                   p->source, p->spec);
		TRY(take_word(p, word, n, &any));
		if (!any)
			return no_match(p, word, n);
		if (!word[n])
			break;
	}
out:
	return rc;
}

int clopt__devices_pick(const char *spec, const char *source, unsigned lifted,
                        const struct clopt *notices, struct device **list, size_t *count)
{
	struct pick p = { .spec = spec, .source = source };
	int any = 0, rc;

	*list = NULL;
	*count = 0;
	rc = clopt__devices(lifted, &p.all);
	if (notices->verbose)
		tell(notices, &p.all);
	if (rc != CLOPT_OK)
		goto out;
	if (!(p.list = malloc(p.all.count * sizeof *p.list)))
		TRY(clopt__fail(NULL, CLOPT_ENOMEM, "no memory for %zu devices", p.all.count));
	if (!spec || !*spec)
		take(&p, 0);
	else
		TRY(take_word(&p, spec, strlen(spec), &any));
	if (!p.count)
		TRY(strchr(spec, '+') ? take_words(&p) : no_match(&p, spec, strlen(spec)));
	*list = p.list;
	*count = p.count;
out:
	if (rc != CLOPT_OK)
		free(p.list);
	clopt__devices_free(&p.all);
	return rc;
}
