/* Declarations for fuzz targets of texts: text.c, texts.c and kit.c. */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include "fuzz.h"
#include "unit.h"

/* -- text.c: damage by tokens and lines -------------------------------------------- */

/* Words of the target's language, for damage to insert. */
extern const char *const fuzz_words[];
extern const size_t fuzz_n_words;

/* -- texts.c: seeds ------------------------------------------------------------------ */

/* Writes the i-th .qdk text to out, NUL-terminated. Returns its length, or 0 after the last one. */
size_t texts_qdk(size_t i, char *out, size_t cap);
/* The same for printed IR: of every kernel of those texts, and of the reader tests. */
size_t texts_ir(size_t i, char *out, size_t cap);

/* -- kit.c: checks for any text -------------------------------------------------------- */

/* State of one input, with its own context. Memory that it leaves allocated is a leak. */
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
/* kit_begin and kit_end surround each call, which may take a second of CPU time. */
void kit_begin(struct kit *k, const char *stage);
/* Checks the status against the error. Returns whether it is QD_OK. */
bool kit_end(struct kit *k, qd_status st);
/* Returns whether the IR is too large to finish in a second. t_lang.c tests limits. */
bool kit_is_large(const struct kit *k);
/* Returns the kernel as text; the caller frees it. */
char *kit_print(struct kit *k, const struct qd_kernel *kernel);
/* Checks that the printed kernel reads back and prints the same. */
void kit_check_print(struct kit *k, const struct qd_kernel *kernel);
/* Compiles, if the target supports the kernel, and checks that the emitted code can be read. */
bool kit_compile(struct kit *k, const struct qd_kernel *kernel, const char *target,
		 const struct qd_tmpl *tmpl, uint32_t n_tmpl);
/* Returns whether a fault of this name must be injected (QD_FUZZ_MUTATION). */
bool kit_injected(const char *name);

#endif
