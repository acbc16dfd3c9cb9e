/* Runs the passes in order and describes the resulting body.
 *
 * Uniformity is checked right after specialize, because padded_block makes predicates vary that are
 * uniform among non-padding threads. Debug builds verify the body after every pass, types
 * included. */
#include "rewrite.h"

#include <assert.h>

void
pass_ctx_init(struct pass_ctx *p, const struct qd_kernel *k, const struct machine *m,
	      struct arena *mem, struct qd_error *err)
{
	memset(p, 0, sizeof *p);
	p->k = k;
	p->m = m;
	p->mem = mem;
	p->err = err;
	p->opt = k->ctx->opt;
	p->unroll = p->opt == OPT_FULL ? m->unroll : 0;
	p->load_registers = p->opt == OPT_FULL ? m->load_registers : 0;
	p->padded_block = k->block_dim % machine_block_step(m) != 0;
	p->mems = k->mems;
	p->n_mems = p->cap_mems = k->n_mems;
	p->report = NO_MEMORY;
}

static QD_UNUSED bool
is_right(const struct pass_ctx *p, struct ir *ir, enum stage stage)
{
	struct qd_error err;
	qd_status st = ir_verify_body(p->k, ir, p->mems, p->n_mems, stage, &err);

	return !st || st == QD_E_NOMEM;
}

/* -- The body -------------------------------------------------------------------------- */

static uint32_t
needs_of(const struct pass_ctx *p, const struct census *c)
{
	uint32_t needs = 0;

	needs |= c->types & TM_I64 ? NEED_I64 : 0;
	needs |= c->types & TM(F64) ? NEED_F64 : 0;
	needs |= c->has & HAS_CROSS ? NEED_CROSS : 0;
	needs |= c->has & HAS_LANE ? NEED_LANES : 0;
	needs |= c->n_barriers ? NEED_BARRIER : 0;
	needs |= c->has & HAS_ATOMIC ? NEED_ATOMIC : 0;
	for (uint32_t m = 0; m < p->n_mems; m++) {
		const struct memory *mem = &p->mems[m];

		if (!(c->memories >> (m & 63) & 1))
			continue;
		needs |= type_info[mem->type].size == 1 ? NEED_SMALL8 : 0;
		needs |= type_info[mem->type].size == 2 ? NEED_SMALL16 : 0;
		needs |= mem->space == SPACE_SHARED ? NEED_SHARED : 0;
	}
	return needs;
}

qd_status
pass_count_shared(struct pass_ctx *p, const struct ir *legal, uint32_t *out)
{
	const struct memory *last = NULL;
	uint64_t size = 0;

	for (uint32_t m = 0; m < p->n_mems; m++) {
		uint64_t element = type_info[p->mems[m].type].size;
		uint64_t copied = m < p->k->n_mems ? ir_copy_size(&p->k->ir, p->k->mems, m) : 0;

		if (p->mems[m].space != SPACE_SHARED)
			continue;
		copied = copied > element ? copied : element;
		if (legal && ir_vector_size(legal, m) > copied)
			copied = ir_vector_size(legal, m);
		size = (size + copied - 1) / copied * copied + p->mems[m].len * element;
		last = p->mems[m].pos ? &p->mems[m] : last;
	}
	*out = (uint32_t)size;
	if (size <= p->m->max_shared)
		return QD_OK;
	return diag_kernel(p->k, last ? last->pos : 0, p->err, DIAG_E0505,
			   (unsigned long long)size, PASS_ON(p), p->m->max_shared);
}

static qd_status
describe(struct pass_ctx *p, const struct census *c, struct body *b)
{
	b->mems = p->mems;
	b->n_mems = p->n_mems;
	b->report = p->report;
	b->args_size += p->report != NO_MEMORY ? REPORT_ARGS : 0;
	b->uses = c->uses;
	b->needs = needs_of(p, c);
	b->n_barriers = c->n_barriers;
	QD_TRY(pass_count_shared(p, &b->ir, &b->shared_size));
	if (p->m->caps & CAP_LEVELS)
		QD_TRY(pass_levels(p, &b->ir, &b->level));
	if (!p->load_registers)
		return QD_OK;
	QD_TRY(pass_schedule(p, b));
	assert(is_right(p, &b->ir, STAGE_LEGAL));
	return QD_OK;
}

/* -- Pass pipeline ---------------------------------------------------------------------- */

/* Short ifs become selections, which are no obstacle to copies of a loop. */
static qd_status
flatten(struct pass_ctx *p, struct ir *ir, bool *changed)
{
	struct ir flat;
	bool used;

	QD_TRY(pass_flatten(p, ir, &flat, &used));
	if (!used)
		return QD_OK;
	*changed = true;
	assert(is_right(p, &flat, STAGE_FOLDED));
	QD_TRY(pass_values(p, &flat, ir));
	assert(is_right(p, ir, STAGE_FOLDED));
	return QD_OK;
}

/* Copies of an outer loop can make the counts of inner loops known. */
static qd_status
unroll(struct pass_ctx *p, struct ir *ir, bool *unrolled)
{
	static const enum unroll kinds[] = { UNROLL_FULL, UNROLL_FULL, UNROLL_PART };
	struct ir copies;
	bool used = true;

	for (uint32_t i = 0; i < QD_COUNT(kinds); i++) {
		if (!used && kinds[i] == UNROLL_FULL)
			continue;
		QD_TRY(pass_unroll(p, ir, kinds[i], &copies, &used));
		if (!used)
			continue;
		*unrolled = true;
		p->err = QD_IGNORE_ERROR;
		assert(is_right(p, &copies, STAGE_FOLDED));
		QD_TRY(pass_values(p, &copies, ir));
		assert(is_right(p, ir, STAGE_FOLDED));
	}
	return QD_OK;
}

qd_status
pass_run(struct pass_ctx *p, bool as_meant, struct body *out)
{
	struct census census;
	const struct ir *in = &p->k->ir;
	struct ir a, b;
	uint8_t *level;
	bool used;

	memset(out, 0, sizeof *out);
	out->report = NO_MEMORY;
	out->args_size = p->k->args_size;
	if (QD_UNLIKELY(in->has & HAS_DEBUG && !as_meant)) {
		QD_TRY(pass_silence(p, in, &b));
		in = &b;
	}
	QD_TRY(pass_specialize(p, in, &a));
	assert(is_right(p, &a, STAGE_FOLDED));
	if (pass_must_check(p, &a))
		QD_TRY(pass_uniformity_check(p, &a, &level));
	if (as_meant) {
		out->ir = a;
		return QD_OK;
	}
	if (a.has & HAS_LOCAL && p->opt) {
		QD_TRY(pass_values(p, &a, &b));
		a = b;
		assert(is_right(p, &a, STAGE_FOLDED));
	}
	if (a.has & HAS_LOCAL && p->unroll)
		QD_TRY(flatten(p, &a, &out->unrolled));
	if (a.has & HAS_LOOP && p->unroll)
		QD_TRY(unroll(p, &a, &out->unrolled));
	if (p->padded_block || p->k->grid) {
		QD_TRY(pass_mask_padding(p, &a, &b));
		a = b;
		assert(is_right(p, &a, STAGE_FOLDED));
	}
	QD_TRY(pass_census(p, &a, &census));
	QD_TRY(pass_legalize(p, &a, &census, &b));
	assert(is_right(p, &b, STAGE_LEGAL));
	if (b.has & HAS_LOOP && p->opt == OPT_FULL) {
		QD_TRY(pass_hoist(p, &b, &a));
		b = a;
		assert(is_right(p, &b, STAGE_LEGAL));
	}
	QD_TRY(pass_lower_jumps(p, &b, &a, &used));
	b = used ? a : b;
	assert(is_right(p, &b, STAGE_LEGAL));
	QD_TRY(pass_driver_workarounds(p, &b, &a, &used));
	b = used ? a : b;
	assert(is_right(p, &b, STAGE_LEGAL));
	QD_TRY(pass_dce(p, &b, &out->ir, &census));
	assert(is_right(p, &out->ir, STAGE_LEGAL));
	return describe(p, &census, out);
}
