/* SPIR-V instructions and named values, and their tables. */
#ifndef QD_ISA_SPIRV_SPV_H
#define QD_ISA_SPIRV_SPV_H

#include "base.h"

enum spv_op {
#define SPV(name, number, operands) SPV_##name = number,
#include "spv.def"
};

enum spv_value {
#define SPVE(kind, name, value, params) SPV_##kind##_##name = value,
#include "spv_enum.def"
};

enum spv_kind {
#define SPVK(kind, letter, mask) SPV_KIND_##kind,
#include "spv_enum.def"
	N_SPV_KIND
};

/* First words of every module. */
enum { SPV_MAGIC = 0x07230203, SPV_VERSION = 0x00010500, SPV_HEADER_WORDS = 5 };
/* Scopes and memory semantics are ids of constants, so spv_enum.def does not list them (SPIR-V
 * Specification 1.5 unified1, 3.25 and 3.27). */
enum { SPV_SCOPE_WORKGROUP = 2, SPV_SCOPE_SUBGROUP = 3, SPV_SCOPE_QUEUE_FAMILY = 5 };
enum {
	SPV_SEMANTICS_RELAXED = 0,
	SPV_SEMANTICS_ACQUIRE = 0x2,
	SPV_SEMANTICS_RELEASE = 0x4,
	SPV_SEMANTICS_ACQUIRE_RELEASE = 0x8,
	SPV_SEMANTICS_UNIFORM_MEMORY = 0x40,
	SPV_SEMANTICS_WORKGROUP_MEMORY = 0x100,
	SPV_SEMANTICS_MAKE_AVAILABLE = 0x2000,
	SPV_SEMANTICS_MAKE_VISIBLE = 0x4000
};

struct spv_op_row {
	const char *name; /* without Op */
	const char *operands;
	uint16_t number;
};

struct spv_value_row {
	const char *name;
	const char *params;
	uint32_t value;
	uint8_t kind;
};

struct spv_kind_row {
	char letter;
	bool mask;
};

extern const struct spv_op_row spv_ops[];
extern const uint32_t spv_n_ops;
extern const struct spv_value_row spv_values[];
extern const uint32_t spv_n_values;
extern const struct spv_kind_row spv_kinds[N_SPV_KIND];

/* Return NULL if there is no such row. */
const struct spv_op_row *spv_find_op(uint32_t number);
const struct spv_value_row *spv_find_value(enum spv_kind kind, uint32_t value);

/* An instruction of a module, and its line of text. */
struct spv_insn {
	const struct spv_op_row *row; /* NULL: unknown, written as words */
	uint32_t at, n;		  /* its words in the module */
	uint32_t text, text_end;  /* its line, without the newline */
	uint32_t type, result;	  /* ids; 0: none */
	uint32_t first_id, n_id;  /* ids of its other operands, in order */
};

/* Disassembles a module. Also appends all instructions, as struct spv_insn, and the ids of their
 * operands, as uint32_t. */
qd_status spv_read(const void *code, size_t size, struct buf *text, struct buf *insns,
		   struct buf *ids, struct qd_error *err);

/* Appends the text of a module. Marks of code offsets become marks of text offsets (NULL: there
 * are none). */
qd_status spv_dis(const void *code, size_t size, struct buf *marks, struct buf *text,
		  struct qd_error *err);

#endif
