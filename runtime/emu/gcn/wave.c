/* Initial registers of a wave, from the kernel's descriptor, and access to operands. */
#include "wave.h"

#include "descriptor.h"

/* Differences between generations. Sources: LLVM's AMDGPU usage guide, "Initial Kernel Execution
 * State"; for halves the guides, "16-bit" results of vector instructions. */
static const struct {
	bool ids_packed;  /* x, y and z of the work item are in v0 */
	bool block_ttmp;  /* the work group's indices are in ttmp7 and ttmp9 */
	bool half_clears; /* results of 16 bits clear the upper half */
} generation[GCN_N_GEN] = {
	[GCN_G9] = { false, false, true }, [GCN_G90A] = { true, false, true },
	[GCN_G94] = { true, false, true }, [GCN_G10] = { false, false, false },
	[GCN_G11] = { true, false, false }, [GCN_G12] = { true, true, false },
	[GCN_G125] = { true, true, false },
};
enum { DESCRIPTOR_VERSION = 5, TTMP = 108 };

/* Fields of a descriptor that affect the initial state. */
enum wanted {
	VGPRS, LDS, SCRATCH, BUFFER_PTR, DISPATCH_PTR, QUEUE_PTR, KERNARG_PTR, DISPATCH_ID, SCRATCH_INIT, WAVE_OFFSET, N_USER,
	GROUP_X, GROUP_Y, GROUP_Z, ITEM, ROUND_32, ROUND_64, DENORM_32, DENORM_64, IEEE, DX10, N_WANTED
};
static const char *const wanted[N_WANTED] = {
	[VGPRS] = "next_free_vgpr",
	[LDS] = "group_segment_fixed_size",
	[SCRATCH] = "private_segment_fixed_size",
	[BUFFER_PTR] = "user_sgpr_private_segment_buffer",
	[DISPATCH_PTR] = "user_sgpr_dispatch_ptr",
	[QUEUE_PTR] = "user_sgpr_queue_ptr",
	[KERNARG_PTR] = "user_sgpr_kernarg_segment_ptr",
	[DISPATCH_ID] = "user_sgpr_dispatch_id",
	[SCRATCH_INIT] = "user_sgpr_flat_scratch_init",
	[WAVE_OFFSET] = "system_sgpr_private_segment_wavefront_offset",
	[N_USER] = "user_sgpr_count",
	[GROUP_X] = "system_sgpr_workgroup_id_x",
	[GROUP_Y] = "system_sgpr_workgroup_id_y",
	[GROUP_Z] = "system_sgpr_workgroup_id_z",
	[ITEM] = "system_vgpr_workitem_id",
	[ROUND_32] = "float_round_mode_32",
	[ROUND_64] = "float_round_mode_16_64",
	[DENORM_32] = "float_denorm_mode_32",
	[DENORM_64] = "float_denorm_mode_16_64",
	[IEEE] = "ieee_mode",
	[DX10] = "dx10_clamp",
};

qd_status
amd_start_read(const struct gcn_target *t, const uint8_t *descriptor, struct amd_start *out,
	       struct qd_error *err)
{
	struct gcn_descriptor_field f;
	uint32_t v[N_WANTED] = { 0 };
	unsigned n = 0;

	if (gcn_descriptor_wave(t, descriptor) != t->wave)
		return qd_fail(err, QD_E_INVALID,
			       "the kernel descriptor selects wave size %u, but the launch has %u",
			       gcn_descriptor_wave(t, descriptor), t->wave);
	for (size_t i = 0; gcn_descriptor_next(t, DESCRIPTOR_VERSION, descriptor, &i, &f);)
		for (unsigned k = 0; k < N_WANTED; k++)
			if (!strcmp(f.name, wanted[k]))
				v[k] = f.value;
	if (v[LDS] > t->lds_size)
		return qd_fail(err, QD_E_LIMIT,
			       "the kernel descriptor requests %u bytes of LDS; %s has %u", v[LDS],
			       t->name, t->lds_size);
	if (v[SCRATCH] > AMD_MAX_SCRATCH)
		return qd_fail(
			err, QD_E_LIMIT,
			"the kernel descriptor requests %u bytes of scratch; the emulator has %u",
			v[SCRATCH], AMD_MAX_SCRATCH);
	*out = (struct amd_start){ .n_vgprs = v[VGPRS],
				   .n_accs = N_VECTOR - 256,
				   .lds_size = v[LDS],
				   .scratch_size = (v[SCRATCH] + 3) & ~3u,
				   .mode = v[ROUND_32] | v[ROUND_64] << 2 | v[DENORM_32] << 4 |
					   v[DENORM_64] << 6 | v[DX10] << 8 | v[IEEE] << 9,
				   .dispatch_ptr = AMD_NONE,
				   .kernarg_ptr = AMD_NONE,
				   .dispatch_id = AMD_NONE,
				   .scratch_init = AMD_NONE,
				   .wave_offset = v[WAVE_OFFSET],
				   .scratch_buffer = v[BUFFER_PTR],
				   .n_user = (uint8_t)v[N_USER],
				   .group_ids = (uint8_t)(v[GROUP_X] | v[GROUP_Y] << 1 | v[GROUP_Z] << 2),
				   .last_id = (uint8_t)(v[ITEM] < 2 ? v[ITEM] : 2) };
	/* User registers in their order. */
	n += v[BUFFER_PTR] ? 4 : 0;
	out->dispatch_ptr = v[DISPATCH_PTR] ? (uint8_t)n : AMD_NONE;
	n += v[DISPATCH_PTR] ? 2 : 0;
	n += v[QUEUE_PTR] ? 2 : 0;
	out->kernarg_ptr = v[KERNARG_PTR] ? (uint8_t)n : AMD_NONE;
	n += v[KERNARG_PTR] ? 2 : 0;
	out->dispatch_id = v[DISPATCH_ID] ? (uint8_t)n : AMD_NONE;
	n += v[DISPATCH_ID] ? 2 : 0;
	out->scratch_init = v[SCRATCH_INIT] ? (uint8_t)n : AMD_NONE;
	return QD_OK;
}

qd_status
amd_wave_limits(struct run *r)
{
	const uint32_t *b = r->l->block;
	uint64_t n = (uint64_t)b[0] * b[1] * b[2];

	if (!n || n > AMD_MAX_BLOCK)
		return qd_fail(r->err, QD_E_INVALID,
			       "expected 1 to %u threads per block, found %llu",
			       (unsigned)AMD_MAX_BLOCK, (unsigned long long)n);
	r->n_threads = (uint32_t)n;
	r->n_vgprs = r->l->start->n_vgprs;
	r->lds_size = r->l->start->lds_size + r->l->dynamic_lds;
	r->scratch_size = r->l->start->scratch_size;
	if (r->lds_size > r->t->lds_size)
		return qd_fail(r->err, QD_E_LIMIT, "expected at most %u bytes of LDS, found %u",
			       r->t->lds_size, r->lds_size);
	return QD_OK;
}

static void
define(struct wave *w, unsigned reg, uint32_t v)
{
	w->s[reg] = v;
	w->su[reg] = 0;
}

static void
define_address(struct wave *w, unsigned reg, uint64_t v)
{
	if (reg == AMD_NONE)
		return;
	define(w, reg, (uint32_t)v);
	define(w, reg + 1, (uint32_t)(v >> 32));
}

/* -- Scratch ----------------------------------------------------------------------------------- */

/* Base of the scratch of all waves if the launch does not give it, and the unit of a wave's part. */
static const uint64_t SCRATCH_BASE = UINT64_C(0x3c0000000000);
enum { SCRATCH_UNIT = 1024, FLAT_SCRATCH = 102 /* gfx9: a pair of scalar registers */ };

static uint32_t
wave_scratch(const struct run *r)
{
	return (r->l->start->scratch_size * wave_size(r) + SCRATCH_UNIT - 1) / SCRATCH_UNIT * SCRATCH_UNIT;
}

bool
amd_scratch_check(struct run *r, struct wave *w, const struct insn *i)
{
	const uint32_t *half = r->t->gen == GCN_G10 ? w->scratch_addr : &w->s[FLAT_SCRATCH];
	const uint32_t *undef = r->t->gen == GCN_G10 ? w->scratch_undef : &w->su[FLAT_SCRATCH];
	uint64_t addr = half[0] | (uint64_t)half[1] << 32;
	const struct amd_memory *m = r->l->memory;

	if (r->t->gen == GCN_G94 || r->t->gen >= GCN_G11)
		return true;
	if (undef[0] || undef[1])
		return amd_find(r, w, i, NO_LANE, "the address of scratch is undefined");
	if (!r->l->start->user && addr != SCRATCH_BASE + w->scratch_at)
		return amd_find(r, w, i, NO_LANE, "the address of the wave's scratch is 0x%llx, not 0x%llx",
				(unsigned long long)addr, (unsigned long long)(SCRATCH_BASE + w->scratch_at));
	/* User data does not say which registers contain the base; it must be memory of the launch. */
	if (r->l->start->user && m && wave_scratch(r) &&
	    (!m->at(m->user, addr, 4, AMD_STORE) || !m->at(m->user, addr + wave_scratch(r) - 4, 4, AMD_STORE)))
		return amd_find(r, w, i, NO_LANE, "the address of the wave's scratch, 0x%llx, is not memory", (unsigned long long)addr);
	return true;
}

static void
init_scalars(const struct run *r, struct wave *w)
{
	const struct amd_start *start = r->l->start;
	const uint32_t *at = w->block->index;
	unsigned n = start->n_user;

	for (unsigned k = 0; k < n && start->user; k++)
		define(w, k, start->user[k]);
	define_address(w, start->dispatch_ptr, r->packet_range.addr);
	define_address(w, start->kernarg_ptr, r->kernarg.addr);
	define_address(w, start->dispatch_id, 0);
	define_address(w, start->scratch_init, SCRATCH_BASE);
	for (unsigned k = 0; k < 3 && !generation[r->t->gen].block_ttmp; k++)
		if (start->group_ids >> k & 1)
			define(w, n++, at[k]);
	n += start->group_info; /* its value is not modeled, so it is undefined */
	if (start->wave_offset)
		define(w, n, w->scratch_at);
	if (generation[r->t->gen].block_ttmp) {
		define(w, TTMP + 9, at[0]);
		if (start->group_ids >> 1)
			define(w, TTMP + 7, at[1] | at[2] << 16);
	}
}

static void
init_vectors(const struct run *r, struct wave *w)
{
	const uint32_t *b = r->l->block;

	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		uint32_t t = w->index * wave_size(r) + lane;
		uint32_t id[3] = { t % b[0], t / b[0] % b[1], t / b[0] / b[1] };

		if (!(w->lanes >> lane & 1))
			continue;
		if (generation[r->t->gen].ids_packed) {
			/* Indices that the kernel did not request are 0: LLVM masks x only if the
			 * kernel also requests y (SIISelLowering.cpp,
			 * allocateSpecialEntryInputVGPRs). */
			uint32_t y = r->l->start->last_id >= 1 ? id[1] : 0;
			uint32_t z = r->l->start->last_id >= 2 ? id[2] : 0;
			w->v[0][lane] = id[0] | y << 10 | z << 20;
			w->vu[0][lane] = 0;
			continue;
		}
		for (unsigned k = 0; k <= r->l->start->last_id; k++) {
			w->v[k][lane] = id[k];
			w->vu[k][lane] = 0;
		}
	}
}

void
amd_wave_init(struct run *r, struct wave *w)
{
	uint32_t before = w->index * wave_size(r), n = r->n_threads - before;

	w->lanes = n >= wave_size(r) ? all_lanes(r) : (UINT64_C(1) << n) - 1;
	for (unsigned k = 0; k < N_SCALAR; k++) {
		w->s[k] = (uint32_t)amd_random(r);
		w->su[k] = UINT32_MAX;
	}
	for (unsigned k = 0; k < r->l->code->n_rows; k++) {
		uint32_t any = (uint32_t)amd_random(r);
		for (unsigned lane = 0; lane < MAX_LANES; lane++) {
			w->v[k][lane] = any * (2 * lane + 1);
			w->vu[k][lane] = UINT32_MAX;
		}
	}
	define(w, GCN_EXEC, (uint32_t)w->lanes);
	define(w, GCN_EXEC + 1, (uint32_t)(w->lanes >> 32));
	w->scc_undef = true;
	w->scratch_undef[0] = w->scratch_undef[1] = UINT32_MAX;
	w->scratch_at = w->index * wave_scratch(r);
	w->mode = r->l->start->mode | (r->t->gen >= GCN_G12 ? 0x100u : 0); /* clamps make 0 of a NaN */
	init_scalars(r, w);
	init_vectors(r, w);
	w->pc = r->l->code->place[r->l->entry];
}

/* -- Masks ------------------------------------------------------------------------------------ */

struct mask_value
amd_mask(const struct run *r, const struct wave *w, unsigned reg)
{
	struct mask_value m = { w->s[reg], w->su[reg] };

	if (reg == gcn_null_of(r->t) && r->t->gen >= GCN_G10)
		return (struct mask_value){ 0, 0 };
	if (r->t->wave == 64) {
		m.bits |= (uint64_t)w->s[reg + 1] << 32;
		m.undef |= (uint64_t)w->su[reg + 1] << 32;
	}
	return m;
}

void
amd_set_mask(const struct run *r, struct wave *w, unsigned reg, struct mask_value m)
{
	amd_set_scalar(r, w, reg, r->t->wave / 32, m.bits, m.undef);
}

bool
amd_exec_check(struct run *r, struct wave *w, const struct insn *i)
{
	uint64_t undef = amd_mask(r, w, GCN_EXEC).undef;

	return !undef || amd_find(r, w, i, (unsigned)__builtin_ctzll(undef), "exec is undefined");
}

/* -- Scalar operands ---------------------------------------------------------------------------- */

static uint64_t
constant(unsigned v, unsigned n, unsigned type)
{
	if (v <= 192)
		return v - 128;
	if (v <= 208)
		return (uint64_t)(192 - (int64_t)v);
	if (n == 2)
		return v == GCN_INV_2PI ? UINT64_C(0x3fc45f306dc9c882)
					: (uint64_t)gcn_double_bits[v - GCN_FLOATS] << 48;
	if (type == T_F16 || type == T_B16 || type == T_V2F16) /* V2B16: as a float of 32 bits */
		return gcn_half_bits[v - GCN_FLOATS];
	return v == GCN_INV_2PI ? 0x3e22f983u : (uint32_t)gcn_brain_bits[v - GCN_FLOATS] << 16;
}

/* Reads a scalar operand that is not in the register file. */
static bool
special(struct run *r, const struct wave *w, const struct insn *i, const struct gcn_view *o,
	uint64_t *v, uint64_t *undef)
{
	struct mask_value m;

	switch (o->v) {
	case 235:
		*v = (uint64_t)SHARED_HIGH << 32;
		return o->kind.n == 2 ||
		       amd_find(r, w, i, NO_LANE, "an aperture of 32 bits is not emulated");
	case 237:
		*v = (uint64_t)PRIVATE_HIGH << 32;
		return o->kind.n == 2 ||
		       amd_find(r, w, i, NO_LANE, "an aperture of 32 bits is not emulated");
	case 251:
	case 252:
		m = amd_mask(r, w, o->v == 251 ? GCN_VCC : GCN_EXEC);
		*v = !m.bits;
		*undef = !(m.bits & ~m.undef) && m.undef;
		return true;
	case 253:
		*v = w->scc;
		*undef = w->scc_undef;
		return true;
	case GCN_LITERAL:
		*v = i->in.field[GCN_F_LIT];
		if (o->kind.n == 1)
			return true;
		if (o->kind.type == T_F64)
			*v <<= 32;
		else if (*v >> 31)
			return amd_find(r, w, i, NO_LANE,
					"a negative literal of 64 bits is not emulated");
		return true;
	default: return amd_find(r, w, i, NO_LANE, "scalar operand %u is not emulated", o->v);
	}
}

bool
amd_scalar(struct run *r, const struct wave *w, const struct insn *i, const struct gcn_view *o,
	   uint64_t *v, uint64_t *undef)
{
	*undef = 0;
	switch (o->kind.bank) {
	case BANK_LIT32: *v = o->v; return true;
	case BANK_LIT16: *v = o->v & 0xffff; return true;
	case BANK_HEX16: *v = (uint32_t)(((o->v & 0xffff) ^ 0x8000) - 0x8000); return true;
	default: break;
	}
	if (o->v == gcn_null_of(r->t) && r->t->gen >= GCN_G10) {
		*v = 0;
		return true;
	}
	if (o->v < N_SCALAR) {
		*v = w->s[o->v];
		*undef = w->su[o->v];
		if (o->kind.n == 2) {
			*v |= (uint64_t)w->s[o->v + 1] << 32;
			*undef |= (uint64_t)w->su[o->v + 1] << 32;
		}
		return true;
	}
	if ((o->v >= 128 && o->v <= 208) || (o->v >= GCN_FLOATS && o->v <= GCN_INV_2PI)) {
		*v = constant(o->v, o->kind.n, o->kind.type);
		return true;
	}
	return special(r, w, i, o, v, undef);
}

void
amd_set_scalar(const struct run *r, struct wave *w, unsigned reg, unsigned n, uint64_t v,
	       uint64_t undef)
{
	if (reg == gcn_null_of(r->t) && r->t->gen >= GCN_G10)
		return;
	for (unsigned k = 0; k < n; k++) {
		w->s[reg + k] = (uint32_t)(v >> 32 * k);
		w->su[reg + k] = (uint32_t)(undef >> 32 * k);
	}
}

/* -- Vector operands ----------------------------------------------------------------------------- */

bool
amd_is_half(const struct gcn_view *o)
{
	switch (o->kind.bank) {
	case BANK_VH: case BANK_VL:
	case BANK_VSH: case BANK_VSL: return true;
	default: return o->kind.type == T_B16 || o->kind.type == T_F16;
	}
}

static bool
is_upper(const struct insn *i, const struct gcn_view *o)
{
	switch (o->kind.bank) {
	case BANK_VL:
	case BANK_VSL: return o->v >= 256 && (o->v & 128);
	case BANK_VH:
	case BANK_VSH: return i->in.field[GCN_F_OPSEL] >> (o->src < 0 ? 3 : o->src) & 1;
	default: return false;
	}
}

unsigned
amd_shift_of(const struct insn *i, const struct gcn_view *o)
{
	return is_upper(i, o) ? 16 : 0;
}

unsigned
amd_register_of(const struct gcn_view *o)
{
	unsigned n = vector_of(o->v);

	return o->kind.bank == BANK_VL || o->kind.bank == BANK_VSL ? n & 127 : n;
}

bool
amd_source(struct run *r, const struct wave *w, const struct insn *i, const struct gcn_view *o,
	   unsigned lane, uint64_t *v, uint64_t *undef)
{
	unsigned reg;

	if (!amd_is_row(o)) {
		if (!amd_scalar(r, w, i, o, v, undef))
			return false;
	} else {
		reg = amd_register_of(o);
		*v = w->v[reg][lane];
		*undef = w->vu[reg][lane];
		if (o->kind.n == 2) {
			*v |= (uint64_t)w->v[reg + 1][lane] << 32;
			*undef |= (uint64_t)w->vu[reg + 1][lane] << 32;
		}
	}
	if (amd_is_half(o) && o->kind.n == 1) {
		unsigned shift = amd_shift_of(i, o);
		*v = *v >> shift & 0xffff;
		*undef = *undef >> shift & 0xffff;
	}
	return true;
}

void
amd_set_vector(const struct run *r, const struct insn *i, struct wave *w, const struct gcn_view *o,
	       unsigned lane, uint64_t v, uint64_t undef, bool half)
{
	unsigned reg = amd_register_of(o), shift = amd_shift_of(i, o);

	if (half && !(generation[r->t->gen].half_clears && !shift && !i->keeps_half)) {
		uint32_t keep = shift ? 0xffffu : 0xffff0000u;
		v = (w->v[reg][lane] & keep) | (uint32_t)(v & 0xffff) << shift;
		undef = (w->vu[reg][lane] & keep) | (uint32_t)(undef & 0xffff) << shift;
	} else if (half) {
		v &= 0xffff;
		undef &= 0xffff;
	}
	for (unsigned k = 0; k < o->kind.n && k < 2; k++) {
		w->v[reg + k][lane] = (uint32_t)(v >> 32 * k);
		w->vu[reg + k][lane] = (uint32_t)(undef >> 32 * k);
	}
}
