/* Diagnostics of builder calls. */
#include <stdio.h>

#include "diag_case.h"

static void
template_empty(struct qd_builder *b)
{
	qd_template(b, "L", 3, 2);
}
static void
log2_size(struct qd_builder *b)
{
	qd_subgroup_reduce_add_tiled(b, qd_i32(b, 1), 9);
}
static void
ballot_n(struct qd_builder *b)
{
	qd_subgroup_ballot_first_n(b, qd_bool(b, true), 33);
}
static void
two_types(struct qd_builder *b)
{
	qd_add(b, qd_i32(b, 1), qd_u32(b, 1));
}
static void
bad_operand(struct qd_builder *b)
{
	qd_popcount(b, qd_f32(b, 1));
}
static void
shape_in_use(struct qd_builder *b)
{
	qd_block_thread_idx_axis(b, 1);
	qd_block(b, 8, 8, 1);
}
static void
no_access(struct qd_builder *b)
{
	qd_param_buffer(b, "a", QD_TYPE_F32, 0);
}
static void
no_operator(struct qd_builder *b)
{
	struct qd_val v = qd_i32(b, 1);

	qd_subgroup_reduce(b, &v, &v, 1, QD_FULL, NULL, NULL);
}
static void
leaves_too_far(struct qd_builder *b)
{
	qd_scope(b);
	qd_loop(b);
	qd_leave(b, 3);
}
static void
long_name(struct qd_builder *b)
{
	char name[300];

	memset(name, 'a', sizeof name);
	name[sizeof name - 1] = 0;
	qd_template(b, name, 0, 1);
}
static void
bad_bitcast(struct qd_builder *b)
{
	qd_bitcast(b, QD_TYPE_I64, qd_f32(b, 1));
}
static void
bad_lane(struct qd_builder *b)
{
	qd_subgroup_shuffle(b, qd_i32(b, 1), qd_i64(b, 1));
}
static void
bad_set(struct qd_builder *b)
{
	qd_set(b, qd_var(b, qd_f32(b, 0)), qd_f64(b, 0));
}
static void
bad_index(struct qd_builder *b)
{
	qd_load(b, qd_param_buffer(b, "a", QD_TYPE_F32, QD_ACCESS_IN), qd_f32(b, 0));
}
static void
bad_element(struct qd_builder *b)
{
	qd_store(b, qd_param_buffer(b, "a", QD_TYPE_F32, QD_ACCESS_OUT), qd_i32(b, 0),
		 qd_i32(b, 0));
}
static void
out_of_scope(struct qd_builder *b)
{
	struct qd_val v;

	qd_if(b, qd_bool(b, true));
	v = qd_add(b, qd_subgroup_invocation_id(b), qd_u32(b, 1));
	qd_end(b);
	qd_neg(b, v);
}
static void
no_value(struct qd_builder *b)
{
	qd_neg(b, (struct qd_val){ 99 });
}
static void
not_a_variable(struct qd_builder *b)
{
	qd_get(b, (struct qd_var){ qd_i32(b, 1).id });
}
static void
read_out(struct qd_builder *b)
{
	qd_load(b, qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT), qd_i32(b, 0));
}
static void
write_in(struct qd_builder *b)
{
	qd_store(b, qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN), qd_i32(b, 0),
		 qd_f32(b, 0));
}
static void
stray_else(struct qd_builder *b)
{
	qd_loop(b);
	qd_else(b);
}
static void
still_open(struct qd_builder *b)
{
	qd_if(b, qd_bool(b, true));
}
static void
too_deep(struct qd_builder *b)
{
	for (int i = 0; i <= MAX_NEST; i++)
		qd_loop(b);
}
static void
two_grids(struct qd_builder *b)
{
	qd_grid(b, qd_i32(b, 1));
	qd_grid(b, qd_i32(b, 1));
}
static void
grid_inside(struct qd_builder *b)
{
	qd_if(b, qd_bool(b, true));
	qd_grid(b, qd_i32(b, 1));
}
static void
grid_of_lane(struct qd_builder *b)
{
	qd_grid(b, qd_subgroup_invocation_id(b));
}
static void
grid_of_many(struct qd_builder *b)
{
	struct qd_val n = qd_param_scalar(b, "n", QD_TYPE_I32), sum = n;

	for (int i = 0; i < 67; i++)
		sum = qd_add(b, sum, n);
	qd_grid(b, sum);
}
static void
no_block(struct qd_builder *b)
{
	qd_block(b, 64, 0, 1);
}
static void
odd_size(struct qd_builder *b)
{
	qd_subgroup_sizes(b, (const uint32_t[]){ 32, 24 }, 2);
}
static void
too_many_params(struct qd_builder *b)
{
	char name[16];

	for (int i = 0; i <= MAX_PARAM; i++) {
		snprintf(name, sizeof name, "p%d", i);
		qd_param_scalar(b, name, QD_TYPE_I32);
	}
}
static void
twice_a_param(struct qd_builder *b)
{
	qd_param_scalar(b, "n", QD_TYPE_I32);
	qd_param_scalar(b, "n", QD_TYPE_U32);
}
static void
no_axis(struct qd_builder *b)
{
	qd_block_thread_idx_axis(b, 3);
}
static void
storage_scalar(struct qd_builder *b)
{
	qd_param_scalar(b, "n", QD_TYPE_F16);
}
/* Invalid types. 32 plus the number of a type is invalid too. */
static void
no_type(struct qd_builder *b)
{
	qd_param_scalar(b, "n", 32 + QD_TYPE_F32);
}
static void
cast_to_nothing(struct qd_builder *b)
{
	qd_cast(b, 32 + QD_TYPE_U32, qd_i32(b, 1));
}
static void
bits_of_nothing(struct qd_builder *b)
{
	qd_bitcast(b, UINT32_MAX, qd_i32(b, 1));
}
static void
constant_of_nothing(struct qd_builder *b)
{
	qd_const_bits(b, QD_TYPE_BF16 + 1, 1);
}
static void
no_sentence(struct qd_builder *b)
{
	qd_assert(b, qd_bool(b, true), "");
}
static void
no_text(struct qd_builder *b)
{
	qd_print(b, NULL, NULL, 0);
}
static void
many_values(struct qd_builder *b)
{
	struct qd_val v[17];

	v[0] = qd_i32(b, 1);
	for (int i = 1; i < 17; i++)
		v[i] = v[0];
	qd_print(b, "seventeen", v, 17);
}
static void
report(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
     struct qd_val *out, uint32_t k)
{
	(void)user, (void)y, (void)k;
	qd_print(b, "x", x, 1);
	out[0] = x[0];
}
static void
telling_operator(struct qd_builder *b)
{
	struct qd_val x = qd_i32(b, 1), r;

	qd_subgroup_reduce(b, &x, &r, 1, QD_FULL, report, NULL);
}
static void
no_reason(struct qd_builder *b)
{
	qd_assume_uniform(b, "");
}
static void
impure(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
       struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)y;
	(void)k;
	out[0] = qd_subgroup_reduce_add(b, x[0]);
}
static void
impure_operator(struct qd_builder *b)
{
	struct qd_val v = qd_i32(b, 1), out;

	qd_subgroup_reduce(b, &v, &out, 1, QD_FULL, impure, NULL);
}
static void
too_wide_operator(struct qd_builder *b)
{
	struct qd_val v[9], out[9];

	for (int i = 0; i < 9; i++)
		v[i] = qd_i32(b, i);
	qd_subgroup_reduce(b, v, out, 9, QD_FULL, impure, NULL);
}
static void
to_float(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	 struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)y;
	(void)k;
	out[0] = qd_cast(b, QD_TYPE_F32, x[0]);
}
static void
other_type_operator(struct qd_builder *b)
{
	struct qd_val v = qd_i32(b, 1), out;

	qd_subgroup_reduce(b, &v, &out, 1, QD_FULL, to_float, NULL);
}
static void
gives_nothing(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	      struct qd_val *out, uint32_t k)
{
	(void)b, (void)user, (void)x, (void)y, (void)out, (void)k;
}
static void
no_result_operator(struct qd_builder *b)
{
	struct qd_val v = qd_i32(b, 1), out;

	qd_subgroup_inclusive_scan(b, &v, &out, 1, QD_FULL, gives_nothing, NULL);
}
static void
too_many_templates(struct qd_builder *b)
{
	char name[16];

	for (int i = 0; i <= MAX_TMPL; i++) {
		snprintf(name, sizeof name, "t%d", i);
		qd_template(b, name, 0, 1);
	}
}
static void
no_name(struct qd_builder *b)
{
	qd_param_scalar(b, "", QD_TYPE_I32);
}
static void
after_break(struct qd_builder *b)
{
	qd_loop(b);
	qd_break(b);
	qd_i32(b, 1);
	qd_end(b);
}
static void
too_long(struct qd_builder *b)
{
	for (int32_t i = 0; i < 1 << 22; i++)
		qd_i32(b, i);
}
static void
divergent(struct qd_builder *b)
{
	qd_if(b, qd_eq(b, qd_subgroup_invocation_id(b), qd_u32(b, 0)));
	qd_subgroup_reduce_add(b, qd_i32(b, 1));
	qd_end(b);
}
static void
pack_33(struct qd_builder *b)
{
	struct qd_val p[33] = { qd_bool(b, true) };

	qd_nvvm_p2r(b, p, 33);
}
static void
width_12(struct qd_builder *b)
{
	struct qd_val mask = qd_u32(b, UINT32_MAX);

	qd_nvvm_shfl_up(b, mask, qd_subgroup_invocation_id(b), mask, 12);
}
static void
varying_broadcast(struct qd_builder *b)
{
	qd_subgroup_broadcast(b, qd_i32(b, 1), qd_subgroup_invocation_id(b));
}

static void
active_lost(struct qd_builder *b)
{
	qd_block_n_active(b, qd_u32(b, 4));
	qd_block_broadcast(b, qd_i32(b, 1), qd_u32(b, 0));
}

static void
n_active_of_sync(struct qd_builder *b)
{
	qd_block_n_active(b, qd_u32(b, 4));
	qd_block_sync(b);
}

static void
active_left(struct qd_builder *b)
{
	qd_block_n_active(b, qd_u32(b, 4));
}

static void
active_twice(struct qd_builder *b)
{
	qd_block_n_active(b, qd_u32(b, 4));
	qd_block_n_active(b, qd_u32(b, 5));
}

static void
active_float(struct qd_builder *b)
{
	qd_block_n_active(b, qd_f32(b, 4));
}

#define CALL(code, fn, text) { .d = DIAG_##code, .build = fn, .want = text }

/* clang-format off */
const struct diag_case diag_cases_build[] = {
	CALL(E0205, template_empty, "call 1, qd_template: template range 3..=2 is empty [E0205]\n"
	     "help: pass the smaller one first"),
	CALL(E0211, log2_size, "call 2, qd_subgroup_reduce_add_tiled: log2_size 9 is outside 0..=7 [E0211]\n"
	     "help: it is a logarithm: 5 for tiles of 32 lanes"),
	CALL(E0212, ballot_n, "call 2, qd_subgroup_ballot_first_n: n = 33 is outside 1..=32 [E0212]"),
	CALL(E0301, two_types, "call 3, qd_add: operands have types i32 and u32; convert one [E0301]\n"
	     "help: convert one: qd_cast(b, type, x)"),
	CALL(E0302, bad_operand, "call 2, qd_popcount: a f32 operand is not allowed here; it takes i32, u32, i64 or u64 [E0302]\n"
	     "help: convert it: qd_cast(b, type, x)"),
	CALL(E0304, bad_bitcast, "call 2, qd_bitcast: cannot take the bits of f32 as i64: the widths differ [E0304]\n"
	     "help: convert its value: qd_cast(b, type, x)"),
	CALL(E0305, bad_lane, "call 3, qd_subgroup_shuffle: the lane operand must be i32 or u32, not i64 [E0305]\n"
	     "help: convert it: qd_cast(b, QD_TYPE_U32, x)"),
	CALL(E0306, bad_set, "call 4, qd_set: variable is f32, the value is f64 [E0306]\n"
	     "help: convert it: qd_cast(b, type, x)"),
	CALL(E0307, bad_index, "call 3, qd_load: an index must be an integer, not f32 [E0307]\n"
	     "help: convert it: qd_cast(b, QD_TYPE_U32, x)"),
	CALL(E0308, bad_element, "call 4, qd_store: elements are f32, the value is i32 [E0308]\n"
	     "help: convert it: qd_cast(b, type, x)"),
	CALL(E0309, out_of_scope, "call 7, qd_neg: a value of a closed block, or of another builder, is used [E0309]\n"
	     "help: create a qd_var before the block, set it there with qd_set, and read it after the block with qd_get"),
	CALL(E0309, no_value, "call 1, qd_neg: a value of a closed block, or of another builder, is used [E0309]\n"
	     "help: create a qd_var before the block, set it there with qd_set, and read it after the block with qd_get"),
	CALL(E0310, not_a_variable, "call 2, qd_get: this handle is not a variable [E0310]"),
	CALL(E0311, read_out, "call 3, qd_load: 'dst' is an out parameter and cannot be read [E0311]\n"
	     "help: make it QD_ACCESS_INOUT"),
	CALL(E0312, write_in, "call 4, qd_store: 'src' is an in parameter and cannot be written [E0312]\n"
	     "help: make it QD_ACCESS_INOUT"),
	CALL(E0313, stray_else, "call 2, qd_else: 'else' without an open if [E0313]"),
	CALL(E0314, still_open, "qd_builder_finish: 'if' is still open at the end of the kernel [E0314]\nnote: call 2: it begins with this call\n"
	     "help: call qd_end after its body"),
	CALL(E0315, too_deep, "call 1025, qd_loop: control flow is nested deeper than 2048 [E0315]"),
	CALL(E0316, two_grids, "call 4, qd_grid: more than one grid loop [E0316]\n"
	     "help: put both into one loop, or build two kernels"),
	CALL(E0317, grid_inside, "call 4, qd_grid: a grid loop must be outside control flow [E0317]\n"
	     "help: call qd_grid before the first qd_if or qd_loop, or after its qd_end"),
	CALL(E0318, grid_of_lane, "call 1, qd_subgroup_invocation_id: the grid loop's count may use constants, scalar parameters, lengths, operators, min, max, abs, select and conversions only, not subgroup.invocation_id [E0318]\n"
	     "help: compute it before the launch and pass it as a scalar parameter"),
	CALL(E0356, grid_of_many, "call 69, qd_grid: the grid loop's count takes more than 64 steps [E0356]\n"
	     "help: compute it before the launch and pass it as a scalar parameter"),
	CALL(E0319, no_block, "call 1, qd_block: block(64, 0, 1): a block has 1 to 65535 threads [E0319]"),
	CALL(E0320, odd_size, "call 1, qd_subgroup_sizes: subgroup size 24 is not one of 4, 8, 16, 32, 64, 128 [E0320]"),
	CALL(E0321, too_many_params, "call 65, qd_param_scalar: more than 64 parameters [E0321]"),
	CALL(E0322, twice_a_param, "call 2, qd_param_scalar: two parameters are named 'n' [E0322]"),
	CALL(E0323, no_axis, "call 1, qd_block_thread_idx_axis: axis 3 is not 0, 1 or 2 [E0323]"),
	CALL(E0324, storage_scalar, "call 1, qd_param_scalar: type f16 is not allowed for a scalar parameter [E0324]"),
	CALL(E0324, no_type, "call 1, qd_param_scalar: type none is not allowed for a scalar parameter [E0324]"),
	CALL(E0324, cast_to_nothing, "call 2, qd_cast: type none is not allowed for a value [E0324]"),
	CALL(E0304, bits_of_nothing, "call 2, qd_bitcast: cannot take the bits of i32 as none: the widths differ [E0304]\n"
	     "help: convert its value: qd_cast(b, type, x)"),
	CALL(E0324, constant_of_nothing, "call 1, qd_const_bits: type none is not allowed for a constant [E0324]"),
	CALL(E0325, no_reason, "call 1, qd_assume_uniform: 'assume_uniform' needs a reason [E0325]"),
	CALL(E0325, no_sentence, "call 2, qd_assert: 'assert' needs a reason [E0325]"),
	CALL(E0354, no_text, "call 1, qd_print: the text is NULL [E0354]"),
	CALL(E0371, many_values, "call 2, qd_print: 'print' takes at most 16 values [E0371]"),
	CALL(E0326, telling_operator, "call 3, qd_print: an operator may use arithmetic only, not qd_print [E0326]"),
	CALL(E0326, impure_operator, "call 3, qd_subgroup_reduce_add: an operator may use arithmetic only, not qd_subgroup_reduce_add [E0326]"),
	CALL(E0327, too_wide_operator, "call 10, qd_subgroup_reduce: an operator has 1 to 8 values, not 9 [E0327]"),
	CALL(E0328, other_type_operator, "call 2, qd_subgroup_reduce: value 0 of the operator is f32, not i32 [E0328]\n"
	     "help: the operator returns as many values as it takes from each side, of the same types"),
	CALL(E0328, no_result_operator, "call 2, qd_subgroup_inclusive_scan: value 0 of the operator is nothing, not i32 [E0328]\n"
	     "help: the operator returns as many values as it takes from each side, of the same types"),
	CALL(E0329, too_many_templates, "call 17, qd_template: more than 16 template parameters [E0329]"),
	CALL(E0330, no_name, "call 1, qd_param_scalar: an empty or missing name [E0330]"),
	CALL(E0331, after_break, "call 3, qd_i32: nothing may follow 'break' in its block [E0331]"),
	CALL(E0332, too_long, "call 4194304, qd_i32: more than 4194304 instructions [E0332]"),
	CALL(E0352, shape_in_use, "call 2, qd_block: the kernel already depends on the block's shape: call qd_block before qd_block_thread_idx_axis [E0352]"),
	CALL(E0353, no_access, "call 1, qd_param_buffer: access 0 is not one of in (1), out (2), inout (3) [E0353]\n"
	     "help: use QD_ACCESS_IN, QD_ACCESS_OUT or QD_ACCESS_INOUT"),
	CALL(E0354, no_operator, "call 2, qd_subgroup_reduce: the operator is NULL [E0354]"),
	CALL(E0355, leaves_too_far, "call 3, qd_leave: the jump leaves 3 constructs, but 2 are open [E0355]"),
	CALL(E0121, long_name, "call 1, qd_template: a name has at most 255 bytes [E0121]"),
	CALL(E0401, divergent, "call 6, qd_subgroup_reduce_add: subgroup.reduce_add() in non-uniform control flow is undefined [E0401]\nnote: call 4: this condition depends on subgroup.invocation_id()\nhelp: call it before the qd_if, in all lanes, on qd_select(b, c, v, x): c holds in the lanes that count, x is 0"),
	CALL(E0230, width_12, "call 3, qd_nvvm_shfl_up: width 12 is not one of 1, 2, 4, 8, 16, 32 [E0230]"),
	CALL(E0231, pack_33, "call 2, qd_nvvm_p2r: a word has 1 to 32 predicates, not 33 [E0231]"),
	CALL(E0402, varying_broadcast, "call 3, qd_subgroup_broadcast: the broadcast index is not uniform in the subgroup; use shuffle [E0402]"),
	CALL(E0379, active_lost, "call 5, qd_block_broadcast: n_active was set for block.broadcast, which does not take it [E0379]"),
	CALL(E0379, n_active_of_sync, "call 3, qd_block_sync: n_active was set for block.sync, which does not take it [E0379]"),
	CALL(E0379, active_left, "call 2, qd_builder_finish: n_active was set for the kernel's end, which does not take it [E0379]"),
	CALL(E0379, active_twice, "call 4, qd_block_n_active: n_active was set for qd_block_n_active, which does not take it [E0379]"),
	CALL(E0305, active_float, "call 2, qd_block_n_active: the n_active operand must be i32 or u32, not f32 [E0305]\nhelp: convert it: qd_cast(b, QD_TYPE_U32, x)"),
};
/* clang-format on */
const unsigned n_diag_cases_build = QD_COUNT(diag_cases_build);
