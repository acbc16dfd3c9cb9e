/* Loops that become copies of their bodies: the exact body before and after the pass. */
#include "t_pass.h"

/* A second copy of the pass, in which `fault` disables one rule. */
enum fault { FAULT_NONE, FAULT_HOME, FAULT_ONE_SET, FAULT_FIRST, FAULT_ENDS, FAULT_JOINS, FAULT_ACTS, N_FAULT };
static enum fault fault;
#define UNROLL_RULE(name) (fault != FAULT_##name)
#define pass_unroll	  unroll_without
static qd_status unroll_without(struct pass_ctx *p, const struct ir *in, enum unroll kind, struct ir *out, bool *used);
#include "../../../src/pass/unroll.c"
#undef pass_unroll

enum { BUDGET = 240 };

/* clang-format off */
static const struct fx_row rows[] = {
	{ "a loop of three iterations becomes three copies, in which the counter is a constant",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x3\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    %11 = load u32 \"c\" %4 _ _ !1\n"
	  "    store \"b\" %4 %11 _ !1\n"
	  "  end\n"
	  "  %14 = get u32 %2\n"
	  "  store \"b\" %14 %14 _ !1\n",
	  "  %1 = const u32 0x0\n"
	  "  %2 = const u32 0x3\n"
	  "  %3 = const u32 0x1\n"
	  "  %4 = load u32 \"c\" %1 _ _ !1\n"
	  "  store \"b\" %1 %4 _ !1\n"
	  "  %6 = const u32 0x2\n"
	  "  %7 = load u32 \"c\" %3 _ _ !1\n"
	  "  store \"b\" %3 %7 _ !1\n"
	  "  %9 = load u32 \"c\" %6 _ _ !1\n"
	  "  store \"b\" %6 %9 _ !1\n"
	  "  store \"b\" %2 %2 _ !1\n" },
	{ "the test may be last, and the counter may halve",
	  "  %1 = const u32 0x4\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    store \"b\" %4 %4 _ !1\n"
	  "    %6 = const u32 0x1\n"
	  "    %7 = shr u32 %4 %6\n"
	  "    set %2 %7\n"
	  "    %9 = get u32 %2\n"
	  "    %10 = const u32 0x1\n"
	  "    %11 = lt bool %9 %10\n"
	  "    break %11 1\n"
	  "  end\n",
	  "  %1 = const u32 0x4\n"
	  "  store \"b\" %1 %1 _ !1\n"
	  "  %3 = const u32 0x1\n"
	  "  %4 = const u32 0x2\n"
	  "  store \"b\" %4 %4 _ !1\n"
	  "  store \"b\" %3 %3 _ !1\n" },
	{ "a loop whose test holds at once is gone, except for what is before the test",
	  "  %1 = const u32 0x9\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    store \"b\" %4 %4 _ !1\n"
	  "    %6 = const u32 0x9\n"
	  "    %7 = eq bool %4 %6\n"
	  "    break %7 1\n"
	  "    %9 = add u32 %4 %6\n"
	  "    set %2 %9\n"
	  "    store \"b\" %9 %9 _ !1\n"
	  "  end\n",
	  "  %1 = const u32 0x9\n"
	  "  store \"b\" %1 %1 _ !1\n" },
	{ "jumps of some threads leave a block around the copies",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    %11 = load u32 \"a\" %4 _ _ !1\n"
	  "    %12 = load u32 \"c\" %11 _ _ !1\n"
	  "    %13 = lt bool %11 %12\n"
	  "    if %13\n"
	  "      store \"b\" %11 %4 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %11 %12 _ !1\n"
	  "  end\n",
	  "  %1 = const u32 0x0\n"
	  "  block\n"
	  "    %3 = const u32 0x1\n"
	  "    %4 = load u32 \"a\" %1 _ _ !1\n"
	  "    %5 = load u32 \"c\" %4 _ _ !1\n"
	  "    %6 = lt bool %4 %5\n"
	  "    if %6\n"
	  "      store \"b\" %4 %1 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %4 %5 _ !1\n"
	  "    %12 = load u32 \"a\" %3 _ _ !1\n"
	  "    %13 = load u32 \"c\" %12 _ _ !1\n"
	  "    %14 = lt bool %12 %13\n"
	  "    if %14\n"
	  "      store \"b\" %12 %3 _ !1\n"
	  "      break _ 1\n"
	  "    end\n"
	  "    store \"b\" %12 %13 _ !1\n"
	  "  end\n" },
	{ "continue leaves a block in each copy, and a jump may leave an outer loop",
	  "  %1 = len u32 \"a\"\n"
	  "  loop\n"
	  "    %3 = load u32 \"c\" %1 _ _ !1\n"
	  "    %4 = const u32 0x0\n"
	  "    %5 = var u32 %4\n"
	  "    loop\n"
	  "      %7 = get u32 %5\n"
	  "      %8 = const u32 0x2\n"
	  "      %9 = eq bool %7 %8\n"
	  "      break %9 1\n"
	  "      %11 = const u32 0x1\n"
	  "      %12 = add u32 %7 %11\n"
	  "      set %5 %12\n"
	  "      block\n"
	  "        %15 = lt bool %3 %1\n"
	  "        break %15 1\n"
	  "        %17 = eq bool %3 %7\n"
	  "        break %17 3\n"
	  "        store \"b\" %7 %3 _ !1\n"
	  "      end\n"
	  "    end\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  loop\n"
	  "    %3 = load u32 \"c\" %1 _ _ !1\n"
	  "    %4 = const u32 0x0\n"
	  "    %5 = const u32 0x1\n"
	  "    block\n"
	  "      %7 = lt bool %3 %1\n"
	  "      break %7 1\n"
	  "      %9 = eq bool %3 %4\n"
	  "      break %9 2\n"
	  "      store \"b\" %4 %3 _ !1\n"
	  "    end\n"
	  "    block\n"
	  "      %14 = lt bool %3 %1\n"
	  "      break %14 1\n"
	  "      %16 = eq bool %3 %5\n"
	  "      break %16 2\n"
	  "      store \"b\" %5 %3 _ !1\n"
	  "    end\n"
	  "  end\n" },
	{ "nested loops become copies of copies",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x0\n"
	  "    %9 = var u32 %8\n"
	  "    loop\n"
	  "      %11 = get u32 %9\n"
	  "      %12 = const u32 0x2\n"
	  "      %13 = le bool %12 %11\n"
	  "      break %13 1\n"
	  "      %15 = const u32 0x2\n"
	  "      %16 = mul u32 %4 %15\n"
	  "      %17 = add u32 %16 %11\n"
	  "      store \"b\" %17 %11 _ !1\n"
	  "      %19 = const u32 0x1\n"
	  "      %20 = add u32 %11 %19\n"
	  "      set %9 %20\n"
	  "    end\n"
	  "    %23 = const u32 0x1\n"
	  "    %24 = add u32 %4 %23\n"
	  "    set %2 %24\n"
	  "  end\n",
	  "  %1 = const u32 0x0\n"
	  "  %2 = const u32 0x2\n"
	  "  store \"b\" %1 %1 _ !1\n"
	  "  %4 = const u32 0x1\n"
	  "  store \"b\" %4 %4 _ !1\n"
	  "  store \"b\" %2 %1 _ !1\n"
	  "  %7 = const u32 0x3\n"
	  "  store \"b\" %7 %4 _ !1\n" },
	{ "operations that involve other lanes are copied",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const u32 0x1\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = bitcast u32 %1\n"
	  "  %5 = var u32 %4\n"
	  "  loop\n"
	  "    %7 = get u32 %3\n"
	  "    %8 = const u32 0x4\n"
	  "    %9 = le bool %8 %7\n"
	  "    break %9 1\n"
	  "    %11 = get u32 %5\n"
	  "    %12 = subgroup.shuffle_xor u32 %11 %7\n"
	  "    set %5 %12\n"
	  "    %14 = const u32 0x1\n"
	  "    %15 = shl u32 %7 %14\n"
	  "    set %3 %15\n"
	  "  end\n"
	  "  %18 = get u32 %5\n"
	  "  store \"b\" %4 %18 _ !1\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const u32 0x1\n"
	  "  %3 = bitcast u32 %1\n"
	  "  %4 = subgroup.shuffle_xor u32 %3 %2\n"
	  "  %5 = const u32 0x2\n"
	  "  %6 = subgroup.shuffle_xor u32 %4 %5\n"
	  "  store \"b\" %3 %6 _ !1\n" },
	{ "the counter may begin with a store before the loop",
	  "  %1 = const u32 0x7\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = get u32 %2\n"
	  "  store \"b\" %3 %3 _ !1\n"
	  "  %5 = const u32 0x0\n"
	  "  set %2 %5\n"
	  "  loop\n"
	  "    %8 = get u32 %2\n"
	  "    %9 = const u32 0x1\n"
	  "    %10 = eq bool %8 %9\n"
	  "    break %10 1\n"
	  "    %12 = add u32 %8 %9\n"
	  "    set %2 %12\n"
	  "    store \"b\" %8 %12 _ !1\n"
	  "  end\n",
	  "  %1 = const u32 0x7\n"
	  "  store \"b\" %1 %1 _ !1\n"
	  "  %3 = const u32 0x0\n"
	  "  %4 = const u32 0x1\n"
	  "  store \"b\" %3 %4 _ !1\n" },
	{ "a counter with two stores: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = load u32 \"c\" %4 _ _ !1\n"
	  "    set %2 %8\n"
	  "    %10 = get u32 %2\n"
	  "    store \"b\" %10 %4 _ !1\n"
	  "    %12 = const u32 0x1\n"
	  "    %13 = add u32 %4 %12\n"
	  "    set %2 %13\n"
	  "  end\n", NULL },
	{ "a counter that an if advances: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x2\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = load u32 \"c\" %4 _ _ !1\n"
	  "    %9 = lt bool %8 %4\n"
	  "    if %9\n"
	  "      %11 = const u32 0x1\n"
	  "      %12 = add u32 %4 %11\n"
	  "      set %2 %12\n"
	  "    end\n"
	  "  end\n", NULL },
	{ "a counter that begins in an outer loop: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    loop\n"
	  "      %5 = get u32 %2\n"
	  "      %6 = const u32 0x2\n"
	  "      %7 = le bool %6 %5\n"
	  "      break %7 1\n"
	  "      %9 = const u32 0x1\n"
	  "      %10 = add u32 %5 %9\n"
	  "      set %2 %10\n"
	  "      store \"b\" %5 %10 _ !1\n"
	  "    end\n"
	  "    %14 = load u32 \"c\" %1 _ _ !1\n"
	  "    %15 = lt bool %1 %14\n"
	  "    break %15 1\n"
	  "  end\n", NULL },
	{ "a loop that a jump ends in its first iteration: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  block\n"
	  "    %3 = var u32 %1\n"
	  "    loop\n"
	  "      %5 = get u32 %3\n"
	  "      %6 = const u32 0x2\n"
	  "      %7 = le bool %6 %5\n"
	  "      break %7 1\n"
	  "      %9 = const u32 0x1\n"
	  "      %10 = add u32 %5 %9\n"
	  "      set %3 %10\n"
	  "      store \"b\" %5 %10 _ !1\n"
	  "      break _ 2\n"
	  "    end\n"
	  "    store \"b\" %1 %1 _ !1\n"
	  "  end\n", NULL },
	{ "a limit that is not a constant: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  %3 = len u32 \"a\"\n"
	  "  loop\n"
	  "    %5 = get u32 %2\n"
	  "    %6 = le bool %3 %5\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %5 %8\n"
	  "    set %2 %9\n"
	  "    store \"b\" %5 %9 _ !1\n"
	  "  end\n", NULL },
	{ "more instructions than allowed: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x3c\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    store \"b\" %4 %9 _ !1\n"
	  "  end\n", NULL },
	{ "more instructions than allowed if other jumps leave the loop: the loop remains",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = const u32 0x8\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    store \"b\" %4 %9 _ !1\n"
	  "    %12 = load u32 \"c\" %4 _ _ !1\n"
	  "    %13 = lt bool %9 %12\n"
	  "    break %13 1\n"
	  "  end\n", NULL },
};

static const struct fx_row part_rows[] = {
	{ "a short loop follows one of four copies with one test",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  loop\n"
	  "    %5 = get u32 %3\n"
	  "    %6 = le bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %5 %8\n"
	  "    set %3 %9\n"
	  "    %11 = load u32 \"c\" %5 _ _ !1\n"
	  "    store \"b\" %5 %11 _ !1\n"
	  "  end\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = const u32 0x3\n"
	  "  %5 = max u32 %1 %4\n"
	  "  %6 = sub u32 %5 %4\n"
	  "  loop !32768\n"
	  "    %8 = get u32 %3\n"
	  "    %9 = le bool %6 %8\n"
	  "    break %9 1\n"
	  "    %11 = const u32 0x1\n"
	  "    %12 = add u32 %8 %11\n"
	  "    %13 = load u32 \"c\" %8 _ _ !1\n"
	  "    store \"b\" %8 %13 _ !1\n"
	  "    %15 = add u32 %12 %11\n"
	  "    %16 = load u32 \"c\" %12 _ _ !1\n"
	  "    store \"b\" %12 %16 _ !1\n"
	  "    %18 = add u32 %15 %11\n"
	  "    %19 = load u32 \"c\" %15 _ _ !1\n"
	  "    store \"b\" %15 %19 _ !1\n"
	  "    %21 = add u32 %18 %11\n"
	  "    set %3 %21\n"
	  "    %23 = load u32 \"c\" %18 _ _ !1\n"
	  "    store \"b\" %18 %23 _ !1\n"
	  "  end\n"
	  "  loop !32768\n"
	  "    %27 = get u32 %3\n"
	  "    %28 = le bool %1 %27\n"
	  "    break %28 1\n"
	  "    %30 = const u32 0x1\n"
	  "    %31 = add u32 %27 %30\n"
	  "    set %3 %31\n"
	  "    %33 = load u32 \"c\" %27 _ _ !1\n"
	  "    store \"b\" %27 %33 _ !1\n"
	  "  end\n" },
	{ "a loop that moves the values of three variables has as many copies that each has its own value",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = const u32 0x1\n"
	  "  %5 = var u32 %4\n"
	  "  %6 = var u32 %4\n"
	  "  %7 = var u32 %4\n"
	  "  loop\n"
	  "    %9 = get u32 %3\n"
	  "    %10 = le bool %1 %9\n"
	  "    break %10 1\n"
	  "    %12 = get u32 %6\n"
	  "    %13 = get u32 %5\n"
	  "    %14 = get u32 %7\n"
	  "    %15 = mul u32 %12 %14\n"
	  "    %16 = add u32 %13 %15\n"
	  "    set %7 %12\n"
	  "    set %6 %13\n"
	  "    set %5 %16\n"
	  "    %20 = add u32 %9 %4\n"
	  "    set %3 %20\n"
	  "  end\n"
	  "  %23 = get u32 %5\n"
	  "  store \"b\" %2 %23 _ !1\n",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  %4 = const u32 0x1\n"
	  "  %5 = var u32 %4\n"
	  "  %6 = var u32 %4\n"
	  "  %7 = var u32 %4\n"
	  "  %8 = const u32 0x3\n"
	  "  %9 = max u32 %1 %8\n"
	  "  %10 = sub u32 %9 %8\n"
	  "  loop !32768\n"
	  "    %12 = get u32 %3\n"
	  "    %13 = le bool %10 %12\n"
	  "    break %13 1\n"
	  "    %15 = get u32 %6\n"
	  "    %16 = get u32 %5\n"
	  "    %17 = get u32 %7\n"
	  "    %18 = mul u32 %15 %17\n"
	  "    %19 = add u32 %16 %18\n"
	  "    %20 = add u32 %12 %4\n"
	  "    %21 = mul u32 %16 %15\n"
	  "    %22 = add u32 %19 %21\n"
	  "    %23 = add u32 %20 %4\n"
	  "    %24 = mul u32 %19 %16\n"
	  "    %25 = add u32 %22 %24\n"
	  "    %26 = add u32 %23 %4\n"
	  "    %27 = mul u32 %22 %19\n"
	  "    %28 = add u32 %25 %27\n"
	  "    set %7 %22\n"
	  "    set %6 %25\n"
	  "    set %5 %28\n"
	  "    %32 = add u32 %26 %4\n"
	  "    set %3 %32\n"
	  "  end\n"
	  "  loop !32768\n"
	  "    %36 = get u32 %3\n"
	  "    %37 = le bool %1 %36\n"
	  "    break %37 1\n"
	  "    %39 = get u32 %6\n"
	  "    %40 = get u32 %5\n"
	  "    %41 = get u32 %7\n"
	  "    %42 = mul u32 %39 %41\n"
	  "    %43 = add u32 %40 %42\n"
	  "    set %7 %39\n"
	  "    set %6 %40\n"
	  "    set %5 %43\n"
	  "    %47 = add u32 %36 %4\n"
	  "    set %3 %47\n"
	  "  end\n"
	  "  %50 = get u32 %5\n"
	  "  store \"b\" %2 %50 _ !1\n" },
	{ "a longer one follows two copies, here with a signed counter and a step",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x2\n"
	  "  %3 = var i32 %2\n"
	  "  loop\n"
	  "    %5 = get i32 %3\n"
	  "    %6 = le bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = bitcast u32 %5\n"
	  "    %9 = load u32 \"c\" %8 _ _ !1\n"
	  "    %10 = mul u32 %9 %9\n"
	  "    %11 = xor u32 %10 %9\n"
	  "    %12 = mul u32 %11 %10\n"
	  "    %13 = xor u32 %12 %9\n"
	  "    %14 = mul u32 %13 %11\n"
	  "    %15 = xor u32 %14 %12\n"
	  "    %16 = mul u32 %15 %9\n"
	  "    %17 = xor u32 %16 %10\n"
	  "    %18 = mul u32 %17 %9\n"
	  "    %19 = xor u32 %18 %10\n"
	  "    %20 = mul u32 %19 %9\n"
	  "    %21 = xor u32 %20 %10\n"
	  "    %22 = mul u32 %21 %9\n"
	  "    %23 = xor u32 %22 %10\n"
	  "    %24 = mul u32 %23 %9\n"
	  "    %25 = xor u32 %24 %10\n"
	  "    %26 = mul u32 %25 %9\n"
	  "    %27 = xor u32 %26 %10\n"
	  "    %28 = mul u32 %27 %9\n"
	  "    %29 = xor u32 %28 %10\n"
	  "    store \"b\" %29 %9 _ !1\n"
	  "    %31 = const i32 0x3\n"
	  "    %32 = add i32 %5 %31\n"
	  "    set %3 %32\n"
	  "  end\n",
	  "  %1 = block.thread_idx i32\n"
	  "  %2 = const i32 0x2\n"
	  "  %3 = var i32 %2\n"
	  "  %4 = const i32 0x80000003\n"
	  "  %5 = max i32 %1 %4\n"
	  "  %6 = const i32 0x3\n"
	  "  %7 = sub i32 %5 %6\n"
	  "  loop !32768\n"
	  "    %9 = get i32 %3\n"
	  "    %10 = le bool %7 %9\n"
	  "    break %10 1\n"
	  "    %12 = bitcast u32 %9\n"
	  "    %13 = load u32 \"c\" %12 _ _ !1\n"
	  "    %14 = mul u32 %13 %13\n"
	  "    %15 = xor u32 %14 %13\n"
	  "    %16 = mul u32 %15 %14\n"
	  "    %17 = xor u32 %16 %13\n"
	  "    %18 = mul u32 %17 %15\n"
	  "    %19 = xor u32 %18 %16\n"
	  "    %20 = mul u32 %19 %13\n"
	  "    %21 = xor u32 %20 %14\n"
	  "    %22 = mul u32 %21 %13\n"
	  "    %23 = xor u32 %22 %14\n"
	  "    %24 = mul u32 %23 %13\n"
	  "    %25 = xor u32 %24 %14\n"
	  "    %26 = mul u32 %25 %13\n"
	  "    %27 = xor u32 %26 %14\n"
	  "    %28 = mul u32 %27 %13\n"
	  "    %29 = xor u32 %28 %14\n"
	  "    %30 = mul u32 %29 %13\n"
	  "    %31 = xor u32 %30 %14\n"
	  "    %32 = mul u32 %31 %13\n"
	  "    %33 = xor u32 %32 %14\n"
	  "    store \"b\" %33 %13 _ !1\n"
	  "    %35 = add i32 %9 %6\n"
	  "    %36 = bitcast u32 %35\n"
	  "    %37 = load u32 \"c\" %36 _ _ !1\n"
	  "    %38 = mul u32 %37 %37\n"
	  "    %39 = xor u32 %38 %37\n"
	  "    %40 = mul u32 %39 %38\n"
	  "    %41 = xor u32 %40 %37\n"
	  "    %42 = mul u32 %41 %39\n"
	  "    %43 = xor u32 %42 %40\n"
	  "    %44 = mul u32 %43 %37\n"
	  "    %45 = xor u32 %44 %38\n"
	  "    %46 = mul u32 %45 %37\n"
	  "    %47 = xor u32 %46 %38\n"
	  "    %48 = mul u32 %47 %37\n"
	  "    %49 = xor u32 %48 %38\n"
	  "    %50 = mul u32 %49 %37\n"
	  "    %51 = xor u32 %50 %38\n"
	  "    %52 = mul u32 %51 %37\n"
	  "    %53 = xor u32 %52 %38\n"
	  "    %54 = mul u32 %53 %37\n"
	  "    %55 = xor u32 %54 %38\n"
	  "    %56 = mul u32 %55 %37\n"
	  "    %57 = xor u32 %56 %38\n"
	  "    store \"b\" %57 %37 _ !1\n"
	  "    %59 = add i32 %35 %6\n"
	  "    set %3 %59\n"
	  "  end\n"
	  "  loop !32768\n"
	  "    %63 = get i32 %3\n"
	  "    %64 = le bool %1 %63\n"
	  "    break %64 1\n"
	  "    %66 = bitcast u32 %63\n"
	  "    %67 = load u32 \"c\" %66 _ _ !1\n"
	  "    %68 = mul u32 %67 %67\n"
	  "    %69 = xor u32 %68 %67\n"
	  "    %70 = mul u32 %69 %68\n"
	  "    %71 = xor u32 %70 %67\n"
	  "    %72 = mul u32 %71 %69\n"
	  "    %73 = xor u32 %72 %70\n"
	  "    %74 = mul u32 %73 %67\n"
	  "    %75 = xor u32 %74 %68\n"
	  "    %76 = mul u32 %75 %67\n"
	  "    %77 = xor u32 %76 %68\n"
	  "    %78 = mul u32 %77 %67\n"
	  "    %79 = xor u32 %78 %68\n"
	  "    %80 = mul u32 %79 %67\n"
	  "    %81 = xor u32 %80 %68\n"
	  "    %82 = mul u32 %81 %67\n"
	  "    %83 = xor u32 %82 %68\n"
	  "    %84 = mul u32 %83 %67\n"
	  "    %85 = xor u32 %84 %68\n"
	  "    %86 = mul u32 %85 %67\n"
	  "    %87 = xor u32 %86 %68\n"
	  "    store \"b\" %87 %67 _ !1\n"
	  "    %89 = add i32 %63 %6\n"
	  "    set %3 %89\n"
	  "  end\n" },
	{ "no memory is read: the loop has no copies",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  loop\n"
	  "    %5 = get u32 %3\n"
	  "    %6 = le bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %5 %8\n"
	  "    set %3 %9\n"
	  "    store \"b\" %5 %9 _ !1\n"
	  "  end\n", NULL },
	{ "another jump leaves the loop: the loop has no copies",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  loop\n"
	  "    %5 = get u32 %3\n"
	  "    %6 = le bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %5 %8\n"
	  "    set %3 %9\n"
	  "    %11 = load u32 \"c\" %5 _ _ !1\n"
	  "    store \"b\" %5 %11 _ !1\n"
	  "    %13 = lt bool %11 %5\n"
	  "    break %13 1\n"
	  "  end\n", NULL },
	{ "lanes exchange values: the loop has no copies",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  loop\n"
	  "    %5 = get u32 %3\n"
	  "    %6 = le bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %5 %8\n"
	  "    set %3 %9\n"
	  "    %11 = load u32 \"c\" %5 _ _ !1\n"
	  "    %12 = subgroup.shuffle_xor u32 %11 %8\n"
	  "    store \"b\" %5 %12 _ !1\n"
	  "  end\n", NULL },
	{ "a store precedes the test: the loop has no copies",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  loop\n"
	  "    %5 = get u32 %3\n"
	  "    store \"b\" %5 %5 _ !1\n"
	  "    %7 = le bool %1 %5\n"
	  "    break %7 1\n"
	  "    %9 = const u32 0x1\n"
	  "    %10 = add u32 %5 %9\n"
	  "    set %3 %10\n"
	  "    %12 = load u32 \"c\" %5 _ _ !1\n"
	  "    store \"b\" %5 %12 _ !1\n"
	  "  end\n", NULL },
	{ "the limit changes: the loop has no copies",
	  "  %1 = const u32 0x0\n"
	  "  %2 = var u32 %1\n"
	  "  loop\n"
	  "    %4 = get u32 %2\n"
	  "    %5 = load u32 \"c\" %4 _ _ !1\n"
	  "    %6 = le bool %5 %4\n"
	  "    break %6 1\n"
	  "    %8 = const u32 0x1\n"
	  "    %9 = add u32 %4 %8\n"
	  "    set %2 %9\n"
	  "    store \"b\" %4 %9 _ !1\n"
	  "  end\n", NULL },
	{ "two stores advance the counter: the loop has no copies",
	  "  %1 = len u32 \"a\"\n"
	  "  %2 = const u32 0x0\n"
	  "  %3 = var u32 %2\n"
	  "  loop\n"
	  "    %5 = get u32 %3\n"
	  "    %6 = le bool %1 %5\n"
	  "    break %6 1\n"
	  "    %8 = load u32 \"c\" %5 _ _ !1\n"
	  "    set %3 %8\n"
	  "    store \"b\" %5 %8 _ !1\n"
	  "    %11 = get u32 %3\n"
	  "    store \"b\" %8 %11 _ !1\n"
	  "    %13 = const u32 0x1\n"
	  "    %14 = add u32 %5 %13\n"
	  "    set %3 %14\n"
	  "  end\n", NULL },
};
/* clang-format on */

/* Copies, and replaces the counters by constants. */
static qd_status
run_kind(struct fx *f, struct ir *in, enum unroll kind, struct ir *out)
{
	struct ir copies;
	bool used;

	f->p.unroll = BUDGET;
	QD_TRY(fault ? unroll_without(&f->p, in, kind, &copies, &used) : pass_unroll(&f->p, in, kind, &copies, &used));
	if (!used) {
		*out = *in;
		return QD_OK;
	}
	QD_TRY(ir_verify_body(f->p.k, &copies, f->p.mems, f->p.n_mems, STAGE_FOLDED, &f->err));
	return pass_values(&f->p, &copies, out);
}

static qd_status
run(struct fx *f, struct ir *in, struct ir *out)
{
	return run_kind(f, in, UNROLL_FULL, out);
}

static qd_status
run_part(struct fx *f, struct ir *in, struct ir *out)
{
	return run_kind(f, in, UNROLL_PART, out);
}

void
t_unroll_exact(struct unit_ctx *t)
{
	for (uint32_t i = 0; i < QD_COUNT(rows); i++)
		fx_rewrites(t, &rows[i], run, true);
	for (uint32_t i = 0; i < QD_COUNT(part_rows); i++)
		fx_rewrites(t, &part_rows[i], run_part, true);
}

/* Checks that a row of the table fails if a rule of the pass is missing. */
void
t_unroll_faults(struct unit_ctx *t)
{
	for (fault = FAULT_NONE + 1; fault < N_FAULT; fault++) {
		bool found = false;

		for (uint32_t i = 0; i < QD_COUNT(rows); i++)
			found = !fx_rewrites(t, &rows[i], run, false) || found;
		for (uint32_t i = 0; i < QD_COUNT(part_rows); i++)
			found = !fx_rewrites(t, &part_rows[i], run_part, false) || found;
		UNIT_CHECK(t, found, "fault %d is not found", (int)fault);
	}
	fault = FAULT_NONE;
}

/* Detects a body that grows without limit: many loops, each of which is small enough. */
void
t_unroll_growth(struct unit_ctx *t)
{
	enum { LOOPS = 2000 };
	struct fx f;
	struct qd_builder *b = fx_start(&f, t);
	struct ir in, out;
	bool used = false;

	for (uint32_t i = 0; i < LOOPS; i++) {
		struct qd_var v = qd_var(b, qd_i32(b, 0));
		struct qd_val now;

		qd_loop(b);
		now = qd_get(b, v);
		qd_break_if(b, qd_eq(b, now, qd_i32(b, 12)));
		fx_put(&f, qd_cast(b, QD_TYPE_F32, now));
		qd_set(b, v, qd_add(b, now, qd_i32(b, 1)));
		qd_end(b);
	}
	if (fx_finish(&f) && !pass_specialize(&f.p, &f.k->ir, &in)) {
		f.p.unroll = BUDGET;
		UNIT_CHECK(t, !pass_unroll(&f.p, &in, UNROLL_FULL, &out, &used), "%s", f.err.text);
		UNIT_CHECK(t, used && out.n < in.n + 16 * BUDGET, "%u instructions become %u", in.n, used ? out.n : 0);
	}
	fx_stop(&f);
}
