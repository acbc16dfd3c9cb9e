/* Operations moved out of loops: the exact body before and after the pass. */
#include "t_pass.h"

/* A second copy of the pass, in which `fault` disables one rule. */
enum fault { FAULT_NONE, FAULT_LOAD, FAULT_IF, FAULT_NEST, FAULT_BUDGET, N_FAULT };
static enum fault fault;
#define HOIST_RULE(name) (fault != FAULT_##name)
#define pass_hoist	 hoist_without
static qd_status hoist_without(struct pass_ctx *p, const struct ir *in, struct ir *out);
#include "../../../src/pass/hoist.c"
#undef pass_hoist

/* clang-format off */
static const struct fx_row rows[] = {
	{ "operations on values around the loop move, with constants and lengths",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = len u32 \"a\"\n"
	  "    %6 = lt bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x7\n"
	  "    %9 = mul u32 %1 %8\n"
	  "    %10 = add u32 %9 %4\n"
	  "    store \"b\" %9 %10 _ !1\n"
	  "    set %2 %10\n"
	  "  end\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = len u32 \"a\"\n"
	  "  %4 = const u32 0x7\n"
	  "  %5 = mul24 u32 %1 %4 !2\n"
	  "  %6 = len u32 \"b\"\n"
	  "  %7 = lt bool %5 %6 !2\n"
	  "  loop\n"
	  "    %9 = get u32 %2\n"
	  "    %10 = lt bool %3 %9 !2\n"
	  "    break %10 1\n"
	  "    %12 = add u32 %5 %9 !2\n"
	  "    store \"b\" %5 %12 %7\n"
	  "    set %2 %12\n"
	  "  end\n" },
	{ "loads from in buffers move, others do not",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = load u32 \"a\" %1 %1 _ !1\n"
	  "    %6 = load u32 \"c\" %1 _ _ !1\n"
	  "    %7 = load u32 \"a\" %4 _ _ !1\n"
	  "    %8 = lt bool %5 %6\n"
	  "    break %8 1\n"
	  "    set %2 %7\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = len u32 \"c\"\n"
	  "  %4 = lt bool %1 %3 !2\n"
	  "  loop\n"
	  "    %6 = get u32 %2\n"
	  "    %7 = load u32 \"c\" %1 _ %4\n"
	  "    %8 = lt bool %6 %1 !2\n"
	  "    %9 = load u32 \"a\" %6 _ %8\n"
	  "    %10 = lt bool %1 %7 !2\n"
	  "    break %10 1\n"
	  "    set %2 %9\n"
	  "  end\n" },
	{ "operations in an if stay",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = block.thread_idx u32\n"
	  "  %3 = lt bool %2 %1\n"
	  "  loop\n"
	  "    if %3\n"
	  "      %6 = mul u32 %1 %2\n"
	  "      store \"b\" %6 %6 _ !1\n"
	  "      loop\n"
	  "        %9 = xor u32 %1 %2\n"
	  "        store \"b\" %9 %2 _ !1\n"
	  "        break %3 1\n"
	  "      end\n"
	  "    end\n"
	  "    break %3 1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = block.thread_idx u32\n"
	  "  %3 = lt bool %2 %1 !2\n"
	  "  loop\n"
	  "    if %3\n"
	  "      %6 = mul u32 %1 %2 !2\n"
	  "      %7 = len u32 \"b\"\n"
	  "      %8 = lt bool %6 %7 !2\n"
	  "      store \"b\" %6 %6 %8\n"
	  "      %10 = xor u32 %1 %2 !2\n"
	  "      %11 = lt bool %10 %7 !2\n"
	  "      loop\n"
	  "        store \"b\" %10 %2 %11\n"
	  "        break %3 1\n"
	  "      end\n"
	  "    end\n"
	  "    break %3 1\n"
	  "  end\n" },
	{ "operations move out of several loops",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = block.thread_idx u32\n"
	  "  %3 = lt bool %2 %1\n"
	  "  %4 = var u32 %1\n"
	  "  loop\n"
	  "    %6 = get u32 %4\n"
	  "    block\n"
	  "      loop\n"
	  "        %9 = xor u32 %1 %2\n"
	  "        %10 = xor u32 %6 %9\n"
	  "        %11 = subgroup.shuffle_xor u32 %9 %1\n"
	  "        store \"b\" %10 %11 _ !1\n"
	  "        break %3 1\n"
	  "      end\n"
	  "      break %3 1\n"
	  "      set %4 %2\n"
	  "    end\n"
	  "    break %3 1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = block.thread_idx u32\n"
	  "  %3 = lt bool %2 %1 !2\n"
	  "  %4 = var u32 %1\n"
	  "  %5 = xor u32 %1 %2 !2\n"
	  "  %6 = subgroup.invocation_id u32\n"
	  "  %7 = xor u32 %6 %1 !2\n"
	  "  %8 = const u32 0x7\n"
	  "  %9 = and u32 %7 %8 !2\n"
	  "  %10 = len u32 \"b\"\n"
	  "  loop\n"
	  "    %12 = get u32 %4\n"
	  "    block\n"
	  "      %14 = xor u32 %12 %5 !2\n"
	  "      %15 = lt bool %14 %10 !2\n"
	  "      loop\n"
	  "        %17 = subgroup.shuffle u32 %5 %9\n"
	  "        store \"b\" %14 %17 %15\n"
	  "        break %3 1\n"
	  "      end\n"
	  "      break %3 1\n"
	  "      set %4 %2\n"
	  "    end\n"
	  "    break %3 1\n"
	  "  end\n" },
	{ "eight values move out of a loop",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"b\"\n"
	  "  loop\n"
	  "    %4 = add u32 %1 %2\n"
	  "    %5 = add u32 %1 %4\n"
	  "    %6 = add u32 %1 %5\n"
	  "    %7 = add u32 %1 %6\n"
	  "    %8 = add u32 %1 %7\n"
	  "    %9 = add u32 %1 %8\n"
	  "    %10 = add u32 %1 %9\n"
	  "    %11 = lt bool %1 %2\n"
	  "    %12 = add u32 %1 %10\n"
	  "    store \"b\" %1 %12 _ !1\n"
	  "    break %11 1\n"
	  "  end\n",
	  "  %1 = block.thread_idx u32\n"
	  "  %2 = len u32 \"b\"\n"
	  "  %3 = add u32 %1 %2 !2\n"
	  "  %4 = add u32 %1 %3 !2\n"
	  "  %5 = add u32 %1 %4 !2\n"
	  "  %6 = add u32 %1 %5 !2\n"
	  "  %7 = add u32 %1 %6 !2\n"
	  "  %8 = add u32 %1 %7 !2\n"
	  "  %9 = add u32 %1 %8 !2\n"
	  "  %10 = lt bool %1 %2 !2\n"
	  "  loop\n"
	  "    %12 = add u32 %1 %9 !2\n"
	  "    store \"b\" %1 %12 %10\n"
	  "    break %10 1\n"
	  "  end\n" },
};
/* clang-format on */

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	struct ir legal;

	QD_TRY(pass_legalize(&f->p, in, NULL, &legal));
	QD_TRY(pass_dce(&f->p, &legal, &legal, NULL));
	QD_TRY(fault ? hoist_without(&f->p, &legal, out) : pass_hoist(&f->p, &legal, out));
	return ir_verify_body(f->p.k, out, f->p.mems, f->p.n_mems, STAGE_LEGAL, &f->err);
}

void
t_hoist_exact(struct unit_ctx *t)
{
	fx_exact(t, rows, QD_COUNT(rows), run);
}

/* Checks that a row of the table fails if a rule of the pass is missing. */
void
t_hoist_faults(struct unit_ctx *t)
{
	for (fault = FAULT_NONE + 1; fault < N_FAULT; fault++)
		UNIT_CHECK(t, fx_fails(t, rows, QD_COUNT(rows), run), "fault %d is not found", (int)fault);
	fault = FAULT_NONE;
}
