/* Shared header of the SPIR-V emitter, which writes legal IR as a module. */
#ifndef QD_ISA_SPIRV_EMIT_H
#define QD_ISA_SPIRV_EMIT_H

#include "module.h"

/* View of a memory's elements: whole elements, or pairs of words. */
enum view { VIEW_ELEMENT, VIEW_HALF, N_VIEW };

/* An open if or loop of the body. */
struct frame {
	uint16_t op; /* OP_IF, OP_ELSE, OP_LOOP */
	bool tested; /* the loop's test has been emitted */
	uint32_t merge, other; /* other: label of the else, or of the loop's header */
	uint32_t next;	       /* label of the loop's continue */
};

/* An index, shifted left and converted to 64 bits: IR value, id, and label of the block with the
 * conversion. */
struct wide {
	uint32_t value, shift, id, label;
};
enum { N_WIDE = 8 };

struct emitter {
	struct module m;
	const struct isa_in *in;
	const struct ir *ir;	    /* the body's */
	const struct memory *mems; /* the same */
	const struct qd_kernel *k;
	const struct machine *machine;
	uint32_t *id;	 /* indexed by IR value */
	uint32_t *word;	 /* by word of the argument block; 1: needed but not loaded yet */
	uint32_t *base;	 /* by memory and view: pointer; 1: needed but not declared yet */
	uint32_t *address; /* by parameter: base as u64, if byte offsets are added to it; 1: needed */
	bool *bits;	 /* by memory: its floats are accessed as their bits */
	uint32_t lane, subgroup, local_index; /* ids; 1: needed but not loaded yet */
	uint32_t block;
	uint32_t tables, tables_type; /* address of the tables; its type, or 0: no table is read */
	struct wide wide[N_WIDE];
	uint32_t label;	 /* of the current block */
	uint32_t stored; /* index of the last store of the last vector */
	struct frame *frame;
	uint32_t n_frame;
	bool cross64;	/* the module has a cross-lane operation on 64-bit values */
};

static inline bool
type_is_64(qd_type t)
{
	return type_info[t].size == 8;
}

/* Returns the SPIR-V type of values of t. */
enum spv_type spv_value_type(qd_type t);
static inline uint32_t
type_id(struct emitter *e, qd_type t)
{
	return module_type(&e->m, spv_value_type(t));
}

/* Fails with an internal error that names the instruction, which legalize should have expanded. */
QD_COLD qd_status spv_illegal(const struct emitter *e, uint32_t i, const char *why,
			      struct qd_error *err);
QD_COLD qd_status spv_no_memory(struct qd_error *err);

/* Emits instruction i. */
typedef qd_status spv_emit_fn(struct emitter *e, uint32_t i, struct qd_error *err);

/* alu.c */
enum { FORM_GLSL = 0x8000 }; /* flag: number of a GLSL.std.450 instruction */
/* Returns the instruction of an operation for a leading type, or 0. */
uint32_t spv_form(enum op op, qd_type type);
spv_emit_fn spv_emit_alu;

/* memory.c */
enum spv_type spv_variable_type(qd_type t);
void spv_want_memory(struct emitter *e, const struct ins *ins); /* before the prologue */
qd_status spv_emit_arguments(struct emitter *e, struct qd_error *err); /* in the prologue */
void spv_declare_shared(struct emitter *e);
/* Returns whether the body has accesses that launch facts shorten. */
bool spv_facts_differ(const struct emitter *e);
spv_emit_fn spv_emit_param, spv_emit_load, spv_emit_store;
/* Access to an element of a memory. */
struct access {
	enum spv_type element;
	uint32_t align;
	enum view view;
	uint32_t half; /* index of the word, for VIEW_HALF */
};
struct access spv_access(const struct emitter *e, const struct ins *ins);
/* Returns the address of element ins->a. If condition is an IR value that is false, the address is
 * that of the first element, which every memory has. condition 0: none. */
uint32_t spv_element(struct emitter *e, const struct ins *ins, const struct access *a,
		     uint32_t condition);
/* Returns the byte offset of element ins->a + add as a u64, where it is below 4 GiB. condition: as for spv_element. */
uint32_t spv_byte_offset(struct emitter *e, const struct ins *ins, uint32_t add, uint32_t condition);
/* Writes the memory operands of an access and returns their number. */
uint32_t spv_access_words(const struct memory *mem, uint32_t align, uint32_t *words);
uint32_t spv_chosen(struct emitter *e, enum spv_type t, uint32_t condition, uint32_t a,
		    uint32_t b);
/* Opens a block that executes if the condition holds, and returns the label after it.
 * spv_close_predicate closes the block. */
uint32_t spv_open_predicate(struct emitter *e, uint32_t condition);
void spv_close_predicate(struct emitter *e, uint32_t after);

/* const_table.c */
/* Declares the block of the tables that the body reads, with their bytes. Returns false if out of memory. */
bool spv_declare_tables(struct emitter *e);
/* Returns whether the arguments are passed by address: they and the tables' address exceed the limit. */
bool spv_args_by_address(const struct emitter *e);
/* Loads the address of the tables, which is member n of the push constants. */
void spv_load_tables(struct emitter *e, uint32_t push, uint32_t n);

/* wide.c */
/* Returns whether access ins may be part of a vector if launch facts hold. */
bool spv_has_vector_form(const struct emitter *e, const struct ins *ins);
/* Emit the vector that contains access i. Return false if there is none. */
bool spv_load_vector(struct emitter *e, uint32_t i);
bool spv_store_vector(struct emitter *e, uint32_t i);

/* atomic.c */
/* Returns the instruction of an atomic on elements of a type, or 0. */
uint32_t spv_atomic_form(enum op op, qd_type type);
spv_emit_fn spv_emit_atomic, spv_emit_fence, spv_emit_barrier;

/* lane.c */
/* Returns the instruction of reductions and scans with an operation, or 0. */
uint32_t spv_group_form(enum op combine, qd_type type);
spv_emit_fn spv_emit_move, spv_emit_pattern, spv_emit_ballot, spv_emit_group;

/* target.c */
/* Bits of machine.features. From bit FEATURE_MODES on: one bit per enum spv_mode. */
enum {
	FEATURE_FENCE5 = 1,
	FEATURE_SHUFFLE = 2,
	FEATURE_BALLOT = 4,
	FEATURE_ARITHMETIC = 8,
	FEATURE_CLUSTERS = 16,
	FEATURE_RMW_LOAD = 32,
	FEATURE_SYNC_FENCE = 64,
	FEATURE_MODES = 8
};
qd_status spv_parse(const char *options, struct target *out, struct qd_error *err);

/* emit.c */
/* Returns component n of a vector of u32. */
uint32_t spv_component(struct emitter *e, uint32_t vector, uint32_t n);
qd_status spv_emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
		   struct qd_error *err);

#endif
