/* bench/spirv-size: what each cross-lane primitive becomes, in words of the module and in
 * operations of the legal body, beyond a kernel that loads and stores the same values.
 * Nothing here depends on the machine it runs on: a number that grows is a regress.
 *
 *	spirv-size [--json] [TARGET]		default spirv:w32
 *
 * alu: arithmetic, comparisons, selections, conversions; lane: what crosses lanes.  A
 * predicate is a u32, so its test counts. */
#include "build_call.h"
#include "isa.h"

#include "bench.h"

enum { TILE = 3 /* log2_size of the tiled rows */ };

/* One row: an operation on values of a type, whole or tiled. */
struct job {
	struct qd_context *ctx;
	const struct target *target;
	enum op op;
	qd_type type;
	bool tiled;
	struct qd_error err;
};

struct size {
	uint32_t words, alu, lane;
};

/* -- Kernels ---------------------------------------------------------------------- */

static bool
is_operator(enum op op)
{
	return op_sig(op)->opnd[0] == OPND_REGION;
}

/* Of operand j, NONE where it is no value that is loaded. */
static qd_type
operand_type(const struct job *j, uint32_t n)
{
	switch (op_sig(j->op)->opnd[n]) {
	case OPND_T:
	case OPND_REGION: return j->type;
	case OPND_U:
	case OPND_BOOL:
	case OPND_INDEX:
	case OPND_U32: return QD_TYPE_U32;
	default: return QD_TYPE_NONE;
	}
}

static qd_type
result_type(const struct job *j, uint32_t n)
{
	const struct sig_info *sig = op_sig(j->op);

	if (sig->n_results == RESULT_OF_REGION)
		return j->type;
	switch (sig->result[n]) {
	case OPND_OWN: return build_result(j->op, j->type);
	case OPND_I32: return QD_TYPE_I32;
	case OPND_T: return j->type;
	default: return QD_TYPE_U32;
	}
}

static void
sum(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
    struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)k;
	out[0] = qd_add(b, x[0], y[0]);
}

/* value: by type, what was loaded. */
static void
call(struct qd_builder *b, const struct job *j, const struct qd_val *value, struct qd_val *out,
     uint32_t n_out)
{
	const struct sig_info *sig = op_sig(j->op);
	struct qd_val arg[MAX_OPND] = { { 0 } }, v = value[j->type];
	uint32_t token = sig->known >= 0 && opnd_kind(sig->opnd[sig->known]) == OPND_N ? 32
			 : j->tiled ? TILE : QD_FULL;

	for (uint32_t n = 0; n < MAX_OPND; n++)
		arg[n] = sig->opnd[n] == OPND_UINDEX ? qd_block_idx(b) : value[operand_type(j, n)];
	if (is_operator(j->op))
		build_operator(b, op_info[j->op].text, j->op, &v, &v, out, 1, token, sum, NULL);
	else if (n_out > 1)
		build_several(b, op_info[j->op].text, j->op, arg, token, out, n_out);
	else
		out[0] = build_op(b, op_info[j->op].text, j->op, arg, token);
}

/* Each has a number in its name. */
static struct qd_array
buffer(struct qd_builder *b, const char *name, qd_type type, qd_access access)
{
	char text[32];

	snprintf(text, sizeof text, "%s%u", name, b->k->n_params);
	return qd_param_buffer(b, text, type, access);
}

/* Every type that the row knows of is loaded and stored; then the results, or what was
 * loaded in their place. */
static struct qd_kernel *
make(struct job *j, bool empty)
{
	const struct sig_info *sig = op_sig(j->op);
	uint32_t n_out = sig->n_results == RESULT_OF_REGION ? 1 : sig->n_results, types = 0;
	struct qd_val value[N_TYPE] = { { 0 } }, out[MAX_RESULT] = { { 0 } }, i;
	struct qd_kernel *k = NULL;
	struct qd_builder *b;

	if (qd_builder_create(j->ctx, "size", &b, &j->err))
		return NULL;
	qd_block(b, j->target->m.subgroup_size, 1, 1);
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
	for (uint32_t n = 0; n < n_out; n++)
		out[n] = value[result_type(j, n)];
	if (!empty)
		call(b, j, value, out, n_out);
	for (uint32_t n = 0; n < n_out; n++)
		qd_store(b, buffer(b, "out", result_type(j, n), QD_ACCESS_OUT), i, out[n]);
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

/* -- What they become -------------------------------------------------------------- */

static bool
count(struct job *j, const struct qd_kernel *k, struct size *out)
{
	struct pass_ctx p;
	struct arena mem;
	struct body body;
	bool ok;

	arena_init(&mem, &j->ctx->pool);
	pass_ctx_init(&p, k, &j->target->m, &mem, &j->err);
	ok = pass_run(&p, false, &body) == QD_OK;
	for (uint32_t i = 1; ok && i < body.ir.n; i++) {
		const struct op_info *info = &op_info[body.ir.ins[i].op];

		/* Other names of the same bits cost nothing. */
		out->alu += info->is_alu && !info->is_low && body.ir.ins[i].op != OP_BITCAST;
		out->lane += info->scope == SCOPE_SUBGROUP;
	}
	arena_fini(&mem);
	return ok;
}

static bool
measure(struct job *j, bool empty, struct size *out)
{
	struct qd_kernel *k = make(j, empty);
	struct qd_image *image = NULL;
	size_t size = 0;
	bool ok;

	*out = (struct size){ 0, 0, 0 };
	ok = k && count(j, k, out) &&
	     qd_compile(j->ctx, k, j->target->m.name, NULL, 0, &image, &j->err) == QD_OK;
	if (ok)
		qd_image_data(image, &size);
	out->words = (uint32_t)(size / 4);
	qd_image_free(image);
	qd_kernel_free(k);
	return ok;
}

static void
row(struct job *j, const char *type, bool json)
{
	struct size with, without;
	char name[400];

	snprintf(name, sizeof name, "spirv-size/%s/%s%s%s", j->target->m.name,
		 op_info[j->op].text, j->tiled ? "_tiled" : "", type);
	if (!measure(j, false, &with) || !measure(j, true, &without)) {
		/* Some have no result on some targets, and say so. */
		fprintf(json ? stderr : stdout, "%-64s %s\n", name, j->err.text);
		return;
	}
	with.words -= without.words;
	with.alu -= without.alu;
	with.lane -= without.lane;
	if (json)
		printf("{\"schema\":\"qd.size/1\",\"name\":\"%s\",\"words\":%u,\"alu\":%u,\"lane\":%u}\n",
		       name, with.words, with.alu, with.lane);
	else
		printf("%-64s words=%-5u alu=%-4u lane=%u\n", name, with.words, with.alu, with.lane);
}

/* -- All of them --------------------------------------------------------------------- */

static void
rows(struct job *j, bool json)
{
	static const qd_type types[] = { QD_TYPE_U32, QD_TYPE_F32, QD_TYPE_U64 };
	const struct sig_info *sig = op_sig(j->op);
	uint32_t of = is_operator(j->op) ? (uint32_t)TM_NUM : op_info[j->op].types;
	bool has_tile = sig->known >= 0 && opnd_kind(sig->opnd[sig->known]) == OPND_K;
	char type[8];

	for (int tiled = 0; tiled <= has_tile; tiled++) {
		j->tiled = tiled;
		for (size_t n = 0; n < QD_COUNT(types); n++) {
			j->type = types[n];
			snprintf(type, sizeof type, ".%s", type_info[j->type].name);
			if (sig->lead < 0 && !is_operator(j->op)) { /* of a predicate, or of nothing */
				row(j, sig->n_opnd ? ".p" : "", json);
				break;
			}
			if (type_is(j->type, of))
				row(j, type, json);
		}
	}
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct target target;
	struct qd_error err;
	bool json = false;
	const char *name = bench_args(argc, argv, "bench-spirv-size [--json] [TARGET]", "spirv:w32",
				      &json);

	if (qd_context_create(&desc, &ctx, &err) || isa_target(name, &target, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (uint32_t op = OP_NONE + 1; op < N_OP; op++) {
		struct job j = { .ctx = ctx, .target = &target, .op = (enum op)op };

		if (op_info[op].scope == SCOPE_SUBGROUP && !op_info[op].is_low)
			rows(&j, json);
	}
	qd_context_free(ctx);
	return 0;
}
