/* SPDX-License-Identifier: MIT */
/*
 * write.h - results as files and as summaries.
 */
#ifndef GEM_WRITE_H
#define GEM_WRITE_H

#include "../compute/compute.h"
#include "../draw/draw.h"
#include "../options/options.h"

/* ----------------------------------------------------- csv.c, ply.c, dx.c ---- */

/* x,y,z,value as APBS's multivalue has it, and with the field Ex,Ey,Ez and,
 * where there are normals, En. */
int gem_write_csv(const char *path, const struct gem_points *p, const struct gem_result *r,
                  struct fault *e);
int gem_write_ply(const char *path, const struct gem_points *p, const struct gem_result *r,
                  double range, const struct gem_unit *unit, struct fault *e);
int gem_write_dx(const char *path, const struct gem_grid *g, const float *value,
                 const struct gem_unit *unit, struct fault *e);
int gem_write_groups(const char *path, const struct gem_groups *g, struct fault *e);

/* ------------------------------------------------- summary.c, json.c ---- */

#define GEM_FILES 5

struct gem_summary {
	const struct gem_settings *o;
	const struct gem_molecule *m;
	const struct gem_points *p;
	const struct gem_model *model;
	const struct gem_grid *grid; /* NULL: none */
	const struct gem_groups *groups; /* NULL: none */
	const struct gem_result *r;
	struct gem_range range;
	const char *file[GEM_FILES]; /* written */
	size_t files;
};

/* The i-th warning about the input; 0 after the last. */
int gem_warning(const struct gem_summary *s, size_t i, char *text, size_t size);

int gem_summary_text(const struct gem_summary *s, FILE *f, struct fault *e);
int gem_summary_json(const struct gem_summary *s, FILE *f, struct fault *e);

#endif
