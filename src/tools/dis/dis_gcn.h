/* AMD code for qd-dis: what dis_gcn.c finds in a file and the printers show. */
#ifndef QD_TOOLS_DIS_GCN_H
#define QD_TOOLS_DIS_GCN_H

#include "codeobject.h"
#include "dis.h"
#include "flow.h"
#include "lines.h"
#include "live.h"

/* A code object, and where it was found. */
struct dis_object {
	struct code_object object;
	const char *label; /* the file's name; of a bundle's entry its id too */
	const struct gcn_target *target; /* NULL: no table for this processor */
	struct line_table lines; /* where they are shown */
	bool raw; /* words without a file around them; the object is empty */
};

/* A run of code: a function, what lies between functions, or raw words. */
struct dis_piece {
	const struct dis_object *file;
	const char *name; /* NULL: no function's */
	const struct code_kernel *kernel; /* NULL: not a kernel's */
	const struct gcn_target *target;  /* with the lanes of its waves */
	uint32_t section; /* of the file */
	uint64_t addr, size;
	const uint8_t *code;
	const uint32_t *words; /* the code, as far as it is whole words */
	size_t n_words;
	struct cfg flow; /* with its loops for DIS_CFG and DIS_JSON */
	const struct gcn_live *live; /* per line; NULL where nobody asks */
};

/* -- The printers ------------------------------------------------------------------ */

void dis_gcn_llvm(struct dis *s, const struct dis_object *f);
/* label: of the first branch target; the next free one is returned. */
uint32_t dis_gcn_list(struct dis *s, const struct dis_piece *p, uint32_t label);
uint32_t dis_gcn_cfg(struct dis *s, const struct dis_piece *p, uint32_t label);
void dis_gcn_file_head(struct dis *s, const struct dis_object *f);
void dis_gcn_piece_head(struct dis *s, const struct dis_piece *p);
void dis_gcn_meta(struct dis *s, const struct dis_piece *p);
void dis_gcn_file_meta(struct dis *s, const struct dis_object *f);
void dis_gcn_hazards(struct dis *s, const struct dis_piece *p);
void dis_gcn_mix(struct dis *s, const struct dis_piece *p, bool first);
/* "valu":12,... of the lines. */
void dis_gcn_mix_json(struct dis *s, const struct dis_piece *p);
void dis_gcn_stats(struct dis *s, const struct dis_object *f, bool first);
void dis_gcn_json_file(struct dis *s, const struct dis_object *f, bool begins);
void dis_gcn_json_piece(struct dis *s, const struct dis_piece *p, bool first);
void dis_gcn_parts(struct dis *s, const struct dis_piece *p);

/* Words without a file: the target that --raw names, and one section that holds
 * them. */
const struct gcn_target *dis_raw_target(const char *text);
struct elf_file dis_raw_read(const struct dis *s, struct arena *mem,
			     struct elf_section sections[2]);

/* More basic blocks than the analyses have room for: said in a warning. */
bool dis_gcn_too_large(const struct dis_piece *p, const char *option);
/* What waits wait for (struct gcn_wait_note), as remarks line by line; hazards
 * (struct gcn_hazard).  By line; buf_fini is the caller's. */
struct dis_notes {
	struct buf buf;
	uint32_t n;
};
void dis_gcn_hazard_list(struct dis *s, const struct dis_piece *p, struct dis_notes *hazards);
void dis_gcn_waits(struct dis *s, const struct dis_piece *p, struct dis_notes *notes);
void dis_gcn_wait_remark(const struct dis_piece *p, const struct dis_notes *notes, uint32_t *next,
			 uint32_t line, char *text, size_t cap);

/* -- What they share ----------------------------------------------------------------- */

enum { GCN_TEXT_SIZE = 512 };

/* The target with the lanes of the kernel's waves; kernel NULL: with those of the
 * file's kernels where they agree, else the target's own. */
const struct gcn_target *dis_gcn_target(const struct dis_object *f, const struct code_kernel *k);
/* Is there a branch, and to how many bytes behind its first word?  i: the operand's
 * place. */
bool dis_gcn_branch(const struct gcn_target *t, const struct gcn_insn *in, int64_t *to,
		    unsigned *i);
/* Up to GCN_MAX_WORDS words at `at`; how many. */
size_t dis_gcn_fetch(const uint8_t *code, uint64_t size, uint64_t at,
		     uint32_t words[GCN_MAX_WORDS]);
/* The label of each line, or GCN_NOWHERE; *next is the first, and then the next. */
uint32_t *dis_gcn_labels(const struct dis_piece *p, struct arena *mem, uint32_t *next);
/* The text of a line as a listing has it. */
void dis_gcn_text(const struct dis_piece *p, const struct gcn_line *line, const uint32_t *label,
		  char text[GCN_TEXT_SIZE]);
/* Digits of the addresses. */
int dis_gcn_addr_width(const struct dis_piece *p);
/* What the kernel needs, from its metadata or, where that is silent, its
 * descriptor. */
struct dis_need {
	uint64_t vgpr, sgpr, agpr, lds, scratch, kernarg, workgroup;
	unsigned wave, waves_per_simd;
	const char *limit;
};
struct dis_need dis_gcn_need(const struct dis_object *f, const struct code_kernel *k);
/* Its work-groups of so many lanes. */
struct dis_groups {
	unsigned groups, waves;
	char waves_per_simd[16]; /* as a number, "7.5" */
	const char *per, *limit; /* what holds them: "CU", or "WGP" for two of those */
};
struct dis_groups dis_gcn_groups(const struct dis_object *f, const struct code_kernel *k,
				 uint32_t block);

#endif
