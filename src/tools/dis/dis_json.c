/* AMD code as JSON: one object per file, one record per instruction with the results of all
 * analyses. */
#include "dis_gcn.h"

#include <limits.h>

#include "hazard.h"
#include "table.h"
#include "wait.h"

/* Notes on the instructions of a piece, each kind in the order of lines. */
struct records {
	struct dis *s;
	const struct dis_piece *p;
	bool known; /* waits and hazards were analyzed */
	struct dis_notes waits, hazards;
	uint32_t next_wait, next_hazard;
};

static unsigned long long
addr_of(const struct records *r, uint32_t line)
{
	return (unsigned long long)(r->p->addr + r->p->flow.line[line].offset);
}

/* -- Text -------------------------------------------------------------------------- */

/* Returns the separator of operands. Lists of counters, and of delays, have their own. */
static const char *
separator(const struct gcn_target *t, const struct gcn_insn *in)
{
	struct gcn_view o;

	if (!gcn_operand_view(t, in, 0, &o))
		return ", ";
	return o.kind.bank == BANK_WAITCNT || o.kind.bank == BANK_DEPCTR ? " "
	       : o.kind.bank == BANK_DELAY				 ? " | "
									 : ", ";
}

/* Returns the length up to a blank, or to the first separator outside brackets. */
static size_t
word_length(const char *text, const char *sep)
{
	int depth = 0;
	size_t i = 0;

	for (; text[i]; i++) {
		if (strchr("[({", text[i]))
			depth++;
		else if (strchr("])}", text[i]))
			depth--;
		else if (depth <= 0 && (text[i] == *sep || text[i] == ' '))
			break;
	}
	return i;
}

static void
put_len(FILE *f, const char *text, size_t len)
{
	char copy[GCN_TEXT_SIZE];

	snprintf(copy, sizeof copy, "%.*s", (int)len, text);
	tool_json_string(f, copy);
}

/* Writes up to `most` words of a list with separators. Returns the rest of the text. */
static const char *
put_words(FILE *f, const char *text, const char *sep, unsigned most)
{
	size_t sep_len = strlen(sep);

	fputc('[', f);
	for (unsigned n = 0; *text && n < most; n++) {
		size_t len = word_length(text, sep);
		fputs(n ? "," : "", f);
		put_len(f, text, len);
		text += len;
		if (strncmp(text, sep, sep_len) != 0)
			break;
		text += sep_len;
	}
	fputc(']', f);
	return text;
}

/* Writes the name and n operands of "v_add v1, v2 clamp". Returns the rest of the text. */
static const char *
put_operation(FILE *f, const char *suffix, const char *text, const char *sep, unsigned n)
{
	size_t len = strcspn(text, " ");

	fprintf(f, ",\"op%s\":", suffix);
	put_len(f, text, len);
	fprintf(f, ",\"operands%s\":", suffix);
	text = put_words(f, text + len + (text[len] == ' '), sep, n);
	return text + (*text == ' ');
}

static void
put_text(FILE *f, const struct gcn_target *t, const struct gcn_line *line, uint32_t word)
{
	bool known = !(line->flags & LINE_UNKNOWN);
	const char *sep = known ? separator(t, &line->insn) : ", ", *rest;
	char text[GCN_TEXT_SIZE];
	struct gcn_view o;
	unsigned n = 0;

	if (known)
		gcn_print(t, &line->insn, text, sizeof text);
	else
		snprintf(text, sizeof text, ".long 0x%08x", word);
	fputs("],\"text\":", f);
	tool_json_string(f, text);
	while (known && gcn_operand_view(t, &line->insn, n, &o) && o.field != GCN_F_Y_VDST)
		n++;
	/* the length of a list in one field is variable */
	rest = put_operation(f, "", text, sep, !known || strcmp(sep, ", ") != 0 ? UINT_MAX : n);
	/* an instruction with two operations */
	if (strncmp(rest, ":: ", 3) == 0)
		rest = put_operation(f, "_y", rest + 3, sep, UINT_MAX);
	fprintf(f, ",\"separator\":\"%s\",\"modifiers\":", sep);
	put_words(f, rest, " ", UINT_MAX);
}

/* -- Registers --------------------------------------------------------------------- */

static void
put_range(FILE *f, const struct gcn_range *r)
{
	static const char *const banks[] = { [FILE_S] = "s", [FILE_V] = "v", [FILE_A] = "a" };
	static const char *const special[GCN_N_SPECIAL] = {
		[X_SCC] = "scc",   [X_M0] = "m0",
		[X_MODE] = "mode", [X_FLAT_SCRATCH] = "flat_scratch",
		[X_VCC] = "vcc",   [X_EXEC] = "exec"
	};
	const char *bank = r->file == FILE_X ? special[r->first] : banks[r->file];
	unsigned first = r->file == FILE_X ? 0 : r->first;

	if (r->file == FILE_S && (r->first & ~1u) == GCN_VCC) {
		bank = "vcc";
		first = r->first & 1;
	} else if (r->file == FILE_S && (r->first & ~1u) == GCN_EXEC) {
		bank = "exec";
		first = r->first & 1;
	}
	fprintf(f, "{\"bank\":\"%s\",\"first\":%u,\"n\":%u", bank, first, r->n);
	if (r->half != 3)
		fprintf(f, ",\"half\":\"%s\"", r->half == 1 ? "low" : "high");
	if (r->access & GCN_KEEP)
		fputs(",\"keeps\":true", f);
	fputc('}', f);
}

static void
put_ranges(FILE *f, const struct gcn_effect *e, unsigned access)
{
	const char *sep = "";

	for (unsigned i = 0; i < e->n_range; i++) {
		if (!(e->range[i].access & access))
			continue;
		struct gcn_range r = e->range[i];
		if (access == GCN_READ)
			r.access = GCN_READ;
		fputs(sep, f);
		put_range(f, &r);
		sep = ",";
	}
}

static void
put_registers(const struct records *r, const struct gcn_line *line)
{
	const struct gcn_live *live = &r->p->live[line - r->p->flow.line];
	struct gcn_effect e = { 0 };
	FILE *f = r->s->out.file;

	if (!(line->flags & LINE_UNKNOWN))
		gcn_effect_of(r->p->target, &line->insn, &e);
	fputs(",\"reads\":[", f);
	put_ranges(f, &e, GCN_READ);
	fputs("],\"writes\":[", f);
	put_ranges(f, &e, GCN_WRITE);
	fprintf(f, "],\"live\":{\"vgpr\":%u,\"agpr\":%u,\"sgpr\":%u}", live->vgprs, live->agprs,
		live->sgprs);
}

/* -- Waits and hazards --------------------------------------------------------------- */

/* Writes the notes of one kind, of those from `from` to `to`. */
static void
put_notes(const struct records *r, uint32_t from, uint32_t to, unsigned kind)
{
	static const char *const heads[] = { [WAIT_COVERS] = "\"for\":[",
					     [WAIT_OUTSTANDING] = "\"outstanding\":[",
					     [WAIT_MISSING] = "\"missing\":[" };
	FILE *f = r->s->out.file;
	unsigned n = 0;

	for (uint32_t i = from; i < to; i++) {
		struct gcn_wait_note note;
		memcpy(&note, buf_data(&r->waits.buf) + i * sizeof note, sizeof note);
		const struct gcn_counter *c = gcn_counter_of(r->p->target, note.counter);
		if (note.kind != kind)
			continue;
		fprintf(f, "%s{\"counter\":\"%s\"", n++ ? "," : heads[kind], c ? c->name : "?");
		if (kind == WAIT_OUTSTANDING)
			fprintf(f, ",\"n\":%u", note.n);
		else
			fprintf(f, ",\"addr\":\"0x%llx\"", addr_of(r, note.other));
		if (kind == WAIT_MISSING) {
			fputs(",\"register\":", f);
			note.range.access = GCN_READ;
			put_range(f, &note.range);
		}
		fputc('}', f);
	}
	fputs(n ? "]" : "", f);
}

static void
put_waits(struct records *r, uint32_t line)
{
	static const uint8_t kinds[] = { WAIT_OUTSTANDING, WAIT_COVERS, WAIT_MISSING };
	uint32_t from = r->next_wait, seen = 0;
	FILE *f = r->s->out.file;

	for (; r->next_wait < r->waits.n; r->next_wait++) {
		struct gcn_wait_note note;
		memcpy(&note, buf_data(&r->waits.buf) + r->next_wait * sizeof note, sizeof note);
		if (note.line > line)
			break;
		seen |= 1u << note.kind;
	}
	fputs(",\"waits\":{", f);
	for (size_t i = 0, n = 0; i < QD_COUNT(kinds); i++) {
		if (!(seen >> kinds[i] & 1))
			continue;
		fputs(n++ ? "," : "", f);
		put_notes(r, from, r->next_wait, kinds[i]);
	}
	fputc('}', f);
}

/* A hazard is reported for the later of its instructions. */
static void
put_hazards(struct records *r, uint32_t line)
{
	FILE *f = r->s->out.file;
	const char *sep = "";

	fputs(",\"hazards\":[", f);
	for (; r->next_hazard < r->hazards.n; r->next_hazard++) {
		struct gcn_hazard h;
		memcpy(&h, buf_data(&r->hazards.buf) + r->next_hazard * sizeof h, sizeof h);
		if (h.later > line)
			break;
		fprintf(f, "%s{\"rule\":\"%s\",\"what\":", sep, h.rule);
		tool_json_string(f, h.what);
		fprintf(f, ",\"earlier\":\"0x%llx\",\"middle\":", addr_of(r, h.earlier));
		if (h.middle != GCN_NOWHERE)
			fprintf(f, "\"0x%llx\"", addr_of(r, h.middle));
		else
			fputs("null", f);
		fprintf(f, ",\"missing\":%u,\"fix\":", h.missing);
		tool_json_string(f, h.fix);
		fputc('}', f);
		sep = ",";
	}
	fputc(']', f);
}

/* -- Records --------------------------------------------------------------------------- */

/* Writes the source position, or null if unknown. */
static void
put_source(const struct records *r, uint32_t i)
{
	const struct dis_object *o = r->p->file;
	const struct line_range *x = lines_find(&o->lines, &o->object.elf, r->p->section,
						r->p->addr + r->p->flow.line[i].offset);
	FILE *f = r->s->out.file;

	if (!x || !x->line || !x->file) {
		fputs(",\"file\":null,\"line\":null,\"column\":null", f);
		return;
	}
	fputs(",\"file\":", f);
	tool_json_string(f, x->file);
	fprintf(f, ",\"line\":%u,\"column\":", x->line);
	fprintf(f, x->column ? "%u" : "null", x->column);
}

static void
put_insn(struct records *r, uint32_t i)
{
	const struct gcn_line *line = &r->p->flow.line[i];
	const uint32_t *words = r->p->words + line->offset / 4;
	FILE *f = r->s->out.file;

	fprintf(f, "%s\n{\"addr\":\"0x%llx\",\"words\":[", i ? "," : "", addr_of(r, i));
	for (int k = 0; k < line->n_words; k++)
		fprintf(f, "%s\"%08x\"", k ? "," : "", words[k]);
	put_text(f, r->p->target, line, words[0]);
	fprintf(f, ",\"known\":%s", line->flags & LINE_UNKNOWN ? "false" : "true");
	put_source(r, i);
	fprintf(f, ",\"block\":%u", line->block);
	if (line->target != GCN_NOWHERE)
		fprintf(f, ",\"target\":\"0x%llx\"", addr_of(r, line->target));
	put_registers(r, line);
	if (r->known) {
		put_waits(r, i);
		put_hazards(r, i);
	} else {
		fputs(",\"waits\":null,\"hazards\":null", f);
	}
	fputc('}', f);
}

static void
put_insns(struct dis *s, const struct dis_piece *p)
{
	struct records r = { .s = s, .p = p, .known = !dis_gcn_too_large(p, "--json") };

	if (r.known) {
		dis_gcn_waits(s, p, &r.waits);
		dis_gcn_hazard_list(s, p, &r.hazards);
	}
	for (uint32_t i = 0; i < p->flow.n_line; i++)
		put_insn(&r, i);
	if (r.known) {
		buf_fini(&r.waits.buf);
		buf_fini(&r.hazards.buf);
	}
}

/* -- The file ---------------------------------------------------------------------------- */

void
dis_gcn_json_file(struct dis *s, const struct dis_object *f, bool begins)
{
	char target[64];

	if (!begins) {
		fputs("\n]}", s->out.file);
		return;
	}
	fputs("{\"file\":", s->out.file);
	tool_json_string(s->out.file, f->label);
	if (f->raw)
		snprintf(target, sizeof target, "%s", f->target->name);
	else
		code_object_target(&f->object, target);
	fputs(",\"target\":", s->out.file);
	tool_json_string(s->out.file, target);
	fprintf(s->out.file, ",\"version\":%u,\"functions\":[", f->object.version);
}

static void
put_kernel(struct dis *s, const struct dis_piece *p)
{
	struct dis_need n = dis_gcn_need(p->file, p->kernel);

	fprintf(s->out.file,
		",\"kernel\":{\"vgpr\":%llu,\"agpr\":%llu,\"sgpr\":%llu,\"lds\":%llu,"
		"\"scratch\":%llu,\"kernarg\":%llu,\"waves_per_simd\":%u,\"limit\":",
		(unsigned long long)n.vgpr, (unsigned long long)n.agpr, (unsigned long long)n.sgpr,
		(unsigned long long)n.lds, (unsigned long long)n.scratch,
		(unsigned long long)n.kernarg, n.waves_per_simd);
	tool_json_string(s->out.file, n.limit);
	if (s->req->block) {
		struct dis_groups g = dis_gcn_groups(p->file, p->kernel, s->req->block);
		fprintf(s->out.file,
			",\"block\":{\"lanes\":%u,\"groups\":%u,\"per\":\"%s\",\"waves\":%u,"
			"\"waves_per_simd\":%s,\"limit\":\"%s\"}",
			s->req->block, g.groups, g.per, g.waves, g.waves_per_simd, g.limit);
	}
	fputc('}', s->out.file);
}

void
dis_gcn_json_piece(struct dis *s, const struct dis_piece *p, bool first)
{
	struct dis_graph g = dis_gcn_graph(s, p);
	FILE *f = s->out.file;

	fprintf(f, "%s\n{\"name\":", first ? "" : ",");
	dis_json_name(s, p->name);
	fprintf(f, ",\"addr\":\"0x%llx\",\"size\":\"%llu\",\"wave\":%u",
		(unsigned long long)p->addr, (unsigned long long)p->size, p->target->wave);
	if (p->kernel)
		put_kernel(s, p);
	fputs(",\"mix\":{", f);
	dis_gcn_mix_json(s, p);
	fputs("},\"instructions\":[", f);
	put_insns(s, p);
	fputs("\n],\"blocks\":[", f);
	dis_graph_json(&g);
	fputs("\n]}", f);
}
