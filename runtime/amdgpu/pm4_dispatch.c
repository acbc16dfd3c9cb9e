/* Dispatches: every register that a dispatch reads, then the packet. Processes share queues, and
 * registers keep their last values, so no register is omitted. */
#include "pm4.h"

enum { MOST_USER = 16, KERNARG_ALIGN = 16, ADDRESS_BITS = 48 };
enum { DISPATCH_TYPE = 2 }; /* HSA's kernel dispatch packet */

void
pm4_all_units(uint32_t cu_mask[PM4_MAX_ENGINE], uint32_t n_engine)
{
	for (uint32_t i = 0; i < PM4_MAX_ENGINE; i++)
		cu_mask[i] = i < n_engine ? UINT32_MAX : 0;
}

static uint32_t
lanes(const struct pm4_dispatch *d)
{
	return d->block[0] * d->block[1] * d->block[2];
}

/* -- Checks ------------------------------------------------------------------------------- */

static void
check_sizes(struct pm4 *p, const struct pm4_dispatch *d)
{
	static const char axis[] = "xyz";
	uint64_t n = 1;

	for (unsigned i = 0; i < 3; i++) {
		n *= d->block[i] > AMD_MAX_BLOCK ? AMD_MAX_BLOCK + 1 : d->block[i];
		if (!d->blocks[i] || (i && d->blocks[i] > PM4_MAX_YZ))
			pm4_fail(p, QD_E_LIMIT, "%u blocks in %c; the number must be 1 to %u",
				 d->blocks[i], axis[i], i ? PM4_MAX_YZ : PM4_MAX_X);
	}
	if (!n || n > AMD_MAX_BLOCK)
		pm4_fail(p, QD_E_LIMIT, "a block of %u x %u x %u lanes; the number must be 1 to %d",
			 d->block[0], d->block[1], d->block[2], AMD_MAX_BLOCK);
}

/* All waves of a block run at the same time, on the SIMDs of one compute unit, or of the two in a
 * workgroup processor. If they need too many registers, they never start. */
static void
check_registers(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d)
{
	const struct pm4_kernel *k = d->kernel;
	bool has_32 = g->sizes & 32;
	uint32_t coded = k->wave == 32 ? g->encode_32 : g->encode_64;
	uint32_t each = (pm4_get(p->gen, k->rsrc[0], PM4_F_PGM_RSRC1_VGPRS) + 1) * coded;
	uint32_t simds = g->simds * (pm4_get(p->gen, k->rsrc[0], PM4_F_PGM_RSRC1_WGP_MODE) ? 2 : 1);
	uint32_t waves = (lanes(d) + k->wave - 1) / k->wave;
	uint32_t per_simd = (waves + simds - 1) / simds;
	uint32_t taken = has_32 && k->wave == 64 ? 2 * each : each;

	taken = (taken + g->vgpr_unit - 1) / g->vgpr_unit * g->vgpr_unit;
	if (per_simd * taken > g->vgpr_file || per_simd > g->max_waves)
		pm4_fail(p, QD_E_LIMIT,
			 "a block of %u lanes needs %u waves of %u registers, %u waves per SIMD: "
			 "more than %s supports",
			 lanes(d), waves, each, per_simd, g->name);
}

static void
check_addresses(struct pm4 *p, const struct pm4_dispatch *d)
{
	const struct pm4_kernel *k = d->kernel;

	if ((k->user & PM4_USER_KERNARG_PTR) && k->kernarg_size &&
	    (!d->kernarg || d->kernarg % KERNARG_ALIGN || d->kernarg >> ADDRESS_BITS))
		pm4_fail(p, QD_E_INVALID, "the arguments at 0x%llx are not at a multiple of %d below 2^%d",
			 (unsigned long long)d->kernarg, KERNARG_ALIGN, ADDRESS_BITS);
	if ((k->user & PM4_USER_DISPATCH_PTR) && (!d->packet || d->packet % PM4_DISPATCH_PACKET))
		pm4_fail(p, QD_E_INVALID,
			 "the kernel reads the dispatch packet, but 0x%llx is not a valid address "
			 "of one",
			 (unsigned long long)d->packet);
}

static uint32_t
wave_scratch(const struct amd_gpu *g, const struct pm4_kernel *k)
{
	uint64_t granule = pm4_value(g->gen, PM4_V_SCRATCH_GRANULE);
	uint64_t n = ((uint64_t)k->scratch_size * k->wave + granule - 1) / granule;

	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void
check_scratch(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d)
{
	const struct pm4_scratch *s = &d->scratch;
	uint64_t wave = (uint64_t)wave_scratch(g, d->kernel) * pm4_value(g->gen, PM4_V_SCRATCH_GRANULE);

	if (!d->kernel->scratch_size)
		return;
	if (!s->addr || s->addr % 256 || s->addr >> ADDRESS_BITS || !s->waves)
		pm4_fail(p, QD_E_INVALID,
			 "the kernel needs scratch; 0x%llx for %u waves is not a valid address (a "
			 "multiple of 256 below 2^%d)",
			 (unsigned long long)s->addr, s->waves, ADDRESS_BITS);
	else if (s->size / s->waves < wave)
		pm4_fail(p, QD_E_LIMIT,
			 "scratch of %llu bytes is less than %u waves of %llu bytes need",
			 (unsigned long long)s->size, s->waves, (unsigned long long)wave);
	else if ((d->kernel->user & PM4_USER_SCRATCH_BUFFER) && s->size > UINT32_MAX)
		pm4_fail(p, QD_E_LIMIT, "scratch of %llu bytes; it must be less than 2^32",
			 (unsigned long long)s->size);
}

/* -- Words ---------------------------------------------------------------------------------- */

static uint32_t
rsrc2_with_lds(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d)
{
	uint64_t size = (uint64_t)d->kernel->lds_size + d->dynamic_lds;
	uint32_t rsrc2 = d->kernel->rsrc[1];

	if (size > g->lds_size)
		pm4_fail(p, QD_E_LIMIT, "%llu bytes of LDS; the limit for a block on %s is %u",
			 (unsigned long long)size, g->name, g->lds_size);
	else
		pm4_bits(p, &rsrc2, PM4_F_PGM_RSRC2_LDS_SIZE,
			 (uint32_t)((size + g->lds_granule - 1) / g->lds_granule));
	return rsrc2;
}

static void
put64(uint32_t *out, uint64_t v)
{
	out[0] = (uint32_t)v;
	out[1] = (uint32_t)(v >> 32);
}

/* Describes scratch as a buffer that adds the lane index, so that each lane has its own
 * words. */
static void
scratch_buffer(const struct amd_gpu *g, const struct pm4_dispatch *d, uint32_t out[4])
{
	enum { STRIDE_SHIFT = 21 }; /* 2: 32 lanes; 3: 64 lanes */
	const uint32_t swizzle = 1u << 31;

	if (!d->kernel->scratch_size)
		return;
	put64(out, d->scratch.addr);
	out[1] |= swizzle;
	out[2] = (uint32_t)d->scratch.size;
	out[3] = pm4_value(g->gen, PM4_V_SCRATCH_BUFFER_WORD3) | (d->kernel->wave == 32 ? 2u : 3u) << STRIDE_SHIFT;
}

/* The words are in HSA's order. The rest are zeros: padding, and registers for preloaded
 * arguments. Kernels load such arguments themselves if they are not preloaded. */
void
pm4_user_data(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d, uint32_t out[16])
{
	const struct pm4_kernel *k = d->kernel;
	uint32_t n = 0;

	memset(out, 0, MOST_USER * sizeof *out);
	if (k->user & PM4_USER_SCRATCH_BUFFER) {
		scratch_buffer(g, d, out);
		n += 4;
	}
	if (k->user & PM4_USER_DISPATCH_PTR) {
		put64(out + n, d->packet);
		n += 2;
	}
	if (k->user & PM4_USER_QUEUE_PTR)
		n += 2; /* no HSA queue exists */
	if (k->user & PM4_USER_KERNARG_PTR) {
		put64(out + n, d->kernarg);
		n += 2;
	}
	if (k->user & PM4_USER_DISPATCH_ID)
		n += 2;
	if (k->user & PM4_USER_SCRATCH_INIT) {
		put64(out + n, k->scratch_size ? d->scratch.addr : 0);
		n += 2;
	}
	if (k->user & PM4_USER_SCRATCH_SIZE)
		out[n++] = k->scratch_size;
	if (n > k->n_user)
		pm4_fail(p, QD_E_INVALID, "the kernel has %u user registers, but requests %u",
			 k->n_user, n);
}

uint32_t
pm4_kernarg_at(const struct pm4_kernel *k)
{
	uint32_t n = 0;

	n += k->user & PM4_USER_SCRATCH_BUFFER ? 4 : 0;
	n += k->user & PM4_USER_DISPATCH_PTR ? 2 : 0;
	n += k->user & PM4_USER_QUEUE_PTR ? 2 : 0;
	return n;
}

static void
set1(struct pm4 *p, enum pm4_word reg, uint32_t v)
{
	pm4_set(p, reg, &v, 1);
}

static void
set2(struct pm4 *p, enum pm4_word reg, uint32_t v, uint32_t w)
{
	const uint32_t values[] = { v, w };

	pm4_set(p, reg, values, 2);
}

static void
put_scratch(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d)
{
	bool used = d->kernel->scratch_size != 0;
	uint64_t base = used && pm4_value(p->gen, PM4_V_SCRATCH_ARCHITECTED) ? d->scratch.addr : 0;
	uint32_t size = 0, high = 0;

	if (used) {
		pm4_bits(p, &size, PM4_F_TMPRING_SIZE_WAVES, d->scratch.waves);
		pm4_bits(p, &size, PM4_F_TMPRING_SIZE_WAVESIZE, wave_scratch(g, d->kernel));
	}
	pm4_bits(p, &high, PM4_F_DISPATCH_SCRATCH_BASE_HI_DATA, (uint32_t)(base >> 40));
	set1(p, PM4_TMPRING_SIZE, size);
	if (pm4_value(p->gen, PM4_V_SCRATCH_BASE_WRITTEN))
		set2(p, PM4_DISPATCH_SCRATCH_BASE_LO, (uint32_t)(base >> 8), high);
}

/* The driver's queues enable only the first four engines by default. */
static void
put_masks(struct pm4 *p, const uint32_t *mask)
{
	uint32_t n = pm4_value(p->gen, PM4_V_N_ENGINE);

	for (uint32_t i = n; i < PM4_MAX_ENGINE; i++)
		if (mask[i])
			pm4_fail(p, QD_E_INVALID,
				 "shader engine %u has a mask, but the device has %u", i, n);
	pm4_set(p, PM4_STATIC_THREAD_MGMT_SE0, mask, 2);
	pm4_set(p, PM4_STATIC_THREAD_MGMT_SE2, mask + 2, 2);
	if (n > 4)
		pm4_set(p, PM4_STATIC_THREAD_MGMT_SE4, mask + 4, 4);
	if (n > 8)
		pm4_set(p, PM4_STATIC_THREAD_MGMT_SE8, mask + 8, 1);
}

static void
put_block(struct pm4 *p, const struct pm4_dispatch *d)
{
	/* START x, y, z; NUM_THREAD x, y, z */
	uint32_t v[6] = { 0 };

	pm4_bits(p, &v[3], PM4_F_NUM_THREAD_X_FULL, d->block[0]);
	pm4_bits(p, &v[4], PM4_F_NUM_THREAD_Y_FULL, d->block[1]);
	pm4_bits(p, &v[5], PM4_F_NUM_THREAD_Z_FULL, d->block[2]);
	pm4_set(p, PM4_START_X, v, QD_COUNT(v));
}

static void
put_packet(struct pm4 *p, const struct pm4_dispatch *d)
{
	uint32_t body[4] = { d->blocks[0], d->blocks[1], d->blocks[2], 0 };

	/* tinygrad and IREE set these two and the wave size. */
	pm4_bits(p, &body[3], PM4_F_DISPATCH_DIRECT_INITIATOR_COMPUTE_SHADER_EN, 1);
	pm4_bits(p, &body[3], PM4_F_DISPATCH_DIRECT_INITIATOR_FORCE_START_AT_000, 1);
	pm4_bits(p, &body[3], PM4_F_DISPATCH_DIRECT_INITIATOR_CS_W32_EN, d->kernel->wave == 32);
	pm4_packet(p, PM4_PKT_DISPATCH_DIRECT, body, QD_COUNT(body));
}

static void
put_program(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d)
{
	const struct pm4_kernel *k = d->kernel;
	uint32_t high = 0;

	pm4_bits(p, &high, PM4_F_PGM_HI_DATA, (uint32_t)(k->entry >> 40));
	set2(p, PM4_PGM_LO, (uint32_t)(k->entry >> 8), high);
	set2(p, PM4_PGM_RSRC1, k->rsrc[0], rsrc2_with_lds(p, g, d));
	if (pm4_regs[PM4_PGM_RSRC3].offset[p->gen] != PM4_NA)
		set1(p, PM4_PGM_RSRC3, k->rsrc[2]);
}

void
pm4_dispatch(struct pm4 *p, const struct amd_gpu *g, const struct pm4_dispatch *d)
{
	uint32_t user[MOST_USER], before = p->n;

	if (g->gen != p->gen)
		pm4_fail(p, QD_E_INTERNAL, "a stream for a device other than %s", g->name);
	check_sizes(p, d);
	check_addresses(p, d);
	check_scratch(p, g, d);
	if (p->st)
		return;
	check_registers(p, g, d);
	pm4_user_data(p, g, d, user);
	put_program(p, g, d);
	put_scratch(p, g, d);
	pm4_set_fixed(p, PM4_SPACE_SH);
	put_masks(p, d->cu_mask);
	if (d->kernel->n_user)
		pm4_set(p, PM4_USER_DATA, user, d->kernel->n_user);
	put_block(p, d);
	put_packet(p, d);
	if (p->st) /* registers are of no use without their dispatch */
		p->n = before;
}

bool
pm4_dispatch_packet(const struct pm4_dispatch *d, uint8_t out[PM4_DISPATCH_PACKET])
{
	const struct pm4_kernel *k = d->kernel;
	uint32_t w[PM4_DISPATCH_PACKET / 4] = { 0 };
	uint32_t dims = d->blocks[2] > 1 || d->block[2] > 1 ? 3 : d->blocks[1] > 1 || d->block[1] > 1 ? 2 : 1;

	w[0] = DISPATCH_TYPE | dims << 16;
	w[1] = (d->block[0] & 0xffff) | d->block[1] << 16;
	w[2] = d->block[2] & 0xffff;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t n = (uint64_t)d->blocks[i] * d->block[i];
		if (n > UINT32_MAX)
			return false;
		w[3 + i] = (uint32_t)n;
	}
	w[6] = k->scratch_size;
	w[7] = k->lds_size + d->dynamic_lds;
	put64(w + 8, k->descriptor);
	put64(w + 10, d->kernarg);
	for (unsigned i = 0; i < PM4_DISPATCH_PACKET; i++)
		out[i] = (uint8_t)(w[i / 4] >> 8 * (i % 4));
	return true;
}
