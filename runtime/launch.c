/* Launches: checks the arguments against the parameters, fills in the argument block and computes
 * the number of blocks, all from the image's description. Drivers receive launches ready to
 * run. */
#include <stdio.h>

#include "function.h"
#include "stream.h"

enum { MAX_ARGS_SIZE = LAYOUT_MAX_ARGS + 16 };
_Static_assert(MAX_ARGS_SIZE >= MAX_PARAM * 16 + N_TAIL * 4 + 8 + REPORT_ARGS, "the argument block of qd's own kernels is shorter");

struct qd_arg
qd_arg_buffer(struct qd_buffer *buf)
{
	return (struct qd_arg){ .buffer = buf };
}

struct qd_arg
qd_arg_i32(int32_t v)
{
	return (struct qd_arg){ .type = QD_TYPE_I32, .bits = (uint32_t)v };
}

struct qd_arg
qd_arg_u32(uint32_t v)
{
	return (struct qd_arg){ .type = QD_TYPE_U32, .bits = v };
}

struct qd_arg
qd_arg_i64(int64_t v)
{
	return (struct qd_arg){ .type = QD_TYPE_I64, .bits = (uint64_t)v };
}

struct qd_arg
qd_arg_u64(uint64_t v)
{
	return (struct qd_arg){ .type = QD_TYPE_U64, .bits = v };
}

struct qd_arg
qd_arg_f32(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	return (struct qd_arg){ .type = QD_TYPE_F32, .bits = bits };
}

struct qd_arg
qd_arg_f64(double v)
{
	struct qd_arg a = { .type = QD_TYPE_F64 };
	memcpy(&a.bits, &v, sizeof a.bits);
	return a;
}

struct qd_arg
qd_arg_bytes(const void *data, size_t size)
{
	return (struct qd_arg){ .host = (void *)(uintptr_t)data, .size = size };
}

struct qd_arg
qd_arg_host(void *data, size_t size)
{
	return (struct qd_arg){ .host = data, .size = size };
}

/* -- Arguments --------------------------------------------------------------- */

struct args {
	const struct launch_layout *d;
	struct qd_device *dev;
	const struct qd_arg *given;
	uint64_t bits[MAX_PARAM];	   /* scalars' values; buffers' element counts */
	struct qd_buffer *bufs[MAX_PARAM]; /* owners of the memory; NULL for scalars */
	uint64_t broken; /* not 0: some argument violates a launch fact */
	_Alignas(8) unsigned char block[MAX_ARGS_SIZE];
};

/* Launch facts: the address of each buffer is a multiple of FACT_ALIGN, and its size is below 4 GiB. */
enum { FACT_ALIGN = 16 };

/* Returns 0 if a buffer argument with this address satisfies the launch facts. */
static inline uint64_t
violated(uint64_t addr, const struct qd_buffer *buf)
{
	return addr % FACT_ALIGN | (uint64_t)buf->size >> 32;
}

/* Begins messages, as in "argument 1 'dst' of kernel 'scale'". */
#define ARGUMENT	   "argument %u '%s' of kernel '%s': "
#define ARGUMENT_OF(d, i) (i), layout_param_name(d, i), layout_name(d)

static QD_COLD qd_status
wrong_kind(const struct launch_layout *d, uint32_t i, const struct qd_arg *a, struct qd_error *err)
{
	const struct layout_param *p = &layout_params(d)[i];
	uint32_t size = p->align ? 0 : layout_value_size(d, i);
	bool small = !p->align && (p->type == QD_TYPE_I8 || p->type == QD_TYPE_U8 || p->type == QD_TYPE_I16 ||
				   p->type == QD_TYPE_U16);
	char want[64], got[64];
	if (small)
		snprintf(want, sizeof want, "an i32 or u32 that fits type %s", qd_type_name(p->type));
	else if (p->align || p->type != QD_TYPE_NONE)
		snprintf(want, sizeof want, p->align ? "a buffer of %s" : "a value of type %s",
			 qd_type_name(p->type));
	else
		snprintf(want, sizeof want, "a value of %u byte%s", size, size == 1 ? "" : "s");
	if (a->buffer)
		snprintf(got, sizeof got, "a buffer");
	else if (a->host && layout_by_slots(d) && !p->align)
		snprintf(got, sizeof got, "%zu byte%s", a->size, a->size == 1 ? "" : "s");
	else if (a->host)
		snprintf(got, sizeof got, "host memory, which only qd_run accepts");
	else if (a->type == QD_TYPE_NONE)
		snprintf(got, sizeof got, "NULL");
	else if (small && a->type == QD_TYPE_I32)
		snprintf(got, sizeof got, "the i32 %d", (int)(int32_t)a->bits);
	else if (small && a->type == QD_TYPE_U32)
		snprintf(got, sizeof got, "the u32 %u", (unsigned)a->bits);
	else
		snprintf(got, sizeof got, "a value of type %s", qd_type_name(a->type));
	return qd_fail(err, QD_E_INVALID, ARGUMENT "expected %s, not %s", ARGUMENT_OF(d, i), want,
		       got);
}

static qd_status
put_buffer(struct args *args, uint32_t i, const struct layout_param *p, struct qd_error *err)
{
	const struct launch_layout *d = args->d;
	struct qd_buffer *buf = args->given[i].buffer;
	if (QD_UNLIKELY(!buf))
		return wrong_kind(d, i, &args->given[i], err);
	if (QD_UNLIKELY(buf->dev != args->dev))
		return qd_fail(err, QD_E_INVALID,
			       ARGUMENT "the buffer belongs to device %s, the function to %s",
			       ARGUMENT_OF(d, i), buf->dev->info.selector,
			       args->dev->info.selector);
	size_t size = p->size;
	if (QD_UNLIKELY(buf->addr % size))
		return qd_fail(err, QD_E_INVALID,
			       ARGUMENT "the slice starts at byte %zu, which is not a multiple of "
					"the %zu bytes of %s",
			       ARGUMENT_OF(d, i), buf->offset, size, qd_type_name(p->type));
	if (QD_UNLIKELY(buf->addr % p->align))
		return qd_fail(err, QD_E_INVALID,
			       ARGUMENT "the slice starts at byte %zu, which is not a multiple of "
					"the %u bytes of one nvvm.cp_async",
			       ARGUMENT_OF(d, i), buf->offset, p->align);
	uint64_t n = buf->size / size, addr;
	bool counted = !layout_by_slots(d);
	if (QD_UNLIKELY(n > UINT32_MAX && counted))
		return qd_fail(err, QD_E_LIMIT,
			       ARGUMENT
			       "%llu elements of %s; a buffer has at most 4294967295: pass a slice",
			       ARGUMENT_OF(d, i), (unsigned long long)n, qd_type_name(p->type));
	args->bits[i] = n;
	args->bufs[i] = buffer_root(buf);
	/* Code may read the first element of an empty buffer, so its address must be valid. */
	addr = n ? buf->addr : args->bufs[i]->addr;
	args->broken |= violated(addr, buf);
	memcpy(args->block + p->offset, &addr, 8);
	if (QD_LIKELY(counted))
		memcpy(args->block + p->offset + 8, &n, 8);
	return QD_OK;
}

/* -- Argument blocks with slots ---------------------------------------------------- */

/* Returns whether a 32-bit value fits in a parameter of one or two bytes. */
static bool
fits_narrow(const struct qd_arg *a, uint32_t size)
{
	int32_t v = (int32_t)(uint32_t)a->bits, half = 1 << (8 * size - 1);

	if (a->type == QD_TYPE_U32)
		return a->bits < 2u * (uint32_t)half;
	return a->type == QD_TYPE_I32 && v >= -half && v < 2 * half;
}

/* Returns whether the argument is a value of the parameter's type, or bytes of its size. If the
 * file has no type for the parameter, a value of its size is accepted. */
static bool
takes_value(const struct layout_param *p, const struct qd_arg *a, uint32_t size)
{
	if (a->buffer)
		return false;
	if (a->host)
		return a->size == size;
	if (a->type <= QD_TYPE_NONE || (unsigned)a->type >= N_TYPE)
		return false;
	if (a->type == p->type)
		return true;
	if (size < 4)
		return !type_info[p->type].is_float && (size == 1 || size == 2) &&
		       fits_narrow(a, size);
	return p->type == QD_TYPE_NONE && type_info[a->type].size == size;
}

static qd_status
put_value(struct args *args, uint32_t i, const struct layout_param *p, struct qd_error *err)
{
	const struct qd_arg *a = &args->given[i];
	uint32_t size = layout_value_size(args->d, i);

	if (!takes_value(p, a, size))
		return wrong_kind(args->d, i, a, err);
	args->bits[i] = a->host ? 0 : a->bits;
	args->bufs[i] = NULL;
	memcpy(args->block + p->offset, a->host ? a->host : (const void *)&a->bits, size);
	return QD_OK;
}

/* Writes the slots that belong to no parameter. */
static void
put_slots(struct args *args, uint32_t n_blocks)
{
	const struct layout_slot *s = layout_slots(args->d);

	for (uint32_t i = args->d->n_params; i < args->d->n_slots; i++) {
		uint64_t bits = s[i].what == LAYOUT_SLOT_N_BLOCKS ? n_blocks : s[i].bits;
		memcpy(args->block + s[i].offset, &bits, s[i].size);
	}
}

static qd_status
put_args(struct args *args, uint32_t n, struct qd_error *err)
{
	const struct launch_layout *d = args->d;
	const struct layout_param *p = layout_params(d);
	const struct qd_arg *a = args->given;
	if (QD_UNLIKELY(n != d->n_params))
		return qd_fail(err, QD_E_INVALID, "kernel '%s' has %u parameters, not %u",
			       layout_name(d), d->n_params, n);
	for (uint32_t i = 0; i < n; i++, p++) {
		if (p->align) {
			QD_TRY(put_buffer(args, i, p, err));
			continue;
		}
		if (QD_UNLIKELY(layout_by_slots(d))) {
			QD_TRY(put_value(args, i, p, err));
			continue;
		}
		if (QD_UNLIKELY(a[i].buffer || a[i].host || a[i].type != p->type))
			return wrong_kind(d, i, &a[i], err);
		args->bits[i] = p->size == 4 ? (uint32_t)a[i].bits : a[i].bits;
		args->bufs[i] = NULL;
		/* Writes 8 bytes: after a 4-byte value follows padding, or the next value, which is
		 * written later. */
		memcpy(args->block + p->offset, &args->bits[i], 8);
	}
	return QD_OK;
}

static bool
overlap(const struct qd_buffer *a, const struct qd_buffer *b)
{
	return a->size && b->size && a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* Checks that no buffer that is written shares memory with another. */
static qd_status
check_overlap(const struct args *args, struct qd_error *err)
{
	const struct launch_layout *d = args->d;
	const struct layout_param *p = layout_params(d);
	for (uint32_t i = 0; i < d->n_params; i++) {
		for (uint32_t j = i + 1; args->bufs[i] && j < d->n_params; j++) {
			if (!args->bufs[j] ||
			    !overlap(args->given[i].buffer, args->given[j].buffer))
				continue;
			uint32_t w = p[i].access & QD_ACCESS_OUT ? i : j;
			if (!(p[w].access & QD_ACCESS_OUT))
				continue;
			return qd_fail(err, QD_E_FINDING,
				       "arguments %u '%s' and %u '%s' of kernel '%s' overlap, and "
				       "'%s' is written; nothing was launched",
				       i, layout_param_name(d, i), j, layout_param_name(d, j),
				       layout_name(d), layout_param_name(d, w));
		}
	}
	return QD_OK;
}

/* -- Number of blocks --------------------------------------------------------- */

/* Every thread has an index, including padding threads beyond the grid loop's count. */
static qd_status
check_index(const struct launch_layout *d, uint32_t n_blocks, struct qd_error *err)
{
	uint64_t n = (uint64_t)n_blocks * d->block_dim;

	if (QD_LIKELY(!n || n - 1 <= layout_last_index(d)))
		return QD_OK;
	return qd_fail(
		err, QD_E_LIMIT,
		"kernel '%s': the last of %u blocks of %u threads has index %llu, which exceeds "
		"the grid loop's type %s; launch fewer blocks, or use a 64-bit count",
		layout_name(d), n_blocks, d->block_dim, (unsigned long long)(n - 1),
		qd_type_name(d->index_type));
}

static qd_status
count_blocks(const struct args *args, uint32_t given, uint32_t *n_blocks, uint64_t *grid_n,
	     struct qd_error *err)
{
	const struct launch_layout *d = args->d;
	*grid_n = UINT64_MAX;
	if (d->n_steps && QD_UNLIKELY(!layout_grid(d, args->bits, grid_n)))
		return layout_wrapped(d, args->bits, err);
	if (given != QD_GRID) {
		*n_blocks = given;
		return check_index(d, given, err);
	}
	if (QD_UNLIKELY(!d->n_steps))
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%s' has no grid loop, which QD_GRID needs; pass the number "
			       "of blocks",
			       layout_name(d));
	uint64_t n = *grid_n / d->block_dim + (*grid_n % d->block_dim != 0);
	if (QD_UNLIKELY(n > UINT32_MAX))
		return qd_fail(err, QD_E_LIMIT,
			       "kernel '%s': a grid of %llu in blocks of %u has %llu blocks; a "
			       "launch has at most 4294967295",
			       layout_name(d), (unsigned long long)*grid_n, d->block_dim,
			       (unsigned long long)n);
	*n_blocks = (uint32_t)n;
	return check_index(d, *n_blocks, err);
}

/* Logs, once per function, that the grid loop's count exceeds the length of a buffer that it writes
 * at its own index. The stores past the end do nothing. */
static QD_COLD void
log_extent(struct qd_function *fn, const struct args *a, uint64_t n)
{
	const struct launch_layout *d = a->d;
	struct qd_error at;

	if (atomic_exchange_explicit(&fn->warned_extent, true, memory_order_relaxed))
		return;
	for (uint32_t i = 0; i < d->n_params; i++) {
		if (!(fn->extent >> i & 1) || a->bits[i] >= n)
			continue;
		size_t len = jit_extent_place(fn->image, i, &at);
		ctx_log(fn->dev->ctx, QD_LOG_WARNING, "launch",
			"%.*sremark: the grid loop counts to %llu, but '%s' has %llu element%s: "
			"stores past its end do nothing; pass %llu elements (kernel %s)",
			(int)len, at.text, (unsigned long long)n, layout_param_name(d, i),
			(unsigned long long)a->bits[i], a->bits[i] == 1 ? "" : "s",
			(unsigned long long)n, layout_name(d));
	}
}

static inline void
check_extent(struct qd_function *fn, const struct args *a, uint64_t n)
{
	for (uint64_t rest = fn->extent; rest; rest &= rest - 1)
		if (QD_UNLIKELY(a->bits[qd_lowest_bit(rest)] < n)) {
			log_extent(fn, a, n);
			return;
		}
}

/* Compilers read up to 16 bytes at once, also past the last argument. The blocks of such a kernel
 * are numbered from 0, so one dispatch must contain all of them. */
static qd_status
finish_slots(struct args *args, struct launch *l, struct qd_error *err)
{
	const struct launch_layout *d = args->d;

	if (l->n_blocks > args->dev->max_x)
		return qd_fail(err, QD_E_LIMIT,
			       "kernel '%s': %u blocks; %s supports %u per launch, and a launch of "
			       "another compiler's kernel cannot be split",
			       layout_name(d), l->n_blocks, args->dev->info.selector,
			       args->dev->max_x);
	if ((uint64_t)l->n_blocks * d->block_dim > UINT32_MAX)
		return qd_fail(err, QD_E_LIMIT,
			       "kernel '%s': %u blocks of %u threads; a kernel of another compiler "
			       "has at most 4294967295 threads",
			       layout_name(d), l->n_blocks, d->block_dim);
	put_slots(args, l->n_blocks);
	l->args_size = (d->args_size + 15u) & ~15u;
	return QD_OK;
}

static QD_COLD qd_status
no_general(const struct args *args, const struct qd_function *fn, struct qd_error *err)
{
	const struct launch_layout *d = args->d;
	const struct qd_buffer *buf = NULL;
	uint64_t addr = 0;
	uint32_t i = 0;

	for (bool found = false; !found; i += !found) {
		if (!args->bufs[i])
			continue;
		buf = args->given[i].buffer;
		memcpy(&addr, args->block + layout_params(d)[i].offset, sizeof addr);
		found = violated(addr, buf) != 0;
	}
	return qd_fail(err, QD_E_INVALID,
		       ARGUMENT "%zu bytes at address 0x%llx, but the image for target %s requires less than "
				"4294967296 bytes at a multiple of %d; use an image for a target without '" ISA_FACTS_OPTION "'",
		       ARGUMENT_OF(d, i), buf->size, (unsigned long long)addr, fn->image->target->m.name, FACT_ALIGN);
}

/* Selects the general variant, because an argument violates a launch fact. */
static QD_COLD qd_status
pick_general(const struct args *args, struct qd_function *fn, struct qd_function **out, struct qd_error *err)
{
	if (!jit_has_general(fn->image))
		return no_general(args, fn, err);
	return function_general(fn, out, err);
}

qd_status
qd_launch(struct qd_stream *stream, struct qd_function *fn, uint32_t n_blocks,
	  const struct qd_arg *args, uint32_t n_args, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(fn, err, "the function is NULL");
	QD_CHECK_ARG(args || n_args == 0, err, "the arguments are NULL");
	QD_CHECK_FORK(stream->dev, err);
	const struct launch_layout *d = fn->image->layout;
	if (QD_UNLIKELY(fn->dev != stream->dev))
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%s' is loaded on device %s, the stream belongs to %s",
			       layout_name(d), fn->dev->info.selector,
			       stream->dev->info.selector);
	struct args a;
	a.d = d;
	a.dev = fn->dev;
	a.given = args;
	a.broken = 0;
	bool by_slots = layout_by_slots(d);
	if (QD_UNLIKELY(by_slots))
		memset(a.block, 0, d->args_size + 16u);
	QD_TRY(put_args(&a, n_args, err));
	if (QD_LIKELY(!by_slots))
		/* including the padding and the report buffer's fields */
		memset(a.block + d->tail, 0, N_TAIL * 4 + 4 + REPORT_ARGS);
	if (fn->dev->checks)
		QD_TRY(check_overlap(&a, err));

	struct launch l = {
		.fn = fn,
		.args = a.block,
		.args_size = d->args_size,
		.tail = by_slots ? (uint32_t)NO_TAIL : d->tail,
		.bits = a.bits,
		.bufs = a.bufs,
		.n_params = n_args,
	};
	QD_TRY(count_blocks(&a, n_blocks, &l.n_blocks, &l.grid_n, err));
	if (l.n_blocks == 0)
		return QD_OK;
	if (QD_UNLIKELY(fn->extent) && n_blocks == QD_GRID)
		check_extent(fn, &a, l.grid_n);
	if (QD_UNLIKELY(by_slots))
		QD_TRY(finish_slots(&a, &l, err));
	else
		memcpy(a.block + d->tail + 4 * TAIL_N_BLOCKS, &l.n_blocks, 4);
	if (QD_UNLIKELY(fn->relies && a.broken))
		QD_TRY(pick_general(&a, fn, &l.fn, err));
	return stream_launch(stream, &l, err);
}
