/* Preconditions of primitives. A kernel violates each row of the table in docs/semantics.md. The
 * test checks the report, which comes from the interpreter at the latest. The script
 * tests/scripts/preconditions.py compares the two tables. */
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

extern const struct unit units_precondition[];
extern const unsigned n_units_precondition;

enum { N = 16 };

/* A violation: kernel k(a: u32[], f: in f32[], n: u32) <attributes and body>. a[i] is i for 16
 * elements, every f[i] is 1.5, n is 16. */
struct precondition {
	const char *what; /* text of the row */
	const char *says; /* code of the error, or words of the finding or the error */
	const char *body;
	const char *target; /* target of the compile; a ref target is the device too; NULL: ref with
			     * 8 lanes */
	uint32_t n_blocks;  /* 0: QD_GRID */
	bool logged;	    /* a remark or warning: the launch succeeds */
	bool nowhere;	    /* reported by the launch, without a position in the text */
};

#define LOOP(attributes, body) attributes " { for i in grid(n) { " body " } }"
#define IN(body)	       LOOP("block(16)", body)
#define WAIVED(body)	       LOOP("block(16) assume_uniform(\"test\")", body)
#define UNDEFINED		       "let x = subgroup.shuffle_down(a[i], 1); let o = subgroup.shuffle(a[i], i + 5); "
#define FEW(body)	       "block(16) { for i in grid(10) { " UNDEFINED body " } }"
#define FEW_WAIVED(body)	       "block(16) assume_uniform(\"test\") { for i in grid(10) { " UNDEFINED body " } }"
#define SHARED(body)	       "block(16) { shared s: u32[16]; let t = block.thread_idx(); " body " }"
#define RANK(args)	       "block(16) { shared s: i32[16]; shared e: i32[16]; shared u: u32[16]; for i in grid(10) { " UNDEFINED "let r = block.radix_rank_match_atomic_or(" args "); a[i] = x + u32(r); } }"

#define ROW(what_, says_, ...) { .what = what_, .says = says_, .body = __VA_ARGS__ }

static const struct precondition rows[] = {
	/* Tiles, lanes and counts. */
	ROW("a log2_size is a constant when the kernel is compiled", "[E0216]", IN("a[i] = subgroup.reduce_add_tiled(a[i], a[0]);")),
	ROW("a log2_size is 0 to 7", "[E0211]", IN("a[i] = subgroup.inclusive_add_tiled(a[i], 8);")),
	ROW("a log2_size is 0 to 7", "[E0211]", IN("a[i] = subgroup.reduce_max_tiled(a[i], -1);")),
	ROW("a tile is no wider than the subgroup", "[E0210]", IN("a[i] = subgroup.segmented_reduce_add_tiled(a[i], i == 3, 4);")),
	ROW("a tile is no wider than the subgroup", "[E0210]", IN("let k, v = subgroup.bitonic_sort_kv_tiled(a[i], i, 5); a[i] = k + v;"), .target = "spirv:w16"),
	ROW("n of ballot_first_n is 1 to 32", "[E0212]", IN("a[i] = subgroup.ballot_first_n(i > 3, 0);")),
	ROW("n of ballot_first_n is 1 to 32", "[E0212]", IN("a[i] = subgroup.ballot_first_n(i > 3, 33);")),
	ROW("n of ballot_first_n is a constant when the kernel is compiled", "[E0218]", IN("a[i] = subgroup.ballot_first_n(i > 3, n);")),
	ROW("a subgroup has at most 64 lanes for ballot", "[E0228]", IN("a[i] = u32(subgroup.ballot(i > 3));"), .target = "ref:w128"),
	ROW("a constant lane is below the subgroup size", "[E0213]", IN("a[i] = subgroup.shuffle(a[i], 8);")),
	ROW("a constant lane is below the subgroup size", "[E0213]", IN("a[i] = subgroup.broadcast(a[i], 32);"), .target = "ptx:sm_70"),
	ROW("the lane of a broadcast is uniform in the subgroup", "[E0402]", IN("a[i] = subgroup.broadcast(a[i], i);")),
	ROW("the lane of a broadcast is uniform in the subgroup", "the broadcast index is not uniform: lane ", WAIVED("a[i] = subgroup.broadcast(a[i], i);")),
	ROW("a lane, mask or offset is i32 or u32", "[E0305]", IN("a[i] = subgroup.shuffle_up(a[i], 1l);")),
	ROW("a lane, mask or offset is i32 or u32", "[E0305]", IN("a[i] = subgroup.shuffle_xor(a[i], f[0]);")),
	ROW("a lane, mask or offset is i32 or u32", "[E0305]", IN("a[i] = subgroup.lanemask_lt(f[0]);")),
	ROW("a value has a type that the operation takes", "[E0302]", IN("a[i] = u32(subgroup.reduce_xor(f[i]));")),
	ROW("a value has a type that the operation takes", "[E0302]", IN("a[i] = u32(subgroup.shuffle(i > 3, 1));")),
	ROW("a predicate is a value", "[E0127]", IN("a[i] = u32(subgroup.all_true(a));")),
	/* Active threads. */
	ROW("all lanes of a subgroup execute a subgroup operation together", "[E0401]", IN("if a[i] > 3 { a[i] = subgroup.reduce_add(a[i]); }")),
	ROW("all lanes of a subgroup execute a subgroup operation together", "[E0401]", IN("if a[i] > 3 { continue; } a[i] = subgroup.inclusive_add(a[i]);")),
	ROW("all lanes of a subgroup execute a subgroup operation together", "[E0401]", IN("while a[i] < 9 { subgroup.sync(); a[i] += 1; }")),
	ROW("all lanes of a subgroup execute a subgroup operation together", "in divergent control flow: lane ", WAIVED("if a[i] > 3 { a[i] = subgroup.reduce_add(a[i]); }")),
	ROW("all lanes of a subgroup execute a subgroup operation together", "sync in divergent control flow: lane ", WAIVED("if a[i] > 3 { subgroup.sync(); }")),
	ROW("all threads of a block execute block.sync together", "[E0401]", IN("if subgroup.id == 0 { block.sync(); }")),
	ROW("all threads of a block execute block.sync together", "but this thread waits for it", WAIVED("if subgroup.id == 0 { block.sync(); }")),
	/* Values fetched from inactive lanes. */
	ROW("a stored value was not fetched from an inactive lane", "the value stored is undefined", FEW("a[i] = o;")),
	ROW("an index was not fetched from an inactive lane", "the index is undefined", FEW("let y = f[o]; if i > 99 { a[0] = u32(y); }")),
	ROW("a condition was not fetched from an inactive lane", "the condition is undefined", FEW("if o > 3 { a[i] = 1; }")),
	ROW("an operand of a reduction or scan was not fetched from an inactive lane", "the operand is undefined", FEW("a[i] = subgroup.reduce_add(o);")),
	ROW("an operand of a reduction or scan was not fetched from an inactive lane", "the operand is undefined", FEW("a[i] = subgroup.exclusive_max(o);")),
	ROW("a predicate was not fetched from an inactive lane", "the predicate is undefined", FEW("a[i] = u32(subgroup.any_true(o));")),
	ROW("a head was not fetched from an inactive lane", "the head is undefined", FEW("a[i] = subgroup.segmented_reduce_min(a[i], o);")),
	ROW("a key or value to sort was not fetched from an inactive lane", "the key is undefined", FEW("let k, v = subgroup.bitonic_sort_kv(o, a[i]); a[i] = k + v;")),
	ROW("a key or value to sort was not fetched from an inactive lane", "the value is undefined", FEW("let k, v = subgroup.bitonic_sort_kv(a[i], o); a[i] = k + v;")),
	ROW("a key or value to sort was not fetched from an inactive lane", "the key is undefined", FEW("let k, v = block.bitonic_sort_kv(o, a[i]); a[i] = k + v;")),
	ROW("a key or value to sort was not fetched from an inactive lane", "the value is undefined", FEW("let k, v = block.bitonic_sort_kv(a[i], o); a[i] = k + v;")),
	ROW("an identity was not fetched from an inactive lane", "the identity is undefined", FEW("a[i] = subgroup.exclusive_scan(a[i], op = ok, identity = o);") " fn ok(x: u32, y: u32) -> u32 { return y; }"),
	ROW("a lane index was not fetched from an inactive lane", "the lane index is undefined", FEW("a[i] = subgroup.shuffle(a[i], o);")),
	ROW("a stored value was not fetched from an inactive lane", "which was inactive", WAIVED("if i % 2 == 0 { a[i] = subgroup.shuffle_xor(a[i], 1); }")),
	/* Operators. */
	ROW("an operator is a function", "[E0138]", IN("a[i] = subgroup.reduce(a[i], op = 3);")),
	ROW("an operator contains arithmetic only", "[E0326]", IN("a[i] = subgroup.reduce(a[i], op = bad);") " fn bad(x: u32, y: u32) -> u32 { if x > y { return x; } return y; }"),
	ROW("an operator has 1 to 8 values", "[E0327]", IN("a[i] = subgroup.reduce(op = bad);") " fn bad(x: u32, y: u32) -> u32 { return x; }"),
	ROW("an operator takes twice as many values as it returns", "[E0350]", IN("a[i] = subgroup.reduce(a[i], op = bad);") " fn bad(x: u32) -> u32 { return x; }"),
	ROW("an exclusive scan has as many identities as values", "[E0229]", IN("a[i] = subgroup.exclusive_scan(a[i], op = ok);") " fn ok(x: u32, y: u32) -> u32 { return y; }"),
	/* Blocks and indices. */
	ROW("a block has 1 to 65535 threads", "[E0319]", "block(0) { a[0] = 1; }"),
	ROW("a block has no more threads than the device runs", "[E0503]", "block(2000) { a[0] = 1; }"),
	ROW("an axis is 0, 1 or 2", "[E0323]", IN("a[i] = block.thread_idx(3);")),
	ROW("a subgroup size is 4, 8, 16, 32, 64 or 128", "[E0320]", "subgroup(12) { a[0] = 1; }"),
	ROW("the device has a subgroup size that the kernel accepts", "[E0504]", "subgroup(64) { a[0] = 1; }", .target = "ptx:sm_70:b32"),
	ROW("subgroups larger than the hardware's are used in block-uniform control flow", "[E0404]", "block(128) subgroup(64) { if subgroup.id == 0 { a[0] = subgroup.reduce_add(a[1]); } }", .target = "ptx:sm_70"),
	ROW("a requirement holds", "[E0214]", "requires(subgroup.group_size() >= 16) { a[0] = 1; }"),
	ROW("a requirement is a constant when the kernel is compiled", "[E0215]", "requires(n > 3) { a[0] = 1; }"),
	ROW("the subgroup size is used only after the target is known", "[E0218]", IN("static if subgroup.group_size() > 8 { a[i] = 1; }")),
	ROW("a kernel has at most one grid loop, outside control flow", "[E0316]", "{ for i in grid(n) { a[i] = 1; } for j in grid(n) { a[j] = 2; } }"),
	ROW("a kernel has at most one grid loop, outside control flow", "[E0317]", "{ if n > 3 { for i in grid(n) { a[i] = 1; } } }"),
	ROW("the count of a grid loop uses only values that the host knows", "[E0318]", "{ for i in grid(a[0]) { a[i] = 1; } }"),
	ROW("the count of a grid loop does not wrap", "the grid loop's count wraps at", "{ for i in grid(a.len - 65u) { a[i] = 1; } }", .nowhere = true),
	ROW("a launch of a kernel without a grid loop specifies the number of blocks", "has no grid loop, which QD_GRID needs", "block(16) { a[0] = 1; }", .nowhere = true),
	ROW("the last index of a launch fits the index type of the grid loop", "which exceeds the grid loop's type", "block(1024) { for i in grid(i32(n)) { f2(a, u32(i)); } } fn f2(a: u32[], i: u32) { a[i] = 1; }", .n_blocks = 1 << 22, .nowhere = true),
	/* Memory. */
	ROW("a constant index of a shared array is in range", "[E0363]", SHARED("s[16] = t;"), .n_blocks = 1),
	ROW("an index of a shared array is in range", "is out of bounds: s has 16 elements, and a shared array has no guards", SHARED("s[t + 1] = t;"), .n_blocks = 1),
	ROW("an element of a shared array is written before it is read", "is uninitialized: no thread of the block has written it", SHARED("a[t] = s[t];"), .n_blocks = 1),
	ROW("threads that access one element synchronize in between", "data race: ", SHARED("s[t] = t; subgroup.sync(); block.sync(); a[t] = s[15 - t]; s[t] = 1;"), .n_blocks = 1),
	ROW("threads that access one element synchronize in between", "data race: ", IN("a[0] = i;")),
	ROW("a shared array has 1 to 16777216 elements", "[E0360]", "{ shared s: u32[0]; a[0] = 1; }"),
	ROW("a shared array has constant sizes", "[E0366]", "{ shared s: u32[]; a[0] = 1; }"),
	ROW("a shared array has constant sizes", "[E0218]", "{ shared s: u32[n]; a[0] = 1; }"),
	ROW("shared arrays fit the device's memory of a block", "[E0505]", "{ shared s: u32[65536]; s[0] = 1; a[0] = s[0]; }"),
	ROW("an element of a shared array has as many indices as sizes", "[E0365]", "{ shared s: u32[4, 4]; s[0] = 1; a[0] = 1; }"),
	ROW("a load of a shared array has no else", "[E0364]", SHARED("a[t] = s[t] else 3;"), .n_blocks = 1),
	ROW("a buffer without guards is accessed in range", "is out of bounds: a has 16 elements, and the kernel has no guards", LOOP("assume_in_bounds(\"test\")", "a[i + 1] = 1;")),
	ROW("an in buffer is not written", "[E0312]", IN("f[i] = 1;")),
	ROW("a written buffer overlaps no other buffer of the launch", "overlap, and", "(overlap)", .nowhere = true),
	ROW("a launch has one argument for each parameter", "has 3 parameters, not 2", "(few)", .nowhere = true),
	/* Atomics and fences. */
	ROW("an atomic works on an element", "[E0369]", IN("atomic.add(n, 1);")),
	ROW("an atomic supports its element type", "[E0324]", "{ shared s: u8[4]; atomic.add(s[0], 1); }"),
	ROW("an atomic supports its element type", "[E0324]", "{ shared s: f32[4]; atomic.or(s[0], 1); }"),
	ROW("the device supports 64-bit atomics", "[E0501]", "{ shared s: u64[4]; atomic.add(s[0], 1); }", .target = "spirv:w8:-atomic64"),
	ROW("the memory order is allowed for the operation", "[E0368]", IN("atomic.store(a[i], 1, order = acquire);")),
	ROW("the memory order is allowed for the operation", "[E0368]", IN("block.mem_fence(order = relaxed);")),
	ROW("the device supports system scope", "[E0501]", IN("atomic.add(a[0], 1, scope = system);"), .target = "spirv:w8"),
	ROW("a loop ends", "operations, the limit of a thread in a launch (QD_REF_STEPS)", "block(1) { var j = 0; while n > 3 { j += 1; } a[0] = u32(j); }", .n_blocks = 1),
	ROW("a loop that waits for another thread contains a fence or an atomic", "[W0302]", "{ while a[0] == 77 { } }", .n_blocks = 1, .logged = true),
	/* Numbers. */
	ROW("a constant divisor is not 0", "[E0217]", IN("a[i] = i / 0;")),
	ROW("devices agree on an approximate function", "remark: devices differ in pow(-1.5, 2): they agree for normal x above 0", IN("a[i] = u32(pow(-f[i], 2.0));"), .logged = true),
	ROW("devices agree on an approximate function", "remark: devices differ in log(0): they agree for normal numbers above 0", IN("a[i] = u32(log(f[i] - 1.5));"), .logged = true),
	ROW("devices agree on an approximate function", "remark: devices differ in sin(4.5): they agree from -pi to pi, of f64 from -2^20 to 2^20", IN("a[i] = u32(sin(f[i] * 3.0));"), .logged = true),
	ROW("devices agree on an approximate function", "remark: devices differ in cos(2097152): they agree from -pi to pi, of f64 from -2^20 to 2^20", IN("a[i] = u32(cos(f64(f[i] - f[i]) + 2097152.0));"), .logged = true),
	ROW("devices agree on an approximate function", "remark: devices differ in exp(nan): they agree for all numbers", IN("a[i] = u32(exp(f[i] * inf - f[i] * inf));"), .logged = true),
	ROW("a divisor is not 0", "remark: integer division by zero", IN("a[i] = i / (n - 16);"), .logged = true),
	ROW("operands have one type", "[E0301]", IN("a[i] = a[i] + 1l;")),
	ROW("a literal fits its type", "[E0340]", IN("a[i] = 4294967296;")),
	ROW("an index of a buffer is in range", "remark: store to a[16] is out of bounds: a has 16 elements; it does nothing", IN("a[i + 1] = 1;"), .logged = true),
	ROW("a launch has a thread for each index of the grid loop", "remark: the launch has 1 block of 8", LOOP("block(8)", "a[i] = 1;"), .n_blocks = 1, .logged = true),
	ROW("the out-of-range value of a guarded load is the identity of its reduction", "[W0301]", IN("let m = subgroup.reduce_min(a[i + 1]); if i > 99 { a[i] = m; }"), .logged = true),
	ROW("a name is not deprecated", "[W0305]", IN("a[i] = u32(subgroup.ballot_full_subgroup(i > 3));"), .logged = true),
	/* Block operations and warps. */
	ROW("a constant thread is below the block size", "[E0232]", IN("a[i] = block.broadcast(a[i], 16);")),
	ROW("the thread of a block broadcast is uniform in the block", "[E0402]", IN("a[i] = block.broadcast(a[i], i);")),
	ROW("the thread of a block broadcast is uniform in the block", "in another thread", WAIVED("a[i] = block.broadcast(a[i], i);")),
	ROW("a thread index was not fetched from an inactive lane", "the thread index is undefined", FEW("a[i] = block.shuffle(a[i], o);")),
	ROW("a block_dim argument equals the kernel's block", "[E0233]", IN("a[i] = block.reduce_add(a[i], 128);")),
	ROW("radix_bits is 0 to 12", "[E0234]", RANK("a[i], 13, 0, 4, s, e")),
	ROW("bit_start is 0 to 31", "[E0235]", RANK("a[i], 4, 32, 0, s, e")),
	ROW("num_bits is 0 to 12", "[E0236]", RANK("a[i], 4, 0, 13, s, e")),
	ROW("num_bits is at most radix_bits", "[E0237]", RANK("a[i], 4, 0, 5, s, e")),
	ROW("bit_start + num_bits is at most 32", "[E0238]", RANK("a[i], 4, 29, 4, s, e")),
	ROW("bins and excl_prefix have 2^radix_bits elements", "[E0239]", RANK("a[i], 3, 0, 3, s, e")),
	ROW("bins and excl_prefix are two shared arrays of i32", "[E0373]", RANK("a[i], 4, 0, 4, u, e")),
	ROW("bins and excl_prefix are two shared arrays of i32", "[E0373]", RANK("a[i], 4, 0, 4, s, a")),
	ROW("bins and excl_prefix are two shared arrays of i32", "[E0374]", RANK("a[i], 4, 0, 4, e, e")),
	ROW("a thread has 1 to 8 keys", "[E0375]", RANK("(o, o, o, o, o, o, o, o, o), 4, 0, 4, s, e")),
	ROW("a radix key is u32", "[E0376]", RANK("i32(i), 4, 0, 4, s, e")),
	ROW("a key was not fetched from an inactive lane", "the key is undefined", RANK("o, 4, 0, 4, s, e")),
	ROW("a constant n_active is 0 to the threads of the block", "[E0242]", IN("a[i] = block.reduce_add(a[i], n_active = 17);")),
	ROW("n_active is uniform in the block", "[E0405]", IN("a[i] = block.reduce_add(a[i], n_active = i);")),
	ROW("n_active is uniform in the block", "n_active is not uniform: it is", WAIVED("a[i] = block.reduce_add(a[i], n_active = i);")),
	ROW("a custom operator with n_active has at least one active value", "[E0243]", "block(16) { for i in grid(a.len) { a[i] = block.reduce(a[i], op = plus, n_active = 0); } } fn plus(x: u32, y: u32) -> u32 { return x + y; }"),
	ROW("a custom operator with n_active has at least one active value", "the operator has no values to combine", "block(16) { for i in grid(a.len) { a[i] = block.reduce(a[i], op = plus, n_active = a.len - 16); } } fn plus(x: u32, y: u32) -> u32 { return x + y; }"),
	ROW("n_active was not fetched from an inactive lane", "n_active is undefined", FEW_WAIVED("a[i] = block.reduce_add(a[i], n_active = o);")),
	ROW("n_active is passed to an operation that takes it", "[E0131]", IN("a[i] = block.broadcast(a[i], 0, n_active = 4);")),
	ROW("a named argument is given once", "[E0143]", IN("a[i] = block.reduce_add(a[i], n_active = 4, n_active = 5);")),
	ROW("a warp operation has a subgroup of 32 lanes", "[E0506]", IN("nvvm.syncwarp(0xffffffff);")),
	ROW("the width of a warp shuffle is a power of two up to 32", "[E0230]", IN("a[i] = nvvm.shfl_up(0xffff, a[i], 1, 3);"), .target = "ref:w32"),
	ROW("nvvm.p2r takes 1 to 32 predicates", "[E0231]", IN("a[i] = nvvm.p2r();"), .target = "ref:w32"),
	ROW("a mask contains the calling lane", "[E0403]", "block(32) { nvvm.syncwarp(0xf); a[0] = 1; }", .target = "ref:w32"),
	ROW("a mask contains the calling lane", "does not include lane", IN("nvvm.syncwarp(a[0]);"), .target = "ref:w32"),
	ROW("all lanes in a mask pass the same mask", "includes lane", IN("nvvm.syncwarp(0xffff | i << 16);"), .target = "ref:w32"),
	ROW("a mask was not fetched from an inactive lane", "the mask is undefined", FEW("nvvm.syncwarp(o | 0xffff);"), .target = "ref:w32"),
	ROW("the source lane of a warp shuffle is an active member", "inactive or not a member", IN("a[i] = nvvm.shfl_idx(0xffu << (i & 8), a[i], 12, 32);"), .target = "ref:w32"),
	ROW("a value has a type that the operation takes", "[E0302]", IN("a[i] = u32(nvvm.redux_add(0xffff, f[i]));"), .target = "ref:w32"),
	ROW("the width of a warp shuffle is a constant when the kernel is parsed", "[E0218]", IN("a[i] = nvvm.shfl_up(0xffff, a[i], 1, n);"), .target = "ref:w32"),
	ROW("all threads of a block execute a block operation together", "[E0401]", IN("if a[i] > 3 { a[i] = block.reduce_add(a[i]); }")),
	ROW("all threads of a block execute a block operation together", "[E0401]", IN("if subgroup.id == 0 { a[i] = u32(block.sync_count_nonzero(a[i])); }")),
	ROW("all threads of a block execute a block operation together", "but this thread waits for it", WAIVED("if subgroup.id == 0 { a[i] = block.inclusive_max(a[i]); }")),
	ROW("an identity has the type of its value", "[E0301]", IN("a[i] = block.exclusive_scan(a[i], op = ok, identity = f[0]);") " fn ok(x: u32, y: u32) -> u32 { return y; }"),
	/* Asynchronous copies. */
	ROW("a copy goes from a buffer to a shared array", "[E0378]", SHARED("nvvm.cp_async(a[t], s[t], 1);"), .n_blocks = 1),
	ROW("a copy goes from a buffer to a shared array", "[E0378]", SHARED("nvvm.cp_async(s[t], t, 1);"), .n_blocks = 1),
	ROW("both sides of a copy have elements of one type", "[E0377]", SHARED("nvvm.cp_async(s[t], f[t], 1);"), .n_blocks = 1),
	ROW("a copy moves 4, 8 or 16 bytes", "[E0240]", SHARED("nvvm.cp_async(s[t], a[t], 3);"), .n_blocks = 1),
	ROW("the size of a copy is a constant when the kernel is parsed", "[E0218]", SHARED("nvvm.cp_async(s[t], a[t], n);"), .n_blocks = 1),
	ROW("a copy begins at multiples of its elements", "[E0241]", SHARED("nvvm.cp_async(s[2], a[0], 4);"), .n_blocks = 1),
	ROW("a copy begins at multiples of its elements", "[E0241]", SHARED("nvvm.cp_async(s[4], a[7], 2);"), .n_blocks = 1),
	ROW("a copy begins at multiples of its elements", "cannot begin a copy of 2 elements: its index is not a multiple", SHARED("nvvm.cp_async(s[t & 14], a[t], 2);"), .n_blocks = 1),
	ROW("the address of a copied buffer is a multiple of the copy's size", "which is not a multiple of the 8 bytes of one nvvm.cp_async", "(slice)", .nowhere = true),
	ROW("a copy ends in the shared array", "[E0363]", SHARED("nvvm.cp_async(s[16], a[t], 1);"), .n_blocks = 1),
	ROW("a copy ends in the shared array", "copy of 4 to s[16] is out of bounds: s has 16 elements, and a shared array has no guards", SHARED("nvvm.cp_async(s[t * 4], a[0], 4);"), .n_blocks = 1),
	ROW("a copy ends in the buffer", "remark: copy of a[16] is out of bounds: a has 16 elements; it writes 0", SHARED("nvvm.cp_async(s[t], a[t + 1], 1);"), .n_blocks = 1, .logged = true),
	ROW("a copy ends in the buffer", "copy of a[16] is out of bounds: a has 16 elements, and the kernel has no guards", "block(16) assume_in_bounds(\"test\") { shared s: u32[16]; let t = block.thread_idx(); nvvm.cp_async(s[t], a[t + 1], 1); }", .n_blocks = 1),
	ROW("the destination of a copy is accessed after the wait", "is not available yet: thread ", SHARED("nvvm.cp_async(s[t], a[t], 1); a[t] = s[t];"), .n_blocks = 1),
	ROW("the destination of a copy is accessed after the wait", "is not available yet: thread ", SHARED("nvvm.cp_async(s[t], a[t], 1); s[t] = 1;"), .n_blocks = 1),
	ROW("the destination of a copy is accessed after the wait", "is not available yet: thread ", SHARED("nvvm.cp_async(s[t], a[t], 1); nvvm.cp_async(s[t], a[t], 1);"), .n_blocks = 1),
	ROW("the destination of a copy is accessed after the wait", "and block.sync() first", SHARED("nvvm.cp_async(s[t], a[t], 1); block.sync(); a[t] = s[15 - t];"), .n_blocks = 1),
	ROW("the destination of a copy is accessed after the wait", "is not available yet: thread ", SHARED("nvvm.cp_async(s[t], a[t], 1); nvvm.cp_async_commit_group(); nvvm.cp_async_wait_group(1); a[t] = s[t];"), .n_blocks = 1),
	ROW("a thread that reads another thread's copy synchronizes after that thread's wait", "data race: ", SHARED("nvvm.cp_async(s[t], a[t], 1); block.sync(); nvvm.cp_async_wait_all(); a[t] = s[15 - t];"), .target = "ref:w32", .n_blocks = 1),
	ROW("the source of a pending copy is not written", "was changed before the copy from it completed", SHARED("nvvm.cp_async(s[t], a[t], 1); a[t] = 77; nvvm.cp_async_wait_all();"), .n_blocks = 1),
	ROW("a wait allows 0 to 63 pending groups", "[E0219]", "{ nvvm.cp_async_wait_group(64); a[0] = 1; }", .n_blocks = 1),
	ROW("an assert holds", "assert fails in lane 1: why", IN("assert(i != 1, \"why\");")),
};

/* -- Execution --------------------------------------------------------------------------- */

struct run {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_error err;
	char log[8192];
};

static void
collect(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct run *r = user;
	size_t used = strlen(r->log);

	(void)component, (void)len;
	if (level <= QD_LOG_WARNING)
		snprintf(r->log + used, sizeof r->log - used, "%s\n", msg);
}

static qd_status
launch(struct run *r, const struct qd_kernel *k, const struct precondition *row)
{
	bool overlap = strcmp(row->body, "(overlap)") == 0, few = strcmp(row->body, "(few)") == 0;
	bool sliced = strcmp(row->body, "(slice)") == 0;
	uint32_t a[N];
	float f[N];
	struct qd_function *fn = NULL;
	struct qd_buffer *bufs[2] = { NULL }, *slice = NULL;

	for (uint32_t i = 0; i < N; i++) {
		a[i] = i;
		f[i] = 1.5f;
	}
	qd_status st = qd_function_get(r->dev, k, NULL, 0, &fn, &r->err);
	st = st ? st : qd_buffer_create(r->dev, sizeof a, 0, &bufs[0], &r->err);
	st = st ? st : qd_buffer_create(r->dev, sizeof f, 0, &bufs[1], &r->err);
	st = st ? st : qd_buffer_upload(r->stream, bufs[0], 0, a, sizeof a, &r->err);
	st = st ? st : qd_buffer_upload(r->stream, bufs[1], 0, f, sizeof f, &r->err);
	if (!st && sliced)
		st = qd_buffer_slice(bufs[0], 4, sizeof a - 4, &slice, &r->err);
	struct qd_arg args[] = { qd_arg_buffer(sliced ? slice : bufs[0]), qd_arg_buffer(bufs[overlap ? 0 : 1]), qd_arg_u32(N) };
	st = st ? st
		: qd_launch(r->stream, fn, row->n_blocks ? row->n_blocks : QD_GRID, args, few ? 2 : 3, &r->err);
	st = st ? st : qd_stream_sync(r->stream, &r->err);
	qd_buffer_free(slice);
	qd_buffer_free(bufs[0]);
	qd_buffer_free(bufs[1]);
	qd_function_free(fn);
	return st;
}

static qd_status
run_row(struct run *r, const struct precondition *row)
{
	char text[1024];
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *image = NULL;

	snprintf(text, sizeof text, "kernel k(a: u32[], f: in f32[], n: u32) %s",
		 strcmp(row->body, "(slice)") == 0 ? SHARED("nvvm.cp_async(s[t & 14], a[0], 2);")
		 : row->body[0] == '('		  ? IN("a[i] = 1;")
						  : row->body);
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->err);
	st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &r->err);
	st = st ? st : qd_compile(r->ctx, k, row->target ? row->target : "ref:w8", NULL, 0, &image, &r->err);
	st = st ? st : launch(r, k, row);
	qd_image_free(image);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

static void
each_is_reported(struct unit_ctx *t)
{
	const char *was = getenv("QD_REF_STEPS");
	char *steps = was ? strdup(was) : NULL;

	setenv("QD_REF_STEPS", "100000", 1);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct precondition *row = &rows[i];
		bool other = row->target && strncmp(row->target, "ref:w", 5) == 0;
		struct run r = { .ctx = NULL };
		char device[16];

		snprintf(device, sizeof device, "ref:%s", other ? row->target + 5 : "8");
		struct qd_context_desc desc = { .version = QD_VERSION, .log = collect, .log_user = &r };

		qd_status st = qd_context_create(&desc, &r.ctx, &r.err);
		st = st ? st : qd_device_open(r.ctx, device, &r.dev, &r.err);
		st = st ? st : qd_stream_create(r.dev, &r.stream, &r.err);
		st = st ? st : run_row(&r, row);
		const char *said = row->logged ? r.log : r.err.text;
		UNIT_CHECK(t, (st != QD_OK) != row->logged, "%s: status %d: %s", row->what, (int)st, r.err.text);
		UNIT_CHECK(t, strstr(said, row->says), "%s: '%s' is not in: %s", row->what, row->says, said);
		UNIT_CHECK(t, row->nowhere || strncmp(said, "t.qdk:1:", 8) == 0,
			   "%s: no position: %s", row->what, said);
		qd_stream_free(r.stream);
		qd_device_close(r.dev);
		qd_context_free(r.ctx);
	}
	if (steps)
		setenv("QD_REF_STEPS", steps, 1);
	else
		unsetenv("QD_REF_STEPS");
	free(steps);
}

const struct unit units_precondition[] = { { "precondition.each_is_reported", each_is_reported } };
const unsigned n_units_precondition = QD_COUNT(units_precondition);
