/* PTX and SPIR-V for --diff: registers, ids and labels are marked as names; constants and types of
 * a module are expanded. */
#include "dis_code_text.h"

static bool
is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '$' || c == '%';
}

/* Returns true if the word is one of these registers. */
static bool
has_reg(const struct code *c, const uint32_t *ref, uint32_t n, const char *s, uint32_t len)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct code_reg *r = &CODE_ROWS(&c->regs, code_reg)[ref[i]];
		if (r->len == len && memcmp(r->name, s, len) == 0)
			return true;
	}
	return false;
}

static void
put_marked(struct buf *out, enum diff_mark mark, const char *s, uint32_t len)
{
	char m = (char)mark, end = DIFF_END;

	buf_put(out, &m, 1);
	buf_put(out, s, len);
	buf_put(out, &end, 1);
}

static void
mark_words(struct code *c, const struct code_insn *in, const char *s, struct buf *out, bool operand)
{
	const uint32_t *ref = (const uint32_t *)(const void *)buf_data(&c->refs) + in->ref;

	while (*s) {
		uint32_t len = 0;
		while (is_ident(s[len]))
			len++;
		if (!len) {
			buf_put(out, s++, 1);
			continue;
		}
		bool def = operand && has_reg(c, ref, in->n_def, s, len);
		bool use = has_reg(c, ref + in->n_def, in->n_use, s, len);
		if (def)
			put_marked(out, in->keeps ? DIFF_BOTH : DIFF_DEF, s, len);
		else if (use)
			put_marked(out, DIFF_USE, s, len);
		else if (c->module && *s == '%')
			code_put_id(c, out, s, len);
		else
			buf_put(out, s, len);
		s += len;
	}
}

static void
put_label(struct buf *out, uint32_t block)
{
	char name[16];

	put_marked(out, DIFF_NAME, name, (uint32_t)snprintf(name, sizeof name, ".L%u", block));
}

/* Writes a PTX branch with the numbers of its target blocks, as label names may differ. */
static void
put_branch(const struct code *c, const struct code_fn *fn, const struct code_insn *in, struct buf *out)
{
	const uint32_t *way = (const uint32_t *)(const void *)buf_data(&c->ways) + in->way;

	for (uint32_t i = 0; i < in->n_way; i++) {
		buf_put(out, i ? ", " : " ", i ? 2 : 1);
		put_label(out, fn->flow.line[way[i] - fn->first].block);
	}
}

static void
put_line(struct code *c, const struct code_fn *fn, uint32_t i, struct arena *mem, struct buf *out)
{
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn->first + i;
	struct code_pieces p;

	code_pieces(c, mem, in, &p);
	if (*p.guard) {
		mark_words(c, in, p.guard, out, false);
		buf_put(out, " ", 1);
	}
	if (*p.result) {
		mark_words(c, in, p.result, out, true);
		buf_put(out, " = ", 3);
	}
	buf_put(out, p.op, strlen(p.op));
	bool named = in->n_way && !c->module;
	if (named)
		put_branch(c, fn, in, out);
	for (uint32_t k = 0; k < p.n && !named; k++) {
		buf_put(out, k ? p.separator : " ", k ? strlen(p.separator) : 1);
		mark_words(c, in, p.operand[k], out, k == 0 && !c->module);
	}
	buf_put(out, "", 1);
	if (out->nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	arena_reset(mem);
}

void
code_parts(struct code *c)
{
	const struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);
	struct arena mem;
	struct buf line;

	arena_init(&mem, &c->dis->ctx->pool);
	buf_init(&line, &c->dis->ctx->pool);
	for (uint32_t i = 0; i < CODE_COUNT(&c->functions, code_fn); i++) {
		if (!dis_wanted(c->dis, fn[i].name))
			continue;
		c->dis->n_shown++;
		dis_part_begin(c->dis, fn[i].name);
		for (uint32_t k = 0; k < fn[i].n; k++) {
			const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn[i].first + k;
			line.len = 0;
			if (!c->module && (fn[i].flow.line[k].flags & LINE_TARGET)) {
				put_label(&line, fn[i].flow.line[k].block);
				buf_put(&line, ":", 2);
				dis_part_line(c->dis, buf_data(&line), false);
				line.len = 0;
			}
			put_line(c, &fn[i], k, &mem, &line);
			dis_part_line(c->dis, buf_data(&line), !in->label);
		}
	}
	buf_fini(&line);
	arena_fini(&mem);
}
