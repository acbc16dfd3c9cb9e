/* Legal IR to PTX text: what the emitter's files share.
 *
 * Registers are of three kinds, predicates, words and pairs of words, whatever the type
 * of what they hold: so a change of type alone is no instruction. */
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
	uint8_t version; /* the lowest that has it: 60 for 6.0 */
};
extern const struct ptx_target ptx_targets[];
extern const uint32_t ptx_n_targets;

/* isa_meta.own */
enum { PTX_OWN_VERSION };

/* -- Values ------------------------------------------------------------------------ */

enum val_kind { VAL_NONE, VAL_PRED, VAL_WORD, VAL_PAIR, N_REG, VAL_CONST = N_REG };

struct val {
	uint64_t bits; /* of a constant; else the register's number */
	uint8_t kind;
	uint8_t type; /* as it is used here: of a constant it decides how that is written */
};

/* -- The emitter ---------------------------------------------------------------------- */

/* An open if, loop or block. */
struct frame {
	uint16_t op;
	uint32_t end;	/* label behind it; of a break */
	uint32_t other; /* of the else; of a loop's first instruction */
	bool uniform;
};

struct emitter {
	const struct isa_in *in;
	const struct ir *ir;
	const struct memory *mems;
	const struct qd_kernel *k;
	const struct machine *machine;
	uint32_t sm;
	char *start, *at, *end; /* of the body */
	bool nomem;
	struct val *id;	    /* by IR value */
	struct val *base;   /* by memory: its address; kind 0 until wanted */
	uint32_t n_reg[N_REG], n_label;
	uint32_t version;   /* the lowest that has what was used */
	struct val guard;   /* what lines are predicated by; kind 0: nothing */
	bool guard_not;
	uint32_t fused;	    /* a select that the instruction before it has done */
	struct frame *frame;
	uint32_t n_frame, n_loops; /* open ones */
};

typedef qd_status ptx_emit_fn(struct emitter *e, uint32_t i, struct qd_error *err);

QD_COLD qd_status ptx_illegal(const struct emitter *e, uint32_t i, const char *why,
			      struct qd_error *err);
QD_COLD qd_status ptx_no_memory(struct qd_error *err);

/* -- text.c --------------------------------------------------------------------------- */

enum { PTX_ROOM = 1536 }; /* bytes that one IR instruction takes at most */
bool ptx_room(struct emitter *e);

struct address {
	struct val base;   /* a register, or none: then the name below */
	uint32_t symbol;   /* of a shared array */
	uint32_t offset;
};

/* One instruction, with the guard before it: format with %v a struct val, %u a number,
 * %s a text, %a a struct address, %i an instruction's row. */
void ptx_line(struct emitter *e, const char *format, ...);
/* The same by parts, for what most of a kernel is made of. */
void ptx_begin(struct emitter *e);
void ptx_insn(struct emitter *e, enum ptx_insn insn);
void ptx_put_val(struct emitter *e, struct val v);
void ptx_put_number(struct emitter *e, uint64_t n);
void ptx_put_address(struct emitter *e, const struct address *a);
static inline void
ptx_put(struct emitter *e, const char *text, size_t len)
{
	assert((size_t)(e->end - e->at) >= len);
	memcpy(e->at, text, len);
	e->at += len;
}
#define PTX_TEXT(e, literal) ptx_put(e, literal, sizeof literal - 1)

/* A new register for values of this type. */
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

/* Operand v as the type that it has in the IR. */
static inline struct val
ptx_use(const struct emitter *e, uint32_t v)
{
	struct val r = e->id[v];

	r.type = e->ir->ins[v].type;
	return r;
}

/* The same in a register. */
struct val ptx_reg(struct emitter *e, struct val v);
/* dst becomes v. */
void ptx_move(struct emitter *e, struct val dst, struct val v);
/* Lines are done only where v holds, until the guard is taken off. */
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
/* The words of a 64-bit value, and back. */
void ptx_split(struct emitter *e, struct val v, struct val word[2]);
void ptx_join(struct emitter *e, struct val dst, struct val lo, struct val hi);

/* -- alu.c ----------------------------------------------------------------------------- */

bool ptx_has_alu(enum op op, qd_type lead, qd_type to);
/* The instruction that stands in alu.def, "" where none does. */
const char *ptx_form(enum op op, qd_type t);
ptx_emit_fn ptx_emit_alu;

/* -- memory.c, atomic.c ------------------------------------------------------------------ */

/* d becomes the argument block's bytes from `at` on. */
void ptx_load_argument(struct emitter *e, struct val d, uint32_t at);
/* At the head: addresses of the memories that the body names. */
void ptx_emit_bases(struct emitter *e);
struct address ptx_address(struct emitter *e, const struct ins *ins);
const char *ptx_space(const struct emitter *e, uint32_t mem);
ptx_emit_fn ptx_emit_param, ptx_emit_load, ptx_emit_store, ptx_emit_place, ptx_emit_copy, ptx_emit_copy_wait;
bool ptx_has_atomic(uint32_t sm, enum op op, qd_type t, enum mem_scope scope);
ptx_emit_fn ptx_emit_atomic, ptx_emit_fence, ptx_emit_barrier, ptx_emit_sleep;

/* -- lane.c --------------------------------------------------------------------------------- */

/* The instruction that reduces so, or N_PTX. */
enum ptx_insn ptx_redux(enum op combine, qd_type t);
/* Does it scan so itself, tiles of any size? */
bool ptx_has_scan(enum op combine, qd_type t);
ptx_emit_fn ptx_emit_move, ptx_emit_shift, ptx_emit_pattern, ptx_emit_ballot, ptx_emit_vote,
	ptx_emit_block_vote, ptx_emit_reduce, ptx_emit_scan, ptx_emit_match, ptx_emit_members,
	ptx_emit_shfl;

/* -- target.c, emit.c, dis.c ------------------------------------------------------------------ */

qd_status ptx_parse(const char *options, struct target *out, struct qd_error *err);
qd_status ptx_emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
		   struct qd_error *err);
qd_status ptx_dis(const struct target *t, const void *code, size_t size, struct buf *marks,
		  struct buf *text, struct qd_error *err);
bool ptx_probe(const void *code, size_t size);

#endif
