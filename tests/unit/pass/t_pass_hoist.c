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
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = var u32 %2\n"
	  "  loop\n"
	  "    %5 = get u32 %3\n"
	  "    %6 = len u32 \"a\"\n"
	  "    %7 = lt bool %6 %5\n"
	  "    break %7 1\n"
	  "    %9 = const u32 0x7\n"
	  "    %10 = mul u32 %2 %9\n"
	  "    %11 = add u32 %10 %5\n"
	  "    store \"b\" %10 %11 _ !1\n"
	  "    set %3 %11\n"
	  "  end\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = len u32 \"a\"\n"
	  "  %5 = const u32 0x7\n"
	  "  %6 = mul24 u32 %2 %5 !2\n"
	  "  %7 = len u32 \"b\"\n"
	  "  %8 = lt bool %6 %7 !2\n"
	  "  loop\n"
	  "    %10 = get u32 %3\n"
	  "    %11 = lt bool %4 %10 !2\n"
	  "    break %11 1\n"
	  "    %13 = add u32 %6 %10 !2\n"
	  "    store \"b\" %6 %13 %8\n"
	  "    set %3 %13\n"
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
	  "  %2 = block.thread_idx i32\n"
	  "  %3 = bitcast u32 %2\n"
	  "  %4 = lt bool %3 %1\n"
	  "  loop\n"
	  "    if %4\n"
	  "      %7 = mul u32 %1 %3\n"
	  "      store \"b\" %7 %7 _ !1\n"
	  "      loop\n"
	  "        %10 = xor u32 %1 %3\n"
	  "        store \"b\" %10 %3 _ !1\n"
	  "        break %4 1\n"
	  "      end\n"
	  "    end\n"
	  "    break %4 1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = block.thread_idx i32\n"
	  "  %3 = bitcast u32 %2 !2\n"
	  "  %4 = lt bool %3 %1 !2\n"
	  "  loop\n"
	  "    if %4\n"
	  "      %7 = mul u32 %1 %3 !2\n"
	  "      %8 = len u32 \"b\"\n"
	  "      %9 = lt bool %7 %8 !2\n"
	  "      store \"b\" %7 %7 %9\n"
	  "      %11 = xor u32 %1 %3 !2\n"
	  "      %12 = lt bool %11 %8 !2\n"
	  "      loop\n"
	  "        store \"b\" %11 %3 %12\n"
	  "        break %4 1\n"
	  "      end\n"
	  "    end\n"
	  "    break %4 1\n"
	  "  end\n" },
	{ "operations move out of several loops",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = block.thread_idx i32\n"
	  "  %3 = bitcast u32 %2\n"
	  "  %4 = lt bool %3 %1\n"
	  "  %5 = var u32 %1\n"
	  "  loop\n"
	  "    %7 = get u32 %5\n"
	  "    block\n"
	  "      loop\n"
	  "        %10 = xor u32 %1 %3\n"
	  "        %11 = xor u32 %7 %10\n"
	  "        %12 = subgroup.shuffle_xor u32 %10 %1\n"
	  "        store \"b\" %11 %12 _ !1\n"
	  "        break %4 1\n"
	  "      end\n"
	  "      break %4 1\n"
	  "      set %5 %3\n"
	  "    end\n"
	  "    break %4 1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = block.thread_idx i32\n"
	  "  %3 = bitcast u32 %2 !2\n"
	  "  %4 = lt bool %3 %1 !2\n"
	  "  %5 = var u32 %1\n"
	  "  %6 = xor u32 %1 %3 !2\n"
	  "  %7 = subgroup.invocation_id i32\n"
	  "  %8 = bitcast u32 %7 !2\n"
	  "  %9 = xor u32 %8 %1 !2\n"
	  "  %10 = const u32 0x7\n"
	  "  %11 = and u32 %9 %10 !2\n"
	  "  %12 = len u32 \"b\"\n"
	  "  loop\n"
	  "    %14 = get u32 %5\n"
	  "    block\n"
	  "      %16 = xor u32 %14 %6 !2\n"
	  "      %17 = lt bool %16 %12 !2\n"
	  "      loop\n"
	  "        %19 = subgroup.shuffle u32 %6 %11\n"
	  "        store \"b\" %16 %19 %17\n"
	  "        break %4 1\n"
	  "      end\n"
	  "      break %4 1\n"
	  "      set %5 %3\n"
	  "    end\n"
	  "    break %4 1\n"
	  "  end\n" },
	{ "eight values move out of a loop",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1\n"
	  "  %3 = len u32 \"b\"\n"
	  "  loop\n"
	  "    %5 = add u32 %2 %3\n"
	  "    %6 = add u32 %2 %5\n"
	  "    %7 = add u32 %2 %6\n"
	  "    %8 = add u32 %2 %7\n"
	  "    %9 = add u32 %2 %8\n"
	  "    %10 = add u32 %2 %9\n"
	  "    %11 = add u32 %2 %10\n"
	  "    %12 = lt bool %2 %3\n"
	  "    %13 = add u32 %2 %11\n"
	  "    store \"b\" %2 %13 _ !1\n"
	  "    break %12 1\n"
	  "  end\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = bitcast u32 %1 !2\n"
	  "  %3 = len u32 \"b\"\n"
	  "  %4 = add u32 %2 %3 !2\n"
	  "  %5 = add u32 %2 %4 !2\n"
	  "  %6 = add u32 %2 %5 !2\n"
	  "  %7 = add u32 %2 %6 !2\n"
	  "  %8 = add u32 %2 %7 !2\n"
	  "  %9 = add u32 %2 %8 !2\n"
	  "  %10 = add u32 %2 %9 !2\n"
	  "  %11 = lt bool %2 %3 !2\n"
	  "  loop\n"
	  "    %13 = add u32 %2 %10 !2\n"
	  "    store \"b\" %2 %13 %11\n"
	  "    break %11 1\n"
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
