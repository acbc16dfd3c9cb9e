/* Reports of a warp to a profile: the class of each instruction, the registers that it waits
 * for, and its memory accesses. */
#include "profiling.h"
#include "table.h"

#define NO_REGION UINT32_MAX

/* -- Classes ---------------------------------------------------------------------------- */

static const uint8_t class_of_kind[N_KINDS] = {
#define KIND(name, class, mix) PROFILE_##class,
#include "exec_kind.def"
#undef KIND
};

/* Classes of the operations whose kind has several. */
static const struct {
	const void *table;
	uint8_t class;
} operations[] = {
#define ALU(name, class)  { alu_##name, PROFILE_##class },
#define FALU(name, class) { falu_##name, PROFILE_##class },
#include "alu.def"
#undef ALU
#undef FALU
};

static bool
is_f64(const struct insn *i)
{
	for (unsigned k = 0; k < i->form->n_types; k++)
		if (i->form->type[k] == T_f64)
			return true;
	return false;
}

static unsigned
class_of(const struct insn *i)
{
	switch ((enum kind)i->kind) {
	case K_ld:
	case K_st:
	case K_atom:
		return i->space == SPACE_SHARED				    ? PROFILE_LDS
		       : i->space == SPACE_PARAM || i->space == SPACE_CONST ? PROFILE_SMEM
									    : PROFILE_VMEM;
	case K_alu:
	case K_alu_mode:
		if (is_f64(i))
			return PROFILE_F64;
		for (size_t k = 0; k < QD_COUNT(operations); k++)
			if (operations[k].table == i->form->table)
				return operations[k].class;
		return PROFILE_VALU;
	case K_cvt:
	case K_setp:
	case K_set: return is_f64(i) ? PROFILE_F64 : class_of_kind[i->kind];
	default: return class_of_kind[i->kind];
	}
}

qd_status
ptx_profile_create(struct pool *pool, const struct ptx_module *m, const char *clock_name,
		   struct profile **out, struct qd_error *err)
{
	const struct insn *code = (const struct insn *)(const void *)buf_data(&m->code);
	struct profile_clock clock = { 0 };

	profile_clock_find(clock_name, &clock);
	QD_TRY(profile_create(pool, &clock, (uint32_t)(m->code.len / sizeof *code), out, err));
	(*out)->lanes = 32;
	for (uint32_t k = 0; k < (*out)->n_places; k++)
		(*out)->class[k] = (uint8_t)class_of(&code[k]);
	return QD_OK;
}

uint32_t
ptx_profile_line(const struct ptx_module *m, uint32_t place)
{
	return ((const struct insn *)(const void *)buf_data(&m->code))[place].line;
}

/* -- Memory ----------------------------------------------------------------------------- */

static void
locate(const struct run *r, uint64_t addr, unsigned lane, uint32_t *region, uint64_t *at)
{
	const struct ptx_launch *l = r->l;

	*region = NO_REGION;
	*at = addr;
	for (uint32_t k = 0; k < l->n_ranges; k++) {
		if (addr - l->ranges[k].addr >= l->ranges[k].size)
			continue;
		*region = k;
		*at = addr - l->ranges[k].addr;
		return;
	}
	for (const struct gvar *g = r->m->vars; g; g = g->next)
		if (addr - g->addr < g->size)
			*at = addr - g->addr;
	/* Local memory interleaves the words of the lanes. */
	if ((addr & WINDOW_MASK) == LOCAL_WINDOW)
		*at = ((addr - LOCAL_WINDOW) / 4 * 32 + lane) * 4 + addr % 4;
}

static uint64_t
memory(struct run *r, const struct warp *w, const struct insn *i, uint32_t place, uint32_t act,
       unsigned class)
{
	bool async = i->kind == K_async;
	uint32_t size = async ? i->n_vec : ptx_type[i->form->type[0]].size;
	struct insn at = *i;
	struct opnd o = async ? i->o[1] : i->o[i->n_dst];
	struct profile_access a = { .lanes = act,
				    .bytes = i->kind == K_atom || async ? size : size * i->n_vec,
				    .atomic = i->kind == K_atom };

	if (async) {
		at.imm = i->imm2;
		at.flags = (i->flags & ~(uint32_t)(F_ADDR32 | F_UNIFORM)) |
			   (i->flags & F_UNIFORM2 ? F_UNIFORM : 0);
	}
	EACH_LANE(l, act)
	{
		uint64_t addr = lane_address(r, w, &at, o, l);
		if (class == PROFILE_LDS) {
			a.at[l] = addr;
			continue;
		}
		locate(r, i->space == SPACE_LOCAL && !async ? LOCAL_WINDOW + addr : addr, l,
		       &a.region[l], &a.at[l]);
	}
	/* The lanes read the same parameter or constant at once. */
	if (class == PROFILE_SMEM && act)
		a.lanes = act & (0u - act);
	return class == PROFILE_LDS ? profile_shared(r->l->profile, place, &a)
				    : profile_memory(r->l->profile, place, &a);
}

/* -- Instructions ----------------------------------------------------------------------- */

static void
use_sources(struct profile_wave *p, const struct insn *i)
{
	unsigned n = i->n_dst + i->n_src;

	for (unsigned k = i->n_dst; k < n && k < QD_COUNT(i->o); k++)
		if (i->o[k].slot && i->o[k].slot != NO_SLOT)
			profile_use(p, profile_reg(p, i->o[k].slot));
	if (i->guard.slot != NO_SLOT)
		profile_use(p, profile_reg(p, i->guard.slot));
}

/* Parameters are operands of the machine's instructions: no round trip. */
static struct profile_reg
result_of(struct profile *p, const struct profile_wave *pw, const struct insn *i, unsigned class,
	  uint64_t ready)
{
	bool param = class == PROFILE_SMEM && i->space == SPACE_PARAM;

	if (!param)
		return profile_result(pw, class, ready);
	return profile_result(pw, PROFILE_VALU,
			      pw->now + p->clock.latency[PROFILE_VALU] - p->clock.gap);
}

void
ptx_profile(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	struct profile *p = r->l->profile;
	struct profile_wave *pw = w->profile;
	uint32_t place = (uint32_t)(i - r->code);
	unsigned class = p->class[place];
	bool accesses = act && (i->kind == K_ld || i->kind == K_st || i->kind == K_atom ||
				i->kind == K_async);
	uint64_t ready;

	use_sources(pw, i);
	if (i->kind == K_async_wait)
		profile_use(pw, &pw->pending);
	ready = profile_issue(p, pw, place, accesses ? memory(r, w, i, place, act, class) : 0);
	if (!act)
		return;
	struct profile_reg v = result_of(p, pw, i, class, ready);
	if (i->kind == K_async)
		pw->pending = v;
	for (unsigned k = 0; k < i->n_dst; k++)
		if (i->o[k].slot && i->o[k].slot != NO_SLOT)
			*profile_reg(pw, i->o[k].slot) = v;
	if (class == PROFILE_BRANCH && i->kind != K_exit)
		profile_stall(p, pw, place, ready);
}

/* -- Barriers --------------------------------------------------------------------------- */

void
ptx_profile_arrive(struct warp *w, struct bar *bar)
{
	bar->time = w->profile->now > bar->time ? w->profile->now : bar->time;
}

void
ptx_profile_resume(struct warp *w, const struct bar *bar)
{
	w->profile->start = bar->time > w->profile->start ? bar->time : w->profile->start;
}
