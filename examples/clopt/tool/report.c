/* SPDX-License-Identifier: MIT */
/*
 * table.c - text in columns that are as wide as their widest cell.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* The next cell, row by row.  What does not fit a cell is cut. */
void tool_table_add(struct tool_table *t, const char *format, ...)
{
	size_t room = t->room ? 2 * t->room : 64;
	char(*cell)[TOOL_CELL];
	va_list args;

	if (t->used == t->room) {
		cell = realloc(t->cell, room * sizeof *cell);
		if (!cell) {
			t->failed = 1;
			return;
		}
		t->cell = cell;
		t->room = room;
	}
	va_start(args, format);
	vsnprintf(t->cell[t->used], sizeof *t->cell, format, args);
	va_end(args);
	t->used++;
}

void tool_table_print(struct tool_table *t, FILE *to)
{
	size_t width[16] = { 0 }, i, column;

	if (t->failed)
		fprintf(to, "(not enough memory for the whole table)\n");
	for (i = 0; i < t->used; i++) {
		column = i % t->columns;
		if (strlen(t->cell[i]) > width[column])
			width[column] = strlen(t->cell[i]);
	}
	for (i = 0; i < t->used; i++) {
		column = i % t->columns;
		if (column + 1 == t->columns && t->align[column] == 'l')
			fprintf(to, "%s", t->cell[i]); /* no blanks at the end of a line */
		else
			fprintf(to, t->align[column] == 'l' ? "%-*s" : "%*s", (int)width[column],
			        t->cell[i]);
		fprintf(to, "%s", column + 1 == t->columns ? "\n" : "  ");
	}
}

void tool_table_clear(struct tool_table *t)
{
	free(t->cell);
	t->cell = NULL;
	t->used = t->room = 0;
	t->failed = 0;
}
