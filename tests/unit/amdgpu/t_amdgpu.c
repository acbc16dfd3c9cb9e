/* The amdgpu driver on the fake of tests/amdgpu_fake: list and choice of devices, their targets,
 * and loading. */
#include "t_amdgpu.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "function.h"

/* -- Fixture ------------------------------------------------------------------------ */

static const struct fake_driver amdgpu = { "amdgpu", amdgpu_fake_begin, amdgpu_fake_end };

bool
amdgpu_rig_begin(struct unit_ctx *t, struct fake_rig *r, const char *config)
{
	return fake_rig_begin(t, r, &amdgpu, config);
}

bool
amdgpu_rig_open(struct unit_ctx *t, struct fake_rig *r, const char *config)
{
	return fake_rig_open(t, r, &amdgpu, config);
}

/* -- Devices ------------------------------------------------------------------------ */

enum { MAX_INFO = 32 };

/* Lists the devices of this driver only. */
static uint32_t
list_amdgpu(struct unit_ctx *t, struct fake_rig *r, struct qd_device_info out[MAX_INFO])
{
	static struct qd_device_info all[MAX_INFO];
	uint32_t n = 0, n_out = 0;
	RIG_GOOD(t, r, qd_device_list(r->ctx, all, MAX_INFO, &n, &r->e));
	for (uint32_t i = 0; i < n && i < MAX_INFO; i++)
		if (strncmp(all[i].selector, "amdgpu", 6) == 0)
			out[n_out++] = all[i];
	return n_out;
}

/* Checks the properties of each kind of device, or why it is unusable. */
static void
devices(struct unit_ctx *t)
{
	static const struct {
		const char *config, *target;
		uint32_t size, min, max;
		const char *why;
	} rows[] = {
		{ "gpu=gfx906", "gfx906", 64, 64, 64, "" },
		{ "gpu=gfx90a", "gfx90a", 64, 64, 64, "" },
		{ "gpu=gfx942", "gfx942", 64, 64, 64, "" },
		{ "gpu=gfx1030", "gfx1030", 32, 32, 64, "" },
		{ "gpu=gfx1100", "gfx1100", 32, 32, 64, "" },
		{ "gpu=gfx1201", "gfx1201", 32, 32, 64, "" },
		/* identified by family and revision */
		{ "gpu=gfx1201 discovery=0", "gfx1201", 32, 32, 64, "" },
		{ "gpu=gfx906 discovery=0 minor=40", "gfx906", 64, 64, 64, "" },
		{ "gpu=gfx1100 rings=0", "", 0, 0, 0, "has no compute ring: amdgpu.user_queue=2" },
		{ "gpu=gfx1100 minor=20", "", 0, 0, 0, "has kernel interface 3.20; 3.27 is required" },
		{ "gpu=gfx1100 driver=radeon", "", 0, 0, 0, "uses the kernel driver 'radeon'; amdgpu is required" },
		{ "gpu=gfx1100 access=0", "", 0, 0, 0, "cannot be opened: drmOpenRender failed: EACCES (-13): permission denied" },
		{ "gpu=gfx1100 fail=amdgpu_query_hw_ip_info:0:22", "", 0, 0, 0,
		  "cannot be queried: amdgpu_query_hw_ip_info failed: EINVAL (-22)" },
		{ "gpu=gfx1100 fail=amdgpu_device_initialize:0:9", "", 0, 0, 0,
		  "cannot be queried: amdgpu_device_initialize failed: EBADF (-9): the kernel's interface is "
		  "not of version 3" },
		{ "gpu=", "", 0, 0, 0, "there is no AMD device" },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct fake_rig r;
		static struct qd_device_info info[MAX_INFO];
		if (!amdgpu_rig_begin(t, &r, rows[i].config))
			return;
		uint32_t n = list_amdgpu(t, &r, info);
		const struct qd_device_info *d = &info[0];
		UNIT_CHECK(t, n == 1 && d->usable == !rows[i].why[0], "%s: %u, %s: %s", rows[i].config, n,
			   d->selector, d->why);
		UNIT_CHECK(t, strstr(d->why, rows[i].why), "%s: %s", rows[i].config, d->why);
		if (d->usable) {
			UNIT_CHECK(t, d->subgroup_size == rows[i].size && d->min_subgroup_size == rows[i].min &&
				      d->max_subgroup_size == rows[i].max && d->max_block_dim == 1024 &&
				      strcmp(d->target, rows[i].target) == 0 && d->vendor == 0x1002 &&
				      d->memory > 0 && !strncmp(d->driver, "amdgpu 3.", 9) && d->pci[0],
				   "%s: %s, subgroups %u (%u to %u), %s, pci '%s'", rows[i].config, d->target,
				   d->subgroup_size, d->min_subgroup_size, d->max_subgroup_size, d->driver,
				   d->pci);
			RIG_GOOD(t, &r, qd_device_open(r.ctx, "amdgpu", &r.dev, &r.e));
			UNIT_CHECK(t, r.dev && strcmp(qd_device_target(r.dev), rows[i].target) == 0, "%s",
				   rows[i].config);
		} else {
			qd_status st = qd_device_open(r.ctx, "amdgpu", &r.dev, &r.e);
			UNIT_CHECK(t, st == QD_E_UNAVAILABLE && strstr(r.e.text, rows[i].why), "%s: %s: %s",
				   rows[i].config, qd_status_name(st), r.e.text);
		}
		fake_rig_end(t, &r);
	}
}

/* Checks that the group of a device node is named. */
static void
group(struct unit_ctx *t)
{
	char path[] = "/tmp/qd_node_XXXXXX", out[256], want[64];
	int fd = mkstemp(path);
	UNIT_CHECK(t, fd >= 0, "no temporary file");
	close(fd);
	/* A number without a group, if this user may set it. */
	bool ours = chown(path, (uid_t)-1, 54321) == 0;
	kgd_who_may_open(path, out, sizeof out);
	UNIT_CHECK(t, strncmp(out, "; /tmp/qd_node_", 15) == 0 && strstr(out, " is for group ") &&
			      strstr(out, "usermod -aG "),
		   "%s", out);
	if (ours)
		UNIT_CHECK(t, strstr(out, " is for group 54321: add the user to it (usermod -aG 54321 NAME)"), "%s",
			   out);
	struct group *own = getgrgid(getegid());
	snprintf(want, sizeof want, " is for group %s: ", own ? own->gr_name : "");
	if (own && chown(path, (uid_t)-1, getegid()) == 0) {
		kgd_who_may_open(path, out, sizeof out);
		UNIT_CHECK(t, strstr(out, want), "%s", out);
	}
	unlink(path);
	kgd_who_may_open(path, out, sizeof out);
	UNIT_CHECK(t, !out[0], "%s", out);
}

/* Checks which of two devices a selector chooses. */
static void
choose(struct unit_ctx *t)
{
	static const struct {
		const char *text, *want;
		qd_status st;
	} rows[] = {
		{ "amdgpu", "amdgpu:0", QD_OK },
		{ "amdgpu:1", "amdgpu:1", QD_OK },
		{ "amdgpu:1:w64", "amdgpu:1:w64", QD_OK },
		{ "amdgpu:1:w32", "amdgpu:1", QD_OK },
		{ "amdgpu:7", "no device amdgpu:7; there are 2: amdgpu:0 to 1", QD_E_NOT_FOUND },
		{ "amdgpu:nothing like it", "no amdgpu device has 'nothing like it' in its name",
		  QD_E_NOT_FOUND },
	};
	static struct qd_device_info info[MAX_INFO];
	struct fake_rig r;
	char text[64];
	if (!amdgpu_rig_begin(t, &r, "gpu=gfx906,gfx1100"))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		qd_status st = qd_device_open(r.ctx, rows[i].text, &r.dev, &r.e);
		bool ok = st ? strstr(r.e.text, rows[i].want) != NULL
			     : strcmp(r.dev->info.selector, rows[i].want) == 0;
		UNIT_CHECK(t, st == rows[i].st && ok, "%s: %s: %s", rows[i].text, qd_status_name(st),
			   st ? r.e.text : r.dev->info.selector);
		fake_rig_shut(&r);
	}
	/* Select each device by its name and by its PCI address. */
	uint32_t n = list_amdgpu(t, &r, info);
	for (uint32_t i = 0; i < n; i++) {
		snprintf(text, sizeof text, "amdgpu:%.40s", info[i].name);
		RIG_GOOD(t, &r, qd_device_open(r.ctx, text, &r.dev, &r.e));
		UNIT_CHECK(t, r.dev && !strcmp(r.dev->info.selector, info[i].selector), "%s", text);
		fake_rig_shut(&r);
		snprintf(text, sizeof text, "amdgpu:%s", info[i].pci);
		RIG_GOOD(t, &r, qd_device_open(r.ctx, text, &r.dev, &r.e));
		UNIT_CHECK(t, r.dev && !strcmp(r.dev->info.selector, info[i].selector), "%s", text);
		fake_rig_shut(&r);
	}
	fake_rig_end(t, &r);
}

/* Checks that devices are numbered by PCI address, in whatever order libdrm lists them. */
static void
sorted(struct unit_ctx *t)
{
	static const char *const configs[] = { "gpu=gfx906,gfx1100,gfx1201",
					       "gpu=gfx906,gfx1100,gfx1201 reverse=1" };
	static const char *const targets[] = { "gfx906", "gfx1100", "gfx1201" };
	static struct qd_device_info info[MAX_INFO];
	for (size_t i = 0; i < QD_COUNT(configs); i++) {
		struct fake_rig r;
		if (!amdgpu_rig_begin(t, &r, configs[i]))
			return;
		uint32_t n = list_amdgpu(t, &r, info);
		UNIT_CHECK(t, n == QD_COUNT(targets), "%s: %u devices", configs[i], n);
		for (uint32_t k = 0; k < n && k < QD_COUNT(targets); k++)
			UNIT_CHECK(t, strcmp(info[k].target, targets[k]) == 0 && info[k].selector[7] == (char)('0' + k),
				   "%s: %s is %s", configs[i], info[k].selector, info[k].target);
		RIG_GOOD(t, &r, qd_device_open(r.ctx, "amdgpu:2", &r.dev, &r.e));
		UNIT_CHECK(t, r.dev && strcmp(qd_device_target(r.dev), "gfx1201") == 0, "%s: amdgpu:2 is %s",
			   configs[i], r.dev ? qd_device_target(r.dev) : "none");
		fake_rig_end(t, &r);
	}
}

/* Checks that buffers are whole pages of the host, if these are larger than the GPU's. */
static void
pages(struct unit_ctx *t)
{
	enum { SIZE = (5 << 20) + 4096 }; /* a separate block */
	struct fake_rig r;
	struct qd_buffer *buf = NULL;
	uint32_t up = 0x600d600d, got = 0;
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100 vram=64 page=65536"))
		return;
	RIG_GOOD(t, &r, qd_buffer_create(r.dev, SIZE, 0, &buf, &r.e));
	RIG_GOOD(t, &r, qd_buffer_upload(r.stream, buf, SIZE - 4, &up, 4, &r.e));
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, SIZE - 4, &got, 4, &r.e));
	UNIT_CHECK(t, got == up, "0x%x", got);
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

/* -- Images -------------------------------------------------------------------------- */

/* Checks the status and the error for a copy of the image after `change`. */
static void
refused(struct unit_ctx *t, struct fake_rig *r, void (*change)(struct qd_image *, uint8_t *code),
	qd_status want, const char *part)
{
	static struct qd_image img;
	static uint8_t code[4096];
	img = *r->fn->image;
	memcpy(code, img.code, img.code_size);
	img.code = code;
	change(&img, code);
	qd_status st = device_accepts(r->dev, &img, &r->e);
	UNIT_CHECK(t, st == want && strstr(r->e.text, part), "want '%s', got %s: %s", part,
		   qd_status_name(st), st ? r->e.text : "");
}

static void
unchanged(struct qd_image *img, uint8_t *code)
{
	(void)img, (void)code;
}

static void
no_descriptor(struct qd_image *img, uint8_t *code)
{
	(void)code;
	img->code_size = 63;
}

static void
entry_outside(struct qd_image *img, uint8_t *code)
{
	(void)img;
	code[16 + 2] = 1; /* 64 KiB further on */
}

static void
entry_inside(struct qd_image *img, uint8_t *code)
{
	(void)img;
	memset(code + 16, 0, 8); /* the descriptor itself */
}

static void
no_block(struct qd_image *img, uint8_t *code)
{
	(void)code;
	img->meta.local_size = 0;
}

static void
large_block(struct qd_image *img, uint8_t *code)
{
	(void)code;
	img->meta.local_size = 2048;
}

static void
much_lds(struct qd_image *img, uint8_t *code)
{
	(void)img;
	code[2] = 2; /* 128 KiB */
}

static void
a_privilege(struct qd_image *img, uint8_t *code)
{
	(void)img;
	code[48 + 2] |= 0x10; /* PGM_RSRC1.PRIV */
}

static void
other_wave(struct qd_image *img, uint8_t *code)
{
	(void)img;
	code[57] ^= 4; /* waves of 64 */
}

static void
images(struct unit_ctx *t)
{
	struct fake_rig r;
	struct qd_image *img = NULL;
	struct qd_function *fn = NULL;
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		return;
	refused(t, &r, unchanged, QD_OK, "");
	refused(t, &r, no_descriptor, QD_E_INVALID, "it has no kernel descriptor");
	refused(t, &r, entry_outside, QD_E_INVALID, "its code begins outside of its bounds");
	refused(t, &r, entry_inside, QD_E_INVALID, "its code begins outside of its bounds");
	refused(t, &r, no_block, QD_E_INVALID, "hardware blocks of 0 threads");
	refused(t, &r, large_block, QD_E_LIMIT, "a block of 2048 x 1 x 1 lanes; the number must be 1 to 1024");
	refused(t, &r, much_lds, QD_E_LIMIT, "bytes of LDS");
	refused(t, &r, a_privilege, QD_E_INVALID, "PGM_RSRC1.PRIV is set");
	refused(t, &r, other_wave, QD_E_INVALID, "its wave size differs");
	RIG_GOOD(t, &r, qd_compile(r.ctx, r.inc, "gfx1030", NULL, 0, &img, &r.e));
	qd_status st = qd_function_load(r.dev, img, &fn, &r.e);
	UNIT_CHECK(t, st == QD_E_TARGET && strstr(r.e.text, "kernel 'inc' is compiled for target gfx1030; "
							    "the device is gfx1100"),
		   "%s: %s", qd_status_name(st), r.e.text);
	qd_image_free(img);
	RIG_GOOD(t, &r, qd_compile(r.ctx, r.inc, "gfx1100:w64", NULL, 0, &img, &r.e));
	RIG_GOOD(t, &r, qd_function_load(r.dev, img, &fn, &r.e));
	UNIT_CHECK(t, fn && fn->info.hardware_size == 64 && fn->info.registers > 0, "waves of %u",
		   fn ? fn->info.hardware_size : 0);
	qd_image_free(img);
	fake_rig_end(t, &r);
}

const struct unit units_amdgpu[] = {
	{ "amdgpu.devices", devices },
	{ "amdgpu.group", group },
	{ "amdgpu.choose", choose },
	{ "amdgpu.sorted", sorted },
	{ "amdgpu.pages", pages },
	{ "amdgpu.images", images },
	{ "amdgpu.moves", t_amdgpu_moves },
	{ "amdgpu.copies", t_amdgpu_copies },
	{ "amdgpu.order", t_amdgpu_order },
	{ "amdgpu.many", t_amdgpu_many },
	{ "amdgpu.warm", t_amdgpu_warm },
	{ "amdgpu.lost", t_amdgpu_lost },
	{ "amdgpu.lost_codes", t_amdgpu_lost_codes },
	{ "amdgpu.lost_between", t_amdgpu_lost_between },
	{ "amdgpu.lost_names", t_amdgpu_lost_names },
	{ "amdgpu.lost_submit", t_amdgpu_lost_submit },
	{ "amdgpu.long", t_amdgpu_long },
	{ "amdgpu.lost_quietly", t_amdgpu_lost_quietly },
	{ "amdgpu.retry", t_amdgpu_retry },
	{ "amdgpu.threads", t_amdgpu_threads },
	{ "amdgpu.memory", t_amdgpu_memory },
	{ "amdgpu.events", t_amdgpu_events },
	{ "amdgpu.fork", t_amdgpu_fork },
};
const unsigned n_units_amdgpu = QD_COUNT(units_amdgpu);
