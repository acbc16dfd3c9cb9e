/* The kernel as an object: lifetime, argument layout, the grid count that the
 * host evaluates, and the key that decides whether two kernels are the same. */
#include "diag.h"

struct qd_kernel *
kernel_ref(const struct qd_kernel *k)
{
	struct qd_kernel *mutable_k = (struct qd_kernel *)(uintptr_t)k;

	atomic_fetch_add_explicit(&mutable_k->refs, 1, memory_order_relaxed);
	return mutable_k;
}

void
qd_kernel_free(struct qd_kernel *k)
{
	struct qd_context *ctx;
	struct arena a;

	if (!k || atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) != 1)
		return;
	ctx = k->ctx;
	a = k->arena; /* k lives in it */
	arena_fini(&a);
	atomic_fetch_sub(&ctx->n_live, 1);
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
				       .access = k->params[i].access };
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
	buf_init(&out, &k->ctx->pool);
	ir_print(&out, k, &k->ir);
	st = buf_copy_out(&out, text, cap, len, err);
	buf_fini(&out);
	return st;
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

bool
ir_reserve(struct ir *ir, struct arena *a, uint32_t n)
{
	uint32_t need = ir->n + n, cap = ir->cap ? ir->cap : 64;
	struct ins *ins;
	uint32_t *pos;

	if (need <= ir->cap)
		return true;
	if (need > MAX_BODY || need < n)
		return false;
	while (cap < need)
		cap *= 2;
	ins = arena_alloc(a, cap * sizeof *ins);
	pos = arena_alloc(a, cap * sizeof *pos);
	if (!ins || !pos)
		return false;
	if (ir->n) {
		memcpy(ins, ir->ins, ir->n * sizeof *ins);
		memcpy(pos, ir->pos, ir->n * sizeof *pos);
	}
	ir->ins = ins;
	ir->pos = pos;
	ir->cap = cap;
	return true;
}

/* -- Sealing ---------------------------------------------------------------------- */

/* Parameters in order at natural alignment, a buffer as {u64 address, u64
 * elements}, then the tail words. */
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

static bool
grid_op(const struct ins *i)
{
	switch (i->op) {
	case OP_CONST:
	case OP_TEMPLATE:
	case OP_PARAM:
	case OP_LEN:
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_DIV:
	case OP_CVT:
	case OP_BITCAST: return true;
	default: return false;
	}
}

/* What the grid count is computed from, in order.  Operands are earlier than
 * their use, so one walk down from the count finds them all. */
static qd_status
find_grid_steps(struct qd_kernel *k, struct qd_error *err)
{
	uint32_t steps[MAX_GRID_STEPS], n = 0, step = k->ir.ins[k->grid].a;

	/* The largest value still wanted, again and again: at most 64 rounds. */
	while (step) {
		const struct ins *i = &k->ir.ins[step];
		uint32_t next = 0;

		if (!grid_op(i) || n == MAX_GRID_STEPS)
			return diag_ins(k, &k->ir, k->grid, err, NULL, DIAG_E0318);
		steps[n++] = step;
		for (uint32_t s = 0; s < n; s++) {
			const struct ins *u = &k->ir.ins[steps[s]];
			uint32_t arg[2] = { op_info[u->op].n_args > 0 ? u->a : 0,
					    op_info[u->op].n_args > 1 ? u->b : 0 };

			for (int j = 0; j < 2; j++)
				if (arg[j] < step && arg[j] > next)
					next = arg[j];
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

bool
kernel_grid_count(const struct qd_kernel *k, const int32_t *tmpl, const uint64_t *args,
		  uint64_t *count)
{
	uint64_t v[MAX_GRID_STEPS] = { 0 };
	qd_type type = QD_TYPE_U32;

	if (!k->grid)
		return false;
	for (uint32_t s = 0; s < k->n_grid_steps; s++) {
		const struct ins *i = &k->ir.ins[k->grid_steps[s]];
		uint64_t a = 0, b = 0;

		for (uint32_t j = 0; j < s; j++) {
			a = k->grid_steps[j] == i->a ? v[j] : a;
			b = k->grid_steps[j] == i->b ? v[j] : b;
		}
		type = i->type;
		switch (i->op) {
		case OP_CONST: v[s] = const_bits(i); break;
		case OP_TEMPLATE: v[s] = (uint32_t)tmpl[i->x]; break;
		case OP_PARAM:
		case OP_LEN: v[s] = args[i->x]; break;
		default: v[s] = ir_eval((enum op)i->op, k->ir.ins[i->a].type, type, a, b, 0);
		}
	}
	*count = v[k->n_grid_steps - 1];
	if (type == QD_TYPE_I32)
		*count = *count >> 31 ? 0 : *count;
	else if (type == QD_TYPE_I64)
		*count = *count >> 63 ? 0 : *count;
	return true;
}

/* The key's bytes: every field that decides the code, in one fixed order. */
static qd_status
make_key(struct qd_kernel *k, struct qd_error *err)
{
	size_t name_len = strlen(k->name) + 1, size = 64 + name_len;
	char *key, *p;
	uint32_t head[12] = { k->n_params,
			      k->n_tmpls,
			      k->n_texts,
			      k->block[0],
			      k->block[1],
			      k->block[2],
			      k->sizes,
			      k->grid,
			      k->ir.n,
			      (uint32_t)(k->assume_uniform != NULL),
			      (uint32_t)(k->assume_in_bounds != NULL),
			      k->n_sizes };

	for (uint32_t i = 0; i < k->n_params; i++)
		size += strlen(k->params[i].name) + 3;
	for (uint32_t i = 0; i < k->n_tmpls; i++)
		size += strlen(k->tmpls[i].name) + 9;
	for (uint32_t i = 0; i < k->n_texts; i++)
		size += strlen(k->texts[i]) + 1;
	size += (size_t)k->ir.n * sizeof *k->ir.ins;
	key = p = arena_zalloc(&k->arena, size);
	if (!key)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", k->name);
	memcpy(p, head, sizeof head);
	p += sizeof head;
	memcpy(p, k->size_order, sizeof k->size_order);
	p += sizeof k->size_order;
	p = (char *)memcpy(p, k->name, name_len) + name_len;
	for (uint32_t i = 0; i < k->n_params; i++) {
		size_t n = strlen(k->params[i].name) + 1;

		*p++ = (char)k->params[i].type;
		*p++ = (char)k->params[i].access;
		p = (char *)memcpy(p, k->params[i].name, n) + n;
	}
	for (uint32_t i = 0; i < k->n_tmpls; i++) {
		size_t n = strlen(k->tmpls[i].name) + 1;
		int32_t range[2] = { k->tmpls[i].lo, k->tmpls[i].hi };

		p = (char *)memcpy(p, range, sizeof range) + sizeof range;
		p = (char *)memcpy(p, k->tmpls[i].name, n) + n;
	}
	for (uint32_t i = 0; i < k->n_texts; i++) {
		size_t n = strlen(k->texts[i]) + 1;

		p = (char *)memcpy(p, k->texts[i], n) + n;
	}
	memcpy(p, k->ir.ins, k->ir.n * sizeof *k->ir.ins);
	p += k->ir.n * sizeof *k->ir.ins;
	k->key = key;
	k->key_size = (size_t)(p - key);
	k->hash = hash_bytes(key, k->key_size);
	return QD_OK;
}

qd_status
kernel_seal(struct qd_kernel *k, struct qd_error *err)
{
	lay_out_arguments(k);
	if (k->grid)
		QD_TRY(find_grid_steps(k, err));
	return make_key(k, err);
}
