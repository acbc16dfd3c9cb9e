/* Random short functions of AMD code, and the hazards that qd's tables find in them. For
 * hazard_random.cpp, which asks LLVM about the same functions. Independent of the tables' headers,
 * which are C only. */
#ifndef HAZARD_CODE_H
#define HAZARD_CODE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	HZ_MAX_BLOCK = 10, HZ_MAX_INSN = 120, HZ_WORDS = 5, HZ_TEXT = 200,
	HZ_NO_BRANCH = 0, HZ_BRANCH = 1, HZ_BRANCH_IF = 2
};

struct hz_insn {
	uint32_t word[HZ_WORDS];
	int n_words;
	int branch; /* HZ_BRANCH_IF: word is the whole instruction without its offset */
	int to;     /* target block */
	int tag;    /* from 1: number of the instruction in the function; 0: inserted */
};
struct hz_block {
	int first, n; /* instructions */
};
struct hz_code {
	int n_block, n_insn;
	struct hz_block block[HZ_MAX_BLOCK];
	struct hz_insn insn[HZ_MAX_INSN];
};
struct hz_found {
	const char *rule, *fix;
	int later, earlier, middle; /* instructions; middle may be -1 */
	int missing;
};

/* Opens the target, "gfx1100" or "gfx1100:64". Creates the pool of instructions for
 * functions. Returns NULL if there is no such target. */
struct hz;
struct gcn_target;
struct hz *hz_open(const char *target, uint64_t seed, int per_kind);
void hz_close(struct hz *);
const struct gcn_target *hz_target(const struct hz *);
int hz_wave(const struct hz *);
const char *hz_cpu(const struct hz *);
/* Instructions of the pool. Functions never contain a rejected one. */
int hz_n_pool(const struct hz *);
void hz_pool(const struct hz *, int i, struct hz_insn *out);
void hz_refuse(struct hz *, int i);

void hz_function(struct hz *, uint64_t seed, struct hz_code *out);
/* Checks the function. Returns the number of findings and stores at most `cap` of them. */
int hz_check(struct hz *, const struct hz_code *, struct hz_found *found, int cap);
/* Gives the block around wait number `i` of the words, as far as it fits, without and with the
 * wait. Such a wait is for hazards (s_nop, v_nop, a wait for dependencies) or, with `counters`,
 * for a counter. `i` begins at 0 for each code. Returns false after the last. */
int hz_window(struct hz *, const uint32_t *words, unsigned long n, int counters, int i,
	      struct hz_code *without, struct hz_code *with);
/* Counts results that are used before a wait for them. */
int hz_check_waits(struct hz *, const struct hz_code *);
/* Assembles one instruction. */
int hz_assemble(struct hz *, const char *text, struct hz_insn *out);
void hz_text(struct hz *, const struct hz_insn *, char text[HZ_TEXT]);

/* LLVM's interpretations of the rules (hazard_view.c), by number. hz_check_as checks with one of
 * them, or with two at once (else -1). It reports only the rules that they are about, where they
 * apply. `later` is the instruction in question. */
int hz_n_view(void);
const char *hz_view_why(int view);
int hz_is_about(const struct hz *, int view, const char *rule);
int hz_check_as(struct hz *, const struct hz_code *, const int view[2], int later,
		struct hz_found *, int cap);
/* Predicates for the reasons: matrix instruction or dot product; a register in common. hz_vectors
 * lists the vector registers that are read, or written. */
int hz_is_matrix(struct hz *, const struct hz_insn *);
int hz_meets(struct hz *, const struct hz_insn *a, const struct hz_insn *b);
int hz_row(struct hz *, const struct hz_insn *); /* 1 scalar, 2 vector memory */
int hz_has_a0(struct hz *, const struct hz_insn *);
/* Returns the reason for a wait before the instruction other than its operands, or NULL. */
const char *hz_waits_together(struct hz *, const struct hz_insn *);
int hz_vectors(struct hz *, const struct hz_insn *, int written, int *v, int cap);

/* Effects of an instruction on scalar registers, in the terms of the rules on lane masks and pairs.
 * For the reasons. */
struct hz_scalar {
	int valu, salu, counted; /* kind of instruction; counted: SALU that distances count */
	uint64_t reads[2], writes[2], mask[2]; /* registers 0 to 127; mask: read as lane mask */
	int sa_sdst_0, va_sdst_0, va_vcc_0, memory;
};
void hz_scalar(struct hz *, const struct hz_insn *, struct hz_scalar *out);
/* Disables a rule in checks, for fault injection. NULL: none. */
void hz_leave_out(const char *rule);
/* Returns the name of a rule of the target; NULL after the last. */
const char *hz_rule(const struct hz *, int i);

#ifdef __cplusplus
}
#endif

#endif
