/* Random short functions of AMD code, and what our tables find in them; for
 * hazard_random.cpp, which asks LLVM about the same, without the tables' headers:
 * those are C. */
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
	int branch; /* HZ_BRANCH_IF: word is the whole instruction, less its offset */
	int to;     /* block */
	int tag;    /* 1 and up: the instruction of the function; 0: put in */
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
	int later, earlier, middle; /* instructions; middle -1 */
	int missing;
};

/* Names "gfx1100" and "gfx1100:64"; false when there is none.  Makes the pool of
 * instructions that functions are drawn from. */
struct hz;
struct gcn_target;
struct hz *hz_open(const char *target, uint64_t seed, int per_kind);
void hz_close(struct hz *);
const struct gcn_target *hz_target(const struct hz *);
int hz_wave(const struct hz *);
const char *hz_cpu(const struct hz *);
/* Instructions of the pool, to be looked at one by one; a refused one is not drawn. */
int hz_n_pool(const struct hz *);
void hz_pool(const struct hz *, int i, struct hz_insn *out);
void hz_refuse(struct hz *, int i);

void hz_function(struct hz *, uint64_t seed, struct hz_code *out);
/* How many; at most `cap` are told. */
int hz_check(struct hz *, const struct hz_code *, struct hz_found *found, int cap);
/* Around instruction number `i` of these words that waits for nothing but a hazard
 * (s_nop, v_nop, a wait for dependencies) or, with `counters`, for a counter, its block
 * as far as there is room, without it and with it.  False behind the last. */
int hz_window(struct hz *, const uint32_t *words, unsigned long n, int counters, int i,
	      struct hz_code *without, struct hz_code *with);
/* Results that are used before anything waits for them. */
int hz_check_waits(struct hz *, const struct hz_code *);
/* The one instruction that the text is. */
int hz_assemble(struct hz *, const char *text, struct hz_insn *out);
void hz_text(struct hz *, const struct hz_insn *, char text[HZ_TEXT]);

/* LLVM's readings (hazard_view.c), by number.  What is found with one of them, or with
 * two at once (else -1), of the rules that these are about, where they hold; `later` is
 * the instruction in question. */
int hz_n_view(void);
const char *hz_view_why(int view);
int hz_is_about(const struct hz *, int view, const char *rule);
int hz_check_as(struct hz *, const struct hz_code *, const int view[2], int later,
		struct hz_found *, int cap);
/* For reasons: it is a matrix instruction or a dot product; a register is named by both; the vector registers that it reads, or writes. */
int hz_is_matrix(struct hz *, const struct hz_insn *);
int hz_meets(struct hz *, const struct hz_insn *a, const struct hz_insn *b);
int hz_row(struct hz *, const struct hz_insn *); /* of which rows: 1 scalar, 2 vector memory */
int hz_has_a0(struct hz *, const struct hz_insn *);
/* What a wait before it is for, if not for what it uses; NULL: nothing. */
const char *hz_waits_beside(struct hz *, const struct hz_insn *);
int hz_vectors(struct hz *, const struct hz_insn *, int written, int *v, int cap);

/* For reasons: what an instruction does to scalar registers in the words of the
 * rules on lane masks and pairs. */
struct hz_scalar {
	int valu, salu, counted; /* of which kind it is; SALU that distances count */
	uint64_t reads[2], writes[2], mask[2]; /* registers 0 to 127; mask: as lane mask */
	int sa_sdst_0, va_sdst_0, va_vcc_0, memory;
};
void hz_scalar(struct hz *, const struct hz_insn *, struct hz_scalar *out);
/* Rules left out of a check, for injecting; NULL for none. */
void hz_leave_out(const char *rule);
/* Names of the target's rules; NULL behind the last. */
const char *hz_rule(const struct hz *, int i);

#ifdef __cplusplus
}
#endif

#endif
