/* SPDX-License-Identifier: MIT */
/*
 * json_text.h - any text as a string of JSON.
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <jansson.h>

/* With '?' for each byte beyond ASCII if it is no UTF-8, as the name of a file may be.
 * NULL for want of memory. */
json_t *json_text(const char *s);

#endif
