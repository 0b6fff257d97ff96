/* SPDX-License-Identifier: MIT */
/*
 * words.h - words of command lines: whole numbers with a unit, and names that were misspelt.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

/* 1 and the value of 4096, 1e3, 64K, 1.5M: K, M, G and T are powers of 1024, as in CLOPT_MEM_LIMIT.
 * 0: the word is no finite number. */
int words_number(const char *word, double *value);

/* The same for sizes: 1 if it is a whole number that a size_t holds exactly. */
int words_size(const char *word, size_t *value);

/* Whether the word is a number below zero, which getopt would take for options. */
int words_negative(const char *word);

/* Names, one by one; the last is NULL. */
typedef const char *words_name(const void *of, size_t i);

/* The name that the word was probably meant to be; NULL if none is near. */
const char *words_near(const char *word, words_name *name, const void *of);

/* The same of "--option" or "--option=value", without the dashes; NULL also if an option's name
 * begins with it. */
const char *words_near_option(const char *word, words_name *name, const void *of);

#endif
