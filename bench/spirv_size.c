/* bench/spirv-size: prints the size of each cross-lane primitive, in words of the module and in
 * operations of the legal body, beyond a kernel that loads and stores the same values. The
 * numbers do not depend on the machine, so an increase is a regression.
 *
 *	spirv-size [--json] [TARGET]		default spirv:w32
 *
 * alu: arithmetic, comparisons, selections, conversions; lane: cross-lane operations. Predicates
 * are passed as u32, so the test of a predicate counts. */
#include "kernel.h"

#include "bench.h"

struct size {
	uint32_t words, alu, lane;
};

/* -- Sizes ------------------------------------------------------------------------- */

static bool
measure(struct kernel_job *j, bool empty, struct size *out)
{
	struct qd_kernel *k = kernel_make(j, empty);
	struct kernel_count n;
	struct qd_image *image = NULL;
	size_t size = 0;
	bool ok;

	*out = (struct size){ 0, 0, 0 };
	ok = k && kernel_count(j, k, &n) &&
	     qd_compile(j->ctx, k, j->target->m.name, NULL, 0, &image, &j->err) == QD_OK;
	if (ok) {
		qd_image_data(image, &size);
		*out = (struct size){ (uint32_t)(size / 4), n.alu, n.lane };
	}
	qd_image_free(image);
	qd_kernel_free(k);
	return ok;
}

static void
row(struct kernel_job *j, const char *type, bool json)
{
	struct size with, without;
	char name[400];

	snprintf(name, sizeof name, "spirv-size/%s/%s%s%s", j->target->m.name,
		 op_info[j->op].text, j->tiled ? "_tiled" : "", type);
	if (!measure(j, false, &with) || !measure(j, true, &without)) {
		/* Some targets do not support some primitives. */
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
rows(struct kernel_job *j, bool json)
{
	static const qd_type types[] = { QD_TYPE_U32, QD_TYPE_F32, QD_TYPE_U64 };
	const struct sig_info *sig = op_sig(j->op);
	uint32_t of = kernel_is_operator(j->op) ? (uint32_t)TM_NUM : op_info[j->op].types;
	bool has_tile = sig->known >= 0 && opnd_kind(sig->opnd[sig->known]) == OPND_K;
	char type[8];

	for (int tiled = 0; tiled <= has_tile; tiled++) {
		j->tiled = tiled;
		for (size_t n = 0; n < QD_COUNT(types); n++) {
			j->type = types[n];
			snprintf(type, sizeof type, ".%s", type_info[j->type].name);
			if (sig->lead < 0 && !kernel_is_operator(j->op)) { /* a predicate, or no operand */
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
		struct kernel_job j = { .ctx = ctx, .target = &target, .op = (enum op)op };

		if (op_info[op].scope == SCOPE_SUBGROUP && !op_info[op].is_low)
			rows(&j, json);
	}
	qd_context_free(ctx);
	return 0;
}
