/* Test fixture of SPIR-V: a kernel built by hand, its module, and functions to read it. */
#ifndef T_SPIRV_H
#define T_SPIRV_H

#include "isa.h"
#include "need.h"
#include "spv.h"
#include "unit.h"

struct spirv_fx {
	struct unit_ctx *t;
	struct unit_alloc alloc;
	struct pool pool;
	struct arena mem;
	struct buf code;
	struct qd_kernel k;
	struct param params[4];
	struct memory mems[16];
	struct body body;
	struct target target;
	struct isa_meta meta;
	struct qd_error err;
	const uint32_t *w; /* the module */
	uint32_t n;
};

/* Value types without bool. */
enum { N_SPIRV_TYPES = 6 };
extern const qd_type spirv_types[N_SPIRV_TYPES];

enum { SRC, DST, SCALE }; /* parameters: two buffers and a scalar */

void spirv_start(struct spirv_fx *f, struct unit_ctx *t, const char *target, qd_type element);
void spirv_stop(struct spirv_fx *f);
uint32_t spirv_push(struct spirv_fx *f, enum op op, qd_type type, uint32_t a, uint32_t b,
		    uint32_t c, uint32_t x);
/* Does the same, with attributes. */
uint32_t spirv_push_attr(struct spirv_fx *f, enum op op, qd_type type, uint32_t attr, uint32_t a,
			 uint32_t b, uint32_t c, uint32_t x);
uint32_t spirv_u32(struct spirv_fx *f, uint32_t v);
/* Declares a shared array and returns its memory index. */
uint32_t spirv_shared(struct spirv_fx *f, qd_type type, uint32_t len);
uint32_t spirv_load(struct spirv_fx *f, uint32_t index, uint32_t where); /* from SRC */
void spirv_store(struct spirv_fx *f, uint32_t index, uint32_t v, uint32_t where); /* to DST */
qd_status spirv_emit(struct spirv_fx *f);
/* Emits, which must succeed. The module is kept for oracle.c if dumps are requested. */
void spirv_must_emit(struct spirv_fx *f);
/* Emits x = src[i]; x = x * scale + x if i < len; dst[i] = x. */
void spirv_plain_body(struct spirv_fx *f, qd_type type);
/* Emits for (i = 0; i < len; i++) dst[i] = src[i] with u32 elements. */
void spirv_count_loop(struct spirv_fx *f);

/* -- Reading a module -- */

uint32_t spirv_count(const struct spirv_fx *f, uint32_t op);
bool spirv_has_cap(const struct spirv_fx *f, uint32_t cap);
/* Returns the word offset of the n-th instruction with this opcode, or 0. */
uint32_t spirv_find(const struct spirv_fx *f, uint32_t op, uint32_t n);

/* Iterates over the instructions; i is the first word of each. */
#define EACH(f, i) for (uint32_t i = SPV_HEADER_WORDS; i < (f)->n; i += (f)->w[i] >> 16)
#define OPCODE(f, i) ((f)->w[i] & 0xffff)

#endif
