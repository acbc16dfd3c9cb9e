/* One subgroup: its lanes run in lock-step under a mask.  A construct's part
 * with no lane is skipped; lanes that leave a loop wait at its end.
 *
 * All state stands in struct wave, so that a run can be left at any instruction
 * and taken up again. */
#include <assert.h>

#include "interp.h"

/* -- What can be run ------------------------------------------------------------ */

static bool
known(const struct ins *i, bool in_region)
{
	if (op_info[i->op].flags & OPF_ALU)
		return true;
	switch (i->op) {
	case OP_CONST:
	case OP_ARG:
	case OP_YIELD:
	case OP_END: return true;
	case OP_NONE:
	case OP_TEMPLATE:
	case OP_LEN:
	case OP_ARGWORD:
	case OP_GRID:
	case OP_BLOCK_IDX:
	case OP_BLOCK_DIM:
	case OP_GRID_DIM:
	case OP_THREAD_IDX:
	case OP_LANE:
	case OP_SUBGROUP_ID:
	case OP_SUBGROUP_COUNT:
	case OP_GROUP_SIZE:
	case OP_LOG2_GROUP_SIZE:
	case OP_VAR:
	case OP_GET:
	case OP_SET:
	case OP_IF:
	case OP_ELSE:
	case OP_LOOP:
	case OP_BREAK:
	case OP_BREAK_IF:
	case OP_CONTINUE:
	case OP_REQUIRE:
	case OP_REGION:
	case OP_PACK:
	case OP_RESULT:
	case OP_ELECT:
	case OP_SHUFFLE:
	case OP_SHUFFLE_XOR:
	case OP_SHUFFLE_UP:
	case OP_SHUFFLE_DOWN:
	case OP_BROADCAST:
	case OP_BALLOT_FIRST_N:
	case OP_REDUCE_ADD:
	case OP_REDUCE_MIN:
	case OP_REDUCE_MAX:
	case OP_INCLUSIVE_ADD:
	case OP_REDUCE:
	case OP_INCLUSIVE_SCAN: return !in_region;
	case OP_PARAM:
	case OP_LOAD:
	case OP_STORE: return !in_region && !(i->aux & (AUX_LO | AUX_HI));
	default: return false;
	}
}

qd_status
interp_prepare(struct ref_function *fn, uint32_t *row, struct qd_error *err)
{
	const struct ir *ir = &fn->f.image->ir;
	uint32_t depth = 0, region_end = 0;

	fn->row = row;
	fn->n_rows = NO_ROW + 1;
	fn->n_yield = 1;
	for (uint32_t v = 0; v < ir->n; v++) {
		const struct ins *i = &ir->ins[v];
		uint32_t n = 1;

		if (!known(i, v < region_end))
			return qd_fail(err, QD_E_INTERNAL, "ref: kernel %s: cannot run %s%s",
				       fn->f.image->kernel->name, op_info[i->op].text,
				       v < region_end ? " in an operator" : " of lowered IR");
		switch (i->op) {
		case OP_IF:
		case OP_LOOP:
			if (++depth > fn->n_nest)
				fn->n_nest = depth;
			break;
		case OP_END: depth -= ir->ins[i->x].op != OP_REGION; break;
		case OP_REGION: region_end = i->x; break;
		case OP_REDUCE:
		case OP_INCLUSIVE_SCAN:
			n = ir->ins[i->a].b;
			if (n > fn->n_yield)
				fn->n_yield = n;
			break;
		default: break;
		}
		if (i->op == OP_RESULT) {
			row[v] = row[i->a] + i->x;
		} else if (i->type || n > 1 || (op_info[i->op].flags & OPF_CROSS)) {
			row[v] = fn->n_rows;
			fn->n_rows += n;
		} else {
			row[v] = NO_ROW;
		}
	}
	return QD_OK;
}

/* -- Leaves and locals ------------------------------------------------------------- */

static void
fill(struct wave *w, uint64_t bits)
{
	uint64_t *r = wave_row(w, w->pc);

	for (uint32_t l = 0; l < w->n_present; l++)
		r[l] = bits;
}

static uint32_t
arg_word(const struct run *r, uint32_t i)
{
	uint32_t word;

	memcpy(&word, (const char *)r->launch->args + (size_t)i * 4, sizeof word);
	return word;
}

/* A value that counts upwards along the lanes. */
static void
ramp(struct wave *w, qd_type type, uint64_t first)
{
	uint64_t *r = wave_row(w, w->pc);
	uint64_t keep = type_info[type].size == 8 ? UINT64_MAX : UINT32_MAX;

	for (uint32_t l = 0; l < w->n_present; l++)
		r[l] = (first + l) & keep;
}

static void
leaf(struct wave *w, const struct ins *i)
{
	const struct run *r = w->run;

	switch (i->op) {
	case OP_CONST: fill(w, const_bits(i)); break;
	case OP_TEMPLATE: fill(w, (uint32_t)r->image->tmpl[i->x]); break;
	case OP_PARAM: fill(w, r->params[i->x].bits); break;
	case OP_LEN: fill(w, (uint32_t)r->params[i->x].elements); break;
	case OP_ARGWORD: fill(w, arg_word(r, i->x)); break;
	case OP_BLOCK_IDX: fill(w, w->block); break;
	case OP_BLOCK_DIM: fill(w, r->block_dim); break;
	case OP_GRID_DIM: fill(w, arg_word(r, r->launch->tail / 4 + TAIL_N_BLOCKS)); break;
	case OP_SUBGROUP_ID: fill(w, w->subgroup); break;
	case OP_SUBGROUP_COUNT: fill(w, r->n_subgroups); break;
	case OP_GROUP_SIZE: fill(w, r->n_lanes); break;
	case OP_LOG2_GROUP_SIZE: fill(w, r->log2_lanes); break;
	case OP_LANE: ramp(w, i->type, 0); break;
	case OP_THREAD_IDX: ramp(w, i->type, wave_thread(w, 0)); break;
	case OP_GRID:
		ramp(w, i->type, (uint64_t)w->block * r->block_dim + wave_thread(w, 0));
		break;
	default: assert(false); break;
	}
}

static void
copy(struct wave *w, uint32_t to, uint32_t from)
{
	memcpy(wave_row(w, to), wave_row(w, from), w->n_present * sizeof(uint64_t));
}

static void
set(struct wave *w, uint32_t var, uint32_t from)
{
	uint64_t *r = wave_row(w, var);
	const uint64_t *v = wave_row(w, from);

	if (mask_same(w->active, w->present)) {
		copy(w, var, from);
		return;
	}
	for (uint32_t l = 0; l < w->n_present; l++)
		if (mask_has(&w->active, l))
			r[l] = v[l];
}

static void
alu(struct wave *w, const struct ins *i)
{
	const struct ir *ir = w->run->ir;
	uint32_t n_args = op_info[i->op].n_args;
	const uint64_t *b = n_args > 1 ? wave_row(w, i->b) : NULL;

	if ((i->op == OP_DIV || i->op == OP_REM) && type_is(i->type, TM_INT))
		interp_check_divisor(w, w->pc, w->n_present, b, NULL);
	interp_alu((enum op)i->op, ir->ins[i->a].type, i->type, w->n_present, wave_row(w, i->a), b,
		   n_args > 2 ? wave_row(w, i->c) : NULL, wave_row(w, w->pc));
}

/* -- Memory --------------------------------------------------------------------------- */

static QD_COLD void
out_of_bounds(struct wave *w, const struct ins *i, uint32_t lane, uint32_t index)
{
	const struct run *r = w->run;
	const char *name = r->image->kernel->params[i->x].name;
	const char *what = i->op == OP_LOAD ? "load of" : "store to";
	unsigned long long n = r->params[i->x].elements;

	if (!(i->aux & AUX_GUARD))
		interp_report(w, REPORT_FINDING, w->pc, lane,
			      "%s %s[%u] is out of bounds: %s has %llu elements, and the kernel "
			      "has no guards",
			      what, name, index, name, n);
	else if (interp_counts(w, lane) && !(i->op == OP_LOAD && i->b))
		interp_report(w, REPORT_REMARK, w->pc, lane,
			      "%s %s[%u] is out of bounds: %s has %llu elements; it %s", what, name,
			      index, name, n, i->op == OP_LOAD ? "gives 0" : "does nothing");
}

static uint64_t
read_element(const uint8_t *p, uint32_t size)
{
	uint64_t bits = 0;

	switch (size) {
	case 1: memcpy(&bits, p, 1); break;
	case 2: memcpy(&bits, p, 2); break;
	case 4: memcpy(&bits, p, 4); break;
	default: memcpy(&bits, p, 8); break;
	}
	return bits;
}

static void
write_element(uint8_t *p, uint32_t size, uint64_t bits)
{
	switch (size) {
	case 1: memcpy(p, &bits, 1); break;
	case 2: memcpy(p, &bits, 2); break;
	case 4: memcpy(p, &bits, 4); break;
	default: memcpy(p, &bits, 8); break;
	}
}

static void
load(struct wave *w, const struct ins *i)
{
	const struct bound_param *p = &w->run->params[i->x];
	qd_type type = w->run->image->kernel->params[i->x].type;
	bool widens = type_info[type].wide != type;
	const uint64_t *index = wave_row(w, i->a);
	const uint64_t *other = i->b ? wave_row(w, i->b) : NULL;
	const uint64_t *where = i->c ? wave_row(w, i->c) : NULL;
	uint64_t *r = wave_row(w, w->pc);

	for (uint32_t l = 0; l < w->n_present; l++) {
		uint32_t at = (uint32_t)index[l];

		r[l] = other ? other[l] : 0;
		if (!mask_has(&w->active, l) || (where && !where[l]))
			continue;
		if (QD_UNLIKELY(at >= p->elements)) {
			out_of_bounds(w, i, l, at);
			continue;
		}
		r[l] = read_element(p->mem + (size_t)at * p->size, p->size);
		if (widens)
			r[l] = ir_widen(type, r[l]);
		if (p->cells)
			interp_touch(w, w->pc, l, at, false);
	}
}

static void
store(struct wave *w, const struct ins *i)
{
	const struct bound_param *p = &w->run->params[i->x];
	qd_type type = w->run->image->kernel->params[i->x].type;
	bool narrows = type_info[type].wide != type;
	const uint64_t *index = wave_row(w, i->a);
	const uint64_t *v = wave_row(w, i->b);
	const uint64_t *where = i->c ? wave_row(w, i->c) : NULL;

	for (uint32_t l = 0; l < w->n_present; l++) {
		uint32_t at = (uint32_t)index[l];

		if (!mask_has(&w->active, l) || (where && !where[l]))
			continue;
		if (QD_UNLIKELY(at >= p->elements)) {
			out_of_bounds(w, i, l, at);
			continue;
		}
		if (p->cells)
			interp_touch(w, w->pc, l, at, true);
		write_element(p->mem + (size_t)at * p->size, p->size,
			      narrows ? ir_narrow(type, v[l]) : v[l]);
	}
}

/* -- Control flow ------------------------------------------------------------------------ */

/* The active lanes for which v holds. */
static struct mask
where_true(const struct wave *w, uint32_t v)
{
	const uint64_t *c = wave_row(w, v);
	struct mask m = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_present; l++)
		if (c[l])
			mask_add(&m, l);
	return mask_and(m, w->active);
}

static struct frame *
push(struct wave *w, const struct ins *i)
{
	struct frame *f = &w->frames[w->n_frames];

	assert(w->n_frames < w->run->fn->n_nest);
	memset(f, 0, sizeof *f);
	f->outer = w->active;
	f->next = i->x;
	f->loop = w->n_frames ? f[-1].loop : 0;
	w->n_frames++;
	return f;
}

static struct frame *
innermost_loop(const struct wave *w)
{
	return &w->frames[w->frames[w->n_frames - 1].loop - 1];
}

/* Takes these lanes away until the round, or the loop, is over. */
static void
leave(struct wave *w, struct mask lanes, bool for_good)
{
	struct frame *loop = innermost_loop(w);
	struct mask *to = for_good ? &loop->gone : &loop->round;

	*to = mask_or(*to, lanes);
	w->active = mask_less(w->active, lanes);
}

static void
end(struct wave *w)
{
	struct frame *f = &w->frames[w->n_frames - 1];

	if (f->body) {
		w->active = mask_less(f->outer, f->gone);
		f->round = (struct mask){ { 0, 0 } };
		if (!mask_empty(w->active)) {
			w->pc = f->body;
			return;
		}
		w->active = f->outer;
	} else {
		w->active = f->outer;
		if (f->loop)
			w->active = mask_less(w->active, mask_or(innermost_loop(w)->gone,
								 innermost_loop(w)->round));
	}
	w->n_frames--;
	w->pc++;
}

/* One control instruction, the program counter included. */
static void
control(struct wave *w, const struct ins *i)
{
	struct frame *f;

	switch (i->op) {
	case OP_IF:
		f = push(w, i);
		w->active = where_true(w, i->a);
		f->other = mask_less(f->outer, w->active);
		w->pc++;
		break;
	case OP_ELSE:
		f = &w->frames[w->n_frames - 1];
		w->active = f->other;
		f->next = i->x;
		w->pc++;
		break;
	case OP_LOOP:
		f = push(w, i);
		f->loop = w->n_frames;
		f->body = ++w->pc;
		break;
	case OP_BREAK:
		leave(w, w->active, true);
		w->pc++;
		break;
	case OP_BREAK_IF:
		leave(w, where_true(w, i->a), true);
		w->pc++;
		break;
	case OP_CONTINUE:
		leave(w, w->active, false);
		w->pc++;
		break;
	case OP_END: end(w); break;
	default: assert(false); break;
	}
	if (mask_empty(w->active))
		w->pc = w->frames[w->n_frames - 1].next;
}

/* -- The run --------------------------------------------------------------------------------- */

void
interp_wave_start(struct wave *w, uint32_t block, uint32_t subgroup)
{
	const struct run *r = w->run;
	uint32_t left = r->block_dim - subgroup * r->n_lanes;

	w->block = block;
	w->subgroup = subgroup;
	w->n_present = left < r->n_lanes ? left : r->n_lanes;
	w->pc = 1;
	w->n_frames = 0;
	w->present = (struct mask){ { 0, 0 } };
	for (uint32_t l = 0; l < w->n_present; l++)
		mask_add(&w->present, l);
	w->active = w->present;
}

void
interp_wave_run(struct wave *w)
{
	const struct ir *ir = w->run->ir;

	while (w->pc < ir->n) {
		const struct ins *i = &ir->ins[w->pc];
		uint32_t flags = op_info[i->op].flags;

		if (flags & OPF_ALU) {
			alu(w, i);
		} else if (flags & OPF_CROSS) {
			interp_cross(w, w->pc);
		} else {
			switch (i->op) {
			case OP_NONE:
			case OP_REQUIRE:
			case OP_PACK:
			case OP_RESULT: break;
			case OP_VAR:
			case OP_GET: copy(w, w->pc, i->a); break;
			case OP_SET: set(w, i->a, i->b); break;
			case OP_LOAD: load(w, i); break;
			case OP_STORE: store(w, i); break;
			case OP_ELECT: interp_cross(w, w->pc); break;
			case OP_REGION: w->pc = i->x; break;
			case OP_IF:
			case OP_ELSE:
			case OP_LOOP:
			case OP_BREAK:
			case OP_BREAK_IF:
			case OP_CONTINUE:
			case OP_END: control(w, i); continue;
			default: leaf(w, i); break;
			}
		}
		w->pc++;
	}
}
