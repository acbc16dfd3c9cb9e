/* What a launch must know of an image: its kernel's parameters, where they lie in
 * the argument block, its block, and how the grid's count is computed.  One block of
 * bytes that go to files as they are: offsets from its start in place of pointers,
 * fixed widths, little-endian as every host is, no padding.  Names are in it, and
 * template values are folded into the steps, so nothing else is looked up. */
#ifndef QD_JIT_DESCRIBE_H
#define QD_JIT_DESCRIBE_H

#include "base.h"
#include "report.h"

/* Of a kernel of qd's own; of one whose argument block is laid out by slots, as another
 * compiler has it (jit/object.h); and of one of qd's own that reports (pass/report.h): behind
 * the tail words of its argument block are the address and the length of a report buffer.
 * All are read. */
enum {
	DESCRIBE_VERSION = 5,
	DESCRIBE_VERSION_SLOTS = 6,
	DESCRIBE_VERSION_REPORT = 7,
	DESCRIBE_ALIGN = 8
};
/* Bytes of an argument block, parameters by slots, slots: at most. */
enum { DESCRIBE_MAX_ARGS = 4096, DESCRIBE_MAX_SLOTS = 160 };

struct description {
	uint32_t size; /* bytes of all of it */
	uint16_t version;
	uint16_t name, params, steps; /* offsets */
	uint8_t n_params, n_steps;    /* no steps: there is no grid loop */
	uint8_t index_type;	      /* qd_type of the grid loop's index; NONE: no loop */
	uint8_t n_slots;	      /* of version DESCRIBE_VERSION_SLOTS; else 0 */
	uint16_t args_size;	      /* bytes of the argument block */
	union {
		uint16_t tail;	/* where in it its tail words are; */
		uint16_t slots; /* or, by slots, where those are here: there are no tail words */
	};
	uint16_t block[3];
	uint16_t subgroup_size;
	uint32_t block_dim;
};
_Static_assert(sizeof(struct description) == 32, "no padding: its bytes are written to files");

struct description_param {
	uint16_t name, offset; /* offset: in the argument block */
	uint8_t align;	/* of a buffer: its first byte is at a multiple of this; 0: a scalar */
	uint8_t type;	/* qd_type of the scalar or the elements; NONE, with slots: bytes */
	uint8_t size;	/* bytes of one; 0 of a value that is bytes, whose slot says how many */
	uint8_t access; /* qd_access of a buffer, else 0 */
};
_Static_assert(sizeof(struct description_param) == 8, "no padding");

/* What stands in an argument block that is laid out by slots.  The i-th slot is that of
 * parameter i: of a buffer its address alone.  What no slot covers is zero. */
enum describe_slot {
	DESCRIBE_SLOT_PARAM,
	DESCRIBE_SLOT_BITS,	/* always these */
	DESCRIBE_SLOT_N_BLOCKS, /* of the launch */
	N_DESCRIBE_SLOT
};

struct description_slot {
	uint16_t offset, size;
	uint8_t what, param;
	uint16_t zero;
	uint64_t bits;
};
_Static_assert(sizeof(struct description_slot) == 16, "no padding");

/* What a step computes, of numbers that the launch has: these never change, beside
 * the version. */
enum describe_op {
	DESCRIBE_CONST, /* bits */
	DESCRIBE_WRAPPED, /* the same, of which an operation that wraps was computed before */
	DESCRIBE_ARG,	/* of parameter x the value, or the elements of the buffer */
	DESCRIBE_ADD,
	DESCRIBE_SUB,
	DESCRIBE_MUL,
	DESCRIBE_DIV,
	DESCRIBE_REM,
	DESCRIBE_MIN,
	DESCRIBE_MAX,
	DESCRIBE_NEG,
	DESCRIBE_ABS,
	DESCRIBE_AND,
	DESCRIBE_OR,
	DESCRIBE_XOR,
	DESCRIBE_NOT,
	DESCRIBE_SHL,
	DESCRIBE_SHR,
	DESCRIBE_EQ,
	DESCRIBE_NE,
	DESCRIBE_LT,
	DESCRIBE_LE,
	DESCRIBE_SELECT, /* a ? b : x */
	DESCRIBE_CVT,
	DESCRIBE_BITCAST,
	N_DESCRIBE_OP
};

struct description_step {
	uint8_t op, type; /* qd_type of the result */
	uint8_t a, b;	  /* steps before this one */
	/* Of an operation that may wrap, and of WRAPPED: the offset of a text that says where it
	 * is, "k.qdk:1:20", or 0. */
	uint32_t x;
	uint64_t bits; /* of an operation that may wrap: line << 32 | column, or 0 */
};
_Static_assert(sizeof(struct description_step) == 16, "no padding");

static inline const char *
describe_name(const struct description *d)
{
	return (const char *)d + d->name;
}
static inline const struct description_param *
describe_params(const struct description *d)
{
	return (const struct description_param *)(const void *)((const char *)d + d->params);
}
static inline const char *
describe_param_name(const struct description *d, uint32_t i)
{
	return (const char *)d + describe_params(d)[i].name;
}
static inline const struct description_step *
describe_steps(const struct description *d)
{
	return (const struct description_step *)(const void *)((const char *)d + d->steps);
}

static inline const struct description_slot *
describe_slots(const struct description *d)
{
	return (const struct description_slot *)(const void *)((const char *)d + d->slots);
}
static inline bool
describe_by_slots(const struct description *d)
{
	return d->version == DESCRIBE_VERSION_SLOTS;
}
/* Where in the argument block the address of the report buffer is; 0: the kernel has none. */
static inline uint32_t
describe_report_at(const struct description *d)
{
	return d->version == DESCRIBE_VERSION_REPORT ? d->args_size - (uint32_t)REPORT_ARGS : 0;
}
/* Bytes that a scalar takes in the argument block. */
static inline uint32_t
describe_value_size(const struct description *d, uint32_t i)
{
	return describe_by_slots(d) ? describe_slots(d)[i].size : describe_params(d)[i].size;
}

struct qd_kernel;

/* Of this kernel with these template values, whose code reports or does not; NULL: out of
 * memory. */
struct description *describe_kernel(const struct qd_kernel *k, const int32_t *tmpl,
				    uint32_t subgroup_size, bool reports, struct arena *mem);
/* Of a kernel that others compiled, with so many blocks as a launch says: names in order, the
 * kernel's first; name and offset of the parameters are filled in. */
struct describe_foreign {
	const char *const *names;
	const struct description_param *params;
	const struct description_slot *slots; /* the parameters' first */
	uint32_t n_params, n_slots, args_size, block[3], subgroup_size;
};
struct description *describe_foreign(const struct describe_foreign *f, struct arena *mem);
/* Bytes that come from outside, aligned to DESCRIBE_ALIGN: what is found good may be
 * launched by.  QD_E_VERSION for another version, QD_E_INVALID for what no kernel's
 * description can be. */
qd_status describe_check(const void *bytes, size_t size, struct qd_error *err);

bool describe_compute(const struct description *d, const uint64_t *args, uint64_t *count);
/* The grid's count, with the value or the elements of each parameter; there are steps.
 * A negative count is 0.  False: the count was computed by an operation whose result is
 * another number than in arithmetic, such as 1 - 2 in u32; of a select only the side that
 * is chosen matters. */
static inline bool
describe_grid(const struct description *d, const uint64_t *args, uint64_t *count)
{
	const struct description_step *last = describe_steps(d) + d->n_steps - 1;

	if (QD_LIKELY(last->op == DESCRIBE_ARG && last->type == QD_TYPE_U32)) {
		*count = args[last->x];
		return true;
	}
	return describe_compute(d, args, count);
}
/* Where describe_grid gave false: which operation it is, of which values. */
QD_COLD qd_status describe_wrapped(const struct description *d, const uint64_t *args,
				   struct qd_error *err);
/* The greatest index that the grid loop's type holds. */
static inline uint64_t
describe_last_index(const struct description *d)
{
	switch (d->index_type) {
	case QD_TYPE_I32: return INT32_MAX;
	case QD_TYPE_U32: return UINT32_MAX;
	case QD_TYPE_I64: return INT64_MAX;
	default: return UINT64_MAX;
	}
}

#endif
