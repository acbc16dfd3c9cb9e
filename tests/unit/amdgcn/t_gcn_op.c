/* Table lookups of a generator: the two-word form of a row, and an operation by the name of another
 * generation. */
#include "call.h"
#include "effect.h"
#include "table.h"
#include "unit.h"

static bool
is_one_word(unsigned row)
{
	unsigned f = gcn_rows[row].format;

	return f == GCN_VOP1 || f == GCN_VOP2 || f == GCN_VOPC;
}

/* Checks that an e64 row follows its e32 row directly, if only rows of the target count. Its id is
 * one more, unless rows with ids in _gfx intervene. */
static void
pairs(struct unit_ctx *t)
{
	static const char *const ids[] = {
#define GCN(id, ...) #id,
#include "insn.def"
	};
	const struct gcn_target *g;
	unsigned n = 0;

	for (size_t k = 0; (g = gcn_target_at(k)); k++) {
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			const char *name = gcn_row_name(&gcn_rows[row]);
			size_t len = strlen(name);
			unsigned e64 = GCN_N_ROW, next = row + 1;
			if (!gcn_has(g, row) || !is_one_word(row) || len < 5 ||
			    strcmp(name + len - 4, "_e32"))
				continue;
			for (unsigned i = 0; i < GCN_N_ROW && e64 == GCN_N_ROW; i++)
				if (gcn_rows[i].format == GCN_VOP3 &&
				    !strncmp(gcn_row_name(&gcn_rows[i]), name, len - 2) &&
				    !strcmp(gcn_row_name(&gcn_rows[i]) + len - 2, "64") && gcn_has(g, i))
					e64 = i;
			while (next < GCN_N_ROW && !gcn_has(g, next))
				next++;
			UNIT_CHECK(t, e64 == GCN_N_ROW || e64 == next,
				   "%s: %s is followed by %s, expected %s", g->name, ids[row],
				   next < GCN_N_ROW ? ids[next] : "none", ids[e64]);
			UNIT_CHECK(t, e64 == GCN_N_ROW || e64 == row + 1 || strstr(ids[e64 - 1], "_gfx") ||
					   strstr(ids[row], "_gfx"),
				   "%s: %s is not %s + 1", g->name, ids[e64], ids[row]);
			n += e64 == row + 1;
		}
	}
	UNIT_CHECK(t, n > 2000, "only %u pairs", n);
}

/* Checks that an operation by the name of another generation has the same format, operands and
 * effects. Each row of operation.def must match an instruction. */
static void
operations(struct unit_ctx *t)
{
	static const struct {
		const char *name, *own;
	} rows[] = {
#define OP(name, own, targets) { #name, #own },
#include "operation.def"
	};
	/* Flags for hazards only, or for a float that the operand's type already shows. */
	const uint64_t apart = E(LANE_MASK) | E(MAD64) | E(MODE);
	static bool moves[GCN_N_ROW];
	const struct gcn_target *g;
	unsigned n = 0;

	for (size_t k = 0; (g = gcn_target_at(k)); k++) {
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			unsigned own = gcn_row_of(g, (enum gcn_op)row);
			const struct gcn_row *r = &gcn_rows[row], *o = &gcn_rows[own];
			const struct gcn_shape *a = &gcn_shapes[r->shape], *b = &gcn_shapes[o->shape];
			struct gcn_props p = gcn_props_of(row), q = gcn_props_of(own);
			UNIT_CHECK(t, gcn_has(g, own) || own == row, "%s: %s is %s", g->name, gcn_row_name(r), gcn_row_name(o));
			UNIT_CHECK(t, !gcn_has(g, row) || own == row, "%s: %s is %s", g->name, gcn_row_name(r), gcn_row_name(o));
			UNIT_CHECK(t, gcn_row_of(g, (enum gcn_op)own) == own, "%s: %s is not", g->name, gcn_row_name(o));
			if (own == row)
				continue;
			n++;
			moves[row] = moves[own] = true;
			UNIT_CHECK(t, r->format == o->format && a->n_op == b->n_op, "%s for %s", gcn_row_name(o), gcn_row_name(r));
			for (unsigned i = 0; i < a->n_op; i++)
				UNIT_CHECK(t, a->op[i].field == b->op[i].field &&
						   gcn_kinds[a->op[i].kind].n == gcn_kinds[b->op[i].kind].n,
					   "%s for %s: operand %u", gcn_row_name(o), gcn_row_name(r), i);
			UNIT_CHECK(t, p.class == q.class && p.reads == q.reads && p.writes == q.writes &&
					   !((p.flags ^ q.flags) & ~apart), "%s for %s: effects", gcn_row_name(o), gcn_row_name(r));
		}
	}
	UNIT_CHECK(t, n > 10000, "%u rows of targets by another name", n);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		bool found[2] = { false, false };
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			found[0] |= moves[row] && !strncmp(gcn_row_name(&gcn_rows[row]), rows[i].name, strlen(rows[i].name));
			found[1] |= moves[row] && !strncmp(gcn_row_name(&gcn_rows[row]), rows[i].own, strlen(rows[i].own));
		}
		UNIT_CHECK(t, found[0] && found[1], "%s and %s", rows[i].name, rows[i].own);
	}
}

/* Checks operations by one name on all generations: addition, mask, load, addition with carry. An
 * operation that the target lacks must be rejected. */
static void
asked_for(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		enum gcn_row_id sum, mask, load, carry;
	} rows[] = {
		{ "gfx906", GCN_v_add_u32, GCN_s_andn2_b64, GCN_ds_read_b32, GCN_v_add_co_u32_e64 },
		{ "gfx942", GCN_v_add_u32, GCN_s_andn2_b64, GCN_ds_read_b32, GCN_v_add_co_u32_e64 },
		{ "gfx1030", GCN_v_add_nc_u32, GCN_s_andn2_b64, GCN_ds_read_b32, GCN_v_add_co_u32_vop3 },
		{ "gfx1100", GCN_v_add_nc_u32, GCN_s_and_not1_b64, GCN_ds_load_b32, GCN_v_add_co_u32_vop3 },
		{ "gfx1200", GCN_v_add_nc_u32, GCN_s_and_not1_b64, GCN_ds_load_b32, GCN_v_add_co_u32_vop3 },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct gcn_target *g = gcn_target_find(rows[i].target, 0);
		uint32_t w[32] = { 0 };
		struct qd_error err = { 0 };
		struct gcn_out o;
		size_t n;
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_v_add_u32) == rows[i].sum, "%s: sum", g->name);
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_s_and_not1_b64) == rows[i].mask, "%s: mask", g->name);
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_ds_load_b32) == rows[i].load, "%s: load", g->name);
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_v_add_co_u32_e64) == rows[i].carry, "%s: carry", g->name);
		gcn_out_init(&o, g, w, QD_COUNT(w));
		gcn_vop2(&o, gcn_row_of(g, GCN_OP_v_add_u32), gcn_v(1), gcn_s(2), gcn_v(3));
		gcn_vop3b(&o, gcn_row_of(g, GCN_OP_v_add_co_u32_e64), gcn_v(1), gcn_s(4), gcn_v(1), gcn_v(3), GCN_OFF,
			  (struct gcn_mods){ .neg = 0 });
		gcn_ds(&o, gcn_row_of(g, GCN_OP_ds_read_b32), gcn_v(4), gcn_v(1), GCN_OFF, GCN_OFF, 16);
		UNIT_CHECK(t, !gcn_out_end(&o, &n, &err) && n == 5, "%s: %s", g->name, err.text);
		gcn_out_init(&o, g, w, QD_COUNT(w));
		gcn_vop1(&o, gcn_row_of(g, GCN_OP_v_movreld_b32), gcn_v(1), gcn_v(2));
		UNIT_CHECK(t, (gcn_out_end(&o, &n, &err) == QD_OK) == (g->gen >= GCN_G10), "%s: v_movreld_b32", g->name);
	}
}

const struct unit units_gcn_op[] = {
	{ "gcn_op.pairs", pairs },
	{ "gcn_op.operations", operations },
	{ "gcn_op.asked_for", asked_for },
};
const size_t n_units_gcn_op = sizeof units_gcn_op / sizeof *units_gcn_op;
