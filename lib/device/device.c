/* SPDX-License-Identifier: MIT */
/*
 * device.c - describes and scores devices.
 *
 * Only this file reads the strings of devices.  They become traits, and all rooms above ask for
 * traits; a new kind of device is a row here.
 */
#include <stdio.h>
#include <string.h>

#include "../base/text.h"
#include "device.h"

/* From vendors' extensions, by their published numbers. */
#define NV_COMPUTE_CAPABILITY_MAJOR 0x4000
#define NV_COMPUTE_CAPABILITY_MINOR 0x4001
#define NV_WARP_SIZE 0x4003
#define NV_ASYNC_ENGINE_COUNT 0x4007
#define NV_PCI_BUS_ID 0x4008
#define NV_PCI_SLOT_ID 0x4009
#define NV_PCI_DOMAIN_ID 0x400A
#define AMD_TOPOLOGY 0x4037
#define AMD_TOPOLOGY_PCIE 1
#define AMD_WAVEFRONT_WIDTH 0x4043
#define KHR_PCI_BUS_INFO 0x410F
#define KHR_DEVICE_UUID 0x106A

static const struct {
	const char *word; /* in the vendor's name, ignoring case */
	const char *family;
	unsigned traits; /* of its GPUs */
} families[] = {
	{ "nvidia", "nvidia", T_NVIDIA }, { "advanced micro devices", "amd", T_AMD },
	{ "amd", "amd", T_AMD },          { "qualcomm", "qualcomm", T_FLOAT4 | T_TEXTURE },
	{ "intel", "intel", 0 },          { "arm", "arm", T_FLOAT4 },
	{ "apple", "apple", 0 },
};

/* AMD's GPUs with matrix instructions, by how the compiler's name of the target begins. */
static const struct {
	const char *target;
	unsigned trait;
} matrix_units[] = {
	{ "gfx90a", T_MFMA }, { "gfx942", T_MFMA }, { "gfx11", T_WMMA }, { "gfx120", T_WMMA12 }
};

/* A device that is queried for its properties. */
struct asked {
	cl_device_id id;
	/* The first failure, and its property. */
	cl_int code;
	cl_device_info what;
};

/* All properties here belong to OpenCL 1.2, or to the first version of an extension that the device
 * lists.  So a failure is kept: otherwise the device would count as another one, with slower
 * rows. */
static size_t ask(struct asked *a, cl_device_info what, size_t size, void *value)
{
	size_t length = 0;
	const cl_int code = clGetDeviceInfo(a->id, what, size, value, &length);

	if (code != CL_SUCCESS && a->code == CL_SUCCESS) {
		a->code = code;
		a->what = what;
	}
	return code == CL_SUCCESS ? length : 0;
}

static cl_ulong number(struct asked *a, cl_device_info what)
{
	union {
		cl_uint narrow;
		cl_ulong wide;
	} value = { .wide = 0 };
	const size_t size = ask(a, what, sizeof value, &value);

	return size == sizeof value.narrow ? value.narrow : size ? value.wide : 0;
}

#define MOST_TEXT 16384 /* of the extensions, the longest text */

/* Drivers pad names with blanks, and may end them with a NUL. */
static void trim(const char *whole, char *text, size_t size)
{
	const char *start = whole + strspn(whole, " \t");
	size_t length = strlen(start);

	while (length && strchr(" \t\n", start[length - 1]))
		length--;
	snprintf(text, size, "%.*s", (int)length, start);
}

static void string(struct asked *a, cl_device_info what, char *text, size_t size)
{
	char whole[MOST_TEXT] = "";

	ask(a, what, sizeof whole - 1, whole);
	trim(whole, text, size);
}

static int platform_string(cl_platform_id platform, cl_platform_info what, char *text, size_t size)
{
	char whole[MOST_TEXT] = "";
	int rc = CLOPT_OK;

	TRY_CL(NULL, clGetPlatformInfo(platform, what, sizeof whole - 1, whole, NULL));
	trim(whole, text, size);
out:
	return rc;
}

int clopt__platform_read(cl_platform_id platform, struct clopt_device_info *info)
{
	int rc = CLOPT_OK;

	memset(info, 0, sizeof *info);
	info->size = sizeof *info;
	TRY(platform_string(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform));
	TRY(platform_string(platform, CL_PLATFORM_VENDOR, info->vendor, sizeof info->vendor));
	TRY(platform_string(platform, CL_PLATFORM_VERSION, info->driver, sizeof info->driver));
out:
	return rc;
}

static int has_extension(struct asked *a, const char *name)
{
	char text[MOST_TEXT] = "";
	const char *at = text;
	size_t length = strlen(name);

	ask(a, CL_DEVICE_EXTENSIONS, sizeof text - 1, text);
	while ((at = strstr(at, name))) {
		if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return 1;
		at += length;
	}
	return 0;
}

/* Floats that a compute unit handles per clock; an estimate to rank devices. */
static double lanes_per_unit(const struct clopt_device_info *info)
{
	if (!strcmp(info->type, "cpu"))
		return 2.0 * info->vector_width; /* two vector units per core */
	if (!strcmp(info->family, "nvidia"))
		return info->capability == 60 || info->capability / 10 == 7 ||
		                       info->capability == 80 ?
		               64 :
		               128;
	if (!strcmp(info->family, "intel"))
		return 8;
	return 64;
}

static const char *family_in(const char *name, unsigned *traits)
{
	size_t i;

	for (i = 0; i < sizeof families / sizeof *families; i++)
		if (clopt__within(name, families[i].word, strlen(families[i].word))) {
			*traits |= families[i].traits;
			return families[i].family;
		}
	return NULL;
}

/* The family, by the device's vendor, or by the platform's if the device's is unknown. */
static const char *family(const char *vendor, const char *platform, unsigned *traits)
{
	const char *found = family_in(vendor, traits);

	found = found ? found : family_in(platform, traits);
	return found ? found : "other";
}

/* Only tensor cores of the large chips, 8.0, 9.0 and 10.0, are fast at tf32. */
static unsigned capability_traits(unsigned capability)
{
	return (capability >= 80 ? T_SM80 : 0u) | (capability >= 90 ? T_SM90 : 0u) |
	       (capability == 90 ? T_WGMMA : 0u) |
	       (capability >= 80 && capability % 10 == 0 && capability <= 100 ? T_TF32 : 0u);
}

static void read_nvidia(struct asked *a, struct clopt_device_info *info, unsigned *traits)
{
	struct asked later = *a; /* newer properties of the extension may fail */

	if (!has_extension(a, "cl_nv_device_attribute_query"))
		return;
	info->capability = 10 * number(a, NV_COMPUTE_CAPABILITY_MAJOR) +
	                   number(a, NV_COMPUTE_CAPABILITY_MINOR);
	info->wave = number(a, NV_WARP_SIZE);
	info->copy_engines = number(&later, NV_ASYNC_ENGINE_COUNT);
	/* Its compiler takes asm("...") in OpenCL C. */
	*traits |= T_PTX | capability_traits(info->capability);
}

static void read_lanes(struct asked *a, struct clopt_device_info *info, unsigned *traits)
{
	const char *lanes = "scalar";

	info->vector_width = number(a, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
	if (*traits & T_CPU) {
		lanes = "cpu-wide";
		*traits |= (info->vector_width >= 8 ? T_WIDE8 : 0u) |
		           (info->vector_width >= 16 ? T_WIDE16 : 0u);
	} else if (info->vector_width >= 4) {
		/* AMD's TeraScale (up to 2011) reports its VLIW lanes here, and reads images
		 * through a texture cache.  GCN and later have scalar lanes, and one cache for
		 * images and buffers. */
		lanes = "vector";
		*traits |= T_FLOAT4 | (*traits & T_AMD ? T_TEXTURE : 0u);
	} else {
		*traits |= T_SCALAR;
	}
	snprintf(info->lanes, sizeof info->lanes, "%s", lanes);
}

static void read_memory(struct asked *a, struct clopt_device_info *info, unsigned *traits)
{
	info->global_bytes = number(a, CL_DEVICE_GLOBAL_MEM_SIZE);
	info->max_alloc_bytes = number(a, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	info->buffer_align = number(a, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8; /* reported in bits */
	info->local_bytes = number(a, CL_DEVICE_LOCAL_MEM_SIZE);
	info->local_is_real = number(a, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
	info->unified = number(a, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
	info->copy_engines = !info->unified;
	*traits |= (info->local_is_real ? T_LOCAL : 0u) | (info->unified ? T_UNIFIED : 0u) |
	           (info->local_bytes >= 256 << 10 ? T_BIGLOCAL : 0u) |
	           (info->local_bytes >= 480 << 10 ? T_LARGELOCAL : 0u) |
	           (info->local_bytes >= 960 << 10 ? T_HUGELOCAL : 0u) |
	           (info->local_bytes >= 1920 << 10 ? T_VASTLOCAL : 0u);
	if (number(a, CL_DEVICE_IMAGE_SUPPORT)) {
		info->image2d_width = number(a, CL_DEVICE_IMAGE2D_MAX_WIDTH);
		info->image2d_height = number(a, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
		info->image_buffer = number(a, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
		*traits |= T_IMAGES;
	}
}

static void read_amd(struct asked *a, struct clopt_device_info *info, unsigned *traits)
{
	struct asked later = *a; /* may fail, as above; 0: unknown */
	char target[16];
	size_t i;

	if (has_extension(a, "cl_amd_device_attribute_query"))
		info->wave = number(&later, AMD_WAVEFRONT_WIDTH);
	clopt__arch_of(info, target, sizeof target);
	for (i = 0; i < sizeof matrix_units / sizeof *matrix_units; i++)
		if (!strncmp(target, matrix_units[i].target, strlen(matrix_units[i].target)))
			*traits |= matrix_units[i].trait;
}

/* Device 0 of bus 0 is not a GPU: drivers report this for an unknown address. */
static void read_pci(struct asked *a, char *text, size_t size)
{
	cl_uint at[4] = { 0 }; /* domain, bus, device, function */
	struct {
		cl_uint type;
		cl_uchar unused[17], bus, device, function;
	} amd = { 0 };

	if (has_extension(a, "cl_khr_pci_bus_info")) {
		ask(a, KHR_PCI_BUS_INFO, sizeof at, at);
	} else if (has_extension(a, "cl_nv_device_attribute_query")) {
		at[0] = (cl_uint)number(a, NV_PCI_DOMAIN_ID);
		at[1] = (cl_uint)number(a, NV_PCI_BUS_ID);
		at[2] = (cl_uint)number(a, NV_PCI_SLOT_ID); /* 6 for 00:06.0, by driver 580 */
	} else if (has_extension(a, "cl_amd_device_attribute_query")) {
		ask(a, AMD_TOPOLOGY, sizeof amd, &amd);
		if (amd.type == AMD_TOPOLOGY_PCIE) {
			at[1] = amd.bus;
			at[2] = amd.device;
			at[3] = amd.function;
		}
	}
	if ((at[0] || at[1] || at[2]) && at[0] < 1u << 28 && at[1] < 256 && at[2] < 32 && at[3] < 8)
		snprintf(text, size, "%04x:%02x:%02x.%x", at[0], at[1], at[2], at[3]);
}

static void read_uuid(struct asked *a, char *text)
{
	static const unsigned char none[16];
	unsigned char uuid[16] = { 0 };
	size_t i;

	if (has_extension(a, "cl_khr_device_uuid"))
		ask(a, KHR_DEVICE_UUID, sizeof uuid, uuid);
	if (!memcmp(uuid, none, sizeof uuid))
		return;
	for (i = 0; i < sizeof uuid; i++)
		text += sprintf(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
		                uuid[i]);
}

/* Whether the device compiles OpenCL C 1.2 at run time. */
static int is_usable(struct asked *a, const char *version)
{
	int major = 0, minor = 0;

	return sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 && 10 * major + minor >= 12 &&
	       number(a, CL_DEVICE_AVAILABLE) && number(a, CL_DEVICE_COMPILER_AVAILABLE);
}

static int check_asked(const struct asked *a)
{
	char call[64];

	snprintf(call, sizeof call, "clGetDeviceInfo of property 0x%X", (unsigned)a->what);
	return a->code == CL_SUCCESS ? CLOPT_OK : clopt__fail_cl(NULL, a->code, call);
}

int clopt__device_read(cl_device_id id, unsigned lifted, struct device *device)
{
	struct asked asked = { id, CL_SUCCESS, 0 }, *a = &asked;
	struct asked address = asked; /* not a trait, so it may fail */
	struct clopt_device_info *info = &device->info;
	unsigned traits = 0;
	cl_device_type type = 0;
	cl_platform_id platform = NULL;
	int usable, rc = CLOPT_OK;

	memset(device, 0, sizeof *device);
	info->size = sizeof *info;
	device->id = id;
	TRY_CL(NULL, clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL));
	TRY_CL(NULL, clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
	TRY(platform_string(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform));
	string(a, CL_DEVICE_NAME, info->name, sizeof info->name);
	string(a, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
	string(a, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
	string(a, CL_DEVICE_VERSION, info->version, sizeof info->version);
	usable = is_usable(a, info->version);
	TRY(check_asked(a));
	if (!usable)
		TRY(clopt__fail(NULL, CLOPT_EUNSUPPORTED, "%s has no OpenCL 1.2, or no compiler",
		                info->name));

	/* The type is a set of bits: a simulator may have all. */
	if (type & CL_DEVICE_TYPE_CPU) {
		traits |= T_CPU;
		strcpy(info->type, "cpu");
		strcpy(info->family, "cpu");
	} else if (type & CL_DEVICE_TYPE_GPU) {
		traits |= T_GPU;
		strcpy(info->type, "gpu");
		strcpy(info->family, family(info->vendor, info->platform, &traits));
	} else {
		strcpy(info->type, "accelerator");
		strcpy(info->family, "other");
	}
	info->compute_units = number(a, CL_DEVICE_MAX_COMPUTE_UNITS);
	if (!info->compute_units)
		info->compute_units = 1; /* work is divided by it */
	info->clock_mhz = number(a, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	info->max_group = number(a, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	read_memory(a, info, &traits);
	read_lanes(a, info, &traits);
	if (traits & T_NVIDIA)
		read_nvidia(a, info, &traits);
	if (traits & T_AMD)
		read_amd(a, info, &traits);
	read_pci(&address, info->pci, sizeof info->pci);
	read_uuid(&address, info->uuid);
	/* OpenCL 1.2 has this query too, but drivers without double may lack it. */
	info->fp64 = has_extension(a, "cl_khr_fp64") && number(a, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
	info->fp16 = (unsigned)has_extension(a, "cl_khr_fp16");
	info->inline_ptx = (traits & T_PTX) != 0;
	traits |= (info->fp64 ? T_FP64 : 0u) | (info->fp16 ? T_FP16 : 0u);
	TRY(check_asked(a));

	device->traits = traits;
	clopt__quirks_apply(device, lifted);
	clopt__traits_text(device->traits, info->traits, sizeof info->traits);
	/* GFLOP/s.  Assume a clock if the driver gives none. */
	info->score = 2e-3 * info->compute_units * lanes_per_unit(info) *
	              (info->clock_mhz ? info->clock_mhz : 1000);
out:
	return rc;
}

/* NVIDIA's drivers report the compute capability.  AMD's name the device by the compiler's target,
 * "gfx90a:sramecc+:xnack-", or by the chip, "Cypress". */
void clopt__arch_of(const struct clopt_device_info *info, char *text, size_t size)
{
	text[0] = '\0';
	if (info->capability)
		snprintf(text, size, "sm_%u", info->capability);
	else if (!strcmp(info->family, "amd"))
		snprintf(text, size, "%.*s", (int)strcspn(info->name, ":"), info->name);
}
