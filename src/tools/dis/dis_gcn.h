/* Shared header of AMD code: dis_gcn.c finds it in a file, and the printers show it. */
#ifndef QD_TOOLS_DIS_GCN_H
#define QD_TOOLS_DIS_GCN_H

#include "codeobject.h"
#include "dis_graph.h"
#include "lines.h"
#include "live.h"

/* A code object, and where it was found. */
struct dis_object {
	struct code_object object;
	const char *label; /* the file's name; for an entry of a bundle, with its id */
	const struct gcn_target *target; /* NULL: no table for this processor */
	struct line_table lines; /* empty if they are not shown */
	bool raw; /* words without a file: `object` is empty */
};

/* A run of code: a function, code between functions, or raw words. */
struct dis_piece {
	const struct dis_object *file;
	const char *name; /* NULL: not a function */
	const struct code_kernel *kernel; /* NULL: not a kernel's */
	const struct gcn_target *target;  /* with the wave size of the kernel */
	uint32_t section; /* index in the file */
	uint64_t addr, size;
	const uint8_t *code;
	const uint32_t *words; /* the code, without incomplete words at its end */
	size_t n_words;
	struct cfg flow; /* with its loops for DIS_CFG and DIS_JSON */
	const struct gcn_live *live; /* by line; NULL: not requested */
};

/* -- The printers ------------------------------------------------------------------ */

void dis_gcn_llvm(struct dis *s, const struct dis_object *f);
/* label: number of the first label. Returns the next free number. */
uint32_t dis_gcn_list(struct dis *s, const struct dis_piece *p, uint32_t label);
/* The blocks of a piece, without memory and labels. */
struct dis_graph dis_gcn_graph(struct dis *s, const struct dis_piece *p);
uint32_t dis_gcn_cfg(struct dis *s, const struct dis_piece *p, uint32_t label);
void dis_gcn_file_head(struct dis *s, const struct dis_object *f);
void dis_gcn_piece_head(struct dis *s, const struct dis_piece *p);
void dis_gcn_meta(struct dis *s, const struct dis_piece *p);
void dis_gcn_file_meta(struct dis *s, const struct dis_object *f);
void dis_gcn_hazards(struct dis *s, const struct dis_piece *p);
void dis_gcn_mix(struct dis *s, const struct dis_piece *p, bool first);
/* Writes "valu":12,... for the lines. */
void dis_gcn_mix_json(struct dis *s, const struct dis_piece *p);
void dis_gcn_stats(struct dis *s, const struct dis_object *f, bool first);
void dis_gcn_json_file(struct dis *s, const struct dis_object *f, bool begins);
void dis_gcn_json_piece(struct dis *s, const struct dis_piece *p, bool first);
void dis_gcn_parts(struct dis *s, const struct dis_piece *p);

/* Raw words: the target that --raw names, and a file with one section that contains the words. */
const struct gcn_target *dis_raw_target(const char *text);
struct elf_file dis_raw_read(const struct dis *s, struct arena *mem,
			     struct elf_section sections[2]);

/* Returns true, with a warning, if the piece has too many basic blocks for the analyses. */
bool dis_gcn_too_large(const struct dis_piece *p, const char *option);
/* Waits with the loads that they are for (struct gcn_wait_note), or hazards (struct gcn_hazard), in
 * order of lines. The caller frees buf. */
struct dis_notes {
	struct buf buf;
	uint32_t n;
};
void dis_gcn_hazard_list(struct dis *s, const struct dis_piece *p, struct dis_notes *hazards);
void dis_gcn_waits(struct dis *s, const struct dis_piece *p, struct dis_notes *notes);
void dis_gcn_wait_remark(const struct dis_piece *p, const struct dis_notes *notes, uint32_t *next,
			 uint32_t line, char *text, size_t cap);

/* -- Shared functions ---------------------------------------------------------------- */

enum { GCN_TEXT_SIZE = 512 };

/* Returns the target with the wave size of the kernel. kernel NULL: the wave size of the file's
 * kernels if all agree, else the target's default. */
const struct gcn_target *dis_gcn_target(const struct dis_object *f, const struct code_kernel *k);
/* Returns true for a branch. *to: offset of its target from the instruction, in bytes; *i: index of
 * the operand. */
bool dis_gcn_branch(const struct gcn_target *t, const struct gcn_insn *in, int64_t *to,
		    unsigned *i);
/* Reads up to GCN_MAX_WORDS words at offset `at`. Returns their number. */
size_t dis_gcn_fetch(const uint8_t *code, uint64_t size, uint64_t at,
		     uint32_t words[GCN_MAX_WORDS]);
/* Returns the label of each line, or GCN_NOWHERE. *next is the first number to use, then the next
 * free one. */
uint32_t *dis_gcn_labels(const struct dis_piece *p, struct arena *mem, uint32_t *next);
/* Writes the text of a line as in the listing. */
void dis_gcn_text(const struct dis_piece *p, const struct gcn_line *line, const uint32_t *label,
		  char text[GCN_TEXT_SIZE]);
/* Returns the number of digits of addresses. */
int dis_gcn_addr_width(const struct dis_piece *p);
/* Resources of a kernel, from its metadata, or from its descriptor if it has none. */
struct dis_need {
	uint64_t vgpr, sgpr, agpr, lds, scratch, kernarg, workgroup;
	unsigned wave, waves_per_simd;
	const char *limit;
};
struct dis_need dis_gcn_need(const struct dis_object *f, const struct code_kernel *k);
/* Occupancy of a kernel for a given number of lanes in a work-group. */
struct dis_groups {
	unsigned groups, waves;
	char waves_per_simd[16]; /* decimal, "7.5" */
	const char *per, *limit; /* where the groups execute: "CU", or "WGP" for two of these */
};
struct dis_groups dis_gcn_groups(const struct dis_object *f, const struct code_kernel *k,
				 uint32_t block);

#endif
