/* libdrm.so.2: the list of devices, and file descriptors that represent them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"

static const char mark[] = "fake amdgpu ";

int
fake_device_of(int fd)
{
	char text[32] = "";
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	if (n <= (ssize_t)strlen(mark) || strncmp(text, mark, strlen(mark)) != 0)
		return -1;
	int i = atoi(text + strlen(mark));
	return i >= 0 && i < (int)fake_config()->n_devices ? i : -1;
}

/* The kernel's amdgpu_xcp_drv.c creates a platform device for each partition but the first, which
 * keeps the whole device's bus address. */
static int
bus_of(unsigned i)
{
	const struct config *c = fake_config();
	return i + c->xcp < c->n_devices ? BUS_PCI : c->faux ? BUS_FAUX : BUS_PLATFORM;
}

static struct drm_device *
device_new(unsigned i)
{
	const struct gpu *g = fake_config()->gpus[i];
	struct drm_device *d = calloc(1, sizeof *d);
	bool ok = d != NULL;
	if (!ok)
		return NULL;
	d->nodes = calloc(DRM_NODE_MAX, sizeof *d->nodes);
	d->bustype = bus_of(i);
	bool pci = d->bustype == BUS_PCI;
	if (pci) {
		d->bus = calloc(1, sizeof *d->bus);
		d->info = calloc(1, sizeof *d->info);
	} else {
		d->named_bus = calloc(1, sizeof *d->named_bus);
		d->named_info = d->bustype == BUS_FAUX ? NULL : calloc(1, sizeof *d->named_info);
	}
	ok = d->nodes && d->bus && (d->info || d->bustype == BUS_FAUX);
	for (unsigned k = 0; ok && k < DRM_NODE_MAX; k += 2) {
		d->nodes[k] = malloc(32);
		ok = d->nodes[k] != NULL;
		if (ok)
			snprintf(d->nodes[k], 32, "/dev/dri/%s%u", k ? "renderD" : "card",
				 i + (k ? FIRST_MINOR : 0u));
	}
	if (!ok) {
		drmFreeDevice(&d);
		return NULL;
	}
	d->available_nodes = 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER;
	if (!pci) {
		snprintf(d->named_bus->name, sizeof d->named_bus->name, "amdgpu_xcp_%u", i);
		return d;
	}
	*d->bus = (struct drm_pci_bus){ 0, (uint8_t)(3 + i), 0, 0 };
	*d->info = (struct drm_pci_device){ 0x1002, g->pci, 0x1002, 0x0e3b, 0xc8 };
	return d;
}

void
drmFreeDevice(struct drm_device **device)
{
	struct drm_device *d = device ? *device : NULL;
	if (!d)
		return;
	for (unsigned k = 0; d->nodes && k < DRM_NODE_MAX; k++)
		free(d->nodes[k]);
	free(d->nodes);
	free(d->bus);
	free(d->info);
	free(d);
	*device = NULL;
}

void
drmFreeDevices(struct drm_device **devices, int n)
{
	for (int i = 0; devices && i < n; i++)
		drmFreeDevice(&devices[i]);
}

int
drmGetDevices2(uint32_t flags, struct drm_device **out, int max)
{
	int r = fake_call(__func__), n = (int)fake_config()->n_devices;
	if (r)
		return r;
	if (flags & ~1u)
		return -EINVAL;
	for (int i = 0; out && i < n && i < max; i++) {
		out[i] = device_new((unsigned)(fake_config()->reverse ? n - 1 - i : i));
		if (!out[i]) {
			drmFreeDevices(out, i);
			return -ENOMEM;
		}
	}
	return n;
}

int
drmGetDevice2(int fd, uint32_t flags, struct drm_device **out)
{
	int r = fake_call(__func__), i = fake_device_of(fd);
	if (r)
		return r;
	if (i < 0 || !out || (flags & ~1u))
		return -EINVAL;
	*out = device_new((unsigned)i);
	return *out ? 0 : -ENOMEM;
}

int
drmOpenRender(int minor)
{
	int r = fake_call(__func__), i = minor - FIRST_MINOR;
	char text[32];
	if (r)
		return r;
	if (i < 0 || i >= (int)fake_config()->n_devices)
		return -ENOENT;
	if (!fake_config()->access)
		return -EACCES;
	int n = snprintf(text, sizeof text, "%s%d\n", mark, i),
	    fd = memfd_create("renderD", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)n) != n) {
		close(fd);
		return -EIO;
	}
	return fd;
}

int
drmClose(int fd)
{
	int r = fake_call(__func__);
	close(fd);
	return r;
}

struct drm_version *
drmGetVersion(int fd)
{
	const struct config *c = fake_config();
	if (fake_call(__func__) || fake_device_of(fd) < 0)
		return NULL;
	struct drm_version *v = calloc(1, sizeof *v);
	if (!v)
		return NULL;
	*v = (struct drm_version){ .major = 3,
				   .minor = (int)c->minor,
				   .name = strdup(c->driver),
				   .date = strdup("20150101"),
				   .desc = strdup("AMD GPU") };
	if (!v->name || !v->date || !v->desc) {
		drmFreeVersion(v);
		return NULL;
	}
	v->name_len = (int)strlen(v->name);
	v->date_len = (int)strlen(v->date);
	v->desc_len = (int)strlen(v->desc);
	return v;
}

void
drmFreeVersion(struct drm_version *v)
{
	if (!v)
		return;
	free(v->name);
	free(v->date);
	free(v->desc);
	free(v);
}

int
drmGetNodeTypeFromFd(int fd)
{
	if (fake_call(__func__) || fake_device_of(fd) < 0) {
		errno = ENODEV;
		return -1;
	}
	return DRM_NODE_RENDER;
}

char *
drmGetRenderDeviceNameFromFd(int fd)
{
	int i = fake_device_of(fd);
	char *text = fake_call(__func__) || i < 0 ? NULL : malloc(32);
	if (text)
		snprintf(text, 32, "/dev/dri/renderD%d", i + FIRST_MINOR);
	return text;
}
