/* SPDX-License-Identifier: MIT */
/*
 * retarget.c - turns PTX for sm_90 into PTX for sm_90a.
 *
 * Hopper's warpgroup instructions need the target sm_90a, and NVIDIA's OpenCL compiler only makes
 * sm_90.  So kernels write these instructions in inline assembly as comments that begin with //@.
 * The compiler fills in the operands, and its assembler skips the comments.  Here they become
 * instructions, in the text that the driver gives as the program's binary.
 *
 * A kernel may also limit its registers, so that several groups fit on a compute unit at a time.
 * OpenCL has no build option for this.
 *
 * Unexpected text is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static const char target[] = ".target sm_90";
static const char mark[] = "//@";

/* The end of a line: its '\n', or the end of the text. */
static const char *line_end(const char *line)
{
	return line + strcspn(line, "\n");
}

static const char *last_solid(const char *from, const char *to)
{
	while (to > from && strchr(" \t\r\n", to[-1]))
		to--;
	return to > from ? to - 1 : NULL;
}

/* Count the lines that begin with ".target", and find the one for sm_90. */
static size_t targets(const char *text, const char **found)
{
	const size_t n = sizeof target - 1;
	size_t count = 0;

	*found = NULL;
	for (; *text; text = line_end(text), text += *text == '\n') {
		if (strncmp(text, ".target", 7))
			continue;
		count++;
		if (!strncmp(text, target, n) && strchr(", \t\r\n", text[n]) && text[n])
			*found = text;
	}
	return count;
}

/* Turn the marks into blanks.  Returns their number, or 0 if a marked line is not a whole
 * instruction. */
static size_t unmark(char *text)
{
	size_t count = 0;
	char *at;
	const char *end;

	for (at = text; (at = strstr(at, mark)); count++) {
		end = last_solid(at, line_end(at));
		if (at[3] < 'a' || at[3] > 'z' || *end != ';')
			return 0;
		memset(at, ' ', sizeof mark - 1);
	}
	return count;
}

/* Where further directives go: after the group size of the only kernel that has one.  Or NULL. */
static char *directives(char *text)
{
	static const char size[] = "\n.reqntid ";
	char *at = strstr(text, size);

	return at && !strstr(at + 1, size) ? at + 1 + strcspn(at + 1, "\n") : NULL;
}

char *clopt__retarget(const char *ptx, size_t size, unsigned groups, const char **why)
{
	const char *at, *end;
	char *text, *more = NULL, directive[40];
	size_t head;

	*why = NULL;
	while (size && !ptx[size - 1])
		size--;
	end = last_solid(ptx, ptx + size);
	while (end && end > ptx && end[-1] != '\n')
		end--;
	if (memchr(ptx, '\0', size)) {
		*why = "the driver's binary is not PTX text";
		return NULL;
	}
	/* A comment may follow. */
	if (!end || *end != '}') {
		*why = "the driver's PTX does not end with a function";
		return NULL;
	}
	text = malloc(size + 2 + sizeof directive);
	if (!text)
		return NULL;
	memcpy(text, ptx, size);
	text[size] = '\0';
	if (targets(text, &at) != 1 || !at)
		*why = "the driver's PTX is not for the one target sm_90";
	else if (!unmark(text))
		*why = "the driver's PTX lacks the marked instructions";
	more = directives(text);
	if (groups > 1 && !more)
		*why = "the driver's PTX does not have one kernel with the size of its "
		       "groups";
	if (*why) {
		free(text);
		return NULL;
	}
	if (more) { /* after the target's line, so `at' stays valid */
		size = (size_t)snprintf(directive, sizeof directive, "\n.minnctapersm %u", groups);
		memmove(more + size, more, strlen(more) + 1);
		memcpy(more, directive, size);
	}
	head = (size_t)(at - text) + sizeof target - 1;
	memmove(text + head + 1, text + head, strlen(text + head) + 1);
	text[head] = 'a';
	return text;
}
