/* PTX and SPIR-V as text with comments, as tables, and as graphs. */
#include "dis_code_text.h"

enum { REMARK_COLUMN = 56 };

/* -- The listing --------------------------------------------------------------------- */

struct listing {
	struct code *c;
	FILE *f;
	uint32_t at;	    /* end of the text written so far */
	uint32_t mark, line; /* next mark; source line shown last */
	const char *file;
};

static void
put_to(struct listing *l, uint32_t to)
{
	if (to > l->at)
		fwrite(l->c->list + l->at, 1, to - l->at, l->f);
	l->at = to > l->at ? to : l->at;
}

/* Writes the source lines that begin at or before `to`, as comments. */
static void
put_marks(struct listing *l, uint32_t to)
{
	const struct code_mark *m = CODE_ROWS(&l->c->marks, code_mark);
	uint32_t n = CODE_COUNT(&l->c->marks, code_mark);

	for (; l->mark < n && m[l->mark].at <= to; l->mark++) {
		const struct code_mark *x = &m[l->mark];
		if (!dis_shows_source(l->c->dis) || !x->line ||
		    (x->line == l->line && x->file && l->file && strcmp(x->file, l->file) == 0))
			continue;
		put_to(l, x->at);
		l->line = x->line;
		l->file = x->file;
		fprintf(l->f, "\t%s ", l->c->form->remark);
		dis_put_source(l->c->dis, x->file, x->line);
		fputc('\n', l->f);
	}
}

/* Returns the width of a line, at most REMARK_COLUMN. */
static uint32_t
width_of(const char *s, size_t len)
{
	uint32_t width = 0;

	for (size_t i = 0; i < len && width < REMARK_COLUMN; i++)
		width = s[i] == '\t' ? (width + 8) & ~7u : width + ((s[i] & 0xc0) != 0x80);
	return width;
}

static void
put_live(struct listing *l, const struct code_fn *fn, uint32_t i)
{
	const struct code_form *form = l->c->form;
	const struct code_insn *in = CODE_ROWS(&l->c->insns, code_insn) + fn->first + i;
	uint32_t width = width_of(l->c->list + in->line_at, in->line_end - in->line_at);

	/* only the last instruction of a line has a comment */
	if (!fn->flow.block[fn->flow.line[i].block].reached || (i + 1 < fn->n && in[1].line_end == in->line_end))
		return;
	put_to(l, in->line_end);
	fprintf(l->f, "%*s %s live", width < REMARK_COLUMN ? (int)(REMARK_COLUMN - width) : 0, "", form->remark);
	const char *gap = "";
	for (uint32_t k = 0; k < form->n_kinds; k++) {
		bool peak = fn->peak[k] && fn->peak_at[k] == i;
		if (!fn->declared[k])
			continue;
		fprintf(l->f, "%s %s %3u%s", gap, form->kinds[k], in->live[k], peak ? "*" : "");
		gap = peak ? "" : " ";
	}
}

static void
put_peaks(struct listing *l, const struct code_fn *fn)
{
	const struct code_form *form = l->c->form;
	const struct code_insn *in = CODE_ROWS(&l->c->insns, code_insn) + fn->first;
	const char *sep = " live at most: ";

	put_to(l, fn->from);
	if (fn->from && l->c->list[fn->from - 1] != '\n')
		fputc('\n', l->f);
	fputs(form->remark, l->f);
	for (uint32_t k = 0; k < form->n_kinds; k++) {
		if (!fn->declared[k])
			continue;
		fprintf(l->f, "%s%u %s", sep, fn->peak[k], form->kinds[k]);
		if (fn->peak[k])
			fprintf(l->f, " at 0x%llx", (unsigned long long)in[fn->peak_at[k]].addr);
		sep = ", ";
	}
	if (form->kind_words)
		fprintf(l->f, "; %u words", fn->peak_words);
	fputc('\n', l->f);
}

static void
put_function(struct listing *l, const struct code_fn *fn)
{
	const struct code_insn *in = CODE_ROWS(&l->c->insns, code_insn) + fn->first;
	bool live = l->c->dis->req->live && fn->has_live;

	l->line = 0;
	if (live)
		put_peaks(l, fn);
	for (uint32_t i = 0; i < fn->n; i++) {
		put_marks(l, in[i].line_at);
		if (live)
			put_live(l, fn, i);
	}
	put_to(l, fn->to);
}

void
code_list(struct code *c)
{
	const struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);
	struct listing l = { .c = c, .f = c->dis->out.file };
	uint32_t n = CODE_COUNT(&c->functions, code_fn);

	for (uint32_t i = 0; i < n; i++) {
		if (!dis_wanted(c->dis, fn[i].name))
			continue;
		if (c->dis->req->kernel) {
			if (c->dis->n_shown)
				fputc('\n', l.f);
			l.at = fn[i].from;
			while (l.mark < CODE_COUNT(&c->marks, code_mark) &&
			       CODE_ROWS(&c->marks, code_mark)[l.mark].at < l.at)
				l.mark++;
		}
		c->dis->n_shown++;
		put_function(&l, &fn[i]);
		if (c->dis->req->kernel)
			fputc('\n', l.f);
	}
	if (!c->dis->req->kernel) {
		put_to(&l, (uint32_t)c->list_size);
		if (c->list_size && c->list[c->list_size - 1] != '\n')
			fputc('\n', l.f);
		c->dis->n_shown++;
	}
}

/* -- Tables ---------------------------------------------------------------------------- */

static void
put_name(const struct code *c, const char *name)
{
	dis_put_written(c->dis, name);
	fputc('\n', c->dis->out.file);
}

static uint32_t
n_code(const struct code *c, const struct code_fn *fn)
{
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn->first;
	uint32_t n = 0;

	for (uint32_t i = 0; i < fn->n; i++)
		n += !in[i].label;
	return n;
}

void
code_stats(struct code *c)
{
	const struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);
	const struct code_form *form = c->form;
	FILE *f = c->dis->out.file;

	if (!c->dis->n_files) {
		fputs("target                   version", f);
		for (uint32_t k = 0; k < form->n_kinds; k++)
			fprintf(f, " %5s", form->kinds[k]);
		fputs("  live", f);
		fputs(form->kind_words ? " shared  local" : "", f);
		fputs("  code blocks kernel\n", f);
	}
	for (uint32_t i = 0; i < CODE_COUNT(&c->functions, code_fn); i++) {
		if (!fn[i].kernel || !dis_wanted(c->dis, fn[i].name))
			continue;
		c->dis->n_shown++;
		fprintf(f, "%-24s %7s", c->target, c->version);
		for (uint32_t k = 0; k < form->n_kinds; k++)
			fprintf(f, " %5llu", (unsigned long long)fn[i].declared[k]);
		if (fn[i].has_live)
			fprintf(f, " %5u", form->kind_words ? fn[i].peak_words : fn[i].peak[0]);
		else
			fputs("     -", f);
		if (form->kind_words)
			fprintf(f, " %6llu %6llu", (unsigned long long)fn[i].shared, (unsigned long long)fn[i].local);
		fprintf(f, " %5u %6zu ", n_code(c, &fn[i]), fn[i].flow.n_block);
		put_name(c, fn[i].name);
	}
}

static void
count_mix(const struct code *c, const struct code_fn *fn, uint32_t n[CODE_MIXES])
{
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn->first;

	memset(n, 0, CODE_MIXES * sizeof *n);
	for (uint32_t i = 0; i < fn->n; i++)
		n[in[i].mix] += !in[i].label;
}

void
code_mix_json(struct code *c, const struct code_fn *fn)
{
	uint32_t n[CODE_MIXES];

	count_mix(c, fn, n);
	for (uint32_t i = 0; i < c->form->n_mixes; i++)
		fprintf(c->dis->out.file, "%s\"%s\":%u", i ? "," : "", c->form->mixes[i], n[i]);
}

void
code_mix(struct code *c)
{
	const struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);
	FILE *f = c->dis->out.file;
	uint32_t n[CODE_MIXES];

	if (!c->dis->n_files) {
		fputs("target             all", f);
		for (uint32_t i = 0; i < c->form->n_mixes; i++)
			fprintf(f, " %7s", c->form->mixes[i]);
		fputs(" function\n", f);
	}
	for (uint32_t i = 0; i < CODE_COUNT(&c->functions, code_fn); i++) {
		if (!dis_wanted(c->dis, fn[i].name))
			continue;
		c->dis->n_shown++;
		count_mix(c, &fn[i], n);
		fprintf(f, "%-16s %5u", c->target, n_code(c, &fn[i]));
		for (uint32_t k = 0; k < c->form->n_mixes; k++)
			fprintf(f, " %7u", n[k]);
		fputc(' ', f);
		put_name(c, fn[i].name);
	}
}

/* -- Graphs ------------------------------------------------------------------------------ */

struct graph {
	struct code *c;
	const struct code_fn *fn;
};

static const struct code_insn *
insn_of(const struct dis_graph *g, uint32_t line)
{
	const struct graph *x = g->code;

	return CODE_ROWS(&x->c->insns, code_insn) + x->fn->first + line;
}

static uint64_t
addr(const struct dis_graph *g, uint32_t line)
{
	return insn_of(g, line)->addr;
}

static const char *
text(const struct dis_graph *g, uint32_t line)
{
	const struct graph *x = g->code;
	struct code_pieces p;

	code_pieces(x->c, g->mem, insn_of(g, line), &p);
	return p.text;
}

/* OpBranchConditional does not fall through: it names a label for each value of its condition. */
static const char *
edge(const struct dis_graph *g, uint32_t from, uint32_t to)
{
	static const char conditional[] = "OpBranchConditional ";
	const struct graph *x = g->code;
	const struct gcn_block *b = &g->flow->block[from];
	const struct code_insn *last = insn_of(g, b->first + b->n_line - 1);
	const uint32_t *ways = (const uint32_t *)(const void *)buf_data(&x->c->ways) + last->way;
	const struct gcn_line *line = g->flow->line;

	if (last->goes_on && to == from + 1)
		return "falls through";
	if (last->n_way != 2 || last->len < sizeof conditional ||
	    memcmp(last->text, conditional, sizeof conditional - 1) != 0)
		return "taken";
	bool yes = line[ways[0] - x->fn->first].block == to, no = line[ways[1] - x->fn->first].block == to;
	return yes && no ? "true or false" : yes ? "true" : "false";
}

void
code_blocks_json(struct code *c, const struct code_fn *fn)
{
	dis_graph_json(&(struct dis_graph){ .s = c->dis, .flow = &fn->flow, .code = &(struct graph){ c, fn }, .addr = addr });
}

void
code_cfg(struct code *c)
{
	const struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);
	struct arena mem;

	arena_init(&mem, &c->dis->ctx->pool);
	for (uint32_t i = 0; i < CODE_COUNT(&c->functions, code_fn); i++) {
		struct graph x = { c, &fn[i] };
		if (!dis_wanted(c->dis, fn[i].name))
			continue;
		c->dis->n_shown++;
		dis_graph_dot(&(struct dis_graph){ .s = c->dis, .flow = &fn[i].flow, .code = &x, .mem = &mem, .addr_width = 4,
						   .addr = addr, .text = text, .edge = edge }, fn[i].name);
	}
	arena_fini(&mem);
}
