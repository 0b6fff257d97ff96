/* SPDX-License-Identifier: MIT */
/*
 * folder.h - temporary folders and files.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include <stddef.h>

#define FOLDER_SIZE 256

/* Makes an empty folder and returns its path. */
void folder_make(char path[FOLDER_SIZE]);
/* The path of a file in it; eight such texts are valid at a time. */
const char *folder_at(const char *folder, const char *name);
/* Removes a folder and its contents. */
void folder_remove(const char *path);
/* The number of files in a folder; name, if not NULL, gets the path of one of them. */
size_t folder_files(const char *path, char name[2 * FOLDER_SIZE]);
/* Reads or writes a whole file.  The caller frees the data read. */
unsigned char *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *data, size_t size);

#endif
