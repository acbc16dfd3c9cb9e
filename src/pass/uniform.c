/* Three levels for every value, and the rule that cross-lane operations stand
 * in uniform control flow.
 *
 * Takes any body, even one not yet specialised; changes nothing and gives one
 * level per instruction.  One walk forward; a loop is walked again as long as a
 * round raised a variable from outside it, or the level at which it is left.
 *
 * A variable is as uniform as what was stored into it and as the control flow
 * between its declaration and the store.  A break or continue under a condition
 * makes the whole body of its loop as little uniform as the condition: threads
 * that left are missing.  They are back behind the loop.
 *
 * Rounds of one loop are bounded; a loop that needs more counts as varying, so
 * the cost is linear for any input.  Real kernels need one or two. */
#include "uniform.h"
#include "rewrite.h"

#include <assert.h>

enum { MAX_ROUNDS = 32, MAX_DEPTH = 2 * MAX_NEST + 8 };

/* How a result's level follows.  0: the least uniform of the value operands. */
enum rule {
	RULE_OPERANDS,
	RULE_BLOCK,
	RULE_SUBGROUP,
	RULE_VARYING,
	RULE_TILE, /* uniform in the subgroup where the tile is the subgroup */
	RULE_OTHER /* spelled out in visit */
};

/* clang-format off */
static const uint8_t rules[N_OP] = {
	[OP_CONST] = RULE_BLOCK,     [OP_TEMPLATE] = RULE_BLOCK,  [OP_PARAM] = RULE_BLOCK,
	[OP_LEN] = RULE_BLOCK,       [OP_ARGWORD] = RULE_BLOCK,   [OP_BLOCK_IDX] = RULE_BLOCK,
	[OP_BLOCK_DIM] = RULE_BLOCK, [OP_GRID_DIM] = RULE_BLOCK,  [OP_SUBGROUP_COUNT] = RULE_BLOCK,
	[OP_GROUP_SIZE] = RULE_BLOCK, [OP_LOG2_GROUP_SIZE] = RULE_BLOCK,
	[OP_SUBGROUP_ID] = RULE_SUBGROUP,
	[OP_BALLOT_FIRST_N] = RULE_SUBGROUP, [OP_BROADCAST] = RULE_SUBGROUP,
	[OP_GRID] = RULE_VARYING,    [OP_THREAD_IDX] = RULE_VARYING, [OP_LANE] = RULE_VARYING,
	[OP_ELECT] = RULE_VARYING,   [OP_ARG] = RULE_VARYING,
	[OP_SHUFFLE] = RULE_VARYING, [OP_SHUFFLE_XOR] = RULE_VARYING,
	[OP_SHUFFLE_UP] = RULE_VARYING, [OP_SHUFFLE_DOWN] = RULE_VARYING,
	[OP_INCLUSIVE_ADD] = RULE_VARYING, [OP_INCLUSIVE_SCAN] = RULE_VARYING,
	[OP_REDUCE_ADD] = RULE_TILE, [OP_REDUCE_MIN] = RULE_TILE, [OP_REDUCE_MAX] = RULE_TILE,
	[OP_REDUCE] = RULE_TILE,
	[OP_LOAD] = RULE_OTHER,      [OP_VAR] = RULE_OTHER,       [OP_SET] = RULE_OTHER,
	[OP_IF] = RULE_OTHER,        [OP_ELSE] = RULE_OTHER,      [OP_LOOP] = RULE_OTHER,
	[OP_REGION] = RULE_OTHER,    [OP_END] = RULE_OTHER,       [OP_BREAK] = RULE_OTHER,
	[OP_BREAK_IF] = RULE_OTHER,  [OP_CONTINUE] = RULE_OTHER,
};
/* clang-format on */

/* An open construct. */
struct open {
	uint32_t at;	 /* if, loop or region */
	uint8_t own;	 /* its condition; of a loop, that of its jumps */
	uint8_t control; /* with all around it */
	bool again;	 /* a loop that needs another round */
};

struct walk {
	struct uniform *u;
	const struct ins *ins;
	uint8_t *level;
	uint8_t *rounds; /* of each loop so far */
	/* Why a level was raised: of a variable, the value stored or the condition
	 * around the store; of a loop, the if or break_if around the jump. */
	uint32_t *cause;
	bool sticky; /* a declaration in a loop no longer starts its variable afresh */
	uint32_t n_open;
	struct open open[MAX_DEPTH];
};

static inline uint8_t
max_level(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static inline uint8_t
control(const struct walk *w)
{
	return w->n_open ? w->open[w->n_open - 1].control : LEVEL_BLOCK;
}

/* -- Reports ------------------------------------------------------------------------- */

/* The condition that makes construct `at` what it is: its if or break_if. */
static uint32_t
condition_of(const struct walk *w, uint32_t at)
{
	return w->ins[at].op == OP_LOOP ? w->cause[at] : at;
}

/* The nearest operation that value v has its lack of uniformity from: breadth
 * first along operands that are no more uniform than `above` allows. */
static QD_COLD uint32_t
find_source(const struct walk *w, uint32_t v, uint8_t above)
{
	uint32_t n = w->u->ir->n, head = 0, tail = 0;
	uint32_t *queue = arena_alloc(w->u->mem, n * sizeof *queue);
	uint8_t *seen = arena_zalloc(w->u->mem, n);

	if (!queue || !seen)
		return 0;
	if (v && w->level[v] > above) {
		queue[tail++] = v;
		seen[v] = 1;
	}
	while (head < tail) {
		uint32_t at = queue[head++], next[3] = { 0 };
		const struct ins *s = &w->ins[at];
		uint8_t rule = rules[s->op];

		if (rule == RULE_VARYING || rule == RULE_SUBGROUP || rule == RULE_TILE ||
		    s->op == OP_LOAD)
			return at;
		if (s->op == OP_VAR) {
			next[0] = w->cause[at];
		} else {
			uint32_t values = ir_value_operands(s);
			next[0] = values & 1 ? s->a : 0;
			next[1] = values & 2 ? s->b : 0;
			next[2] = values & 4 ? s->c : 0;
		}
		for (int j = 0; j < 3; j++) {
			uint32_t id = next[j];
			bool jump = w->ins[id].op == OP_IF || w->ins[id].op == OP_BREAK_IF;
			if (id && !seen[id] && (jump || w->level[id] > above)) {
				seen[id] = 1;
				queue[tail++] = id;
			}
		}
	}
	return 0;
}

/* "subgroup.reduce_add_tiled()" */
static void
op_name(const struct walk *w, uint32_t i, char *text, size_t size)
{
	const struct ins *s = &w->ins[i];
	uint32_t tile = 0;
	char word[80];

	if (diag_word(w->u->k, w->u->ir->pos[i], word, sizeof word)) {
		snprintf(text, size, "%s()", word);
		return;
	}
	if (op_info[s->op].sig == SIG_LANE_K)
		tile = s->b;
	else if (op_info[s->op].sig == SIG_LANE_OP)
		tile = s->c;
	if (tile && w->u->log2_size != LOG2_FULL && w->ins[tile].op == OP_CONST &&
	    w->ins[tile].a == w->u->log2_size)
		tile = 0;
	snprintf(text, size, "%s%s()", op_info[s->op].text, tile ? "_tiled" : "");
}

static void
source_name(const struct walk *w, uint32_t i, char *text, size_t size)
{
	const struct ins *s = &w->ins[i];

	if (s->op == OP_LOAD)
		snprintf(text, size, "a load from '%.200s'", w->u->k->params[s->x].name);
	else if (s->op == OP_GRID)
		snprintf(text, size, "the index of the grid loop");
	else if (s->op == OP_SUBGROUP_ID)
		snprintf(text, size, "%s", op_info[s->op].text);
	else
		op_name(w, i, text, size);
}

static QD_COLD qd_status
report_control(const struct walk *w, uint32_t i, uint8_t allowed)
{
	const struct uniform *u = w->u;
	char name[96], source[256], text[320];
	uint32_t d = w->n_open;

	while (d > 1 && w->open[d - 1].own <= allowed)
		d--;
	uint32_t at = w->open[d - 1].at, why = condition_of(w, at);
	struct diag_note note = { .pos = why ? u->ir->pos[why] : 0 };
	uint32_t from = why ? find_source(w, w->ins[why].a, allowed) : 0;

	if (from) {
		source_name(w, from, source, sizeof source);
		snprintf(text, sizeof text, "this condition depends on %s", source);
	} else {
		snprintf(text, sizeof text, "this condition is not uniform");
	}
	note.text = text;
	note.help = w->ins[at].op == OP_LOOP ? "move the call out of the loop"
					     : "move the call out of the 'if'";
	op_name(w, i, name, sizeof name);
	return diag_ins(u->k, u->ir, i, u->err, &note, DIAG_E0401, name);
}

/* -- The walk -------------------------------------------------------------------------- */

/* Variable `var` becomes at least as little uniform as level, because of value
 * or condition `why`.  Loops around that it comes into from outside must look
 * again. */
static void
raise_variable(struct walk *w, uint32_t var, uint8_t level, uint32_t why)
{
	if (level <= w->level[var])
		return;
	w->level[var] = level;
	w->cause[var] = why;
	for (uint32_t d = w->n_open; d-- > 0 && w->open[d].at > var;)
		if (w->ins[w->open[d].at].op == OP_LOOP)
			w->open[d].again = true;
}

static void
visit_set(struct walk *w, const struct ins *s)
{
	uint8_t around = LEVEL_BLOCK;
	uint32_t at = 0;

	raise_variable(w, s->a, w->level[s->b], s->b);
	for (uint32_t d = w->n_open; d-- > 0 && w->open[d].at > s->a;) {
		if (w->open[d].own > around) {
			around = w->open[d].own;
			at = w->open[d].at;
		}
	}
	if (around)
		raise_variable(w, s->a, around, condition_of(w, at));
}

/* break, break_if, continue at i: what stands between it and its loop decides
 * who leaves. */
static void
visit_jump(struct walk *w, uint32_t i)
{
	uint8_t level = LEVEL_BLOCK;
	uint32_t d = w->n_open, why = 0;

	if (w->ins[i].op == OP_BREAK_IF) {
		level = w->level[w->ins[i].a];
		why = i;
	}
	while (d-- > 0 && w->ins[w->open[d].at].op != OP_LOOP) {
		if (w->open[d].own > level) {
			level = w->open[d].own;
			why = w->open[d].at;
		}
	}
	assert(d < MAX_DEPTH);
	struct open *loop = &w->open[d];
	if (level > loop->own) {
		loop->own = w->level[loop->at] = level;
		loop->again = true;
		w->cause[loop->at] = why;
	}
}

static qd_status
open_construct(struct walk *w, uint32_t i, uint8_t own)
{
	if (QD_UNLIKELY(w->n_open == MAX_DEPTH))
		return diag_ins(w->u->k, w->u->ir, i, w->u->err, NULL, DIAG_E0315, MAX_DEPTH);
	w->open[w->n_open] =
		(struct open){ .at = i, .own = own, .control = max_level(own, control(w)) };
	w->n_open++;
	return QD_OK;
}

/* The end of a construct; true if its loop must be walked again. */
static bool
close_construct(struct walk *w)
{
	struct open *o = &w->open[w->n_open - 1];

	if (!o->again) {
		w->n_open--;
		return false;
	}
	o->again = false;
	if (w->rounds[o->at] < MAX_ROUNDS && ++w->rounds[o->at] == MAX_ROUNDS) {
		o->own = w->level[o->at] = LEVEL_VARYING;
		w->sticky = true;
	}
	o->control = max_level(o->own, w->n_open > 1 ? w->open[w->n_open - 2].control : 0);
	return true;
}

static uint8_t
tile_level(const struct walk *w, const struct ins *s)
{
	uint32_t k = s->op == OP_REDUCE ? s->c : s->b;

	if (!k || w->u->log2_size == LOG2_FULL)
		return LEVEL_SUBGROUP;
	return w->ins[k].op == OP_CONST && w->ins[k].a == w->u->log2_size ? LEVEL_SUBGROUP
									  : LEVEL_VARYING;
}

/* Everything but values that follow from their operands; *next is where to go
 * on. */
static qd_status
visit(struct walk *w, uint32_t i, uint32_t *next)
{
	const struct ins *s = &w->ins[i];
	uint8_t *level = w->level;

	switch (s->op) {
	case OP_LOAD:
		if (w->u->k->params[s->x].access == QD_ACCESS_IN)
			level[i] = max_level(level[s->a], max_level(level[s->b], level[s->c]));
		else
			level[i] = LEVEL_VARYING;
		break;
	case OP_VAR:
		if (level[s->a] > level[i] || !w->sticky) {
			level[i] = level[s->a];
			w->cause[i] = s->a;
		}
		break;
	case OP_SET: visit_set(w, s); break;
	case OP_IF: return open_construct(w, i, level[s->a]);
	case OP_LOOP: return open_construct(w, i, level[i]);
	case OP_REGION: return open_construct(w, i, LEVEL_BLOCK);
	case OP_END: {
		uint32_t at = w->open[w->n_open - 1].at;
		if (close_construct(w))
			*next = at + 1;
		break;
	}
	case OP_BREAK:
	case OP_BREAK_IF:
	case OP_CONTINUE: visit_jump(w, i); break;
	default: break;
	}
	return QD_OK;
}

static qd_status
check(const struct walk *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];
	uint8_t allowed = op_info[s->op].flags & OPF_BLOCK ? LEVEL_BLOCK : LEVEL_SUBGROUP;

	if (QD_UNLIKELY(control(w) > allowed))
		return report_control(w, i, allowed);
	if (s->op == OP_BROADCAST && QD_UNLIKELY(w->level[s->b] > LEVEL_SUBGROUP))
		return diag_ins(w->u->k, w->u->ir, i, w->u->err, NULL, DIAG_E0402);
	return QD_OK;
}

qd_status
uniform_run(struct uniform *u)
{
	const uint32_t n = u->ir->n;
	const uint8_t subgroup = u->one_subgroup ? LEVEL_BLOCK : LEVEL_SUBGROUP;
	struct walk w;

	w.u = u;
	w.ins = u->ir->ins;
	w.level = arena_zalloc(u->mem, 2 * (size_t)n);
	w.cause = arena_zalloc(u->mem, n * sizeof *w.cause);
	if (!w.level || !w.cause)
		return qd_fail(u->err, QD_E_NOMEM, "kernel '%s': out of memory", u->k->name);
	w.rounds = w.level + n;
	w.sticky = false;
	w.n_open = 0;
	u->level = w.level;

	for (uint32_t i = 1, next; i < n; i = next) {
		const struct ins *s = &w.ins[i];
		uint8_t level = LEVEL_BLOCK;

		next = i + 1;
		if (u->check && (op_info[s->op].flags & (OPF_CROSS | OPF_BLOCK)))
			QD_TRY(check(&w, i));
		switch ((enum rule)rules[s->op]) {
		case RULE_OTHER: QD_TRY(visit(&w, i, &next)); continue;
		case RULE_OPERANDS: {
			uint32_t values = ir_value_operands(s);
			if (values & 1)
				level = w.level[s->a];
			if (values & 2)
				level = max_level(level, w.level[s->b]);
			if (values & 4)
				level = max_level(level, w.level[s->c]);
			break;
		}
		case RULE_BLOCK: break;
		case RULE_SUBGROUP: level = subgroup; break;
		case RULE_VARYING: level = LEVEL_VARYING; break;
		case RULE_TILE:
			level = tile_level(&w, s);
			if (level == LEVEL_SUBGROUP)
				level = subgroup;
			break;
		}
		w.level[i] = level;
	}
	return QD_OK;
}

static struct uniform
for_target(const struct pass_ctx *p, const struct ir *in)
{
	return (struct uniform){ .k = p->k,
				 .ir = in,
				 .mem = p->mem,
				 .err = p->err,
				 .log2_size = p->m->log2_size,
				 .one_subgroup = p->k->block_dim <= p->m->subgroup_size };
}

qd_status
pass_uniform(struct pass_ctx *p, const struct ir *in, uint8_t **level)
{
	struct uniform u = for_target(p, in);

	u.check = !p->k->assume_uniform;
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
	return QD_OK;
}
