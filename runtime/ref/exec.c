/* The execution of a subgroup: its lanes run in lock-step under a mask.
 *
 * All state is in struct wave, so a run can stop at any instruction and continue later. */
#include <assert.h>

#include "interp.h"

/* -- Leaves ------------------------------------------------------------------------ */

static void
fill(struct wave *w, uint32_t at, uint64_t bits)
{
	uint64_t *r = wave_row(w, at);

	for (uint32_t l = 0; l < w->n_threads; l++)
		r[l] = bits;
}

/* Sets a row to first + lane. */
static void
ramp(struct wave *w, uint32_t at, uint64_t first)
{
	uint64_t *r = wave_row(w, at);

	for (uint32_t l = 0; l < w->n_threads; l++)
		r[l] = first + l;
}

static uint32_t
tail_word(const struct run *r, uint32_t i)
{
	uint32_t word;

	memcpy(&word, (const char *)r->launch->args + r->launch->tail + (size_t)i * 4, 4);
	return word;
}

/* clang-format off */
#define LEAF(name, how, value)                                                                     \
	static void name(struct wave *w, uint32_t at)                                              \
	{                                                                                          \
		const struct run *r = w->run;                                                      \
		const struct ins *i = &r->ir->ins[at];                                             \
		(void)i;                                                                           \
		how(w, at, value);                                                                 \
	}

LEAF(constant,         fill, const_bits(i))
LEAF(template_value,   fill, (uint32_t)r->image->tmpl[i->x])
LEAF(param,            fill, r->params[i->x].bits)
LEAF(len,              fill, (uint32_t)r->params[i->x].elements)
LEAF(block_idx,        fill, w->block)
LEAF(block_dim,        fill, r->block_dim)
LEAF(grid_dim,         fill, tail_word(r, TAIL_N_BLOCKS))
LEAF(subgroup_id,      fill, w->subgroup)
LEAF(subgroup_count,   fill, r->n_subgroups)
LEAF(group_size,       fill, r->n_lanes)
LEAF(log2_group_size,  fill, r->log2_lanes)
LEAF(thread_idx,       ramp, wave_thread(w, 0))
LEAF(lane,             ramp, 0)
/* clang-format on */

static void
elect(struct wave *w, uint32_t at)
{
	fill(w, at, 0);
	wave_row(w, at)[0] = 1;
}

/* -- Arithmetic and locals ----------------------------------------------------------- */

static void
alu(struct wave *w, uint32_t at)
{
	const struct ir *ir = w->run->ir;
	const struct ins *i = &ir->ins[at];
	const uint64_t *b = i->b ? wave_row(w, i->b) : NULL;
	const uint64_t *c = i->c ? wave_row(w, i->c) : NULL;

	if ((i->op == OP_DIV || i->op == OP_REM) && type_is(i->type, TM_INT))
		interp_check_divisor(w, at, w->n_threads, b, NULL);
	else if (QD_UNLIKELY(op_info[i->op].is_approx))
		interp_check_domain(w, at, w->n_threads, wave_row(w, i->a), b, NULL);
	interp_alu((enum op)i->op, ir_lead_type(ir, i), i->type, w->n_threads,
		   wave_row(w, i->a), b, c, wave_row(w, at));
	if (QD_UNLIKELY(w->any_undefined))
		interp_spread(w, at);
}

static void
assign(struct wave *w, uint32_t to, uint32_t from, struct mask lanes)
{
	uint64_t *r = wave_row(w, to);
	const uint64_t *v = wave_row(w, from);

	if (mask_same(lanes, w->all)) {
		memcpy(r, v, w->n_threads * sizeof *r);
	} else {
		for (uint32_t l = 0; l < w->n_threads; l++)
			if (mask_has(&lanes, l))
				r[l] = v[l];
	}
	if (QD_UNLIKELY(w->any_undefined))
		interp_carry(w, to, from, lanes);
}

static void
copy(struct wave *w, uint32_t at)
{
	assign(w, at, w->run->ir->ins[at].a, w->all);
}

static void
set(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];

	assign(w, i->a, i->b, w->active);
}

static void
nothing(struct wave *w, uint32_t at)
{
	(void)w;
	(void)at;
}

static void
skip_region(struct wave *w, uint32_t at)
{
	w->pc = w->run->ir->ins[at].x + 1;
}

/* -- Steps by operation ---------------------------------------------------------------- */

static interp_step *const by_operation[N_OP] = {
	[OP_TEMPLATE] = template_value,
	[OP_LEN] = len,
	[OP_BLOCK_IDX] = block_idx,
	[OP_BLOCK_DIM] = block_dim,
	[OP_GRID_DIM] = grid_dim,
	[OP_THREAD_IDX] = thread_idx,
	[OP_LANE] = lane,
	[OP_SUBGROUP_COUNT] = subgroup_count,
	[OP_GROUP_SIZE] = group_size,
	[OP_LOG2_GROUP_SIZE] = log2_group_size,
	[OP_VAR] = copy,
	[OP_GET] = copy,
	[OP_SET] = set,
	[OP_IF] = interp_if,
	[OP_ELSE] = interp_else,
	[OP_LOOP] = interp_open,
	[OP_BLOCK] = interp_open,
	[OP_GRID] = interp_grid,
	[OP_BREAK] = interp_break,
	[OP_END] = interp_end,
	[OP_REGION] = skip_region,
	[OP_REQUIRE] = nothing,
	[OP_ASSERT] = interp_assert,
	[OP_PRINT] = interp_print,
	[OP_PACK] = nothing,
	[OP_PLACE] = nothing,
	[OP_BLOCK_SYNC] = interp_sync,
	[OP_SUBGROUP_SYNC] = interp_sync,
	[OP_NANOSLEEP] = nothing,
	[OP_SYNCWARP] = interp_syncwarp,
	[OP_SUBGROUP_FENCE] = interp_fence,
	[OP_BLOCK_FENCE] = interp_fence,
	[OP_GRID_FENCE] = interp_fence,
};

/* Used for operations without a row above, by the family of their expansion. */
static interp_step *const by_family[N_EXPAND] = {
	[EXPAND_constant] = constant,
	[EXPAND_param] = param,
	[EXPAND_alu] = alu,
	[EXPAND_result] = nothing,
	[EXPAND_load] = interp_load,
	[EXPAND_store] = interp_store,
	[EXPAND_atomic] = interp_atomic,
	[EXPAND_subgroup_id] = subgroup_id,
	[EXPAND_elect] = elect,
	[EXPAND_shuffle] = interp_fetch,
	[EXPAND_ballot] = interp_ballot,
	[EXPAND_vote] = interp_vote,
	[EXPAND_all_equal] = interp_all_equal,
	[EXPAND_reduce] = interp_reduce,
	[EXPAND_scan] = interp_scan,
	[EXPAND_exclusive] = interp_exclusive,
	[EXPAND_segmented] = interp_segmented,
	[EXPAND_sort] = interp_sort,
	[EXPAND_match] = interp_match,
	[EXPAND_vote_members] = interp_vote_members,
	[EXPAND_elect_member] = interp_elect_member,
	[EXPAND_shfl] = interp_shfl,
	[EXPAND_redux] = interp_redux,
	[EXPAND_cp_async] = interp_cp_async,
	[EXPAND_cp_async_wait] = interp_cp_async_wait,
	[EXPAND_operator_exclusive] = interp_exclusive,
	[EXPAND_operator_reduce] = interp_reduce,
	[EXPAND_operator_scan] = interp_scan,
	[EXPAND_block_vote] = interp_come,
	[EXPAND_block_move] = interp_come,
	[EXPAND_block_reduce] = interp_come,
	[EXPAND_block_scan] = interp_come,
	[EXPAND_block_exclusive] = interp_come,
	[EXPAND_block_sort] = interp_come,
	[EXPAND_block_rank] = interp_come,
	[EXPAND_block_operator_reduce] = interp_come,
	[EXPAND_block_operator_scan] = interp_come,
	[EXPAND_block_operator_exclusive] = interp_come,
};

static interp_step *
step_of(uint32_t op)
{
	return by_operation[op] ? by_operation[op] : by_family[op_info[op].expand];
}

/* -- Preparation ------------------------------------------------------------------------- */

/* Returns whether an operator may contain i; cross.c runs these. */
static bool
in_operator(const struct ins *i)
{
	switch (op_info[i->op].expand) {
	case EXPAND_constant:
	case EXPAND_alu:
	case EXPAND_arg:
	case EXPAND_yield: return true;
	default: return i->op == OP_END;
	}
}

static bool
known(const struct ins *i, bool in_region)
{
	if (op_info[i->op].is_low || (i->attr & (ATTR_RAW | ATTR_LO | ATTR_HI | ATTR_BITS)) ||
	    (op_info[i->op].padding == PADDING_SKIPPED && i->d &&
	     op_sig((enum op)i->op)->active < 0))
		return false;
	return in_region ? in_operator(i) : step_of(i->op) != NULL;
}

/* Returns whether threads wait for others here, or read what others write concurrently. */
static bool
takes_turns(const struct ins *i)
{
	const struct op_info *info = &op_info[i->op];

	return info->scope == SCOPE_BLOCK || info->effect == EFFECT_ATOMIC;
}

static bool
orders_blocks(const struct ins *i)
{
	return i->attr & ATTR_ORDER && ir_order(i) != MEM_RELAXED;
}

qd_status
interp_prepare(struct ref_function *fn, struct qd_error *err)
{
	const struct qd_kernel *k = fn->f.image->kernel;
	const struct ir *ir = &fn->f.image->ir;
	uint32_t depth = 0, region_end = 0, words;

	fn->n_rows = NO_ROW + 1;
	fn->n_yield = fn->n_values = 1;
	for (uint32_t v = 1; v < ir->n; v++) {
		const struct ins *i = &ir->ins[v];
		uint32_t n = op_sig((enum op)i->op)->n_results;

		if (!known(i, v < region_end))
			return qd_fail(err, QD_E_INTERNAL, "ref: kernel %s: cannot run %s%s",
				       k->name, op_info[i->op].text,
				       v < region_end ? " in an operator" : " of lowered IR");
		fn->in_turns = fn->in_turns || takes_turns(i);
		fn->fences = fn->fences || orders_blocks(i);
		fn->copies = fn->copies || op_copies((enum op)i->op);
		if (i->op == OP_REGION)
			region_end = i->x;
		else if (op_flow[i->op] == FLOW_OPEN && ++depth > fn->n_nest)
			fn->n_nest = depth;
		else if (op_flow[i->op] == FLOW_CLOSE && v != region_end)
			depth--;
		if (n > 1)
			n = ir_n_results(ir, v);
		if (n > fn->n_yield)
			fn->n_yield = n;
		words = op_info[i->op].expand == EXPAND_block_sort ? SORT_WORDS : n;
		if (words > fn->n_values)
			fn->n_values = words;
		if (op_info[i->op].expand == EXPAND_result) {
			fn->row[v] = fn->row[i->a] + i->x;
		} else {
			fn->row[v] = n ? fn->n_rows : NO_ROW;
			fn->n_rows += n;
		}
	}
	interp_mark(fn);
	return QD_OK;
}

/* -- The run --------------------------------------------------------------------------------- */

void
interp_wave_start(struct wave *w, uint32_t block, uint32_t subgroup)
{
	const struct run *r = w->run;
	uint32_t left = r->block_dim - subgroup * r->n_lanes;

	w->block = block;
	w->subgroup = subgroup;
	w->n_threads = left < r->n_lanes ? left : r->n_lanes;
	w->pc = 1;
	w->turn = 0;
	w->left = r->max_steps;
	w->waits = 0;
	w->skipped = false;
	w->met = w->met_all = 0;
	w->n_frames = 0;
	if (w->any_undefined)
		memset(w->undefined, 0, (r->fn->n_marks + 1) * sizeof *w->undefined);
	w->any_undefined = false;
	w->copies = 0;
	if (r->copies)
		memset(w->commits, 0, sizeof w->commits);
	w->all = (struct mask){ { 0, 0 } };
	for (uint32_t l = 0; l < w->n_threads; l++)
		mask_add(&w->all, l);
	w->ordinary = w->active = w->all;
}

void
interp_wave_run(struct wave *w)
{
	const struct ir *ir = w->run->ir;

	while (w->pc < ir->n && QD_LIKELY(!w->waits)) {
		uint32_t at = w->pc;

		if (QD_UNLIKELY(!w->turn))
			return;
		w->turn--;
		w->pc++;
		step_of(ir->ins[at].op)(w, at);
	}
}
