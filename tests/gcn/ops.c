/* Checks operation.def against LLVM 22's assembler, on a target of each class. LLVM must accept an
 * instruction of the row from gcn_row_of under its own name. It must accept the operation's name
 * exactly on the targets in the table, with the same words. qd's assembler must do the same. */
#include "llvm.h"
#include "random.h"
#include "targets.h"
#include "text_llvm.h"

#include <stdio.h>

static const struct {
	const char *name, *own;
	uint32_t reads;
} operations[] = {
#define OP(name, own, targets) { #name, #own, targets },
#include "operation.def"
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations, SAMPLES = 3 };

static unsigned failures;

/* Returns the suffix after the name in a row's text, which may be empty; NULL: another name. */
static const char *
suffix(const char *text, const char *name)
{
	size_t n = strlen(name);

	text = strncmp(text, name, n) ? NULL : text + n;
	return text && (!*text || !strcmp(text, "_e32") || !strcmp(text, "_e64")) ? text : NULL;
}

static uint32_t
readers(const char *name)
{
	uint32_t all = 0;

	for (unsigned i = 0; i < N_OPERATIONS; i++)
		all |= strcmp(operations[i].name, name) ? 0 : operations[i].reads;
	return all;
}

static void
fail(const struct gcn_target *t, const char *text, const char *why, const char *more)
{
	printf("%s: %s: %s%s\n", t->name, text, why, more);
	failures++;
}

static bool
same_words(const struct sample *s, const uint32_t *w, int n)
{
	return n == s->n_words && !memcmp(s->w, w, (size_t)n * 4);
}

/* Compares one instruction under two names. */
static void
examine(const struct gcn_target *t, const struct sample *s, const char *renamed, bool reads)
{
	const char *const lines[2] = { s->text, renamed };
	struct verdict v[2];
	uint32_t w[GCN_MAX_WORDS];
	struct qd_error err = { 0 };
	struct gcn_insn in;
	int n = 0;
	bool ours = !gcn_parse(t, renamed, &in, &err) && !gcn_encode(t, &in, w, &n, &err);

	oracle_lines(t->name, target_features(t), lines, 2, v);
	if (v[0].kind != TAKEN || !same_words(s, v[0].w, v[0].n_words))
		fail(t, s->text, "LLVM encodes it differently ", v[0].why);
	else if ((v[1].kind == TAKEN) != reads)
		fail(t, renamed, reads ? "LLVM does not accept it: " : "LLVM takes it",
		     reads ? v[1].why : "");
	else if (reads && !same_words(s, v[1].w, v[1].n_words))
		fail(t, renamed, "LLVM encodes it differently from its own name", "");
	if (ours != reads || (ours && !same_words(s, w, n)))
		fail(t, renamed,
		     ours ? "our assembler accepts it" : "our assembler: ", ours ? "" : err.text);
}

int
main(void)
{
	struct targets l = targets_of_classes();
	static bool tried[N_OPERATIONS];
	unsigned n = 0;

	llvm_init();
	oracle_init();
	for (unsigned k = 0; k < l.n; k++) {
		const struct gcn_target *t = l.target[k];
		for (unsigned i = 0; i < N_OPERATIONS; i++) {
			for (unsigned row = 0; row < GCN_N_ROW; row++) {
				unsigned own = gcn_row_of(t, (enum gcn_op)row);
				const char *rest = suffix(gcn_row_name(&gcn_rows[own]), operations[i].own);
				struct dice d = dice(k * N_OPERATIONS + i, row);
				if (!suffix(gcn_row_name(&gcn_rows[row]), operations[i].name) || own == row ||
				    !rest)
					continue;
				tried[i] = true;
				for (unsigned s = 0; s < SAMPLES; s++) {
					size_t len = strlen(operations[i].own);
					struct sample sample;
					char renamed[320], why[256];
					if (!gcn_random(&d, t, own, &sample, why))
						continue;
					snprintf(renamed, sizeof renamed, "%s%s",
						 operations[i].name, sample.text + len);
					examine(t, &sample, renamed,
					      readers(operations[i].name) & t->class_bit);
					n++;
				}
			}
		}
	}
	for (unsigned i = 0; i < N_OPERATIONS; i++) {
		if (!tried[i]) {
			printf("%s is %s nowhere\n", operations[i].name, operations[i].own);
			failures++;
		}
	}
	printf("%u operations, %u instructions under both names, %u failures\n",
	       (unsigned)N_OPERATIONS, n, failures);
	return failures != 0 || !n;
}
