/* Spilling: vector registers in scratch.
 *
 * The walk of the body assumes that registers suffice. If one is missing, a value with a distant end is
 * chosen and its registers are taken, to find out what else does not fit; the code of that walk is
 * discarded. The next walk stores each chosen value after the instruction that computes it. An
 * instruction that reads it loads it to a temporary first. A slot belongs to a value until the value's
 * end, as a register does, so this does not depend on control flow: a lane that reads a value has
 * been active when the value was stored, and a SET of a variable stores the lanes that are active.
 * A value that one instruction computes from constants and registers that live as long has no slot:
 * the instruction is repeated before each use.
 *
 * Scalar values and masks are stored in lanes of a vector register in the same way, without regard to exec.
 *
 * The hardware of gfx94 and of gfx11 on initializes the address of a wave's scratch. On other targets
 * the kernel does. */
#include "gen_emit.h"

/* -- Address of scratch ------------------------------------------------------------------------- */

/* Returns the bytes that an instruction's offset reaches. Only gfx10 has 12 bits with the sign. */
static uint32_t
most_offset(const struct emit *e)
{
	return e->gcn->gen == GCN_G10 ? 2048 : 4096;
}

/* LLVM's AMDGPU usage guide, "Flat Scratch"; Mesa's ACO has the same instructions (p_init_scratch). */
void
gen_init_scratch(struct emit *e, uint32_t base, uint32_t offset)
{
	enum { FLAT_SCRATCH = 102, HWREG_FLAT_SCR_LO = 20, ALL_BITS = 31 << 11 };
	uint32_t dst = e->gcn->gen == GCN_G10 ? base : FLAT_SCRATCH;

	put_sop2(e, GCN_OP_s_add_u32, dst, src_of(base), GEN_RULE(WAVE_OFFSET) ? src_of(offset) : src_of(SRC_ZERO));
	put_sop2(e, GCN_OP_s_addc_u32, dst + 1, src_of(base + 1), src_of(SRC_ZERO));
	for (uint32_t w = 0; e->gcn->gen == GCN_G10 && w < 2; w++)
		gcn_sopk(gen_out_scalar(e), gen_row(e, GCN_OP_s_setreg_b32), base + w, (uint16_t)((HWREG_FLAT_SCR_LO + w) | ALL_BITS));
	e->max_s = offset + 1;
	/* Before gfx10.3 a scratch instruction needs a register for its address. */
	if (e->gcn->gen == GCN_G10 && e->t->cmpx)
		return;
	gen_set_bits(e->free_s, base, 1, false);
	e->scratch_base = (uint16_t)base;
	put_mov_s(e, base, src_of(SRC_ZERO));
}

/* -- Loads and stores ------------------------------------------------------------------------- */

static void
access(struct emit *e, bool store, uint32_t reg, uint32_t n, uint32_t slot)
{
	static const enum gcn_op ops[2][2] = { { GCN_OP_scratch_load_dword, GCN_OP_scratch_load_dwordx2 },
					       { GCN_OP_scratch_store_dword, GCN_OP_scratch_store_dwordx2 } };
	uint32_t at = 4 * slot, base = e->scratch_base, data = 256 + reg;

	if (GEN_RULE(STORE_WAIT))
		gen_wait_reg(e, data, n);
	if (at + 4 * n > most_offset(e) && GEN_RULE(OFFSET)) {
		base = gen_temp_s(e, 1);
		put_mov_s(e, base, gen_const(at));
		at = 0;
	}
	gen_flush_pending(e);
	gen_memory_reads(e, false);
	gen_row_of_memory(e, data, store ? n : 0, store ? 0 : n, data);
	gcn_scratch(gen_out(e), gen_row(e, ops[store][n - 1]),
		    (struct gcn_mem){ .dst = store ? GCN_OFF : data, .addr = GCN_OFF, .data = store ? data : GCN_OFF,
				      .base = base, .offset = (int32_t)at });
	if (GEN_RULE(ISSUED))
		gen_issued(e, store ? CNT_STORE : CNT_LOAD, store ? 0 : data, store ? 0 : n);
}

/* Returns the first of n free slots or lanes, or the end of the map. */
static uint32_t
find_slots(const uint64_t *map, uint32_t n_words, uint32_t n)
{
	for (uint32_t w = 0; w < n_words; w++) {
		uint64_t found = n == 1 ? ~map[w] : ~map[w] & ~map[w] >> 1 & UINT64_C(0x5555555555555555);
		if (found)
			return 64 * w + qd_lowest_bit(found);
	}
	return 64 * n_words;
}

/* Keeps the slots or lanes of v until its end. */
static void
keep_slots(struct emit *e, uint32_t v)
{
	uint32_t end = e->plan[v].end;

	if (e->st || !e->slots_at)
		return;
	e->chain[v] = e->slots_at[end];
	e->slots_at[end] = v;
}

static void
free_slots(struct emit *e)
{
	for (uint32_t v = e->slots_at ? e->slots_at[e->at] : 0; v; v = e->chain[v])
		gen_set_bits(e->loc[v].at == AT_SCRATCH ? e->slot_map : e->lane_map, e->loc[v].reg, e->loc[v].n, false);
}

static struct gen_loc
new_slot(struct emit *e, uint32_t n)
{
	struct gen_loc l = { .at = AT_SCRATCH, .n = (uint8_t)n, .reg = (uint16_t)find_slots(e->slot_map, QD_COUNT(e->slot_map), n) };

	if (l.reg + n > e->scratch)
		e->scratch = l.reg + n;
	if (l.reg < 64 * QD_COUNT(e->slot_map))
		gen_set_bits(e->slot_map, l.reg, n, GEN_RULE(SLOT_TAKEN));
	else
		gen_fail(e, QD_E_LIMIT, "%s: its values need more than %d bytes of scratch; use fewer of them at once",
			 e->k->name, GEN_MOST_SCRATCH);
	return l;
}

/* Moves the words of a scalar value or mask to lanes, or from them. */
static void
access_lanes(struct emit *e, bool store, uint32_t reg, uint32_t n, uint32_t slot)
{
	gen_wait_reg(e, reg, n);
	for (uint32_t w = n; w-- > 0;) { /* the first word last: wait states count from it */
		uint32_t lane = slot + w, v = e->lane_v[lane / e->wave % QD_COUNT(e->lane_v)];
		if (lane >= e->most_lanes) { /* a walk that is discarded */
			e->found_spill = true;
			v = 0;
		}
		if (store)
			put_writelane(e, v, src_of(reg + w), lane % e->wave);
		else
			put_readlane(e, reg + w, src_v(v), gen_const(lane % e->wave));
	}
}

static struct gen_loc
new_lanes(struct emit *e, struct gen_loc from)
{
	uint32_t reg = find_slots(e->lane_map, QD_COUNT(e->lane_map), from.n);
	struct gen_loc l = { .at = AT_LANES, .n = from.n, .reg = (uint16_t)reg, .of = from.at };

	if (reg + from.n > e->n_lanes)
		e->n_lanes = reg + from.n;
	if (e->n_lanes <= QD_COUNT(e->lane_v) * e->wave)
		gen_set_bits(e->lane_map, reg, from.n, GEN_RULE(LANE_TAKEN));
	else
		gen_fail(e, QD_E_LIMIT, "%s: its values need more than %u scalar registers; use fewer of them at once", e->k->name,
			 (uint32_t)QD_COUNT(e->lane_v) * e->wave);
	return l;
}

void
gen_reserve_lanes(struct emit *e)
{
	for (uint32_t i = 0; i * e->wave < e->most_lanes && i < QD_COUNT(e->lane_v); i++)
		e->lane_v[i] = (uint16_t)gen_take_v(e, 1);
}

/* -- Choice of values --------------------------------------------------------------------------- */

static bool
is_of_class(const struct gen_loc *l, bool is_v)
{
	return is_v ? l->at == AT_V : l->at == AT_S || l->at == AT_MASK;
}

/* Marks the registers that instruction i and the operands fused into it read. */
static void
mark_read(const struct emit *e, uint32_t i, bool is_v, uint64_t *map)
{
	const struct ins *s = gen_ins(e, i);

	for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++) {
		uint32_t v = values & 1 ? s->arg[j] : 0;
		const struct gen_loc *l = &e->loc[v];
		if (v && gen_is_fused(e, v))
			mark_read(e, v, is_v, map);
		else if (v && is_of_class(l, is_v))
			gen_set_bits(map, l->reg, l->n, true);
	}
}

/* Returns the value whose register may be taken, or 0. */
static uint32_t
owner_of(const struct emit *e, bool is_v, uint32_t reg, const uint64_t *read)
{
	uint32_t v = is_v ? e->owner[reg] : e->owner_s[reg];

	if (!v || v >= e->at || e->spilled[v] || e->plan[v].end <= e->at || gen_bits(read, reg, 1))
		return 0;
	return is_of_class(&e->loc[v], is_v) && e->loc[v].n <= 2 && reg - e->loc[v].reg < e->loc[v].n ? v : 0;
}

/* -- Values that are computed again ---------------------------------------------------------------- */

/* Returns true if u is a constant, or is in the same registers until `end`. A variable is not written before the
 * end of a GET that shares its register. */
static bool
remains(const struct emit *e, uint32_t u, uint32_t end)
{
	const struct gen_loc *l = &e->loc[u];

	while (gen_ins(e, u)->op == OP_BITCAST || gen_ins(e, u)->op == OP_UNIFORM)
		u = gen_ins(e, u)->a;
	return l->at == AT_CONST || ((l->at == AT_V || l->at == AT_S) && (l->of == GEN_STANDS || e->plan[u].end >= end || !GEN_RULE(AGAIN_END)));
}

static bool
operands_remain(const struct emit *e, uint32_t x, uint32_t end)
{
	const struct ins *s = gen_ins(e, x);

	for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++) {
		uint32_t u = values & 1 ? s->arg[j] : 0;
		if (!u)
			continue;
		if (gen_is_fused(e, u) ? (op_info[gen_ins(e, u)->op].expand != EXPAND_alu && GEN_RULE(AGAIN_LANES)) || !operands_remain(e, u, end)
				       : !remains(e, u, end))
			return false;
	}
	return true;
}

/* Returns true if one instruction can compute v at each use, so that it needs no slot: an address, in
 * most cases. */
static bool
comes_again(const struct emit *e, uint32_t v)
{
	return type_info[gen_ins(e, v)->type].size == 4 && gen_is_single(e->ir, v) && !(e->plan[v].flags & (GEN_INTO | GEN_HALF)) &&
	       operands_remain(e, v, e->plan[v].end);
}

static void
compute_again(struct emit *e, uint32_t v)
{
	uint32_t x = e->loc[v].of, took = e->took;
	struct gen_loc from = e->loc[x];

	if (GEN_RULE(AGAIN_READ))
		e->took = e->at; /* an operand that ends here is still read */
	gen_emit_again(e, x);
	e->took = took;
	if (e->dies_at[e->at] == x)
		e->dies_at[e->at] = e->chain[x];
	gen_temp_loc(e, e->loc[x]);
	e->loc[v] = e->loc[x];
	if (x != v)
		e->loc[x] = from;
}

/* Returns how late the registers of a run are used next, or 0 if they cannot be taken. */
static uint32_t
end_of_run(const struct emit *e, bool is_v, uint32_t reg, uint32_t n, const uint64_t *read)
{
	uint32_t end = UINT32_MAX;

	for (uint32_t r = reg; r < reg + n; r++) {
		if (gen_bits(is_v ? e->free_v : e->free_s, r, 1))
			continue;
		uint32_t v = owner_of(e, is_v, r, read);
		uint32_t v_end = !v ? 0 : comes_again(e, v) ? UINT32_MAX - 1 : e->plan[v].end;
		end = v_end < end ? v_end : end;
	}
	return end;
}

static void
spill_value(struct emit *e, uint32_t v)
{
	uint32_t *link = &e->dies_at[e->plan[v].end];

	while (*link && *link != v)
		link = &e->chain[*link];
	if (*link)
		*link = e->chain[v];
	e->spilled[v] = true;
	if (e->loc[v].at == AT_V) {
		gen_give_v(e, e->loc[v].reg, e->loc[v].n);
		e->loc[v] = new_slot(e, e->loc[v].n);
	} else {
		gen_give_s(e, e->loc[v].reg, e->loc[v].n);
		e->loc[v] = new_lanes(e, e->loc[v]);
	}
	keep_slots(e, v);
}

void
gen_clear_owners(struct emit *e)
{
	e->owners = true;
	memset(e->owner, 0, sizeof e->owner);
	memset(e->owner_s, 0, sizeof e->owner_s);
	memset(e->slot_map, 0, sizeof e->slot_map);
	memset(e->lane_map, 0, sizeof e->lane_map);
	e->slots_at = arena_zalloc(e->in->mem, e->ir->n * sizeof *e->slots_at);
	if (!e->slots_at)
		gen_fail(e, QD_E_NOMEM, "out of memory");
}

/* Sets owner[] to the values that live after the current instruction. */
static void
find_owners(struct emit *e)
{
	gen_clear_owners(e);
	for (uint32_t end = e->at + 1; end < e->ir->n; end++)
		for (uint32_t v = e->dies_at[end]; v; v = e->chain[v])
			for (uint32_t w = 0; w < e->loc[v].n; w++)
				*(e->loc[v].at == AT_V ? &e->owner[e->loc[v].reg + w] : &e->owner_s[e->loc[v].reg + w]) = v;
}

static bool
make_room(struct emit *e, bool is_v, uint32_t limit, uint32_t n, uint32_t align)
{
	uint32_t best = 0, best_end = 0;
	uint64_t read[N_VGPR / 64 + 1] = { 0 };

	/* There may be room without copies, early loads and groups. */
	if (e->st || e->body->unrolled || e->body->early || e->grouped)
		return false;
	e->ungrouped = true; /* a group reads operands that its first load does not */
	if (!e->spilled)
		e->spilled = arena_zalloc(e->in->mem, e->ir->n);
	if (!e->spilled)
		return false;
	if (!e->owners)
		find_owners(e);
	mark_read(e, e->at, is_v, read);
	for (uint32_t reg = 0; reg + n <= limit; reg += align) {
		uint32_t end = end_of_run(e, is_v, reg, n, read);
		if (end > best_end) {
			best = reg;
			best_end = end;
		}
	}
	if (!best_end)
		return false;
	e->found_spill = true;
	for (uint32_t r = best; r < best + n; r++)
		if (!gen_bits(is_v ? e->free_v : e->free_s, r, 1))
			spill_value(e, is_v ? e->owner[r] : e->owner_s[r]);
	return true;
}

bool
gen_make_room(struct emit *e, uint32_t n)
{
	return make_room(e, true, e->limit_v, n, n > 2 ? 4 : n);
}

bool
gen_make_room_s(struct emit *e, uint32_t n, uint32_t align)
{
	return make_room(e, false, e->gcn->n_sgpr, n, align);
}

/* -- Instructions ------------------------------------------------------------------------------ */

static void reload_operands(struct emit *e, uint32_t i);

static void
reload(struct emit *e, uint32_t v)
{
	struct gen_loc from = e->loc[v];

	if (e->st)
		return;
	if (e->n_reloads == QD_COUNT(e->reloads)) {
		gen_illegal(e, e->at, "too many operands are in scratch");
		return;
	}
	if (from.at == AT_AGAIN) {
		reload_operands(e, from.of); /* only in a walk that is discarded */
		compute_again(e, v);
		if (e->n_reloads < QD_COUNT(e->reloads))
			e->reloads[e->n_reloads++] = (struct gen_reload){ v, from };
		return;
	}
	bool is_v = from.at == AT_SCRATCH;
	uint32_t reg = is_v ? gen_temp_v(e, from.n) : gen_temp_s(e, from.n);
	(is_v ? access : access_lanes)(e, false, reg, from.n, from.reg);
	e->reloads[e->n_reloads++] = (struct gen_reload){ v, from };
	e->loc[v] = (struct gen_loc){ .at = (uint8_t)(is_v ? AT_V : from.of), .n = from.n, .reg = (uint16_t)reg };
}

/* Loads the operands of i, and of the operands that are fused into it. */
static void
reload_operands(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++) {
		uint32_t v = values & 1 ? s->arg[j] : 0;
		if (v && gen_is_fused(e, v))
			reload_operands(e, v);
		else if (v && e->loc[v].at >= AT_SCRATCH && !(s->op == OP_SET && j == 0))
			reload(e, v);
	}
}

/* Returns true if i is another name of its operand, in scratch too. */
static bool
is_alias(const struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);

	switch (s->op) {
	case OP_BALLOT_WORD:
	case OP_LO:
	case OP_HI:
	case OP_BITCAST:
	case OP_UNIFORM: return e->loc[s->a].at >= AT_SCRATCH;
	case OP_GET: return e->loc[s->a].at >= AT_SCRATCH && !(e->plan[i].flags & GEN_COPY);
	default: return false;
	}
}

bool
gen_before_spill(struct emit *e, uint32_t i)
{
	e->at = i;
	e->n_reloads = 0;
	if (is_alias(e, i))
		return true;
	if (e->spilled[i] && comes_again(e, i)) {
		e->loc[i] = (struct gen_loc){ .at = AT_AGAIN, .n = 1, .of = i };
		return false;
	}
	/* A mask variable keeps the bits of inactive lanes, so it is changed in a register. */
	if (gen_ins(e, i)->op == OP_SET && e->loc[gen_ins(e, i)->a].at == AT_LANES && GEN_RULE(SET_LOADS))
		reload(e, gen_ins(e, i)->a);
	reload_operands(e, i);
	return true;
}

void
gen_after_spill(struct emit *e, uint32_t i)
{
	struct gen_loc l = e->loc[i];
	bool stores = e->spilled[i] && (l.at == AT_V || l.at == AT_S || l.at == AT_MASK);

	while (e->n_reloads) {
		const struct gen_reload *r = &e->reloads[--e->n_reloads];
		if (r->from.at == AT_LANES && gen_ins(e, i)->op == OP_SET && r->of == gen_ins(e, i)->a && GEN_RULE(SET_LANES))
			access_lanes(e, true, e->loc[r->of].reg, r->from.n, r->from.reg);
		e->loc[r->of] = r->from;
	}
	free_slots(e);
	if (stores && !e->st) {
		struct gen_loc to = l.at == AT_V ? new_slot(e, l.n) : new_lanes(e, l);
		(l.at == AT_V ? access : access_lanes)(e, true, l.reg, l.n, to.reg);
		gen_end(e); /* frees the register */
		e->loc[i] = to;
		keep_slots(e, i);
	} else {
		gen_end(e);
	}
}

void
gen_set_spilled(struct emit *e, struct gen_loc to, uint32_t v)
{
	const struct gen_loc *l = &e->loc[v];
	uint32_t reg = l->reg;

	if (l->at != AT_V) {
		reg = gen_temp_v(e, to.n);
		put_move(e, (struct gen_loc){ .at = AT_V, .n = to.n, .reg = (uint16_t)reg }, v);
	}
	if (GEN_RULE(SET_SLOT))
		access(e, true, reg, to.n, to.reg);
}
