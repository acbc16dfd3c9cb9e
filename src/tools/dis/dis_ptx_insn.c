/* Instructions of PTX: registers by scope, definitions and uses, labels and branches. */
#include "dis_ptx.h"

#include <stdlib.h>

#include "lex.h"
#include "row.h"

struct op {
	uint8_t mix, kind; /* kind: N_KINDS for an instruction of dis_ptx.def */
	bool makes; /* the first operand is the result */
};

static const struct {
	const char *name;
	struct op op;
} ops[] = {
#define PTX_OP(name, mix, makes) { name, { MIX_##mix, N_KINDS, makes } },
#include "dis_ptx.def"
};

static const uint8_t mix_of_kind[] = {
#define KIND(name, class, mix) MIX_##mix,
#include "exec_kind.def"
#undef KIND
};

/* -- Registers ------------------------------------------------------------------------------- */

static uint32_t
kind_of(struct word type)
{
	if (word_is(type, "pred"))
		return KIND_PRED;
	if (word_is(type, "f16x2") || word_is(type, "bf16x2"))
		return KIND_32;
	for (uint32_t i = 0; i < type.len; i++) {
		if (ptx_is_digit(type.s[i])) {
			uint64_t bits = word_number((struct word){ type.s + i, type.len - i });
			return bits <= 16 ? KIND_16 : bits == 32 ? KIND_32 : bits == 64 ? KIND_64 : KIND_128;
		}
	}
	return KIND_32;
}

void
ptx_read_reg(struct ptx *p, const char *s, const char *stop)
{
	uint32_t kind = KIND_32;

	for (s = ptx_skip(p, s); s < stop; s = ptx_skip(p, s)) {
		if (*s == '.') {
			struct word type = ptx_ident(p, s + 1);
			if (!type.len || (type.s[0] != 'v' && !word_is(type, "align")))
				kind = kind_of(type);
			s = type.s + type.len;
			continue;
		}
		struct decl d = { .name = ptx_ident(p, s), .kind = kind, .scope = p->scope, .n = NO_NUMBER };
		if (!d.name.len) {
			s++;
			continue;
		}
		s = ptx_skip(p, s + d.name.len);
		if (s < stop && *s == '<') {
			struct word n = ptx_ident(p, ptx_skip(p, s + 1));
			d.n = (uint32_t)word_number(n);
			s = n.s + n.len;
		}
		p->fn.declared[kind] += d.n == NO_NUMBER ? 1 : d.n;
		ptx_open_decl(p, d);
	}
}

static uint32_t
new_reg(struct ptx *p, uint32_t decl, uint32_t number, struct word name)
{
	struct code_reg r = { .name = name.s, .len = name.len,
			      .kind = CODE_ROWS(&p->decls, decl)[decl].kind };
	struct met *met = CODE_ROWS(&p->met, met);
	uint32_t slot = (decl * 0x9e3779b1u) ^ (number * 0x85ebca6bu);

	for (slot ^= slot >> 15;; slot++) {
		struct met *m = &met[slot & p->met_mask];
		if (m->reg && m->decl == decl && m->number == number)
			return m->reg - 1;
		if (m->reg)
			continue;
		code_add(&p->c->regs, &r, sizeof r);
		*m = (struct met){ decl, number, CODE_COUNT(&p->c->regs, code_reg) };
		p->n_met++;
		return m->reg - 1;
	}
}

/* Grows the table so that half of it is empty. */
static void
make_room(struct ptx *p)
{
	uint32_t old = p->met_mask + 1, size = old;
	struct buf from = p->met;

	if (p->met.len && 2 * p->n_met < old)
		return;
	size = p->met.len ? 2 * old : 256;
	buf_init(&p->met, &p->c->dis->ctx->pool);
	struct met *to = buf_extend(&p->met, size * sizeof *to);
	if (!to)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	memset(to, 0, size * sizeof *to);
	p->met_mask = size - 1;
	for (uint32_t i = 0; from.len && i < old; i++) {
		const struct met *m = &CODE_ROWS(&from, met)[i];
		uint32_t slot = (m->decl * 0x9e3779b1u) ^ (m->number * 0x85ebca6bu);
		if (!m->reg)
			continue;
		for (slot ^= slot >> 15; to[slot & p->met_mask].reg;)
			slot++;
		to[slot & p->met_mask] = *m;
	}
	buf_fini(&from);
}

/* Finds a register that an open scope declares, the innermost first. */
static bool
find_reg(struct ptx *p, struct word w, uint32_t *reg)
{
	uint32_t decl, number;

	if (!ptx_find_decl(p, w, &decl, &number))
		return false;
	make_room(p);
	*reg = new_reg(p, decl, number, w);
	return true;
}

/* -- Instructions -------------------------------------------------------------------------------- */

static struct op
find_op(struct word name)
{
	struct row_match m;

	for (size_t i = 0; i < QD_COUNT(ops); i++) {
		size_t len = strlen(ops[i].name);
		if (len <= name.len && memcmp(ops[i].name, name.s, len) == 0 &&
		    (len == name.len || name.s[len] == '.'))
			return ops[i].op;
	}
	const struct row *r = ptx_row_find(name.s, name.len, UINT32_MAX, UINT32_MAX, &m);
	if (!r && !(r = m.nearest))
		return (struct op){ MIX_alu, N_KINDS, true };
	return (struct op){ mix_of_kind[r->kind], r->kind, *r->operands && strchr("dDexpqv", *r->operands) };
}

static bool
has_part(struct word name, const char *part)
{
	size_t len = strlen(part);

	for (uint32_t i = 0; i + len <= name.len; i++) {
		if (memcmp(name.s + i, part, len) == 0 && (i + len == name.len || name.s[i + len] == '.' || name.s[i + len] == ':'))
			return true;
	}
	return false;
}

static uint8_t
mix_of(uint8_t mix, struct word name)
{
	if (mix == MIX_memory && has_part(name, ".shared"))
		return MIX_shared;
	if (mix == MIX_memory && (has_part(name, ".param") || has_part(name, ".const")))
		return MIX_param;
	return mix;
}

static void
name_shared(struct ptx *p, struct word w)
{
	struct variable *v = ptx_find_shared(p, w);
	uint32_t function = CODE_COUNT(&p->c->functions, code_fn) + 1;

	if (v && v->function != function) {
		v->function = function;
		p->fn.shared += v->size;
	}
}

/* Adds the registers of the operands from s to stop: of the first only, or of all others. */
static void
read_operands(struct ptx *p, struct code_insn *in, const char *s, const char *stop, bool first, bool makes)
{
	int depth = 0, address = 0;
	bool at_first = true;

	while ((s = ptx_skip(p, s)) < stop) {
		uint32_t reg;
		struct word w = ptx_ident(p, s);
		if (*s == '[')
			address++;
		else if (*s == ']')
			address--;
		else if (*s == '(' || *s == '{')
			depth++;
		else if (*s == ')' || *s == '}')
			depth--;
		else if (*s == ',' && !depth && !address)
			at_first = false;
		if (!w.len) {
			s++;
			continue;
		}
		s += w.len;
		bool def = makes && at_first && !address;
		if (ptx_is_digit(*w.s) || def != first)
			continue;
		if (!find_reg(p, w, &reg)) {
			name_shared(p, w);
			continue;
		}
		code_add(&p->c->refs, &reg, sizeof reg);
		in->n_def += first;
		in->n_use += !first;
	}
}

static void
add_jump(struct ptx *p, const char *s, const char *stop, bool last)
{
	struct jump j = { .scope = p->scope, .insn = CODE_COUNT(&p->c->insns, code_insn), .label = NO_LABEL };

	for (s = ptx_skip(p, s); s < stop; s = ptx_skip(p, s)) {
		struct word w = ptx_ident(p, s);
		s += w.len ? w.len : 1;
		if (w.len && (last || !j.name.len))
			j.name = w;
	}
	if (j.name.len)
		code_add(&p->jumps, &j, sizeof j);
}

void
ptx_read_insn(struct ptx *p)
{
	const char *from = p->at, *stop = ptx_statement_end(p, from, ";"), *s = from;
	struct code_insn in = { .text = from, .len = (uint32_t)(stop - from), .addr = (uint64_t)(from - p->start),
				.ref = (uint32_t)(p->c->refs.len / sizeof(uint32_t)), .goes_on = true };
	const char *bol = ptx_line_of(p, from), *guard = NULL;

	ptx_line_of(p, stop);
	const char *eol = p->line_end;
	in.line_at = (uint32_t)(bol - p->start);
	in.line_end = (uint32_t)((eol > bol && eol[-1] == '\r' ? eol - 1 : eol) - p->start);
	if (*s == '@') {
		guard = s;
		s = ptx_skip(p, s + 1);
		s = s < stop && *s == '!' ? ptx_skip(p, s + 1) : s;
		s = ptx_skip(p, s + ptx_ident(p, s).len);
		in.keeps = true;
	}
	struct word name = { s, 0 };
	while (s < stop && (lex_is_word(*s) || *s == '.' || *s == ':'))
		s++;
	name.len = (uint32_t)(s - name.s);
	if (!name.len)
		ptx_broken(p, from, "this is not an instruction");
	struct op op = find_op(name);
	bool call = op.kind == K_call;
	const char *operands = ptx_skip(p, s);
	bool makes = op.makes || (call && operands < stop && *operands == '(');
	in.mix = mix_of(op.mix, name);
	if (makes)
		read_operands(p, &in, operands, stop, true, true);
	if (guard)
		read_operands(p, &in, guard, name.s, false, false);
	read_operands(p, &in, operands, stop, false, makes);
	in.goes_on = guard || op.kind == K_call || (in.mix != MIX_branch && op.kind != K_trap);
	if (op.kind == K_bra || op.kind == K_brx)
		add_jump(p, operands, stop, op.kind == K_brx);
	code_add(&p->c->insns, &in, sizeof in);
	p->at = stop + 1;
}

/* -- Labels ----------------------------------------------------------------------------------------- */

void
ptx_add_label(struct ptx *p, struct word name)
{
	struct label l = { .name = name, .scope = p->scope, .hash = ptx_hash(p, name),
			   .insn = CODE_COUNT(&p->c->insns, code_insn) };

	code_add(&p->labels, &l, sizeof l);
}

/* Tables for the lookup of all names of a function in one walk over its scopes, which takes
 * O(n log n) time for any nesting. */
struct names {
	struct arena mem;
	uint32_t *slot, mask; /* hash table of labels + 1: the first of each name */
	uint32_t *seen;	      /* by that first label: the visible label of its name + 1; 0: none */
	uint32_t *same;	      /* by label: the first of its name */
	uint32_t *hidden;     /* by label: the one that it hides + 1 */
};

/* Returns the slot of the name, or the empty slot for it. */
static uint32_t *
slot_of(const struct ptx *p, const struct names *n, struct word name, uint32_t hash)
{
	const struct label *l = CODE_ROWS(&p->labels, label);
	uint32_t i = (uint32_t)(hash * p->seed[1] >> 32);

	for (;; i++) {
		uint32_t *slot = &n->slot[i & n->mask];
		if (!*slot || (l[*slot - 1].hash == hash && word_same(l[*slot - 1].name, name)))
			return slot;
	}
}

static void
names_init(struct ptx *p, struct names *n)
{
	const struct label *l = CODE_ROWS(&p->labels, label);
	uint32_t count = CODE_COUNT(&p->labels, label), size = 16;

	while (size < 2 * count)
		size *= 2;
	arena_init(&n->mem, &p->c->dis->ctx->pool);
	n->mask = size - 1;
	n->slot = code_alloc(&n->mem, size * sizeof *n->slot);
	n->seen = code_alloc(&n->mem, count * sizeof *n->seen);
	n->same = code_alloc(&n->mem, count * sizeof *n->same);
	n->hidden = code_alloc(&n->mem, count * sizeof *n->hidden);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *slot = slot_of(p, n, l[i].name, l[i].hash);
		if (!*slot)
			*slot = i + 1;
		n->same[i] = *slot - 1;
	}
}

struct ordered {
	uint32_t scope, i;
};

static int
by_scope(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->scope != y->scope)
		return x->scope < y->scope ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* Makes the labels of a scope visible in all of it. The first of several equal names counts. */
static void
enter_scope(struct names *n, const struct ordered *first, const struct ordered *end)
{
	for (const struct ordered *o = end; o-- > first;) {
		uint32_t *seen = &n->seen[n->same[o->i]];
		n->hidden[o->i] = *seen;
		*seen = o->i + 1;
	}
}

static void
leave_scope(struct names *n, const struct ordered *first, const struct ordered *end)
{
	for (const struct ordered *o = first; o < end; o++)
		n->seen[n->same[o->i]] = n->hidden[o->i];
}

static void
find_label(const struct ptx *p, const struct names *n, struct jump *j)
{
	uint32_t slot = *slot_of(p, n, j->name, ptx_hash(p, j->name));

	j->label = slot && n->seen[slot - 1] ? n->seen[slot - 1] - 1 : NO_LABEL;
}

/* Finds the labels of all branches and of all words of lists. */
static void
find_labels(struct ptx *p)
{
	const uint32_t *outer = (const uint32_t *)(const void *)buf_data(&p->scopes);
	const struct label *l = CODE_ROWS(&p->labels, label);
	struct jump *jumps = CODE_ROWS(&p->jumps, jump), *words = CODE_ROWS(&p->targets, jump);
	uint32_t n_label = CODE_COUNT(&p->labels, label), n_jump = CODE_COUNT(&p->jumps, jump);
	uint32_t n_ask = n_jump + CODE_COUNT(&p->targets, jump), n_scope = (uint32_t)(p->scopes.len / sizeof *outer);
	struct names n;

	names_init(p, &n);
	struct ordered *labels = code_alloc(&n.mem, n_label * sizeof *labels), *asks = code_alloc(&n.mem, n_ask * sizeof *asks);
	/* labels by scope */
	struct ordered **first = code_alloc(&n.mem, (n_scope + 1) * sizeof *first);
	for (uint32_t i = 0; i < n_label; i++)
		labels[i] = (struct ordered){ l[i].scope, i };
	for (uint32_t i = 0; i < n_ask; i++)
		asks[i] = (struct ordered){ i < n_jump ? jumps[i].scope : words[i - n_jump].scope, i };
	qsort(labels, n_label, sizeof *labels, by_scope);
	qsort(asks, n_ask, sizeof *asks, by_scope);
	for (uint32_t s = 0, i = 0; s <= n_scope; s++) {
		first[s] = labels + i;
		while (i < n_label && labels[i].scope == s)
			i++;
	}
	/* the number of a scope is less than those of the scopes in it */
	for (uint32_t s = 0, at = 0, a = 0; s < n_scope; at = s++) {
		while (s && at != outer[s]) {
			leave_scope(&n, first[at], first[at + 1]);
			at = outer[at];
		}
		enter_scope(&n, first[s], first[s + 1]);
		for (; a < n_ask && asks[a].scope == s; a++)
			find_label(p, &n, asks[a].i < n_jump ? &jumps[asks[a].i] : &words[asks[a].i - n_jump]);
	}
	arena_fini(&n.mem);
}

static void
add_way(struct ptx *p, struct code_insn *in, uint32_t label)
{
	const struct label *to = label == NO_LABEL ? NULL : &CODE_ROWS(&p->labels, label)[label];

	if (!to || to->list || to->insn >= CODE_COUNT(&p->c->insns, code_insn))
		return;
	code_add_way(p->c, to->insn);
	in->n_way++;
}

void
ptx_resolve(struct ptx *p)
{
	find_labels(p);
	const struct jump *j = CODE_ROWS(&p->jumps, jump), *words = CODE_ROWS(&p->targets, jump);
	const struct label *labels = CODE_ROWS(&p->labels, label);
	for (uint32_t i = 0; i < CODE_COUNT(&p->jumps, jump); i++) {
		struct code_insn *in = &CODE_ROWS(&p->c->insns, code_insn)[j[i].insn];
		const struct label *l = j[i].label == NO_LABEL ? NULL : &labels[j[i].label];
		in->way = (uint32_t)(p->c->ways.len / sizeof(uint32_t));
		for (uint32_t k = 0; l && l->list && k < l->n; k++)
			add_way(p, in, words[l->insn + k].label);
		add_way(p, in, j[i].label);
		if (!l)
			ptx_broken(p, j[i].name.s, "there is no such label");
	}
}

/* Reads the labels of a list. */
void
ptx_read_targets(struct ptx *p, const char *s, const char *stop)
{
	uint32_t n = CODE_COUNT(&p->labels, label);
	struct label *l = n ? &CODE_ROWS(&p->labels, label)[n - 1] : NULL;

	/* the list belongs to the preceding label, and a label has one list */
	if (!l || l->list || l->insn != CODE_COUNT(&p->c->insns, code_insn))
		ptx_broken(p, s, "a list of .branchtargets without a label of its own");
	l->list = true;
	l->insn = CODE_COUNT(&p->targets, jump);
	for (s = ptx_skip(p, s); s < stop; s = ptx_skip(p, s)) {
		struct word w = ptx_ident(p, s);
		s += w.len ? w.len : 1;
		if (!w.len)
			continue;
		code_add(&p->targets, &(struct jump){ .name = w, .scope = p->scope, .label = NO_LABEL }, sizeof(struct jump));
		l->n++;
	}
}
