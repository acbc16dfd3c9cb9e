/* The CUDA driver on the fake of tests/fake_cuda: list and choice of devices, their targets, and
 * loading. */
#include "t_cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include "function.h"

/* -- Fixture ------------------------------------------------------------------------ */

void
cuda_forget_library(void)
{
	const struct cuda_library *lib;
	/* The pointer is to const, but the object is not constant. */
	if (cuda_library_get(&lib, QD_IGNORE_ERROR) == QD_OK)
		((struct cuda_library *)(uintptr_t)lib)->ready = false;
}

static bool
begin(struct unit_ctx *t, const char *config)
{
	if (!cuda_fake_begin(t, config))
		return false;
	cuda_forget_library();
	return true;
}

static const struct fake_driver cuda = { "cuda", begin, cuda_fake_end };

bool
cuda_rig_begin(struct unit_ctx *t, struct fake_rig *r, const char *config)
{
	return fake_rig_begin(t, r, &cuda, config);
}

bool
cuda_rig_open(struct unit_ctx *t, struct fake_rig *r, const char *config)
{
	return fake_rig_open(t, r, &cuda, config);
}

/* -- Devices ------------------------------------------------------------------------ */

/* Checks the target of each kind of device, or why it is unusable. */
static void
devices(struct unit_ctx *t)
{
	static const struct {
		const char *config, *target, *why;
	} rows[] = {
		{ "sm=90", "ptx:sm_90", "" },
		/* between two targets of the back end, and above the last */
		{ "sm=91", "ptx:sm_90", "" },
		{ "sm=130 version=13000", "ptx:sm_121", "" },
		{ "sm=72", "ptx:sm_72", "" },
		{ "sm=61", "ptx:sm_61", "" },
		{ "sm=50", "ptx:sm_50", "" },
		{ "sm=90 threads=512 shared=16384", "ptx:sm_90:b512:s16384", "" },
		{ "sm=37", "", "has compute capability 3.7; 5.0 is required" },
		{ "mode=2", "", "is in compute mode 'prohibited'; nvidia-smi -c 0 changes that" },
		{ "unified=0", "", "has no unified addresses" },
		{ "warp=64", "", "has subgroups of 64 lanes; 32 is required" },
		{ "fail=cuDeviceTotalMem_v2:0:999", "",
		  "cannot be queried: cuDeviceTotalMem failed: CUDA_ERROR_UNKNOWN (999)" },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct fake_rig r;
		struct qd_device_info info[8];
		char config[128];
		uint32_t n = 0;
		snprintf(config, sizeof config, "devices=1 %s", rows[i].config);
		if (!cuda_rig_begin(t, &r, config))
			return;
		RIG_GOOD(t, &r, qd_device_list(r.ctx, info, QD_COUNT(info), &n, &r.e));
		UNIT_CHECK(t, n && strcmp(info[0].selector, "cuda:0") == 0, "%s: %s", config,
			   info[0].selector);
		UNIT_CHECK(t, strcmp(info[0].target, rows[i].target) == 0, "%s: target %s", config,
			   info[0].target);
		UNIT_CHECK(t, strcmp(info[0].why, rows[i].why) == 0, "%s: '%s'", config,
			   info[0].why);
		UNIT_CHECK(t, info[0].usable == !rows[i].why[0], "%s: usable %d", config,
			   info[0].usable);
		if (rows[i].target[0]) {
			RIG_GOOD(t, &r, qd_device_open(r.ctx, "cuda", &r.dev, &r.e));
			UNIT_CHECK(t, strcmp(qd_device_target(r.dev), rows[i].target) == 0, "%s: %s",
				   config, qd_device_target(r.dev));
		} else {
			qd_status st = qd_device_open(r.ctx, "cuda:0", &r.dev, &r.e);
			UNIT_CHECK(t, st != QD_OK, "%s opens", config);
		}
		fake_rig_end(t, &r);
	}
}

/* Checks all properties of a device, and that its UUID opens it. */
static void
info(struct unit_ctx *t)
{
	struct fake_rig r;
	struct qd_device_info all[8];
	uint32_t n = 0;
	if (!cuda_rig_begin(t, &r, "devices=2 sm=90,75 memory=123456789 version=12060"))
		return;
	RIG_GOOD(t, &r, qd_device_list(r.ctx, all, QD_COUNT(all), &n, &r.e));
	const struct qd_device_info *d = &all[1];
	UNIT_CHECK(t, strcmp(d->selector, "cuda:1") == 0, "%s", d->selector);
	UNIT_CHECK(t, strcmp(d->name, "Fake GPU 1") == 0, "%s", d->name);
	UNIT_CHECK(t, strcmp(d->driver, "CUDA 12.6") == 0, "%s", d->driver);
	UNIT_CHECK(t, strcmp(d->uuid, "f1021324-3546-5768-798a-9bacbdcedff0") == 0, "%s", d->uuid);
	UNIT_CHECK(t, strcmp(d->pci, "0000:66:00.0") == 0, "%s", d->pci);
	UNIT_CHECK(t, d->vendor == 0x10de && d->memory == 123456789, "%x, %llu", d->vendor,
		   (unsigned long long)d->memory);
	UNIT_CHECK(t, d->subgroup_size == 32 && d->min_subgroup_size == 32 &&
			      d->max_subgroup_size == 32 && d->max_block_dim == 1024,
		   "%u %u %u %u", d->subgroup_size, d->min_subgroup_size, d->max_subgroup_size,
		   d->max_block_dim);
	/* First in the default order. */
	RIG_GOOD(t, &r, qd_device_open(r.ctx, NULL, &r.dev, &r.e));
	UNIT_CHECK(t, r.dev && strcmp(r.dev->info.selector, "cuda:0") == 0, "%s", r.e.text);
	fake_rig_end(t, &r);
}

/* Checks that kernels have a time limit if the driver reports one, as for a device with a
 * display. */
static void
watchdog(struct unit_ctx *t)
{
	static const char *const config[] = { "devices=1", "devices=1 timeout=1" };
	for (int on = 0; on < 2; on++) {
		struct fake_rig r;
		if (!cuda_rig_open(t, &r, config[on]))
			return;
		UNIT_CHECK(t, !r.dev->watchdog_ns == !on, "%s: the watchdog allows %llu ns", config[on],
			   (unsigned long long)r.dev->watchdog_ns);
		fake_rig_end(t, &r);
	}
}

static void
choose(struct unit_ctx *t)
{
	static const struct {
		const char *selector, *want;
		qd_status st;
	} rows[] = {
		{ "cuda", "cuda:1", QD_OK },
		{ "cuda:1", "cuda:1", QD_OK },
		{ "cuda:w32", "cuda:1", QD_OK },
		{ "cuda:gpu 2", "cuda:2", QD_OK },
		{ "cuda:f1021324-3546-5768-798a-9bacbdcedff0", "cuda:1", QD_OK },
		{ "cuda:GPU-f2031425-3647-5869-7a8b-9cadbecfe0f1", "cuda:2", QD_OK },
		{ "cuda:0", "cuda:0 (Fake GPU 0) cannot be used: it has compute capability 3.5",
		  QD_E_UNAVAILABLE },
		{ "cuda:7", "no device cuda:7; there are 3: cuda:0 to 2", QD_E_NOT_FOUND },
		{ "cuda:tesla",
		  "no CUDA device has 'tesla' in its name; the first of 3 is 'Fake GPU 0'",
		  QD_E_NOT_FOUND },
		{ "cuda:00000000-3546-5768-798a-9bacbdcedff0",
		  "no CUDA device has the UUID 00000000-3546-5768-798a-9bacbdcedff0", QD_E_NOT_FOUND },
		{ "cuda:1:w64", "cuda:1:w64", QD_OK },
	};
	struct fake_rig r;
	if (!cuda_rig_begin(t, &r, "devices=3 sm=35,80,90"))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct qd_device *dev = NULL;
		qd_status st = qd_device_open(r.ctx, rows[i].selector, &dev, &r.e);
		const char *got = st ? r.e.text : dev->info.selector;
		UNIT_CHECK(t, st == rows[i].st && strstr(got, rows[i].want), "%s: %s, %s",
			   rows[i].selector, qd_status_name(st), got);
		qd_device_close(dev);
	}
	fake_rig_end(t, &r);
}

/* Checks that a device without the function for UUIDs has no UUID, but is usable. */
static void
no_uuid(struct unit_ctx *t)
{
	struct fake_rig r;
	const struct cuda_library *lib;
	struct cuda_physical *all = calloc(CUDA_MAX_PHYSICAL, sizeof *all);
	uint32_t n = 0;
	if (all && cuda_rig_begin(t, &r, "devices=1")) {
		RIG_GOOD(t, &r, cuda_library_get(&lib, &r.e));
		struct cuda_library old = *lib;
		old.cu.cuDeviceGetUuid_v2 = NULL;
		RIG_GOOD(t, &r, cuda_physical_list(&old, all, &n, &r.e));
		UNIT_CHECK(t, strlen(all[0].info.uuid) == 36, "'%s'", all[0].info.uuid);
		old.cu.cuDeviceGetUuid = NULL;
		RIG_GOOD(t, &r, cuda_physical_list(&old, all, &n, &r.e));
		UNIT_CHECK(t, n == 1 && all[0].info.usable && !all[0].info.uuid[0], "'%s', %s",
			   all[0].info.uuid, all[0].info.why);
		fake_rig_end(t, &r);
	}
	free(all);
}

/* Checks the reason given if the library is present but unusable. */
static void
no_driver(struct unit_ctx *t)
{
	static const struct {
		const char *config, *why;
	} rows[] = {
		{ "devices=1 version=8000",
		  "libcuda.so.1 is from CUDA 8.0; 9.0 is required: update NVIDIA's driver" },
		{ "devices=1 fail=cuDriverGetVersion:1:1",
		  "cuDriverGetVersion failed: CUDA_ERROR_INVALID_VALUE (1)" },
		{ "",
		  "cuInit failed: CUDA_ERROR_NO_DEVICE (100): there is no NVIDIA GPU, or "
		  "CUDA_VISIBLE_DEVICES hides it" },
		{ "devices=1 fail=cuInit:1:803",
		  "cuInit failed: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): libcuda.so.1 and the "
		  "kernel's module are of different versions: restart the machine after an update" },
		{ "devices=1 fail=cuInit:1:34",
		  "cuInit failed: CUDA_ERROR_STUB_LIBRARY (34): this libcuda.so.1 is the toolkit's "
		  "stub, for linking; the driver's must come first" },
		{ "devices=1 fail=cuDeviceGetCount:1:999",
		  "cuDeviceGetCount failed: CUDA_ERROR_UNKNOWN (999)" },
	};
	for (size_t i = 0; i < 2 * QD_COUNT(rows); i++) {
		const char *config = rows[i / 2].config, *why = rows[i / 2].why;
		struct fake_rig r;
		struct qd_device_info all[4];
		uint32_t n = 0;
		if (!cuda_rig_begin(t, &r, "devices=1"))
			return;
		cuda_fake()->set(config);
		if (i % 2) {
			qd_status st = qd_device_open(r.ctx, "cuda", &r.dev, &r.e);
			UNIT_CHECK(t, st != QD_OK && strcmp(r.e.text, why) == 0, "'%s': %s: %s",
				   config, qd_status_name(st), r.e.text);
		} else {
			RIG_GOOD(t, &r, qd_device_list(r.ctx, all, QD_COUNT(all), &n, &r.e));
			UNIT_CHECK(t, n && strcmp(all[0].selector, "cuda") == 0 && !all[0].usable &&
					      strcmp(all[0].why, why) == 0,
				   "'%s': %s: %s", config, all[0].selector, all[0].why);
		}
		fake_rig_end(t, &r);
	}
}

/* -- Targets ------------------------------------------------------------------------ */

/* Checks that a driver older than the device's target gets a lower target, with a warning. */
static void
lower_target(struct unit_ctx *t)
{
	static const struct {
		const char *config, *target, *why;
	} rows[] = {
		{ "sm=90 version=12000", "ptx:sm_90", NULL },
		{ "sm=90 version=11070", "ptx:sm_87", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" },
		{ "sm=86 version=11000", "ptx:sm_80", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" },
		{ "sm=121 version=12080", "ptx:sm_120", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" },
		{ "sm=90 target=86", "ptx:sm_86", "CUDA_ERROR_INVALID_PTX" },
		{ "sm=90 threads=512 target=70", "ptx:sm_70:b512", "CUDA_ERROR_INVALID_PTX" },
		{ "sm=90 fail=cuModuleLoadDataEx:1:209", "ptx:sm_89", "CUDA_ERROR_NO_BINARY_FOR_GPU" },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct fake_rig r;
		char config[128];
		snprintf(config, sizeof config, "devices=1 %s", rows[i].config);
		if (!cuda_rig_open(t, &r, config))
			return;
		UNIT_CHECK(t, strcmp(qd_device_target(r.dev), rows[i].target) == 0, "%s: %s",
			   config, qd_device_target(r.dev));
		UNIT_CHECK(t, strcmp(r.dev->info.target, rows[i].target) == 0, "%s: %s", config,
			   r.dev->info.target);
		bool reported = strstr(r.log, rows[i].why ? rows[i].why : "\n") &&
			    strstr(r.log, "2 cuda: cuda:0 (Fake GPU 0, CUDA ") &&
			    strstr(r.log, "): the driver rejects ptx:sm_") &&
			    strstr(r.log, rows[i].target);
		UNIT_CHECK(t, reported == (rows[i].why != NULL), "%s: %s", config, r.log);
		fake_rig_end(t, &r);
	}
}

/* Checks that a newer device does not use targets below 7.0. The first error is reported. */
static void
no_target(struct unit_ctx *t)
{
	struct fake_rig r;
	if (!cuda_rig_begin(t, &r, "devices=1 sm=75 target=61"))
		return;
	qd_status st = qd_device_open(r.ctx, "cuda", &r.dev, &r.e);
	static const char want[] =
		"cuda:0 (Fake GPU 0): cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218)\n"
		"  kernel: 'probe', for target ptx:sm_75\n"
		"  ptxas application ptx input, line 1; fatal : .version 6.3, .target sm_75 not "
		"supported";
	UNIT_CHECK(t, st == QD_E_TARGET && strcmp(r.e.text, want) == 0, "%s: %s", qd_status_name(st),
		   r.e.text);
	fake_rig_end(t, &r);
}

/* Checks a kernel for which the driver demands older PTX. Other kernels use the device's target. */
static void
lower_function(struct unit_ctx *t)
{
	struct fake_rig r;
	if (!cuda_rig_open(t, &r, "devices=1 sm=90 fail=cuModuleLoadDataEx:2:222"))
		return;
	const struct cuda_function *fn = (const struct cuda_function *)r.fn;
	UNIT_CHECK(t, strcmp(qd_device_target(r.dev), "ptx:sm_90") == 0, "%s",
		   qd_device_target(r.dev));
	UNIT_CHECK(t, fn->lower && strcmp(fn->lower->target->m.name, "ptx:sm_89") == 0, "%s",
		   fn->lower ? fn->lower->target->m.name : "none");
	UNIT_CHECK(t, strstr(r.log, "the driver rejects ptx:sm_90 "
				    "(CUDA_ERROR_UNSUPPORTED_PTX_VERSION); compiling for ptx:sm_89"),
		   "%s", r.log);
	/* The cached function runs. */
	struct qd_function *again;
	struct qd_buffer *buf = NULL;
	uint32_t got = 0;
	RIG_GOOD(t, &r, qd_function_get(r.dev, r.inc, NULL, 0, &again, &r.e));
	UNIT_CHECK(t, again == r.fn, "another function");
	RIG_GOOD(t, &r, qd_buffer_create(r.dev, 64, 0, &buf, &r.e));
	struct qd_arg arg = qd_arg_buffer(buf);
	RIG_GOOD(t, &r, qd_launch(r.stream, r.fn, 1, &arg, 1, &r.e));
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, &got, sizeof got, &r.e));
	UNIT_CHECK(t, got == 1, "%u", got);
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

/* -- Images ------------------------------------------------------------------------- */

/* Checks that the error contains the driver's text. */
static void
bad_text(struct unit_ctx *t)
{
	struct fake_rig r;
	if (!cuda_rig_open(t, &r, "devices=1 sm=70"))
		return;
	static struct qd_image img;
	static const char text[] = ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k() "
				   "{\n\tno_such_instruction;\n}\n";
	struct qd_function *fn;
	img = *r.fn->image;
	img.code = (const uint8_t *)text;
	img.code_size = sizeof text - 1;
	/* On an older device the kernel has no lower target. */
	((struct cuda_device *)r.dev)->physical.sm = 70;
	qd_status st = r.dev->driver->load(r.dev, &img, &fn, &r.e);
	UNIT_CHECK(t, st == QD_E_TARGET &&
			      strstr(r.e.text, "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX "
					       "(218)\n  kernel: 'inc', for target ptx:sm_70\n"
					       "  ptxas application ptx input, line 5; error :"),
		   "%s: %s", qd_status_name(st), r.e.text);
	fake_rig_end(t, &r);
}

/* Checks the status and the error for a copy of the image after `change`. */
static void
refused(struct unit_ctx *t, struct fake_rig *r, void (*change)(struct qd_image *), qd_status want,
	const char *part)
{
	static struct qd_image img;
	img = *r->fn->image;
	change(&img);
	qd_status st = device_accepts(r->dev, &img, &r->e);
	UNIT_CHECK(t, st == want && strstr(r->e.text, part), "want '%s', got %s: %s", part,
		   qd_status_name(st), st ? r->e.text : "");
}

static void
unchanged(struct qd_image *img)
{
	(void)img;
}

static void
with_nul(struct qd_image *img)
{
	static const uint8_t text[] = ".version 6.0\n";
	img->code = text;
	img->code_size = sizeof text;
}

static void
no_text(struct qd_image *img)
{
	static const uint8_t elf[] = "\177ELF and so on, a long way";
	img->code = elf;
	img->code_size = sizeof elf - 1;
}

static void
no_bytes(struct qd_image *img)
{
	img->code_size = 0;
}

static void
only_comment(struct qd_image *img)
{
	static const uint8_t text[] = "// .version 6.0";
	img->code = text;
	img->code_size = sizeof text - 1;
}

static void
no_entry(struct qd_image *img)
{
	img->meta.entry[0] = '\0';
}

static void
too_many_threads(struct qd_image *img)
{
	img->meta.local_size = 1056;
}

static void
partial_subgroup(struct qd_image *img)
{
	img->meta.local_size = 33;
}

static void
too_much_shared(struct qd_image *img)
{
	img->meta.shared_size = (48 << 10) + 4;
}

static void
images(struct unit_ctx *t)
{
	struct fake_rig r;
	struct qd_image *newer = NULL, *other = NULL;
	struct qd_function *fn;
	if (!cuda_rig_open(t, &r, "devices=1 sm=80"))
		return;
	RIG_GOOD(t, &r, device_accepts(r.dev, r.fn->image, &r.e));
	refused(t, &r, with_nul, QD_E_INVALID, "is not PTX text");
	refused(t, &r, no_text, QD_E_INVALID, "kernel 'inc', for target ptx:sm_80, is not PTX text");
	refused(t, &r, no_bytes, QD_E_INVALID, "is not PTX text");
	refused(t, &r, only_comment, QD_E_INVALID, "is not PTX text");
	refused(t, &r, no_entry, QD_E_INVALID, "is not PTX text");
	refused(t, &r, too_many_threads, QD_E_LIMIT,
		"kernel 'inc' needs 1056 threads per block; the device has 1024");
	refused(t, &r, partial_subgroup, QD_E_INVALID,
		"hardware blocks of 33 threads, not whole subgroups of 32");
	refused(t, &r, too_much_shared, QD_E_LIMIT,
		"needs 49156 bytes of shared memory per block; the device has 49152");
	uint32_t inline_args = r.dev->target.m.inline_args;
	r.dev->target.m.inline_args = 16;
	refused(t, &r, unchanged, QD_E_LIMIT, "needs 32 bytes of arguments; the device has 16");
	r.dev->target.m.inline_args = inline_args;

	RIG_GOOD(t, &r, qd_compile(r.ctx, r.inc, "ptx:sm_90", NULL, 0, &newer, &r.e));
	qd_status st = qd_function_load(r.dev, newer, &fn, &r.e);
	UNIT_CHECK(t, st == QD_E_TARGET &&
			      strstr(r.e.text, "cuda:0 (Fake GPU 0): kernel 'inc' is compiled for target "
					       "ptx:sm_90; the device has compute capability 8.0"),
		   "%s: %s", qd_status_name(st), r.e.text);
	RIG_GOOD(t, &r, qd_compile(r.ctx, r.inc, "spirv:w32", NULL, 0, &other, &r.e));
	st = qd_function_load(r.dev, other, &fn, &r.e);
	UNIT_CHECK(t, st == QD_E_TARGET, "%s: %s", qd_status_name(st), r.e.text);
	qd_image_free(newer);
	qd_image_free(other);
	/* An image for an older target runs. */
	RIG_GOOD(t, &r, qd_compile(r.ctx, r.inc, "ptx:sm_50", NULL, 0, &newer, &r.e));
	RIG_GOOD(t, &r, qd_function_load(r.dev, newer, &fn, &r.e));
	qd_image_free(newer);
	fake_rig_end(t, &r);
}

/* Checks the driver's properties of a function, and a block size that the driver cannot run. */
static void
functions(struct unit_ctx *t)
{
	struct fake_rig r;
	struct qd_function_info i;
	if (!cuda_rig_open(t, &r, "devices=1"))
		return;
	RIG_GOOD(t, &r, qd_function_info(r.fn, &i, &r.e));
	UNIT_CHECK(t, i.registers == 21 && i.local_size == 8 && i.shared_size == 0 &&
			      i.subgroup_size == 32 && i.block_dim == 1 && i.max_block_dim == 32 &&
			      i.resident_blocks == 64 && i.code_size == r.fn->image->code_size,
		   "%u %u %u %u %u %u %u %zu", i.registers, i.local_size, i.shared_size,
		   i.subgroup_size, i.block_dim, i.max_block_dim, i.resident_blocks, i.code_size);
	fake_rig_shut(&r);

	cuda_fake()->set("devices=1 maxthreads=16");
	RIG_GOOD(t, &r, qd_device_open(r.ctx, "cuda", &r.dev, &r.e));
	qd_status st = qd_function_get(r.dev, r.inc, NULL, 0, &r.fn, &r.e);
	UNIT_CHECK(t, st == QD_E_LIMIT &&
			      strstr(r.e.text, "cuda:0 (Fake GPU 0): kernel 'inc' has blocks of 32 threads; with 21 registers per thread the device supports 16"),
		   "%s: %s", qd_status_name(st), r.e.text);
	fake_rig_end(t, &r);
}

/* Checks that the machine code is the linker's and reproducible, and that linker errors are
 * reported. */
static void
cubin(struct unit_ctx *t)
{
	struct fake_rig r;
	struct buf a, b;
	if (!cuda_rig_open(t, &r, "devices=1"))
		return;
	buf_init(&a, &r.ctx->pool);
	buf_init(&b, &r.ctx->pool);
	RIG_GOOD(t, &r, cuda_cubin(r.fn, &a, &r.e));
	RIG_GOOD(t, &r, cuda_cubin(r.fn, &b, &r.e));
	UNIT_CHECK(t, a.len > 100 && memcmp(buf_data(&a), "\177ELF", 4) == 0, "%zu bytes", a.len);
	UNIT_CHECK(t, a.len == b.len && memcmp(buf_data(&a), buf_data(&b), a.len) == 0,
		   "another code the second time");
	static const struct {
		const char *config, *part;
		qd_status want;
	} rows[] = {
		{ "fail=cuLinkCreate_v2:1:2", "cuLinkCreate failed: CUDA_ERROR_OUT_OF_MEMORY (2)",
		  QD_E_DEVICE_NOMEM },
		{ "fail=cuLinkAddData_v2:1:221",
		  "cuLinkAddData failed: CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221): "
		  "libnvidia-ptxjitcompiler.so.1",
		  QD_E_UNAVAILABLE },
		{ "fail=cuLinkComplete:1:400", "cuLinkComplete failed: CUDA_ERROR_INVALID_HANDLE (400)",
		  QD_E_DRIVER },
		{ "fail=cuLinkDestroy:1:400", "", QD_OK },
		{ "fail=cuCtxPushCurrent_v2:1:4", "cuCtxPushCurrent failed: CUDA_ERROR_DEINITIALIZED (4)",
		  QD_E_UNAVAILABLE },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		char config[128];
		snprintf(config, sizeof config, "devices=1 %s", rows[i].config);
		cuda_fake()->set(config);
		r.e.text[0] = '\0';
		qd_status st = cuda_cubin(r.fn, &b, &r.e);
		UNIT_CHECK(t, st == rows[i].want && strstr(r.e.text, rows[i].part), "%s: %s: %s",
			   config, qd_status_name(st), r.e.text);
	}
	UNIT_CHECK(t, strstr(r.log, "1 cuda: cuda:0 (Fake GPU 0): cuLinkDestroy failed: "
				    "CUDA_ERROR_INVALID_HANDLE (400)\n"),
		   "%s", r.log);
	buf_fini(&a);
	buf_fini(&b);
	fake_rig_end(t, &r);
}

/* Loads the function's image with its machine code, as from a fatbin. */
static qd_status
load_cubin(struct fake_rig *r, const struct qd_image *img, const char *target, const void *code,
	   size_t size, struct qd_function **out)
{
	struct image_parts parts = { .target = target,
				     .kind = CODE_CUBIN,
				     .meta = &img->meta,
				     .layout = img->layout,
				     .layout_size = img->layout->size,
				     .code = code,
				     .code_size = size };
	struct qd_image *made;
	QD_TRY(jit_image_of_parts(r->ctx, &parts, &made, &r->e));
	qd_status st = qd_function_load(r->dev, made, out, &r->e);
	qd_image_free(made);
	return st;
}

/* Checks that machine code made ahead of time runs on processors of its major number. */
static void
made_cubin(struct unit_ctx *t)
{
	static const struct {
		const char *target, *part;
		size_t size;
	} rows[] = {
		{ "ptx:sm_80", "is machine code of sm_80; the device has compute capability 9.0", 4096 },
		{ "ptx:sm_100", "is machine code of sm_100; the device has compute capability 9.0", 4096 },
		{ "ptx:sm_90", "is not a cubin", 8 },
	};
	struct fake_rig r;
	struct buf code;
	struct qd_function *fn = NULL;
	struct qd_buffer *buf;
	uint32_t x[4] = { 1, 2, 3, 4 };
	if (!cuda_rig_open(t, &r, "devices=1 sm=90"))
		return;
	buf_init(&code, &r.ctx->pool);
	RIG_GOOD(t, &r, cuda_cubin(r.fn, &code, &r.e));
	RIG_GOOD(t, &r, load_cubin(&r, r.fn->image, "ptx:sm_90", buf_data(&code), code.len, &fn));
	UNIT_CHECK(t, fn && fn != r.fn, "the same function as that of the text");
	RIG_GOOD(t, &r, qd_buffer_create(r.dev, sizeof x, 0, &buf, &r.e));
	RIG_GOOD(t, &r, qd_buffer_upload(r.stream, buf, 0, x, sizeof x, &r.e));
	struct qd_arg arg = qd_arg_buffer(buf);
	if (fn)
		RIG_GOOD(t, &r, qd_launch(r.stream, fn, 1, &arg, 1, &r.e));
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, x, sizeof x, &r.e));
	UNIT_CHECK(t, x[0] == 2 && x[3] == 4, "%u %u", x[0], x[3]);
	qd_function_free(fn);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		size_t size = rows[i].size < code.len ? rows[i].size : code.len;
		qd_status st = load_cubin(&r, r.fn->image, rows[i].target, buf_data(&code), size, &fn);
		UNIT_CHECK(t, st != QD_OK && strstr(r.e.text, rows[i].part), "%s: %s", rows[i].target,
			   r.e.text);
	}
	qd_buffer_free(buf);
	buf_fini(&code);
	fake_rig_end(t, &r);
}

const struct unit units_cuda[] = {
	{ "cuda.devices", devices },
	{ "cuda.info", info },
	{ "cuda.watchdog", watchdog },
	{ "cuda.choose", choose },
	{ "cuda.no_uuid", no_uuid },
	{ "cuda.no_driver", no_driver },
	{ "cuda.lower_target", lower_target },
	{ "cuda.no_target", no_target },
	{ "cuda.lower_function", lower_function },
	{ "cuda.bad_text", bad_text },
	{ "cuda.images", images },
	{ "cuda.functions", functions },
	{ "cuda.cubin", cubin },
	{ "cuda.made_cubin", made_cubin },
	{ "cuda.lost", t_cuda_lost },
	{ "cuda.lost_codes", t_cuda_lost_codes },
	{ "cuda.foreign_context", t_cuda_foreign_context },
	{ "cuda.retry", t_cuda_retry },
	{ "cuda.threads", t_cuda_threads },
	{ "cuda.memory", t_cuda_memory },
	{ "cuda.events", t_cuda_events },
	{ "cuda.pieces", t_cuda_pieces },
	{ "cuda.calls", t_cuda_calls },
	{ "cuda.started", t_cuda_started },
	{ "cuda.lost_batch", t_cuda_lost_batch },
	{ "cuda.fork", t_cuda_fork },
	{ "cuda.strict", t_cuda_strict },
};
const unsigned n_units_cuda = QD_COUNT(units_cuda);
