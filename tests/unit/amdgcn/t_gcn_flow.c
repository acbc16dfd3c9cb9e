/* Control-flow graphs: lines, blocks and edges of small programs and of random words. */
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
	struct cfg flow;
};

static bool
read_flow(struct unit_ctx *t, struct room *r, const struct gcn_target *target,
	  const uint32_t *words, size_t n, const uint32_t *entry, size_t n_entry)
{
	struct qd_error err = { 0 };
	qd_status status;

	r->flow = (struct cfg){ .line = r->line, .line_cap = CAP };
	status = gcn_flow_read(&r->flow, target, words, n, entry, n_entry, &err);
	UNIT_CHECK(t, !status, "%s", err.text);
	if (status || r->flow.n_block > CAP || r->flow.n_edge > 4 * CAP)
		return false;
	r->flow.block = r->block;
	r->flow.edge = r->edge;
	gcn_flow_link(&r->flow);
	return true;
}

/* Prints "0-2 >1,2 <; ...": first and last line, successors, predecessors, and ! for an unreached
 * block. */
static void
shape_of(const struct cfg *f, char *out, size_t cap)
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

/* Checks blocks and edges. Invalid branches must not be followed. */
static void
blocks(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text, *shape;
		unsigned line, flags; /* flags of this line, without LEADER */
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
		{ "gfx90a", "s_getpc_b64 vcc; 0x806aff6a; 0x00000014; s_addc_u32 vcc_hi, vcc_hi, 0; "
			    "s_setpc_b64 vcc; s_nop 0; s_endpgm", "0-3 >2 <; 4-4 >2 <!; 5-5 > <0,1", 3, 0 },
		{ "gfx90a", "s_getpc_b64 vcc; 0x806aff6a; 0xfffffffc; s_addc_u32 vcc_hi, vcc_hi, -1; "
			    "s_setpc_b64 vcc; s_endpgm", "0-3 >0 <0; 4-4 > <!", 3, 0 },
		{ "gfx1200", "s_getpc_b64 vcc; s_wait_alu 0xff9e; s_sext_i32_i16 vcc_hi, vcc_hi; 0x806aff6a; 0x0000001c; "
			     "s_add_co_ci_u32 vcc_hi, vcc_hi, 0; s_setpc_b64 vcc; s_nop 0; s_endpgm",
		  "0-5 >2 <; 6-6 >2 <!; 7-7 > <0,1", 5, 0 },
		/* a sequence that a branch enters; a carry that is no constant; another register */
		{ "gfx90a", "s_cbranch_scc0 1; s_getpc_b64 vcc; 0x806aff6a; 0x00000014; s_addc_u32 vcc_hi, vcc_hi, 0; "
			    "s_setpc_b64 vcc; s_endpgm", NULL, 4, LINE_INDIRECT },
		{ "gfx90a", "s_getpc_b64 vcc; 0x806aff6a; 0x00000014; s_addc_u32 vcc_hi, vcc_hi, s0; "
			    "s_setpc_b64 vcc; s_endpgm", NULL, 3, LINE_INDIRECT },
		{ "gfx90a", "s_getpc_b64 s[0:1]; 0x806aff6a; 0x00000014; s_addc_u32 vcc_hi, vcc_hi, 0; "
			    "s_setpc_b64 vcc; s_endpgm", NULL, 3, LINE_INDIRECT },
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
		UNIT_CHECK(t, !rows[i].shape || !strcmp(shape, rows[i].shape), "%s: %s, wanted %s", rows[i].text,
			   shape, rows[i].shape);
		UNIT_CHECK(t,
			   (r.line[rows[i].line].flags & (unsigned)~LINE_LEADER) ==
				   (rows[i].flags | (rows[i].line ? 0 : LINE_ENTRY)),
			   "%s: line %u has flags 0x%x", rows[i].text, rows[i].line,
			   r.line[rows[i].line].flags);
	}
}

/* Checks that a second kernel in the same words is reached only from its own entry. */
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

/* -- Loops ------------------------------------------------------------------------ */

/* Marks the blocks reached from the entries, or from one block, on paths without block `around`. */
static void
reach_around(const struct cfg *f, uint32_t from, uint32_t around, bool *seen)
{
	bool again = true;

	for (uint32_t i = 0; i < f->n_block; i++)
		seen[i] = i != around && (from == GCN_NOWHERE
					  ? f->line[f->block[i].first].flags & LINE_ENTRY : i == from);
	while (again) {
		again = false;
		for (uint32_t i = 0; i < f->n_block; i++) {
			const struct gcn_block *b = &f->block[i];
			for (uint32_t k = 0; seen[i] && k < b->n_succ; k++) {
				uint32_t to = f->edge[b->succ + k];
				again |= !seen[to] && to != around;
				seen[to] |= to != around;
			}
		}
	}
}

/* Checks dominators and loops against their definitions, without regard to cost. */
static void
check_loops(struct unit_ctx *t, struct cfg *f)
{
	static bool without[CAP][CAP]; /* [v]: reached on paths without v */
	static bool leads[CAP][CAP];   /* [v]: reached from v on paths without the head */
	static bool body[CAP];
	uint32_t depth[CAP] = { 0 }, loop[CAP], size[CAP];

	gcn_flow_loops(f);
	for (uint32_t v = 0; v < f->n_block; v++) {
		reach_around(f, GCN_NOWHERE, v, without[v]);
		loop[v] = GCN_NOWHERE;
		size[v] = 0;
	}
	for (uint32_t v = 0; v < f->n_block; v++) {
		bool head = false;
		uint32_t n = 0;
		if (!f->block[v].reached)
			continue;
		memset(body, 0, sizeof body);
		for (uint32_t u = 0; u < f->n_block; u++)
			reach_around(f, u, v, leads[u]);
		for (uint32_t k = 0; k < f->block[v].n_pred; k++) {
			uint32_t u = f->edge[f->block[v].pred + k];
			bool back = f->block[u].reached && (u == v || !without[v][u]);
			UNIT_CHECK(t, !f->block[u].reached || back == (gcn_flow_way(f, u, v) == WAY_BACK),
				   "%s: edge %u > %u", f->target->name, u, v);
			head |= back;
			for (uint32_t i = 0; back && i < f->n_block; i++)
				body[i] |= f->block[i].reached && (i == v || (u != v && leads[i][u]));
		}
		for (uint32_t i = 0; head && i < f->n_block; i++)
			n += body[i];
		for (uint32_t i = 0; head && i < f->n_block; i++) {
			if (!body[i])
				continue;
			depth[i]++;
			if (loop[i] == GCN_NOWHERE || n < size[i]) {
				loop[i] = v;
				size[i] = n;
			}
		}
	}
	for (uint32_t v = 0; v < f->n_block; v++) {
		uint32_t last = GCN_NOWHERE;
		for (uint32_t u = 0; f->block[v].reached && u < f->n_block; u++) {
			bool dominates = u != v && f->block[u].reached && !without[u][v];
			if (dominates && (last == GCN_NOWHERE || !without[last][u]))
				last = u;
		}
		UNIT_CHECK(t, !f->block[v].reached || f->block[v].dominator == last, "the dominator of block %u is %u, not %u",
			   v, last, f->block[v].dominator);
	}
	for (uint32_t i = 0; i < f->n_block; i++)
		UNIT_CHECK(t, f->block[i].depth == depth[i] && f->block[i].loop == loop[i],
			   "%s: block %u is in %u loops, the last %u; wanted %u, %u", f->target->name,
			   i, f->block[i].depth, f->block[i].loop, depth[i], loop[i]);
}

/* Checks the loops, their heads and their depths. */
static void
loops(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *text, *loops; /* per block: depth, head; 'a' if entered by WAY_ASIDE */
	} rows[] = {
		{ "s_nop 0; s_endpgm", "0" },
		{ "s_nop 0; s_cbranch_scc0 65534; s_endpgm", "1@0 0" },
		{ "s_nop 0; s_nop 1; s_cbranch_scc0 65534; s_cbranch_scc1 65532; s_endpgm", "1@0 2@1 1@0 0" },
		/* two heads: neither dominates the other */
		{ "s_cbranch_scc0 1; s_nop 0; s_nop 1; s_cbranch_scc1 65533; s_endpgm", "0 0a 0 0" },
		{ "s_branch 65535", "1@0" },
		{ "s_endpgm; s_cbranch_scc0 65535; s_endpgm", "0 0 0" },
	};
	/* clang-format on */
	const struct gcn_target *target = gcn_target_find("gfx1030", 0);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct room r;
		uint32_t words[CAP];
		size_t n = gcn_text_words(t, target, rows[i].text, words, CAP), len = 0;
		char got[200];
		if (!n || !read_flow(t, &r, target, words, n, NULL, 0))
			continue;
		check_loops(t, &r.flow);
		for (uint32_t b = 0; b < r.flow.n_block; b++) {
			bool aside = false;
			for (uint32_t k = 0; k < r.block[b].n_pred; k++)
				aside |= gcn_flow_way(&r.flow, r.edge[r.block[b].pred + k], b) ==
					 WAY_ASIDE;
			len += (size_t)snprintf(got + len, sizeof got - len, "%s%u", b ? " " : "",
						r.block[b].depth);
			if (r.block[b].depth)
				len += (size_t)snprintf(got + len, sizeof got - len, "@%u",
							r.block[b].loop);
			len += (size_t)snprintf(got + len, sizeof got - len, aside ? "a" : "");
		}
		UNIT_CHECK(t, !strcmp(got, rows[i].loops), "%s: %s, wanted %s", rows[i].text, got,
			   rows[i].loops);
	}
}

/* Checks random graphs: blocks of one line with up to three successors, and several entries. */
static void
graphs(struct unit_ctx *t)
{
	struct unit_rng rng = { 11 };
	static struct room r;

	for (unsigned round = 0; round < 2000; round++) {
		struct cfg *f = &r.flow;
		uint32_t n = 1 + (uint32_t)(unit_random(&rng) % 24), at = 0, n_succ;
		memset(&r, 0, sizeof r);
		*f = (struct cfg){ .target = gcn_target_find("gfx1030", 0), .line = r.line, .n_line = n, .block = r.block,
					.n_block = n, .edge = r.edge };
		for (uint32_t i = 0; i < n; i++) {
			r.line[i].flags = i && unit_random(&rng) % 12 ? 0 : LINE_ENTRY;
			r.block[i] = (struct gcn_block){ .first = i, .n_line = 1, .succ = at };
			n_succ = (uint32_t)(unit_random(&rng) % 4);
			for (uint32_t k = 0; k < n_succ; k++) {
				/* Mostly near blocks, so that chains form. */
				uint32_t to = (uint32_t)(unit_random(&rng) % 3 ? i + unit_random(&rng) % 5 : unit_random(&rng)) % n;
				bool again = false;
				for (uint32_t e = r.block[i].succ; e < at; e++)
					again |= r.edge[e] == to;
				if (!again)
					r.edge[at++] = to;
			}
			r.block[i].n_succ = at - r.block[i].succ;
		}
		for (uint32_t i = 0; i < n; i++) {
			r.block[i].pred = at;
			for (uint32_t u = 0; u < n; u++)
				for (uint32_t e = r.block[u].succ; e < r.block[u].succ + r.block[u].n_succ; e++)
					if (r.edge[e] == i)
						r.edge[at++] = u;
			r.block[i].n_pred = at - r.block[i].pred;
		}
		bool seen[CAP];
		reach_around(f, GCN_NOWHERE, GCN_NOWHERE, seen);
		for (uint32_t i = 0; i < n; i++)
			r.block[i].reached = seen[i];
		check_loops(t, f);
	}
}

/* -- Random words -------------------------------------------------------------------- */

/* Checks on random words that each edge is in both lists and each line in a block. */
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
				if (j % 3 == 0) /* branches and similar words, to near targets */
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
			if (n < 64)
				check_loops(t, &r.flow);
		}
	}
}

const struct unit units_gcn_flow[] = {
	{ "cfg.blocks", blocks },
	{ "cfg.entries", entries },
	{ "cfg.loops", loops },
	{ "cfg.graphs", graphs },
	{ "cfg.any_words", any_words },
};
const unsigned n_units_gcn_flow = sizeof units_gcn_flow / sizeof *units_gcn_flow;
