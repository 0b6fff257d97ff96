/* SPDX-License-Identifier: MIT */
/*
 * elsewhere.c - values of HDF5's data sets that are in other files, or nowhere.
 *
 * For values that are not there, libhdf5 gives fill values without a word.  It looks for other
 * files also in the working directory.  Here they have to be beside the file that names them, or
 * have a whole path.
 */
#include "snapshot.h"

#ifdef WITH_HDF5

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#define DIMENSIONS 32 /* the most that there are */

static char why[480];

static const char *say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	return why;
}

/* The path of a file that is named in the file of a data set. */
static void beside(hid_t set, const char *name, char *path, size_t room)
{
	char own[4096] = "";
	const char *slash;

	H5Fget_name(set, own, sizeof own);
	slash = *name == '/' ? NULL : strrchr(own, '/');
	snprintf(path, room, "%.*s%s", slash ? (int)(slash - own + 1) : 0, own, name);
}

/* An external link found its file in the working directory: only there libhdf5 gives no whole path.
 * path is that of the file where the link may be. */
static const char *astray(hid_t set, const char *path)
{
	char own[4096] = "";

	H5Fget_name(set, own, sizeof own);
	return *own == '/' || strcmp(own, path) == 0 ?
	               NULL :
	               say("its values are in %.300s, which is not beside the file", own);
}

/* External storage: bytes of other files. */
static const char *outside(hid_t set, hid_t list)
{
	hid_t space = H5Dget_space(set), type = H5Dget_type(set);
	hsize_t left = (hsize_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type), size;
	const int n = H5Pget_external_count(list);
	char name[2048] = "", path[6200];
	struct stat about;
	off_t offset;
	int i;

	H5Tclose(type);
	H5Sclose(space);
	for (i = 0; i < n && left; i++) {
		if (H5Pget_external(list, (unsigned)i, sizeof name - 1, name, &offset, &size) < 0)
			return say("libhdf5 does not tell its other files");
		beside(set, name, path, sizeof path);
		if (size > left)
			size = left; /* H5F_UNLIMITED, too */
		left -= size;
		if (stat(path, &about))
			return say("its values are in the file %.300s, which is not there", path);
		if ((hsize_t)about.st_size < (hsize_t)offset + size)
			return say(
			        "its values are in the file %.300s, which has %lld bytes of %llu",
			        path, (long long)about.st_size,
			        (unsigned long long)((hsize_t)offset + size));
	}
	return left ? say("its other files have too few bytes for it") : NULL;
}

static const char *complete(hid_t set, int depth);

/* What a virtual data set takes from another, which has to have it. */
static const char *source(hid_t set, hid_t list, size_t i, int depth)
{
	hsize_t from[DIMENSIONS], to[DIMENSIONS], size[DIMENSIONS];
	char name[2048] = "", object[1024] = "", path[6200];
	hid_t file, other, space, have, part;
	const char *bad = NULL;
	int k, n;

	H5Pget_virtual_filename(list, i, name, sizeof name);
	H5Pget_virtual_dsetname(list, i, object, sizeof object);
	if (strchr(name, '%') || strchr(object, '%'))
		return say("its values are in files by the pattern %.200s: make one data set of "
		           "them",
		           name);
	beside(set, name, path, sizeof path);
	file = strcmp(name, ".") == 0 ? H5Iget_file_id(set) :
	                                H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (file < 0)
		return say("its values are in the file %.300s, which is not there, or not HDF5",
		           path);
	other = H5Dopen2(file, object, H5P_DEFAULT);
	if (other < 0) {
		H5Fclose(file);
		return say(
		        "its values are in %.100s of the file %.200s, which has no such data set",
		        object, path);
	}
	if (strcmp(name, ".") != 0)
		bad = astray(other, path);
	space = H5Pget_virtual_srcspace(list, i);
	have = H5Dget_space(other);
	n = H5Sget_simple_extent_dims(have, size, NULL);
	if (bad) {
		n = 0;
	} else if (H5Sget_select_type(space) == H5S_SEL_ALL) {
		part = H5Pget_virtual_vspace(list, i);
		if (H5Sget_simple_extent_npoints(have) != H5Sget_select_npoints(part))
			bad = say("%.100s of the file %.200s has another size than its part here",
			          object, path);
		H5Sclose(part);
		n = 0;
	} else if (H5Sget_select_bounds(space, from, to) < 0 ||
	           n != H5Sget_simple_extent_ndims(space))
		bad = say("its part of the file %.300s has no fixed size", path);
	for (k = 0; k < n && !bad; k++)
		if (to[k] >= size[k])
			bad = say(
			        "%.100s of the file %.200s is smaller than the part of it that is "
			        "asked for",
			        object, path);
	H5Sclose(have);
	H5Sclose(space);
	if (!bad)
		bad = complete(other, depth + 1);
	H5Dclose(other);
	H5Fclose(file);
	return bad;
}

/* A virtual data set: each of its elements has to be in a part of another. */
static const char *sources(hid_t set, hid_t list, int depth)
{
	const hsize_t zero[DIMENSIONS] = { 0 };
	hsize_t size[DIMENSIONS], start[DIMENSIONS], stride[DIMENSIONS], count[DIMENSIONS];
	hid_t left = H5Dget_space(set), part;
	const char *bad = NULL;
	hssize_t missing;
	size_t n = 0, i;

	H5Sget_simple_extent_dims(left, size, NULL);
	H5Sselect_hyperslab(left, H5S_SELECT_SET, zero, NULL, size, NULL);
	missing = H5Sget_select_npoints(left);
	H5Pget_virtual_count(list, &n);
	for (i = 0; i < n && !bad; i++) {
		bad = source(set, list, i, depth);
		part = H5Pget_virtual_vspace(list, i);
		if (H5Sget_select_type(part) == H5S_SEL_ALL)
			missing = 0;
		/* libhdf5 1.10 crashes in H5Scombine_select. */
		if (missing > 0 && (H5Sis_regular_hyperslab(part) <= 0 ||
		                    H5Sget_regular_hyperslab(part, start, stride, count, size) < 0))
			bad = "its parts in other files are no regular ones";
		else if (missing > 0 && H5Sselect_hyperslab(left, H5S_SELECT_NOTB, start, stride,
		                                            count, size) >= 0)
			missing = H5Sget_select_npoints(left);
		H5Sclose(part);
	}
	H5Sclose(left);
	if (!bad && missing != 0)
		bad = say("%lld of its values are in no file", (long long)missing);
	return bad;
}

/* Chunks and blocks that were written. */
static const char *written(hid_t set, hid_t list)
{
	H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
	hsize_t chunk[DIMENSIONS], size[DIMENSIONS], found = 0, chunks = 1;
	hid_t space;
	int i, n;

	/* The status counts bytes, and is wrong where these are compressed. */
	H5Dget_space_status(set, &status);
	if (H5Pget_layout(list) == H5D_CHUNKED) {
		space = H5Dget_space(set);
		n = H5Sget_simple_extent_dims(space, size, NULL);
		H5Pget_chunk(list, n, chunk);
		for (i = 0; i < n; i++)
			chunks *= (size[i] + chunk[i] - 1) / chunk[i];
		H5Dget_num_chunks(set, space, &found);
		H5Sclose(space);
		status = found < chunks ? H5D_SPACE_STATUS_NOT_ALLOCATED :
		                          H5D_SPACE_STATUS_ALLOCATED;
	}
	return status == H5D_SPACE_STATUS_ALLOCATED ? NULL :
	       found > 0 ? say("%llu of its %llu chunks were never written",
	                       (unsigned long long)(chunks - found), (unsigned long long)chunks) :
	                   "its values were never written";
}

static const char *complete(hid_t set, int depth)
{
	hid_t list = H5Dget_create_plist(set);
	const H5D_layout_t layout = H5Pget_layout(list);
	const char *bad = depth > 8             ? say("its values lead from file to file") :
	                  layout == H5D_VIRTUAL ? sources(set, list, depth) :
	                  H5Pget_external_count(list) > 0 ? outside(set, list) :
	                                                    written(set, list);

	H5Pclose(list);
	return bad;
}

const char *elsewhere(hid_t set, const char *path)
{
	hid_t list = H5Dget_create_plist(set);
	const int other = H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) > 0;
	const char *why_astray;
	char own[4096] = "";

	H5Pclose(list);
	H5Fget_name(set, own, sizeof own);
	if (!path && (other || strcmp(own, "bodies in memory") != 0))
		return say(
		        "its values are in other files: give the file by its name, not compressed");
	why_astray = path ? astray(set, path) : NULL;
	return why_astray ? why_astray : complete(set, 0);
}

const char *unreadable(hid_t set)
{
	hid_t list = H5Dget_create_plist(set);
	const int n = H5Pget_nfilters(list);
	const char *reason = "libhdf5 cannot read its numbers";
	H5Z_filter_t filter;
	char name[80];
	size_t none;
	int i;

	for (i = 0; i < n; i++) {
		none = *name = 0;
		filter = H5Pget_filter2(list, (unsigned)i, NULL, &none, NULL, sizeof name, name,
		                        NULL);
		if (H5Zfilter_avail(filter) <= 0)
			reason = say(
			        "it is compressed by %.80s (filter %d), which libhdf5 lacks here; "
			        "h5repack -f GZIP=1 helps where it is installed",
			        name, (int)filter);
	}
	H5Pclose(list);
	return reason;
}

#endif
