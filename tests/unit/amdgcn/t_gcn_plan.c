/* The plan of the AMD generator, run on registers. Each lane of a random body must store the same
 * values as when it runs alone. With one of the rules disabled, some body must fail. */
#include "gcn_wave.h"

extern const struct unit units_gcn_plan[];
extern const unsigned n_units_gcn_plan;

enum { USUAL = 3000 };

static const struct gcn_way way = { .by_plan = true, .lanes = 4 };

static void
follows(struct unit_ctx *t)
{
	gcn_wave_all_agree(t, &way, USUAL);
	UNIT_CHECK(t,
		   gcn_met.fused && gcn_met.copies && gcn_met.into && gcn_met.aliases &&
			   gcn_met.repeated,
		   "bodies without the tested cases: %llu fused, %llu copies, %llu into, %llu "
		   "aliases, %llu in loops",
		   (unsigned long long)gcn_met.fused, (unsigned long long)gcn_met.copies,
		   (unsigned long long)gcn_met.into, (unsigned long long)gcn_met.aliases,
		   (unsigned long long)gcn_met.repeated);
}

static void
without(struct unit_ctx *t)
{
	static const struct gcn_left_out rows[] = {
		{ "the latest use", FAULT_LATEST },
		{ "a loop's end", FAULT_LOOP_END },
		{ "jump", FAULT_JUMP },
		{ "link", FAULT_LINK },
		{ "touched", FAULT_TOUCHED },
		{ "the next write", FAULT_NEXT },
		{ "the variable's end", FAULT_OWNER },
		{ "copies", FAULT_COPY },
		{ "one instruction", FAULT_SINGLE },
		{ "lanes that left", FAULT_LANES },
		{ "masks of some lanes", FAULT_MERGE },
	};

	gcn_wave_without(t, &way, rows, QD_COUNT(rows));
}

/* Checks that a value is not written to its variable before a jump that precedes the SET. Lanes
 * that jump need the old value. */
static void
page_jump(struct unit_ctx *t, struct gcn_rig *r)
{
	/* clang-format off */
	struct ins ins[] = {
		{ .op = OP_NONE },
		{ .op = OP_THREAD_IDX, .type = QD_TYPE_U32 },
		{ .op = OP_BITCAST, .type = QD_TYPE_U32, .a = 1 },
		{ .op = OP_CONST, .type = QD_TYPE_U32, .a = 2 },
		{ .op = OP_VAR, .type = QD_TYPE_U32, .a = 2 },
		{ .op = OP_LOOP },
		{ .op = OP_GET, .type = QD_TYPE_U32, .a = 4 },
		{ .op = OP_LT, .type = QD_TYPE_BOOL, .a = 2, .b = 6 },
		{ .op = OP_SHL, .type = QD_TYPE_U32, .a = 6, .b = 3 },
		{ .op = OP_ADD, .type = QD_TYPE_U32, .a = 8, .b = 6 },
		{ .op = OP_BREAK, .a = 7, .b = 1 },
		{ .op = OP_SET, .a = 4, .b = 9 },
		{ .op = OP_END },
		{ .op = OP_GET, .type = QD_TYPE_U32, .a = 4 },
		{ .op = OP_STORE, .attr = ATTR_GUARD, .a = 2, .b = 13, .x = r->dst },
	};
	/* clang-format on */
	struct gen g = { .in = &r->in, .t = &r->target };

	if (!gcn_rig_take(r, ins, QD_COUNT(ins)))
		return;
	g.plan = arena_zalloc(&r->f.mem, QD_COUNT(ins) * sizeof *g.plan);
	gen_plan(&g);
	UNIT_CHECK(t, !(g.plan[9].flags & GEN_INTO) && g.plan[4].link == 11 && g.plan[6].end == 10,
		   "flags %u, link %u, end %u", g.plan[9].flags, g.plan[4].link, g.plan[6].end);
}

/* Checks the plan of the example in docs/amdgcn-gen.md. */
static void
page(struct unit_ctx *t)
{
	enum { OWN = 0, END_OF_LOOP = 12 };
	/* clang-format off */
	static const struct {
		struct ins ins;
		uint32_t end;
		uint8_t flags;
	} rows[] = {
		{ { .op = OP_NONE }, 0, 0 },
		{ { .op = OP_THREAD_IDX, .type = QD_TYPE_U32 }, 14, OWN },
		{ { .op = OP_BITCAST, .type = QD_TYPE_U32, .a = 1 }, 14, OWN },
		{ { .op = OP_CONST, .type = QD_TYPE_U32, .a = 2 }, END_OF_LOOP, OWN },
		{ { .op = OP_VAR, .type = QD_TYPE_U32, .a = 2 }, 14, OWN },
		{ { .op = OP_LOOP }, END_OF_LOOP, OWN },
		{ { .op = OP_GET, .type = QD_TYPE_U32, .a = 4 }, 10, OWN },
		{ { .op = OP_LT, .type = QD_TYPE_BOOL, .a = 2, .b = 6 }, 8, GEN_FUSE },
		{ { .op = OP_BREAK, .a = 7, .b = 1 }, 0, OWN },
		{ { .op = OP_SHL, .type = QD_TYPE_U32, .a = 6, .b = 3 }, 10, GEN_FUSE },
		{ { .op = OP_ADD, .type = QD_TYPE_U32, .a = 9, .b = 6 }, 11, GEN_INTO },
		{ { .op = OP_SET, .a = 4, .b = 10 }, 0, OWN },
		{ { .op = OP_END }, 0, OWN },
		{ { .op = OP_GET, .type = QD_TYPE_U32, .a = 4 }, 14, OWN },
		{ { .op = OP_STORE, .attr = ATTR_GUARD, .a = 2, .b = 13 }, 0, OWN },
	};
	/* clang-format on */
	struct gcn_rig r;
	struct ins ins[QD_COUNT(rows)];

	if (!gcn_rig_open(&r, t))
		return;
	for (uint32_t i = 0; i < QD_COUNT(rows); i++)
		ins[i] = rows[i].ins;
	ins[QD_COUNT(rows) - 1].x = r.dst;
	if (gcn_rig_take(&r, ins, QD_COUNT(rows))) {
		struct gen g = { .in = &r.in, .t = &r.target };

		g.plan = arena_zalloc(&r.f.mem, QD_COUNT(rows) * sizeof *g.plan);
		gen_plan(&g);
		for (uint32_t i = 1; i < QD_COUNT(rows); i++) {
			uint8_t flags = g.plan[i].flags & (GEN_FUSE | GEN_COPY | GEN_INTO);

			UNIT_CHECK(t, g.plan[i].end == rows[i].end && flags == rows[i].flags,
				   "%%%u: end %u, flags %u", i, g.plan[i].end, flags);
		}
		UNIT_CHECK(t, g.n_nest == 1 && !(g.plan[5].flags & (GEN_LOADS | GEN_JUMPS)),
			   "nest %u, flags %u", g.n_nest, g.plan[5].flags);
	}
	page_jump(t, &r);
	gcn_rig_close(&r);
}

/* Checks that exactly the launch inputs that a body needs are requested. */
static void
wants(struct unit_ctx *t)
{
	struct gcn_rig r;

	if (!gcn_rig_open(&r, t))
		return;
	/* clang-format off */
	struct ins ins[] = {
		{ .op = OP_NONE },
		{ .op = OP_BLOCK_IDX, .type = QD_TYPE_U32 },
		{ .op = OP_PARAM, .type = QD_TYPE_U32, .x = r.scalar },
		{ .op = OP_LEN, .type = QD_TYPE_U32, .x = r.src },
		{ .op = OP_ARGWORD, .type = QD_TYPE_U32, .x = 1 },
		{ .op = OP_ADD, .type = QD_TYPE_U32, .a = 2, .b = 3 },
		{ .op = OP_ADD, .type = QD_TYPE_U32, .a = 5, .b = 4 },
		{ .op = OP_STORE, .attr = ATTR_GUARD, .a = 1, .b = 6, .x = r.dst },
	};
	/* clang-format on */
	uint32_t args = r.f.k->args_size / 4, buffer = r.f.k->params[r.dst].offset / 4;
	struct gen g = { .in = &r.in, .t = &r.target };

	if (gcn_rig_take(&r, ins, QD_COUNT(ins))) {
		g.plan = arena_zalloc(&r.f.mem, QD_COUNT(ins) * sizeof *g.plan);
		gen_plan(&g);
		for (uint32_t n = 0; n < args; n++) {
			bool want = n == 1 || (n >= buffer && n < buffer + 4) ||
				    n == r.f.k->params[r.scalar].offset / 4 ||
				    n == r.f.k->params[r.src].offset / 4 + 2 ||
				    n == r.f.k->tail / 4 + TAIL_BLOCK_BASE;

			UNIT_CHECK(t, gen_has_word(&g.inputs, n) == want, "word %u", n);
		}
		UNIT_CHECK(t, g.inputs.block && !g.inputs.thread, "block %d, thread %d",
			   g.inputs.block, g.inputs.thread);
	}
	gcn_rig_close(&r);
}

const struct unit units_gcn_plan[] = {
	{ "gcn_plan.wants", wants },
	{ "gcn_plan.page", page },
	{ "gcn_plan.follows", follows },
	{ "gcn_plan.without", without },
};
const unsigned n_units_gcn_plan = QD_COUNT(units_gcn_plan);
