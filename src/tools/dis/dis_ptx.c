/* Reader of PTX for the views. It parses the functions, registers, labels and instructions of any
 * compiler's text, but not the semantics of instructions. */
#include "dis_ptx.h"

#include "lex.h"

static const char *const kinds[] = { "pred", "b16", "b32", "b64", "b128" };
static const uint8_t kind_words[] = { 0, 1, 1, 2, 4 };

static const char *const mixes[] = {
#define MIX(name) #name,
	MIXES
#undef MIX
};

static const struct code_form form = { "ptx", "//", kinds, kind_words, mixes, N_KIND, N_MIX };

/* -- Directives ---------------------------------------------------------------------------------------- */

/* Parses ".shared .align 4 .b8 name[256]". Returns the size in bytes. */
static uint64_t
variable_size(const struct ptx *p, const char *s, const char *stop, struct word *name)
{
	uint64_t size = 0, n = 1;

	*name = (struct word){ s, 0 };
	for (s = ptx_skip(p, s); s < stop && *s != '='; s = ptx_skip(p, s)) {
		struct word w = ptx_ident(p, *s == '.' ? s + 1 : s);
		if (*s == '.' && word_is(w, "align")) {
			s = ptx_skip(p, w.s + w.len);
			s += ptx_ident(p, s).len;
		} else if (*s == '.') {
			if (w.len > 1 && ptx_is_digit(w.s[w.len - 1]) && w.s[0] != 'v')
				size = word_number((struct word){ w.s + (ptx_is_digit(w.s[1]) ? 1 : 2), w.len }) / 8;
			else if (w.len == 2 && w.s[0] == 'v')
				n *= (uint64_t)(w.s[1] - '0');
			s = w.s + w.len;
		} else if (w.len && !name->len) {
			*name = w;
			s += w.len;
		} else if (*s == '[') {
			w = ptx_ident(p, ptx_skip(p, s + 1));
			n *= w.len ? word_number(w) : 0;
			s = w.s + w.len;
		} else {
			s += w.len ? w.len : 1;
		}
	}
	return size * n > UINT64_C(1) << 40 ? 0 : size * n;
}

/* Parses .loc FILE LINE COLUMN, which applies to the following instructions. */
static void
read_loc(struct ptx *p)
{
	const char *stop = ptx_line_end(p, p->at), *s = p->at + 4;
	uint32_t v[3] = { 0 };

	for (size_t i = 0; i < QD_COUNT(v); i++) {
		while (s < stop && (*s == ' ' || *s == '\t'))
			s++;
		struct word w = ptx_ident(p, s);
		v[i] = (uint32_t)word_number(w);
		s = w.s + w.len;
	}
	p->at = stop;
	const char *next = ptx_skip(p, stop);
	next = ptx_line_of(p, next);
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
	const char *stop = ptx_line_end(p, p->at), *open = memchr(p->at, '"', (size_t)(stop - p->at));
	const char *close = open ? memchr(open + 1, '"', (size_t)(stop - open - 1)) : NULL;
	struct file f = { (uint32_t)word_number(ptx_ident(p, ptx_skip(p, p->at + 5))), { "", 0 } };

	if (close) {
		f.name = (struct word){ open + 1, (uint32_t)(close - open - 1) };
		code_add(&p->files, &f, sizeof f);
	}
	p->at = stop;
}

/* Sets the file names of the marks. A .file may follow the .loc that refers to it. */
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
	/* `met` has the indices of declarations: they are not reused */
	ptx_close_decls(p);
	p->scope = ((const uint32_t *)(const void *)buf_data(&p->scopes))[p->scope];
}

static void
body_directive(struct ptx *p)
{
	const char *s = p->at;

	if (ptx_directive(p, s, ".loc")) {
		read_loc(p);
		return;
	}
	if (ptx_directive(p, s, ".file")) {
		read_file(p);
		return;
	}
	const char *stop = ptx_statement_end(p, s, ";");
	struct word name;
	if (ptx_directive(p, s, ".reg"))
		ptx_read_reg(p, s + 4, stop);
	else if (ptx_directive(p, s, ".shared"))
		p->fn.shared += variable_size(p, s + 7, stop, &name);
	else if (ptx_directive(p, s, ".local"))
		p->fn.local += variable_size(p, s + 6, stop, &name);
	else if (ptx_directive(p, s, ".branchtargets"))
		ptx_read_targets(p, s + 14, stop);
	p->at = stop + 1;
}

/* Reads a function's body after its first brace, and the last brace. */
static void
read_body(struct ptx *p)
{
	uint32_t depth = 1;

	while (depth) {
		p->at = ptx_skip(p, p->at);
		if (p->at >= p->end)
			ptx_broken(p, p->end, "the text ends within a function");
		struct word w = ptx_ident(p, p->at);
		const char *next = ptx_skip(p, p->at + w.len);
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
			ptx_add_label(p, w);
			p->at = next + 1;
		} else {
			ptx_read_insn(p);
		}
	}
}

static void
clear(struct ptx *p)
{
	struct buf *all[] = { &p->decls, &p->decl_chains.first, &p->open, &p->labels, &p->jumps, &p->targets, &p->scopes, &p->met };

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
	open_scope(p); /* the outermost scope is its own parent */
	/* parameters of device functions may be registers */
	for (const char *s = from; !kernel && s < brace; s++) {
		if (ptx_directive(p, s, ".reg")) {
			const char *stop = s;
			while (stop < brace && *stop != ',' && *stop != ')')
				stop++;
			ptx_read_reg(p, s + 4, stop);
			s = stop;
		}
	}
	open_scope(p);
	p->at = brace + 1;
	read_body(p);
	ptx_resolve(p);
	p->fn.to = (uint32_t)(p->at - p->start);
	p->fn.n = CODE_COUNT(&p->c->insns, code_insn) - p->fn.first;
	p->fn.n_reg = CODE_COUNT(&p->c->regs, code_reg) - p->fn.reg;
	code_add(&p->c->functions, &p->fn, sizeof p->fn);
}

/* Parses ".entry name(...)" or ".func (...) name (...)". Returns false for other statements. */
static bool
function_name(const struct ptx *p, const char *s, const char *stop, struct word *name, bool *kernel)
{
	for (; (s = ptx_skip(p, s)) < stop && *s == '.'; s += 1 + ptx_ident(p, s + 1).len) {
		*kernel = ptx_directive(p, s, ".entry");
		if (!*kernel && !ptx_directive(p, s, ".func"))
			continue;
		s = ptx_skip(p, s + (*kernel ? 6 : 5));
		if (!*kernel && s < stop && *s == '(')
			s = ptx_skip(p, ptx_statement_end(p, s + 1, ")") + 1);
		*name = ptx_ident(p, s);
		return name->len != 0;
	}
	return false;
}

static void
line_word(struct ptx *p, size_t skipped, const char **out, const char *prefix)
{
	const char *s = ptx_skip(p, p->at + skipped), *stop = ptx_line_end(p, s), *end = s;
	char text[64];

	while (end < stop && (lex_is_word(*end) || *end == '.'))
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

	if (ptx_directive(p, from, ".version")) {
		line_word(p, 8, &p->c->version, "");
	} else if (ptx_directive(p, from, ".target")) {
		line_word(p, 7, &p->c->target, "ptx:");
	} else if (ptx_directive(p, from, ".address_size")) {
		p->at = ptx_line_end(p, from);
	} else if (ptx_directive(p, from, ".file")) {
		read_file(p);
	} else if (ptx_directive(p, from, ".section")) {
		stop = ptx_statement_end(p, from, "{");
		p->at = ptx_statement_end(p, stop + 1, "}") + 1;
	} else {
		if (*from != '.' && *from != ';')
			ptx_broken(p, from, "neither a directive nor a function");
		stop = ptx_statement_end(p, from, "{;=");
		if (*stop == '{' && function_name(p, from, stop, &name, &kernel)) {
			read_function(p, from, stop, name, kernel);
			return;
		}
		if (*stop != ';')
			stop = ptx_statement_end(p, stop, ";");
		if (ptx_directive(p, from, ".shared") || memmem(from, (size_t)(stop - from), ".shared ", 8)) {
			uint64_t bytes = variable_size(p, from, stop, &name);
			if (name.len)
				ptx_add_shared(p, name, bytes);
		}
		p->at = stop + 1;
	}
}

void
code_read_ptx(struct code *c, const char *text, size_t size)
{
	struct ptx p = { .c = c, .start = text, .at = text, .end = text + size };
	struct buf *all[] = { &p.decls, &p.labels, &p.jumps, &p.targets, &p.scopes, &p.met, &p.shared, &p.shared_chains.first,
			       &p.decl_chains.first, &p.open, &p.files, &p.loc_files };

	if (size >= UINT32_MAX / 2)
		tool_die(EXIT_INPUT, "'%s' is too large", c->label);
	c->form = &form;
	c->list = text;
	c->list_size = size;
	hash_seed(p.seed);
	for (size_t i = 0; i < QD_COUNT(all); i++)
		buf_init(all[i], &c->dis->ctx->pool);
	while ((p.at = ptx_skip(&p, p.at)) < p.end)
		read_statement(&p);
	name_files(&p);
	for (size_t i = 0; i < QD_COUNT(all); i++)
		buf_fini(all[i]);
}
