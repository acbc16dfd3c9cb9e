/* Diagnostics of reading printed IR, and of the rules that only a text can break. */
#include "diag_case.h"

#define HEAD "kernel \"k\"\n"
#define IR(code, at_line, at_col, text, msg)                                                       \
	{ .d = DIAG_##code, .ir = text, .line = at_line, .col = at_col, .want = msg }

#define X32 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X256 X32 X32 X32 X32 X32 X32 X32 X32

/* clang-format off */
const struct diag_case diag_cases_read[] = {
	IR(E0216, 0, 0, HEAD "{\n  %1 = subgroup.elect i32\n  %2 = subgroup.reduce_add i32 %1 %1 ; 2\n}\n",
	   "kernel 'k', %2: log2_size must be a constant or a template parameter [E0216]"),
	IR(E0303, 0, 0, HEAD "{\n  %1 = const i32 0x1\n  if %1\n  end\n}\n",
	   "kernel 'k', %2: the condition is i32, not bool [E0303]"),
	/* The result of an operator is not a value. */
	IR(E0309, 0, 0, HEAD "{\n  %1 = region 1\n    %2 = arg i32 0 %1\n    %3 = arg i32 1 %1\n"
	   "    %4 = add i32 %2 %3\n    %5 = yield 0 %4\n  end\n  %7 = neg i32 %5\n}\n",
	   "kernel 'k', %7: a value of a closed block, or of another builder, is used [E0309]"),
	/* A store without its guard. */
	IR(E0351, 0, 0, HEAD "param \"a\" i32[]\n{\n  %1 = const u32 0x1\n  %2 = const i32 0x1\n"
	   "  store \"a\" %1 %2 _\n}\n",
	   "kernel 'k', %3: store without a guard needs 'assume_in_bounds', which removes all guards [E0351]"),
	IR(E0322, 3, 13, HEAD "template \"L\" 0 1\ntemplate \"L\" 0 2\n{\n}\n",
	   "t.ir:3:13: error: two parameters are named 'L' [E0322]\n    3 | template \"L\" 0 2\n      |             ^"),
	IR(E0330, 2, 7, HEAD "param \"\" i32\n{\n}\n",
	   "t.ir:2:7: error: an empty or missing name [E0330]\n    2 | param \"\" i32\n      |       ^"),
	IR(E0121, 2, 7, HEAD "param \"" X256 "\" i32\n{\n}\n", "t.ir:2:7: error: a name has at most 255 bytes [E0121]\n    2 | param \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\n      |       ^"),
	/* A list has a type, but is not a value. */
	IR(E0309, 0, 0, HEAD "{\n  %1 = const f32 0x0\n  %2 = pack f32 %1 _\n  %3 = add f32 %2 %1\n}\n",
	   "kernel 'k', %3: a value of a closed block, or of another builder, is used [E0309]"),
	IR(E0309, 0, 0, HEAD "{\n  %1 = const f32 0x0\n  %2 = pack f32 %1 _\n  %3 = var f32 %2\n}\n",
	   "kernel 'k', %3: a value of a closed block, or of another builder, is used [E0309]"),
	IR(E0310, 0, 0, HEAD "{\n  %1 = const f32 0x0\n  %2 = pack f32 %1 %1\n}\n",
	   "kernel 'k', %2: this handle is not a list [E0310]"),
	/* The second type must be one of the row's too. */
	IR(E0324, 0, 0, HEAD "{\n  %1 = const f32 0x0\n  %2 = lt bool %1 %1\n  %3 = subgroup.bitonic_sort_kv %1 %2 _\n}\n",
	   "kernel 'k', %3: type bool is not allowed for subgroup.bitonic_sort_kv [E0324]"),
	/* A result before all arguments. */
	IR(E0310, 0, 0, HEAD "{\n  %1 = region 8\n    %2 = arg f32 0 %1\n    yield f32 0 %2\n}\n",
	   "kernel 'k', %3: this handle is not a region's result [E0310]"),
	IR(E0601, 1, 8, "kernel x\n{\n}\n",
	   "t.ir:1:8: error: expected '\"' [E0601]\n    1 | kernel x\n      |        ^"),
	IR(E0602, 3, 3, HEAD "{\n  frob\n}\n",
	   "t.ir:3:3: error: no operation is named 'frob' [E0602]\n    3 |   frob\n      |   ^~~~"),
	IR(E0603, 3, 16, HEAD "{\n  %1 = neg i32 %7\n}\n",
	   "t.ir:3:16: error: %7 is not defined before this line [E0603]\n    3 |   %1 = neg i32 %7\n      |                ^"),
	IR(E0604, 4, 3, HEAD "{\n  %1 = const i32 0x1\n  %1 = const i32 0x2\n}\n",
	   "t.ir:4:3: error: %1 is defined twice [E0604]\n    4 |   %1 = const i32 0x2\n      |   ^"),
	IR(E0605, 3, 16, HEAD "{\n  %1 = len u32 \"a\"\n}\n",
	   "t.ir:3:16: error: k has no parameter named 'a' [E0605]\n    3 |   %1 = len u32 \"a\"\n      |                ^"),
};
/* clang-format on */
const unsigned n_diag_cases_read = QD_COUNT(diag_cases_read);
