/* Reports of a wave to a profile: the class of each instruction, the registers that it waits
 * for, its memory accesses, and the waits and barriers that end round trips. */
#include "profiling.h"

/* Registers of a wave in a profile: scalar, vector and accumulation, special. */
enum { REG_V = N_SCALAR, REG_A = REG_V + 256, REG_X = REG_A + 256, N_REGS = REG_X + GCN_N_SPECIAL };
#define NO_REGION UINT32_MAX

/* -- Classes ---------------------------------------------------------------------------- */

/* Integer products that have a quarter of the full rate. */
static const uint16_t quarter[] = {
	GCN_v_mul_lo_u32,     GCN_v_mul_hi_u32,	 GCN_v_mul_hi_i32,     GCN_v_mad_u64_u32,
	GCN_v_mad_co_u64_u32, GCN_v_mad_i64_i32, GCN_v_mad_co_i64_i32,
};

static unsigned
class_of_vector(const struct insn *i)
{
	if (strstr(gcn_row_name(&gcn_rows[i->in.row]), "f64"))
		return PROFILE_F64;
	if (i->fx.flags & E(TRANS))
		return PROFILE_TRANS;
	for (size_t k = 0; k < QD_COUNT(quarter); k++)
		if (i->in.row == quarter[k])
			return PROFILE_QUARTER;
	return PROFILE_VALU;
}

static unsigned
class_of(const struct insn *i)
{
	if (!i->decoded || !i->sem)
		return PROFILE_NOP;
	switch (i->fx.class) {
	case CL_SALU: return PROFILE_SALU;
	case CL_VALU:
	case CL_MATRIX: return class_of_vector(i);
	case CL_SMEM: return i->sem->unit == U_SMEM ? PROFILE_SMEM : PROFILE_NOP;
	case CL_VMEM:
	case CL_FLAT: return i->sem->unit == U_VMEM ? PROFILE_VMEM : PROFILE_NOP;
	case CL_DS: return i->sem->unit == U_LDS ? PROFILE_LDS : PROFILE_NOP;
	case CL_BRANCH:
	case CL_END: return PROFILE_BRANCH;
	case CL_WAIT:
	case CL_BARRIER: return PROFILE_WAIT;
	default: return PROFILE_NOP;
	}
}

qd_status
amd_profile_create(struct pool *pool, const struct amd_code *c, struct profile **out,
		   struct qd_error *err)
{
	static const char *const names[GCN_N_GEN] = { "gfx9",  "gfx90a", "gfx94",
						      "gfx10", "gfx11",	 "gfx12", "gfx12" };
	struct profile_clock clock = { 0 };

	profile_clock_find(names[c->target->gen], &clock);
	QD_TRY(profile_create(pool, &clock, c->n_insns, out, err));
	(*out)->lanes = c->target->wave;
	for (uint32_t k = 0; k < c->n_insns; k++)
		(*out)->class[k] = (uint8_t)class_of(&c->insns[k]);
	return QD_OK;
}

uint32_t
amd_profile_word(const struct amd_code *c, uint32_t place)
{
	return c->insns[place].at;
}

/* -- Registers -------------------------------------------------------------------------- */

size_t
amd_profile_wave_size(void)
{
	return profile_wave_size(N_REGS);
}

void
amd_profile_begin(struct wave *w)
{
	profile_wave_begin(w->profile, N_REGS);
}

static struct profile_reg *
reg_at(struct profile_wave *p, const struct gcn_range *u, unsigned k)
{
	static const uint32_t first[] = {
		[FILE_S] = 0, [FILE_V] = REG_V, [FILE_A] = REG_A, [FILE_X] = REG_X
	};

	return profile_reg(p, first[u->file] + u->first + k);
}

static void
use_sources(struct profile_wave *p, const struct insn *i)
{
	for (unsigned k = 0; k < i->fx.n_range; k++)
		for (unsigned n = 0; n < i->fx.range[k].n; n++)
			if (i->fx.range[k].access & (GCN_READ | GCN_KEEP))
				profile_use(p, reg_at(p, &i->fx.range[k], n));
}

static void
set_results(struct profile_wave *p, const struct insn *i, struct profile_reg v)
{
	for (unsigned k = 0; k < i->fx.n_range; k++)
		for (unsigned n = 0; n < i->fx.range[k].n; n++)
			if (i->fx.range[k].access & GCN_WRITE)
				*reg_at(p, &i->fx.range[k], n) = v;
}

/* -- Memory ----------------------------------------------------------------------------- */

/* Sets the region of an address, and its offset there. */
static void
locate(const struct run *r, uint64_t addr, unsigned lane, uint32_t *region, uint64_t *at)
{
	const struct amd_launch *l = r->l;

	*region = NO_REGION;
	*at = addr;
	for (uint32_t k = 0; k < l->n_ranges; k++) {
		if (addr - l->ranges[k].addr >= l->ranges[k].size)
			continue;
		*region = k;
		*at = addr - l->ranges[k].addr;
		return;
	}
	/* Private memory interleaves the dwords of the lanes. */
	if (addr >> 32 == PRIVATE_HIGH)
		*at = ((uint32_t)addr / 4 * MAX_LANES + lane) * 4 + addr % 4;
}

static uint64_t
memory(struct run *r, uint32_t place, const struct pending *f)
{
	struct profile_access a = { .lanes = f->lanes & ~f->dead, .bytes = f->i->sem->bytes };

	for (unsigned lane = 0; lane < MAX_LANES; lane++)
		if (a.lanes >> lane & 1)
			locate(r, f->addr[lane], lane, &a.region[lane], &a.at[lane]);
	return profile_memory(r->l->profile, place, &a);
}

static uint64_t
shared(struct run *r, uint32_t place, const struct pending *f)
{
	const struct sem *sem = f->i->sem;
	struct profile_access a = { .lanes = f->lanes,
				    .bytes = sem->bytes,
				    .atomic = sem->kind == M_KIND_ATOMIC };
	uint64_t extra;

	if (sem->kind == M_KIND_NONE)
		return 0;
	memcpy(a.at, f->addr, sizeof a.at);
	extra = profile_shared(r->l->profile, place, &a);
	if (!(sem->flags & F_TWO))
		return extra;
	memcpy(a.at, f->addr2, sizeof a.at);
	return extra + 1 + profile_shared(r->l->profile, place, &a);
}

/* -- Instructions ----------------------------------------------------------------------- */

void
amd_profile_covered(struct wave *w, const struct pending *f)
{
	struct profile_reg *v = &w->profile->pending;

	v->ready = f->result.ready > v->ready ? f->result.ready : v->ready;
	v->trips = f->result.trips > v->trips ? f->result.trips : v->trips;
	v->shared_trips =
		f->result.shared_trips > v->shared_trips ? f->result.shared_trips : v->shared_trips;
}

static void
barrier(struct wave *w, const struct insn *i)
{
	struct profile_barrier *b = &w->block->barrier[w->phase & 1];

	if (i->in.row == GCN_s_barrier || i->in.row == GCN_s_barrier_signal)
		profile_arrive(b, w->phase, w->profile);
	if (w->waits)
		w->profile->barrier = b;
}

/* Returns the cycles that the instruction takes beyond those of its class. */
static uint64_t
extra_of(struct run *r, const struct wave *w, const struct insn *i, uint32_t place, unsigned class)
{
	switch (class) {
	case PROFILE_VMEM:
	case PROFILE_SMEM: return memory(r, place, w->last);
	case PROFILE_LDS: return shared(r, place, w->last);
	case PROFILE_NOP:
		return i->in.row == GCN_s_nop
			       ? (uint64_t)(i->in.field[GCN_F_SIMM] & 15) * r->l->profile->clock.gap
			       : 0;
	default: return 0;
	}
}

void
amd_profile(struct run *r, struct wave *w, const struct insn *i)
{
	struct profile *p = r->l->profile;
	struct profile_wave *pw = w->profile;
	uint32_t place = (uint32_t)(i - r->l->code->insns);
	unsigned class = p->class[place];
	bool memory_op = class == PROFILE_VMEM || class == PROFILE_SMEM || class == PROFILE_LDS;
	uint64_t ready;

	if (pw->barrier)
		pw->start = pw->barrier->time;
	pw->barrier = NULL;
	use_sources(pw, i);
	if (class == PROFILE_WAIT)
		profile_use(pw, &pw->pending);
	pw->pending = (struct profile_reg){ 0 };
	ready = profile_issue(p, pw, place, extra_of(r, w, i, place, class));
	if (memory_op)
		w->last->result = profile_result(pw, class, ready);
	else
		set_results(pw, i, profile_result(pw, class, ready));
	if (class == PROFILE_BRANCH && !w->ended && w->pc != place + 1)
		profile_stall(p, pw, place, ready);
	if (class == PROFILE_WAIT)
		barrier(w, i);
	if (w->ended)
		profile_wave_end(p, pw);
}
