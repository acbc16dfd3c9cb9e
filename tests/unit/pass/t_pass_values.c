/* Variables to values: the exact body before and after the pass. */
#include "t_pass.h"

/* A second copy of the pass, in which `fault` disables one rule. */
enum fault {
	FAULT_NONE,
	FAULT_READ,
	FAULT_SAME_ARM,
	FAULT_JUMP,
	FAULT_LANDED,
	FAULT_LOOP,
	FAULT_RESTORE,
	FAULT_MERGE,
	N_FAULT
};
static enum fault fault;
#define VALUES_RULE(name) (fault != FAULT_##name)
#define pass_values	  values_without
static qd_status values_without(struct pass_ctx *p, const struct ir *in, struct ir *out);
#include "../../../src/pass/values.c"
#undef pass_values

/* clang-format off */
static const struct fx_row rows[] = {
	{ "a store in straight-line code is its value",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = get u32 %2\n"
	  "  %4 = add u32 %3 %1\n"
	  "  set %2 %4\n"
	  "  %6 = get u32 %2\n"
	  "  store \"b\" %1 %6 _ !1\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = add u32 %1 %1\n"
	  "  store \"b\" %1 %2 _ !1\n" },
	{ "a constant in a variable folds a branch",
	  "  %1 = const u32 0x7\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = get u32 %2\n"
	  "  %4 = lt bool %1 %3\n"
	  "  if %4\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "  else\n"
	  "    set %2 %3\n"
	  "  end\n"
	  "  %10 = get u32 %2\n"
	  "  store \"b\" %10 %1 _ !1\n",
	  "  %1 = const u32 0x7\n"
	  "  store \"b\" %1 %1 _ !1\n" },
	{ "a merge remains, and is read once",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  if %4\n"
	  "    set %2 %3\n"
	  "  end\n"
	  "  %8 = get u32 %2\n"
	  "  store \"b\" %8 %8 _ !1\n"
	  "  %10 = get u32 %2\n"
	  "  store \"b\" %1 %10 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  if %4\n"
	  "    set %2 %3\n"
	  "  end\n"
	  "  %8 = get u32 %2\n"
	  "  store \"b\" %8 %8 _ !1\n"
	  "  store \"b\" %1 %8 _ !1\n" },
	{ "a loop merges the variables that it sets, and no others",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = const u32 0x1\n"
	  "  loop\n"
	  "    %6 = get u32 %2\n"
	  "    %7 = get u32 %3\n"
	  "    %8 = lt bool %7 %6\n"
	  "    break %8 1\n"
	  "    %10 = get u32 %2\n"
	  "    %11 = add u32 %10 %4\n"
	  "    set %2 %11\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  %15 = get u32 %3\n"
	  "  store \"b\" %14 %15 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x1\n"
	  "  loop\n"
	  "    %5 = get u32 %2\n"
	  "    %6 = lt bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = add u32 %5 %3\n"
	  "    set %2 %8\n"
	  "  end\n"
	  "  %11 = get u32 %2\n"
	  "  store \"b\" %11 %1 _ !1\n" },
	{ "a store that another one replaces is dead, but not before a jump",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    set %2 %3\n"
	  "    break %4 1\n"
	  "    %8 = add u32 %1 %1\n"
	  "    set %2 %8\n"
	  "    %10 = add u32 %8 %1\n"
	  "    set %2 %10\n"
	  "  end\n"
	  "  %13 = get u32 %2\n"
	  "  store \"b\" %1 %13 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    set %2 %3\n"
	  "    break %4 1\n"
	  "    %8 = add u32 %1 %1\n"
	  "    %9 = add u32 %8 %1\n"
	  "    set %2 %9\n"
	  "  end\n"
	  "  %12 = get u32 %2\n"
	  "  store \"b\" %1 %12 _ !1\n" },
	{ "a store before a jump out of a construct that follows it is read",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    set %2 %3\n"
	  "    loop\n"
	  "      break %4 2\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    %11 = add u32 %1 %1\n"
	  "    set %2 %11\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  store \"b\" %1 %14 _ !1\n",
	  NULL },
	{ "a store before a jump inside a construct that follows it is dead",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    break %4 1\n"
	  "    set %2 %3\n"
	  "    loop\n"
	  "      store \"b\" %3 %3 _ !1\n"
	  "      break %4 1\n"
	  "    end\n"
	  "    set %2 %3\n"
	  "    %13 = add u32 %1 %1\n"
	  "    set %2 %13\n"
	  "  end\n"
	  "  %16 = get u32 %2\n"
	  "  store \"b\" %1 %16 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  block\n"
	  "    break %4 1\n"
	  "    loop\n"
	  "      store \"b\" %3 %3 _ !1\n"
	  "      break %4 1\n"
	  "    end\n"
	  "    %11 = add u32 %1 %1\n"
	  "    set %2 %11\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  store \"b\" %1 %14 _ !1\n" },
	{ "a store that a loop reads is live, although the loop stores no new value",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  set %2 %3\n"
	  "  loop\n"
	  "    %7 = get u32 %2\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "    break %4 1\n"
	  "    set %2 %7\n"
	  "  end\n"
	  "  set %2 %1\n"
	  "  %13 = get u32 %2\n"
	  "  store \"b\" %13 %13 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  set %2 %3\n"
	  "  loop\n"
	  "    %7 = get u32 %2\n"
	  "    store \"b\" %7 %7 _ !1\n"
	  "    break %4 1\n"
	  "  end\n"
	  "  set %2 %1\n"
	  "  store \"b\" %1 %1 _ !1\n" },
	{ "a store before an if that stores is alive",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = const u32 0x7\n"
	  "  %4 = lt bool %1 %3\n"
	  "  set %2 %3\n"
	  "  if %4\n"
	  "    %7 = add u32 %1 %3\n"
	  "    set %2 %7\n"
	  "  end\n"
	  "  %10 = get u32 %2\n"
	  "  store \"b\" %10 %10 _ !1\n",
	  NULL },
	{ "each arm begins with the values before the if",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x7\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = lt bool %1 %2\n"
	  "  if %4\n"
	  "    set %3 %1\n"
	  "    %7 = get u32 %3\n"
	  "    store \"b\" %1 %7 _ !1\n"
	  "  else\n"
	  "    %10 = get u32 %3\n"
	  "    store \"b\" %2 %10 _ !1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x7\n"
	  "  %3 = lt bool %1 %2\n"
	  "  if %3\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "  else\n"
	  "    store \"b\" %2 %2 _ !1\n"
	  "  end\n" },
	{ "an arm reads the other arm's value again",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x7\n"
	  "  %3 = var u32 %1\n"
	  "  %4 = lt bool %1 %2\n"
	  "  if %4\n"
	  "    set %3 %2\n"
	  "  else\n"
	  "    %8 = get u32 %3\n"
	  "    store \"b\" %2 %8 _ !1\n"
	  "  end\n"
	  "  %11 = get u32 %3\n"
	  "  store \"b\" %2 %11 _ !1\n",
	  NULL },
	{ "code after a jump on a constant is dead",
	  "  %1 = const bool 0x1\n"
	  "  %2 = var bool %1\n"
	  "  %3 = len u32 \"a\"\n"
	  "  loop\n"
	  "    store \"b\" %3 %3 _ !1\n"
	  "    %6 = get bool %2\n"
	  "    if %6\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %3 %3 _ !1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  loop\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "    break _ 1\n"
	  "  end\n" },
};
/* clang-format on */

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	QD_TRY(fault ? values_without(&f->p, in, out) : pass_values(&f->p, in, out));
	return ir_verify_body(f->p.k, out, f->p.mems, f->p.n_mems, STAGE_FOLDED, &f->err);
}

void
t_values_exact(struct unit_ctx *t)
{
	fx_exact(t, rows, QD_COUNT(rows), run);
}

/* Checks that a row of the table fails if a rule of the pass is missing. */
void
t_values_faults(struct unit_ctx *t)
{
	for (fault = FAULT_NONE + 1; fault < N_FAULT; fault++)
		UNIT_CHECK(t, fx_fails(t, rows, QD_COUNT(rows), run), "fault %d is not found", (int)fault);
	fault = FAULT_NONE;
}

/* Checks that the work on constructs that nest deeply is bounded, and that the body then stays as
 * it is. */
void
t_values_deep(struct unit_ctx *t)
{
	enum { N = 1500 };
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val c = qd_lt(b, thread(b), qd_u32(b, 3));
	struct qd_var v[N];
	struct ir in, out;

	for (uint32_t i = 0; i < N; i++)
		v[i] = qd_var(b, qd_u32(b, i));
	for (uint32_t i = 0; i < N; i++)
		qd_if(b, c);
	for (uint32_t i = 0; i < N; i++)
		qd_set(b, v[i], thread(b));
	for (uint32_t i = 0; i < N; i++)
		qd_end(b);
	fx_put(&f, qd_cast(b, QD_TYPE_F32, qd_get(b, v[N - 1])));
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		UNIT_CHECK(t, !pass_values(&f.p, &in, &out), "%s", f.err.text);
		UNIT_CHECK(t, out.ins == in.ins && out.n == in.n, "the body is rewritten");
	}
	fx_stop(&f);
}

/* Checks that the interpreter runs the body as it is written, so that no optimization changes its
 * findings and remarks. */
void
t_values_interpreter(struct unit_ctx *t)
{
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct qd_val x = thread(b), again;
	struct qd_var v = qd_var(b, x);
	struct body meant, emitted;

	qd_set(b, v, qd_mul(b, qd_get(b, v), qd_u32(b, 8)));
	again = qd_mul(b, x, qd_u32(b, 8));
	fx_put(&f, qd_cast(b, QD_TYPE_F32, qd_sub(b, qd_get(b, v), again)));
	if (fx_finish(&f)) {
		UNIT_CHECK(t, !pass_run(&f.p, true, &meant), "%s", f.err.text);
		UNIT_CHECK(t, fx_count(&meant.ir, OP_GET) == 2 && fx_count(&meant.ir, OP_MUL) == 2,
			   "the interpreter's body is optimized");
		UNIT_CHECK(t, !pass_run(&f.p, false, &emitted), "%s", f.err.text);
		UNIT_CHECK(t, !fx_count(&emitted.ir, OP_GET) && !fx_count(&emitted.ir, OP_MUL),
			   "the emitted body is not");
	}
	fx_stop(&f);
}
