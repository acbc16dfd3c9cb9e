/* What the target and the template values decide becomes constant.
 *
 * Takes a verified kernel.  Gives a body without TEMPLATE, GROUP_SIZE,
 * LOG2_GROUP_SIZE, BLOCK_DIM, SUBGROUP_COUNT and REQUIRE, in which every K
 * operand is a constant that fits the target, and in which the target has every
 * type that is used.  Per-lane operations on constants are computed on the way,
 * since requirements, lanes and K depend on them; nothing else is folded.  One
 * walk, at most one instruction appended for each. */
#include "rewrite.h"

/* -- Template values ---------------------------------------------------------- */

/* "kernel 'x'", for messages that no instruction is to blame for. */
static const char *
whole(const struct pass_ctx *p, char text[80])
{
	snprintf(text, 80, "kernel '%.64s'", p->k->name);
	return text;
}

#define FAIL_WHOLE(p, ...)                                                                         \
	diag_report((p)->k->ctx, (p)->err, (struct diag_at){ .file = NULL },                       \
		    whole(p, (char[80]){ 0 }), NULL, __VA_ARGS__)

qd_status
pass_set_tmpl(struct pass_ctx *p, const struct qd_tmpl *tmpl, uint32_t n)
{
	const struct qd_kernel *k = p->k;
	uint32_t given = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *name = tmpl[i].name ? tmpl[i].name : "";
		uint32_t t = kernel_find_tmpl(k, name);
		if (t == k->n_tmpls && kernel_was_given(k, name))
			return FAIL_WHOLE(p, DIAG_E0206, name);
		if (t == k->n_tmpls)
			return diag_report(k->ctx, p->err, (struct diag_at){ .file = NULL }, NULL,
					   NULL, DIAG_E0202, k->name, name);
		if (tmpl[i].type != QD_TYPE_NONE)
			return FAIL_WHOLE(p, DIAG_E0204, name);
		if (given >> t & 1)
			return FAIL_WHOLE(p, DIAG_E0206, name);
		if (tmpl[i].value < k->tmpls[t].lo || tmpl[i].value > k->tmpls[t].hi)
			return FAIL_WHOLE(p, DIAG_E0203, name, (long long)tmpl[i].value,
					  (int)k->tmpls[t].lo, (int)k->tmpls[t].hi);
		p->tmpl[t] = (int32_t)tmpl[i].value;
		given |= 1u << t;
	}
	for (uint32_t t = 0; t < k->n_tmpls; t++)
		if (!(given >> t & 1))
			return FAIL_WHOLE(p, DIAG_E0201, k->tmpls[t].name, (int)k->tmpls[t].lo,
					  (int)k->tmpls[t].hi);
	return QD_OK;
}

/* -- Checks ---------------------------------------------------------------------- */

/* A template argument's error stands at the argument where there is a text, and
 * says which template parameter it came from. */
static QD_COLD qd_status
fail_argument(struct rw *w, uint32_t i, uint32_t arg, int32_t value, enum diag d)
{
	const struct pass_ctx *p = w->p;
	const struct ins *from = &w->in->ins[arg];
	char text[400];
	struct diag_note note = { .text = NULL };

	if (from->op == OP_TEMPLATE) {
		snprintf(text, sizeof text,
			 "%.200s = %d comes from this template range (instantiated for %s)",
			 p->k->tmpls[from->x].name, (int)value, p->m->name);
		note.text = text;
		note.pos = p->k->tmpls[from->x].pos;
	}
	if (p->k->from_text)
		i = arg;
	if (d == DIAG_E0210)
		return diag_ins(p->k, w->in, i, p->err, &note, d, (int)value, 1u << value,
				p->m->name, p->m->subgroup_size);
	return diag_ins(p->k, w->in, i, p->err, &note, d, (int)value);
}

/* The K operand `old` of instruction i, as a constant of out in *k; it is made
 * where the operation means the whole subgroup. */
static qd_status
tile_size(struct rw *w, uint32_t i, uint32_t old, uint32_t *k)
{
	const struct machine *m = w->p->m;
	uint64_t bits;

	if (!old) {
		w->pos = w->in->pos[i];
		*k = rw_const(w, QD_TYPE_I32, m->log2_size);
		return QD_OK;
	}
	*k = w->map[old];
	if (!rw_is_const(w, *k, &bits))
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0216);
	int32_t value = (int32_t)(uint32_t)bits;
	if (value < 0 || value > 31)
		return fail_argument(w, i, old, value, DIAG_E0211);
	if ((uint32_t)value > m->log2_size)
		return fail_argument(w, i, old, value, DIAG_E0210);
	return QD_OK;
}

static qd_status
ballot_size(struct rw *w, uint32_t i)
{
	uint64_t bits;

	if (!rw_is_const(w, w->map[w->in->ins[i].b], &bits))
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0216);
	int32_t value = (int32_t)(uint32_t)bits;
	if (value < 1 || value > 32)
		return fail_argument(w, i, w->in->ins[i].b, value, DIAG_E0212);
	return QD_OK;
}

static qd_status
constant_lane(struct rw *w, uint32_t i)
{
	const struct machine *m = w->p->m;
	uint64_t bits;

	if (rw_is_const(w, w->map[w->in->ins[i].b], &bits) && bits >= m->subgroup_size)
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0213, (uint32_t)bits,
				m->subgroup_size - 1, m->name, m->subgroup_size);
	return QD_OK;
}

static qd_status
requirement(struct rw *w, uint32_t i)
{
	const struct qd_kernel *k = w->p->k;
	const struct ins *s = &w->in->ins[i];
	uint64_t bits;

	if (!rw_is_const(w, w->map[s->a], &bits))
		return diag_ins(k, w->in, i, w->p->err, NULL, DIAG_E0215);
	if (!bits)
		return diag_ins(k, w->in, i, w->p->err, NULL, DIAG_E0214, k->texts[s->x]);
	return QD_OK;
}

/* Elements narrower than a word are the target's to have or not. */
static qd_status
element(struct rw *w, uint32_t i)
{
	const struct param *param = &w->p->k->params[w->in->ins[i].x];
	uint32_t size = type_info[param->type].size, caps = w->p->m->caps;
	char what[96];

	if (QD_LIKELY(size > 2 || (caps & (size == 1 ? CAP_STORE8 : CAP_STORE16))))
		return QD_OK;
	snprintf(what, sizeof what, "parameter '%.64s'", param->name);
	return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0501, w->p->m->name,
			size == 1 ? "8-bit storage" : "16-bit storage", what);
}

/* What holds for the kernel as a whole. */
static qd_status
check_whole(struct pass_ctx *p)
{
	const struct qd_kernel *k = p->k;
	const struct machine *m = p->m;
	uint32_t rounded = (k->block_dim + m->subgroup_size - 1) & ~(m->subgroup_size - 1);

	if (rounded > m->max_block_dim)
		return FAIL_WHOLE(p, DIAG_E0503,
				  k->block_dim > m->max_block_dim ? k->block_dim : rounded, m->name,
				  m->max_block_dim);
	if (m->caps & CAP_F64)
		return QD_OK;
	for (uint32_t i = 0; i < k->n_params; i++) {
		if (k->params[i].type == QD_TYPE_F64) {
			char what[96];
			snprintf(what, sizeof what, "parameter '%.64s'", k->params[i].name);
			return FAIL_WHOLE(p, DIAG_E0501, m->name, "64-bit floats", what);
		}
	}
	return QD_OK;
}

/* -- The pass ----------------------------------------------------------------------- */

static uint32_t
constant(struct rw *w, uint32_t i)
{
	const struct qd_kernel *k = w->p->k;
	const struct machine *m = w->p->m;
	const struct ins *s = &w->in->ins[i];

	w->pos = w->in->pos[i];
	switch (s->op) {
	case OP_TEMPLATE: return rw_const(w, QD_TYPE_I32, (uint32_t)w->p->tmpl[s->x]);
	case OP_GROUP_SIZE: return rw_const(w, QD_TYPE_I32, m->subgroup_size);
	case OP_LOG2_GROUP_SIZE: return rw_const(w, QD_TYPE_I32, m->log2_size);
	case OP_BLOCK_DIM: return rw_const(w, QD_TYPE_U32, k->block_dim);
	case OP_SUBGROUP_COUNT:
		return rw_const(w, QD_TYPE_U32,
				(k->block_dim + m->subgroup_size - 1) >> m->log2_size);
	default: return rw_const(w, s->type, const_bits(s));
	}
}

static qd_status
with_tile(struct rw *w, uint32_t i)
{
	const struct ins *old = &w->in->ins[i];
	bool generic = op_info[old->op].sig == SIG_LANE_OP;
	uint32_t k;

	QD_TRY(tile_size(w, i, generic ? old->c : old->b, &k));
	struct ins *s = rw_draft(w, i);
	if (generic)
		s->c = k;
	else
		s->b = k;
	w->map[i] = rw_commit(w);
	return QD_OK;
}

static qd_status
specialise(struct rw *w, uint32_t i)
{
	struct ins *s;
	uint64_t bits;

	switch (w->in->ins[i].op) {
	case OP_CONST:
	case OP_TEMPLATE:
	case OP_GROUP_SIZE:
	case OP_LOG2_GROUP_SIZE:
	case OP_BLOCK_DIM:
	case OP_SUBGROUP_COUNT: w->map[i] = constant(w, i); return QD_OK;
	case OP_REQUIRE: return requirement(w, i);
	case OP_REDUCE_ADD:
	case OP_REDUCE_MIN:
	case OP_REDUCE_MAX:
	case OP_INCLUSIVE_ADD:
	case OP_REDUCE:
	case OP_INCLUSIVE_SCAN: return with_tile(w, i);
	case OP_LOAD:
	case OP_STORE: QD_TRY(element(w, i)); break;
	case OP_SHUFFLE:
	case OP_BROADCAST: QD_TRY(constant_lane(w, i)); break;
	case OP_BALLOT_FIRST_N: QD_TRY(ballot_size(w, i)); break;
	default:
		if (!(op_info[w->in->ins[i].op].flags & OPF_ALU))
			break;
		s = rw_draft(w, i);
		w->map[i] = rw_eval(w, s, &bits) ? rw_const(w, s->type, bits) : rw_commit(w);
		return QD_OK;
	}
	rw_copy(w, i);
	return QD_OK;
}

qd_status
pass_specialise(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	struct rw w;
	bool no_f64 = !(p->m->caps & CAP_F64);

	QD_TRY(rw_begin(&w, p, in, out));
	for (uint32_t i = 1; i < in->n; i++) {
		if (QD_UNLIKELY(no_f64 && in->ins[i].type == QD_TYPE_F64))
			return diag_ins(p->k, in, i, p->err, NULL, DIAG_E0501, p->m->name,
					"64-bit floats", op_info[in->ins[i].op].text);
		QD_TRY(specialise(&w, i));
	}
	QD_TRY(check_whole(p));
	return rw_end(&w);
}
