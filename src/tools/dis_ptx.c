/* PTX as the views want it: any compiler's text, read as far as functions, registers,
 * labels and instructions; what an instruction computes is not looked at. */
#include "dis_code.h"

enum { KIND_PRED, KIND_16, KIND_32, KIND_64, KIND_128, N_KIND };
static const char *const kinds[] = { "pred", "b16", "b32", "b64", "b128" };
static const uint8_t kind_words[] = { 0, 1, 1, 2, 4 };

enum mix {
#define MIX(name) MIX_##name,
#define MIXES                                                                                      \
	MIX(alu) MIX(move) MIX(convert) MIX(matrix) MIX(memory) MIX(shared) MIX(param) MIX(atomic)  \
	MIX(lane) MIX(barrier) MIX(branch) MIX(other)
	MIXES N_MIX
#undef MIX
};
static const char *const mixes[] = {
#define MIX(name) #name,
	MIXES
#undef MIX
};

static const struct code_form form = { "ptx", "//", kinds, kind_words, mixes, N_KIND, N_MIX };

static const struct op {
	const char *name;
	uint8_t mix;
	bool makes;
} ops[] = {
#define PTX_OP(name, mix, makes) { name, MIX_##mix, makes },
#include "dis_ptx.def"
};

struct word {
	const char *s;
	uint32_t len;
};

/* A declaration of registers; reg of each number only once it is met. */
struct decl {
	struct word name;
	uint32_t kind, scope, n; /* n: how many numbered ones; NO_NUMBER: one without */
};
#define NO_NUMBER UINT32_MAX

struct label {
	struct word name;
	uint32_t scope, insn, hash;
	bool list; /* of .branchtargets: the labels that `to` has from `insn` on */
	uint32_t n;
};

/* A branch and the name that it goes to. */
struct jump {
	struct word name;
	uint32_t scope, insn;
};

struct met { /* a register, by its declaration and number */
	uint32_t decl, number, reg;
};

struct variable { /* in shared memory, of the module */
	struct word name;
	uint64_t size;
	uint32_t function; /* that named it last */
};

struct ptx {
	struct code *c;
	const char *start, *at, *end;
	struct code_fn fn;
	struct buf decls, labels, jumps, targets, scopes, met, shared, files, loc_files;
	uint32_t met_mask, n_met, scope;
	bool head; /* of a function, which has no body: .param alone */
};

TOOL_NORETURN static void
broken(const struct ptx *p, const char *at, const char *what)
{
	uint32_t line = 1;

	for (const char *s = p->start; s < at; s++)
		line += *s == '\n';
	tool_die(EXIT_INPUT, "'%s': line %u: %s", p->c->label, line, what);
}

/* -- Words -------------------------------------------------------------------------------- */

static bool
is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '$' || c == '%';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Behind blanks and remarks. */
static const char *
skip(const struct ptx *p, const char *s)
{
	while (s < p->end) {
		if (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r' || *s == '\f' || *s == '\v') {
			s++;
		} else if (p->end - s > 1 && s[0] == '/' && s[1] == '/') {
			while (s < p->end && *s != '\n')
				s++;
		} else if (p->end - s > 1 && s[0] == '/' && s[1] == '*') {
			for (s += 2; s < p->end && !(p->end - s > 1 && s[0] == '*' && s[1] == '/');)
				s++;
			s = p->end - s > 1 ? s + 2 : p->end;
		} else {
			break;
		}
	}
	return s;
}

static struct word
ident_at(const struct ptx *p, const char *s)
{
	const char *from = s;

	while (s < p->end && is_ident(*s))
		s++;
	return (struct word){ from, (uint32_t)(s - from) };
}

static bool
is(struct word w, const char *text)
{
	return strlen(text) == w.len && memcmp(w.s, text, w.len) == 0;
}

static bool
same(struct word a, struct word b)
{
	return a.len == b.len && memcmp(a.s, b.s, a.len) == 0;
}

/* ".reg" at s; behind it. */
static bool
directive(const struct ptx *p, const char *s, const char *name)
{
	size_t len = strlen(name);

	return (size_t)(p->end - s) > len && memcmp(s, name, len) == 0 && !is_ident(s[len]);
}

static uint64_t
number_of(struct word w)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < w.len && is_digit(w.s[i]) && v < UINT64_C(1) << 40; i++)
		v = 10 * v + (uint64_t)(w.s[i] - '0');
	return v;
}

/* To the end of the line. */
static const char *
line_end(const struct ptx *p, const char *s)
{
	const char *eol = memchr(s, '\n', (size_t)(p->end - s));

	return eol ? eol : p->end;
}

/* To what ends the statement, outside of brackets, quotes and remarks. */
static const char *
statement_end(const struct ptx *p, const char *s, const char *enders)
{
	const char *from = s;
	int depth = 0;

	while ((s = skip(p, s)) < p->end) {
		if (*s == '"') {
			for (s++; s < p->end && *s != '"'; s++)
				s += *s == '\\' && p->end - s > 1;
		} else if (depth == 0 && strchr(enders, *s)) {
			return s;
		} else if (*s == '(' || *s == '[' || *s == '{') {
			depth++;
		} else if (*s == ')' || *s == ']' || *s == '}') {
			depth--;
		}
		s += s < p->end;
	}
	broken(p, from, "the text ends within what begins here");
}

/* -- Registers ------------------------------------------------------------------------------- */

static uint32_t
kind_of(struct word type)
{
	if (is(type, "pred"))
		return KIND_PRED;
	if (is(type, "f16x2") || is(type, "bf16x2"))
		return KIND_32;
	for (uint32_t i = 0; i < type.len; i++) {
		if (is_digit(type.s[i])) {
			uint64_t bits = number_of((struct word){ type.s + i, type.len - i });
			return bits <= 16 ? KIND_16 : bits == 32 ? KIND_32 : bits == 64 ? KIND_64 : KIND_128;
		}
	}
	return KIND_32;
}

static void
read_reg(struct ptx *p, const char *s, const char *stop)
{
	uint32_t kind = KIND_32;

	for (s = skip(p, s); s < stop; s = skip(p, s)) {
		if (*s == '.') {
			struct word type = ident_at(p, s + 1);
			if (!type.len || (type.s[0] != 'v' && !is(type, "align")))
				kind = kind_of(type);
			s = type.s + type.len;
			continue;
		}
		struct decl d = { .name = ident_at(p, s), .kind = kind, .scope = p->scope, .n = NO_NUMBER };
		if (!d.name.len) {
			s++;
			continue;
		}
		s = skip(p, s + d.name.len);
		if (s < stop && *s == '<') {
			struct word n = ident_at(p, skip(p, s + 1));
			d.n = (uint32_t)number_of(n);
			s = n.s + n.len;
		}
		p->fn.declared[kind] += d.n == NO_NUMBER ? 1 : d.n;
		code_add(&p->decls, &d, sizeof d);
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

/* Half of the table stays empty. */
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

/* Declared in a scope that is open, the innermost first. */
static bool
find_reg(struct ptx *p, struct word w, uint32_t *reg)
{
	const struct decl *d = CODE_ROWS(&p->decls, decl);
	uint32_t digits = 0;

	while (digits < w.len && is_digit(w.s[w.len - 1 - digits]))
		digits++;
	for (uint32_t i = CODE_COUNT(&p->decls, decl); i-- > 0;) {
		uint32_t tail = w.len - d[i].name.len;
		if (d[i].name.len > w.len || memcmp(d[i].name.s, w.s, d[i].name.len) != 0)
			continue;
		if (d[i].n == NO_NUMBER ? tail != 0 : !tail || tail > digits)
			continue;
		uint64_t n = number_of((struct word){ w.s + d[i].name.len, tail });
		if (d[i].n != NO_NUMBER && n >= d[i].n)
			continue;
		make_room(p);
		*reg = new_reg(p, i, d[i].n == NO_NUMBER ? 0 : (uint32_t)n, w);
		return true;
	}
	return false;
}

/* -- Instructions -------------------------------------------------------------------------------- */

static const struct op *
find_op(struct word name)
{
	for (size_t i = 0; i < QD_COUNT(ops); i++) {
		size_t len = strlen(ops[i].name);
		if (len <= name.len && memcmp(ops[i].name, name.s, len) == 0 &&
		    (len == name.len || name.s[len] == '.'))
			return &ops[i];
	}
	return NULL;
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
mix_of(const struct op *op, struct word name)
{
	uint8_t mix = op ? op->mix : MIX_alu;

	if (mix == MIX_memory && has_part(name, ".shared"))
		return MIX_shared;
	if (mix == MIX_memory && (has_part(name, ".param") || has_part(name, ".const")))
		return MIX_param;
	return mix;
}

static void
name_shared(struct ptx *p, struct word w)
{
	struct variable *v = CODE_ROWS(&p->shared, variable);
	uint32_t function = CODE_COUNT(&p->c->functions, code_fn) + 1;

	for (uint32_t i = 0; i < CODE_COUNT(&p->shared, variable); i++) {
		if (v[i].function != function && same(v[i].name, w)) {
			v[i].function = function;
			p->fn.shared += v[i].size;
		}
	}
}

/* Registers of the operands from s to stop: of the first alone, or of all others. */
static void
read_operands(struct ptx *p, struct code_insn *in, const char *s, const char *stop, bool first, bool makes)
{
	int depth = 0, address = 0;
	bool at_first = true;

	while ((s = skip(p, s)) < stop) {
		uint32_t reg;
		struct word w = ident_at(p, s);
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
		if (is_digit(*w.s) || def != first)
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
	struct jump j = { .scope = p->scope, .insn = CODE_COUNT(&p->c->insns, code_insn) };

	for (s = skip(p, s); s < stop; s = skip(p, s)) {
		struct word w = ident_at(p, s);
		s += w.len ? w.len : 1;
		if (w.len && (last || !j.name.len))
			j.name = w;
	}
	if (j.name.len)
		code_add(&p->jumps, &j, sizeof j);
}

static void
read_insn(struct ptx *p)
{
	const char *from = p->at, *stop = statement_end(p, from, ";"), *s = from, *eol = line_end(p, stop);
	struct code_insn in = { .text = from, .len = (uint32_t)(stop - from), .addr = (uint64_t)(from - p->start),
				.ref = (uint32_t)(p->c->refs.len / sizeof(uint32_t)), .goes_on = true };
	const char *bol = from, *guard = NULL;

	while (bol > p->start && bol[-1] != '\n')
		bol--;
	in.line_at = (uint32_t)(bol - p->start);
	in.line_end = (uint32_t)((eol > bol && eol[-1] == '\r' ? eol - 1 : eol) - p->start);
	if (*s == '@') {
		guard = s;
		s = skip(p, s + 1);
		s = s < stop && *s == '!' ? skip(p, s + 1) : s;
		s = skip(p, s + ident_at(p, s).len);
		in.keeps = true;
	}
	struct word name = { s, 0 };
	while (s < stop && (is_ident(*s) || *s == '.' || *s == ':'))
		s++;
	name.len = (uint32_t)(s - name.s);
	if (!name.len)
		broken(p, from, "this is no instruction");
	const struct op *op = find_op(name);
	bool call = op && strcmp(op->name, "call") == 0;
	const char *operands = skip(p, s);
	bool makes = op ? op->makes || (call && operands < stop && *operands == '(') : true;
	in.mix = mix_of(op, name);
	if (makes)
		read_operands(p, &in, operands, stop, true, true);
	if (guard)
		read_operands(p, &in, guard, name.s, false, false);
	read_operands(p, &in, operands, stop, false, makes);
	if (op && in.mix == MIX_branch && !call) {
		in.goes_on = guard != NULL;
		if (op->name[0] == 'b')
			add_jump(p, operands, stop, op->name[2] == 'x');
	} else if (op && strcmp(op->name, "trap") == 0) {
		in.goes_on = guard != NULL;
	}
	code_add(&p->c->insns, &in, sizeof in);
	p->at = stop + 1;
}

/* -- Labels ----------------------------------------------------------------------------------------- */

static uint32_t
hash_of(struct word w)
{
	uint32_t h = 0x811c9dc5u;

	for (uint32_t i = 0; i < w.len; i++)
		h = (h ^ (uint8_t)w.s[i]) * 0x01000193u;
	return h;
}

/* The label of this name in the scope or one around it. */
static const struct label *
find_label(const struct ptx *p, struct word name, uint32_t scope)
{
	const struct label *l = CODE_ROWS(&p->labels, label), *found = NULL;
	const uint32_t *outer = (const uint32_t *)(const void *)buf_data(&p->scopes);
	uint32_t hash = hash_of(name);

	for (uint32_t i = 0; i < CODE_COUNT(&p->labels, label); i++) {
		if (l[i].hash != hash || !same(l[i].name, name))
			continue;
		uint32_t s = scope;
		while (s != l[i].scope && s)
			s = outer[s];
		if (s == l[i].scope && (!found || l[i].scope > found->scope))
			found = &l[i];
	}
	return found;
}

static void
add_way(struct ptx *p, struct code_insn *in, const struct label *to)
{
	if (!to || to->list || to->insn >= CODE_COUNT(&p->c->insns, code_insn))
		return;
	code_add(&p->c->ways, &to->insn, sizeof to->insn);
	in->n_way++;
}

static void
resolve(struct ptx *p)
{
	const struct jump *j = CODE_ROWS(&p->jumps, jump);
	const struct word *names = CODE_ROWS(&p->targets, word);

	for (uint32_t i = 0; i < CODE_COUNT(&p->jumps, jump); i++) {
		struct code_insn *in = &CODE_ROWS(&p->c->insns, code_insn)[j[i].insn];
		const struct label *l = find_label(p, j[i].name, j[i].scope);
		in->way = (uint32_t)(p->c->ways.len / sizeof(uint32_t));
		for (uint32_t k = 0; l && l->list && k < l->n; k++)
			add_way(p, in, find_label(p, names[l->insn + k], l->scope));
		add_way(p, in, l);
		if (!l)
			broken(p, j[i].name.s, "there is no such label");
	}
}

/* The labels that a list names. */
static void
read_targets(struct ptx *p, const char *s, const char *stop)
{
	uint32_t n = CODE_COUNT(&p->labels, label);
	struct label *l = n ? &CODE_ROWS(&p->labels, label)[n - 1] : NULL;

	if (!l)
		return;
	l->list = true;
	l->insn = CODE_COUNT(&p->targets, word);
	for (s = skip(p, s); s < stop; s = skip(p, s)) {
		struct word w = ident_at(p, s);
		s += w.len ? w.len : 1;
		if (!w.len)
			continue;
		code_add(&p->targets, &w, sizeof w);
		l->n++;
	}
}

/* -- Directives ---------------------------------------------------------------------------------------- */

/* ".shared .align 4 .b8 name[256]": its name and bytes. */
static uint64_t
variable_size(const struct ptx *p, const char *s, const char *stop, struct word *name)
{
	uint64_t size = 0, n = 1;

	*name = (struct word){ s, 0 };
	for (s = skip(p, s); s < stop && *s != '='; s = skip(p, s)) {
		struct word w = ident_at(p, *s == '.' ? s + 1 : s);
		if (*s == '.' && is(w, "align")) {
			s = skip(p, w.s + w.len);
			s += ident_at(p, s).len;
		} else if (*s == '.') {
			if (w.len > 1 && is_digit(w.s[w.len - 1]) && w.s[0] != 'v')
				size = number_of((struct word){ w.s + (is_digit(w.s[1]) ? 1 : 2), w.len }) / 8;
			else if (w.len == 2 && w.s[0] == 'v')
				n *= (uint64_t)(w.s[1] - '0');
			s = w.s + w.len;
		} else if (w.len && !name->len) {
			*name = w;
			s += w.len;
		} else if (*s == '[') {
			w = ident_at(p, skip(p, s + 1));
			n *= w.len ? number_of(w) : 0;
			s = w.s + w.len;
		} else {
			s += w.len ? w.len : 1;
		}
	}
	return size * n > UINT64_C(1) << 40 ? 0 : size * n;
}

/* .loc FILE LINE COLUMN of what comes next. */
static void
read_loc(struct ptx *p)
{
	const char *stop = line_end(p, p->at), *s = p->at + 4;
	uint32_t v[3] = { 0 };

	for (size_t i = 0; i < QD_COUNT(v); i++) {
		while (s < stop && (*s == ' ' || *s == '\t'))
			s++;
		struct word w = ident_at(p, s);
		v[i] = (uint32_t)number_of(w);
		s = w.s + w.len;
	}
	p->at = stop;
	const char *next = skip(p, stop);
	while (next > p->start && next[-1] != '\n')
		next--;
	code_add(&p->c->marks, &(struct code_mark){ (uint32_t)(next - p->start), v[1], v[2], NULL },
		 sizeof(struct code_mark));
	code_add(&p->loc_files, &v[0], sizeof v[0]);
}

struct file {
	uint32_t number;
	struct word name;
};

static void
read_file(struct ptx *p)
{
	const char *stop = line_end(p, p->at), *open = memchr(p->at, '"', (size_t)(stop - p->at));
	const char *close = open ? memchr(open + 1, '"', (size_t)(stop - open - 1)) : NULL;
	struct file f = { (uint32_t)number_of(ident_at(p, skip(p, p->at + 5))), { "", 0 } };

	if (close) {
		f.name = (struct word){ open + 1, (uint32_t)(close - open - 1) };
		code_add(&p->files, &f, sizeof f);
	}
	p->at = stop;
}

/* The files of the marks, which may be named behind them. */
static void
name_files(struct ptx *p)
{
	const struct file *f = CODE_ROWS(&p->files, file);
	struct code_mark *m = CODE_ROWS(&p->c->marks, code_mark);
	const uint32_t *number = (const uint32_t *)(const void *)buf_data(&p->loc_files);
	uint32_t n = CODE_COUNT(&p->files, file);
	const char **name = code_alloc(p->c->mem, n * sizeof *name);

	for (uint32_t i = 0; i < n; i++)
		name[i] = code_text(p->c->mem, f[i].name.s, f[i].name.len);
	for (uint32_t i = 0; i < CODE_COUNT(&p->c->marks, code_mark); i++) {
		for (uint32_t k = 0; k < n && !m[i].file; k++)
			m[i].file = f[k].number == number[i] ? name[k] : NULL;
	}
}

/* -- Functions -------------------------------------------------------------------------------------------- */

static void
open_scope(struct ptx *p)
{
	code_add(&p->scopes, &p->scope, sizeof p->scope);
	p->scope = (uint32_t)(p->scopes.len / sizeof(uint32_t)) - 1;
}

static void
close_scope(struct ptx *p)
{
	const struct decl *d = CODE_ROWS(&p->decls, decl);
	uint32_t n = CODE_COUNT(&p->decls, decl);

	/* The table of those met keeps numbers of declarations: they are not used again. */
	for (uint32_t i = n; i-- > 0 && d[i].scope >= p->scope;)
		CODE_ROWS(&p->decls, decl)[i].name.len = UINT32_MAX;
	p->scope = ((const uint32_t *)(const void *)buf_data(&p->scopes))[p->scope];
}

static void
body_directive(struct ptx *p)
{
	const char *s = p->at;

	if (directive(p, s, ".loc")) {
		read_loc(p);
		return;
	}
	if (directive(p, s, ".file")) {
		read_file(p);
		return;
	}
	const char *stop = statement_end(p, s, ";");
	struct word name;
	if (directive(p, s, ".reg"))
		read_reg(p, s + 4, stop);
	else if (directive(p, s, ".shared"))
		p->fn.shared += variable_size(p, s + 7, stop, &name);
	else if (directive(p, s, ".local"))
		p->fn.local += variable_size(p, s + 6, stop, &name);
	else if (directive(p, s, ".branchtargets"))
		read_targets(p, s + 14, stop);
	p->at = stop + 1;
}

/* From behind the first brace to behind the last. */
static void
read_body(struct ptx *p)
{
	uint32_t depth = 1;

	while (depth) {
		p->at = skip(p, p->at);
		if (p->at >= p->end)
			broken(p, p->end, "the text ends within a function");
		struct word w = ident_at(p, p->at);
		const char *next = skip(p, p->at + w.len);
		if (*p->at == '{') {
			open_scope(p);
			depth++;
			p->at++;
		} else if (*p->at == '}') {
			close_scope(p);
			depth--;
			p->at++;
		} else if (*p->at == ';') {
			p->at++;
		} else if (*p->at == '.') {
			body_directive(p);
		} else if (w.len && next < p->end && *next == ':') {
			struct label l = { .name = w, .scope = p->scope, .hash = hash_of(w),
					   .insn = CODE_COUNT(&p->c->insns, code_insn) };
			code_add(&p->labels, &l, sizeof l);
			p->at = next + 1;
		} else {
			read_insn(p);
		}
	}
}

static void
clear(struct ptx *p)
{
	struct buf *all[] = { &p->decls, &p->labels, &p->jumps, &p->targets, &p->scopes, &p->met };

	for (size_t i = 0; i < QD_COUNT(all); i++) {
		buf_fini(all[i]);
		buf_init(all[i], &p->c->dis->ctx->pool);
	}
	p->met_mask = p->n_met = p->scope = 0;
}

static void
read_function(struct ptx *p, const char *from, const char *brace, struct word name, bool kernel)
{
	p->fn = (struct code_fn){ .kernel = kernel, .from = (uint32_t)(from - p->start),
					.first = CODE_COUNT(&p->c->insns, code_insn),
					.reg = CODE_COUNT(&p->c->regs, code_reg) };
	p->fn.name = code_text(p->c->mem, name.s, name.len);
	clear(p);
	open_scope(p); /* the outermost is its own */
	/* Parameters of device functions may be registers. */
	for (const char *s = from; !kernel && s < brace; s++) {
		if (directive(p, s, ".reg")) {
			const char *stop = s;
			while (stop < brace && *stop != ',' && *stop != ')')
				stop++;
			read_reg(p, s + 4, stop);
		}
	}
	open_scope(p);
	p->at = brace + 1;
	read_body(p);
	resolve(p);
	p->fn.to = (uint32_t)(p->at - p->start);
	p->fn.n = CODE_COUNT(&p->c->insns, code_insn) - p->fn.first;
	p->fn.n_reg = CODE_COUNT(&p->c->regs, code_reg) - p->fn.reg;
	code_add(&p->c->functions, &p->fn, sizeof p->fn);
}

/* ".entry name(...)", ".func (...) name (...)": the name, if it is one of these. */
static bool
function_name(const struct ptx *p, const char *s, const char *stop, struct word *name, bool *kernel)
{
	for (; (s = skip(p, s)) < stop && *s == '.'; s += 1 + ident_at(p, s + 1).len) {
		*kernel = directive(p, s, ".entry");
		if (!*kernel && !directive(p, s, ".func"))
			continue;
		s = skip(p, s + (*kernel ? 6 : 5));
		if (!*kernel && s < stop && *s == '(')
			s = skip(p, statement_end(p, s + 1, ")") + 1);
		*name = ident_at(p, s);
		return name->len != 0;
	}
	return false;
}

static void
line_word(struct ptx *p, size_t skipped, const char **out, const char *prefix)
{
	const char *s = skip(p, p->at + skipped), *stop = line_end(p, s), *end = s;
	char text[64];

	while (end < stop && (is_ident(*end) || *end == '.'))
		end++;
	snprintf(text, sizeof text, "%s%.*s", prefix, (int)(end - s > 40 ? 40 : end - s), s);
	*out = code_text(p->c->mem, text, strlen(text));
	p->at = stop;
}

static void
read_statement(struct ptx *p)
{
	const char *from = p->at, *stop;
	struct word name;
	bool kernel;

	if (directive(p, from, ".version")) {
		line_word(p, 8, &p->c->version, "");
	} else if (directive(p, from, ".target")) {
		line_word(p, 7, &p->c->target, "ptx:");
	} else if (directive(p, from, ".address_size")) {
		p->at = line_end(p, from);
	} else if (directive(p, from, ".file")) {
		read_file(p);
	} else if (directive(p, from, ".section")) {
		stop = statement_end(p, from, "{");
		p->at = statement_end(p, stop + 1, "}") + 1;
	} else {
		if (*from != '.' && *from != ';')
			broken(p, from, "neither a directive nor a function");
		stop = statement_end(p, from, "{;=");
		if (*stop == '{' && function_name(p, from, stop, &name, &kernel)) {
			read_function(p, from, stop, name, kernel);
			return;
		}
		if (*stop != ';')
			stop = statement_end(p, stop, ";");
		if (directive(p, from, ".shared") || memmem(from, (size_t)(stop - from), ".shared ", 8)) {
			struct variable v = { .size = variable_size(p, from, stop, &v.name) };
			if (v.name.len)
				code_add(&p->shared, &v, sizeof v);
		}
		p->at = stop + 1;
	}
}

void
code_read_ptx(struct code *c, const char *text, size_t size)
{
	struct ptx p = { .c = c, .start = text, .at = text, .end = text + size };
	struct buf *all[] = { &p.decls, &p.labels, &p.jumps, &p.targets, &p.scopes, &p.met, &p.shared, &p.files, &p.loc_files };

	if (size >= UINT32_MAX / 2)
		tool_die(EXIT_INPUT, "'%s' is too large", c->label);
	c->form = &form;
	c->list = text;
	c->list_size = size;
	for (size_t i = 0; i < QD_COUNT(all); i++)
		buf_init(all[i], &c->dis->ctx->pool);
	while ((p.at = skip(&p, p.at)) < p.end)
		read_statement(&p);
	name_files(&p);
	for (size_t i = 0; i < QD_COUNT(all); i++)
		buf_fini(all[i]);
}
