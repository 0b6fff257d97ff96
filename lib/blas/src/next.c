/* SPDX-License-Identifier: MIT */
/*
 * next.c - finds the next BLAS, name by name: in the file that CLOPT_BLAS_NEXT names; after this
 * library in the dynamic linker's order; or in an object loaded with local symbols, as Python's
 * extensions are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"

static void *file_handle;

void clopt__blas_next_file(const char *file)
{
	file_handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!file_handle)
		fprintf(stderr, "clopt-blas: CLOPT_BLAS_NEXT=%s: %s\n", file, dlerror());
}

static int is_in(void *symbol, const Dl_info *object)
{
	Dl_info found;

	return symbol && dladdr(symbol, &found) && found.dli_fbase == object->dli_fbase;
}

/* Whether the symbol is in this library, or in another copy of it: two would call each other
 * forever.  A copy has a name that no other BLAS has. */
static int is_drop_in(void *symbol)
{
	Dl_info found;
	void *object;
	int is;

	if (!dladdr(symbol, &found))
		return 0;
	object = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	is = is_in(clopt__blas_least, &found) ||
	     (object && is_in(dlsym(object, "clopt_blas_calls"), &found));
	if (object)
		dlclose(object);
	return is;
}

static void *symbol_of(void *handle, const char *name)
{
	void *symbol = handle ? dlsym(handle, name) : NULL;

	return symbol && !is_drop_in(symbol) ? symbol : NULL;
}

/* File names, each ended by a zero byte. */
struct names {
	char *text;
	size_t bytes;
};

static int add_name(struct dl_phdr_info *info, size_t size, void *data)
{
	struct names *names = data;
	const size_t bytes = strlen(info->dlpi_name) + 1;
	char *text = realloc(names->text, names->bytes + bytes);

	(void)size;
	if (!text)
		return 1;
	memcpy(text + names->bytes, info->dlpi_name, bytes);
	names->text = text;
	names->bytes += bytes;
	return 0;
}

/* Find the routine in a loaded object.  Objects must not be opened while they are listed, so file
 * names are collected first. */
static void *loaded(const char *name)
{
	struct names names = { NULL, 0 };
	void *symbol = NULL, *handle;
	const char *file;

	dl_iterate_phdr(add_name, &names);
	for (file = names.text; !symbol && file && file < names.text + names.bytes;
	     file += strlen(file) + 1) {
		handle = *file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
		symbol = symbol_of(handle, name);
		if (handle && !symbol)
			dlclose(handle); /* otherwise the object stays loaded */
	}
	free(names.text);
	return symbol;
}

void clopt__blas_about(const struct next *next, char *text, size_t size)
{
	static const char *const names[] = {
		"openblas_get_config",       "openblas_get_config64_",
		"scipy_openblas_get_config", "scipy_openblas_get_config64_",
		"bli_info_get_version_str",  "MKL_Get_Version_String"
	};
	const char *(*version)(void);
	void (*mkl)(char *, int);
	char version_text[256] = "";
	void *object, *symbol = NULL;
	Dl_info found;
	size_t i;

	if (!dladdr(*(void *const *)(const void *)&next->call, &found) || !found.dli_fname) {
		snprintf(text, size, "the file of the BLAS is not known");
		return;
	}
	object = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	for (i = 0; object && !symbol && i < sizeof names / sizeof *names; i++)
		symbol = dlsym(object, names[i]);
	if (symbol && *names[i - 1] == 'M') {
		memcpy(&mkl, &symbol, sizeof mkl);
		mkl(version_text, sizeof version_text);
	} else if (symbol) {
		memcpy(&version, &symbol, sizeof version);
		snprintf(version_text, sizeof version_text, "%s%s",
		         *names[i - 1] == 'b' ? "BLIS " : "", version());
	}
	snprintf(text, size, "%s, %s", found.dli_fname,
	         *version_text ? version_text : "version not known");
	if (object)
		dlclose(object);
}

void clopt__blas_find(struct next *next)
{
	void (*call)(void);
	void *symbol;

	if (__atomic_load_n(&next->sought, __ATOMIC_ACQUIRE))
		return;
	symbol = symbol_of(file_handle, next->name);
	if (!symbol)
		symbol = symbol_of(RTLD_NEXT, next->name);
	if (!symbol)
		symbol = loaded(next->name);
	memcpy(&call, &symbol, sizeof call); /* a conversion that POSIX allows and ISO C lacks */
	__atomic_store_n(&next->call, call, __ATOMIC_RELEASE);
	__atomic_store_n(&next->sought, 1, __ATOMIC_RELEASE);
}
