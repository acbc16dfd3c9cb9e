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
table_of_bytes(struct qd_builder *b)
{
	qd_table(b, "t", QD_TYPE_U8, "x", 1);
}
static void
large_table(struct qd_builder *b)
{
	qd_table(b, "t", QD_TYPE_U64, "x", 8193);
}
static void
empty_table(struct qd_builder *b)
{
	qd_table(b, "t", QD_TYPE_U64, "x", 0);
}
static void
no_table(struct qd_builder *b)
{
	qd_table(b, "t", QD_TYPE_U32, NULL, 1);
}
static void
write_table(struct qd_builder *b)
{
	const uint32_t one = 1;
	struct qd_array t = qd_table(b, "t", QD_TYPE_U32, &one, 1);

	qd_store(b, t, qd_u32(b, 0), qd_u32(b, 1));
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
load_of_much(struct qd_builder *b)
{
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_F64, QD_ACCESS_IN);
	struct qd_val i = qd_u32(b, 0), v[4];

	qd_load_wide(b, a, i, 4, v);
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
const struct diag_case diag_cases_shared[] = {	BUILD(E0360, no_elements, "call 1, qd_shared: a shared array has 1 to 16777216 elements, not 0 [E0360]"),
	BUILD(E0361, late_parameter, "call 2, qd_param_buffer: parameter 'a' follows a shared array: declare parameters first [E0361]"),
	BUILD(E0362, same_name, "call 2, qd_shared: 'a' is the name of another parameter, shared array or table of this kernel [E0362]"),
	BUILD(E0370, many_arrays, "call 257, qd_shared: more than 256 shared arrays and tables [E0370]"),
	BUILD(E0324, table_of_bytes, "call 1, qd_table: type u8 is not allowed for the elements of a table [E0324]"),
	BUILD(E0390, large_table, "call 1, qd_table: a kernel's tables have 1 to 65536 bytes, not 65544 [E0390]"),
	BUILD(E0390, empty_table, "call 1, qd_table: a kernel's tables have 1 to 65536 bytes, not 0 [E0390]"),
	BUILD(E0391, no_table, "call 1, qd_table: the values of table 't' are NULL [E0391]"),
	BUILD(E0392, write_table, "call 4, qd_store: 't' is a constant table and cannot be written [E0392]"),
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
	BUILD(E0249, load_of_much, "call 3, qd_load_wide: a wide access has 2, 4, 8 or 16 elements and at most 16 bytes, not 4 elements of 8 bytes [E0249]"),
	BUILD(E0240, copy_of_much, "call 4, qd_nvvm_cp_async: one copy moves 4, 8 or 16 bytes, not 1073741825 elements of 4 bytes [E0240]"),
	BUILD(E0378, copy_to_buffer, "call 4, qd_nvvm_cp_async: 'nvvm.cp_async' takes an element of a shared array here: it copies from a buffer to a shared array [E0378]"),
	BUILD(E0219, many_groups, "call 1, qd_nvvm_cp_async_wait_group: the number of groups is 64; it must be 0 to 63 [E0219]"),
	{ .d = DIAG_E0363, .build = beyond, .target = "spirv", .want = "call 4, qd_store: index 9 is out of range: 's' has 4 elements [E0363]" },
	IR(E0357, "  %1 = const u32 0x0\n  %2 = load u32 \"s\" %1 _ _ !1\n", "kernel 'k', %2: load of a shared array has no guard [E0357]"),
	IR(E0358, "  %1 = const u32 0x0\n  %2 = atomic.load u32 \"s\" %1 _ _ !768\n", "kernel 'k', %2: atomic.load has no order 'release' [E0358]"),
	IR(E0359, "  block.mem_fence !1088\n", "kernel 'k', %1: block.mem_fence has no scope 'subgroup' [E0359]"),
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
	  "kernel k<static N in 1..=9>(a: u32[]) block(64) {\n"
	  "\tshared s: u32[4];\n"
	  "\ts[N] = 1;\n"
	  "}\n",
	  .target = "spirv", .tmpl = { { "N", 4, 0 } }, .n_tmpl = 1,
	  .line = 3, .col = 2, .want =
	  "t.qdk:3:2: error: index 4 is out of range: 's' has 4 elements [E0363]\n"
	  "    3 |  s[N] = 1;\n"
	  "      |  ^" },
};
/* clang-format on */
const unsigned n_diag_cases_shared = QD_COUNT(diag_cases_shared);
