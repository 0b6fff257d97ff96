/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h - snapshots of GADGET's kind, in one file or in several, of one layout or another.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "nb.h"

/* One file of a snapshot, and its header. */
struct part {
	const struct text *text;
	int named; /* 1: text->name is the name of a file, beside which others are */
	double count[NB_TYPES], total[NB_TYPES]; /* particles in this file, and in all */
	double mass[NB_TYPES]; /* 0: each particle has its own */
	double files; /* of the snapshot; 0 and 1 are the same */
	double time, redshift, hubble, box; /* time NaN: none; the others 0 */
	int comoving; /* 1: the file says that space expands, 0: that it does not, -1: nothing */
	int empty; /* 1: counts are told, but there are no particles */
	struct nb_scale scale; /* its powers */
	/* Those of a layout. */
	const char *path; /* HDF5: NULL if the file is in memory */
	long long file;
	int big;
	size_t block[4], size[4]; /* where POS, VEL, ID and MASS are; bytes of a number */
};

struct layout {
	int (*is)(const struct text *t);
	int (*open)(struct part *p, struct fault *e); /* close is called after a failure, too */
	int (*units)(struct nb_system *s, const struct part *p, struct fault *e);
	/* Those of a type, from body `first` on. */
	int (*particles)(struct nb_system *s, struct part *p, int type, size_t first,
	                 struct fault *e);
	void (*close)(struct part *p);
};

int snapshot_parse(struct nb_system *s, const struct text *t, int named,
                   const struct layout *layout, struct fault *e);

/* Puts particle i, counted from 0 in its type and file; numbers are those of nb_system_put. */
int snapshot_put(struct nb_system *s, const struct part *p, int type, size_t i, size_t body,
                 const double v[7], struct fault *e);

#ifdef WITH_HDF5
#include <hdf5.h>

/* NULL if all values of the data set are there, in the snapshot's file or in others beside it; else
 * why not, until the next call.  path is the file's; NULL: it is in memory, beside nothing. */
const char *elsewhere(hid_t set, const char *path);
const char *unreadable(hid_t set); /* why libhdf5 could not read it */
#endif

#endif
