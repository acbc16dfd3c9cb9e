/* Reads printed IR back to a kernel (print.c describes the form). The text is untrusted: this file
 * checks syntax, ir_verify checks the rest. */
#include "diag.h"

enum { MAX_LABEL = 1 << 22 };

struct reader {
	struct qd_kernel *k;
	struct qd_context *ctx;
	struct qd_error *err;
	const char *name, *text, *at, *end, *line_start;
	uint32_t line;
	uint32_t *label; /* %n of the text to index, 0: not defined yet */
	uint32_t n_label;
	char word[64];
	struct line_part here; /* position of a message */
	struct line_map lines;
	uint32_t cap_mems; /* capacity of the kernel's memory table, in rows */
};

static struct diag_at
here(struct reader *r)
{
	r->here = (struct line_part){ 1, r->line, r->line, (uint32_t)(r->at - r->line_start), r->name };
	r->lines = (struct line_map){ &r->here, 1 };

	return (struct diag_at){ .file = r->name,
				 .source = r->text,
				 .source_len = (size_t)(r->end - r->text),
				 .lines = &r->lines,
				 .pos = POS(1, 1) };
}

#define FAIL(r, ...) diag_report((r)->ctx, (r)->err, here(r), NULL, NULL, __VA_ARGS__)

static qd_status
nomem(const struct reader *r)
{
	return qd_fail(r->err, QD_E_NOMEM, "%s: out of memory", r->name);
}

/* -- Tokens ---------------------------------------------------------------------- */

static void
skip_space(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static bool
at_line_end(struct reader *r)
{
	skip_space(r);
	return r->at == r->end || *r->at == '\n' || *r->at == ';';
}

/* Skips the rest of the line with its comment, and empty lines. */
static void
next_line(struct reader *r)
{
	for (;;) {
		while (r->at < r->end && *r->at != '\n')
			r->at++;
		if (r->at == r->end)
			return;
		r->at++;
		r->line++;
		r->line_start = r->at;
		skip_space(r);
		if (r->at < r->end && *r->at != '\n')
			return;
	}
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '[' || c == ']';
}

/* Reads a word into r->word, or an empty string. */
static const char *
read_word(struct reader *r)
{
	size_t n = 0;

	skip_space(r);
	while (r->at + n < r->end && is_word(r->at[n]) && n < sizeof r->word - 1)
		n++;
	memcpy(r->word, r->at, n);
	r->word[n] = 0;
	r->at += n;
	return r->word;
}

static bool
peek(struct reader *r, char c)
{
	skip_space(r);
	return r->at < r->end && *r->at == c;
}

static qd_status
expect(struct reader *r, char c)
{
	char text[4] = { '\'', c, '\'', 0 };

	if (!peek(r, c))
		return FAIL(r, DIAG_E0601, text);
	r->at++;
	return QD_OK;
}

static int
digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static qd_status
read_number(struct reader *r, uint64_t max, uint64_t *out)
{
	uint64_t v = 0, base = 10;
	const char *start;

	skip_space(r);
	if (r->end - r->at > 2 && r->at[0] == '0' && r->at[1] == 'x') {
		base = 16;
		r->at += 2;
	}
	for (start = r->at; r->at < r->end && (uint64_t)digit(*r->at) < base; r->at++) {
		if (v > (max - (uint64_t)digit(*r->at)) / base)
			return FAIL(r, DIAG_E0601, "a number that fits");
		v = v * base + (uint64_t)digit(*r->at);
	}
	if (r->at == start)
		return FAIL(r, DIAG_E0601, "a number");
	*out = v;
	return QD_OK;
}

static qd_status
read_u32(struct reader *r, uint32_t *out)
{
	uint64_t v = 0;

	QD_TRY(read_number(r, UINT32_MAX, &v));
	*out = (uint32_t)v;
	return QD_OK;
}

static qd_status
read_i32(struct reader *r, int32_t *out)
{
	bool minus = peek(r, '-');
	uint64_t v = 0;

	r->at += minus;
	QD_TRY(read_number(r, minus ? UINT64_C(1) << 31 : INT32_MAX, &v));
	*out = (int32_t)(minus ? 0 - v : v);
	return QD_OK;
}

static qd_status
read_string(struct reader *r, const char **out)
{
	const char *p;
	char *s;
	size_t n = 0;

	QD_TRY(expect(r, '"'));
	for (p = r->at; p < r->end && *p != '"' && *p != '\n'; p++)
		p += *p == '\\' && p + 1 < r->end;
	if (!(s = arena_alloc(&r->k->arena, (size_t)(p - r->at) + 1)))
		return nomem(r);
	while (r->at < r->end && *r->at != '"' && *r->at != '\n') {
		char c = *r->at++;

		if (c == '\\' && r->at < r->end) {
			c = *r->at++;
			if (c == 'x') {
				int hi, lo;

				if (r->end - r->at < 2 || (hi = digit(r->at[0])) > 15 ||
				    (lo = digit(r->at[1])) > 15 || hi + lo == 0)
					return FAIL(r, DIAG_E0601, "two hexadecimal digits");
				c = (char)(hi * 16 + lo);
				r->at += 2;
			}
		}
		s[n++] = c;
	}
	s[n] = 0;
	*out = s;
	return expect(r, '"');
}

/* Reads a name: 1 to MAX_TEXT_NAME bytes. */
static qd_status
read_name(struct reader *r, const char **out)
{
	const char *at;

	skip_space(r);
	at = r->at;
	QD_TRY(read_string(r, out));
	if (**out && strlen(*out) <= MAX_TEXT_NAME)
		return QD_OK;
	r->at = at;
	return **out ? FAIL(r, DIAG_E0121, MAX_TEXT_NAME) : FAIL(r, DIAG_E0330);
}

static qd_status
end_line(struct reader *r)
{
	if (!at_line_end(r))
		return FAIL(r, DIAG_E0601, "the end of the line");
	next_line(r);
	return QD_OK;
}

/* -- Head ---------------------------------------------------------------------------- */

static qd_status
read_type(struct reader *r, qd_type *out, bool *array)
{
	const char *at = r->at, *w = read_word(r);
	size_t n = strlen(w);

	*array = n > 2 && strcmp(w + n - 2, "[]") == 0;
	*out = type_by_name(w, *array ? n - 2 : n);
	if (*out == QD_TYPE_NONE) {
		r->at = at;
		return FAIL(r, DIAG_E0601, "a type");
	}
	return QD_OK;
}

static qd_status
read_param(struct reader *r)
{
	struct qd_kernel *k = r->k;
	struct param *p;
	const char *at;
	qd_type type;
	bool array;

	if (k->n_params == MAX_PARAM)
		return FAIL(r, DIAG_E0321, MAX_PARAM);
	p = &k->params[k->n_params];
	QD_TRY(read_name(r, &p->name));
	if (k->n_mems > k->n_params)
		return FAIL(r, DIAG_E0361, p->name);
	for (uint32_t i = 0; i < k->n_params; i++)
		if (strcmp(k->params[i].name, p->name) == 0)
			return FAIL(r, DIAG_E0322, p->name);
	at = r->at;
	read_word(r);
	p->access = QD_ACCESS_INOUT;
	if (strcmp(r->word, "in") == 0)
		p->access = QD_ACCESS_IN;
	else if (strcmp(r->word, "out") == 0)
		p->access = QD_ACCESS_OUT;
	else
		r->at = at;
	QD_TRY(read_type(r, &type, &array));
	p->type = (uint8_t)type;
	if (!array && (p->access != QD_ACCESS_INOUT || !type_is(type, TM_NUM)))
		return FAIL(r, DIAG_E0324, qd_type_name(type), "a scalar parameter");
	if (array && !type_info[type].size)
		return FAIL(r, DIAG_E0324, qd_type_name(type), "a buffer's elements");
	if (!array)
		p->access = 0;
	k->mems[k->n_mems++] = (struct memory){ .name = p->name,
						.type = p->type,
						.space = array ? SPACE_GLOBAL : SPACE_NONE,
						.access = p->access };
	k->n_params++;
	return QD_OK;
}

static qd_status read_position(struct reader *r, uint32_t *pos);

/* Reads the name, type and length of a shared array or a table, and makes room for its row. *at: of the
 * length. */
static qd_status
read_array(struct reader *r, struct memory *m, const char **at)
{
	struct qd_kernel *k = r->k;
	bool table = m->space == SPACE_TABLE, array;
	qd_type type;

	if (k->n_mems - k->n_params == MAX_ARRAYS)
		return FAIL(r, DIAG_E0370, MAX_ARRAYS);
	if (k->n_mems == r->cap_mems) {
		struct memory *mems = arena_zalloc(&k->arena, 2 * k->n_mems * sizeof *mems);

		if (!mems)
			return nomem(r);
		memcpy(mems, k->mems, k->n_mems * sizeof *mems);
		k->mems = mems;
		r->cap_mems = 2 * k->n_mems;
	}
	QD_TRY(read_name(r, &m->name));
	for (uint32_t i = 0; i < k->n_mems; i++)
		if (strcmp(k->mems[i].name, m->name) == 0)
			return FAIL(r, DIAG_E0362, m->name);
	QD_TRY(read_type(r, &type, &array));
	if (array || !(table ? ir_may_be_in_table(type) : type_info[type].size))
		return FAIL(r, DIAG_E0324, qd_type_name(type), table ? "the elements of a table" : "the elements of a shared array");
	m->type = (uint8_t)type;
	skip_space(r);
	*at = r->at;
	return read_u32(r, &m->len);
}

static qd_status
read_shared(struct reader *r)
{
	struct qd_kernel *k = r->k;
	struct memory m = { .space = SPACE_SHARED, .access = QD_ACCESS_INOUT };
	const char *at;

	QD_TRY(read_array(r, &m, &at));
	if (!m.len || m.len > MAX_SHARED) {
		r->at = at;
		return FAIL(r, DIAG_E0360, (unsigned)MAX_SHARED, (long long)m.len);
	}
	if (ir_shared_bytes(k, m.type, m.len) > r->ctx->limits.max_shared) {
		r->at = at;
		return FAIL(r, DIAG_E0380, (unsigned long long)ir_shared_bytes(k, m.type, m.len),
			    (unsigned long long)r->ctx->limits.max_shared,
			    LIMIT_FIELD(r->ctx, max_shared, LIMIT_SHARED));
	}
	QD_TRY(read_position(r, &m.pos));
	k->mems[k->n_mems++] = m;
	return QD_OK;
}

static qd_status
read_table(struct reader *r)
{
	struct qd_kernel *k = r->k;
	struct memory m = { .space = SPACE_TABLE, .access = QD_ACCESS_IN };
	uint8_t *data;
	const char *at;

	QD_TRY(read_array(r, &m, &at));
	if (!m.len || ir_table_bytes(k, ir_table_size(&m)) > MAX_TABLES) {
		r->at = at;
		return FAIL(r, DIAG_E0390, MAX_TABLES, (unsigned long long)ir_table_bytes(k, ir_table_size(&m)));
	}
	if (!(data = arena_alloc(&k->arena, ir_table_size(&m))))
		return nomem(r);
	QD_TRY(expect(r, '['));
	for (uint32_t i = 0, size = type_info[m.type].size; i < m.len; i++) {
		uint64_t bits = 0;

		QD_TRY(read_number(r, size == 8 ? UINT64_MAX : UINT32_MAX, &bits));
		memcpy(data + (size_t)i * size, &bits, size);
	}
	QD_TRY(expect(r, ']'));
	QD_TRY(read_position(r, &m.pos));
	m.data = data;
	k->mems[k->n_mems++] = m;
	return QD_OK;
}

static qd_status
read_template(struct reader *r)
{
	struct qd_kernel *k = r->k;
	struct tmpl_param *t;

	if (k->n_tmpls == MAX_TMPL)
		return FAIL(r, DIAG_E0329, MAX_TMPL);
	t = &k->tmpls[k->n_tmpls];
	QD_TRY(read_name(r, &t->name));
	if (kernel_find_tmpl(k, t->name) < k->n_tmpls)
		return FAIL(r, DIAG_E0322, t->name);
	QD_TRY(read_i32(r, &t->lo));
	QD_TRY(read_i32(r, &t->hi));
	if (t->lo > t->hi)
		return FAIL(r, DIAG_E0205, t->lo, t->hi);
	skip_space(r);
	t->choices = NULL;
	if (r->at < r->end && *r->at == '"')
		QD_TRY(read_string(r, &t->choices));
	k->n_tmpls++;
	return QD_OK;
}

static qd_status
read_block(struct reader *r)
{
	uint32_t *n = r->k->block;

	for (int i = 0; i < 3; i++)
		QD_TRY(read_u32(r, &n[i]));
	if (!n[0] || !n[1] || !n[2] || n[0] > MAX_BLOCK || n[1] > MAX_BLOCK || n[2] > MAX_BLOCK ||
	    (uint64_t)n[0] * n[1] > MAX_BLOCK || (uint64_t)n[0] * n[1] * n[2] > MAX_BLOCK)
		return FAIL(r, DIAG_E0319, n[0], n[1], n[2], MAX_BLOCK);
	r->k->block_dim = n[0] * n[1] * n[2];
	return QD_OK;
}

static qd_status
read_sizes(struct reader *r)
{
	struct qd_kernel *k = r->k;

	while (!at_line_end(r)) {
		uint32_t size, log2 = 2;

		QD_TRY(read_u32(r, &size));
		while (log2 <= MAX_LOG2 && 1u << log2 != size)
			log2++;
		if (log2 > MAX_LOG2 || (k->sizes >> log2 & 1))
			return FAIL(r, DIAG_E0320, size);
		k->sizes |= 1u << log2;
		k->size_order[k->n_sizes++] = (uint8_t)log2;
	}
	return QD_OK;
}

/* A part of the text: its first row, the line in its file, the columns before it, the file. */
static qd_status
read_lines(struct reader *r)
{
	struct line_map *lines = &r->k->lines;
	struct line_part p = { 0 }, *all = (struct line_part *)(uintptr_t)lines->part;

	QD_TRY(read_u32(r, &p.row));
	if (p.row > MAX_WIDE + 1 || p.row <= (lines->n ? all[lines->n - 1].row : 0))
		return FAIL(r, DIAG_E0601, "a row that follows those before it");
	QD_TRY(read_u32(r, &p.line));
	QD_TRY(read_u32(r, &p.shift));
	QD_TRY(read_string(r, &p.file));
	if (!(lines->n & (lines->n - 1))) {
		all = arena_zalloc(&r->k->arena, (lines->n ? 2 * lines->n : 1) * sizeof *all);
		if (!all)
			return nomem(r);
		if (lines->n)
			memcpy(all, lines->part, lines->n * sizeof *all);
		lines->part = all;
	}
	all[lines->n++] = p;
	return QD_OK;
}

static qd_status
read_head(struct reader *r)
{
	struct qd_kernel *k = r->k;

	while (!peek(r, '{')) {
		const char *at = r->at;

		read_word(r);
		if (strcmp(r->word, "file") == 0) {
			QD_TRY(read_string(r, &k->file));
			k->from_text = true;
		} else if (strcmp(r->word, "lines") == 0) {
			QD_TRY(read_lines(r));
		} else if (strcmp(r->word, "block") == 0) {
			QD_TRY(read_block(r));
		} else if (strcmp(r->word, "subgroup") == 0) {
			QD_TRY(read_sizes(r));
		} else if (strcmp(r->word, "assume_uniform") == 0) {
			QD_TRY(read_string(r, &k->assume_uniform));
		} else if (strcmp(r->word, "assume_in_bounds") == 0) {
			QD_TRY(read_string(r, &k->assume_in_bounds));
		} else if (strcmp(r->word, "param") == 0) {
			QD_TRY(read_param(r));
		} else if (strcmp(r->word, "shared") == 0) {
			QD_TRY(read_shared(r));
		} else if (strcmp(r->word, "table") == 0) {
			QD_TRY(read_table(r));
		} else if (strcmp(r->word, "template") == 0) {
			QD_TRY(read_template(r));
		} else {
			r->at = at;
			return FAIL(r, DIAG_E0601, "an attribute, a parameter or '{'");
		}
		QD_TRY(end_line(r));
	}
	r->at++;
	return end_line(r);
}

/* -- Instructions ---------------------------------------------------------------------- */

static qd_status
read_label(struct reader *r, uint32_t *out)
{
	uint64_t v = 0;

	QD_TRY(expect(r, '%'));
	QD_TRY(read_number(r, MAX_LABEL - 1, &v));
	if (v >= r->n_label) {
		uint32_t cap = r->n_label ? r->n_label : 64, *label;

		while (cap <= v)
			cap *= 2;
		if (!(label = arena_zalloc(&r->k->arena, cap * sizeof *label)))
			return nomem(r);
		if (r->n_label)
			memcpy(label, r->label, r->n_label * sizeof *label);
		r->label = label;
		r->n_label = cap;
	}
	*out = (uint32_t)v;
	return QD_OK;
}

static qd_status
read_operand(struct reader *r, uint32_t *out)
{
	uint32_t label;
	const char *at;

	*out = 0;
	if (peek(r, '_')) {
		r->at++;
		return QD_OK;
	}
	at = r->at;
	QD_TRY(read_label(r, &label));
	if ((*out = r->label[label]))
		return QD_OK;
	r->at = at;
	return FAIL(r, DIAG_E0603, label);
}

static qd_status
add_text(struct reader *r, const char *text, uint32_t *out)
{
	struct qd_kernel *k = r->k;

	if ((k->n_texts & (k->n_texts - 1)) == 0) {
		const char **t =
			arena_alloc(&k->arena, (k->n_texts ? 2 * k->n_texts : 1) * sizeof *t);

		if (!t)
			return nomem(r);
		if (k->n_texts)
			memcpy(t, k->texts, k->n_texts * sizeof *t);
		k->texts = t;
	}
	*out = k->n_texts;
	k->texts[k->n_texts++] = text;
	return QD_OK;
}

static qd_status
read_x(struct reader *r, struct ins *i)
{
	struct qd_kernel *k = r->k;
	enum x_kind kind = (enum x_kind)op_sig((enum op)i->op)->x;
	const char *s, *at;

	skip_space(r);
	at = r->at;
	if (kind == X_NONE || kind == X_PARTNER)
		return QD_OK;
	if (kind == X_NUMBER)
		return read_u32(r, &i->x);
	QD_TRY(read_string(r, &s));
	switch (kind) {
	case X_TEXT: return add_text(r, s, &i->x);
	case X_TEMPLATE:
		i->x = kernel_find_tmpl(k, s);
		if (i->x < k->n_tmpls)
			return QD_OK;
		r->at = at;
		return FAIL(r, DIAG_E0605, k->name, "template parameter", s);
	default:
		for (i->x = 0; i->x < k->n_mems; i->x++)
			if (strcmp(k->mems[i->x].name, s) == 0)
				return QD_OK;
		r->at = at;
		return FAIL(r, DIAG_E0605, k->name, "parameter", s);
	}
}

static qd_status
read_op(struct reader *r, struct ins *i)
{
	const char *at;

	skip_space(r);
	at = r->at;
	read_word(r);
	for (uint8_t op = 1; op < N_OP; op++) {
		if (op_info[op].text[0] == r->word[0] && strcmp(op_info[op].text, r->word) == 0) {
			i->op = op;
			return QD_OK;
		}
	}
	r->at = at;
	return FAIL(r, DIAG_E0602, r->word);
}

static qd_status
read_position(struct reader *r, uint32_t *pos)
{
	uint32_t line, col;

	*pos = 0;
	if (!peek(r, ';'))
		return QD_OK;
	r->at++;
	QD_TRY(read_u32(r, &line));
	if (!r->k->from_text) {
		*pos = line;
		return QD_OK;
	}
	QD_TRY(expect(r, ':'));
	QD_TRY(read_u32(r, &col));
	*pos = POS(line, col);
	if (POS_LINE(*pos) != line || POS_COL(*pos) != col)
		return FAIL(r, DIAG_E0601, "a position that fits");
	return QD_OK;
}

static qd_status
read_operands(struct reader *r, struct ins *i)
{
	const struct sig_info *sig = op_sig((enum op)i->op);
	uint64_t bits = 0;

	for (uint32_t j = 0; j < sig->n_opnd; j++) {
		switch ((enum opnd)sig->opnd[j]) {
		case OPND_NO:
		case OPND_HIGH: break;
		case OPND_BITS:
			QD_TRY(read_number(r, UINT64_MAX, &bits));
			i->a = (uint32_t)bits;
			i->b = (uint32_t)(bits >> 32);
			break;
		case OPND_LIT: QD_TRY(read_u32(r, &i->arg[j])); break;
		default: QD_TRY(read_operand(r, &i->arg[j]));
		}
	}
	return QD_OK;
}

static qd_status
read_attr(struct reader *r, struct ins *i)
{
	uint32_t attr;

	if (!peek(r, '!'))
		return QD_OK;
	r->at++;
	QD_TRY(read_u32(r, &attr));
	if (!attr || attr & ~(uint32_t)op_attrs((enum op)i->op))
		return FAIL(r, DIAG_E0601, "flags of the operation");
	i->attr = (uint16_t)attr;
	return QD_OK;
}

static qd_status
read_ins(struct reader *r)
{
	struct qd_kernel *k = r->k;
	struct ins i = { 0 };
	uint32_t label = 0, pos, id;
	qd_type type;
	bool named, array;

	if (k->ir.n >= r->ctx->limits.max_instructions)
		return FAIL(r, DIAG_E0332, r->ctx->limits.max_instructions,
			    LIMIT_FIELD(r->ctx, max_instructions, LIMIT_INSTRUCTIONS));
	if ((named = peek(r, '%'))) {
		const char *at = r->at;

		QD_TRY(read_label(r, &label));
		if (r->label[label]) {
			r->at = at;
			return FAIL(r, DIAG_E0604, label);
		}
		QD_TRY(expect(r, '='));
	}
	QD_TRY(read_op(r, &i));
	skip_space(r);
	if (r->at < r->end && *r->at >= 'a' && *r->at <= 'z') {
		QD_TRY(read_type(r, &type, &array));
		i.type = (uint8_t)type;
	}
	QD_TRY(read_x(r, &i));
	QD_TRY(read_operands(r, &i));
	QD_TRY(read_attr(r, &i));
	QD_TRY(read_position(r, &pos));
	if (k->ir.n >= MAX_LABEL)
		return FAIL(r, DIAG_E0332, (unsigned)MAX_LABEL);
	if (!(id = ir_push(&k->ir, &k->arena, i, pos)))
		return nomem(r);
	if (named)
		r->label[label] = id;
	if (i.op == OP_GRID && !k->grid)
		k->grid = id;
	return end_line(r);
}

static qd_status
read_kernel(struct reader *r)
{
	struct qd_kernel *k = r->k;

	k->ir.has = HAS_RAW;
	skip_space(r);
	if (r->at < r->end && (*r->at == '\n' || *r->at == ';'))
		next_line(r);
	read_word(r);
	if (strcmp(r->word, "kernel") != 0)
		return FAIL(r, DIAG_E0601, "'kernel'");
	QD_TRY(read_name(r, &k->name));
	QD_TRY(end_line(r));
	QD_TRY(read_head(r));
	while (!peek(r, '}')) {
		if (r->at == r->end)
			return FAIL(r, DIAG_E0601, "'}'");
		QD_TRY(read_ins(r));
	}
	r->at++;
	if (!at_line_end(r))
		return FAIL(r, DIAG_E0601, "the end of the text");
	next_line(r);
	if (r->at != r->end)
		return FAIL(r, DIAG_E0601, "the end of the text");
	QD_TRY(ir_verify(k, r->err));
	return kernel_seal(&r->k, r->err);
}

qd_status
ir_read(struct qd_context *ctx, const char *text, size_t len, const char *name,
	struct qd_kernel **out, struct qd_error *err)
{
	struct reader r = { .ctx = ctx,
			    .err = err,
			    .name = name,
			    .text = text,
			    .at = text,
			    .end = text + len,
			    .cap_mems = MAX_PARAM,
			    .line_start = text,
			    .line = 1 };
	struct arena a;
	struct qd_kernel *k;
	qd_status st;

	arena_init(&a, &ctx->pool);
	k = arena_zalloc(&a, sizeof *k);
	if (k) {
		k->params = arena_zalloc(&a, MAX_PARAM * sizeof *k->params);
		k->mems = arena_zalloc(&a, MAX_PARAM * sizeof *k->mems);
		k->tmpls = arena_zalloc(&a, MAX_TMPL * sizeof *k->tmpls);
	}
	if (!k || !k->params || !k->mems || !k->tmpls || !ir_reserve(&k->ir, &a, 1)) {
		arena_fini(&a);
		return nomem(&r);
	}
	k->ctx = ctx;
	k->refs = 1;
	k->name = "";
	k->block[0] = k->block_dim = 64;
	k->block[1] = k->block[2] = 1;
	k->ir.ins[0] = (struct ins){ .op = OP_NONE };
	k->ir.pos[0] = 0;
	k->ir.n = 1;
	k->arena = a;
	ctx_born(ctx, LIVE_KERNEL);
	r.k = k;
	st = read_kernel(&r);
	if (st)
		qd_kernel_free(r.k);
	else
		*out = r.k;
	return st;
}
