/* Register allocation takes the lowest free register, so that few are used. Lifetimes are known in
 * advance, so this is as good as any other choice. */
#include "gen_emit.h"

/* -- Runs of free bits ------------------------------------------------------------------- */

/* Returns the free runs of one register, or of a pair that starts at an even one, as a mask of
 * their first registers. */
static inline uint64_t
runs(uint64_t word, uint32_t n)
{
	return n == 1 ? word : word & word >> 1 & UINT64_C(0x5555555555555555);
}

/* Returns the bits of n registers in their word of the map. */
static inline uint64_t
run_mask(uint32_t reg, uint32_t n)
{
	return ((UINT64_C(1) << n) - 1) << reg % 64;
}

/* Returns the first free register (n = 1) or pair (n = 2), or REG_NONE. */
static inline uint32_t
find_few(const uint64_t *map, uint32_t n_words, uint32_t n)
{
	for (uint32_t w = 0; w < n_words; w++) {
		uint64_t found = runs(map[w], n);
		if (QD_LIKELY(found))
			return 64 * w + qd_lowest_bit(found);
	}
	return REG_NONE;
}

static bool
has_run(const uint64_t *map, uint32_t at, uint32_t n)
{
	return gen_bits(map, at, n) == (UINT64_C(1) << n) - 1;
}

/* Returns the first run of n below limit that starts at a multiple of align, or REG_NONE. */
static uint32_t
find_run(const uint64_t *map, uint32_t limit, uint32_t n, uint32_t align)
{
	for (uint32_t at = 0; at + n <= limit; at += align)
		if (has_run(map, at, n))
			return at;
	return REG_NONE;
}

static void
first_bits(uint64_t *map, uint32_t n)
{
	for (; n >= 64; n -= 64)
		*map++ = UINT64_MAX;
	if (n)
		*map = (UINT64_C(1) << n) - 1;
}

void
gen_regs_init(struct emit *e, uint32_t n_sgpr, uint32_t limit_v)
{
	e->limit_v = limit_v;
	e->zero_v = REG_NONE;
	first_bits(e->free_v, limit_v);
	first_bits(e->free_s, n_sgpr);
}

/* -- Allocation ------------------------------------------------------------------------------ */

static QD_COLD void
no_more(struct emit *e, const char *kind, uint32_t limit, const char *whose, const char *help)
{
	if (!e->st)
		e->st = diag_kernel(e->k, e->ir->pos[e->at], e->err, DIAG_E0507, kind, limit, whose,
				    e->gcn->name, help);
}

static QD_COLD void
no_more_v(struct emit *e)
{
	char block[48];

	snprintf(block, sizeof block, "a block of %u threads", e->threads);
	no_more(e, "vector", e->limit_v, block, e->limit_v < N_VGPR ? "; use a smaller block" : "");
}

/* Frees the shifted values that the current instruction does not use. Returns false if there is
 * none. */
static QD_COLD bool
drop_scaled(struct emit *e)
{
	uint32_t n = 0, before = e->n_scaled;

	for (uint32_t k = 0; k < before; k++)
		if (e->scaled[k].used_at == e->at)
			e->scaled[n++] = e->scaled[k];
		else
			gen_give_v(e, e->scaled[k].reg, 1);
	e->n_scaled = n;
	return n < before;
}

static uint32_t
taken_v(struct emit *e, uint32_t reg, uint32_t n)
{
	if (QD_UNLIKELY(reg == REG_NONE)) {
		if (drop_scaled(e))
			return gen_take_v(e, n);
		if (gen_make_room(e, n))
			return gen_take_v(e, n);
		no_more_v(e);
		return 0;
	}
	e->free_v[reg / 64] &= ~run_mask(reg, n);
	if (reg + n > e->max_v)
		e->max_v = reg + n;
	gen_wait_reg(e, 256 + reg, n);
	return reg;
}

static uint32_t
taken_s(struct emit *e, uint32_t reg, uint32_t n, uint32_t align)
{
	if (QD_UNLIKELY(reg == REG_NONE) && gen_make_room_s(e, n, align))
		reg = find_run(e->free_s, e->gcn->n_sgpr, n, align);
	if (QD_UNLIKELY(reg == REG_NONE)) {
		no_more(e, "scalar", e->gcn->n_sgpr, "a wave", "");
		return 0;
	}
	gen_set_bits(e->free_s, reg, n, false);
	if (reg + n > e->max_s)
		e->max_s = reg + n;
	gen_wait_reg(e, reg, n);
	return reg;
}

uint32_t
gen_take_v(struct emit *e, uint32_t n)
{
	if (QD_UNLIKELY(n > 2))
		return taken_v(e, find_run(e->free_v, e->limit_v, n, 4), n);
	return taken_v(e, find_few(e->free_v, QD_COUNT(e->free_v), n), n);
}

uint32_t
gen_take_s_at(struct emit *e, uint32_t n, uint32_t align)
{
	return taken_s(e, find_run(e->free_s, e->gcn->n_sgpr, n, align), n, align);
}

uint32_t
gen_spare_s(struct emit *e, uint32_t n, uint32_t spare)
{
	uint32_t left = 0, reg = find_run(e->free_s, e->gcn->n_sgpr, n, n < 4 ? 2 : 4);

	for (uint32_t i = 0; i < QD_COUNT(e->free_s); i++)
		for (uint64_t bits = e->free_s[i]; bits; bits &= bits - 1)
			left++;
	return reg == REG_NONE || left < n + spare ? REG_NONE : taken_s(e, reg, n, n < 4 ? 2 : 4);
}

uint32_t
gen_take_s(struct emit *e, uint32_t n)
{
	return taken_s(e, find_few(e->free_s, QD_COUNT(e->free_s), n), n, n);
}

static uint32_t
take(struct emit *e, enum gen_at at, uint32_t n)
{
	return at == AT_V ? gen_take_v(e, n) : gen_take_s(e, n);
}

void
gen_give_v(struct emit *e, uint32_t reg, uint32_t n)
{
	e->free_v[reg / 64] |= run_mask(reg, n);
}

void
gen_give_s(struct emit *e, uint32_t reg, uint32_t n)
{
	gen_set_bits(e->free_s, reg, n, true);
}

/* -- Registers of one instruction ----------------------------------------------------------- */

static uint32_t
temp(struct emit *e, enum gen_at at, uint32_t reg, uint32_t n)
{
	if (e->st)
		return reg;
	if (e->n_temps == QD_COUNT(e->temps)) {
		gen_illegal(e, e->at, "too many registers are live at once");
		return reg;
	}
	e->temps[e->n_temps++] = (struct gen_loc){ .at = (uint8_t)at, .n = (uint8_t)n, .reg = (uint16_t)reg };
	return reg;
}

void
gen_temp_loc(struct emit *e, struct gen_loc l)
{
	temp(e, (enum gen_at)l.at, l.reg, l.n);
}

uint32_t
gen_temp_v(struct emit *e, uint32_t n)
{
	return temp(e, AT_V, gen_take_v(e, n), n);
}

uint32_t
gen_temp_s(struct emit *e, uint32_t n)
{
	return temp(e, AT_S, gen_take_s(e, n), n);
}

uint32_t
gen_temp_s4(struct emit *e)
{
	return temp(e, AT_S, gen_take_s_at(e, 4, 4), 4);
}

uint32_t
gen_zero(struct emit *e)
{
	if (e->zero_v != REG_NONE)
		return e->zero_v;
	uint32_t reg = gen_take_v(e, 1);
	put_mov_v(e, reg, src_of(SRC_ZERO)); /* may set exec to all ones first */
	e->zero_v = (uint16_t)reg;
	return reg;
}

void
gen_zero_lost_now(struct emit *e)
{
	/* The current instruction may still use them. */
	if (e->zero_v != REG_NONE)
		gen_set_bits(e->held_v, e->zero_v, 1, true);
	while (e->n_scaled)
		gen_set_bits(e->held_v, e->scaled[--e->n_scaled].reg, 1, true);
	e->holds = true;
	e->zero_v = REG_NONE;
}

uint32_t
gen_scaled(struct emit *e, uint32_t v, uint32_t shift)
{
	return gen_scaled_from(e, v, shift, 0);
}

uint32_t
gen_scaled_from(struct emit *e, uint32_t v, uint32_t shift, uint32_t from)
{
	struct src a = gen_src(e, v);
	uint32_t reg;

	gen_flush_pending(e); /* a pending write of exec */
	for (uint32_t k = 0; k < e->n_scaled; k++)
		if (e->scaled[k].of == v && e->scaled[k].shift == shift && e->scaled[k].from == from) {
			e->scaled[k].used_at = e->at;
			return e->scaled[k].reg;
		}
	if (e->plan[v].end <= e->at) {
		reg = gen_temp_v(e, 1);
	} else {
		reg = gen_take_v(e, 1);
		if (e->n_scaled == QD_COUNT(e->scaled)) { /* the older one makes room */
			gen_set_bits(e->held_v, e->scaled[0].reg, 1, true);
			e->holds = true;
			e->scaled[0] = e->scaled[--e->n_scaled];
		}
		e->scaled[e->n_scaled++] = (struct gen_scaled){ .of = v, .end = e->plan[v].end, .used_at = e->at,
								.reg = (uint16_t)reg, .shift = (uint16_t)shift, .from = from };
	}
	if (from)
		put_v3(e, GCN_OP_v_lshl_add_u32, reg, a, gen_const(shift), gen_const(from));
	else
		put_v2(e, VOP(v_lshlrev_b32), reg, gen_const(shift), a);
	return reg;
}

/* Frees the shifted values whose values end here. */
static void
end_scaled(struct emit *e)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < e->n_scaled; k++)
		if (e->scaled[k].end > e->at)
			e->scaled[n++] = e->scaled[k];
		else
			gen_give_v(e, e->scaled[k].reg, 1);
	e->n_scaled = n;
}

static void
give(struct emit *e, const struct gen_loc *l)
{
	if (l->at == AT_V)
		gen_give_v(e, l->reg, l->n);
	else
		gen_give_s(e, l->reg, l->n);
}

static void
give_held(struct emit *e)
{
	e->holds = false;
	for (uint32_t i = 0; i < QD_COUNT(e->held_v); i++) {
		e->free_v[i] |= e->held_v[i];
		e->held_v[i] = 0;
	}
	for (uint32_t i = 0; i < QD_COUNT(e->held_s); i++) {
		e->free_s[i] |= e->held_s[i];
		e->held_s[i] = 0;
	}
}

void
gen_end(struct emit *e)
{
	for (uint32_t v = e->dies_at[e->at]; v; v = e->chain[v])
		give(e, &e->loc[v]);
	while (e->n_temps)
		give(e, &e->temps[--e->n_temps]);
	if (QD_UNLIKELY(e->holds))
		give_held(e);
	if (QD_UNLIKELY(e->n_scaled))
		end_scaled(e);
}

/* -- Results ---------------------------------------------------------------------------------- */

/* Holds the registers of dying values until the instruction is complete, because parts of it may
 * still read them. */
static void
hold_dying(struct emit *e)
{
	uint32_t v = e->dies_at[e->at];

	e->dies_at[e->at] = 0;
	e->holds = true;
	for (; v; v = e->chain[v]) {
		const struct gen_loc *l = &e->loc[v];
		if (l->at == AT_V)
			e->held_v[l->reg / 64] |= run_mask(l->reg, l->n);
		else
			gen_set_bits(e->held_s, l->reg, l->n, true);
	}
}

/* Allocates a result in the first registers that are free or dying. All dying registers are held
 * until the instruction is complete, because several machine instructions may compute a result of
 * more than one register. */
static uint32_t
take_over_run(struct emit *e, enum gen_at at, uint32_t n)
{
	uint32_t reg;
	uint64_t free[QD_COUNT(e->free_v)];

	hold_dying(e);
	if (at == AT_V) {
		for (uint32_t i = 0; i < QD_COUNT(free); i++)
			free[i] = e->free_v[i] | e->held_v[i];
		reg = taken_v(e, find_few(free, QD_COUNT(e->free_v), n), n);
		e->held_v[reg / 64] &= ~run_mask(reg, n);
	} else {
		for (uint32_t i = 0; i < QD_COUNT(e->free_s); i++)
			free[i] = e->free_s[i] | e->held_s[i];
		reg = taken_s(e, find_few(free, QD_COUNT(e->free_s), n), n, n);
		gen_set_bits(e->held_s, reg, n, false);
	}
	return reg;
}

/* Finds the dying value of this kind with the lowest register below *lowest. Sets *lowest to that
 * register and returns the link to the value, or NULL. Sets *runs if a dying value has several
 * registers, which needs take_over_run. */
QD_INLINE uint32_t *
lowest_that_ends(const struct emit *e, bool is_v, uint32_t *lowest, bool *runs)
{
	uint32_t *best = NULL;

	for (uint32_t *v = &e->dies_at[e->at]; *v; v = &e->chain[*v]) {
		const struct gen_loc *l = &e->loc[*v];
		if ((l->at == AT_V) != is_v)
			continue;
		if (QD_UNLIKELY(l->n > 1)) {
			*runs = true;
			return NULL;
		}
		if (l->reg < *lowest) {
			*lowest = l->reg;
			best = v;
		}
	}
	return best;
}

QD_INLINE uint32_t
take_over(struct emit *e, enum gen_at at, uint32_t n)
{
	uint32_t *best, lowest;
	bool is_v = at == AT_V, runs = n > 1;

	if (!e->dies_at[e->at] || e->took == e->at)
		return take(e, at, n);
	e->took = e->at;
	lowest = is_v ? find_few(e->free_v, QD_COUNT(e->free_v), 1) : find_few(e->free_s, QD_COUNT(e->free_s), 1);
	best = lowest_that_ends(e, is_v, &lowest, &runs);
	if (QD_UNLIKELY(runs))
		return take_over_run(e, at, n);
	if (!best)
		return take(e, at, n);
	*best = e->chain[*best]; /* the result owns the register now */
	gen_wait_reg(e, is_v ? 256 + lowest : lowest, 1);
	return lowest;
}

/* Assigns the register to i until the value's end. */
QD_INLINE uint32_t
assign(struct emit *e, uint32_t i, enum gen_at at, uint32_t reg, uint32_t n)
{
	const struct gen_plan *p = &e->plan[i];
	uint32_t last = i > e->at ? i : e->at, end = p->end > last ? p->end : last; /* an unused result dies here */

	e->loc[i] = (struct gen_loc){ .at = (uint8_t)at, .n = (uint8_t)n, .reg = (uint16_t)reg };
	if (QD_UNLIKELY(e->spilled != NULL)) {
		for (uint32_t w = 0; w < n; w++)
			*(at == AT_V ? &e->owner[reg + w] : &e->owner_s[reg + w]) = i;
		end = e->spilled[i] ? last : end;
	}
	e->chain[i] = e->dies_at[end];
	e->dies_at[end] = i;
	return reg;
}

void
gen_assign_s(struct emit *e, uint32_t i, uint32_t reg)
{
	assign(e, i, AT_S, reg, 1);
}

void
gen_assign_v(struct emit *e, uint32_t i, uint32_t reg, uint32_t n)
{
	assign(e, i, AT_V, reg, n);
}

/* Returns the register of one word of a pair. The first word allocates the pair. */
static uint32_t
half_of(struct emit *e, uint32_t i, uint32_t pair)
{
	if (e->loc[pair].at == AT_NONE)
		assign(e, pair, AT_V, gen_take_v(e, 2), 2);
	uint32_t reg = e->loc[pair].reg + (e->plan[i].flags & GEN_HIGH ? 1u : 0u);
	e->loc[i] = (struct gen_loc){ .at = AT_V, .n = 1, .reg = (uint16_t)reg };
	return reg;
}

QD_INLINE uint32_t
result(struct emit *e, uint32_t i, enum gen_at at, uint32_t n, bool single)
{
	const struct gen_plan *p = &e->plan[i];
	struct gen_loc *l = &e->loc[i];

	if (QD_UNLIKELY(p->flags & (GEN_INTO | GEN_HALF))) {
		if (p->flags & GEN_INTO && single && e->loc[p->link].at == at && e->loc[p->link].n == n) {
			*l = e->loc[p->link];
			gen_wait_reg(e, at == AT_V ? 256u + l->reg : l->reg, n);
			return l->reg;
		}
		if (p->flags & GEN_HALF && at == AT_V && n == 1)
			return half_of(e, i, p->link);
	}
	return assign(e, i, at, single ? take_over(e, at, n) : take(e, at, n), n);
}

uint32_t
gen_result(struct emit *e, uint32_t i, enum gen_at at, uint32_t n, bool single)
{
	return result(e, i, at, n, single);
}

/* General case of gen_result_v. */
static QD_APART uint32_t
result_v(struct emit *e, uint32_t i)
{
	return result(e, i, AT_V, 1, true);
}

/* Fast path of take_over if no result is outstanding: the result usually reuses the register of a
 * dying operand. */
uint32_t
gen_result_v(struct emit *e, uint32_t i)
{
	uint32_t *best, lowest;
	bool runs = false;

	if (QD_UNLIKELY(e->took == e->at || !e->free_v[0] || e->n_pend || e->plan[i].flags & (GEN_INTO | GEN_HALF)))
		return result_v(e, i);
	lowest = qd_lowest_bit(e->free_v[0]);
	best = lowest_that_ends(e, true, &lowest, &runs);
	if (!best)
		return result_v(e, i);
	e->took = e->at;
	*best = e->chain[*best]; /* the result owns the register now */
	return assign(e, i, AT_V, lowest, 1);
}

uint32_t
gen_result_over(struct emit *e, uint32_t i, struct src s, uint32_t n)
{
	uint32_t v = e->dies_at[e->at], reg = s.n - 256u;

	while (v && (e->loc[v].at != AT_V || e->loc[v].n != n || e->loc[v].reg != reg))
		v = e->chain[v];
	if (!v || e->plan[i].flags & GEN_HALF)
		return gen_result(e, i, AT_V, n, false);
	hold_dying(e);
	e->held_v[reg / 64] &= ~run_mask(reg, n);
	return assign(e, i, AT_V, reg, n);
}
