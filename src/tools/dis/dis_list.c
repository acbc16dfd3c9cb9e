/* Listing of AMD code: labels for branches, addresses and words before the instruction,
 * comments after it. */
#include "dis_gcn.h"

enum { REMARK_COLUMN = 44, REMARK_SIZE = 256, MAX_NAMED = 3 };

/* Kinds of registers. struct peaks: the first line where the most registers of each kind are
 * live. */
static const struct {
	char letter;
	const char *name;
	size_t count;	  /* in struct gcn_live */
	uint32_t feature; /* of targets that have it */
} kinds[] = {
	{ 'v', "VGPR", offsetof(struct gcn_live, vgprs), 0 },
	{ 'a', "AGPR", offsetof(struct gcn_live, agprs), GCN_AGPR },
	{ 's', "SGPR", offsetof(struct gcn_live, sgprs), 0 },
};
struct peaks {
	uint32_t line[QD_COUNT(kinds)], n[QD_COUNT(kinds)];
};

struct listing {
	struct dis *s;
	const struct dis_piece *p;
	uint32_t *label; /* of each line, or GCN_NOWHERE */
	struct dis_notes notes;
	uint32_t next_note;
	int addr_width, hex_width;
	struct peaks peaks;
	const struct line_range *source; /* last line shown */
};

static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* -- Heads ------------------------------------------------------------------------- */

void
dis_gcn_file_head(struct dis *s, const struct dis_object *f)
{
	const struct code_object *o = &f->object;
	char target[64];

	if (f->raw) {
		fprintf(s->out.file, "; %s: words of %s w%u\n", f->label, f->target->name,
			f->target->wave);
		return;
	}
	code_object_target(o, target);
	fprintf(s->out.file, "; %s: %s", f->label, target);
	if (o->version)
		fprintf(s->out.file, ", code object v%u", o->version);
	if (o->generic_version)
		fprintf(s->out.file, ", generic version %u", o->generic_version);
	fprintf(s->out.file, ", %u kernel%s, %u function%s\n", o->n_kernels, plural(o->n_kernels),
		o->n_functions, plural(o->n_functions));
	if (!s->req->no_meta)
		dis_gcn_file_meta(s, f);
}

static unsigned
live_count(const struct gcn_live *live, size_t kind)
{
	uint16_t n;

	memcpy(&n, (const char *)live + kinds[kind].count, sizeof n);
	return n;
}

static bool
has_kind(const struct dis_piece *p, size_t kind)
{
	return (p->target->features & kinds[kind].feature) == kinds[kind].feature;
}

static struct peaks
find_peaks(const struct dis_piece *p)
{
	struct peaks peaks = { .line = { 0 } };

	for (size_t kind = 0; p->live && kind < QD_COUNT(kinds); kind++) {
		for (uint32_t i = 0; i < p->flow.n_line; i++) {
			if (live_count(&p->live[i], kind) <= peaks.n[kind])
				continue;
			peaks.n[kind] = live_count(&p->live[i], kind);
			peaks.line[kind] = i;
		}
	}
	return peaks;
}

static void
put_peaks(FILE *f, const struct dis_piece *p)
{
	struct peaks peaks = find_peaks(p);
	const char *sep = "; live at most: ";

	for (size_t kind = 0; kind < QD_COUNT(kinds); kind++) {
		if (!has_kind(p, kind))
			continue;
		fprintf(f, "%s%u %s%s", sep, peaks.n[kind], kinds[kind].name,
			plural(peaks.n[kind]));
		if (peaks.n[kind])
			fprintf(f, " at %04llx",
				(unsigned long long)(p->addr +
						     p->flow.line[peaks.line[kind]].offset));
		sep = ", ";
	}
	fputc('\n', f);
}

void
dis_gcn_piece_head(struct dis *s, const struct dis_piece *p)
{
	FILE *f = s->out.file;

	if (p->file->raw) {
		if (p->live)
			put_peaks(f, p);
		return;
	}
	fputs("\n; ", f);
	if (p->name)
		dis_put_written(s, p->name);
	else
		fprintf(f, "outside functions, at 0x%llx", (unsigned long long)p->addr);
	fprintf(f, "  %s w%u", p->target->name, p->target->wave);
	if (p->kernel) {
		struct dis_need n = dis_gcn_need(p->file, p->kernel);
		fprintf(f, "   vgpr %llu  sgpr %llu", (unsigned long long)n.vgpr,
			(unsigned long long)n.sgpr);
		if (n.agpr)
			fprintf(f, "  agpr %llu", (unsigned long long)n.agpr);
		fprintf(f, "  lds %llu  scratch %llu  kernarg %llu  waves/SIMD %u",
			(unsigned long long)n.lds, (unsigned long long)n.scratch,
			(unsigned long long)n.kernarg, n.waves_per_simd);
		if (n.limit[0])
			fprintf(f, " (%s)", n.limit);
	}
	fprintf(f, "  %llu bytes\n", (unsigned long long)p->size);
	if (p->kernel && s->req->block) {
		struct dis_groups g = dis_gcn_groups(p->file, p->kernel, s->req->block);
		fprintf(f, "; work-groups of %u: %u/%s, %s waves/SIMD", s->req->block, g.groups,
			g.per, g.waves_per_simd);
		fprintf(f, g.limit[0] ? " (%s)\n" : "\n", g.limit);
	}
	if (p->live)
		put_peaks(f, p);
	if (p->kernel && !s->req->no_meta)
		dis_gcn_meta(s, p);
	if (p->name) {
		dis_put_name(s, p->name);
		fputs(":\n", f);
	}
}

/* -- Lines ------------------------------------------------------------------------- */

/* Lists the targets on which the words are an instruction. */
static size_t
name_others(const struct dis_piece *p, const struct gcn_line *line, char *text, size_t cap)
{
	size_t first = line->offset / 4, len = 0;
	uint32_t seen = 0;
	unsigned n = 0;
	const struct gcn_target *t;

	text[0] = '\0';
	for (size_t i = 0; (t = gcn_target_at(i)) != NULL; i++) {
		struct gcn_insn in;
		if (seen & t->class_bit)
			continue;
		seen |= t->class_bit;
		if (!gcn_decode(t, p->words + first, p->n_words - first, &in))
			continue;
		if (n++ == MAX_NAMED) {
			len += (size_t)snprintf(text + len, cap - len, ", ...");
			break;
		}
		len += (size_t)snprintf(text + len, cap - len, "%s%s", n > 1 ? ", " : "", t->name);
	}
	return len;
}

/* Returns true if further words could complete the instruction. */
static bool
is_cut_off(const struct dis_piece *p, const struct gcn_line *line)
{
	uint32_t words[GCN_MAX_WORDS] = { 0 };
	struct gcn_insn in;
	size_t first = line->offset / 4, left = p->n_words - first;

	if (left >= GCN_MAX_WORDS)
		return false;
	memcpy(words, p->words + first, left * sizeof *words);
	return (size_t)gcn_decode(p->target, words, GCN_MAX_WORDS, &in) > left;
}

static void
remark_on(struct listing *l, const struct gcn_line *line, char *text, size_t cap)
{
	const struct gcn_target *t = l->p->target;
	char others[128];
	int64_t to;
	unsigned operand;

	text[0] = '\0';
	if ((line->flags & LINE_UNKNOWN) && is_cut_off(l->p, line)) {
		snprintf(text, cap, "a truncated instruction");
	} else if (line->flags & LINE_UNKNOWN) {
		size_t n = name_others(l->p, line, others, sizeof others);
		snprintf(text, cap, n ? "unknown on %s (valid on %s)" : "unknown on %s", t->name,
			 others);
	} else if ((line->flags & (LINE_OUTSIDE | LINE_MIDDLE)) &&
		   dis_gcn_branch(t, &line->insn, &to, &operand)) {
		snprintf(text, cap, "to 0x%llx, %s",
			 (unsigned long long)(l->p->addr + line->offset + (uint64_t)to),
			 line->flags & LINE_MIDDLE ? "within an instruction" : "out of this code");
	} else if (line->target != GCN_NOWHERE && !dis_gcn_branch(t, &line->insn, &to, &operand)) {
		snprintf(text, cap, "to 0x%llx", (unsigned long long)(l->p->addr + l->p->flow.line[line->target].offset));
	} else if (line->flags & LINE_OFF_END) {
		snprintf(text, cap, "runs past the end of this code");
	} else if (l->notes.n) {
		dis_gcn_wait_remark(l->p, &l->notes, &l->next_note,
				    (uint32_t)(line - l->p->flow.line), text, cap);
	}
}

/* Prepends the live registers to the comment, unless the code is unreachable. */
static void
add_live(const struct listing *l, uint32_t line, char *text, size_t cap)
{
	const struct dis_piece *p = l->p;
	char remark[REMARK_SIZE];
	size_t n;

	if (!p->live || !p->flow.block[p->flow.line[line].block].reached)
		return;
	snprintf(remark, sizeof remark, "%s", text);
	n = (size_t)snprintf(text, cap, "live");
	for (size_t kind = 0; kind < QD_COUNT(kinds); kind++) {
		bool peak = l->peaks.n[kind] && l->peaks.line[kind] == line;
		if (has_kind(p, kind))
			n += (size_t)snprintf(text + n, cap - n, " %c %3u%c", kinds[kind].letter,
					      live_count(&p->live[line], kind), peak ? '*' : ' ');
	}
	if (remark[0])
		snprintf(text + n, cap - n, "; %s", remark);
	else if (text[n - 1] == ' ')
		text[n - 1] = '\0';
}

static void
put_front(const struct listing *l, uint64_t addr)
{
	const struct dis_request *r = l->s->req;

	if (r->no_addr)
		fputs("  ", l->s->out.file);
	else
		fprintf(l->s->out.file, "  %0*llx  ", l->addr_width, (unsigned long long)addr);
}

static void
put_text(const struct listing *l, const char *text, const char *remark)
{
	if (remark[0])
		fprintf(l->s->out.file, "%-*s ; %s\n", REMARK_COLUMN, text, remark);
	else
		fprintf(l->s->out.file, "%s\n", text);
}

void
dis_gcn_text(const struct dis_piece *p, const struct gcn_line *line, const uint32_t *label,
	     char text[GCN_TEXT_SIZE])
{
	char *at;
	int64_t to;
	unsigned operand;

	if (line->flags & LINE_UNKNOWN) {
		snprintf(text, GCN_TEXT_SIZE, ".long 0x%08x", p->words[line->offset / 4]);
		return;
	}
	gcn_print(p->target, &line->insn, text, GCN_TEXT_SIZE);
	/* the target of a branch is the last operand */
	at = line->target != GCN_NOWHERE && dis_gcn_branch(p->target, &line->insn, &to, &operand) ? strrchr(text, ' ') : NULL;
	if (at)
		snprintf(at, GCN_TEXT_SIZE - (size_t)(at - text), " .L%u", label[line->target]);
}

static void
put_line(struct listing *l, const struct gcn_line *line)
{
	const uint32_t *words = l->p->words + line->offset / 4;
	char text[GCN_TEXT_SIZE], remark[REMARK_SIZE + 64], hex[9 * 8];
	int n = 0;

	put_front(l, l->p->addr + line->offset);
	if (!l->s->req->no_hex) {
		for (int i = 0; i < line->n_words && i < 8; i++)
			n += snprintf(hex + n, sizeof hex - (size_t)n, "%s%08X", i ? " " : "",
				      words[i]);
		fprintf(l->s->out.file, "%-*s   ", l->hex_width, hex);
	}
	dis_gcn_text(l->p, line, l->label, text);
	remark_on(l, line, remark, REMARK_SIZE);
	add_live(l, (uint32_t)(line - l->p->flow.line), remark, sizeof remark);
	put_text(l, text, remark);
}

/* Writes the source line of the instruction if it differs from the last one. */
static void
put_source(struct listing *l, const struct gcn_line *line)
{
	const struct dis_object *o = l->p->file;
	const struct line_range *x;

	if (!dis_shows_source(l->s))
		return;
	x = lines_find(&o->lines, &o->object.elf, l->p->section, l->p->addr + line->offset);
	if (!x || !x->line || (l->source && x->line == l->source->line && x->file == l->source->file))
		return;
	l->source = x;
	fputs("; ", l->s->out.file);
	dis_put_source(l->s, x->file, x->line);
	fputc('\n', l->s->out.file);
}

/* Writes the bytes after the last whole word. */
static void
put_rest(const struct listing *l)
{
	const struct dis_piece *p = l->p;
	uint64_t whole = p->size & ~(uint64_t)3;
	char text[64], hex[16];
	int n = 0, h = 0;

	if (whole == p->size)
		return;
	for (uint64_t i = whole; i < p->size; i++) {
		n += snprintf(text + n, sizeof text - (size_t)n, "%s0x%02x",
			      i > whole ? ", " : ".byte ", p->code[i]);
		h += snprintf(hex + h, sizeof hex - (size_t)h, "%s%02X", i > whole ? " " : "",
			      p->code[i]);
	}
	put_front(l, p->addr + whole);
	if (!l->s->req->no_hex)
		fprintf(l->s->out.file, "%-*s   ", l->hex_width, hex);
	put_text(l, text, "truncated: not a whole word");
}

/* -- The piece ------------------------------------------------------------------------- */

uint32_t *
dis_gcn_labels(const struct dis_piece *p, struct arena *mem, uint32_t *next)
{
	const struct cfg *f = &p->flow;
	uint32_t *label = arena_alloc(mem, f->n_line * sizeof *label);

	if (!label)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (size_t i = 0; i < f->n_line; i++)
		label[i] = f->line[i].flags & LINE_TARGET ? (*next)++ : GCN_NOWHERE;
	return label;
}

int
dis_gcn_addr_width(const struct dis_piece *p)
{
	int width = 4;

	for (uint64_t last = (p->addr + p->size) >> 16; last; last >>= 4)
		width++;
	return width;
}

uint32_t
dis_gcn_list(struct dis *s, const struct dis_piece *p, uint32_t label)
{
	const struct cfg *f = &p->flow;
	struct listing l = { .s = s, .p = p, .addr_width = dis_gcn_addr_width(p), .hex_width = 8 };
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	l.label = dis_gcn_labels(p, &mem, &label);
	for (size_t i = 0; i < f->n_line; i++) {
		if (9 * f->line[i].n_words - 1 > l.hex_width)
			l.hex_width = 9 * f->line[i].n_words - 1;
	}
	l.peaks = find_peaks(p);
	buf_init(&l.notes.buf, &s->ctx->pool);
	if (s->req->waits && !dis_gcn_too_large(p, "--waits"))
		dis_gcn_waits(s, p, &l.notes);
	for (size_t i = 0; i < f->n_line; i++) {
		if (l.label[i] != GCN_NOWHERE)
			fprintf(s->out.file, ".L%u:\n", l.label[i]);
		put_source(&l, &f->line[i]);
		put_line(&l, &f->line[i]);
	}
	put_rest(&l);
	buf_fini(&l.notes.buf);
	arena_fini(&mem);
	return label;
}
