/* SPDX-License-Identifier: MIT */
/*
 * traits.c - the words of traits.
 */
#include <stdio.h>

#include "traits.h"

const char *clopt__traits_text(unsigned traits, char *text, size_t size)
{
	static const char *const words[] = {
#define TRAIT_WORD(bit, word) word,
		TRAITS(TRAIT_WORD)
	};
	size_t used = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < TRAIT_COUNT && used < size; i++)
		if (traits & 1u << i)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "",
			                         words[i]);
	return text;
}
