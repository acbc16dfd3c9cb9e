/* Devices: the rows of amd_abi.def that the driver knows. */
#include "target.h"

/* clang-format off */
/* Features of amd_abi.def; 0: without an effect on streams. */
enum {
	XNACK = AMD_XNACK, SRAMECC = AMD_SRAMECC, AGPR = AMD_AGPR, ALIGN2 = AMD_ONE_FILE, DPP_SGPR = 0, TRUE16 = 0,
	SGPR16 = AMD_SGPR16
};
#define ROW(name, ip, ip2, rev, rev2, gen, cls, pm4, wave, other, sgpr, g32, g64, lds, gran, simds, waves, \
	    file, unit, cnt, feat) \
	{ #name, PM4_##pm4, (wave) + (other), lds, gran, simds, waves, file, unit, g32, g64, feat, \
	  { ip, ip2 }, { rev, rev2 } },
static const struct amd_gpu gpus[] = {
#define AMD_DEVICE(name, model, number, ...) AMD_WITH_MODEL(ROW, model, name, __VA_ARGS__)
#define AMD_TARGET AMD_DEVICE
#include "amd_abi.def"
};

/* Devices that are known but rejected; why ends the sentence. */
static const struct refused {
	uint32_t ip, rev;
	const char *name, *why;
} refused[] = {
	{ AMD_IP(12, 1, 0), 0, "gfx1250",
	  "its compute registers differ from those of gfx12, and no table contains them" },
	{ 0, AMD_REV(154, 0x00), "gfx1154", "no target of that name is known to qd's code generator" },
};
/* clang-format on */

const struct amd_gpu *
amd_gpu_at(size_t i)
{
	return i < QD_COUNT(gpus) ? &gpus[i] : NULL;
}

const struct amd_gpu *
amd_gpu_find(const char *name, size_t len)
{
	for (size_t i = 0; i < QD_COUNT(gpus); i++)
		if (strlen(gpus[i].name) == len && memcmp(gpus[i].name, name, len) == 0)
			return &gpus[i];
	return NULL;
}

static qd_status
refuse(const struct refused *r, struct qd_error *err)
{
	return qd_fail(err, QD_E_UNAVAILABLE, "the device is %s, which qd does not support: %s",
		       r->name, r->why);
}

static qd_status
by_ip(uint32_t ip, const struct amd_gpu **out, struct qd_error *err)
{
	const struct amd_gpu *first = gpus, *last = gpus; /* by ip[0] */

	for (size_t i = 0; i < QD_COUNT(refused); i++)
		if (refused[i].ip == ip)
			return refuse(&refused[i], err);
	for (const struct amd_gpu *g = gpus; g < gpus + QD_COUNT(gpus); g++) {
		if (g->ip[0] == ip || g->ip[1] == ip) {
			*out = g;
			return QD_OK;
		}
		first = g->ip[0] < first->ip[0] ? g : first;
		last = g->ip[0] > last->ip[0] ? g : last;
	}
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "the device's graphics core has version %u.%u.%u, which qd does not support; it supports some "
		       "from %u.%u.%u (%s) to %u.%u.%u (%s)",
		       ip >> 16, ip >> 8 & 0xff, ip & 0xff, first->ip[0] >> 16, first->ip[0] >> 8 & 0xff,
		       first->ip[0] & 0xff, first->name, last->ip[0] >> 16, last->ip[0] >> 8 & 0xff,
		       last->ip[0] & 0xff, last->name);
}

/* A revision of either table: of a device or of a rejected one. */
struct known_rev {
	uint32_t rev; /* AMD_REV */
	const struct amd_gpu *gpu;
	const struct refused *refused;
};

/* Returns the i-th one; rev is 0 for empty columns. */
static bool
rev_at(size_t i, struct known_rev *out)
{
	enum { N = QD_COUNT(gpus[0].rev) };
	size_t r = i - N * QD_COUNT(gpus);

	if (i < N * QD_COUNT(gpus))
		*out = (struct known_rev){ .rev = gpus[i / N].rev[i % N], .gpu = &gpus[i / N] };
	else if (r < QD_COUNT(refused))
		*out = (struct known_rev){ .rev = refused[r].rev, .refused = &refused[r] };
	else
		return false;
	return true;
}

static qd_status
unknown_family(uint32_t family, struct qd_error *err)
{
	uint32_t first = UINT32_MAX, last = 0;

	for (size_t i = 0; i < QD_COUNT(gpus); i++) {
		uint32_t f = AMD_REV_FAMILY(gpus[i].rev[0]);
		first = f < first ? f : first;
		last = f > last ? f : last;
	}
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "the device is of family %u, which qd does not support; it supports %u to %u, gfx9 to gfx12",
		       family, first, last);
}

qd_status
amd_gpu_identify(uint32_t ip, uint32_t family, uint32_t external_rev, const struct amd_gpu **out,
		 struct qd_error *err)
{
	struct known_rev r, best = { .rev = 0 };
	bool known = false;

	if (ip)
		return by_ip(ip, out, err);
	for (size_t i = 0; rev_at(i, &r); i++) {
		if (!r.rev || AMD_REV_FAMILY(r.rev) != family)
			continue;
		known = true;
		if (AMD_REV_FIRST(r.rev) <= external_rev && r.rev > best.rev)
			best = r;
	}
	if (!known)
		return unknown_family(family, err);
	if (!best.rev)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "the device is of family %u with the external revision 0x%x, which "
			       "qd does not support",
			       family, external_rev);
	if (best.refused)
		return refuse(best.refused, err);
	*out = best.gpu;
	return QD_OK;
}

bool
amd_gpu_ip(const struct amd_gpu *g, size_t i, uint32_t *ip)
{
	*ip = i < QD_COUNT(g->ip) ? g->ip[i] : 0;
	return *ip != 0;
}

bool
amd_gpu_family(const struct amd_gpu *g, size_t i, uint32_t *family, uint32_t *first_rev, uint32_t *last_rev)
{
	struct known_rev r;

	if (i >= QD_COUNT(g->rev) || !g->rev[i])
		return false;
	*family = AMD_REV_FAMILY(g->rev[i]);
	*first_rev = AMD_REV_FIRST(g->rev[i]);
	*last_rev = UINT32_MAX;
	for (size_t k = 0; rev_at(k, &r); k++) {
		if (AMD_REV_FAMILY(r.rev) == *family && r.rev > g->rev[i] && AMD_REV_FIRST(r.rev) - 1 < *last_rev)
			*last_rev = AMD_REV_FIRST(r.rev) - 1;
	}
	return true;
}
