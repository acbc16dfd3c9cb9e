/* Names while lowering: a stack of bindings, indexed by symbol, above the declarations of the
 * file and the words of the language. */
#include "lower.h"

void *
lower_alloc(struct lower *l, struct arena *mem, size_t size)
{
	void *p = arena_zalloc(mem, size);

	if (!p)
		l->sink->nomem = l->stop = true;
	return p;
}

bool
lower_init(struct lower *l, struct qd_module *m, struct sink *s)
{
	*l = (struct lower){
		.m = m, .sink = s, .n_bind = 1, .scope = 1, .floor = 1, .max_work = MAX_WORK
	};
	arena_init(&l->mem, &m->ctx->pool);
	l->cap_bind = 64;
	l->bind = lower_alloc(l, &l->mem, l->cap_bind * sizeof *l->bind);
	l->symbols = lower_alloc(l, &l->mem, (m->syms.n / SYMBOL_PAGE + 1) * sizeof *l->symbols);
	if (s->nomem)
		arena_fini(&l->mem);
	return !s->nomem;
}

void
lower_fini(struct lower *l)
{
	arena_fini(&l->mem);
}

struct symbol_state *
lower_symbol(struct lower *l, uint32_t sym)
{
	struct symbol_state **page = &l->symbols[sym / SYMBOL_PAGE];

	if (!*page && !(*page = lower_alloc(l, &l->mem, SYMBOL_PAGE * sizeof **page))) {
		l->no_symbol = (struct symbol_state){ 0 };
		return &l->no_symbol;
	}
	return &(*page)[sym % SYMBOL_PAGE];
}

/* -- Errors -------------------------------------------------------------------- */

static void
fail(struct lower *l)
{
	l->failed = true;
	if (l->b && !l->b->failed)
		l->b->failed = QD_E_INVALID; /* later calls on it do nothing */
}

void
lower_sync(struct lower *l)
{
	if (!l->b || !build_failed(l->b) || l->failed || l->demand || l->sink->nomem)
		return;
	sink_take(l->sink, &l->b->err);
	l->failed = true;
}

static void
error_v(struct lower *l, const struct node *n, enum diag d, va_list ap)
{
	struct help help = l->help;

	lower_sync(l);
	fail(l);
	l->help = (struct help){ 0 };
	if (l->with[0] && !help.note)
		help.note = l->with;
	sink_verror(l->sink, n->at, n->len, &help, d, ap);
	if (sink_full(l->sink))
		l->stop = true;
}

bool
lower_error(struct lower *l, const struct node *n, enum diag d, ...)
{
	va_list ap;

	va_start(ap, d);
	error_v(l, n, d, ap);
	va_end(ap);
	return false;
}

bool
lower_later(struct lower *l, const struct node *n, const char *name)
{
	l->help.help = help_later(name);
	return lower_error(l, n, DIAG_E0117, name);
}

struct value
value_refuse(struct lower *l, const struct node *n, enum diag d, ...)
{
	va_list ap;

	va_start(ap, d);
	error_v(l, n, d, ap);
	va_end(ap);
	return value_error;
}

void
lower_note(struct lower *l, uint32_t at, uint32_t len, const char *note)
{
	l->help = (struct help){ at, len, note, NULL };
}

void
lower_convert(struct lower *l, qd_type to, const struct node *n)
{
	enum { MOST = 60 }; /* maximum length of a value that is quoted */
	const char *text = n ? l->m->text + n->at : "x";
	uint32_t len = n ? n->len : 1;

	if (len > MOST || memchr(text, '\n', len)) {
		text = "x";
		len = 1;
	}
	snprintf(l->convert_text, sizeof l->convert_text, "convert it: %s(%.*s)", type_info[to].name, (int)len, text);
	l->help.help = l->convert_text;
}

struct node
lower_whole(const struct lower *l, const struct node *n)
{
	const char *text = l->m->text;
	struct node whole = *n;
	uint32_t from, to, depth = 0;

	while (n->kind == N_BINARY && n->a)
		n = n->a;
	for (from = n->at; from > 0 && (text[from - 1] == '(' || text[from - 1] == ' '); from--)
		;
	while (text[from] == ' ')
		from++;
	for (to = from; to < l->m->len && text[to] != '\n'; to++) {
		if (text[to] == '(' || text[to] == '[')
			depth++;
		else if ((text[to] == ')' || text[to] == ']') && !depth--)
			break;
		else if (!depth && (text[to] == ',' || text[to] == ';' || text[to] == '{' || text[to] == '}'))
			break;
	}
	while (to > from + 1 && text[to - 1] == ' ')
		to--;
	whole.at = from;
	whole.len = to - from;
	return whole;
}

/* Orders types by their range: floats first, then wider, then unsigned types. */
static uint32_t
rank(qd_type t)
{
	return type_info[t].is_float * 16u + type_info[t].size + !type_info[t].is_signed;
}

static uint32_t
end_of(const struct lower *l, const struct node *n)
{
	const char *text = l->m->text;
	uint32_t to, depth = 0;

	while (n->kind == N_BINARY || n->kind == N_UNARY)
		n = n->kind == N_BINARY ? n->b : n->a;
	to = n->at + n->len;
	if (n->kind != N_CALL || to >= l->m->len || text[to] != '(')
		return to;
	for (; to < l->m->len; to++) {
		depth += text[to] == '(';
		if (text[to] == ')' && !--depth)
			return to + 1;
	}
	return n->at + n->len;
}

/* Returns the text of an operand, or "x" if it has no node, is long, or has unbalanced
 * parentheses. */
static int
operand_text(const struct lower *l, const struct node *n, const char **out)
{
	enum { MOST = 30 };
	const struct node *first = n;
	uint32_t len, depth = 0;

	*out = "x";
	if (!n || n->kind == N_NAMED)
		return 1;
	while ((first->kind == N_BINARY && first->a) || first->kind == N_MEMBER)
		first = first->a;
	len = end_of(l, n) - first->at;
	if (first->at > n->at || len > MOST)
		return 1;
	for (uint32_t i = 0; i < len; i++) {
		char c = l->m->text[first->at + i];

		if (c == '\n' || (c == ')' && !depth))
			return 1;
		depth += c == '(';
		depth -= c == ')';
	}
	if (depth)
		return 1;
	*out = l->m->text + first->at;
	return (int)len;
}

void
lower_mixed(struct lower *l, qd_type a, const struct node *x, qd_type b, const struct node *y)
{
	bool is_first = rank(a) < rank(b);
	bool signs = type_is(a, TM_INT) && type_is(b, TM_INT) && type_info[a].size == type_info[b].size;
	const char *one, *other;
	int n_one = operand_text(l, is_first ? x : y, &one), n_other = operand_text(l, is_first ? y : x, &other);
	size_t len;

	len = (size_t)snprintf(l->convert_text, sizeof l->convert_text, "convert one: %s(%.*s)",
			       type_info[is_first ? b : a].name, n_one, one);
	if (signs)
		snprintf(l->convert_text + len, sizeof l->convert_text - len,
			 "; if one may be negative, convert the other: %s(%.*s)", type_info[is_first ? a : b].name,
			 n_other, other);
	l->help.help = l->convert_text;
}

const char *
lower_name(const struct lower *l, uint32_t sym, char out[MAX_NAME + 1])
{
	snprintf(out, MAX_NAME + 1, "%.*s", SYM(l->m, sym));
	return out;
}

void
lower_at(struct lower *l, const struct node *n)
{
	if (l->b)
		build_at(l->b, sink_pos(l->sink, n->at));
}

bool
lower_count(struct lower *l, const struct node *n, uint32_t work)
{
	if (QD_LIKELY((l->work += work) <= l->max_work))
		return true;
	lower_too_much(l, n, false);
	return false;
}

void
lower_too_much(struct lower *l, const struct node *n, bool sure)
{
	if (!l->stop && !(l->parsing && (l->trying || !sure)))
		lower_error(l, n, DIAG_E0113, MAX_STATEMENTS);
	l->stop = l->failed = true;
}

bool
lower_deeper(struct lower *l, const struct node *n)
{
	if (depth_enter(&l->depth, MAX_LOWER_DEPTH))
		return true;
	if (!l->stop)
		lower_error(l, n, DIAG_E0112, MAX_LOWER_DEPTH, "");
	l->stop = true;
	return false;
}

/* -- Scopes ------------------------------------------------------------------------ */

struct scope_mark
scope_open(struct lower *l, bool function)
{
	struct scope_mark mark = { l->scope, l->floor };

	l->scope = l->n_bind;
	if (function)
		l->floor = l->n_bind;
	return mark;
}

void
scope_close(struct lower *l, struct scope_mark mark)
{
	while (l->n_bind > l->scope) {
		const struct binding *b = &l->bind[--l->n_bind];

		lower_symbol(l, b->sym)->top = b->prev;
	}
	l->scope = mark.scope;
	l->floor = mark.floor;
}

struct binding *
scope_push(struct lower *l, enum name_kind kind, const struct node *at, const char *what)
{
	struct binding *b = l->bind;

	if (l->n_bind == l->cap_bind) {
		if (!(b = lower_alloc(l, &l->mem, 2 * l->cap_bind * sizeof *b)))
			return NULL;
		memcpy(b, l->bind, l->cap_bind * sizeof *b);
		l->bind = b;
		l->cap_bind *= 2;
	}
	b += l->n_bind++;
	*b = (struct binding){ .kind = (uint8_t)kind, .at = at->at, .len = at->len, .what = what };
	return b;
}

void
scope_name(struct lower *l, uint32_t i, uint32_t sym)
{
	struct symbol_state *state = lower_symbol(l, sym);

	l->bind[i].sym = sym;
	l->bind[i].prev = state->top;
	state->top = i;
}

struct binding *
scope_bind(struct lower *l, enum name_kind kind, const struct node *at, const char *what)
{
	uint32_t prev = lower_symbol(l, at->sym)->top;
	struct binding *b;

	if (prev >= l->scope && prev) {
		b = &l->bind[prev];
		lower_note(l, b->at, b->len, "the first one is here");
		lower_error(l, at, DIAG_E0115, SYM(l->m, at->sym));
		return NULL;
	}
	if ((b = scope_push(l, kind, at, what)))
		scope_name(l, l->n_bind - 1, at->sym);
	return b;
}

static enum name_kind
declared(const struct node *n)
{
	switch ((enum node_kind)n->kind) {
	case N_CONST: return n->a && n->a->flags & F_ARRAY ? M_TABLE : M_CONST;
	case N_FN: return M_FN;
	case N_IMPORT: return M_FILE;
	default: return M_KERNEL;
	}
}

struct meaning
scope_find(const struct lower *l, uint32_t sym)
{
	const struct symbol_state *page = l->symbols[sym / SYMBOL_PAGE];
	uint32_t i = page ? page[sym % SYMBOL_PAGE].top : 0;
	struct meaning m = { .is = M_NOTHING };

	if (i && i >= l->floor) {
		m.local = &l->bind[i];
		m.is = (enum name_kind)m.local->kind;
	} else if ((m.global = global_find(l->m, l->file, sym))) {
		m.is = declared(m.global);
	} else if (word_is_type(sym)) {
		m.is = B_TYPE;
	} else if (sym >= FIRST_MATH && sym < N_WORD) {
		m.is = M_MATH;
	} else if (sym == W_assert || sym == W_print) {
		m.is = M_CHECK;
	} else if (sym == W_block || sym == W_subgroup || sym == W_grid || sym == W_atomic ||
		   sym == W_nvvm) {
		m.is = M_GROUP;
	}
	return m;
}

bool
scope_is_imported(const struct lower *l, const struct node *n)
{
	return n->kind == N_MEMBER && n->a->kind == N_NAME && scope_find(l, n->a->sym).is == M_FILE;
}

struct meaning
scope_named(const struct lower *l, const struct node *n)
{
	struct meaning m = { .is = M_NOTHING };

	if (n->kind == N_NAME || n->kind == N_TYPENAME)
		return scope_find(l, n->sym);
	if (!scope_is_imported(l, n))
		return m;
	if ((m.global = global_member(l->m, scope_find(l, n->a->sym).global, n->sym)))
		m.is = declared(m.global);
	return m;
}

const char *
meaning_text(const struct meaning *m)
{
	static const char *const text[] = { "a value",	"a value",    "a buffer",
					    "a type",	"a constant", "a constant table", "a function",
					    "a kernel", "a function", "a function",
					    "a group of primitives", "an imported file",
					    "unknown" };

	return text[m->is];
}

/* -- Unknown names -------------------------------------------------------------------- */

/* Offers a name of the file. */
static void
offer(const struct lower *l, struct suggest *g, uint32_t sym)
{
	suggest_offer(g, l->m->syms.sym[sym].s, l->m->syms.sym[sym].len);
}

static void
offer_word(const struct lower *l, struct suggest *g, uint32_t sym)
{
	suggest_offer_term(g, l->m->syms.sym[sym].s, l->m->syms.sym[sym].len);
}

/* Returns whether the name is a parameter of the kernel that is not visible here: in an
 * attribute. */
static bool
is_own_parameter(const struct lower *l, uint32_t sym)
{
	const struct node *p = l->call && !l->call->up ? l->call->fn->b : NULL;

	while (p && p->sym != sym)
		p = p->next;
	return p != NULL;
}

static void
unknown(struct lower *l, const struct node *n, uint32_t sym)
{
	const struct symbol *s = &l->m->syms.sym[sym];
	struct foreign f;
	const char *theirs = foreign_help(&f, s->s, s->len);
	struct suggest g;

	fail(l);
	if (lower_symbol(l, sym)->marks & MARK_UNKNOWN)
		return;
	lower_symbol(l, sym)->marks |= MARK_UNKNOWN;
	suggest_init(&g, s->s, s->len);
	for (uint32_t i = l->n_bind; i-- > (l->floor ? l->floor : 1);)
		offer(l, &g, l->bind[i].sym);
	for (const struct node *i = l->m->items; i; i = i->next)
		if (i->sym && global_find(l->m, l->file, i->sym))
			offer(l, &g, i->sym);
	for (uint32_t w = FIRST_TYPE; w < N_WORD; w++)
		if (scope_find(l, w).is != M_NOTHING)
			offer_word(l, &g, w);
	l->help.help = theirs ? theirs : suggest_text(&g, NULL);
	if (is_own_parameter(l, sym))
		l->help.help = "a parameter has no value before the launch: use a template parameter, <static n in 32..=1024>";
	lower_error(l, n, DIAG_E0116, SYM(l->m, sym));
}

/* Reports a member that an imported file does not declare. */
static void
undeclared(struct lower *l, const struct node *n)
{
	const uint64_t file = scope_find(l, n->a->sym).global->num;
	const struct symbol *s = &l->m->syms.sym[n->sym];
	const struct node *i = l->m->files[file].items;
	struct suggest g;

	suggest_init(&g, s->s, s->len);
	for (uint32_t k = 0; k < l->m->files[file].n_items; k++, i = i->next)
		if (i->kind != N_IMPORT && i->kind != N_INSTANTIATE)
			offer(l, &g, i->sym);
	l->help.help = suggest_text(&g, NULL);
	lower_error(l, n, DIAG_E0118, l->m->files[file].name, SYM(l->m, n->sym));
}

struct value
scope_wrong(struct lower *l, const struct node *n, const char *wanted)
{
	struct meaning m;

	for (; n->kind == N_MEMBER && !scope_is_imported(l, n); n = n->a)
		wanted = "an imported file";
	m = scope_named(l, n);
	if (m.is == M_NOTHING && n->kind == N_MEMBER) {
		undeclared(l, n);
	} else if (m.is == M_NOTHING) {
		unknown(l, n, n->sym);
	} else if (m.is != B_VALUE || m.local->value.kind != V_ERROR) {
		if ((m.is == B_ARRAY || m.is == M_TABLE) && !l->help.help)
			l->help.help = "an element is a[i], the number of elements a.len";
		lower_error(l, n, DIAG_E0127, SYM(l->m, n->sym), meaning_text(&m), wanted);
	}
	return value_error;
}

qd_type
scope_type(struct lower *l, const struct node *n, bool storage)
{
	struct meaning m = scope_find(l, n->sym);
	qd_type t = QD_TYPE_NONE;
	struct foreign f;
	struct suggest g;

	if (m.is == M_NOTHING) {
		suggest_init(&g, l->m->syms.sym[n->sym].s, l->m->syms.sym[n->sym].len);
		for (uint32_t w = FIRST_TYPE; w <= LAST_TYPE; w++)
			offer_word(l, &g, w);
		l->help.help = foreign_help(&f, l->m->syms.sym[n->sym].s, l->m->syms.sym[n->sym].len);
		if (!l->help.help)
			l->help.help = suggest_text(&g, NULL);
		lower_error(l, n, DIAG_E0343, SYM(l->m, n->sym));
		return QD_TYPE_NONE;
	}
	if (m.is != B_TYPE) {
		scope_wrong(l, n, "a type");
		return QD_TYPE_NONE;
	}
	t = m.local ? m.local->type : word_type(n->sym);
	if (!storage && type_info[t].wide != t) {
		lower_error(l, n, DIAG_E0344, type_info[t].name);
		return QD_TYPE_NONE;
	}
	return t;
}
