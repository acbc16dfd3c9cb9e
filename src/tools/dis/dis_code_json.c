/* PTX and SPIR-V as JSON, in the schema of AMD code. */
#include "dis_code_text.h"

static void
put_pieces(struct code *c, const struct code_insn *in, struct arena *mem)
{
	FILE *f = c->dis->out.file;
	struct code_pieces p;

	code_pieces(c, mem, in, &p);
	fputs("],\"text\":", f);
	tool_json_string(f, p.text);
	if (*p.guard) {
		fputs(",\"guard\":", f);
		tool_json_string(f, p.guard);
	}
	if (*p.result) {
		fputs(",\"result\":", f);
		tool_json_string(f, p.result);
	}
	fputs(",\"op\":", f);
	tool_json_string(f, p.op);
	fputs(",\"operands\":[", f);
	for (uint32_t i = 0; i < p.n; i++) {
		fputs(i ? "," : "", f);
		tool_json_string(f, p.operand[i]);
	}
	fprintf(f, "],\"separator\":\"%s\",\"modifiers\":[],\"known\":%s", p.separator,
		p.op[0] == '!' ? "false" : "true");
	arena_reset(mem);
}

static void
put_refs(struct code *c, const struct code_insn *in, const char *key, uint32_t from, uint32_t n)
{
	const uint32_t *ref = (const uint32_t *)(const void *)buf_data(&c->refs) + in->ref + from;
	FILE *f = c->dis->out.file;
	char name[256];

	fprintf(f, ",\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++) {
		const struct code_reg *r = &CODE_ROWS(&c->regs, code_reg)[ref[i]];
		snprintf(name, sizeof name, "%.*s", (int)(r->len < 255 ? r->len : 255), r->name);
		fprintf(f, "%s{\"bank\":\"%s\",\"name\":", i ? "," : "", c->form->kinds[r->kind]);
		tool_json_string(f, name);
		fputs(!from && in->keeps ? ",\"keeps\":true}" : "}", f);
	}
	fputc(']', f);
}

const struct code_mark *
code_mark_of(const struct code *c, const struct code_fn *fn, const struct code_insn *in)
{
	const struct code_mark *m = CODE_ROWS(&c->marks, code_mark), *found = NULL;
	uint32_t lo = 0, hi = CODE_COUNT(&c->marks, code_mark);

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (m[mid].at <= in->line_at)
			lo = mid + 1;
		else
			hi = mid;
	}
	found = lo ? &m[lo - 1] : NULL;
	return found && found->at >= fn->from && found->line && found->file ? found : NULL;
}

static void
put_insn(struct code *c, const struct code_fn *fn, uint32_t i, struct arena *mem)
{
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn->first + i;
	const struct code_mark *m = code_mark_of(c, fn, in);
	FILE *f = c->dis->out.file;

	fprintf(f, "%s\n{\"addr\":\"0x%llx\",\"words\":[", i ? "," : "", (unsigned long long)in->addr);
	for (uint32_t k = 0; k < in->n_words; k++) {
		uint32_t w;
		memcpy(&w, c->module + 4 * (size_t)(in->words + k), 4);
		fprintf(f, "%s\"%08x\"", k ? "," : "", w);
	}
	put_pieces(c, in, mem);
	fputs(",\"file\":", f);
	if (m)
		tool_json_string(f, m->file);
	fprintf(f, m ? ",\"line\":%u" : "null,\"line\":null", m ? m->line : 0);
	fprintf(f, m && m->column ? ",\"column\":%u" : ",\"column\":null", m ? m->column : 0);
	fprintf(f, ",\"block\":%u", fn->flow.line[i].block);
	if (in->n_way) {
		const uint32_t *way = (const uint32_t *)(const void *)buf_data(&c->ways) + in->way;
		fprintf(f, ",\"target\":\"0x%llx\"", (unsigned long long)CODE_ROWS(&c->insns, code_insn)[way[0]].addr);
	}
	put_refs(c, in, "writes", 0, in->n_def);
	put_refs(c, in, "reads", in->n_def, in->n_use);
	fputs(",\"live\":", f);
	for (uint32_t k = 0; fn->has_live && k < c->form->n_kinds; k++)
		fprintf(f, "%s\"%s\":%u", k ? "," : "{", c->form->kinds[k], in->live[k]);
	fputs(fn->has_live ? "}}" : "null}", f);
}

static void
put_function(struct code *c, const struct code_fn *fn, bool first)
{
	FILE *f = c->dis->out.file;
	struct arena mem;

	arena_init(&mem, &c->dis->ctx->pool);
	fprintf(f, "%s\n{\"name\":", first ? "" : ",");
	dis_json_name(c->dis, fn->name);
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn) + fn->first;
	uint64_t from = c->module ? in->addr : fn->from;
	uint64_t to = c->module ? in[fn->n - 1].addr + 4 * (uint64_t)in[fn->n - 1].n_words : fn->to;
	fprintf(f, ",\"addr\":\"0x%llx\",\"size\":\"%llu\"", (unsigned long long)from, (unsigned long long)(to - from));
	if (fn->kernel) {
		fputs(",\"kernel\":{\"registers\":{", f);
		for (uint32_t k = 0; k < c->form->n_kinds; k++)
			fprintf(f, "%s\"%s\":\"%llu\"", k ? "," : "", c->form->kinds[k], (unsigned long long)fn->declared[k]);
		fputc('}', f);
		if (c->form->kind_words)
			fprintf(f, ",\"live_words\":%u,\"shared\":\"%llu\",\"local\":\"%llu\"", fn->peak_words,
				(unsigned long long)fn->shared, (unsigned long long)fn->local);
		fputc('}', f);
	}
	fputs(",\"mix\":{", f);
	code_mix_json(c, fn);
	fputs("},\"instructions\":[", f);
	for (uint32_t i = 0; i < fn->n; i++)
		put_insn(c, fn, i, &mem);
	fputs("\n],\"blocks\":[", f);
	code_blocks_json(c, fn);
	fputs("\n]}", f);
	arena_fini(&mem);
}

void
code_json(struct code *c)
{
	const struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);
	FILE *f = c->dis->out.file;
	bool first = true;

	fputs(c->dis->n_files ? ",\n{\"file\":" : "{\"file\":", f);
	tool_json_string(f, c->label);
	fputs(",\"target\":", f);
	tool_json_string(f, c->target);
	fputs(",\"version\":", f);
	tool_json_string(f, c->version);
	fputs(",\"functions\":[", f);
	for (uint32_t i = 0; i < CODE_COUNT(&c->functions, code_fn); i++) {
		if (!dis_wanted(c->dis, fn[i].name))
			continue;
		c->dis->n_shown++;
		put_function(c, &fn[i], first);
		first = false;
	}
	fputs("\n]}", f);
}
