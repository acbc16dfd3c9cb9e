/* Description of an image for launches: the kernel's parameters, their offsets in the argument
 * block, the block size, and the steps that compute the grid loop's count.  A description is one
 * block of bytes that is written to files unchanged: offsets from its start instead of pointers,
 * fixed widths, little-endian like every host, no padding.  It contains the names, and the steps
 * contain the template values, so a launch needs nothing else. */
#ifndef QD_JIT_DESCRIBE_H
#define QD_JIT_DESCRIBE_H

#include "base.h"
#include "report.h"

/* Versions of descriptions; all are readable.  VERSION is for kernels compiled by qd.  VERSION_SLOTS
 * is for kernels of other compilers: slots define their argument block (jit/object.h).
 * VERSION_REPORT is for kernels compiled by qd that report (pass/report.h): the address and the
 * length of a report buffer follow the tail words of the argument block. */
enum {
	DESCRIBE_VERSION = 5,
	DESCRIBE_VERSION_SLOTS = 6,
	DESCRIBE_VERSION_REPORT = 7,
	DESCRIBE_ALIGN = 8
};
/* Limits of the bytes of an argument block, and of the slots. */
enum { DESCRIBE_MAX_ARGS = 4096, DESCRIBE_MAX_SLOTS = 160 };

struct description {
	uint32_t size; /* total bytes */
	uint16_t version;
	uint16_t name, params, steps; /* offsets */
	uint8_t n_params, n_steps;    /* n_steps 0: no grid loop */
	uint8_t index_type;	      /* qd_type of the grid loop's index; NONE: no loop */
	uint8_t n_slots;	      /* 0 unless version is DESCRIBE_VERSION_SLOTS */
	uint16_t args_size;	      /* bytes of the argument block */
	union {
		uint16_t tail;	/* offset of the tail words in the argument block */
		uint16_t slots; /* with slots: offset of the slots in the description; no tail words */
	};
	uint16_t block[3];
	uint16_t subgroup_size;
	uint32_t block_dim;
};
_Static_assert(sizeof(struct description) == 32, "no padding: its bytes are written to files");

struct description_param {
	uint16_t name, offset; /* offset: in the argument block */
	uint8_t align;	/* alignment of a buffer's first byte; 0: a scalar */
	uint8_t type;	/* qd_type of the scalar or the elements; NONE, with slots: raw bytes */
	uint8_t size;	/* bytes of the scalar or an element; 0: raw bytes, see the slot's size */
	uint8_t access; /* qd_access of a buffer, else 0 */
};
_Static_assert(sizeof(struct description_param) == 8, "no padding");

/* Contents of a slot of the argument block.  Slot i belongs to parameter i; a buffer's slot
 * contains only its address.  Bytes outside all slots are zero. */
enum describe_slot {
	DESCRIBE_SLOT_PARAM,
	DESCRIBE_SLOT_BITS,	/* constant */
	DESCRIBE_SLOT_N_BLOCKS, /* number of blocks of the launch */
	N_DESCRIBE_SLOT
};

struct description_slot {
	uint16_t offset, size;
	uint8_t what, param;
	uint16_t zero;
	uint64_t bits;
};
_Static_assert(sizeof(struct description_slot) == 16, "no padding");

/* Operation of a step, on values known at launch.  These numbers must not change without a new
 * version. */
enum describe_op {
	DESCRIBE_CONST, /* bits */
	DESCRIBE_WRAPPED, /* a constant, folded from an operation that wrapped */
	DESCRIBE_ARG,	/* value of parameter x, or the number of elements of the buffer */
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
	/* For WRAPPED and operations that may wrap: offset of the text of the source location,
	 * "k.qdk:1:20", or 0. */
	uint32_t x;
	uint64_t bits; /* for an operation that may wrap: line << 32 | column, or 0 */
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
/* Returns the offset of the report buffer's address in the argument block; 0: no report buffer. */
static inline uint32_t
describe_report_at(const struct description *d)
{
	return d->version == DESCRIBE_VERSION_REPORT ? d->args_size - (uint32_t)REPORT_ARGS : 0;
}
/* Returns the bytes of scalar i in the argument block. */
static inline uint32_t
describe_value_size(const struct description *d, uint32_t i)
{
	return describe_by_slots(d) ? describe_slots(d)[i].size : describe_params(d)[i].size;
}

struct qd_kernel;

/* Creates the description of a kernel with these template values.  reports: the code uses a report
 * buffer.  Returns NULL if out of memory. */
struct description *describe_kernel(const struct qd_kernel *k, const int32_t *tmpl,
				    uint32_t subgroup_size, bool reports, struct arena *mem);
/* Input for the description of a kernel of another compiler, without a grid loop.  The array names
 * begins with the kernel's name; the parameters' names follow in order.  The function
 * describe_foreign fills in name and offset of the parameters. */
struct describe_foreign {
	const char *const *names;
	const struct description_param *params;
	const struct description_slot *slots; /* those of the parameters first */
	uint32_t n_params, n_slots, args_size, block[3], subgroup_size;
};
struct description *describe_foreign(const struct describe_foreign *f, struct arena *mem);
/* Validates untrusted bytes, aligned to DESCRIBE_ALIGN; a launch may use a valid description.
 * Returns QD_E_VERSION for an unknown version, QD_E_INVALID for an invalid description. */
qd_status describe_check(const void *bytes, size_t size, struct qd_error *err);

bool describe_compute(const struct description *d, const uint64_t *args, uint64_t *count);
/* Computes the grid loop's count.  args contains the value, or the number of elements, of each
 * parameter.  There must be steps.  A negative count becomes 0.  Returns false if an operation
 * that the count depends on wraps, such as 1 - 2 in u32; the unselected side of a select does not
 * matter. */
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
/* After describe_grid returned false: reports the operation that wraps, with its values. */
QD_COLD qd_status describe_wrapped(const struct description *d, const uint64_t *args,
				   struct qd_error *err);
/* Returns the maximum of the grid loop's index type. */
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
