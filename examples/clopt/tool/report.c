/* SPDX-License-Identifier: MIT */
/*
 * report.c - results are rows of JSON, from which tables and CSV are made.
 */
#include <math.h>
#include <string.h>

#include "tool.h"

#include "../../common/progress.h"
#include "../../common/json_text.h"

enum {
	CELL = 512,
	MOST_COLUMNS = 24
};

json_t *tool_json_text(const char *text)
{
	return text ? json_text(text) : json_null();
}

json_t *tool_json_known(double x)
{
	return x > 0.0 && isfinite(x) ? json_real(x) : json_null();
}

int tool_json_print(json_t *json)
{
	int rc = 0;

	progress_hide();
	if (!json || json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0)
		rc = tool_tell("the JSON could not be made or written");
	putchar('\n');
	json_decref(json);
	return rc;
}

static void cell_of_value(const json_t *value, const struct tool_column *c, char *text)
{
	if (json_is_string(value))
		snprintf(text, CELL, "%s", json_string_value(value));
	else if (json_is_boolean(value))
		snprintf(text, CELL, "%s", !json_is_true(value) ? "" : c->format);
	else if (json_is_number(value))
		snprintf(text, CELL, c->format ? c->format : "%.0f",
		         json_number_value(value) * c->times);
}

/* "" if no key of the column has a value. */
static void cell_of_row(const json_t *row, const struct tool_column *c, char text[CELL])
{
	const char *key = c->key;
	char name[64], one[CELL];
	size_t n, used = 0;

	for (*text = '\0'; *key; key += n + (key[n] == ' ')) {
		n = strcspn(key, " ");
		snprintf(name, sizeof name, "%.*s", (int)n, key);
		*one = '\0';
		cell_of_value(json_object_get(row, name), c, one);
		used = strlen(text);
		snprintf(text + used, CELL - used, "%s%s", used && *one ? ": " : "", one);
	}
}

static size_t width_of(const json_t *rows, const struct tool_column *c)
{
	const char *const none = c->none ? c->none : "-";
	size_t width = strlen(c->head), i;
	json_t *row;
	char text[CELL];

	json_array_foreach(rows, i, row)
	{
		cell_of_row(row, c, text);
		if (strlen(*text ? text : none) > width)
			width = strlen(*text ? text : none);
	}
	return width;
}

void tool_table(FILE *to, const json_t *rows, const struct tool_column *columns)
{
	size_t width[MOST_COLUMNS] = { 0 }, n, k, i, count = json_array_size(rows);
	char text[CELL];

	for (n = 0; n < MOST_COLUMNS && columns[n].head; n++)
		width[n] = width_of(rows, &columns[n]);
	for (i = 0; i <= count; i++) /* the heads, then the rows */
		for (k = 0; k < n; k++) {
			const struct tool_column *c = &columns[k];
			const int left = !c->format || *c->format == '*';

			if (i == 0)
				snprintf(text, sizeof text, "%s", c->head);
			else
				cell_of_row(json_array_get(rows, i - 1), c, text);
			/* No blanks at the end of a line. */
			fprintf(to, "%*s%s",
			        k + 1 == n && left ? 0 : (left ? -1 : 1) * (int)width[k],
			        *text || i == 0 ? text :
			        c->none         ? c->none :
			                          "-",
			        k + 1 == n ? "\n" : "  ");
		}
}

void tool_csv(FILE *to, const json_t *rows, const char *const *names, int head)
{
	char text[CELL];
	json_t *row;
	size_t i, k;

	for (k = 0; head && names[k]; k++)
		fprintf(to, "%s%s", names[k], names[k + 1] ? "," : "\n");
	json_array_foreach(rows, i, row)
	{
		for (k = 0; names[k]; k++) {
			const json_t *value = json_object_get(row, names[k]);
			const struct tool_column c = TOOL_NUMBER(
			        NULL, NULL, json_is_integer(value) ? "%.0f" : "%.9g", 1);

			strcpy(text, json_is_true(value) ? "1" : json_is_false(value) ? "0" : "");
			if (!json_is_boolean(value))
				cell_of_value(value, &c, text);
			fprintf(to, strchr(text, ',') ? "\"%s\"%s" : "%s%s", text,
			        names[k + 1] ? "," : "\n");
		}
	}
}
