/* Code that is text or a module of ids, PTX and SPIR-V, as the views want it: functions of
 * instructions, what each defines and uses, where control goes.  A reader per form fills
 * it, code_link makes blocks and what is live, and the printers know no form. */
#ifndef QD_TOOLS_DIS_CODE_H
#define QD_TOOLS_DIS_CODE_H

#include "dis.h"
#include "flow.h"

enum { CODE_KINDS = 6, CODE_MIXES = 13 };

/* What a form calls things. */
struct code_form {
	const char *name, *remark; /* of the back end; what begins a comment */
	const char *const *kinds; /* of registers */
	const uint8_t *kind_words; /* 32-bit words of each; NULL: a column of them means nothing */
	const char *const *mixes; /* classes of instructions */
	uint32_t n_kinds, n_mixes;
};

struct code_reg {
	const char *name;
	uint32_t len, kind;
};

struct code_insn {
	const char *text; /* guard and all, without label, remark and end */
	uint32_t len;
	uint32_t line_at, line_end; /* its line in the listing, without the line's end */
	uint64_t addr;	/* its byte in the text or the module */
	uint32_t words, n_words; /* of a module */
	uint32_t ref, n_def, n_use; /* registers in refs: those defined, then those used */
	uint32_t way, n_way;	    /* instructions in ways, where it may go but on */
	uint8_t mix;
	bool goes_on, keeps; /* to the next; what it defines may stay as it was */
	bool label;	/* a line of the listing, and nothing that runs */
	uint32_t live[CODE_KINDS];
};

/* A value that the block of an instruction hands on to another: of OpPhi. */
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
	struct cfg flow; /* blocks and ways; its lines say which block each is in */
	bool has_live;
	uint32_t peak[CODE_KINDS], peak_at[CODE_KINDS]; /* how many, and at which instruction */
	uint32_t peak_words;
};

/* Where a line of a source begins in the listing. */
struct code_mark {
	uint32_t at, line, column;
	const char *file;
};

struct code {
	const struct code_form *form;
	struct dis *dis;
	struct arena *mem;
	const char *label, *target, *version;
	size_t size;	  /* of the file's code in bytes */
	const char *list; /* the listing */
	size_t list_size;
	const uint8_t *module; /* words of the instructions; NULL: it is text */
	const uint32_t *ids; /* of a module, ascending */
	uint32_t n_ids;
	const char **meaning; /* of each of these, and of no id: what it is, or NULL */
	struct buf regs, insns, refs, ways, handed, functions, marks;
};

#define CODE_ROWS(buf, type) ((struct type *)(void *)buf_data(buf))
#define CODE_COUNT(buf, type) ((uint32_t)((buf)->len / sizeof(struct type)))

void code_init(struct code *c, struct dis *s, struct arena *mem, const char *label);
void code_fini(struct code *c);
/* Adds a row; ends the program where there is no memory. */
void code_add(struct buf *b, const void *row, size_t size);
void *code_alloc(struct arena *mem, size_t size);
char *code_text(struct arena *mem, const char *s, size_t len);

/* -- Readers: exit where the code is broken ------------------------------------------- */

void code_read_ptx(struct code *c, const char *text, size_t size);
void code_read_spirv(struct code *c, const void *data, size_t size);

/* Adds an instruction that the one read now may go to; ends the program if there are too many. */
void code_add_way(struct code *c, uint32_t insn);
/* Blocks, loops, live registers. */
void code_link(struct code *c);
/* Counts live registers by kind at each reached instruction; warns if that takes too long. */
void code_find_live(struct code *c, struct code_fn *fn);
/* An id of a module that no function made, for --diff: a type or a constant as what it is,
 * a built-in by its name, any other as a name. */
void code_put_id(const struct code *c, struct buf *out, const char *id, uint32_t len);

/* -- Printers -------------------------------------------------------------------------- */

/* As the request wants it. */
void code_show(struct code *c);
void code_list(struct code *c);
void code_json(struct code *c);
void code_cfg(struct code *c);
void code_stats(struct code *c);
void code_mix(struct code *c);
/* "valu":12,... of the instructions. */
void code_mix_json(struct code *c, const struct code_fn *f);
/* Functions for --diff. */
void code_parts(struct code *c);
/* The mark whose line the instruction is of; NULL: none says. */
const struct code_mark *code_mark_of(const struct code *c, const struct code_fn *f,
				     const struct code_insn *in);

#endif
