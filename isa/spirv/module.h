/* A module under construction: words of each section, ids, types and constants without duplicates,
 * capabilities. It is independent of kernels. */
#ifndef QD_ISA_SPIRV_MODULE_H
#define QD_ISA_SPIRV_MODULE_H

#include <assert.h>

#include "isa.h"
#include "need.h"
#include "spv.h"

/* All integers are declared unsigned: the instructions determine the signedness. */
/* clang-format off */
#define T_ELEMENTS(group) group##_U8, group##_U16, group##_U32, group##_U64, group##_F32, group##_F64
#define T_VIEWS(group)	  T_ELEMENTS(group), group##_UVEC2
enum spv_type {
	T_VOID, T_BOOL, T_U8, T_U16, T_U32, T_U64, T_F32, T_F64,
	T_UVEC2, T_UVEC3, T_UVEC4, T_FVEC2, T_PAIR, /* struct of two u32 */
	T_MAIN,				   /* void () */
	/* pointers to locals */
	T_VAR_BOOL, T_VAR_U32, T_VAR_U64, T_VAR_F32, T_VAR_F64,
	/* pointers to inputs */
	T_IN_U32, T_IN_UVEC3,
	/* memory: pointer to an element, array of elements, its block, that of an `in` buffer,
	 * pointers to the blocks */
	T_VIEWS(T_MEM), T_MEM_UVEC4, T_VIEWS(T_ARRAY), T_VIEWS(T_BLOCK), T_VIEWS(T_IN_BLOCK),
	T_VIEWS(T_BASE), T_VIEWS(T_IN_BASE),
	/* members of the argument block: pointers to them, in push constants, in memory */
	T_PUSH_U32,
	T_VIEWS(T_PUSH_BASE), T_VIEWS(T_PUSH_IN_BASE), T_VIEWS(T_MEM_BASE), T_VIEWS(T_MEM_IN_BASE),
	/* pointers to elements of shared arrays */
	T_SHARED_U32, T_SHARED_U64, T_SHARED_F32, T_SHARED_F64, T_SHARED_UVEC2,
	N_SPV_TYPE
};
/* clang-format on */

enum spv_cap {
	CAPABILITY_SHADER,
	CAPABILITY_MEMORY_MODEL,
	CAPABILITY_ADDRESSES,
	CAPABILITY_INT64,
	CAPABILITY_ATOMIC64,
	CAPABILITY_FLOAT64,
	CAPABILITY_INT8,
	CAPABILITY_INT16,
	CAPABILITY_STORE8,
	CAPABILITY_STORE16,
	CAPABILITY_SUBGROUP,
	CAPABILITY_SHUFFLE,
	CAPABILITY_BALLOT,
	CAPABILITY_ARITHMETIC,
	CAPABILITY_CLUSTERED,
	CAPABILITY_ZEROS,
	CAPABILITY_DENORM,
	CAPABILITY_RTE,
	CAPABILITY_DOT,
	CAPABILITY_DOT_BYTES,
	N_SPV_CAP
};

/* Execution modes of the entry point. */
enum spv_mode {
	MODE_ZEROS32,
	MODE_ZEROS64,
	MODE_DENORM32,
	MODE_DENORM64,
	MODE_RTE32,
	MODE_RTE64,
	MODE_UNIFORM_FLOW,
	MODE_ZEROS16,
	MODE_DENORM16,
	MODE_RTE16,
	N_SPV_MODE
};

struct words {
	uint32_t *base, *at, *end;
};

struct spv_const {
	uint32_t type, lo, hi, id;
};

struct module {
	struct words anno, decl; /* fixed size, counted by the emitter */
	struct words interface;	 /* ids of the globals; fixed size */
	struct words body;	 /* grows, in `code` */
	struct buf *code;
	uint32_t bound; /* next id */
	uint32_t caps;
	uint32_t modes; /* bit per enum spv_mode */
	uint32_t glsl; /* id of the imported instruction set, or 0 */
	const uint8_t *tables; /* bytes of the constant tables */
	uint32_t tables_size, tables_at; /* tables_at: the word of the code at which their text begins */
	uint32_t type[N_SPV_TYPE];
	struct spv_const *consts;
	uint32_t const_mask;
};

/* Upper bounds of what differs between kernels. */
struct module_size {
	uint32_t n_consts; /* in addition to the module's own */
	uint32_t n_floats; /* decorated results */
	uint32_t n_members; /* of the argument block */
	uint32_t n_arrays; /* shared arrays and tables */
};
/* Returns false if out of memory. */
bool module_init(struct module *m, struct arena *mem, struct buf *code,
		 const struct module_size *size);

static inline uint32_t
module_id(struct module *m)
{
	return m->bound++;
}

/* Grows the body. Returns false if out of memory. */
bool module_grow(struct module *m);
enum { MODULE_ROOM = 128 }; /* words that module_room guarantees */
static inline bool
module_room(struct module *m)
{
	return QD_LIKELY(m->body.end - m->body.at >= MODULE_ROOM) || module_grow(m);
}

static inline void
put_words(struct words *w, enum spv_op op, const uint32_t *operands, uint32_t n)
{
	assert((size_t)(w->end - w->at) > n);
	*w->at = (n + 1) << 16 | (uint32_t)op;
	memcpy(w->at + 1, operands, n * sizeof *operands);
	w->at += n + 1;
}

/* Appends an instruction without operands. */
static inline void
put_word(struct words *w, enum spv_op op)
{
	assert(w->at < w->end);
	*w->at++ = 1u << 16 | (uint32_t)op;
}

/* Appends an instruction: PUT(&m->body, Store, pointer, value). */
#define PUT(words, name, ...)                                                                      \
	put_words((words), SPV_##name, (const uint32_t[]){ __VA_ARGS__ },                          \
		  (uint32_t)(sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)))
/* Appends an instruction whose number is in a variable. */
#define PUT_OP(words, op, ...)                                                                     \
	put_words((words), (op), (const uint32_t[]){ __VA_ARGS__ },                                \
		  (uint32_t)(sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)))

uint32_t module_make_type(struct module *m, enum spv_type t);
static inline uint32_t
module_type(struct module *m, enum spv_type t)
{
	uint32_t id = m->type[t];
	return QD_LIKELY(id) ? id : module_make_type(m, t);
}

uint32_t module_const(struct module *m, enum spv_type t, uint64_t bits);
static inline uint32_t
module_u32(struct module *m, uint32_t v)
{
	return module_const(m, T_U32, v);
}

/* Declare a struct in memory with these member types and offsets, and a pointer type. */
uint32_t module_block(struct module *m, const uint32_t *types, const uint32_t *offsets, uint32_t n);
uint32_t module_pointer(struct module *m, uint32_t storage, uint32_t type);
/* Declares a variable of the module; `pointer` is the id of its type. */
uint32_t module_global(struct module *m, uint32_t pointer, uint32_t storage);
/* Declares a shared array. */
uint32_t module_shared(struct module *m, enum spv_type element, uint32_t len);
/* Declares an array in memory. */
uint32_t module_array(struct module *m, enum spv_type element, uint32_t len, uint32_t stride);
uint32_t module_builtin(struct module *m, enum spv_type pointer, uint32_t builtin);
uint32_t module_glsl(struct module *m);
static inline void
module_cap(struct module *m, enum spv_cap cap)
{
	m->caps |= 1u << cap;
}

#define MODULE_ENTRY "main"
/* Sets the modes that the target supports and the module uses. Must follow the body. */
void module_set_modes(struct module *m, uint32_t have);
/* Prepends the other sections to the body and sets the length of the code. Returns false if out of
 * memory. */
bool module_finish(struct module *m, struct arena *mem, uint32_t entry, uint32_t local_size);
/* Returns the SPV_NEED_* bits of the module. */
uint64_t module_needs(const struct module *m);

#endif
