/* The kernel object: lifetime, argument layout, and the grid count that the host evaluates. */
#include "diag.h"

struct qd_kernel *
kernel_ref(const struct qd_kernel *k)
{
	struct qd_kernel *mutable_k = (struct qd_kernel *)(uintptr_t)k;

	atomic_fetch_add_explicit(&mutable_k->refs, 1, memory_order_relaxed);
	return mutable_k;
}

size_t
kernel_bytes(const struct qd_kernel *k)
{
	size_t size = 0;

	for (const struct pool_block *b = k->arena.blocks; b; b = b->next)
		size += b->size;
	return size;
}

uint64_t
ir_shared_bytes(const struct qd_kernel *k, qd_type element, uint32_t len)
{
	uint64_t n = (uint64_t)len * type_info[element].size;

	for (uint32_t i = 0; i < k->n_mems; i++)
		if (k->mems[i].space == SPACE_SHARED)
			n += (uint64_t)k->mems[i].len * type_info[k->mems[i].type].size;
	return n;
}

uint64_t
ir_table_bits(const struct memory *m, uint32_t index)
{
	const uint32_t size = type_info[m->type].size;
	uint64_t wide;
	uint32_t word;

	if (size == 8) {
		memcpy(&wide, m->data + (size_t)index * 8, 8);
		return wide;
	}
	memcpy(&word, m->data + (size_t)index * 4, 4);
	return word;
}

uint64_t
ir_table_bytes(const struct qd_kernel *k, size_t more)
{
	uint64_t n = more;

	for (uint32_t i = k->n_params; i < k->n_mems; i++)
		n += ir_table_size(&k->mems[i]);
	return n;
}

void
qd_kernel_free(struct qd_kernel *k)
{
	struct qd_context *ctx;
	struct arena a;

	if (!k || forked_since(k->ctx->forks) ||
	    atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) != 1)
		return;
	ctx = k->ctx;
	source_free(k->source);
	a = k->arena; /* which owns k */
	arena_fini(&a);
	ctx_gone(ctx, LIVE_KERNEL);
}

const char *
qd_kernel_name(const struct qd_kernel *k)
{
	return k ? k->name : "";
}

uint32_t
qd_kernel_param_count(const struct qd_kernel *k)
{
	return k ? k->n_params : 0;
}

qd_status
qd_kernel_param(const struct qd_kernel *k, uint32_t i, struct qd_param_info *out,
		struct qd_error *err)
{
	QD_CHECK_ARG(k && out, err, "kernel or result pointer is NULL");
	QD_CHECK_ARG(i < k->n_params, err, "the kernel has fewer parameters");
	*out = (struct qd_param_info){ .name = k->params[i].name,
				       .type = k->params[i].type,
				       .is_buffer = k->params[i].access != 0,
				       .access = k->params[i].access,
				       .size = type_info[k->params[i].type].size };
	return QD_OK;
}

qd_status
qd_kernel_print(const struct qd_kernel *k, char *text, size_t cap, size_t *len,
		struct qd_error *err)
{
	struct buf out;
	qd_status st;

	QD_CHECK_ARG(k, err, "kernel is NULL");
	QD_CHECK_ARG(text || !cap, err, "text is NULL and cap is not 0");
	QD_CHECK_CTX(k->ctx, err);
	buf_init(&out, &k->ctx->pool);
	ir_print(&out, k, &k->ir);
	st = buf_copy_out(&out, text, cap, len, err);
	buf_fini(&out);
	return st;
}

const char *
tmpl_values(const struct tmpl_param *t, char out[32])
{
	if (t->choices)
		return t->choices;
	snprintf(out, 32, "%d..=%d", t->lo, t->hi);
	return out;
}

uint32_t
kernel_find_tmpl(const struct qd_kernel *k, const char *name)
{
	uint32_t i = 0;

	while (i < k->n_tmpls && strcmp(k->tmpls[i].name, name) != 0)
		i++;
	return i;
}

bool
kernel_was_given(const struct qd_kernel *k, const char *tmpl)
{
	const char *s = k->given;

	while (s && *s && strcmp(s, tmpl) != 0)
		s += strlen(s) + 1;
	return s && *s;
}

/* -- Sealing ---------------------------------------------------------------------- */

/* Lays out the parameters in order at natural alignment, then the tail words. A buffer is {u64
 * address, u64 elements}. */
static void
lay_out_arguments(struct qd_kernel *k)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < k->n_params; i++) {
		struct param *p = &k->params[i];
		uint32_t align = p->access ? 8 : type_info[p->type].size;

		at = (at + align - 1) & ~(align - 1);
		p->offset = at;
		at += p->access ? 16 : align;
	}
	k->tail = (at + 3) & ~3u;
	k->args_size = (k->tail + 4 * N_TAIL + 7) & ~7u;
}

/* Collects the instructions that compute the grid count, in order. Operands precede their users,
 * so one walk down from the count finds them all. */
static qd_status
find_grid_steps(struct qd_kernel *k, struct qd_error *err)
{
	static const struct diag_note host = {
		.help = "compute it before the launch and pass it as a scalar parameter"
	};
	uint32_t steps[MAX_GRID_STEPS], n = 0, step = k->ir.ins[k->grid].a;

	/* Each iteration takes the largest index still needed, so there are at most 64. */
	while (step) {
		const struct ins *i = &k->ir.ins[step];
		uint32_t next = 0;

		if (op_info[i->op].in_count == COUNT_NO)
			return diag_ins(k, &k->ir, step, err, &host, DIAG_E0318,
					i->op == OP_LOAD  ? "a load"
					: i->op == OP_GET ? "a 'var'"
							  : op_info[i->op].text);
		if (n == MAX_GRID_STEPS)
			return diag_ins(k, &k->ir, k->grid, err, &host, DIAG_E0356, MAX_GRID_STEPS);
		steps[n++] = step;
		for (uint32_t s = 0; s < n; s++) {
			const struct ins *u = &k->ir.ins[steps[s]];
			for (uint32_t j = 0; j < MAX_OPND; j++)
				if ((op_values[u->op] >> j & 1) && u->arg[j] < step &&
				    u->arg[j] > next)
					next = u->arg[j];
		}
		step = next;
	}
	k->grid_steps = arena_alloc(&k->arena, n * sizeof *steps);
	if (!k->grid_steps)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", k->name);
	for (uint32_t s = 0; s < n; s++)
		k->grid_steps[s] = steps[n - 1 - s];
	k->n_grid_steps = n;
	return QD_OK;
}

qd_status
kernel_seal(struct qd_kernel **k, struct qd_error *err)
{
	lay_out_arguments(*k);
	if ((*k)->grid)
		QD_TRY(find_grid_steps(*k, err));
	return kernel_pack(k, err);
}
