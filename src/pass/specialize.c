/* Replaces values that the target and the template arguments determine by constants, and folds.
 *
 * The input is a verified kernel. The output has no templates, sizes or requirements. Every K
 * operand in it is missing or a constant that fits the target. An `if` on a constant is replaced
 * by one branch. No code follows a jump, and every block has a jump that leaves it. The target
 * has every type that is used. Code that is dead by then is not checked, so a kernel may adapt
 * to the device. The pass is a single walk. */
#include "rewrite.h"

struct specialize {
	struct rw w;
	bool same;     /* every instruction so far has its old number and content */
	uint8_t *left; /* by block: a jump leaves it; allocated on first use */
	uint8_t *source; /* by value: it is a constant expression of the source; allocated on
			  * first use */
};

/* -- Template values ---------------------------------------------------------- */

/* Returns "kernel 'x'", for messages without an instruction. */
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
	char values[32];

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
		if (tmpl[i].value < k->tmpls[t].lo || tmpl[i].value > k->tmpls[t].hi) {
			if (k->tmpls[t].choices) {
				snprintf(values, sizeof values, "%lld", (long long)tmpl[i].value);
				return FAIL_WHOLE(p, DIAG_E0222, name, values, k->tmpls[t].choices);
			}
			return FAIL_WHOLE(p, DIAG_E0203, name, (long long)tmpl[i].value,
					  (int)k->tmpls[t].lo, (int)k->tmpls[t].hi);
		}
		p->tmpl[t] = (int32_t)tmpl[i].value;
		given |= 1u << t;
	}
	for (uint32_t t = 0; t < k->n_tmpls; t++)
		if (!(given >> t & 1))
			return FAIL_WHOLE(p, DIAG_E0201, k->tmpls[t].name, tmpl_values(&k->tmpls[t], values));
	return QD_OK;
}

/* -- Checks ---------------------------------------------------------------------- */

/* Reports an error at the argument, if the kernel has source text, and names the template
 * parameter that the value came from. */
static QD_COLD qd_status
fail_argument(struct rw *w, uint32_t i, uint32_t arg, int32_t value, enum diag d)
{
	const struct pass_ctx *p = w->p;
	const struct ins *from = &w->in->ins[arg];
	char text[MACHINE_NAME + 300];
	struct diag_note note = { .text = NULL };

	if (from->op == OP_TEMPLATE) {
		snprintf(text, sizeof text,
			 "%.200s = %d comes from this template range (instantiated for %s)",
			 p->k->tmpls[from->x].name, (int)value, p->device ? p->device : p->m->name);
		note.text = text;
		note.pos = p->k->tmpls[from->x].pos;
	}
	if (p->k->from_text)
		i = arg;
	char help[80];

	if (d == DIAG_E0210 && p->k->from_text &&
	    (from->op == OP_CONST || from->op == OP_TEMPLATE)) {
		snprintf(help, sizeof help,
			 "write subgroup(%u) after the parameters, or a smaller tile",
			 1u << value);
		note.help = help;
	}
	if (d == DIAG_E0210)
		return diag_ins(p->k, w->in, i, p->err, &note, d, (int)value, 1u << value,
				PASS_ON(p), p->m->subgroup_size);
	return diag_ins(p->k, w->in, i, p->err, &note, d, (int)value);
}

/* Checks the K or N operand of instruction i. */
static qd_status
check_known(struct rw *w, uint32_t i, uint32_t operand, bool is_count)
{
	const struct machine *m = w->p->m;
	uint32_t arg = w->in->ins[i].arg[operand];
	uint64_t bits;

	if (!arg)
		return QD_OK;
	if (!rw_is_const(w, w->map[arg], &bits))
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0216);
	int32_t value = (int32_t)(uint32_t)bits;
	if (is_count)
		return value < 1 || value > 32 ? fail_argument(w, i, arg, value, DIAG_E0212)
					       : QD_OK;
	if (value < 0 || value > 31)
		return fail_argument(w, i, arg, value, DIAG_E0211);
	if ((uint32_t)value > m->log2_size)
		return fail_argument(w, i, arg, value, DIAG_E0210);
	return QD_OK;
}

/* Returns whether value v is a constant expression of the source, made only of constants and
 * template parameters. A value that is constant only on some targets, or only by folding, is
 * not. */
static bool
is_of_source(struct specialize *sp, uint32_t v)
{
	const struct rw *w = &sp->w;
	uint8_t *of = sp->source;

	if (of)
		return of[v];
	of = sp->source = arena_zalloc(w->p->mem, w->in->n);
	if (!of) {
		sp->w.o.nomem = true;
		return false;
	}
	for (uint32_t i = 1; i < w->in->n; i++) {
		const struct ins *s = &w->in->ins[i];
		const uint32_t n = op_info[s->op].is_alu ? op_sig((enum op)s->op)->n_opnd : 0;

		of[i] = n || s->op == OP_TEMPLATE || (s->op == OP_CONST && !(s->attr & ATTR_FOLDED));
		for (uint32_t j = 0; j < n; j++)
			of[i] &= of[s->arg[j]];
	}
	return of[v];
}

/* Checks a lane index or a thread index. A constant expression of the source must be in range.
 * Any other index is taken modulo the size, like an index that is known only at run time. */
static qd_status
check_lane(struct specialize *sp, uint32_t i, uint32_t operand)
{
	const struct rw *w = &sp->w;
	const struct machine *m = w->p->m;
	const uint32_t dim = w->p->k->block_dim, arg = w->in->ins[i].arg[operand];
	const bool block = op_info[w->in->ins[i].op].scope == SCOPE_BLOCK;
	uint64_t bits;

	if (!rw_is_const(w, w->map[arg], &bits) || bits < (block ? dim : m->subgroup_size) ||
	    !is_of_source(sp, arg))
		return QD_OK;
	if (block)
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0232, (uint32_t)bits,
				dim - 1, dim);
	return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0213, (uint32_t)bits,
			m->subgroup_size - 1, PASS_ON(w->p), m->subgroup_size);
}

/* Checks the number of threads of the block that the operation includes. */
static qd_status
check_active(struct rw *w, uint32_t i, uint32_t operand)
{
	const struct ins *s = &w->in->ins[i];
	const struct op_info *info = &op_info[s->op];
	const uint32_t dim = w->p->k->block_dim;
	uint64_t bits;

	if (!rw_is_const(w, w->map[s->arg[operand]], &bits))
		return QD_OK;
	if (bits > dim)
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0242,
				(unsigned long long)bits, dim, dim);
	if (!bits && sig_info[info->sig].opnd[0] == OPND_REGION &&
	    sig_info[info->sig].opnd[3] != OPND_LIST)
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0243, info->text);
	return QD_OK;
}

/* Checks that the target supports the scope of an atomic or fence and the width of an atomic. */
static qd_status
check_order(struct rw *w, uint32_t i)
{
	const struct ins *s = &w->in->ins[i];
	const struct op_info *info = &op_info[s->op];
	uint32_t caps = w->p->m->caps;
	const char *lacks = NULL;

	if (ir_scope(s) == MEM_SYSTEM && !(caps & CAP_SYSTEM))
		lacks = "system scope";
	else if (info->effect == EFFECT_ATOMIC && type_info[w->p->mems[s->x].type].size == 8 &&
		 (~caps & (CAP_ATOMIC64 | CAP_I64)))
		lacks = "64-bit atomics";
	return lacks ? diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0501, PASS_ON(w->p),
				lacks, info->text)
		     : QD_OK;
}

/* Checks that the target supports buffer elements narrower than a word. A shared array has no
 * guard, so a constant index must be in range. */
static qd_status
check_element(struct rw *w, uint32_t i)
{
	const struct ins *s = &w->in->ins[i];
	const struct memory *mem = &w->p->mems[s->x];
	uint32_t size = type_info[mem->type].size, caps = w->p->m->caps;
	uint64_t index;
	char what[96];

	if (mem->space == SPACE_SHARED)
		return rw_is_const(w, w->map[s->a], &index) && index >= mem->len
			       ? diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0363,
					  (unsigned long long)index, mem->name, mem->len)
			       : QD_OK;
	if (QD_LIKELY(size > 2 || (caps & (size == 1 ? CAP_STORE8 : CAP_STORE16))))
		return QD_OK;
	snprintf(what, sizeof what, "parameter '%.64s'", mem->name ? mem->name : "");
	return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0501, PASS_ON(w->p),
			size == 1 ? "8-bit storage" : "16-bit storage", what);
}

/* Checks a copy: its elements are contiguous, begin at a multiple of their count, and fit in the
 * shared array. */
static qd_status
check_copy(struct rw *w, uint32_t i)
{
	const struct ins *s = &w->in->ins[i], *place = &w->in->ins[s->b];
	const struct memory *from = &w->p->mems[s->x], *to = &w->p->mems[place->x];
	const uint32_t n = ir_count(s);
	uint64_t index;

	if (rw_is_const(w, w->map[s->a], &index) && index % n)
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0241,
				(unsigned long long)index, from->name, n);
	if (!rw_is_const(w, w->map[place->a], &index))
		return QD_OK;
	if (index % n)
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0241,
				(unsigned long long)index, to->name, n);
	return index + n > to->len ? diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0363,
					      (unsigned long long)index + n - 1, to->name, to->len)
				   : QD_OK;
}

/* Returns how many of the first lanes of every warp reach instruction i. In a grid loop the
 * count decides, and only the first lane is certain. */
static uint32_t
surely_there(const struct rw *w, uint32_t i)
{
	const struct qd_kernel *k = w->p->k;
	uint32_t size = w->p->m->subgroup_size, warp = size < WARP_LANES ? size : WARP_LANES;

	if (k->grid && i > k->grid && i < w->in->ins[k->grid].x)
		return 1;
	return k->block_dim % warp ? k->block_dim % warp : warp;
}

/* Checks a member mask: the calling lane must be a member. Warps narrower than 32 lanes require
 * that the kernel accepts them. */
static qd_status
check_members(struct rw *w, uint32_t i, uint32_t operand)
{
	const struct pass_ctx *p = w->p;
	const struct op_info *info = &op_info[w->in->ins[i].op];
	struct diag_note note = { .help = p->k->from_text
						  ? "write subgroup(32) after the parameters: smaller hardware subgroups are then combined into subgroups of 32"
						  : "call qd_subgroup_sizes with 32: smaller hardware subgroups are then combined into subgroups of 32" };
	uint32_t lanes = p->m->subgroup_size, missing;
	uint64_t bits;

	if (lanes < WARP_LANES && !(p->k->sizes >> p->m->log2_size & 1))
		return diag_ins(p->k, w->in, i, p->err, &note, DIAG_E0506, info->text, PASS_ON(p),
				lanes);
	if (!rw_is_const(w, w->map[w->in->ins[i].arg[operand]], &bits))
		return QD_OK;
	for (missing = 0; bits >> missing & 1; missing++)
		;
	note.help = "0xffffffff includes all active lanes";
	return missing < surely_there(w, i) ? diag_ins(p->k, w->in, i, p->err, &note, DIAG_E0403,
						       info->text, (uint32_t)bits, missing)
					    : QD_OK;
}

/* Checks operands that the target limits, by their kind. */
static qd_status
check_operands(struct specialize *sp, uint32_t i, const struct sig_info *sig)
{
	struct rw *w = &sp->w;
	const struct ins *s = &w->in->ins[i];
	const struct op_info *info = &op_info[s->op];
	uint32_t lanes = w->p->m->subgroup_size;

	if (QD_UNLIKELY(s->attr & ATTR_ORDER))
		QD_TRY(check_order(w, i));
	if (QD_UNLIKELY(op_copies((enum op)s->op)))
		return check_copy(w, i);
	if (sig->x == X_MEMORY)
		return check_element(w, i);
	if (info->expand == EXPAND_ballot && sig->result[0] == OPND_OWN &&
	    type_bits(s->type) < lanes)
		return diag_ins(w->p->k, w->in, i, w->p->err, NULL, DIAG_E0228, info->text,
				type_bits(s->type), PASS_ON(w->p), lanes);
	if (sig->members >= 0)
		QD_TRY(check_members(w, i, (uint32_t)sig->members));
	if (sig->active >= 0 && s->arg[sig->active])
		QD_TRY(check_active(w, i, (uint32_t)sig->active));
	if (sig->known >= 0)
		return check_known(w, i, (uint32_t)sig->known,
				   opnd_kind(sig->opnd[sig->known]) == OPND_N);
	/* block.shuffle accepts any constant index. */
	if (sig->opnd[1] == OPND_UINDEX ||
	    (sig->opnd[1] == OPND_INDEX && op_info[s->op].scope != SCOPE_BLOCK))
		return check_lane(sp, i, 1);
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

/* Checks the limits on the whole kernel. */
static qd_status
check_whole(struct pass_ctx *p)
{
	const struct qd_kernel *k = p->k;
	const struct machine *m = p->m;
	uint32_t most = machine_max_block(m, m->lanes, m->subgroup_size), shared;

	if (k->block_dim > most)
		return diag_kernel(k, k->block_pos, p->err, DIAG_E0503, k->block_dim, PASS_ON(p),
				   most);
	QD_TRY(pass_count_shared(p, NULL, &shared));
	if (m->caps & CAP_F64)
		return QD_OK;
	for (uint32_t i = k->n_params; i < k->n_mems; i++)
		if (k->mems[i].type == QD_TYPE_F64)
			return diag_kernel(k, k->mems[i].pos, p->err, DIAG_E0501, PASS_ON(p),
					   "64-bit floats", "a shared array");
	for (uint32_t i = 0; i < k->n_params; i++) {
		if (k->params[i].type == QD_TYPE_F64) {
			char what[96];
			snprintf(what, sizeof what, "parameter '%.64s'", k->params[i].name);
			return FAIL_WHOLE(p, DIAG_E0501, PASS_ON(p), "64-bit floats", what);
		}
	}
	return QD_OK;
}

/* -- Control flow -------------------------------------------------------------------- */

static bool
is_left(struct specialize *s, uint32_t block)
{
	const struct ir *in = s->w.in;

	if (!s->left) {
		s->left = arena_zalloc(s->w.p->mem, in->n);
		if (!s->left) {
			s->w.o.nomem = true;
			return true;
		}
		for (uint32_t i = 1; i < in->n; i++)
			if (in->ins[i].op == OP_BREAK)
				s->left[in->ins[i].x] = 1;
	}
	return s->left[block];
}

/* Returns the next instruction to visit. */
static uint32_t
control(struct specialize *sp, uint32_t i)
{
	struct rw *w = &sp->w;
	const struct ir *in = w->in;
	const struct ins *s = &in->ins[i];
	struct ins jump;
	uint64_t bits;

	switch ((enum flow_kind)op_flow[s->op]) {
	case FLOW_OPEN:
		if (s->op == OP_IF && rw_is_const(w, w->map[s->a], &bits))
			return bits ? i + 1 : s->x + 1; /* into the else, or after the end */
		if (s->op == OP_BLOCK && !is_left(sp, i))
			return i + 1;
		break;
	case FLOW_ELSE:
		if (!w->map[in->ins[s->x].x])
			return s->x + 1;
		break;
	case FLOW_CLOSE:
		if (!w->map[s->x])
			return i + 1;
		break;
	case FLOW_JUMP:
		jump = rw_draft(w, i);
		if (jump.a && rw_is_const(w, jump.a, &bits) && bits)
			jump.a = 0;
		append(&w->o, jump);
		return jump.a ? i + 1 : rw_skip_dead(w, i + 1);
	case FLOW_NONE: break;
	}
	rw_copy(w, i);
	return i + 1;
}

/* -- The walk -------------------------------------------------------------------------- */

static uint32_t
constant(struct rw *w, uint32_t i)
{
	const struct machine *m = w->p->m;
	const struct qd_kernel *k = w->p->k;
	const struct ins *s = &w->in->ins[i];

	w->o.pos = w->in->pos[i];
	switch (s->op) {
	case OP_TEMPLATE: return rw_const(w, QD_TYPE_I32, (uint32_t)w->p->tmpl[s->x]);
	case OP_GROUP_SIZE: return rw_const(w, QD_TYPE_U32, m->subgroup_size);
	case OP_LOG2_GROUP_SIZE: return rw_const(w, QD_TYPE_U32, m->log2_size);
	case OP_BLOCK_DIM: return rw_const(w, QD_TYPE_U32, k->block_dim);
	default: /* OP_SUBGROUP_COUNT */
		return rw_const(w, QD_TYPE_U32,
				(k->block_dim + m->subgroup_size - 1) >> m->log2_size);
	}
}

/* Returns whether s computes the lane's index in a tile that is the whole subgroup: the mask has
 * no effect. */
static bool
is_whole_mask(const struct rw *w, const struct ins *s)
{
	uint32_t size = w->p->m->subgroup_size;
	uint64_t bits;

	return w->o.ir->ins[w->map[s->a]].op == OP_LANE && rw_is_const(w, w->map[s->b], &bits) &&
	       (bits & (size - 1)) == size - 1;
}

static void
per_lane(struct specialize *sp, uint32_t i)
{
	struct rw *w = &sp->w;
	const struct ins *s = &w->in->ins[i];

	if (QD_UNLIKELY(s->op == OP_AND && is_whole_mask(w, s))) {
		w->map[i] = w->map[s->a];
	} else if (QD_LIKELY(sp->same && rw_has_room(w))) {
		rw_move(w, i, s->a, s->b, s->c);
		return;
	} else {
		rw_copy_alu(w, i);
	}
	sp->same = false;
}

static qd_status
value(struct specialize *sp, uint32_t i)
{
	struct rw *w = &sp->w;
	const struct ins *s = &w->in->ins[i];
	const struct op_info *info = &op_info[s->op];

	if (info->effect == EFFECT_CHECK)
		return requirement(w, i);
	if (info->expand == EXPAND_folded) {
		w->map[i] = constant(w, i);
		return QD_OK;
	}
	QD_TRY(check_operands(sp, i, &sig_info[info->sig]));
	rw_copy(w, i);
	return QD_OK;
}

qd_status
pass_specialize(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	struct specialize s = { .same = !(in->has & HAS_RAW) };
	bool no_f64 = !(p->m->caps & CAP_F64);

	QD_TRY(rw_begin(&s.w, p, in, out));
	for (uint32_t i = 1; i < in->n;) {
		uint32_t at = i;

		if (QD_UNLIKELY(no_f64 && in->ins[i].type == QD_TYPE_F64))
			return diag_ins(p->k, in, i, p->err, NULL, DIAG_E0501, PASS_ON(p),
					"64-bit floats", op_info[in->ins[i].op].text);
		if (QD_LIKELY(op_info[in->ins[i].op].is_alu)) {
			per_lane(&s, i++);
			continue;
		}
		if (QD_UNLIKELY(op_flow[in->ins[i].op]))
			i = control(&s, i);
		else
			QD_TRY(value(&s, i++));
		/* The end of a construct changes with it, though it is not an operand. */
		s.same = s.same && i == at + 1 && out->n == i && s.w.map[at] == at &&
			 out->ins[at].op == in->ins[at].op;
	}
	QD_TRY(check_whole(p));
	return rw_end(&s.w);
}
