#include "kernel.h"

#include "build_call.h"

/* -- Calls of primitives that the language composes of others --------------------------- */

/* v, w: values of the row's type, or lane indices; n is the number of them that the call uses. */
#define MADE_CALLS(X)                                                                              \
	X(axis, "block.thread_idx", 0, qd_block_thread_idx_axis(b, 1))                             \
	X(global, "block.global_thread_idx", 0, qd_block_global_thread_idx(b))                     \
	X(tile_lane, "subgroup.tile_lane", 0, qd_subgroup_tile_lane(b, 1)          )               \
	X(first, "subgroup.broadcast_first", 1, qd_subgroup_broadcast(b, v, qd_u32(b, 0)))         \
	X(activemask, "nvvm.activemask", 0, qd_nvvm_activemask(b))                                 \
	X(p2r, "nvvm.p2r", 2, qd_nvvm_p2r(b, (struct qd_val[]){ v, w }, 2))                        \
	X(r2p, "nvvm.r2p", 2, qd_nvvm_r2p(b, v, w))                                                \
	X(own_lt, "nvvm.lanemask_lt", 0, qd_nvvm_lanemask_lt(b))                                   \
	X(own_le, "nvvm.lanemask_le", 0, qd_nvvm_lanemask_le(b))                                   \
	X(own_eq, "nvvm.lanemask_eq", 0, qd_nvvm_lanemask_eq(b))                                   \
	X(own_ge, "nvvm.lanemask_ge", 0, qd_nvvm_lanemask_ge(b))                                   \
	X(own_gt, "nvvm.lanemask_gt", 0, qd_nvvm_lanemask_gt(b))                                   \
	X(lt, "subgroup.lanemask_lt", 1, qd_subgroup_lanemask_lt(b, v))                            \
	X(le, "subgroup.lanemask_le", 1, qd_subgroup_lanemask_le(b, v))                            \
	X(eq, "subgroup.lanemask_eq", 1, qd_subgroup_lanemask_eq(b, v))                            \
	X(ge, "subgroup.lanemask_ge", 1, qd_subgroup_lanemask_ge(b, v))                            \
	X(gt, "subgroup.lanemask_gt", 1, qd_subgroup_lanemask_gt(b, v))                            \
	X(lt64, "subgroup.lanemask64_lt", 1, qd_subgroup_lanemask64_lt(b, v))                      \
	X(le64, "subgroup.lanemask64_le", 1, qd_subgroup_lanemask64_le(b, v))                      \
	X(eq64, "subgroup.lanemask64_eq", 1, qd_subgroup_lanemask64_eq(b, v))                      \
	X(ge64, "subgroup.lanemask64_ge", 1, qd_subgroup_lanemask64_ge(b, v))                      \
	X(gt64, "subgroup.lanemask64_gt", 1, qd_subgroup_lanemask64_gt(b, v))                      \
	X(clamp, "clamp", 2, qd_clamp(b, v, w, qd_add(b, v, w)))                                   \
	X(floordiv, "floordiv", 2, qd_floordiv(b, v, w))                                           \
	X(floormod, "floormod", 2, qd_floormod(b, v, w))                                           \
	X(isnan, "isnan", 1, qd_isnan(b, v))                                                       \
	X(isinf, "isinf", 1, qd_isinf(b, v))                                                       \
	X(sign, "sign", 1, qd_sign(b, v))                                                          \
	X(copysign, "copysign", 2, qd_copysign(b, v, w))                                           \
	X(mix, "mix", 2, qd_mix(b, v, w, qd_add(b, v, w)))                                         \
	X(step, "step", 2, qd_step(b, v, w))                                                       \
	X(fract, "fract", 1, qd_fract(b, v))                                                       \
	X(abs_diff, "abs_diff", 2, qd_abs_diff(b, v, w))                                           \
	X(add_sat, "add_sat", 2, qd_add_sat(b, v, w))                                              \
	X(sub_sat, "sub_sat", 2, qd_sub_sat(b, v, w))                                              \
	X(average_floor, "average_floor", 2, qd_average_floor(b, v, w))                            \
	X(average_ceil, "average_ceil", 2, qd_average_ceil(b, v, w))                               \
	X(mul_wide, "mul_wide", 2, qd_cast(b, QD_TYPE_U32, qd_mul_wide(b, v, w)))                  \
	X(rotl, "rotl", 2, qd_rotl(b, v, w))                                                       \
	X(rotr, "rotr", 2, qd_rotr(b, v, w))                                                       \
	X(ctz, "ctz", 1, qd_ctz(b, v))                                                             \
	X(extract_bits, "extract_bits", 2, qd_extract_bits(b, v, w, qd_u32(b, 5)))                 \
	X(insert_bits, "insert_bits", 2, qd_insert_bits(b, v, w, w, qd_u32(b, 5)))                 \
	X(pack4_i8, "pack4_i8", 2, made_pack(b, v, w))                                             \
	X(pack4_u8, "pack4_u8", 2, qd_pack4_u8(b, v, w, v, w))                                     \
	X(unpack_i8, "unpack_i8", 2, qd_unpack_i8(b, v, w))                                       \
	X(unpack_u8, "unpack_u8", 2, qd_unpack_u8(b, v, w))

static struct qd_val
made_pack(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	v = qd_bitcast(b, QD_TYPE_I32, v);
	w = qd_bitcast(b, QD_TYPE_I32, w);
	return qd_pack4_i8(b, v, w, v, w);
}

#define MADE_CALL(id, name, n, expr)                                                               \
	static struct qd_val made_##id(struct qd_builder *b, struct qd_val v, struct qd_val w)     \
	{                                                                                          \
		(void)v;                                                                           \
		(void)w;                                                                           \
		return expr;                                                                       \
	}
MADE_CALLS(MADE_CALL)

static const struct made {
	const char *name;
	uint32_t n;
	struct qd_val (*call)(struct qd_builder *b, struct qd_val v, struct qd_val w);
} made_calls[] = {
#define MADE_ROW(id, name, n, expr) { name, n, made_##id },
	MADE_CALLS(MADE_ROW)
};

static const struct made *
made_named(const char *name)
{
	for (size_t i = 0; i < QD_COUNT(made_calls); i++)
		if (strcmp(made_calls[i].name, name) == 0)
			return &made_calls[i];
	return NULL;
}

/* -- Types ---------------------------------------------------------------------------- */

bool
kernel_is_operator(enum op op)
{
	return op_sig(op)->opnd[0] == OPND_REGION;
}

/* Returns the type of operand n, or NONE if it is not a loaded value. */
static qd_type
operand_type(const struct kernel_job *j, uint32_t n)
{
	if (!j->op)
		return n < made_named(j->made)->n ? j->type : QD_TYPE_NONE;
	if (op_info[j->op].sig == SIG_RANK)
		return QD_TYPE_U32;
	switch (op_sig(j->op)->opnd[n]) {
	case OPND_T:
	case OPND_ELEM:
	case OPND_REGION: return j->type;
	case OPND_U:
	case OPND_BOOL:
	case OPND_INDEX:
	case OPND_U32: return QD_TYPE_U32;
	default: return QD_TYPE_NONE;
	}
}

/* Returns true if the operation needs a second value: with the same value twice it may be folded. */
static bool
takes_two(const struct kernel_job *j)
{
	const uint8_t *opnd = op_sig(j->op)->opnd;

	return j->op ? opnd[1] == OPND_T || opnd[2] == OPND_T : made_named(j->made)->n > 1;
}

static qd_type
result_type(const struct kernel_job *j, uint32_t n)
{
	const struct sig_info *sig = op_sig(j->op);

	if (!j->op) {
		for (qd_type t = QD_TYPE_I32; t < N_TYPE; t++)
			if (strcmp(type_info[t].name, j->result) == 0)
				return t;
		return strcmp(j->result, "T") == 0 ? j->type : QD_TYPE_U32;
	}
	if (sig->n_results == RESULT_OF_REGION)
		return j->type;
	switch (sig->result[n]) {
	case OPND_OWN: return build_result(j->op, j->type);
	case OPND_I32: return QD_TYPE_I32;
	case OPND_ELEM:
	case OPND_T: return j->type;
	default: return QD_TYPE_U32;
	}
}

static uint32_t
result_count(enum op op)
{
	uint32_t n = op ? op_sig(op)->n_results : 1;

	return n == RESULT_OF_REGION || n == RESULT_OF_LIST ? 1 : n;
}

/* -- The call ---------------------------------------------------------------------------- */

static void
sum(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
    struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)k;
	out[0] = qd_add(b, x[0], y[0]);
}

static uint32_t
tile(const struct kernel_job *j)
{
	uint32_t log2 = 0;

	while (log2 < KERNEL_TILE && 2u << log2 <= j->target->m.subgroup_size)
		log2++;
	return log2;
}

/* Adds a buffer parameter; a number makes its name unique. */
static struct qd_array
buffer(struct qd_builder *b, const char *name, qd_type type, qd_access access)
{
	char text[32];

	snprintf(text, sizeof text, "%s%u", name, b->k->n_params);
	return qd_param_buffer(b, text, type, access);
}

/* Calls the primitive. value: loaded values by type; other: a second one, or none; at: the buffer
 * of atomics and copies. */
static void
call(struct qd_builder *b, const struct kernel_job *j, const struct qd_val *value,
     struct qd_val other, struct qd_array at, struct qd_val i, struct qd_val *out)
{
	const struct sig_info *sig = op_sig(j->op);
	const char *text = op_info[j->op].text;
	struct qd_val arg[MAX_OPND] = { { 0 } }, v = value[j->type];
	uint32_t token = sig->known >= 0 && opnd_kind(sig->opnd[sig->known]) == OPND_N ? 32
			 : sig->x == X_NUMBER ? 1u << tile(j)
			 : j->tiled ? tile(j) : QD_FULL;
	qd_mem_scope scope = QD_SCOPE_DEVICE;

	if (!j->op) {
		out[0] = made_named(j->made)->call(b, v, other);
		return;
	}
	for (uint32_t n = 0; n < MAX_OPND; n++)
		arg[n] = sig->opnd[n] == OPND_UINDEX    ? qd_block_idx(b)
			 : sig->opnd[n] == OPND_MEMBERS ? qd_u32(b, UINT32_MAX)
			 : n && sig->opnd[n] == OPND_T && other.id ? other
			 : value[operand_type(j, n)];
	if (op_info[j->op].effect == EFFECT_ATOMIC) {
		out[0] = build_atomic(b, text, j->op, at, i, (struct qd_val[]){ v, v }, QD_SCOPE_DEVICE, QD_ORDER_RELAXED);
	} else if (op_copies(j->op)) {
		struct qd_array s = qd_shared(b, "copied", j->type, 1024);

		qd_nvvm_cp_async(b, s, qd_block_thread_idx(b), at, i, 1);
	} else if (op_info[j->op].sig == SIG_COPIES) {
		qd_nvvm_cp_async_wait_group(b, 1);
	} else if (op_info[j->op].effect == EFFECT_FENCE) {
		while (!(op_scopes(j->op) >> scope & 1))
			scope++;
		build_fence(b, text, j->op, scope, QD_ORDER_ACQ_REL);
	} else if (op_info[j->op].sig == SIG_RANK) {
		build_rank(b, text, &value[QD_TYPE_U32], out, 1, (uint32_t[]){ 8, 0, 8 },
			   qd_shared(b, "bins", QD_TYPE_I32, 256), qd_shared(b, "below", QD_TYPE_I32, 256));
	} else if (kernel_is_operator(j->op)) {
		build_operator(b, text, j->op, &v, &v, out, 1, token, sum, NULL);
	} else if (result_count(j->op) > 1) {
		build_several(b, text, j->op, arg, token, out, result_count(j->op));
	} else {
		out[0] = build_op(b, text, j->op, arg, token);
	}
}

struct qd_kernel *
kernel_make(struct kernel_job *j, bool empty)
{
	uint32_t n_out = result_count(j->op), types = 0;
	struct qd_val value[N_TYPE] = { { 0 } }, out[MAX_RESULT] = { { 0 } }, i, other = { 0 };
	struct qd_array at = { 0 }, to[MAX_RESULT];
	struct qd_kernel *k = NULL;
	struct qd_builder *b;

	if (!j->op && !made_named(j->made)) {
		snprintf(j->err.text, sizeof j->err.text,
			 "%s has no call in C here: add it to MADE_CALLS of bench/kernel.c", j->made);
		j->err.code = QD_E_NOT_FOUND;
		return NULL;
	}
	if (qd_builder_create(j->ctx, "size", &b, &j->err))
		return NULL;
	/* Block primitives depend on the size of the block. */
	qd_block(b, j->target->m.subgroup_size * (op_info[j->op].scope == SCOPE_BLOCK ? 4 : 1), 1, 1);
	i = qd_block_global_thread_idx(b);
	for (uint32_t n = 0; n < MAX_OPND; n++)
		types |= 1u << operand_type(j, n);
	for (uint32_t n = 0; n < n_out; n++)
		types |= 1u << result_type(j, n);
	for (qd_type t = QD_TYPE_I32; t < N_TYPE; t++) {
		if (!type_is(t, types))
			continue;
		value[t] = qd_load(b, buffer(b, "in", t, QD_ACCESS_IN), i);
		qd_store(b, buffer(b, "kept", t, QD_ACCESS_OUT), i, value[t]);
	}
	if (takes_two(j))
		other = qd_load(b, buffer(b, "other", j->type, QD_ACCESS_IN), i);
	if (op_info[j->op].effect == EFFECT_ATOMIC || op_copies(j->op))
		at = buffer(b, "at", j->type, QD_ACCESS_INOUT);
	for (uint32_t n = 0; n < n_out; n++) {
		out[n] = value[result_type(j, n)];
		to[n] = buffer(b, "out", result_type(j, n), QD_ACCESS_OUT);
	}
	if (!empty)
		call(b, j, value, other, at, i, out);
	for (uint32_t n = 0; n < n_out; n++) {
		/* Booleans cannot be stored. */
		if (build_type(b, out[n]) == QD_TYPE_BOOL)
			out[n] = qd_cast(b, QD_TYPE_U32, out[n]);
		qd_store(b, to[n], i, out[n]);
	}
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

/* -- Instruction counts -------------------------------------------------------------------- */

bool
kernel_count(struct kernel_job *j, const struct qd_kernel *k, struct kernel_count *out)
{
	struct pass_ctx p;
	struct arena mem;
	struct body body;
	bool ok;

	*out = (struct kernel_count){ 0, 0, 0 };
	arena_init(&mem, &j->ctx->pool);
	pass_ctx_init(&p, k, &j->target->m, &mem, &j->err);
	ok = pass_run(&p, false, &body) == QD_OK;
	for (uint32_t i = 1; ok && i < body.ir.n; i++) {
		const struct op_info *info = &op_info[body.ir.ins[i].op];

		out->ins++;
		/* lo, hi, pair and bitcast only rename bits. */
		out->alu += info->is_alu && !info->is_low && body.ir.ins[i].op != OP_BITCAST;
		out->lane += info->scope == SCOPE_SUBGROUP;
	}
	arena_fini(&mem);
	return ok;
}
