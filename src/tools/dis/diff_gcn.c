/* AMD code for --diff: lines without addresses, their registers and labels marked. */
#include "dis_gcn.h"

#include "effect.h"

/* Parses v12, s[2:3] or a0. Returns the length, or 0 if it is not a register. */
static size_t
register_at(const char *s, struct gcn_range *r)
{
	static const char letters[] = "sva";
	static const uint8_t files[] = { FILE_S, FILE_V, FILE_A };
	const char *letter = *s ? strchr(letters, *s) : NULL;
	unsigned first, last;
	int len = 0;

	if (!letter)
		return 0;
	if (sscanf(s + 1, "[%u:%u]%n", &first, &last, &len) != 2 || !len) {
		len = 0;
		if (s[1] < '0' || s[1] > '9' || sscanf(s + 1, "%u%n", &first, &len) != 1)
			return 0;
		last = first;
	}
	*r = (struct gcn_range){ .file = files[letter - letters], .first = (uint16_t)first, .n = (uint8_t)(last - first + 1) };
	return (size_t)len + 1;
}

/* Returns the access (GCN_READ, GCN_WRITE, ...) of the instruction to ranges that contain all of
 * r. */
static unsigned
access_of(const struct gcn_effect *e, const struct gcn_range *r)
{
	unsigned access = 0;

	for (unsigned i = 0; i < e->n_range; i++) {
		const struct gcn_range *x = &e->range[i];
		if (x->file == r->file && x->first <= r->first && r->first + r->n <= x->first + x->n)
			access |= x->access;
	}
	return access;
}

static void
mark_registers(const struct gcn_effect *e, const char *text, struct buf *out)
{
	bool word = false;
	int operand = 0;

	for (const char *s = text; *s;) {
		struct gcn_range r;
		size_t len = word ? 0 : register_at(s, &r);
		unsigned access = len ? access_of(e, &r) : 0;
		bool label = !word && strncmp(s, ".L", 2) == 0;
		operand += *s == ',';
		word = (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '_';
		if (label) {
			buf_printf(out, "%c%s%c", DIFF_NAME, s, DIFF_END);
			return;
		}
		if (!len || !access) {
			buf_put(out, s++, 1);
			continue;
		}
		/* If a name is both read and written, its first operand is the destination. */
		bool writes = (access & GCN_WRITE) && (operand == 0 || !(access & GCN_READ));
		bool reads = (access & (GCN_READ | GCN_KEEP)) != 0;
		buf_printf(out, "%c%.*s%c", writes && reads ? DIFF_BOTH : writes ? DIFF_DEF : DIFF_USE, (int)len, s, DIFF_END);
		s += len;
		word = false;
	}
}

void
dis_gcn_parts(struct dis *s, const struct dis_piece *p)
{
	const struct cfg *f = &p->flow;
	uint32_t next = 0, *label;
	char text[GCN_TEXT_SIZE];
	struct arena mem;
	struct buf line;

	arena_init(&mem, &s->ctx->pool);
	buf_init(&line, &s->ctx->pool);
	label = dis_gcn_labels(p, &mem, &next);
	dis_part_begin(s, p->name ? p->name : "outside functions");
	for (size_t i = 0; i < f->n_line; i++) {
		struct gcn_effect e = { 0 };
		line.len = 0;
		if (label[i] != GCN_NOWHERE) {
			buf_printf(&line, "%c.L%u%c:", DIFF_NAME, label[i], DIFF_END);
			buf_put(&line, "", 1);
			if (!line.nomem)
				dis_part_line(s, buf_data(&line), false);
			line.len = 0;
		}
		dis_gcn_text(p, &f->line[i], label, text);
		if (!(f->line[i].flags & LINE_UNKNOWN))
			gcn_effect_of(p->target, &f->line[i].insn, &e);
		mark_registers(&e, text, &line);
		buf_put(&line, "", 1);
		if (line.nomem)
			tool_die(EXIT_ENVIRONMENT, "out of memory");
		dis_part_line(s, buf_data(&line), true);
	}
	buf_fini(&line);
	arena_fini(&mem);
}
