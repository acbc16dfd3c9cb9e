/* Interfaces of the parser's files. */
#ifndef EMU_PTX_PARSE_H
#define EMU_PTX_PARSE_H

#include "decode.h"
#include "lex.h"
#include "table.h"

enum sym_kind { SYM_REG, SYM_VAR, SYM_LABEL, SYM_FUNC };

/* A name in a scope. */
struct sym {
	const char *name;
	uint32_t len, hash;
	struct sym *next;  /* with the same hash */
	struct sym *older; /* the previous name in this or an outer scope */
	uint32_t scope;
	uint8_t kind, type, space;
	bool extern_shared, is_param;
	uint32_t count;	     /* of registers: %r<9> has 9; 0: a single name */
	struct opnd reg;     /* the first register */
	uint64_t addr, size; /* of a variable, in its space; of a label: its instruction */
	struct func *func;
	const uint32_t *targets; /* of a .branchtargets label: count of them */
};

/* A jump to a label that may be declared later. */
struct jump {
	struct jump *next;
	uint32_t insn, line, col, scope;
	const char *name;
	uint32_t len;
	uint32_t *table;   /* of brx: entry for the target; NULL: the instruction's imm */
	struct func *func; /* the target of a call */
};

enum { SYM_TABLE = 1024, FORM_TABLE = 256, KONST_TABLE = 256 };

struct parse {
	struct ptx_module *m;
	struct qd_error *err;
	qd_status status; /* of the first error; never reset */
	struct lex lx;
	struct sym *table[SYM_TABLE];
	struct form *forms[FORM_TABLE];
	struct sym *newest;
	struct jump *jumps;
	uint32_t scope, depth;
	uint32_t nested; /* depth of an integer expression */
	struct func *func;
	struct {
		uint64_t value;
		uint32_t off, size;
	} konsts[KONST_TABLE];
	uint32_t shared_module; /* bytes of shared variables outside functions */
	uint32_t shared_func;
	uint32_t shared_base;
	bool uses_module_shared;
	uint32_t file_top, slot_top; /* of registers */
	uint64_t local_top, global_bytes;
	struct jump *calls;
	struct func **last_func; /* link for the next function */
	bool has_funcs; /* from then on functions do not reuse each other's registers */
};

/* Returns false, for use in return statements. */
QD_COLD bool parse_fail_at(struct parse *ps, qd_status code, uint32_t line, uint32_t col,
			   const char *fmt, ...) QD_PRINTF(5, 6);
#define parse_fail(ps, ...)                                                                        \
	parse_fail_at(ps, QD_E_SYNTAX, (ps)->lx.t.line, (ps)->lx.t.col, __VA_ARGS__)
QD_COLD bool parse_nomem(struct parse *ps);
/* Arguments of %.*s for the next token. */
#define TOKEN_ARGS(ps) (int)((ps)->lx.t.len > 60 ? 60 : (ps)->lx.t.len), (ps)->lx.t.s

bool parse_punct(struct parse *ps, char c);
static inline bool
parse_accept(struct parse *ps, char c)
{
	if (!lex_is(&ps->lx, c))
		return false;
	lex_next(&ps->lx);
	return true;
}

/* -- sym.c -------------------------------------------------------------------------------- */
struct sym *sym_find(const struct parse *ps, const char *name, uint32_t len);
struct sym *sym_add(struct parse *ps, enum sym_kind kind, const char *name, uint32_t len);
/* Finds a register by its name, also in a range like %r<9>; sets its type. */
bool sym_reg(const struct parse *ps, const char *name, uint32_t len, struct opnd *at,
	     uint8_t *type);
void sym_scope_open(struct parse *ps);
bool sym_scope_close(struct parse *ps);
bool jump_add(struct parse *ps, uint32_t insn, uint32_t *table);

/* -- var.c -------------------------------------------------------------------------------- */
enum ptx_type_id ptx_type_named(const char *s, uint32_t len);
bool parse_number(struct parse *ps, uint64_t *value); /* an integer expression */
bool parse_reg(struct parse *ps);
bool parse_var(struct parse *ps, enum space space, bool is_extern);
bool parse_param(struct parse *ps, struct func *f, bool result);
struct opnd reg_new(struct parse *ps, enum ptx_type_id type, uint32_t count);
uint32_t reg_size(enum ptx_type_id type);

/* -- head.c ------------------------------------------------------------------------------- */
bool parse_head(struct parse *ps);

/* -- value.c ------------------------------------------------------------------------------ */
uint32_t lane_size(enum ptx_type_id t); /* bytes per lane of a register of this type */
enum ptx_type_id type_twice(enum ptx_type_id t);
QD_COLD bool operand_wrong(struct parse *ps, const char *what); /* the message: `what` is wanted */
/* wide: the register may be larger than the type; *is: its type. */
bool take_reg(struct parse *ps, enum ptx_type_id want, bool wide, struct opnd *o, uint8_t *is);
bool take_source(struct parse *ps, enum ptx_type_id want, bool wide, struct opnd *o, uint8_t *is);
bool take_pred(struct parse *ps, struct insn *i, struct opnd *o);
/* *wide: the address has 64 bits. */
bool take_address(struct parse *ps, struct insn *i, struct opnd *o, enum space space, bool *wide);
bool take_special(struct parse *ps, struct insn *i, struct opnd *o, uint8_t *is);
bool take_parts(struct parse *ps, struct insn *i, enum ptx_type_id t, bool results);
bool take_mov_source(struct parse *ps, struct insn *i, enum ptx_type_id t, struct opnd *o);
bool take_value(struct parse *ps, struct insn *i, enum ptx_type_id t, bool result);

/* -- operand.c, insn.c -------------------------------------------------------------------- */
bool parse_insn(struct parse *ps);
const struct form *form_find(struct parse *ps);
bool parse_operands(struct parse *ps, struct insn *i);
bool konst_get(struct parse *ps, uint64_t value, uint32_t size, struct opnd *out);
struct insn *insn_add(struct parse *ps);

/* -- call.c ------------------------------------------------------------------------------- */
bool parse_call(struct parse *ps, struct insn *i);
bool parse_brx(struct parse *ps, struct insn *i);
bool finish_calls(struct parse *ps);

#endif
