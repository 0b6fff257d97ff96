/* SPDX-License-Identifier: MIT */
/*
 * icd.c - an OpenCL driver that does nothing, or misbehaves.
 *
 * Its behaviour is in its own file's name, libfake-WHAT.so:
 *
 *	crash-load, crash-platforms, crash-devices, crash-info
 *	hang-load, hang-platforms, hang-devices, exit-devices
 *	jealous-N    crashes beside another fake driver
 *	shy          crashes while there is FAKE_ICD_SHY
 *	wary         crashes beside an empty .icd file, where Khronos' loader hangs
 *	clover       its platform is called Clover
 *	cards        three devices, which give their PCI addresses in three ways
 *	double       the first of these once more, by another platform
 *	resold       its platform is NVIDIA's, its device AMD's
 *	mute         it lists NVIDIA's extension, and knows no property of it
 *	all others   the only device reports to be a GPU of NVIDIA's that shares the host's memory
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>
#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The layout that the loader expects: first a pointer to the table of calls. */
struct _cl_platform_id {
	const cl_icd_dispatch *dispatch;
};
struct _cl_device_id {
	const cl_icd_dispatch *dispatch;
};

static cl_icd_dispatch calls;
static struct _cl_platform_id platform = { &calls };
static struct _cl_device_id devices[] = { { &calls }, { &calls }, { &calls } };

static const char *own_name(void)
{
	Dl_info about = { .dli_fname = "" };

	dladdr((void *)&calls, &about);
	return about.dli_fname;
}

static int is(const char *what)
{
	return strstr(own_name(), what) != NULL;
}

/* LLVM's handler, which PoCL's use of it leaves, returns once, and then a fault comes again. */
static void crash(void)
{
	for (;;)
		raise(SIGSEGV);
}

static void misbehave(const char *where)
{
	char what[64];

	snprintf(what, sizeof what, "crash-%s", where);
	if (is(what))
		crash();
	snprintf(what, sizeof what, "exit-%s", where);
	if (is(what))
		exit(3);
	snprintf(what, sizeof what, "hang-%s", where);
	while (is(what))
		pause();
}

static int is_rival(struct dl_phdr_info *info, size_t size, void *arg)
{
	return strstr(info->dlpi_name, "/libfake-") && strcmp(info->dlpi_name, own_name()) != 0;
}

__attribute__((constructor)) static void load(void)
{
	misbehave("load");
}

static int sees_empty(void)
{
	const char *path = getenv("OCL_ICD_VENDORS");
	DIR *folder = path ? opendir(path) : NULL;
	struct dirent *e;
	struct stat about;
	int sees = 0;

	while (folder && (e = readdir(folder)))
		sees |= strstr(e->d_name, ".icd") &&
		        !fstatat(dirfd(folder), e->d_name, &about, 0) && !about.st_size;
	if (folder)
		closedir(folder);
	return sees;
}

static cl_int answer(const void *from, size_t size, size_t n, void *to, size_t *needs)
{
	if (to && n < size)
		return CL_INVALID_VALUE;
	if (to)
		memcpy(to, from, size);
	if (needs)
		*needs = size;
	return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t n, void *to, size_t *needs)
{
	return answer(text, strlen(text) + 1, n, to, needs);
}

static cl_int CL_API_CALL platform_info(cl_platform_id p, cl_platform_info what, size_t n, void *to,
                                        size_t *needs)
{
	switch (what) {
	case CL_PLATFORM_NAME:
		return answer_text(is("clover") ? "Clover" :
		                   is("double") ? "Double" :
		                   is("resold") ? "NVIDIA CUDA" :
		                                  "Fake",
		                   n, to, needs);
	case CL_PLATFORM_VENDOR:
		return answer_text("Nobody", n, to, needs);
	case CL_PLATFORM_VERSION:
		return answer_text("OpenCL 1.2 fake", n, to, needs);
	case CL_PLATFORM_PROFILE:
		return answer_text("FULL_PROFILE", n, to, needs);
	case CL_PLATFORM_EXTENSIONS:
		return answer_text("cl_khr_icd", n, to, needs);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return answer_text("FAKE", n, to, needs);
	}
	return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL device_ids(cl_platform_id p, cl_device_type type, cl_uint n,
                                     cl_device_id *list, cl_uint *count)
{
	const cl_uint there = is("cards") ? 3 : 1;
	cl_uint i;

	misbehave("devices");
	if (is("shy") && getenv("FAKE_ICD_SHY"))
		crash();
	if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
		return CL_DEVICE_NOT_FOUND;
	for (i = 0; list && i < n && i < there; i++)
		list[i] = &devices[i];
	if (count)
		*count = there;
	return CL_SUCCESS;
}

/* Where the cards are: the first by Khronos' extensions, then by NVIDIA's and by AMD's. */
static cl_int card_info(size_t i, cl_device_info what, size_t n, void *to, size_t *needs)
{
	static const char *const names[] = { "Card A", "Card B+ #1", "Card C" };
	static const char *const extensions[] = {
		"cl_khr_pci_bus_info cl_khr_device_uuid",
		"cl_nv_device_attribute_query",
		"cl_amd_device_attribute_query",
	};
	static const cl_uint at[] = { 0, 0x1b, 0, 0 };
	static const cl_uint domain = 1, bus = 0x3b, slot = 2;
	static const cl_uint nvidia[] = { 9, 0, 65536, 32 }; /* capability, registers, warp */
	static const cl_uint engines = 2;
	static const unsigned char topology[24] = { [0] = 1, [21] = 0xaf, [23] = 1 };
	static const unsigned char uuid[16] = { 0x8c, 0x1f, 0x2a, 0x90, 0,    0xff, 0x40, 0x11,
		                                0xb2, 7,    6,    5,    0xde, 0xad, 0xbe, 0xef };

	switch (what) {
	case CL_DEVICE_NAME:
		return answer_text(names[i], n, to, needs);
	case CL_DEVICE_EXTENSIONS:
		return answer_text(extensions[i], n, to, needs);
	case 0x410F: /* CL_DEVICE_PCI_BUS_INFO_KHR */
		return i == 0 ? answer(at, sizeof at, n, to, needs) : CL_INVALID_VALUE;
	case 0x106A: /* CL_DEVICE_UUID_KHR */
		return i == 0 ? answer(uuid, sizeof uuid, n, to, needs) : CL_INVALID_VALUE;
	case 0x4000:
	case 0x4001:
	case 0x4003:
		return i == 1 ? answer(&nvidia[what - 0x4000], sizeof *nvidia, n, to, needs) :
		                CL_INVALID_VALUE;
	case 0x4007: /* CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV */
		return i == 1 ? answer(&engines, sizeof engines, n, to, needs) : CL_INVALID_VALUE;
	case 0x4008: /* CL_DEVICE_PCI_BUS_ID_NV, SLOT and DOMAIN */
		return i == 1 ? answer(&bus, sizeof bus, n, to, needs) : CL_INVALID_VALUE;
	case 0x4009:
		return i == 1 ? answer(&slot, sizeof slot, n, to, needs) : CL_INVALID_VALUE;
	case 0x400A:
		return i == 1 ? answer(&domain, sizeof domain, n, to, needs) : CL_INVALID_VALUE;
	case 0x4037: /* CL_DEVICE_TOPOLOGY_AMD */
		return i == 2 ? answer(topology, sizeof topology, n, to, needs) : CL_INVALID_VALUE;
	}
	return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL device_info(cl_device_id d, cl_device_info what, size_t n, void *to,
                                      size_t *needs)
{
	const cl_platform_id of = &platform;
	const cl_device_type type = CL_DEVICE_TYPE_GPU;
	const cl_bool yes = CL_TRUE;
	const cl_uint one = 1, none = 0;
	const cl_ulong bytes = 1 << 20;
	const size_t group = 64;

	misbehave("info");
	if ((is("cards") || is("double")) &&
	    card_info((size_t)(d - devices), what, n, to, needs) == CL_SUCCESS)
		return CL_SUCCESS;
	switch (what) {
	case CL_DEVICE_TYPE:
		return answer(&type, sizeof type, n, to, needs);
	case CL_DEVICE_PLATFORM:
		return answer(&of, sizeof of, n, to, needs);
	case CL_DEVICE_NAME:
		return answer_text("Fake GB10", n, to, needs);
	case CL_DEVICE_VENDOR:
		return answer_text(is("resold") ? "Advanced Micro Devices, Inc." :
		                                  "NVIDIA Corporation",
		                   n, to, needs);
	case CL_DEVICE_EXTENSIONS:
		return answer_text(is("mute") ? "cl_nv_device_attribute_query" : "", n, to, needs);
	case CL_DEVICE_VERSION:
		return answer_text("OpenCL 1.2 fake", n, to, needs);
	case CL_DRIVER_VERSION:
		return answer_text("1.2.3", n, to, needs);
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
	case CL_DEVICE_HOST_UNIFIED_MEMORY:
		return answer(&yes, sizeof yes, n, to, needs);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
	case CL_DEVICE_MAX_CLOCK_FREQUENCY: /* slower than PoCL, which must be picked */
		return answer(&one, sizeof one, n, to, needs);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		return answer(&bytes, sizeof bytes, n, to, needs);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return answer(&group, sizeof group, n, to, needs);
	}
	/* Of what OpenCL 1.2 has it has none; it knows nothing else. */
	return what <= CL_DEVICE_PRINTF_BUFFER_SIZE ? answer(&none, sizeof none, n, to, needs) :
	                                              CL_INVALID_VALUE;
}

static cl_context CL_API_CALL create_context(
        const cl_context_properties *properties, cl_uint n, const cl_device_id *list,
        void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *user, cl_int *code)
{
	*code = CL_DEVICE_NOT_AVAILABLE;
	return NULL;
}

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *list, cl_uint *count)
{
	misbehave("platforms");
	if (is("wary") && sees_empty())
		crash();
	if (is("jealous") && dl_iterate_phdr(is_rival, NULL))
		crash();
	calls.clGetPlatformInfo = platform_info;
	calls.clGetDeviceIDs = device_ids;
	calls.clGetDeviceInfo = device_info;
	calls.clCreateContext = create_context;
	if (list && n)
		list[0] = &platform;
	if (count)
		*count = 1;
	return CL_SUCCESS;
}

/* ISO C has no cast for it. */
static void *address(void (*call)(void))
{
	void *p;

	memcpy(&p, &call, sizeof p);
	return p;
}

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return address((void (*)(void))clIcdGetPlatformIDsKHR);
	if (!strcmp(name, "clGetPlatformInfo"))
		return address((void (*)(void))platform_info);
	return NULL;
}
