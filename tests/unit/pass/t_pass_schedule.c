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
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _ !1\n"
	  "  %3 = mul u32 %2 %2\n"
	  "  store \"b\" %1 %3 _ !1\n"
	  "  %5 = const u32 0x7\n"
	  "  %6 = add u32 %1 %5\n"
	  "  %7 = load u32 \"a\" %6 _ _ !1\n"
	  "  %8 = mul u32 %7 %3\n"
	  "  store \"b\" %6 %8 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = add u32 %1 %3 !2\n"
	  "  %5 = load u32 \"a\" %4 _ _\n"
	  "  %6 = mul u32 %2 %2 !2\n"
	  "  store \"b\" %1 %6 _\n"
	  "  %8 = mul u32 %5 %6 !2\n"
	  "  store \"b\" %4 %8 _\n" },
	{ "a load does not pass a store to its own memory",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _ !1\n"
	  "  %3 = mul u32 %2 %2\n"
	  "  store \"c\" %1 %3 _ !1\n"
	  "  %5 = const u32 0x7\n"
	  "  %6 = add u32 %1 %5\n"
	  "  %7 = load u32 \"c\" %6 _ _ !1\n"
	  "  %8 = load u32 \"a\" %6 _ _ !1\n"
	  "  %9 = load u32 \"a\" %5 _ _ !1\n"
	  "  %10 = add u32 %8 %9\n"
	  "  %11 = add u32 %7 %10\n"
	  "  store \"b\" %6 %11 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"c\" %1 _ _\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = add u32 %1 %3 !2\n"
	  "  %5 = load u32 \"a\" %4 _ _\n"
	  "  %6 = load u32 \"a\" %3 _ _\n"
	  "  %7 = mul u32 %2 %2 !2\n"
	  "  store \"c\" %1 %7 _\n"
	  "  %9 = load u32 \"c\" %4 _ _\n"
	  "  %10 = add u32 %5 %6 !2\n"
	  "  %11 = add u32 %9 %10 !2\n"
	  "  store \"b\" %4 %11 _\n" },
	{ "the read of a variable does not pass a write",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = load u32 \"a\" %1 _ _ !1\n"
	  "  %4 = mul u32 %3 %3\n"
	  "  store \"b\" %1 %4 _ !1\n"
	  "  %6 = const u32 0x7\n"
	  "  %7 = add u32 %1 %6\n"
	  "  set %2 %7\n"
	  "  %9 = get u32 %2\n"
	  "  %10 = load u32 \"a\" %9 _ _ !1\n"
	  "  store \"b\" %1 %10 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = load u32 \"a\" %1 _ _\n"
	  "  %4 = mul u32 %3 %3 !2\n"
	  "  store \"b\" %1 %4 _\n"
	  "  %6 = const u32 0x7\n"
	  "  %7 = add u32 %1 %6 !2\n"
	  "  set %2 %7\n"
	  "  %9 = get u32 %2\n"
	  "  %10 = load u32 \"a\" %9 _ _\n"
	  "  store \"b\" %1 %10 _\n" },
	{ "loads stay between fences, barriers and control flow",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _ !1\n"
	  "  %3 = mul u32 %2 %2\n"
	  "  block.sync\n"
	  "  %5 = load u32 \"a\" %3 _ _ !1\n"
	  "  %6 = load u32 \"c\" %1 _ _ !1\n"
	  "  %7 = lt bool %5 %6\n"
	  "  if %7\n"
	  "    %9 = load u32 \"a\" %6 _ _ !1\n"
	  "    store \"b\" %1 %9 _ !1\n"
	  "  end\n"
	  "  %12 = load u32 \"c\" %3 _ _ !1\n"
	  "  store \"b\" %12 %12 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _\n"
	  "  %3 = mul u32 %2 %2 !2\n"
	  "  block.sync\n"
	  "  %5 = load u32 \"a\" %3 _ _\n"
	  "  %6 = load u32 \"c\" %1 _ _\n"
	  "  %7 = lt bool %5 %6 !2\n"
	  "  if %7\n"
	  "    %9 = load u32 \"a\" %6 _ _\n"
	  "    store \"b\" %1 %9 _\n"
	  "  end\n"
	  "  %12 = load u32 \"c\" %3 _ _\n"
	  "  store \"b\" %12 %12 _\n" },
	{ "the use of a load before control flow may compute an index",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _ !1\n"
	  "  block.sync\n"
	  "  %4 = mul u32 %2 %2\n"
	  "  %5 = load u32 \"a\" %4 _ _ !1\n"
	  "  store \"b\" %1 %5 _ !1\n"
	  "  %7 = load u32 \"a\" %2 _ _ !1\n"
	  "  store \"b\" %4 %7 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _\n"
	  "  block.sync\n"
	  "  %4 = mul u32 %2 %2 !2\n"
	  "  %5 = load u32 \"a\" %4 _ _\n"
	  "  %6 = load u32 \"a\" %2 _ _\n"
	  "  store \"b\" %1 %5 _\n"
	  "  store \"b\" %4 %6 _\n" },
	{ "a load of a later round waits for the first use of a load of its round",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _ !1\n"
	  "  %3 = mul u32 %2 %2\n"
	  "  store \"b\" %1 %3 _ !1\n"
	  "  %5 = load u32 \"a\" %3 _ _ !1\n"
	  "  %6 = const u32 0x7\n"
	  "  %7 = load u32 \"a\" %6 _ _ !1\n"
	  "  %8 = add u32 %5 %7\n"
	  "  store \"b\" %1 %8 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = load u32 \"a\" %3 _ _\n"
	  "  %5 = mul u32 %2 %2 !2\n"
	  "  store \"b\" %1 %5 _\n"
	  "  %7 = load u32 \"a\" %5 _ _\n"
	  "  %8 = add u32 %7 %4 !2\n"
	  "  store \"b\" %1 %8 _\n" },
	{ "the budget limits the outstanding loads",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _ !1\n"
	  "  store \"b\" %1 %2 _ !1\n"
	  "  %4 = const u32 0x1\n"
	  "  %5 = add u32 %1 %4\n"
	  "  %6 = load u32 \"a\" %5 _ _ !1\n"
	  "  store \"b\" %5 %6 _ !1\n"
	  "  %8 = const u32 0x2\n"
	  "  %9 = add u32 %1 %8\n"
	  "  %10 = load u32 \"a\" %9 _ _ !1\n"
	  "  store \"b\" %9 %10 _ !1\n"
	  "  %12 = const u32 0x3\n"
	  "  %13 = add u32 %1 %12\n"
	  "  %14 = load u32 \"a\" %13 _ _ !1\n"
	  "  store \"b\" %13 %14 _ !1\n"
	  "  %16 = const u32 0x4\n"
	  "  %17 = add u32 %1 %16\n"
	  "  %18 = load u32 \"a\" %17 _ _ !1\n"
	  "  store \"b\" %17 %18 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = load u32 \"a\" %1 _ _\n"
	  "  %3 = const u32 0x1\n"
	  "  %4 = add u32 %1 %3 !2\n"
	  "  %5 = load u32 \"a\" %4 _ _\n"
	  "  %6 = const u32 0x2\n"
	  "  %7 = add u32 %1 %6 !2\n"
	  "  %8 = load u32 \"a\" %7 _ _\n"
	  "  store \"b\" %1 %2 _\n"
	  "  %10 = const u32 0x3\n"
	  "  %11 = add u32 %1 %10 !2\n"
	  "  %12 = load u32 \"a\" %11 _ _\n"
	  "  store \"b\" %4 %5 _\n"
	  "  %14 = const u32 0x4\n"
	  "  %15 = add u32 %1 %14 !2\n"
	  "  %16 = load u32 \"a\" %15 _ _\n"
	  "  store \"b\" %7 %8 _\n"
	  "  store \"b\" %11 %12 _\n"
	  "  store \"b\" %15 %16 _\n" },
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
