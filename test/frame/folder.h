/* SPDX-License-Identifier: MIT */
/*
 * folder.h - folders that tests make, fill and remove.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include <stddef.h>

#define FOLDER_SIZE 256

/* A new, empty one. */
void folder_make(char path[FOLDER_SIZE]);
/* With all that is in it. */
void folder_remove(const char *path);
/* How many files are in it; name, if not NULL, gets the path of one. */
size_t folder_files(const char *path, char name[2 * FOLDER_SIZE]);
/* A file's bytes.  The caller frees what is read. */
unsigned char *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *data, size_t size);

#endif
