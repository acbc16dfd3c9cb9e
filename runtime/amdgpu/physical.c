/* Lists and identifies devices. AMD's render nodes are opened, queried and closed. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_select.h"
#include "kgd.h"

enum { AMD_VENDOR = 0x1002, OLDEST_MINOR = 27, MOST_GROUP = 64 };

/* Marks the device unusable. Only the first reason is kept. */
static void
deny(struct kgd_physical *p, const char *why, ...) QD_PRINTF(2, 3);

static void
deny(struct kgd_physical *p, const char *why, ...)
{
	va_list ap;
	if (p->info.why[0])
		return;
	va_start(ap, why);
	vsnprintf(p->info.why, sizeof p->info.why, why, ap);
	va_end(ap);
}

/* -- Opening nodes ------------------------------------------------------------------------------ */

/* Names the file's group, because it varies by distribution. */
void
kgd_who_may_open(const char *path, char *out, size_t cap)
{
	struct stat st;
	struct group group, *found = NULL;
	char text[1024], name[MOST_GROUP];
	out[0] = '\0';
	if (stat(path, &st) != 0)
		return;
	if (getgrgid_r(st.st_gid, &group, text, sizeof text, &found) == 0 && found)
		snprintf(name, sizeof name, "%s", found->gr_name);
	else
		snprintf(name, sizeof name, "%lu", (unsigned long)st.st_gid);
	snprintf(out, cap, "; %s is for group %s: add the user to it (usermod -aG %s NAME) and log in again",
		 path, name, name);
}

/* Returns 128 for "/dev/dri/renderD128", or -1 if the path has no number. */
static int
minor_of(const char *path)
{
	size_t len = strlen(path), digits = 0;
	while (digits < len && path[len - digits - 1] >= '0' && path[len - digits - 1] <= '9')
		digits++;
	return digits && digits < 7 ? (int)strtol(path + len - digits, NULL, 10) : -1;
}

/* Returns a file of the node. If the result is below 0, the device is marked unusable. */
static int
open_node(const struct kgd_symbols *drm, struct kgd_physical *p, const char *path)
{
	struct qd_error why;
	char who[192] = "";
	int fd = drm->drmOpenRender(p->minor);
	if (fd >= 0)
		return fd;
	kgd_fail(NULL, &why, fd, "drmOpenRender");
	if (fd == -EACCES)
		kgd_who_may_open(path, who, sizeof who);
	deny(p, "cannot be opened: %.120s%s", why.text, who);
	return fd;
}

/* Checks that the kernel's driver of this node is amdgpu. */
static void
check_driver(const struct kgd_symbols *drm, struct kgd_physical *p, int fd)
{
	struct kgd_version *v = drm->drmGetVersion(fd);
	if (!v) {
		deny(p, "cannot be queried: drmGetVersion failed");
		return;
	}
	if (!v->name || strcmp(v->name, "amdgpu") != 0)
		deny(p, "uses the kernel driver '%.32s'; amdgpu is required",
		     v->name ? v->name : "");
	drm->drmFreeVersion(v);
}

/* -- Queries ------------------------------------------------------------------------------------ */

struct kgd_answers {
	struct kgd_info info;
	struct kgd_memory_info memory;
	struct kgd_engine engine;
};

/* Returns the name of the call that failed, or NULL. */
static const char *
ask(const struct kgd_symbols *drm, struct amdgpu_device *dev, struct kgd_answers *a, int *r)
{
	*r = drm->amdgpu_query_info(dev, KGD_INFO_DEVICE, sizeof a->info, &a->info);
	if (*r)
		return "amdgpu_query_info (DEV_INFO)";
	*r = drm->amdgpu_query_info(dev, KGD_INFO_MEMORY, sizeof a->memory, &a->memory);
	if (*r)
		return "amdgpu_query_info (MEMORY)";
	*r = drm->amdgpu_query_hw_ip_info(dev, KGD_IP_COMPUTE, 0, &a->engine);
	return *r ? "amdgpu_query_hw_ip_info" : NULL;
}

/* Returns the modes of the device. If configured, the kernel's driver repeats accesses to missing
 * pages, on devices with XNACK. The memories of compute units are checked if the driver monitors
 * their errors. */
static uint32_t
modes_of(const struct kgd_symbols *drm, struct amdgpu_device *dev, const struct amd_gpu *gpu)
{
	char noretry[16] = "";
	uint64_t ras = 0;
	uint32_t modes = 0;
	FILE *f = fopen("/sys/module/amdgpu/parameters/noretry", "re");
	if (f) {
		if (!fgets(noretry, sizeof noretry, f))
			noretry[0] = '\0';
		fclose(f);
	}
	if (!(gpu->features & AMD_XNACK) || noretry[0] != '0')
		modes |= ISA_AMD_XNACK_OFF;
	if (!(gpu->features & AMD_SRAMECC))
		modes |= ISA_AMD_SRAMECC_OFF;
	else if (drm->amdgpu_query_info(dev, KGD_INFO_RAS, sizeof ras, &ras) == 0)
		modes |= ras & KGD_RAS_GFX ? ISA_AMD_SRAMECC_ON : ISA_AMD_SRAMECC_OFF;
	return modes;
}

static void
find_target(struct kgd_physical *p)
{
	struct qd_device_info *info = &p->info;
	struct target t;
	struct qd_error why;
	if (isa_target(p->gpu->name, &t, &why) != QD_OK) {
		deny(p, "is %s, which is not a target", p->gpu->name);
		return;
	}
	info->subgroup_size = t.m.subgroup_size;
	info->min_subgroup_size = p->gpu->sizes & 32 ? 32 : 64;
	info->max_subgroup_size = p->gpu->sizes & 64 ? 64 : 32;
	info->max_block_dim = machine_max_block(&t.m, t.m.lanes, t.m.subgroup_size);
	if (!info->why[0])
		snprintf(info->target, sizeof info->target, "%s", t.m.name);
}

static void
check_device(struct kgd_physical *p, const struct kgd_answers *a)
{
	const struct kgd_info *i = &a->info;
	struct qd_error why;
	p->n_cu = i->n_cu;
	p->n_engine = i->n_engine;
	p->clock_khz = i->counter_khz;
	/* A mapping must also consist of whole pages of the host's kernel, which may be larger. */
	p->page = i->gart_page_size > i->va_alignment ? i->gart_page_size : i->va_alignment;
	p->apu = i->ids_flags & KGD_IDS_APU;
	p->rings = a->engine.rings & ((1u << KGD_MAX_RING) - 1);
	p->vram = a->memory.vram.usable;
	p->gtt = a->memory.gtt.usable;
	p->info.memory = p->apu ? p->gtt : p->vram;
	if (p->drm_minor < OLDEST_MINOR)
		deny(p, "has kernel interface 3.%u; 3.%d is required: update the kernel",
		     p->drm_minor, OLDEST_MINOR);
	if (amd_gpu_identify(a->engine.ip_version, i->family, i->external_rev, &p->gpu, &why) != QD_OK) {
		p->gpu = NULL;
		deny(p, "cannot be identified: %.200s", why.text);
		return;
	}
	if (!p->rings)
		deny(p, "has no compute ring: amdgpu.user_queue=2 disables it; use another value "
			"of that parameter");
	if (!p->page || p->page & (p->page - 1) || !p->n_engine || p->n_cu < p->n_engine ||
	    p->n_engine > PM4_MAX_ENGINE)
		deny(p,
		     "cannot be used: it reports %u compute units in %u shader engines, and pages "
		     "of %u bytes",
		     p->n_cu, p->n_engine, p->page);
	find_target(p);
}

/* Includes the version of the firmware that reads streams, because faults may depend on it. */
static void
layout_driver(struct kgd_physical *p, const struct kgd_symbols *drm, struct amdgpu_device *dev,
		uint32_t major)
{
	uint32_t version, feature;
	char firmware[40] = "";
	if (drm->amdgpu_query_firmware_version &&
	    drm->amdgpu_query_firmware_version(dev, KGD_FW_COMPUTE, 0, 0, &version, &feature) == 0)
		snprintf(firmware, sizeof firmware, ", compute firmware %u", version);
	snprintf(p->info.driver, sizeof p->info.driver, "amdgpu %u.%u%s", major, p->drm_minor, firmware);
}

static void
ask_node(const struct kgd_symbols *drm, struct kgd_physical *p, int fd)
{
	struct kgd_answers a;
	struct amdgpu_device *dev;
	uint32_t major = 0;
	int r;
	memset(&a, 0, sizeof a);
	kgd_library_hold();
	r = drm->amdgpu_device_initialize(fd, &major, &p->drm_minor, &dev);
	if (r == 0) {
		const char *call = ask(drm, dev, &a, &r);
		const char *name = drm->amdgpu_get_marketing_name ? drm->amdgpu_get_marketing_name(dev)
								   : NULL;
		if (call)
			deny(p, "cannot be queried: %s failed: %s (%d)", call, kgd_result_name(r),
			     r);
		else
			check_device(p, &a);
		if (p->gpu)
			p->modes = modes_of(drm, dev, p->gpu);
		if (name && *name)
			snprintf(p->info.name, sizeof p->info.name, "%s", name);
		else if (p->gpu)
			snprintf(p->info.name, sizeof p->info.name, "AMD %s", p->gpu->name);
		layout_driver(p, drm, dev, major);
		drm->amdgpu_device_deinitialize(dev);
	} else {
		struct qd_error why;
		kgd_fail(NULL, &why, r, "amdgpu_device_initialize");
		deny(p, "cannot be queried: %.200s", why.text);
	}
	kgd_library_release();
}

/* -- The list ------------------------------------------------------------------------------------- */

/* Returns whether the node is a partition of a device (CPX, DPX and others of gfx942 and gfx950).
 * The first partition is the device on the PCI bus. For each other partition the kernel creates a
 * device without a bus, "amdgpu_xcp" or "amdgpu_xcp_3", whose render node is the partition. Linux:
 * amdxcp/amdgpu_xcp_drv.c; libdrm: drmParseOFBusInfo in xf86drm.c, which reads that name. */
static bool
is_partition(const struct kgd_node *n)
{
	static const char name[] = "amdgpu_xcp";
	return (n->bus == DRM_BUS_PLATFORM || n->bus == DRM_BUS_FAUX) && n->name &&
	       strncmp(n->name, name, sizeof name - 1) == 0;
}

static bool
is_amd(const struct kgd_node *n)
{
	return is_partition(n) || (n->bus == DRM_BUS_PCI && n->ids && n->ids->vendor == AMD_VENDOR);
}

static uint32_t
place_of(const struct kgd_node *n)
{
	const struct kgd_pci_place *p = n->place;
	if (n->bus != DRM_BUS_PCI || !p)
		return UINT32_MAX;
	return (uint32_t)p->domain << 16 | (uint32_t)p->bus << 8 | (uint32_t)(p->dev & 31) << 3 | (p->func & 7u);
}

/* Returns the path of the render node, or NULL. */
static const char *
render_node(const struct kgd_node *n)
{
	return n->available >> DRM_NODE_RENDER_AT & 1 ? n->nodes[DRM_NODE_RENDER_AT] : NULL;
}

static int
render_minor(const struct kgd_node *n)
{
	const char *path = render_node(n);
	return path ? minor_of(path) : -1;
}

struct entry {
	struct kgd_node *node;
	uint32_t place; /* bus address of the device, or of the device that it is a partition of */
	int minor;
};

/* Compares bus addresses, because libdrm lists the nodes in the order of a directory. */
static int
by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->minor > y->minor) - (x->minor < y->minor);
}

/* The kernel numbers the nodes of a device's partitions directly after the device's own node. A
 * partition therefore belongs to the AMD device with the nearest lower number. */
static void
sort_nodes(struct kgd_node **nodes, int n, struct entry *out)
{
	for (int i = 0; i < n; i++)
		out[i] = (struct entry){ nodes[i], place_of(nodes[i]), render_minor(nodes[i]) };
	for (int i = 0; i < n; i++) {
		int nearest = -1;
		for (int k = 0; is_partition(nodes[i]) && k < n; k++) {
			bool owner = nodes[k]->bus == DRM_BUS_PCI && is_amd(nodes[k]);
			if (!owner || out[k].minor >= out[i].minor || out[k].minor <= nearest)
				continue;
			nearest = out[k].minor;
			out[i].place = out[k].place;
		}
	}
	qsort(out, (size_t)n, sizeof *out, by_place);
}

/* Appends the partition's render node to the device's name. */
static void
name_partition(struct kgd_physical *p)
{
	size_t n = strlen(p->info.name);
	snprintf(p->info.name + n, sizeof p->info.name - n, ", partition renderD%d", p->minor);
}

/* Returns false if the node is not a device. The kernel makes a node for each partition that a device
 * may have; opening one that the device does not have now fails (amdgpu_xcp_open_device: ENOENT). */
static bool
look_at(const struct kgd_symbols *drm, const struct kgd_node *n, struct kgd_physical *p)
{
	if (is_partition(n))
		snprintf(p->info.name, sizeof p->info.name, "an AMD device");
	else
		snprintf(p->info.name, sizeof p->info.name, "an AMD device %04x", n->ids->device);
	snprintf(p->info.driver, sizeof p->info.driver, "amdgpu");
	p->info.vendor = AMD_VENDOR;
	if (n->bus == DRM_BUS_PCI && n->place)
		snprintf(p->info.pci, sizeof p->info.pci, "%04x:%02x:%02x.%x", n->place->domain,
			 n->place->bus, n->place->dev, n->place->func & 7u);
	p->minor = render_minor(n);
	if (p->minor < 0) {
		deny(p, "has no render node: the kernel's amdgpu driver does not drive it");
		return true;
	}
	int fd = open_node(drm, p, render_node(n));
	if (fd == -ENOENT && is_partition(n))
		return false;
	if (fd >= 0) {
		check_driver(drm, p, fd);
		if (!p->info.why[0])
			ask_node(drm, p, fd);
		close(fd);
	}
	if (is_partition(n))
		name_partition(p);
	return true;
}

qd_status
kgd_physical_list(const struct kgd_symbols *drm, struct kgd_physical out[KGD_MAX_PHYSICAL],
		  uint32_t *n, struct qd_error *err)
{
	struct kgd_node *nodes[KGD_MAX_PHYSICAL];
	struct entry order[KGD_MAX_PHYSICAL];
	int count = drm->drmGetDevices2(0, nodes, KGD_MAX_PHYSICAL);
	*n = 0;
	if (count < 0)
		return kgd_fail(NULL, err, count, "drmGetDevices2");
	if (count > KGD_MAX_PHYSICAL)
		count = KGD_MAX_PHYSICAL;
	sort_nodes(nodes, count, order);
	for (int i = 0; i < count; i++) {
		struct kgd_physical *p = &out[*n];
		if (!is_amd(order[i].node))
			continue;
		memset(p, 0, sizeof *p);
		snprintf(p->info.selector, sizeof p->info.selector, "amdgpu:%u", *n);
		if (!look_at(drm, order[i].node, p))
			continue;
		p->info.usable = !p->info.why[0];
		++*n;
	}
	drm->drmFreeDevices(nodes, count);
	if (!*n)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "there is no AMD device among the %d devices in /dev/dri%s", count,
			       count ? "" : "; is the kernel's amdgpu driver loaded?");
	return QD_OK;
}

/* Compares a bus address: "0000:03:00.0", or "03:00.0" as in lspci if the domain is 0. */
static bool
is_bus_address(const char *pci, const char *which)
{
	const char *short_address = strncmp(pci, "0000:", 5) == 0 ? pci + 5 : pci;

	return strcasecmp(pci, which) == 0 || strcasecmp(short_address, which) == 0;
}

static bool
is_processor(const struct qd_device_info *info, const char *which)
{
	size_t len = strcspn(info->target, ":");

	return len && strlen(which) == len && strncasecmp(info->target, which, len) == 0;
}

/* Also selects by bus address and by processor. */
qd_status
kgd_choose(const struct kgd_physical *all, uint32_t n, const char *which, uint32_t *out,
	   struct qd_error *err)
{
	const struct qd_device_info *infos[KGD_MAX_PHYSICAL];
	uint32_t found = n;
	char index[16];
	for (uint32_t i = 0; i < n; i++)
		infos[i] = &all[i].info;
	for (uint32_t i = 0; *which && i < n; i++) {
		if (!is_bus_address(infos[i]->pci, which) && !is_processor(infos[i], which))
			continue;
		if (found == n || (!infos[found]->usable && infos[i]->usable))
			found = i;
	}
	if (found < n) {
		snprintf(index, sizeof index, "%u", found);
		which = index;
	}
	return choose_device("amdgpu", "amdgpu", infos, n, which, out, err);
}
