/* The tables of target.def. */
#include "target.h"

/* clang-format off */
enum { XNACK = AMD_XNACK, SRAMECC = AMD_SRAMECC, AGPR = AMD_AGPR, ONE_FILE = AMD_ONE_FILE };
enum gpu_id {
#define AMD_GPU(name, gen, sizes, lds, granule, simds, waves, file, unit, encode32, encode64, features) ID_##name,
#include "target.def"
	N_GPU
};

static const struct amd_gpu gpus[N_GPU] = {
#define AMD_GPU(name, gen, sizes, lds, granule, simds, waves, file, unit, encode32, encode64, features) \
	{ #name, PM4_##gen, sizes, lds, granule, simds, waves, file, unit, encode32, encode64, features },
#include "target.def"
};

/* why: the reason why the target is refused, or NULL. */
static const struct ip {
	uint32_t version;
	int gpu;
	const char *name, *why;
} ips[] = {
#define AMD_IP(major, minor, revision, name) { AMD_IP_VERSION(major, minor, revision), ID_##name, #name, NULL },
#define AMD_NO_IP(major, minor, revision, name, why) { AMD_IP_VERSION(major, minor, revision), -1, #name, why },
#include "target.def"
};

static const struct family {
	uint32_t family, revision;
	int gpu;
	const char *name, *why;
} families[] = {
#define AMD_FAMILY(family, revision, name) { family, revision, ID_##name, #name, NULL },
#define AMD_NO_FAMILY(family, revision, name, why) { family, revision, -1, #name, why },
#include "target.def"
};
/* clang-format on */

const struct amd_gpu *
amd_gpu_at(size_t i)
{
	return i < N_GPU ? &gpus[i] : NULL;
}

const struct amd_gpu *
amd_gpu_find(const char *name, size_t len)
{
	for (size_t i = 0; i < N_GPU; i++)
		if (strlen(gpus[i].name) == len && memcmp(gpus[i].name, name, len) == 0)
			return &gpus[i];
	return NULL;
}

static qd_status
refuse(const char *name, const char *why, struct qd_error *err)
{
	return qd_fail(err, QD_E_UNAVAILABLE, "the device is %s, which qd does not drive: %s", name, why);
}

static qd_status
by_ip(uint32_t ip, const struct amd_gpu **out, struct qd_error *err)
{
	for (size_t i = 0; i < QD_COUNT(ips); i++) {
		if (ips[i].version != ip)
			continue;
		if (ips[i].why)
			return refuse(ips[i].name, ips[i].why, err);
		*out = &gpus[ips[i].gpu];
		return QD_OK;
	}
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "the device's graphics core has version %u.%u.%u, which qd does not know; it knows some "
		       "from 9.0.1 (gfx900) to 12.0.1 (gfx1201)",
		       ip >> 16, ip >> 8 & 0xff, ip & 0xff);
}

/* Returns the last row of the family that begins at or below the revision. */
static const struct family *
family_of(uint32_t family, uint32_t rev, bool *known)
{
	const struct family *found = NULL;

	*known = false;
	for (size_t i = 0; i < QD_COUNT(families); i++) {
		if (families[i].family != family)
			continue;
		*known = true;
		if (families[i].revision <= rev)
			found = &families[i];
	}
	return found;
}

qd_status
amd_gpu_identify(uint32_t ip, uint32_t family, uint32_t external_rev, const struct amd_gpu **out,
		 struct qd_error *err)
{
	bool known;

	if (ip)
		return by_ip(ip, out, err);
	const struct family *f = family_of(family, external_rev, &known);
	if (!known)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "the device is of family %u, which qd does not know; it knows 141 to 152, gfx9 "
			       "to gfx12",
			       family);
	if (!f)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "the device is of family %u with the external revision 0x%x, which is none of "
			       "those that qd knows",
			       family, external_rev);
	if (f->why)
		return refuse(f->name, f->why, err);
	*out = &gpus[f->gpu];
	return QD_OK;
}

bool
amd_gpu_ip(const struct amd_gpu *g, size_t i, uint32_t *ip)
{
	for (size_t k = 0; k < QD_COUNT(ips); k++) {
		if (ips[k].gpu != (int)(g - gpus) || i-- != 0)
			continue;
		*ip = ips[k].version;
		return true;
	}
	return false;
}

bool
amd_gpu_family(const struct amd_gpu *g, size_t i, uint32_t *family, uint32_t *first_rev, uint32_t *last_rev)
{
	for (size_t k = 0; k < QD_COUNT(families); k++) {
		if (families[k].gpu != (int)(g - gpus) || i-- != 0)
			continue;
		bool next = k + 1 < QD_COUNT(families) && families[k + 1].family == families[k].family;
		*family = families[k].family;
		*first_rev = families[k].revision;
		*last_rev = next ? families[k + 1].revision - 1 : UINT32_MAX;
		return true;
	}
	return false;
}
