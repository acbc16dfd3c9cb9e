/* Diagnostics of shared arrays, atomics, fences and barriers. */
#define QD_NO_DEPRECATED_WARNINGS
#include "diag_case.h"

static void
late_parameter(struct qd_builder *b)
{
	qd_shared(b, "s", QD_TYPE_U32, 4);
	qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
}
static void
same_name(struct qd_builder *b)
{
	qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	qd_shared(b, "a", QD_TYPE_U32, 4);
}
static void
no_elements(struct qd_builder *b)
{
	qd_shared(b, "s", QD_TYPE_U32, 0);
}
static void
many_arrays(struct qd_builder *b)
{
	char name[] = "a00";

	for (int i = 0; i < 257; i++) {
		name[1] = (char)('a' + i / 20);
		name[2] = (char)('a' + i % 20);
		qd_shared(b, name, QD_TYPE_U32, 1);
	}
}
static void
of_bool(struct qd_builder *b)
{
	qd_shared(b, "s", QD_TYPE_BOOL, 4);
}
static void
beyond(struct qd_builder *b)
{
	struct qd_array s = qd_shared(b, "s", QD_TYPE_U32, 4);

	qd_store(b, s, qd_u32(b, 9), qd_u32(b, 1));
}
static void
store_acquires(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);

	qd_atomic_store(b, a, qd_u32(b, 0), qd_u32(b, 1), QD_SCOPE_DEVICE, QD_ORDER_ACQUIRE);
}
static void
relaxed_fence(struct qd_builder *b)
{
	qd_block_mem_fence(b, QD_ORDER_RELAXED);
}
static void
no_scope(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);

	qd_atomic_load(b, a, qd_u32(b, 0), 7, QD_ORDER_RELAXED);
}
static void
fence_of_block(struct qd_builder *b)
{
	qd_grid_mem_fence(b, QD_SCOPE_BLOCK, QD_ORDER_ACQ_REL);
}
static void
old_barrier(struct qd_builder *b)
{
	qd_subgroup_barrier(b);
}
static void
old_memory_barrier(struct qd_builder *b)
{
	qd_at(b, "k.c", 9);
	qd_subgroup_memory_barrier(b, QD_ORDER_ACQUIRE);
}
static void
old_ballot(struct qd_builder *b)
{
	qd_subgroup_ballot_full_subgroup(b, qd_bool(b, true));
}
static void
old_mem_sync(struct qd_builder *b)
{
	qd_block_mem_sync(b, QD_ORDER_ACQ_REL);
}
static void
old_memfence(struct qd_builder *b)
{
	qd_grid_memfence(b, QD_SCOPE_DEVICE, QD_ORDER_RELEASE);
}
/* The error names the deprecated alias that was called. */
static void
old_memfence_of_block(struct qd_builder *b)
{
	qd_grid_memfence(b, QD_SCOPE_BLOCK, QD_ORDER_ACQ_REL);
}
static void
read_out(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_OUT);

	qd_atomic_add(b, a, qd_u32(b, 0), qd_u32(b, 1), QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
}
static void
bits_of_float(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_F32, QD_ACCESS_INOUT);

	qd_atomic_or(b, a, qd_u32(b, 0), qd_f32(b, 1), QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
}

static void
copied(struct qd_builder *b, qd_type type, uint32_t n)
{
	struct qd_array a = qd_param_buffer(b, "a", type, QD_ACCESS_IN);
	struct qd_array s = qd_shared(b, "s", QD_TYPE_U32, 16);
	struct qd_val first = qd_u32(b, 0);

	qd_nvvm_cp_async(b, n ? s : a, first, a, first, n ? n : 1);
}
static void
copy_of_floats(struct qd_builder *b)
{
	copied(b, QD_TYPE_F32, 1);
}
static void
copy_of_halves(struct qd_builder *b)
{
	copied(b, QD_TYPE_F16, 2);
}
static void
copy_of_much(struct qd_builder *b)
{
	copied(b, QD_TYPE_U32, 0x40000001); /* 4 bytes, modulo 2^32 */
}
static void
copy_to_buffer(struct qd_builder *b)
{
	copied(b, QD_TYPE_U32, 0);
}
static void
many_groups(struct qd_builder *b)
{
	qd_nvvm_cp_async_wait_group(b, 64);
}
#define BUILD(code, fn, text) { .d = DIAG_##code, .build = fn, .want = text }
#define IR(code, body, text)                                                                       \
	{ .d = DIAG_##code,                                                                        \
	  .ir = "kernel \"k\"\nblock 32 1 1\nparam \"a\" u32[]\nshared \"s\" u32 4\n{\n" body "}\n", \
	  .want = text }

/* clang-format off */
const struct diag_case diag_cases_shared[] = {
	BUILD(E0360, no_elements, "call 1, qd_shared: a shared array has 1 to 16777216 elements, not 0 [E0360]"),
	BUILD(E0361, late_parameter, "call 2, qd_param_buffer: parameter 'a' follows a shared array: declare parameters first [E0361]"),
	BUILD(E0362, same_name, "call 2, qd_shared: 'a' is the name of another parameter or shared array of this kernel [E0362]"),
	BUILD(E0370, many_arrays, "call 257, qd_shared: more than 256 shared arrays [E0370]"),
	BUILD(E0324, of_bool, "call 1, qd_shared: type bool is not allowed for the elements of a shared array [E0324]"),
	BUILD(E0358, store_acquires, "call 4, qd_atomic_store: atomic.store has no order 'acquire' [E0358]"),
	BUILD(E0358, relaxed_fence, "call 1, qd_block_mem_fence: block.mem_fence has no order 'relaxed' [E0358]"),
	BUILD(E0359, no_scope, "call 3, qd_atomic_load: atomic.load has no scope '?' [E0359]"),
	BUILD(E0359, fence_of_block, "call 1, qd_grid_mem_fence: grid.mem_fence has no scope 'block' [E0359]"),
	BUILD(E0359, old_memfence_of_block, "call 1, qd_grid_memfence: grid.mem_fence has no scope 'block' [E0359]"),
	BUILD(W0305, old_barrier, "call 1, qd_subgroup_barrier: qd_subgroup_barrier is a deprecated alias of qd_subgroup_sync [W0305]"),
	BUILD(W0305, old_memory_barrier, "k.c:9: call 1, qd_subgroup_memory_barrier: qd_subgroup_memory_barrier is a deprecated alias of qd_subgroup_mem_fence [W0305]"),
	BUILD(W0305, old_ballot, "call 2, qd_subgroup_ballot_full_subgroup: qd_subgroup_ballot_full_subgroup is a deprecated alias of qd_subgroup_ballot [W0305]"),
	BUILD(W0305, old_mem_sync, "call 1, qd_block_mem_sync: qd_block_mem_sync is a deprecated alias of qd_block_mem_fence [W0305]"),
	BUILD(W0305, old_memfence, "call 1, qd_grid_memfence: qd_grid_memfence is a deprecated alias of qd_grid_mem_fence [W0305]"),
	BUILD(E0311, read_out, "call 4, qd_atomic_add: 'a' is an out parameter and cannot be read [E0311]\nhelp: make it QD_ACCESS_INOUT"),
	BUILD(E0324, bits_of_float, "call 4, qd_atomic_or: type f32 is not allowed for atomic.or [E0324]"),
	BUILD(E0377, copy_of_floats, "call 4, qd_nvvm_cp_async: 's' has elements of u32, 'a' of f32: a copy does not convert them [E0377]"),
	BUILD(E0324, copy_of_halves, "call 4, qd_nvvm_cp_async: type f16 is not allowed for nvvm.cp_async [E0324]"),
	BUILD(E0240, copy_of_much, "call 4, qd_nvvm_cp_async: one copy moves 4, 8 or 16 bytes, not 1073741825 elements of 4 bytes [E0240]"),
	BUILD(E0378, copy_to_buffer, "call 4, qd_nvvm_cp_async: 'nvvm.cp_async' takes an element of a shared array here: it copies from a buffer to a shared array [E0378]"),
	BUILD(E0219, many_groups, "call 1, qd_nvvm_cp_async_wait_group: the number of groups is 64; it must be 0 to 63 [E0219]"),
	{ .d = DIAG_E0363, .build = beyond, .target = "spirv", .want = "call 4, qd_store: index 9 is out of range: 's' has 4 elements [E0363]" },
	IR(E0357, "  %1 = const u32 0x0\n  %2 = load u32 \"s\" %1 _ _ !1\n", "kernel 'k', %2: load of a shared array has no guard [E0357]"),
	IR(E0358, "  %1 = const u32 0x0\n  %2 = atomic.load u32 \"s\" %1 _ _ !768\n", "kernel 'k', %2: atomic.load has no order 'release' [E0358]"),
	IR(E0359, "  block.mem_fence !1088\n", "kernel 'k', %1: block.mem_fence has no scope 'subgroup' [E0359]"),
	{ DIAG_E0360, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[0];\n"
	  "}\n",
	  .line = 2, .col = 16, .want =
	  "t.qdk:2:16: error: a shared array has 1 to 16777216 elements, not 0 [E0360]\n"
	  "    2 |  shared s: i32[0];\n"
	  "      |                ^" },
	{ DIAG_E0360, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4096, 8192];\n"
	  "}\n",
	  .line = 2, .col = 9, .want =
	  "t.qdk:2:9: error: a shared array has 1 to 16777216 elements, not 33554432 [E0360]\n"
	  "    2 |  shared s: i32[4096, 8192];\n"
	  "      |         ^" },
	{ DIAG_E0380, .limits = { .max_shared = 1024 }, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[256];\n"
	  "\tshared t: u8[3];\n"
	  "}\n",
	  .line = 3, .col = 9, .want =
	  "t.qdk:3:9: error: the kernel's shared arrays have 1027 bytes, the limit is 1024 "
	  "(limits.max_shared of the context) [E0380]\n"
	  "    3 |  shared t: u8[3];\n"
	  "      |         ^" },
	{ DIAG_E0363, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4];\n"
	  "\tif block.thread_idx() == 0 { s[4] = 1; }\n"
	  "}\n",
	  .line = 3, .col = 33, .want =
	  "t.qdk:3:33: error: index 4 is out of range: 's' has 4 elements [E0363]\n"
	  "    3 |  if block.thread_idx() == 0 { s[4] = 1; }\n"
	  "      |                                 ^" },
	{ DIAG_E0363, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4, 8];\n"
	  "\tif block.thread_idx() == 0 { a[0] = s[3, 8]; }\n"
	  "}\n",
	  .line = 3, .col = 43, .want =
	  "t.qdk:3:43: error: index 8 is out of range: 's' has 8 elements [E0363]\n"
	  "    3 |  if block.thread_idx() == 0 { a[0] = s[3, 8]; }\n"
	  "      |                                           ^" },
	{ DIAG_E0364, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4];\n"
	  "\ta[0] = s[0] else 1;\n"
	  "}\n",
	  .line = 3, .col = 19, .want =
	  "t.qdk:3:19: error: a shared array has no guard: there is no 'else' [E0364]\n"
	  "    3 |  a[0] = s[0] else 1;\n"
	  "      |                   ^" },
	{ DIAG_E0365, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4, 8];\n"
	  "\ts[1] = 1;\n"
	  "}\n",
	  .line = 3, .col = 2, .want =
	  "t.qdk:3:2: error: 's' has 2 indices, not 1 [E0365]\n"
	  "    3 |  s[1] = 1;\n"
	  "      |  ^~~~" },
	{ DIAG_E0366, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[];\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: a shared array needs sizes: shared s: f32[64]; [E0366]\n"
	  "    2 |  shared s: i32[];\n"
	  "      |            ^~~~~" },
	{ DIAG_E0366, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32;\n"
	  "}\n",
	  .line = 2, .col = 12, .want =
	  "t.qdk:2:12: error: a shared array needs sizes: shared s: f32[64]; [E0366]\n"
	  "    2 |  shared s: i32;\n"
	  "      |            ^~~" },
	{ DIAG_E0367, .qdk =
	  "fn f(t: shared i32[8]) { t[0] = 1; }\n"
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4];\n"
	  "\tf(s);\n"
	  "}\n",
	  .line = 4, .col = 4, .want =
	  "t.qdk:4:4: error: the sizes of 's' differ from the parameter's [E0367]\n"
	  "    4 |  f(s);\n"
	  "      |    ^\n"
	  "t.qdk:1:6: note: the parameter is here\n"
	  "    1 | fn f(t: shared i32[8]) { t[0] = 1; }\n"
	  "      |      ^" },
	{ DIAG_E0341, .qdk =
	  "fn f(t: shared i32[]) { t[0] = 1; }\n"
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tf(a);\n"
	  "}\n",
	  .line = 3, .col = 4, .want =
	  "t.qdk:3:4: error: argument 1 of 'f' is a buffer, not a shared array [E0341]\n"
	  "    3 |  f(a);\n"
	  "      |    ^" },
	{ DIAG_E0341, .qdk =
	  "fn f(t: i32[]) { t[0] = 1; }\n"
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4];\n"
	  "\tf(s);\n"
	  "}\n",
	  .line = 4, .col = 4, .want =
	  "t.qdk:4:4: error: argument 1 of 'f' is a shared array, not a buffer [E0341]\n"
	  "    4 |  f(s);\n"
	  "      |    ^" },
	{ DIAG_E0368, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tatomic.add(a[0], 1, order = seq_cst);\n"
	  "}\n",
	  .line = 2, .col = 30, .want =
	  "t.qdk:2:30: error: order must be one of relaxed, acquire, release, acq_rel [E0368]\n"
	  "    2 |  atomic.add(a[0], 1, order = seq_cst);\n"
	  "      |                              ^~~~~~~" },
	{ DIAG_E0368, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tatomic.store(a[0], 1, scope = workgroup);\n"
	  "}\n",
	  .line = 2, .col = 32, .want =
	  "t.qdk:2:32: error: scope must be one of device, subgroup, block, system [E0368]\n"
	  "    2 |  atomic.store(a[0], 1, scope = workgroup);\n"
	  "      |                                ^~~~~~~~~" },
	{ DIAG_E0369, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tatomic.add(a, 1);\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: 'atomic.add' works on an element: its first argument is a[i] [E0369]\n"
	  "    2 |  atomic.add(a, 1);\n"
	  "      |             ^" },
	{ DIAG_E0131, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tblock.mem_fence(scope = block);\n"
	  "}\n",
	  .line = 2, .col = 18, .want =
	  "t.qdk:2:18: error: 'block.mem_fence' takes no argument named 'scope' [E0131]\n"
	  "    2 |  block.mem_fence(scope = block);\n"
	  "      |                  ^~~~~" },
	{ DIAG_E0324, .qdk =
	  "kernel k(a: u8[]) block(64) {\n"
	  "\tatomic.add(a[0], 1);\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: type u8 is not allowed for atomic.add [E0324]\n"
	  "    2 |  atomic.add(a[0], 1);\n"
	  "      |             ^~~~\n"
	  "help: elements may be i32, u32, i64, u64, f32 or f64" },
	{ DIAG_E0324, .qdk =
	  "kernel k(a: f32[]) block(64) {\n"
	  "\tatomic.and(a[0], 1);\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: type f32 is not allowed for atomic.and [E0324]\n"
	  "    2 |  atomic.and(a[0], 1);\n"
	  "      |             ^~~~\n"
	  "help: elements may be i32, u32, i64 or u64" },
	{ DIAG_E0308, .qdk =
	  "kernel k(a: f32[], n: i32) block(64) {\n"
	  "\tatomic.add(a[0], n);\n"
	  "}\n",
	  .line = 2, .col = 19, .want =
	  "t.qdk:2:19: error: elements are f32, the value is i32 [E0308]\n"
	  "    2 |  atomic.add(a[0], n);\n"
	  "      |                   ^\n"
	  "help: convert it: f32(x)" },
	{ DIAG_E0312, .qdk =
	  "kernel k(a: in i32[]) block(64) {\n"
	  "\tatomic.add(a[0], 1);\n"
	  "}\n",
	  .line = 2, .col = 13, .want =
	  "t.qdk:2:13: error: 'a' is an in parameter and cannot be written [E0312]\n"
	  "    2 |  atomic.add(a[0], 1);\n"
	  "      |             ^~~~\n"
	  "help: declare it without 'in'" },
	{ DIAG_E0347, .qdk =
	  "kernel k(s: shared i32[4]) block(64) {\n"
	  "}\n",
	  .line = 1, .col = 10, .want =
	  "t.qdk:1:10: error: 'shared' is not allowed for a kernel's parameter [E0347]\n"
	  "    1 | kernel k(s: shared i32[4]) block(64) {\n"
	  "      |          ^" },
	{ DIAG_E0347, .qdk =
	  "fn f(s: shared i32) { }\n"
	  "kernel k(a: i32[]) { }\n",
	  .line = 1, .col = 6, .want =
	  "t.qdk:1:6: error: 'shared' is not allowed for a scalar [E0347]\n"
	  "    1 | fn f(s: shared i32) { }\n"
	  "      |      ^" },
	{ DIAG_E0326, .qdk =
	  "fn f(x: i32, y: i32) -> i32 { shared s: i32[4]; return x; }\n"
	  "kernel k(a: i32[]) block(32) {\n"
	  "\tfor i in grid(a.len) { a[i] = subgroup.reduce(a[i], op = f); }\n"
	  "}\n",
	  .line = 1, .col = 38, .want =
	  "t.qdk:1:38: error: an operator may use arithmetic only, not a shared array [E0326]\n"
	  "    1 | fn f(x: i32, y: i32) -> i32 { shared s: i32[4]; return x; }\n"
	  "      |                                      ^\n"
	  "help: compute both values and use select(c, a, b)" },
	{ DIAG_E0401, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tif block.thread_idx() < 5 { block.sync(); }\n"
	  "}\n",
	  .line = 2, .col = 30, .want =
	  "t.qdk:2:30: error: block.sync() in non-uniform control flow is undefined [E0401]\n"
	  "    2 |  if block.thread_idx() < 5 { block.sync(); }\n"
	  "      |                              ^~~~~~~~~~\n"
	  "t.qdk:2:2: note: this condition depends on block.thread_idx()\n"
	  "    2 |  if block.thread_idx() < 5 { block.sync(); }\n"
	  "      |  ^~\n"
	  "help: keep the condition in a 'let', end the 'if' before the call and begin another with it after the call" },
	{ DIAG_W0305, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tsubgroup.barrier();\n"
	  "}\n",
	  .want =
	  "t.qdk:2:2: warning: subgroup.barrier is a deprecated alias of subgroup.sync [W0305]\n"
	  "    2 |  subgroup.barrier();\n"
	  "      |  ^~~~~~~~~~~~~~~~" },
	{ DIAG_E0118, .qdk =
	  "kernel k(a: i32[]) block(64) {\n"
	  "\tshared s: i32[4];\n"
	  "\ta[0] = s.size;\n"
	  "}\n",
	  .line = 3, .col = 9, .want =
	  "t.qdk:3:9: error: a shared array has no member 'size' [E0118]\n"
	  "    3 |  a[0] = s.size;\n"
	  "      |         ^~~~~~\n"
	  "help: a shared array has .len" },
	{ DIAG_E0505, .qdk =
	  "kernel k(a: f32[]) block(64) {\n"
	  "\tshared s: f32[8192];\n"
	  "\tshared t: u8[3];\n"
	  "\tlet j = block.thread_idx();\n"
	  "\ts[j] = a[j];\n"
	  "\tt[j % 3] = 1;\n"
	  "}\n",
	  .target = "spirv",
	  .line = 3, .col = 9, .want =
	  "t.qdk:3:9: error: the shared arrays have 32771 bytes, but target spirv:w32 has 32768 for a block [E0505]\n"
	  "    3 |  shared t: u8[3];\n"
	  "      |         ^" },
	{ DIAG_E0501, .qdk =
	  "kernel k(a: u64[]) block(64) {\n"
	  "\tatomic.add(a[0], 1);\n"
	  "}\n",
	  .target = "spirv:-atomic64",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: target spirv:w32:-atomic64 has no 64-bit atomics, which atomic.add needs [E0501]\n"
	  "    2 |  atomic.add(a[0], 1);\n"
	  "      |  ^~~~~~~~~~" },
	{ DIAG_E0501, .qdk =
	  "kernel k(a: u64[]) block(64) {\n"
	  "\tshared s: u64[1];\n"
	  "\tatomic.exchange(s[0], 1);\n"
	  "}\n",
	  .target = "spirv:-i64",
	  .line = 3, .col = 2, .want =
	  "t.qdk:3:2: error: target spirv:w32:-i64 has no 64-bit atomics, which atomic.exchange needs [E0501]\n"
	  "    3 |  atomic.exchange(s[0], 1);\n"
	  "      |  ^~~~~~~~~~~~~~~" },
	{ DIAG_E0501, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tatomic.add(a[0], 1, scope = system);\n"
	  "}\n",
	  .target = "spirv",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: target spirv:w32 has no system scope, which atomic.add needs [E0501]\n"
	  "    2 |  atomic.add(a[0], 1, scope = system);\n"
	  "      |  ^~~~~~~~~~" },
	{ DIAG_E0501, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tgrid.mem_fence(scope = system);\n"
	  "\ta[0] = 1;\n"
	  "}\n",
	  .target = "spirv",
	  .line = 2, .col = 2, .want =
	  "t.qdk:2:2: error: target spirv:w32 has no system scope, which grid.mem_fence needs [E0501]\n"
	  "    2 |  grid.mem_fence(scope = system);\n"
	  "      |  ^~~~~~~~~~~~~~" },
	{ DIAG_E0501, .qdk =
	  "kernel k(a: u32[]) block(64) {\n"
	  "\tshared s: f64[1];\n"
	  "\ts[0] = 1.0;\n"
	  "}\n",
	  .target = "spirv:-f64",
	  .line = 3, .col = 2, .want =
	  "t.qdk:3:2: error: target spirv:w32:-f64 has no 64-bit floats, which const needs [E0501]\n"
	  "    3 |  s[0] = 1.0;\n"
	  "      |  ^" },
	{ DIAG_E0363, .qdk =
	  "kernel k<static N in 1..=9>(a: u32[]) block(64) {\n"
	  "\tshared s: u32[4];\n"
	  "\ts[N] = 1;\n"
	  "}\n",
	  .target = "spirv", .tmpl = { { "N", 4, 0 } }, .n_tmpl = 1,
	  .line = 3, .col = 2, .want =
	  "t.qdk:3:2: error: index 4 is out of range: 's' has 4 elements [E0363]\n"
	  "    3 |  s[N] = 1;\n"
	  "      |  ^" },
	{ DIAG_E0240, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[t], a[t], 3);\n"
	  "}\n",
	  .line = 4, .col = 28, .want =
	  "t.qdk:4:28: error: one copy moves 4, 8 or 16 bytes, not 3 elements of 4 bytes [E0240]\n"
	  "    4 |  nvvm.cp_async(s[t], a[t], 3);\n"
	  "      |                            ^" },
	{ DIAG_E0240, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[t], a[t], 0);\n"
	  "}\n",
	  .line = 4, .col = 28, .want =
	  "t.qdk:4:28: error: one copy moves 4, 8 or 16 bytes, not 0 elements of 4 bytes [E0240]\n"
	  "    4 |  nvvm.cp_async(s[t], a[t], 0);\n"
	  "      |                            ^" },
	{ DIAG_E0378, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(t, a[t], 1);\n"
	  "}\n",
	  .line = 4, .col = 16, .want =
	  "t.qdk:4:16: error: 'nvvm.cp_async' takes an element of a shared array here: it copies from a buffer to a shared array [E0378]\n"
	  "    4 |  nvvm.cp_async(t, a[t], 1);\n"
	  "      |                ^\n"
	  "help: write nvvm.cp_async(s[i], a[j], n), where s is a shared array and a a buffer" },
	{ DIAG_E0378, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[t], s[t], 1);\n"
	  "}\n",
	  .line = 4, .col = 22, .want =
	  "t.qdk:4:22: error: 'nvvm.cp_async' takes an element of a buffer here: it copies from a buffer to a shared array [E0378]\n"
	  "    4 |  nvvm.cp_async(s[t], s[t], 1);\n"
	  "      |                      ^~~~\n"
	  "help: write nvvm.cp_async(s[i], a[j], n), where s is a shared array and a a buffer" },
	{ DIAG_E0377, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[t], f[t], 1);\n"
	  "}\n",
	  .line = 4, .col = 22, .want =
	  "t.qdk:4:22: error: 's' has elements of u32, 'f' of f32: a copy does not convert them [E0377]\n"
	  "    4 |  nvvm.cp_async(s[t], f[t], 1);\n"
	  "      |                      ^~~~" },
	{ DIAG_E0324, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[t], h[t], 2);\n"
	  "}\n",
	  .line = 4, .col = 22, .want =
	  "t.qdk:4:22: error: type f16 is not allowed for nvvm.cp_async [E0324]\n"
	  "    4 |  nvvm.cp_async(s[t], h[t], 2);\n"
	  "      |                      ^~~~\n"
	  "help: elements may be i32, u32, i64, u64, f32 or f64" },
	{ DIAG_E0311, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[t], o[t], 1);\n"
	  "}\n",
	  .line = 4, .col = 22, .want =
	  "t.qdk:4:22: error: 'o' is an out parameter and cannot be read [E0311]\n"
	  "    4 |  nvvm.cp_async(s[t], o[t], 1);\n"
	  "      |                      ^~~~\n"
	  "help: declare it without 'out'" },
	{ DIAG_E0129, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[t], a[t]);\n"
	  "}\n",
	  .line = 4, .col = 2, .want =
	  "t.qdk:4:2: error: 'nvvm.cp_async' takes 3 arguments, not 2 [E0129]\n"
	  "    4 |  nvvm.cp_async(s[t], a[t]);\n"
	  "      |  ^~~~~~~~~~~~~~~~~~~~~~~~~" },
	{ DIAG_E0219, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async_wait_group(64);\n"
	  "}\n",
	  .line = 4, .col = 27, .want =
	  "t.qdk:4:27: error: the number of groups is 64; it must be 0 to 63 [E0219]\n"
	  "    4 |  nvvm.cp_async_wait_group(64);\n"
	  "      |                           ^~" },
	{ DIAG_E0241, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[2], a[0], 4);\n"
	  "}\n",
	  .target = "ptx:sm_80",
	  .line = 4, .col = 2, .want =
	  "t.qdk:4:2: error: element 2 of 's' is not a multiple of the 4 elements that one copy moves [E0241]\n"
	  "    4 |  nvvm.cp_async(s[2], a[0], 4);\n"
	  "      |  ^~~~~~~~~~~~~" },
	{ DIAG_E0241, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async(s[4], a[7], 2);\n"
	  "}\n",
	  .target = "spirv",
	  .line = 4, .col = 2, .want =
	  "t.qdk:4:2: error: element 7 of 'a' is not a multiple of the 2 elements that one copy moves [E0241]\n"
	  "    4 |  nvvm.cp_async(s[4], a[7], 2);\n"
	  "      |  ^~~~~~~~~~~~~" },
	{ DIAG_E0218, .qdk =
	  "kernel k(a: u32[], f: f32[], h: f16[], o: out u32[]) block(16) {\n"
	  "\tshared s: u32[16];\n"
	  "\tlet t = u32(block.thread_idx());\n"
	  "\tnvvm.cp_async_wait_group(t);\n"
	  "}\n",
	  .line = 4, .col = 27, .want =
	  "t.qdk:4:27: error: the number of groups must be a constant [E0218]\n"
	  "    4 |  nvvm.cp_async_wait_group(t);\n"
	  "      |                           ^\n"
	  "help: use a number, a 'const' or a template parameter" },
};
/* clang-format on */
const unsigned n_diag_cases_shared = QD_COUNT(diag_cases_shared);
