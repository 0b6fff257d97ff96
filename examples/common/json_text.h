/* SPDX-License-Identifier: MIT */
/*
 * json_text.h - any text as a string of JSON, and objects of JSON.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>

/* With '?' for each byte beyond ASCII if it is no UTF-8, as the name of a file may be.
 * NULL for want of memory. */
json_t *json_text(const char *s);

/* An object that is filled key by key.  jansson's calls take over a value and pass on a failure to
 * make it; bad keeps the first failure, so that the callers need not look. */
struct sheet {
	json_t *o;
	int bad;
};

struct sheet sheet_new(void);
void sheet_put(struct sheet *t, const char *key, json_t *value);
void sheet_text(struct sheet *t, const char *key, const char *s);
void sheet_count(struct sheet *t, const char *key, double n);
void sheet_number(struct sheet *t, const char *key, double v); /* null unless it is finite */
void sheet_vector(struct sheet *t, const char *key, const double v[3]);

/* Appends the object to the list, which keeps it. */
void sheet_append(struct sheet *t, json_t *list, struct sheet *item);

/* Writes the object with so many digits, and frees it.  -1 if any of this failed. */
int sheet_print(struct sheet *t, FILE *f, size_t digits);

#endif
