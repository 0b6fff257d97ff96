/* SPDX-License-Identifier: MIT */
/*
 * system_windows.c - Windows, by mingw-w64, whose C library has read, write and close.  Files are
 * opened so that other processes may rename and remove them, as on other systems.
 */
#include "system.h"

#ifdef _WIN32
#include <windows.h>

#include <aclapi.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define SHARED (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Set errno from GetLastError.  Returns -1. */
static int failed(void)
{
	switch (GetLastError()) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND:
		errno = ENOENT;
		break;
	case ERROR_FILE_EXISTS:
	case ERROR_ALREADY_EXISTS:
		errno = EEXIST;
		break;
	case ERROR_DISK_FULL:
		errno = ENOSPC;
		break;
	case ERROR_NOT_ENOUGH_MEMORY:
		errno = ENOMEM;
		break;
	default:
		errno = EACCES;
	}
	return -1;
}

/* A descriptor of the C library, which then owns the handle. */
static int descriptor(HANDLE handle, int flags)
{
	int file;

	if (handle == INVALID_HANDLE_VALUE)
		return failed();
	file = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
	if (file < 0)
		CloseHandle(handle);
	return file;
}

/* ---- Files ---------------------------------------------------------------- */

int clopt__open(const char *path, enum open_how how)
{
	/* Without FILE_WRITE_DATA each write is an append, even if other processes write. */
	static const struct {
		DWORD access, how;
		int flags;
	} rows[] = {
		[OPEN_READ] = { GENERIC_READ, OPEN_EXISTING, _O_RDONLY },
		[OPEN_WRITE] = { GENERIC_WRITE, OPEN_EXISTING, _O_WRONLY },
		[OPEN_STREAM] = { GENERIC_WRITE, OPEN_EXISTING, _O_WRONLY },
		[OPEN_NEW] = { GENERIC_WRITE, CREATE_NEW, _O_WRONLY },
		[OPEN_APPEND] = { GENERIC_READ | FILE_APPEND_DATA, OPEN_ALWAYS,
		                  _O_RDWR | _O_APPEND },
	};

	return descriptor(CreateFileA(path, rows[how].access, SHARED, NULL, rows[how].how,
	                              FILE_ATTRIBUTE_NORMAL, NULL),
	                  rows[how].flags);
}

void clopt__close(int file)
{
	close(file);
}

int clopt__replace(const char *from, const char *to)
{
	return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : failed();
}

static int is_slash(char c)
{
	return c == '/' || c == '\\';
}

int clopt__is_absolute(const char *path)
{
	return (is_slash(path[0]) && is_slash(path[1])) ||
	       (path[0] && path[1] == ':' && is_slash(path[2]));
}

char *clopt__full_path(const char *path)
{
	return _fullpath(NULL, path, 0);
}

void clopt__make_folders(char *path)
{
	char *at, slash;

	for (at = path; *at; at++)
		if (at > path && is_slash(*at) && at[-1] != ':') {
			slash = *at;
			*at = '\0';
			CreateDirectoryA(path, NULL);
			*at = slash;
		}
}

/* Windows has no such limit. */
int clopt__file_may_grow(uint64_t bytes)
{
	(void)bytes;
	return 1;
}

/* ---- A folder whose files are trusted */

/* The user who runs this process, for free(); NULL: unknown. */
static TOKEN_USER *user(void)
{
	TOKEN_USER *found = NULL;
	HANDLE token;
	DWORD size = 0;

	if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
		return NULL;
	GetTokenInformation(token, TokenUser, NULL, 0, &size);
	found = malloc(size);
	if (found && !GetTokenInformation(token, TokenUser, found, size, &size)) {
		free(found);
		found = NULL;
	}
	CloseHandle(token);
	return found;
}

/* Whether this user, or one who may write anywhere: the system and administrators.  A file of an
 * administrator belongs to the group of administrators. */
static int is_trusted(PSID who, const TOKEN_USER *self)
{
	return EqualSid(who, self->User.Sid) || IsWellKnownSid(who, WinLocalSystemSid) ||
	       IsWellKnownSid(who, WinBuiltinAdministratorsSid) ||
	       IsWellKnownSid(who, WinCreatorOwnerSid);
}

static int lets_others_write(const ACL *acl, const TOKEN_USER *self)
{
	const DWORD writing = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE |
	                      WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;
	ACCESS_ALLOWED_ACE *ace;
	DWORD i;

	for (i = 0; acl && i < acl->AceCount; i++)
		if (!GetAce((ACL *)acl, i, (void **)&ace) ||
		    (ace->Header.AceType == ACCESS_ALLOWED_ACE_TYPE && (ace->Mask & writing) &&
		     !is_trusted(&ace->SidStart, self)))
			return 1;
	return !acl; /* without a list everybody has all rights */
}

static const char *distrust(HANDLE handle)
{
	BY_HANDLE_FILE_INFORMATION info;
	PSECURITY_DESCRIPTOR security = NULL;
	TOKEN_USER *self = user();
	const char *why = NULL;
	PSID owner;
	ACL *acl;

	if (!self || !GetFileInformationByHandle(handle, &info) ||
	    GetSecurityInfo(handle, SE_FILE_OBJECT,
	                    OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, NULL,
	                    &acl, NULL, &security) != ERROR_SUCCESS)
		why = "its owner is unknown";
	else if (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
		why = "it is a symbolic link";
	else if (!is_trusted(owner, self))
		why = "another user owns it";
	else if (lets_others_write(acl, self))
		why = "other users may write to it";
	LocalFree(security);
	free(self);
	return why;
}

/* Without sharing for removal, so that the path means this folder while it is open. */
static HANDLE open_folder(const char *path)
{
	return CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
	                   OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT,
	                   NULL);
}

const char *clopt__distrusted(const char *path)
{
	const HANDLE handle = open_folder(path);
	const char *why;

	if (handle == INVALID_HANDLE_VALUE)
		return NULL;
	why = distrust(handle);
	CloseHandle(handle);
	return why;
}

int clopt__folder_open(struct folder *folder, const char *path)
{
	const HANDLE handle = open_folder(path);

	*folder = (struct folder){ -1, path };
	if (handle == INVALID_HANDLE_VALUE)
		return failed();
	if (distrust(handle)) {
		CloseHandle(handle);
		errno = EPERM;
		return -1;
	}
	folder->handle = (intptr_t)handle;
	return 0;
}

void clopt__folder_close(struct folder *folder)
{
	if (folder->handle != -1)
		CloseHandle((HANDLE)folder->handle);
	folder->handle = -1;
}

/* The path of a name in the folder; NULL: too long. */
static const char *in_folder(const struct folder *folder, const char *name, char path[MAX_PATH])
{
	const int n = snprintf(path, MAX_PATH, "%s\\%s", folder->path, name);

	if (n > 0 && n < MAX_PATH)
		return path;
	errno = ENAMETOOLONG;
	return NULL;
}

void clopt__folder_names(const struct folder *folder, int (*seen)(void *arg, const char *name),
                         void *arg)
{
	char path[MAX_PATH];
	WIN32_FIND_DATAA found;
	HANDLE find;

	if (!in_folder(folder, "*", path) ||
	    (find = FindFirstFileA(path, &found)) == INVALID_HANDLE_VALUE)
		return;
	while (!seen(arg, found.cFileName) && FindNextFileA(find, &found))
		;
	FindClose(find);
}

/* Windows counts units of 100 ns since 1601. */
static struct about about_of(FILETIME changed, DWORD high, DWORD low)
{
	const uint64_t units = (uint64_t)changed.dwHighDateTime << 32 | changed.dwLowDateTime;

	return (struct about){ (uint64_t)high << 32 | low,
		               (int64_t)(units / 10000000) - INT64_C(11644473600),
		               (long)(units % 10000000) * 100 };
}

int clopt__folder_file(const struct folder *folder, const char *name, struct about *about)
{
	char path[MAX_PATH];
	BY_HANDLE_FILE_INFORMATION info;
	HANDLE handle;

	if (!in_folder(folder, name, path))
		return -1;
	handle = CreateFileA(path, GENERIC_READ | FILE_WRITE_ATTRIBUTES, SHARED, NULL,
	                     OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
	if (handle == INVALID_HANDLE_VALUE)
		return failed();
	if (GetFileType(handle) != FILE_TYPE_DISK || distrust(handle) ||
	    !GetFileInformationByHandle(handle, &info)) {
		CloseHandle(handle);
		errno = EPERM;
		return -1;
	}
	*about = about_of(info.ftLastWriteTime, info.nFileSizeHigh, info.nFileSizeLow);
	return descriptor(handle, _O_RDONLY);
}

int clopt__folder_new(const struct folder *folder, const char *name)
{
	char path[MAX_PATH];

	return in_folder(folder, name, path) ? clopt__open(path, OPEN_NEW) : -1;
}

void clopt__touch(int file)
{
	FILETIME now;

	GetSystemTimeAsFileTime(&now);
	SetFileTime((HANDLE)_get_osfhandle(file), NULL, NULL, &now);
}

int clopt__folder_about(const struct folder *folder, const char *name, struct about *about)
{
	char path[MAX_PATH];
	WIN32_FILE_ATTRIBUTE_DATA info;

	if (!in_folder(folder, name, path))
		return -1;
	if (!GetFileAttributesExA(path, GetFileExInfoStandard, &info))
		return failed();
	*about = about_of(info.ftLastWriteTime, info.nFileSizeHigh, info.nFileSizeLow);
	return 0;
}

int clopt__folder_remove(const struct folder *folder, const char *name)
{
	char path[MAX_PATH];

	return !in_folder(folder, name, path) ? -1 : DeleteFileA(path) ? 0 : failed();
}

int clopt__folder_replace(const struct folder *folder, const char *from, const char *to)
{
	char a[MAX_PATH], b[MAX_PATH];

	return in_folder(folder, from, a) && in_folder(folder, to, b) ? clopt__replace(a, b) : -1;
}

/* ---- The machine ---------------------------------------------------------------- */

/* Windows has no signals that a thread could take. */
int clopt__thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
	return pthread_create(thread, NULL, run, argument);
}

int clopt__cancellation(int may)
{
	int before;

	pthread_setcancelstate(may ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, &before);
	return before == PTHREAD_CANCEL_ENABLE;
}

int clopt__quiet_files(void)
{
	return 0;
}

void clopt__loud_files(int before)
{
	(void)before;
}

unsigned long clopt__lineage(void)
{
	return 0;
}

char **clopt__environment(void)
{
	return _environ;
}

long clopt__processors_online(void)
{
	SYSTEM_INFO info;

	GetSystemInfo(&info);
	return (long)info.dwNumberOfProcessors;
}

size_t clopt__host_memory(void)
{
	MEMORYSTATUSEX status = { .dwLength = sizeof status };

	if (!GlobalMemoryStatusEx(&status))
		return 0;
	return status.ullTotalPhys < SIZE_MAX ? (size_t)status.ullTotalPhys : SIZE_MAX;
}

void *clopt__aligned(size_t align, size_t bytes)
{
	return _aligned_malloc(bytes, align);
}

void clopt__aligned_free(void *memory)
{
	_aligned_free(memory);
}
#endif
