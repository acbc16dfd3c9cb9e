/* Model of PTX and SPIR-V for the views: functions of instructions, with definitions, uses and
 * control flow. A reader per format fills it. code_link adds basic blocks and liveness. The
 * printers are independent of the format. */
#ifndef QD_TOOLS_DIS_CODE_H
#define QD_TOOLS_DIS_CODE_H

#include "dis_graph.h"

enum { CODE_KINDS = 6, CODE_MIXES = 13 };

/* Names in a format. */
struct code_form {
	const char *name, *remark; /* name of the back end; start of a comment */
	const char *const *kinds; /* kinds of registers */
	const uint8_t *kind_words; /* 32-bit words per register, by kind; NULL: not counted in
				    * words */
	const char *const *mixes; /* classes of instructions */
	uint32_t n_kinds, n_mixes;
};

struct code_reg {
	const char *name;
	uint32_t len, kind;
};

struct code_insn {
	const char *text; /* with its guard, without label, comment and terminator */
	uint32_t len;
	uint32_t line_at, line_end; /* its line in the listing, without the newline */
	uint64_t addr;	/* its offset in the text or the module, in bytes */
	uint32_t words, n_words; /* of a module: first word and count */
	uint32_t ref, n_def, n_use; /* registers in refs: first definitions, then uses */
	uint32_t way, n_way;	    /* in ways: its targets other than the next instruction */
	uint8_t mix;
	bool goes_on, keeps; /* continues to the next one; may leave its results unchanged */
	bool label;	/* a line of the listing that is not executed */
	uint32_t live[CODE_KINDS];
};

/* A value that the block of an instruction passes to an OpPhi in another block. */
struct code_handed {
	uint32_t insn, reg;
};

struct code_fn {
	const char *name;
	bool kernel;
	uint32_t from, to; /* in the listing */
	uint32_t first, n; /* instructions */
	uint32_t reg, n_reg;
	uint32_t handed, n_handed;
	uint64_t declared[CODE_KINDS], shared, local;
	struct cfg flow; /* control-flow graph; of its lines only the blocks are set */
	bool has_live;
	uint32_t peak[CODE_KINDS], peak_at[CODE_KINDS]; /* most live registers, and where */
	uint32_t peak_words;
};

/* Start of a source line in the listing. */
struct code_mark {
	uint32_t at, line, column;
	const char *file;
};

struct code {
	const struct code_form *form;
	struct dis *dis;
	struct arena *mem;
	const char *label, *target, *version;
	size_t size;	  /* of the file's code, in bytes */
	const char *list; /* the listing */
	size_t list_size;
	const uint8_t *module; /* words of the instructions; NULL: text */
	const uint32_t *ids; /* ids of a module, ascending */
	uint32_t n_ids;
	const char **meaning; /* by index in ids, and for unknown ids: what it is, or NULL */
	struct buf regs, insns, refs, ways, handed, functions, marks;
};

#define CODE_ROWS(buf, type) ((struct type *)(void *)buf_data(buf))
#define CODE_COUNT(buf, type) ((uint32_t)((buf)->len / sizeof(struct type)))

void code_init(struct code *c, struct dis *s, struct arena *mem, const char *label);
void code_fini(struct code *c);
/* Appends a row. Ends the program if out of memory. */
void code_add(struct buf *b, const void *row, size_t size);
void *code_alloc(struct arena *mem, size_t size);
char *code_text(struct arena *mem, const char *s, size_t len);

/* -- Readers: end the program if the code is malformed -------------------------------- */

void code_read_ptx(struct code *c, const char *text, size_t size);
void code_read_spirv(struct code *c, const void *data, size_t size);

/* Adds a branch target of the current instruction. Ends the program if there are too many. */
void code_add_way(struct code *c, uint32_t insn);
/* Adds basic blocks, loops and live registers. */
void code_link(struct code *c);
/* Counts live registers by kind at each reached instruction; warns if that takes too long. */
void code_find_live(struct code *c, struct code_fn *fn);
/* Appends an id of a module that no function defines, for --diff. A type or constant is written
 * out, a built-in has its name, and any other id is marked as a name. */
void code_put_id(const struct code *c, struct buf *out, const char *id, uint32_t len);

/* -- Printers -------------------------------------------------------------------------- */

/* Prints the requested view. */
void code_show(struct code *c);
void code_list(struct code *c);
void code_json(struct code *c);
void code_cfg(struct code *c);
void code_blocks_json(struct code *c, const struct code_fn *fn);
void code_stats(struct code *c);
void code_mix(struct code *c);
/* Writes "valu":12,... for the instructions. */
void code_mix_json(struct code *c, const struct code_fn *f);
/* Adds the functions to --diff. */
void code_parts(struct code *c);
/* Returns the source position of the instruction, or NULL if unknown. */
const struct code_mark *code_mark_of(const struct code *c, const struct code_fn *f,
				     const struct code_insn *in);

#endif
