/* Lines, blocks and edges of small programs, and of any words at all. */
#include "flow.h"
#include "gcn_text.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAP = 256 };

struct room {
	struct gcn_line line[CAP];
	struct gcn_block block[CAP];
	uint32_t edge[4 * CAP];
	struct gcn_flow flow;
};

static bool
read_flow(struct unit_ctx *t, struct room *r, const struct gcn_target *target,
	  const uint32_t *words, size_t n, const uint32_t *entry, size_t n_entry)
{
	struct qd_error err = { 0 };
	qd_status status;

	r->flow = (struct gcn_flow){ .line = r->line, .line_cap = CAP };
	status = gcn_flow_read(&r->flow, target, words, n, entry, n_entry, &err);
	UNIT_CHECK(t, !status, "%s", err.text);
	if (status || r->flow.n_block > CAP || r->flow.n_edge > 4 * CAP)
		return false;
	r->flow.block = r->block;
	r->flow.edge = r->edge;
	gcn_flow_link(&r->flow);
	return true;
}

/* "0-2 >1,2 <; ..." : first and last line, successors, predecessors, ! when not
 * reached. */
static void
shape_of(const struct gcn_flow *f, char *out, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		n += (size_t)snprintf(out + n, cap - n, "%s%u-%u >", i ? "; " : "", b->first,
				      b->first + b->n_line - 1);
		for (uint32_t k = 0; k < b->n_succ; k++)
			n += (size_t)snprintf(out + n, cap - n, "%s%u", k ? "," : "",
					      f->edge[b->succ + k]);
		n += (size_t)snprintf(out + n, cap - n, " <");
		for (uint32_t k = 0; k < b->n_pred; k++)
			n += (size_t)snprintf(out + n, cap - n, "%s%u", k ? "," : "",
					      f->edge[b->pred + k]);
		n += (size_t)snprintf(out + n, cap - n, "%s", b->reached ? "" : "!");
	}
}

/* An edge is missing or too many, or a bad branch is followed. */
static void
blocks(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text, *shape;
		unsigned line, flags; /* that this line must have, LEADER aside */
	} rows[] = {
		{ "gfx1100", "s_nop 0; s_endpgm", "0-1 > <", 0, LINE_ENTRY },
		{ "gfx1100", "s_cbranch_scc0 1; s_nop 0; s_endpgm", "0-0 >1,2 <; 1-1 >2 <0; 2-2 > <0,1",
		  2, LINE_TARGET },
		{ "gfx906", "s_nop 0; s_nop 1; s_cbranch_vccz 65534; s_endpgm",
		  "0-0 >1 <; 1-2 >2,1 <0,1; 3-3 > <1", 1, LINE_TARGET },
		{ "gfx906", "s_branch 0; s_endpgm", "0-0 >1 <; 1-1 > <0", 1, LINE_TARGET },
		{ "gfx906", "s_cbranch_scc1 0; s_endpgm", "0-0 >1 <; 1-1 > <0", 1, LINE_TARGET },
		{ "gfx906", "s_branch 65535", "0-0 >0 <0", 0, LINE_TARGET },
		{ "gfx1200", "s_branch 1; s_nop 0; s_endpgm", "0-0 >2 <; 1-1 >2 <!; 2-2 > <0,1", 2,
		  LINE_TARGET },
		{ "gfx1030", "s_cbranch_scc0 1; v_add_f32_e32 v0, 0x12345678, v0; s_endpgm",
		  "0-0 >1 <; 1-2 > <0", 0, LINE_MIDDLE },
		{ "gfx1030", "s_cbranch_scc0 9; s_endpgm", "0-0 >1 <; 1-1 > <0", 0, LINE_OUTSIDE },
		{ "gfx1030", "s_cbranch_scc0 65000; s_endpgm", "0-0 >1 <; 1-1 > <0", 0, LINE_OUTSIDE },
		{ "gfx1030", "s_nop 0; s_nop 0", "0-1 > <", 1, LINE_OFF_END },
		{ "gfx90a", "s_setpc_b64 s[0:1]; s_endpgm", "0-0 > <; 1-1 > <!", 0, LINE_INDIRECT },
		{ "gfx90a", "s_swappc_b64 s[30:31], s[0:1]; s_endpgm", "0-0 >1 <; 1-1 > <0", 0,
		  LINE_INDIRECT },
		{ "gfx90a", "s_call_b64 s[30:31], 1; s_endpgm; s_setpc_b64 s[30:31]",
		  "0-0 >1,2 <; 1-1 > <0; 2-2 > <0", 2, LINE_INDIRECT | LINE_TARGET },
		{ "gfx1100", "s_nop 0; 0xffffffff; s_endpgm", "0-1 > <; 2-2 > <!", 1, LINE_UNKNOWN },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct gcn_target *target = gcn_target_find(rows[i].target, 0);
		static struct room r;
		uint32_t words[CAP];
		size_t n = gcn_text_words(t, target, rows[i].text, words, CAP);
		char shape[400];
		if (!n || !read_flow(t, &r, target, words, n, NULL, 0))
			continue;
		shape_of(&r.flow, shape, sizeof shape);
		UNIT_CHECK(t, !strcmp(shape, rows[i].shape), "%s: %s, wanted %s", rows[i].text,
			   shape, rows[i].shape);
		UNIT_CHECK(t,
			   (r.line[rows[i].line].flags & (unsigned)~LINE_LEADER) ==
				   (rows[i].flags | (rows[i].line ? 0 : LINE_ENTRY)),
			   "%s: line %u has flags 0x%x", rows[i].text, rows[i].line,
			   r.line[rows[i].line].flags);
	}
}

/* Entries: a second kernel in the same words is reached by its entry alone. */
static void
entries(struct unit_ctx *t)
{
	const struct gcn_target *target = gcn_target_find("gfx1100", 0);
	struct qd_error err = { 0 };
	uint32_t words[CAP], entry = 8;
	static struct room r;
	size_t n = gcn_text_words(t, target, "s_nop 0; s_endpgm; s_nop 1; s_endpgm", words, CAP);

	if (!n || !read_flow(t, &r, target, words, n, NULL, 0))
		return;
	UNIT_CHECK(t, r.flow.n_block == 2 && !r.block[1].reached, "reached without an entry");
	if (!read_flow(t, &r, target, words, n, &entry, 1))
		return;
	UNIT_CHECK(t, r.flow.n_block == 2 && r.block[1].reached, "not reached from its entry");
	entry = 6;
	UNIT_CHECK(t, gcn_flow_read(&r.flow, target, words, n, &entry, 1, &err) == QD_E_INVALID,
		   "an entry at byte 6 was taken");
	UNIT_CHECK(t, !strcmp(err.text, "gcn_flow_read: no instruction begins at 0x6"), "%s",
		   err.text);
	r.flow.line_cap = 3;
	UNIT_CHECK(t, gcn_flow_read(&r.flow, target, words, n, NULL, 0, &err) == QD_E_LIMIT,
		   "4 lines fit where there is room for 3");
}

static void
count(void *user, const char *text, size_t len)
{
	size_t *n = user;

	(void)text;
	*n += len;
}

/* Any words: every edge has its counterpart and every line a block. */
static void
any_words(struct unit_ctx *t)
{
	struct unit_rng rng = { 7 };
	static struct room r;

	for (size_t i = 0; gcn_target_at(i); i++) {
		for (unsigned k = 0; k < 20; k++) {
			const struct gcn_target *target = gcn_target_at(i);
			uint32_t words[CAP];
			size_t n = 1 + k * 12, seen = 0, forward = 0, back = 0;
			for (size_t j = 0; j < n; j++) {
				words[j] = (uint32_t)(unit_random(&rng) >> 16);
				if (j % 3 == 0) /* branches and the like, near */
					words[j] = 0xbf800000 | (words[j] & 0x7f001f);
			}
			if (!read_flow(t, &r, target, words, n, NULL, 0))
				return;
			for (size_t j = 0; j < r.flow.n_block; j++) {
				const struct gcn_block *b = &r.block[j];
				UNIT_CHECK(t, b->first == seen && b->n_line, "%s: block %zu",
					   target->name, j);
				seen += b->n_line;
				forward += b->n_succ;
				back += b->n_pred;
				for (uint32_t e = 0; e < b->n_succ; e++)
					UNIT_CHECK(t, r.edge[b->succ + e] < r.flow.n_block, "edge");
			}
			UNIT_CHECK(t,
				   seen == r.flow.n_line && forward == back &&
					   forward + back == r.flow.n_edge,
				   "%s: %zu lines, %zu edges", target->name, seen, r.flow.n_edge);
			seen = 0;
			gcn_flow_dot(&r.flow, "a \"b", count, &seen);
			UNIT_CHECK(t, seen > 20, "%zu characters of dot", seen);
		}
	}
}

const struct unit units_gcn_flow[] = {
	{ "gcn_flow.blocks", blocks },
	{ "gcn_flow.entries", entries },
	{ "gcn_flow.any_words", any_words },
};
const unsigned n_units_gcn_flow = sizeof units_gcn_flow / sizeof *units_gcn_flow;
