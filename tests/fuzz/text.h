/* Fuzz targets whose inputs are texts: what text.c, texts.c and kit.c give them. */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include "fuzz.h"
#include "unit.h"

/* -- text.c: damage that knows tokens and lines ------------------------------------ */

/* Words of the target's language, which damage puts in. */
extern const char *const fuzz_words[];
extern const size_t fuzz_n_words;

/* -- texts.c: seeds ------------------------------------------------------------------ */

/* The i-th .qdk text into out, NUL-terminated; its length, 0 behind the last. */
size_t texts_qdk(size_t i, char *out, size_t cap);
/* The same of printed IR: of every kernel of those texts, and the readers' own. */
size_t texts_ir(size_t i, char *out, size_t cap);

/* -- kit.c: what must hold whatever the text ------------------------------------------- */

/* A context of its own for each input: what it leaves allocated is lost. */
struct kit {
	struct qd_context *ctx;
	struct unit_alloc mem;
	struct qd_error err;
	const char *stage;
	double began;
};

void kit_open(struct kit *k);
void kit_close(struct kit *k);
_Noreturn void kit_broken(const char *what, const char *detail);
/* Around each call: it may take a second of this machine. */
void kit_begin(struct kit *k, const char *stage);
/* The call's status goes with its error; true where it is QD_OK. */
bool kit_end(struct kit *k, qd_status st);
/* Has what lives now grown beyond what a second is enough for?  Limits are for
 * t_lang.c to try. */
bool kit_is_large(const struct kit *k);
/* The kernel as text, to be freed. */
char *kit_print(struct kit *k, const struct qd_kernel *kernel);
/* What is printed reads back and prints the same. */
void kit_check_print(struct kit *k, const struct qd_kernel *kernel);
/* Code, where the target has it; what was emitted can be read. */
bool kit_compile(struct kit *k, const struct qd_kernel *kernel, const char *target,
		 const struct qd_tmpl *tmpl, uint32_t n_tmpl);
/* Is a fault of this name to be injected (QD_FUZZ_MUTATION)? */
bool kit_injected(const char *name);

#endif
