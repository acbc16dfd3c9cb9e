/* Checks that cross-lane operations are in control flow that is uniform in their scope, from the
 * levels of uniformity.c.
 *
 * If no target is chosen, control flow that is uniform for only some subgroup sizes counts as
 * uniform (a tile may be the whole subgroup). So every error is one on every target; the others
 * are found when the kernel is compiled. */
#include "uniformity_check.h"

/* -- Reports ------------------------------------------------------------------------- */

/* Returns the cause of divergence at operation i: the innermost open construct that is less
 * uniform than allowed, or a jump before i that is. */
static uint32_t
blamed(const struct levels *l, uint32_t i, uint8_t allowed, enum apart *apart)
{
	const struct ins *ins = l->u->ir->ins;
	uint32_t end = i, grid = l->u->ir->n;

	while (--grid > 0 && ins[grid].op != OP_GRID) {
	}
	/* Openers whose end follows i, from the innermost outward; and jumps before i that leave
	 * an open construct, or are anywhere in an open loop. */
	for (uint32_t at = i; at-- > 1;) {
		const struct ins *s = &ins[at];
		bool is_open = op_flow[s->op] == FLOW_OPEN && ir_end_of(l->u->ir, at) > end;
		bool past = at > grid && s->x < grid && ir_end_of(l->u->ir, grid) < i;

		*apart = past ? APART_PAST : APART_JUMP;
		if (s->op == OP_BREAK && ins[s->x].op != OP_LOOP &&
		    (l->level[at] > allowed || past) && ir_end_of(l->u->ir, s->x) > end)
			return at;
		*apart = APART_IF;
		if (is_open && s->op == OP_IF && l->level[at] > allowed)
			return at;
		*apart = APART_LOOP;
		if (is_open && s->op == OP_LOOP && l->level[at] > allowed)
			return l->cause[at];
	}
	return 0;
}

/* Returns the operation that makes a node non-uniform: a load, or an operation that varies by
 * nature; 0 if none. */
static uint32_t
source_of(const struct levels *l, uint32_t node)
{
	const struct ir *ir = l->u->ir;

	while (node && l->cause[node] &&
	       (node >= ir->n || op_sig((enum op)ir->ins[node].op)->x != X_MEMORY))
		node = l->cause[node];
	return node < ir->n ? node : 0;
}

/* Writes the operation's name in messages, for example "subgroup.reduce_add_tiled()". */
static void
op_name(const struct uniform *u, uint32_t i, char *text, size_t size)
{
	const struct ins *s = &u->ir->ins[i];
	const struct sig_info *sig = op_sig((enum op)s->op);
	uint32_t tile = 0;
	char word[80];

	if (diag_word(u->k, u->ir->pos[i], word, sizeof word)) {
		snprintf(text, size, "%s()", word);
		return;
	}
	if (sig->known >= 0 && opnd_kind(sig->opnd[sig->known]) == OPND_K)
		tile = s->arg[sig->known];
	snprintf(text, size, "%s%s()", op_info[s->op].text, tile ? "_tiled" : "");
}

static void
source_name(const struct uniform *u, uint32_t i, char *text, size_t size)
{
	const struct ins *s = &u->ir->ins[i];
	const struct sig_info *sig = op_sig((enum op)s->op);

	if (sig->x == X_MEMORY)
		snprintf(text, size, "a load from '%.200s'", u->mems[s->x].name);
	else if (s->op == OP_GRID)
		snprintf(text, size, "the index of the grid loop");
	else if (op_info[s->op].scope == SCOPE_LANE && op_info[s->op].level == LEVEL_SUBGROUP)
		snprintf(text, size, "%s", op_info[s->op].text);
	else
		op_name(u, i, text, size);
}

/* Writes how a load that makes the control flow diverge becomes uniform: a buffer that the kernel
 * only reads becomes `in`, and the value of another memory is broadcast. Writes "" for a load at
 * an index, or with an `else`, that itself varies too much. */
static void
load_help(const struct levels *l, uint32_t from, uint8_t allowed, char *out, size_t size)
{
	const struct uniform *u = l->u;
	const struct ins *s = &u->ir->ins[from];
	const struct memory *m = &u->mems[s->x];
	bool text = u->k->from_text, block = allowed == LEVEL_BLOCK, written = false;

	*out = '\0';
	if (s->op != OP_LOAD || l->level[s->a] > allowed || (s->b && l->level[s->b] > allowed))
		return;
	for (uint32_t i = 1; i < u->ir->n; i++) {
		const struct ins *w = &u->ir->ins[i];

		written |= op_sig((enum op)w->op)->x == X_MEMORY && w->x == s->x &&
			   op_info[w->op].effect != EFFECT_READ;
	}
	if (m->space == SPACE_GLOBAL && !written && text)
		snprintf(out, size, "declare the buffer as read-only: %.64s: in %s[]", m->name,
			 type_info[m->type].name);
	else if (m->space == SPACE_GLOBAL && !written)
		snprintf(out, size, "declare '%.64s' with QD_ACCESS_IN: the kernel only reads it", m->name);
	else if (text)
		snprintf(out, size, "give all %s the value that one has loaded: let x = %s.broadcast(%.64s[...], 0)",
			 block ? "threads" : "lanes", block ? "block" : "subgroup", m->name);
	else
		snprintf(out, size, "give all %s the value that one has loaded, by qd_%s_broadcast",
			 block ? "threads" : "lanes", block ? "block" : "subgroup");
}

static QD_COLD qd_status
report_control(const struct levels *l, uint32_t i, uint8_t allowed)
{
	const struct uniform *u = l->u;
	char name[96], source[256], text[320];
	char help[UNIFORM_HELP] = "";
	struct diag_note note = { .text = text, .help = help };
	enum apart apart = APART_IF;
	uint32_t why = blamed(l, i, allowed, &apart), from;
	const struct ins *s = &u->ir->ins[why];

	/* For a jump without a condition, blame the enclosing if. */
	while (s->op == OP_BREAK && !s->a && l->cause[why] && l->cause[why] < u->ir->n) {
		why = l->cause[why];
		s = &u->ir->ins[why];
	}
	note.pos = why ? u->ir->pos[why] : 0;
	from = why ? source_of(l, s->a && (s->op == OP_IF || s->op == OP_BREAK) ? s->a : why) : 0;
	if (s->op == OP_BREAK && l->level[why] <= allowed) {
		snprintf(text, sizeof text,
			 "threads past the end of the grid loop do not take this jump");
	} else if (from) {
		source_name(u, from, source, sizeof source);
		snprintf(text, sizeof text, "this condition depends on %s", source);
	} else {
		snprintf(text, sizeof text, "this condition is not uniform");
	}
	op_name(u, i, name, sizeof name);
	if (from)
		load_help(l, from, allowed, help, sizeof help);
	if (!*help)
		uniform_help(u, i, apart, allowed == LEVEL_BLOCK, name, help, sizeof help);
	/* assume_uniform concerns subgroups and does not make the block converge. */
	bool in_subgroup = u->k->assume_uniform || l->level[l->control[i]] == LEVEL_SUBGROUP;
	if (u->made && op_info[u->ir->ins[i].op].scope == SCOPE_SUBGROUP && in_subgroup)
		return diag_ins(u->k, u->ir, i, u->err, &note, DIAG_E0404, name, u->on[0], u->on[1],
				u->made->subgroup_size, u->made->lanes);
	return diag_ins(u->k, u->ir, i, u->err, &note, DIAG_E0401, name);
}

/* -- The rules --------------------------------------------------------------------------- */

static qd_status
check(const struct levels *l, uint32_t i)
{
	const struct uniform *u = l->u;
	const struct ins *s = &u->ir->ins[i];
	uint8_t allowed = op_info[s->op].scope == SCOPE_BLOCK ? LEVEL_BLOCK : LEVEL_SUBGROUP;
	uint8_t control = u->made ? LEVEL_BLOCK : allowed;
	const struct sig_info *sig = op_sig((enum op)s->op);

	if (QD_UNLIKELY(l->control[i] && l->level[l->control[i]] > control))
		return report_control(l, i, control);
	if (sig->opnd[1] == OPND_UINDEX && QD_UNLIKELY(l->level[s->b] > allowed))
		return diag_ins(u->k, u->ir, i, u->err, NULL, DIAG_E0402,
				allowed == LEVEL_BLOCK ? "block" : "subgroup");
	if (sig->active >= 0 && QD_UNLIKELY(l->level[s->arg[sig->active]] > LEVEL_BLOCK))
		return diag_ins(u->k, u->ir, i, u->err, NULL, DIAG_E0405);
	return QD_OK;
}

qd_status
uniform_run(struct uniform *u)
{
	struct levels l;

	QD_TRY(levels_find(&l, u));
	for (uint32_t i = 1; u->check && i < u->ir->n; i++)
		if (op_info[u->ir->ins[i].op].scope != SCOPE_LANE)
			QD_TRY(check(&l, i));
	return QD_OK;
}

/* Returns whether any rule needs levels: a cross-lane operation is in a construct, or has an
 * operand that must be uniform. */
static bool
asks(const struct ir *ir)
{
	uint32_t depth = 0;

	if (!(ir->has & (HAS_CROSS | HAS_MEETING)))
		return false;
	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];

		const struct sig_info *sig = op_sig((enum op)s->op);

		if (op_info[s->op].scope != SCOPE_LANE &&
		    (depth || sig->opnd[1] == OPND_UINDEX ||
		     (sig->active >= 0 && s->arg[sig->active])))
			return true;
		if (QD_LIKELY(!op_flow[s->op]))
			continue;
		if (op_flow[s->op] == FLOW_OPEN && s->op != OP_GRID)
			depth++;
		else if (op_flow[s->op] == FLOW_CLOSE && ir->ins[s->x].op != OP_GRID)
			depth--;
		else if (op_flow[s->op] == FLOW_JUMP)
			depth++; /* threads that leave a grid loop's body are inactive in the
				  * rest */
	}
	return false;
}

/* -- The passes ----------------------------------------------------------------------------- */

static struct uniform
for_target(const struct pass_ctx *p, const struct ir *in)
{
	return (struct uniform){ .k = p->k,
				 .ir = in,
				 .mems = p->mems,
				 .mem = p->mem,
				 .err = p->err,
				 .log2_size = p->m->log2_size,
				 .made = machine_makes(p->m) ? p->m : NULL,
				 .on = { PASS_ON(p) },
				 .one_subgroup = machine_rounded(p->m, p->k->block_dim) <=
						 p->m->subgroup_size };
}

qd_status
pass_uniformity_check(struct pass_ctx *p, const struct ir *in, uint8_t **level)
{
	struct uniform u = for_target(p, in);

	/* assume_uniform refers to subgroups that execute as one, which these are not. */
	u.check = !p->k->assume_uniform || u.made;
	QD_TRY(uniform_run(&u));
	*level = u.level;
	return QD_OK;
}

qd_status
pass_levels(struct pass_ctx *p, const struct ir *in, uint8_t **level)
{
	struct uniform u = for_target(p, in);

	QD_TRY(uniform_run(&u));
	*level = u.level;
	/* The parts of one hardware subgroup may diverge from each other. */
	for (uint32_t i = 1; machine_splits(p->m) && i < in->n; i++)
		if (u.level[i] == LEVEL_SUBGROUP)
			u.level[i] = LEVEL_VARYING;
	return QD_OK;
}

/* The result of pass_check_kernel holds for every target, except for tiles and for subgroups that
 * differ from the hardware's. */
bool
pass_must_check(const struct pass_ctx *p, const struct ir *ir)
{
	if (machine_makes(p->m))
		return asks(ir);
	if (p->k->assume_uniform || !(ir->has & HAS_TILE))
		return false;
	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];

		if (op_info[s->op].level == LEVEL_WARP ||
		    (op_info[s->op].level == LEVEL_TILE && s->arg[op_sig((enum op)s->op)->known]))
			return asks(ir);
	}
	return false;
}

qd_status
pass_check_kernel(const struct qd_kernel *k, struct qd_error *err)
{
	struct arena mem;

	if (k->assume_uniform || !asks(&k->ir))
		return QD_OK;
	arena_init(&mem, &k->ctx->pool);
	struct uniform u = { .k = k,
			     .ir = &k->ir,
			     .mems = k->mems,
			     .mem = &mem,
			     .err = err,
			     .log2_size = LOG2_FULL,
			     .check = true };
	qd_status st = uniform_run(&u);
	arena_fini(&mem);
	return st;
}
