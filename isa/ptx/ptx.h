/* Shared header of the PTX emitter, which writes legal IR as PTX text.
 *
 * A register is a predicate, a half word, a word or a pair of words, independent of the type of its value. A
 * conversion that only changes the type needs no instruction. */
#ifndef QD_ISA_PTX_H
#define QD_ISA_PTX_H

#include "isa.h"

/* -- The table ------------------------------------------------------------------ */

enum ptx_insn {
#define PTX(name, ...) PTX_##name,
#include "insn.def"
	N_PTX
};

struct ptx_row {
	char text[29];
	uint8_t len, sm, version;
};
extern const struct ptx_row ptx_insns[N_PTX];

struct ptx_target {
	uint16_t sm;
	uint8_t version; /* lowest .version that has this target: 60 for 6.0 */
};
extern const struct ptx_target ptx_targets[];
extern const uint32_t ptx_n_targets;

/* isa_meta.own */
enum { PTX_OWN_VERSION };

/* -- Values ------------------------------------------------------------------------ */

enum val_kind { VAL_NONE, VAL_PRED, VAL_WORD, VAL_PAIR, VAL_HALF, N_REG, VAL_CONST = N_REG };

struct val {
	uint64_t bits; /* bits of a constant, or number of the register */
	uint8_t kind;
	uint8_t type; /* type in this use; selects the notation of a constant */
};

/* -- The emitter ---------------------------------------------------------------------- */

/* An open if, loop or block. */
struct frame {
	uint16_t op;
	uint32_t end;	/* label after the construct, target of a break */
	uint32_t other; /* label of the else, or of the loop's first instruction */
	bool uniform;
};

struct address {
	struct val base;   /* register; VAL_NONE: the symbol */
	uint32_t symbol;   /* row of the shared array or the table */
	uint32_t offset;
};

struct emitter {
	const struct isa_in *in;
	const struct ir *ir;
	const struct memory *mems;
	const struct qd_kernel *k;
	const struct machine *machine;
	uint32_t sm;
	const char *entry; /* name of the entry point */
	char *start, *at, *end; /* text of the body */
	bool nomem;
	struct val *id;	    /* indexed by IR value */
	struct val *base;   /* indexed by memory: its address; kind 0: not in a register */
	bool *used;	 /* by memory: the body accesses it */
	uint32_t n_reg[N_REG], n_label;
	uint32_t version;   /* lowest .version that has all instructions emitted so far */
	struct val guard;   /* predicate of the emitted lines; kind 0: none */
	bool guard_not;
	uint32_t near_access; /* the last access with ATTR_NEAR, and the address of its index */
	struct address near;
	uint32_t stored;    /* index of the last store of the last vector */
	bool facts_differ;  /* a vector needs launch facts */
	uint32_t fused;	    /* index of a select that the preceding instruction includes */
	struct frame *frame;
	uint32_t n_frame, n_loops; /* open constructs */
};

typedef qd_status ptx_emit_fn(struct emitter *e, uint32_t i, struct qd_error *err);

QD_COLD qd_status ptx_illegal(const struct emitter *e, uint32_t i, const char *why,
			      struct qd_error *err);
QD_COLD qd_status ptx_no_memory(struct qd_error *err);

/* -- text.c --------------------------------------------------------------------------- */

enum { PTX_ROOM = 1536 }; /* maximum text of one IR instruction, in bytes */
bool ptx_room(struct emitter *e);

/* Returns the register for the result of instruction i: that of the variable to which the next instruction
 * stores it, if nothing else reads it, or a new one. */
struct val ptx_result(struct emitter *e, uint32_t i);
/* Appends an instruction with the current guard. Format: %v a struct val, %u a number, %s a
 * string, %a a pointer to struct address, %i a row of insn.def. */
void ptx_line(struct emitter *e, const char *format, ...);
/* Append the parts of an instruction. These are faster than ptx_line, for the most frequent
 * instructions. */
void ptx_begin(struct emitter *e);
void ptx_insn(struct emitter *e, enum ptx_insn insn);
void ptx_put_val(struct emitter *e, struct val v);
void ptx_put_number(struct emitter *e, uint64_t n);
/* Appends the name of a shared array, or of a table, which is unique among the kernels of a module. */
void ptx_put_symbol(struct emitter *e, uint32_t mem);
void ptx_put_address(struct emitter *e, const struct address *a);
static inline void
ptx_put(struct emitter *e, const char *text, size_t len)
{
	assert((size_t)(e->end - e->at) >= len);
	memcpy(e->at, text, len);
	e->at += len;
}
static inline void
ptx_put_text(struct emitter *e, const char *text)
{
	ptx_put(e, text, strlen(text));
}
#define PTX_TEXT(e, literal) ptx_put(e, literal, sizeof literal - 1)

/* Returns the kind of register for values of a type. */
static inline enum val_kind
ptx_kind(qd_type t)
{
	return t == QD_TYPE_BOOL ? VAL_PRED : type_info[t].size == 8 ? VAL_PAIR : VAL_WORD;
}

static inline struct val
ptx_new(struct emitter *e, qd_type t)
{
	enum val_kind kind = ptx_kind(t);

	return (struct val){ .bits = ++e->n_reg[kind], .kind = (uint8_t)kind, .type = (uint8_t)t };
}

static inline struct val
ptx_const(qd_type t, uint64_t bits)
{
	return (struct val){ .bits = bits, .kind = VAL_CONST, .type = (uint8_t)t };
}

/* Returns operand v with its type in the IR. */
static inline struct val
ptx_use(const struct emitter *e, uint32_t v)
{
	struct val r = e->id[v];

	r.type = e->ir->ins[v].type;
	return r;
}

/* Returns v in a register: moves a constant to a new one. */
struct val ptx_reg(struct emitter *e, struct val v);
/* Emits a move of v to dst. */
void ptx_move(struct emitter *e, struct val dst, struct val v);
/* Returns the register for the value of load i: of 16 bits, if it is only converted from f16. */
struct val ptx_loaded(struct emitter *e, uint32_t i);
/* Predicates the following lines with v, or with its complement, until ptx_unguard. */
static inline void
ptx_guard(struct emitter *e, struct val v, bool when_not)
{
	e->guard = v;
	e->guard_not = when_not;
}
static inline void
ptx_unguard(struct emitter *e)
{
	e->guard.kind = VAL_NONE;
}
/* Emit the moves that split a 64-bit value into words, and that join them. */
void ptx_split(struct emitter *e, struct val v, struct val word[2]);
void ptx_join(struct emitter *e, struct val dst, struct val lo, struct val hi);

/* -- alu.c ----------------------------------------------------------------------------- */

bool ptx_has_alu(enum op op, qd_type lead, qd_type to);
/* Returns the instruction that has the only use of value i, or NULL if none is found nearby. */
const struct ins *ptx_only_user(const struct emitter *e, uint32_t i);
/* Returns a new register of 16 bits. */
static inline struct val
ptx_new_half(struct emitter *e)
{
	return (struct val){ .bits = ++e->n_reg[VAL_HALF], .kind = VAL_HALF, .type = QD_TYPE_F16 };
}
/* Returns the instruction of the operation's row in alu.def, or "" if there is none. */
const char *ptx_form(enum op op, qd_type t);
ptx_emit_fn ptx_emit_alu;

/* -- memory.c, wide.c, atomic.c ------------------------------------------------------------------ */

/* Emits a load of d from offset `at` of the argument block. */
void ptx_load_argument(struct emitter *e, struct val d, uint32_t at);
/* Emits the base addresses of the memories that the body uses, at its start. */
void ptx_emit_bases(struct emitter *e);
struct address ptx_address(struct emitter *e, const struct ins *ins);
const char *ptx_space(const struct emitter *e, uint32_t mem);
ptx_emit_fn ptx_emit_param, ptx_emit_load, ptx_emit_store, ptx_emit_place, ptx_emit_copy, ptx_emit_copy_wait;
/* Emit the vector that contains access i. Return false if there is none. */
bool ptx_load_vector(struct emitter *e, uint32_t i);
bool ptx_store_vector(struct emitter *e, uint32_t i);
bool ptx_has_atomic(uint32_t sm, enum op op, qd_type t, enum mem_scope scope);
ptx_emit_fn ptx_emit_atomic, ptx_emit_fence, ptx_emit_barrier, ptx_emit_sleep;

/* -- lane.c --------------------------------------------------------------------------------- */

/* Returns the instruction for a reduction of the whole subgroup, or N_PTX. */
enum ptx_insn ptx_redux(enum op combine, qd_type t);
/* Returns true if ptx_emit_scan emits this scan, for tiles of any size. */
bool ptx_has_scan(enum op combine, qd_type t);
ptx_emit_fn ptx_emit_move, ptx_emit_shift, ptx_emit_pattern, ptx_emit_ballot, ptx_emit_vote,
	ptx_emit_block_vote, ptx_emit_reduce, ptx_emit_scan, ptx_emit_match, ptx_emit_members,
	ptx_emit_shfl;

/* -- target.c, emit.c ------------------------------------------------------------------------- */

qd_status ptx_parse(const char *options, struct target *out, struct qd_error *err);
qd_status ptx_emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
		   struct qd_error *err);
bool ptx_probe(const void *code, size_t size);

#endif
