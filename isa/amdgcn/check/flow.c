/* Lines, blocks and edges. */
#include "flow.h"

#include "effect.h"

#include <stdio.h>

enum { MAX_WORDS = 1 << 30 };

/* Where control goes after an instruction: on, to its target, both, or neither. */
struct ways {
	bool next, target, indirect;
};

static struct ways
ways_of(const struct gcn_line *l)
{
	struct gcn_props p;

	if (l->flags & LINE_UNKNOWN)
		return (struct ways){ 0 };
	p = gcn_props_of(l->insn.row);
	switch (p.class) {
	case CL_END: return (struct ways){ 0 };
	case CL_BRANCH:
		return (struct ways){ .next = p.flags & (E(COND) | E(LINK)),
				      .target = !(p.flags & E(INDIRECT)),
				      .indirect = p.flags & E(INDIRECT) };
	default: return (struct ways){ .next = true };
	}
}

uint32_t
gcn_flow_line_at(const struct gcn_flow *f, uint64_t offset)
{
	size_t lo = 0, hi = f->n_line;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->line[mid].offset == offset)
			return (uint32_t)mid;
		if (f->line[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return GCN_NOWHERE;
}

static uint64_t
end_of(const struct gcn_line *l)
{
	return l->offset + 4u * (uint64_t)l->n_words;
}

static void
find_target(struct gcn_flow *f, struct gcn_line *l)
{
	/* 16 bits, signed, in words after the instruction; below 0 wraps far outside */
	uint64_t to = end_of(l) + (uint64_t)(int64_t)(int16_t)l->insn.field[F_SIMM] * 4;

	l->target = gcn_flow_line_at(f, to);
	if (l->target != GCN_NOWHERE)
		f->line[l->target].flags |= LINE_LEADER | LINE_TARGET;
	else
		l->flags |= to < end_of(&f->line[f->n_line - 1]) ? LINE_MIDDLE : LINE_OUTSIDE;
}

static qd_status
read_lines(struct gcn_flow *f, const uint32_t *words, size_t n_words, struct qd_error *err)
{
	f->n_line = 0;
	for (size_t at = 0; at < n_words;) {
		struct gcn_line *l;
		int n;
		if (f->n_line == f->line_cap)
			return qd_fail(err, QD_E_LIMIT, "gcn_flow_read: room for %zu lines only",
				       f->line_cap);
		l = &f->line[f->n_line++];
		n = gcn_decode(f->target, words + at, n_words - at, &l->insn);
		l->offset = (uint32_t)(at * 4);
		l->target = GCN_NOWHERE;
		l->block = 0;
		l->flags = 0;
		if (!n) {
			l->insn.row = GCN_N_ROW;
			l->flags = LINE_UNKNOWN;
			n = 1;
		}
		l->n_words = (uint8_t)n;
		at += (size_t)n;
	}
	return QD_OK;
}

static size_t
count_ways(const struct gcn_flow *f, const struct gcn_line *l)
{
	struct ways w = ways_of(l);
	bool next = w.next && l + 1 < f->line + f->n_line;

	return (size_t)(l->target != GCN_NOWHERE) +
	       (size_t)(next && l->target != (uint32_t)(l + 1 - f->line));
}

qd_status
gcn_flow_read(struct gcn_flow *f, const struct gcn_target *t, const uint32_t *words, size_t n_words,
	      const uint32_t *entry, size_t n_entry, struct qd_error *err)
{
	uint32_t block = 0;

	f->target = t;
	f->n_line = f->n_block = f->n_edge = 0;
	if (n_words > MAX_WORDS)
		return qd_fail(err, QD_E_LIMIT, "gcn_flow_read: %zu words are too many", n_words);
	QD_TRY(read_lines(f, words, n_words, err));
	if (!f->n_line)
		return QD_OK;
	f->line[0].flags |= LINE_ENTRY | LINE_LEADER;
	for (size_t i = 0; i < n_entry; i++) {
		uint32_t at = gcn_flow_line_at(f, entry[i]);
		if (at == GCN_NOWHERE)
			return qd_fail(err, QD_E_INVALID,
				       "gcn_flow_read: no instruction begins at 0x%x", entry[i]);
		f->line[at].flags |= LINE_ENTRY | LINE_LEADER;
	}
	for (size_t i = 0; i < f->n_line; i++) {
		struct gcn_line *l = &f->line[i];
		struct ways w = ways_of(l);
		if (w.indirect)
			l->flags |= LINE_INDIRECT;
		if (w.target)
			find_target(f, l);
		if (w.next && i + 1 == f->n_line)
			l->flags |= LINE_OFF_END;
		if ((w.target || w.indirect || !w.next) && i + 1 < f->n_line)
			f->line[i + 1].flags |= LINE_LEADER;
	}
	for (size_t i = 0; i < f->n_line; i++) {
		if (f->line[i].flags & LINE_LEADER)
			f->n_block++;
		f->line[i].block = (uint32_t)f->n_block - 1;
	}
	for (size_t i = 0; i < f->n_line; i++) {
		block = f->line[i].block;
		if (i + 1 == f->n_line || f->line[i + 1].block != block)
			f->n_edge += 2 * count_ways(f, &f->line[i]);
	}
	return QD_OK;
}

static void
reach(struct gcn_flow *f)
{
	uint32_t queue = GCN_NOWHERE;

	for (size_t i = 0; i < f->n_block; i++) {
		struct gcn_block *b = &f->block[i];
		if (!(f->line[b->first].flags & LINE_ENTRY))
			continue;
		b->reached = true;
		b->next = queue;
		queue = (uint32_t)i;
	}
	while (queue != GCN_NOWHERE) {
		struct gcn_block *b = &f->block[queue];
		queue = b->next;
		for (uint32_t k = 0; k < b->n_succ; k++) {
			struct gcn_block *s = &f->block[f->edge[b->succ + k]];
			if (s->reached)
				continue;
			s->reached = true;
			s->next = queue;
			queue = f->edge[b->succ + k];
		}
	}
}

void
gcn_flow_link(struct gcn_flow *f)
{
	uint32_t at = 0;

	for (size_t i = f->n_line; i-- > 0;) {
		struct gcn_block *b = &f->block[f->line[i].block];
		*b = (struct gcn_block){ .first = (uint32_t)i, .next = GCN_NOWHERE };
	}
	for (size_t i = 0; i < f->n_line; i++)
		f->block[f->line[i].block].n_line++;
	for (size_t i = 0; i < f->n_block; i++) {
		struct gcn_block *b = &f->block[i];
		const struct gcn_line *l = &f->line[b->first + b->n_line - 1];
		struct ways w = ways_of(l);
		b->succ = at;
		if (w.next && i + 1 < f->n_block && l->target != b->first + b->n_line)
			f->edge[at++] = (uint32_t)i + 1;
		if (l->target != GCN_NOWHERE)
			f->edge[at++] = f->line[l->target].block;
		b->n_succ = at - b->succ;
		for (uint32_t k = b->succ; k < at; k++)
			f->block[f->edge[k]].n_pred++;
	}
	for (size_t i = 0; i < f->n_block; i++) {
		f->block[i].pred = at;
		at += f->block[i].n_pred;
		f->block[i].n_pred = 0;
	}
	for (size_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		for (uint32_t k = 0; k < b->n_succ; k++) {
			struct gcn_block *s = &f->block[f->edge[b->succ + k]];
			f->edge[s->pred + s->n_pred++] = (uint32_t)i;
		}
	}
	reach(f);
}

/* -- Dot -------------------------------------------------------------------------- */

struct sink {
	void (*put)(void *user, const char *text, size_t len);
	void *user;
};

static void QD_PRINTF(2, 3)
say(const struct sink *s, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n > 0)
		s->put(s->user, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* A name between quotes: what would end it is left out. */
static void
say_name(const struct sink *s, const char *name)
{
	for (; *name; name++) {
		if (*name != '"' && *name != '\\' && (unsigned char)*name >= ' ')
			s->put(s->user, name, 1);
	}
}

void
gcn_flow_dot(const struct gcn_flow *f, const char *name,
	     void (*put)(void *user, const char *text, size_t len), void *user)
{
	struct sink s = { put, user };
	char text[256];

	say(&s, "digraph \"");
	say_name(&s, name);
	say(&s, "\" {\n\tnode [shape=box, fontname=monospace];\n");
	for (size_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		say(&s, "\tb%zu [%slabel=\"", i, b->reached ? "" : "style=dashed, ");
		for (uint32_t k = b->first; k < b->first + b->n_line; k++) {
			const struct gcn_line *l = &f->line[k];
			if (l->flags & LINE_UNKNOWN)
				snprintf(text, sizeof text, ".long");
			else
				gcn_print(f->target, &l->insn, text, sizeof text);
			say(&s, "%04x  %s\\l", l->offset, text);
		}
		say(&s, "\"];\n");
		for (uint32_t k = 0; k < b->n_succ; k++)
			say(&s, "\tb%zu -> b%u;\n", i, f->edge[b->succ + k]);
	}
	say(&s, "}\n");
}
