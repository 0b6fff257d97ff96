/* SPDX-License-Identifier: MIT */
/*
 * peers_load.c - OpenBLAS and CLBlast, where they are installed.
 */
#include "peers.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct peers_blas peers_blas;
struct peers_clblast peers_clblast;

/* Loads the first of these files that exists; NULL: none does. */
static void *load(const char *const *files)
{
	void *library = NULL;

	for (; *files && !library; files++)
		library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
	return library;
}

/* ISO C does not convert a pointer to an object into one to a function; POSIX does. */
static int find(void *library, const char *name, void (**function)(void))
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof symbol);
	return symbol != NULL;
}

static void load_openblas(void)
{
	static const char *const files[] = { "libopenblas.so.0", "libopenblas.so", NULL };
	char *(*config)(void) = NULL;
	void (*any)(void);
	void *library;

	/* Its threads spin for a while after a call, by default for longer than other libraries'
	 * calls take, which would then have half of the processor. */
	setenv("OPENBLAS_THREAD_TIMEOUT", "20", 0);
	library = load(files);
	if (!library || !find(library, "cblas_sgemm", &peers_blas.gemm[0]) ||
	    !find(library, "cblas_dgemm", &peers_blas.gemm[1]) ||
	    !find(library, "cblas_cgemm", &peers_blas.gemm[2]) ||
	    !find(library, "cblas_zgemm", &peers_blas.gemm[3]) ||
	    !find(library, "cblas_sgemv", &peers_blas.gemv[0]) ||
	    !find(library, "cblas_dgemv", &peers_blas.gemv[1]) ||
	    !find(library, "cblas_somatcopy", &peers_blas.omatcopy[0]) ||
	    !find(library, "cblas_domatcopy", &peers_blas.omatcopy[1]))
		return;
	if (find(library, "openblas_get_config", &any))
		memcpy(&config, &any, sizeof config);
	snprintf(peers_blas.name, sizeof peers_blas.name, "%s", config ? config() : "OpenBLAS");
}

static void load_clblast(void)
{
	static const char *const files[] = { "libclblast.so.1", "libclblast.so", NULL };
	void *library = load(files);

	if (!library || !find(library, "CLBlastSgemm", &peers_clblast.gemm[0]) ||
	    !find(library, "CLBlastDgemm", &peers_clblast.gemm[1]) ||
	    !find(library, "CLBlastSgemmStridedBatched", &peers_clblast.batched[0]) ||
	    !find(library, "CLBlastDgemmStridedBatched", &peers_clblast.batched[1]) ||
	    !find(library, "CLBlastSomatcopy", &peers_clblast.omatcopy[0]) ||
	    !find(library, "CLBlastDomatcopy", &peers_clblast.omatcopy[1]))
		return;
	snprintf(peers_clblast.name, sizeof peers_clblast.name, "CLBlast");
}

void peers_load(void)
{
	/* When PoCL's threads wake together, two can land on one core and stay there for as long as
	 * a product takes.  OpenBLAS's caller is one of its threads. */
	setenv("POCL_AFFINITY", "1", 0);
	load_openblas();
	load_clblast();
}
