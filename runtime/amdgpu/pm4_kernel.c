/* Reads kernel descriptors and checks them, because a device accepts any register values without an
 * error. */
#include "pm4.h"

enum { USER_BITS = 0x7f }; /* enum pm4_user */
enum { ADDRESS_BITS = 48, MOST_USER = 16 };
enum { SLOTS = 32 /* waves per compute unit that may need scratch */, MOST_WAVES = 4095 };

/* Fields that are reserved, or that the loader or the driver sets. Exceptions would need a trap
 * handler, which does not exist. */
static const enum pm4_field_id forbidden[] = {
	PM4_F_PGM_RSRC1_PRIORITY, PM4_F_PGM_RSRC1_PRIV, PM4_F_PGM_RSRC1_DEBUG_MODE,
	PM4_F_PGM_RSRC1_DISABLE_PERF, PM4_F_PGM_RSRC1_BULKY, PM4_F_PGM_RSRC1_CDBG_USER,
	PM4_F_PGM_RSRC2_TRAP_PRESENT, PM4_F_PGM_RSRC2_DYNAMIC_VGPR, PM4_F_PGM_RSRC2_EXCP_EN_MSB,
	PM4_F_PGM_RSRC2_LDS_SIZE, PM4_F_PGM_RSRC2_EXCP_EN, PM4_F_PGM_RSRC2_SKIP_USGPR0,
	PM4_F_PGM_RSRC2_WGP_TAKEOVER, PM4_F_PGM_RSRC3_TRAP_ON_START, PM4_F_PGM_RSRC3_TRAP_ON_END
};

static bool
is_forbidden(const struct pm4_field *f)
{
	for (unsigned k = 0; k < QD_COUNT(forbidden); k++)
		if (forbidden[k] == f->id)
			return true;
	return false;
}

/* Checks a register's word: it has no bits outside of fields, and no field that a kernel may not
 * set. */
static qd_status
check_word(enum pm4_gen gen, enum pm4_word reg, uint32_t bits, struct qd_error *err)
{
	const struct pm4_field *f;
	uint32_t unknown = bits;
	unsigned i = 0;

	if (pm4_regs[reg].offset[gen] == PM4_NA && bits)
		return qd_fail(err, QD_E_INVALID, "%s is 0x%x, but the device has no such register",
			       pm4_word_name(reg), bits);
	while ((f = pm4_field_next(gen, reg, &i))) {
		unknown &= ~pm4_field_mask(f);
		if ((bits & pm4_field_mask(f)) && is_forbidden(f))
			return qd_fail(err, QD_E_INVALID,
				       "%s.%s is set, which a kernel must not set",
				       pm4_word_name(reg), f->name);
	}
	if (unknown)
		return qd_fail(err, QD_E_INVALID, "%s has bits outside of its fields, 0x%x",
			       pm4_word_name(reg), unknown);
	return QD_OK;
}

static uint32_t
user_registers(uint32_t user)
{
	static const uint8_t words[] = { 4, 2, 2, 2, 2, 2, 1 };
	uint32_t n = 0;

	for (unsigned k = 0; k < QD_COUNT(words); k++)
		n += (user >> k & 1) * words[k];
	return n;
}

/* Checks the number of scalar registers that a wave starts with. */
static qd_status
check_start(const struct amd_gpu *g, const struct pm4_kernel *k, struct qd_error *err)
{
	static const enum pm4_field_id ids[] = { PM4_F_PGM_RSRC2_TGID_X_EN, PM4_F_PGM_RSRC2_TGID_Y_EN,
					      PM4_F_PGM_RSRC2_TGID_Z_EN, PM4_F_PGM_RSRC2_TG_SIZE_EN };
	enum { LEAST = 16 };
	uint32_t n = k->n_user;

	for (unsigned i = 0; i < QD_COUNT(ids); i++)
		n += pm4_get(g->gen, k->rsrc[1], ids[i]);
	if (g->features & AMD_SGPR16 && k->wave == 32 && n < LEAST)
		return qd_fail(err, QD_E_INVALID,
			       "its waves start with %u scalar registers; %s needs at least %d in waves of 32 lanes",
			       n, g->name, LEAST);
	return QD_OK;
}

static qd_status
check_user(const struct amd_gpu *g, const struct pm4_kernel *k, struct qd_error *err)
{
	uint32_t named = user_registers(k->user);

	if (pm4_value(g->gen, PM4_V_SCRATCH_ARCHITECTED) &&
	    (k->user & (PM4_USER_SCRATCH_BUFFER | PM4_USER_SCRATCH_INIT)))
		return qd_fail(err, QD_E_INVALID,
			       "it requests scratch in registers; %s sets up scratch itself",
			       g->name);
	if (k->n_user > MOST_USER)
		return qd_fail(err, QD_E_INVALID, "it has %u user registers; the limit is %d",
			       k->n_user, MOST_USER);
	if (named > k->n_user)
		return qd_fail(err, QD_E_INVALID,
			       "its properties 0x%x fill %u user registers, but it has %u", k->user,
			       named, k->n_user);
	return check_start(g, k, err);
}

static qd_status
check_zeros(const uint8_t *d, struct qd_error *err)
{
	static const uint8_t ranges[][2] = AMD_DESCRIPTOR_ZEROS;

	for (unsigned r = 0; r < QD_COUNT(ranges); r++)
		for (unsigned at = ranges[r][0]; at < ranges[r][1]; at++)
			if (d[at])
				return qd_fail(err, QD_E_INVALID,
					       "reserved byte %u is 0x%x; it must be 0", at, d[at]);
	return QD_OK;
}

static qd_status
read_entry(const uint8_t *d, struct pm4_kernel *k, struct qd_error *err)
{
	k->entry = k->descriptor + amd_descriptor_entry(d); /* a signed distance, so it may wrap */
	if (k->entry % AMD_CODE_ALIGN || !k->entry || k->entry >> ADDRESS_BITS)
		return qd_fail(err, QD_E_INVALID, "its code at 0x%llx is not at a multiple of %d below 2^%d",
			       (unsigned long long)k->entry, AMD_CODE_ALIGN, ADDRESS_BITS);
	return QD_OK;
}

static qd_status
read_kernel(const struct amd_gpu *g, const uint8_t *d, struct pm4_kernel *k, struct qd_error *err)
{
	static const enum pm4_word regs[] = { PM4_PGM_RSRC1, PM4_PGM_RSRC2, PM4_PGM_RSRC3 };
	uint32_t properties = amd_descriptor_word(d, AMD_AT_KERNEL_CODE_PROPERTIES) & 0xffff;

	QD_TRY(check_zeros(d, err));
	QD_TRY(read_entry(d, k, err));
	for (unsigned i = 0; i < QD_COUNT(regs); i++)
		QD_TRY(check_word(g->gen, regs[i], k->rsrc[i], err));
	k->wave = AMD_GET(d, wavefront_size32) ? 32 : 64;
	if (!(g->sizes & k->wave))
		return qd_fail(err, QD_E_INVALID,
			       "it is for waves of %u lanes, which %s does not support", k->wave,
			       g->name);
	if (AMD_GET(d, uses_dynamic_stack))
		return qd_fail(err, QD_E_INVALID, "its scratch size is unknown (a dynamic stack)");
	if (properties & ~(AMD_MASK(wavefront_size32) | AMD_MASK(uses_dynamic_stack) | USER_BITS))
		return qd_fail(err, QD_E_INVALID, "its properties 0x%x have bits without a meaning", properties);
	k->user = properties & USER_BITS;
	k->n_user = pm4_get(g->gen, k->rsrc[1], PM4_F_PGM_RSRC2_USER_SGPR);
	QD_TRY(check_user(g, k, err));
	if ((k->scratch_size != 0) != pm4_get(g->gen, k->rsrc[1], PM4_F_PGM_RSRC2_SCRATCH_EN))
		return qd_fail(err, QD_E_INVALID,
			       "it has %u bytes of scratch, but PGM_RSRC2.SCRATCH_EN is %u",
			       k->scratch_size, k->scratch_size == 0);
	if (k->lds_size > g->lds_size)
		return qd_fail(err, QD_E_LIMIT,
			       "it has %u bytes of LDS; the limit for a block on %s is %u",
			       k->lds_size, g->name, g->lds_size);
	return QD_OK;
}

qd_status
pm4_kernel_read(const struct amd_gpu *g, const uint8_t d[AMD_DESCRIPTOR_SIZE], uint64_t addr,
		struct pm4_kernel *out, struct qd_error *err)
{
	struct qd_error why = { .text = "" };
	struct pm4_kernel k = {
		.descriptor = addr,
		.rsrc = { amd_descriptor_word(d, AMD_AT_COMPUTE_PGM_RSRC1), amd_descriptor_word(d, AMD_AT_COMPUTE_PGM_RSRC2),
			  amd_descriptor_word(d, AMD_AT_COMPUTE_PGM_RSRC3) },
		.lds_size = AMD_GET(d, group_segment_fixed_size),
		.scratch_size = AMD_GET(d, private_segment_fixed_size),
		.kernarg_size = AMD_GET(d, kernarg_size),
	};
	qd_status st = read_kernel(g, d, &k, &why);

	if (st)
		return qd_fail(err, st, "kernel descriptor at 0x%llx: %s", (unsigned long long)addr, why.text);
	*out = k;
	return QD_OK;
}

/* -- Scratch --------------------------------------------------------------------------- */

qd_status
pm4_scratch_need(const struct amd_gpu *g, const struct pm4_kernel *k, uint32_t n_cu, uint32_t n_engine,
		 struct pm4_scratch *s, struct qd_error *err)
{
	bool each = pm4_value(g->gen, PM4_V_SCRATCH_PER_ENGINE);
	uint64_t granule = pm4_value(g->gen, PM4_V_SCRATCH_GRANULE);
	uint64_t wave = ((uint64_t)k->scratch_size * k->wave + granule - 1) / granule * granule;
	uint32_t most = MOST_WAVES;

	if (!n_engine || n_cu < n_engine)
		return qd_fail(err, QD_E_INVALID,
			       "%u compute units in %u shader engines are not a valid device", n_cu,
			       n_engine);
	if (!each) /* `most` counts the waves of all engines, which share them evenly */
		most = most / n_engine * n_engine;
	uint64_t waves = (uint64_t)SLOTS * ((n_cu + n_engine - 1) / n_engine) * (each ? 1 : n_engine);
	s->waves = waves > most ? most : (uint32_t)waves;
	s->size = wave * s->waves * (each ? n_engine : 1);
	if (!s->size)
		s->waves = 0;
	return QD_OK;
}
