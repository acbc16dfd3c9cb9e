/* Loads issued early: the exact body before and after the pass. */
#include "t_pass.h"

/* A second copy of the pass, in which `fault` disables one rule. */
enum fault { FAULT_NONE, FAULT_STORE, FAULT_SET, FAULT_BUDGET, FAULT_ROUND, N_FAULT };
static enum fault fault;
#define SCHEDULE_RULE(name) (fault != FAULT_##name)
#define pass_schedule	    schedule_without
static qd_status schedule_without(struct pass_ctx *p, struct body *b);
#include "../../../src/pass/schedule.c"
#undef pass_schedule

/* clang-format off */
static const struct fx_row rows[] = {
	{ "loads precede the first use of any, with their indices",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"a\" %2 _ _ !1\n"
	  "  %4 = mul u32 %3 %3\n"
	  "  store \"b\" %2 %4 _ !1\n"
	  "  %6 = const u32 0x7\n"
	  "  %7 = add u32 %2 %6\n"
	  "  %8 = load u32 \"a\" %7 _ _ !1\n"
	  "  %9 = mul u32 %8 %4\n"
	  "  store \"b\" %7 %9 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = load u32 \"a\" %2 _ _\n"
	  "  %4 = const u32 0x7\n"
	  "  %5 = add u32 %2 %4 !2\n"
	  "  %6 = load u32 \"a\" %5 _ _\n"
	  "  %7 = mul u32 %3 %3 !2\n"
	  "  store \"b\" %2 %7 _\n"
	  "  %9 = mul u32 %6 %7 !2\n"
	  "  store \"b\" %5 %9 _\n" },
	{ "a load does not pass a store to its own memory",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"c\" %2 _ _ !1\n"
	  "  %4 = mul u32 %3 %3\n"
	  "  store \"c\" %2 %4 _ !1\n"
	  "  %6 = const u32 0x7\n"
	  "  %7 = add u32 %2 %6\n"
	  "  %8 = load u32 \"c\" %7 _ _ !1\n"
	  "  %9 = load u32 \"a\" %7 _ _ !1\n"
	  "  %10 = load u32 \"a\" %6 _ _ !1\n"
	  "  %11 = add u32 %9 %10\n"
	  "  %12 = add u32 %8 %11\n"
	  "  store \"b\" %7 %12 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = load u32 \"c\" %2 _ _\n"
	  "  %4 = const u32 0x7\n"
	  "  %5 = add u32 %2 %4 !2\n"
	  "  %6 = load u32 \"a\" %5 _ _\n"
	  "  %7 = load u32 \"a\" %4 _ _\n"
	  "  %8 = mul u32 %3 %3 !2\n"
	  "  store \"c\" %2 %8 _\n"
	  "  %10 = load u32 \"c\" %5 _ _\n"
	  "  %11 = add u32 %6 %7 !2\n"
	  "  %12 = add u32 %10 %11 !2\n"
	  "  store \"b\" %5 %12 _\n" },
	{ "the read of a variable does not pass a write",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = load u32 \"a\" %2 _ _ !1\n"
	  "  %5 = mul u32 %4 %4\n"
	  "  store \"b\" %2 %5 _ !1\n"
	  "  %7 = const u32 0x7\n"
	  "  %8 = add u32 %2 %7\n"
	  "  set %3 %8\n"
	  "  %10 = get u32 %3\n"
	  "  %11 = load u32 \"a\" %10 _ _ !1\n"
	  "  store \"b\" %2 %11 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = load u32 \"a\" %2 _ _\n"
	  "  %5 = mul u32 %4 %4 !2\n"
	  "  store \"b\" %2 %5 _\n"
	  "  %7 = const u32 0x7\n"
	  "  %8 = add u32 %2 %7 !2\n"
	  "  set %3 %8\n"
	  "  %10 = get u32 %3\n"
	  "  %11 = load u32 \"a\" %10 _ _\n"
	  "  store \"b\" %2 %11 _\n" },
	{ "loads stay between fences, barriers and control flow",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"a\" %2 _ _ !1\n"
	  "  %4 = mul u32 %3 %3\n"
	  "  block.sync\n"
	  "  %6 = load u32 \"a\" %4 _ _ !1\n"
	  "  %7 = load u32 \"c\" %2 _ _ !1\n"
	  "  %8 = lt bool %6 %7\n"
	  "  if %8\n"
	  "    %10 = load u32 \"a\" %7 _ _ !1\n"
	  "    store \"b\" %2 %10 _ !1\n"
	  "  end\n"
	  "  %13 = load u32 \"c\" %4 _ _ !1\n"
	  "  store \"b\" %13 %13 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = load u32 \"a\" %2 _ _\n"
	  "  %4 = mul u32 %3 %3 !2\n"
	  "  block.sync\n"
	  "  %6 = load u32 \"a\" %4 _ _\n"
	  "  %7 = load u32 \"c\" %2 _ _\n"
	  "  %8 = lt bool %6 %7 !2\n"
	  "  if %8\n"
	  "    %10 = load u32 \"a\" %7 _ _\n"
	  "    store \"b\" %2 %10 _\n"
	  "  end\n"
	  "  %13 = load u32 \"c\" %4 _ _\n"
	  "  store \"b\" %13 %13 _\n" },
	{ "the use of a load before control flow may compute an index",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"a\" %2 _ _ !1\n"
	  "  block.sync\n"
	  "  %5 = mul u32 %3 %3\n"
	  "  %6 = load u32 \"a\" %5 _ _ !1\n"
	  "  store \"b\" %2 %6 _ !1\n"
	  "  %8 = load u32 \"a\" %3 _ _ !1\n"
	  "  store \"b\" %5 %8 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = load u32 \"a\" %2 _ _\n"
	  "  block.sync\n"
	  "  %5 = mul u32 %3 %3 !2\n"
	  "  %6 = load u32 \"a\" %5 _ _\n"
	  "  %7 = load u32 \"a\" %3 _ _\n"
	  "  store \"b\" %2 %6 _\n"
	  "  store \"b\" %5 %7 _\n" },
	{ "a load of a later round waits for the first use of a load of its round",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"a\" %2 _ _ !1\n"
	  "  %4 = mul u32 %3 %3\n"
	  "  store \"b\" %2 %4 _ !1\n"
	  "  %6 = load u32 \"a\" %4 _ _ !1\n"
	  "  %7 = const u32 0x7\n"
	  "  %8 = load u32 \"a\" %7 _ _ !1\n"
	  "  %9 = add u32 %6 %8\n"
	  "  store \"b\" %2 %9 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = load u32 \"a\" %2 _ _\n"
	  "  %4 = const u32 0x7\n"
	  "  %5 = load u32 \"a\" %4 _ _\n"
	  "  %6 = mul u32 %3 %3 !2\n"
	  "  store \"b\" %2 %6 _\n"
	  "  %8 = load u32 \"a\" %6 _ _\n"
	  "  %9 = add u32 %8 %5 !2\n"
	  "  store \"b\" %2 %9 _\n" },
	{ "the budget limits the outstanding loads",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = load u32 \"a\" %2 _ _ !1\n"
	  "  store \"b\" %2 %3 _ !1\n"
	  "  %5 = const u32 0x1\n"
	  "  %6 = add u32 %2 %5\n"
	  "  %7 = load u32 \"a\" %6 _ _ !1\n"
	  "  store \"b\" %6 %7 _ !1\n"
	  "  %9 = const u32 0x2\n"
	  "  %10 = add u32 %2 %9\n"
	  "  %11 = load u32 \"a\" %10 _ _ !1\n"
	  "  store \"b\" %10 %11 _ !1\n"
	  "  %13 = const u32 0x3\n"
	  "  %14 = add u32 %2 %13\n"
	  "  %15 = load u32 \"a\" %14 _ _ !1\n"
	  "  store \"b\" %14 %15 _ !1\n"
	  "  %17 = const u32 0x4\n"
	  "  %18 = add u32 %2 %17\n"
	  "  %19 = load u32 \"a\" %18 _ _ !1\n"
	  "  store \"b\" %18 %19 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = load u32 \"a\" %2 _ _\n"
	  "  %4 = const u32 0x1\n"
	  "  %5 = add u32 %2 %4 !2\n"
	  "  %6 = load u32 \"a\" %5 _ _\n"
	  "  %7 = const u32 0x2\n"
	  "  %8 = add u32 %2 %7 !2\n"
	  "  %9 = load u32 \"a\" %8 _ _\n"
	  "  store \"b\" %2 %3 _\n"
	  "  %11 = const u32 0x3\n"
	  "  %12 = add u32 %2 %11 !2\n"
	  "  %13 = load u32 \"a\" %12 _ _\n"
	  "  store \"b\" %5 %6 _\n"
	  "  %15 = const u32 0x4\n"
	  "  %16 = add u32 %2 %15 !2\n"
	  "  %17 = load u32 \"a\" %16 _ _\n"
	  "  store \"b\" %8 %9 _\n"
	  "  store \"b\" %12 %13 _\n"
	  "  store \"b\" %16 %17 _\n" },
};
/* clang-format on */

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	struct census census;
	struct body body = { .mems = f->p.mems, .n_mems = f->p.n_mems };
	struct ir legal;

	f->p.load_registers = 6;
	f->m.caps |= CAP_RANGE_CHECKED;
	QD_TRY(pass_legalize(&f->p, in, NULL, &legal));
	QD_TRY(pass_dce(&f->p, &legal, &body.ir, &census));
	body.uses = census.uses;
	QD_TRY(pass_levels(&f->p, &body.ir, &body.level));
	QD_TRY(fault ? schedule_without(&f->p, &body) : pass_schedule(&f->p, &body));
	*out = body.ir;
	return ir_verify_body(f->p.k, out, f->p.mems, f->p.n_mems, STAGE_LEGAL, &f->err);
}

void
t_schedule_exact(struct unit_ctx *t)
{
	fx_exact(t, rows, QD_COUNT(rows), run);
}

/* Checks that a row of the table fails if a rule of the pass is missing. */
void
t_schedule_faults(struct unit_ctx *t)
{
	for (fault = FAULT_NONE + 1; fault < N_FAULT; fault++)
		UNIT_CHECK(t, fx_fails(t, rows, QD_COUNT(rows), run), "fault %d is not found", (int)fault);
	fault = FAULT_NONE;
}
