/* Description of an image for launches: the kernel's parameters, their offsets in the argument
 * block, the block size, and the steps that compute the grid loop's count. A description is one
 * block of bytes that is written to files unchanged: offsets from its start instead of pointers,
 * fixed widths, little-endian like every host, no padding. It contains the names, and the steps
 * contain the template values, so a launch needs nothing else. */
#ifndef QD_JIT_DESCRIBE_H
#define QD_JIT_DESCRIBE_H

#include "base.h"
#include "report.h"

/* Versions of descriptions; all are readable. VERSION is for kernels compiled by qd. VERSION_SLOTS
 * is for kernels of other compilers: slots define their argument block (jit/object.h).
 * VERSION_REPORT is for kernels compiled by qd that report (pass/report.h): the address and the
 * length of a report buffer follow the tail words of the argument block. */
enum {
	LAYOUT_VERSION = 5,
	LAYOUT_VERSION_SLOTS = 6,
	LAYOUT_VERSION_REPORT = 7,
	LAYOUT_ALIGN = 8
};
/* Limits of the bytes of an argument block, and of the slots. */
enum { LAYOUT_MAX_ARGS = 4096, LAYOUT_MAX_SLOTS = 160 };

struct launch_layout {
	uint32_t size; /* total bytes */
	uint16_t version;
	uint16_t name, params, steps; /* offsets */
	uint8_t n_params, n_steps;    /* n_steps 0: no grid loop */
	uint8_t index_type;	      /* qd_type of the grid loop's index; NONE: no loop */
	uint8_t n_slots;	      /* 0 unless version is LAYOUT_VERSION_SLOTS */
	uint16_t args_size;	      /* bytes of the argument block */
	union {
		uint16_t tail;	/* offset of the tail words in the argument block */
		uint16_t slots; /* with slots: offset of the slots in the description; no tail words */
	};
	uint16_t block[3];
	uint16_t subgroup_size;
	uint32_t block_dim;
};
_Static_assert(sizeof(struct launch_layout) == 32, "no padding: its bytes are written to files");

struct layout_param {
	uint16_t name, offset; /* offset: in the argument block */
	uint8_t align;	/* alignment of a buffer's first byte; 0: a scalar */
	uint8_t type;	/* qd_type of the scalar or the elements; NONE, with slots: raw bytes */
	uint8_t size;	/* bytes of the scalar or an element; 0: raw bytes, see the slot's size */
	uint8_t access; /* qd_access of a buffer, else 0 */
};
_Static_assert(sizeof(struct layout_param) == 8, "no padding");

/* Contents of a slot of the argument block. Slot i belongs to parameter i; a buffer's slot
 * contains only its address. Bytes outside all slots are zero. */
enum layout_slot_kind {
	LAYOUT_SLOT_PARAM,
	LAYOUT_SLOT_BITS,	/* constant */
	LAYOUT_SLOT_N_BLOCKS, /* number of blocks of the launch */
	N_LAYOUT_SLOT
};

struct layout_slot {
	uint16_t offset, size;
	uint8_t what, param;
	uint16_t zero;
	uint64_t bits;
};
_Static_assert(sizeof(struct layout_slot) == 16, "no padding");

/* Operation of a step, on values known at launch. These numbers must not change without a new
 * version. */
enum layout_op {
	LAYOUT_CONST, /* bits */
	LAYOUT_WRAPPED, /* a constant, folded from an operation that wrapped */
	LAYOUT_ARG,	/* value of parameter x, or the number of elements of the buffer */
	LAYOUT_ADD,
	LAYOUT_SUB,
	LAYOUT_MUL,
	LAYOUT_DIV,
	LAYOUT_REM,
	LAYOUT_MIN,
	LAYOUT_MAX,
	LAYOUT_NEG,
	LAYOUT_ABS,
	LAYOUT_AND,
	LAYOUT_OR,
	LAYOUT_XOR,
	LAYOUT_NOT,
	LAYOUT_SHL,
	LAYOUT_SHR,
	LAYOUT_EQ,
	LAYOUT_NE,
	LAYOUT_LT,
	LAYOUT_LE,
	LAYOUT_SELECT, /* a ? b : x */
	LAYOUT_CVT,
	LAYOUT_BITCAST,
	N_LAYOUT_OP
};

struct layout_step {
	uint8_t op, type; /* qd_type of the result */
	uint8_t a, b;	  /* steps before this one */
	/* For WRAPPED and operations that may wrap: offset of the text of the source location,
	 * "k.qdk:1:20", or 0. */
	uint32_t x;
	uint64_t bits; /* for an operation that may wrap: line << 32 | column, or 0 */
};
_Static_assert(sizeof(struct layout_step) == 16, "no padding");

static inline const char *
layout_name(const struct launch_layout *d)
{
	return (const char *)d + d->name;
}
static inline const struct layout_param *
layout_params(const struct launch_layout *d)
{
	return (const struct layout_param *)(const void *)((const char *)d + d->params);
}
static inline const char *
layout_param_name(const struct launch_layout *d, uint32_t i)
{
	return (const char *)d + layout_params(d)[i].name;
}
static inline const struct layout_step *
layout_steps(const struct launch_layout *d)
{
	return (const struct layout_step *)(const void *)((const char *)d + d->steps);
}

static inline const struct layout_slot *
layout_slots(const struct launch_layout *d)
{
	return (const struct layout_slot *)(const void *)((const char *)d + d->slots);
}
static inline bool
layout_by_slots(const struct launch_layout *d)
{
	return d->version == LAYOUT_VERSION_SLOTS;
}
/* Returns the offset of the report buffer's address in the argument block; 0: no report buffer. */
static inline uint32_t
layout_report_at(const struct launch_layout *d)
{
	return d->version == LAYOUT_VERSION_REPORT ? d->args_size - (uint32_t)REPORT_ARGS : 0;
}
/* Returns the bytes of scalar i in the argument block. */
static inline uint32_t
layout_value_size(const struct launch_layout *d, uint32_t i)
{
	return layout_by_slots(d) ? layout_slots(d)[i].size : layout_params(d)[i].size;
}

struct qd_kernel;

/* Creates the description of a kernel with these template values. reports: the code uses a report
 * buffer. Returns NULL if out of memory. */
struct launch_layout *layout_kernel(const struct qd_kernel *k, const int32_t *tmpl,
				    uint32_t subgroup_size, bool reports, struct arena *mem);
/* Input for the description of a kernel of another compiler, without a grid loop. The array names
 * begins with the kernel's name; the parameters' names follow in order. The function
 * layout_foreign fills in name and offset of the parameters. */
struct layout_foreign {
	const char *const *names;
	const struct layout_param *params;
	const struct layout_slot *slots; /* those of the parameters first */
	uint32_t n_params, n_slots, args_size, block[3], subgroup_size;
};
struct launch_layout *layout_foreign(const struct layout_foreign *f, struct arena *mem);
/* Validates untrusted bytes, aligned to LAYOUT_ALIGN; a launch may use a valid description.
 * Returns QD_E_VERSION for an unknown version, QD_E_INVALID for an invalid description. */
qd_status layout_check(const void *bytes, size_t size, struct qd_error *err);

bool layout_compute(const struct launch_layout *d, const uint64_t *args, uint64_t *count);
/* Computes the grid loop's count. args contains the value, or the number of elements, of each
 * parameter. There must be steps. A negative count becomes 0. Returns false if an operation
 * that the count depends on wraps, such as 1 - 2 in u32; the unselected side of a select does not
 * matter. */
static inline bool
layout_grid(const struct launch_layout *d, const uint64_t *args, uint64_t *count)
{
	const struct layout_step *last = layout_steps(d) + d->n_steps - 1;

	if (QD_LIKELY(last->op == LAYOUT_ARG && last->type == QD_TYPE_U32)) {
		*count = args[last->x];
		return true;
	}
	return layout_compute(d, args, count);
}
/* After layout_grid returned false: reports the operation that wraps, with its values. */
QD_COLD qd_status layout_wrapped(const struct launch_layout *d, const uint64_t *args,
				   struct qd_error *err);
/* Returns the maximum of the grid loop's index type. */
static inline uint64_t
layout_last_index(const struct launch_layout *d)
{
	switch (d->index_type) {
	case QD_TYPE_I32: return INT32_MAX;
	case QD_TYPE_U32: return UINT32_MAX;
	case QD_TYPE_I64: return INT64_MAX;
	default: return UINT64_MAX;
	}
}

#endif
