/* Runs the decoder on random words, without a reference. It must not crash (build it with
 * -Db_sanitize=address,undefined). Decoded words must encode to words that decode to the same
 * instruction. Text must stay in its bounds and parse. The parser must survive damaged text,
 * and the encoder invalid fields.
 * stress [WORDS per target] [SEED] [TARGET[:WAVE]]   (no target: one of each class) */
#include "random.h"
#include "targets.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAP = 512, PARSE_ONE_OF = 16, LISTED = 5 };

struct stress {
	const struct gcn_target *t;
	struct dice d;
	uint64_t decoded, parsed, damaged, taken, failures;
};

static void
fail(struct stress *x, const uint32_t *w, const char *text, const char *what)
{
	char name[40];

	if (x->failures++ < LISTED)
		printf("%s: %08x %08x %08x %s: %s\n", target_name(x->t, name), w[0], w[1], w[2], text,
		       what);
}

/* Checks that a buffer of any size gets the beginning of the text, terminated. */
static void
check_print(struct stress *x, const uint32_t *w, const struct gcn_insn *in, char text[CAP])
{
	char cut[CAP];
	size_t len = gcn_print(x->t, in, text, CAP), cap = dice_below(&x->d, CAP);

	memset(cut, '#', sizeof cut);
	if (gcn_print(x->t, in, cut, cap) != len || len >= CAP || strlen(text) != len)
		fail(x, w, text, "the length of the text");
	if (cap && strncmp(cut, text, cap - 1))
		fail(x, w, text, "the truncated text differs");
	if (cap && strlen(cut) != (len < cap ? len : cap - 1))
		fail(x, w, text, "the truncated text does not end at the end of its buffer");
	for (size_t i = cap; i < sizeof cut; i++) {
		if (cut[i] != '#') {
			fail(x, w, text, "written beyond the buffer");
			break;
		}
	}
}

static void
check_parse(struct stress *x, const uint32_t *w, const struct gcn_insn *in, const char *text)
{
	uint32_t again[GCN_MAX_WORDS];
	struct gcn_insn back;
	char other[CAP];
	int n;

	if (has_short_constant(x->t, in))
		return;
	x->parsed++;
	if (gcn_parse(x->t, text, &back, NULL) || gcn_words(x->t, &back, again, &n, NULL)) {
		fail(x, w, text, "the text does not read back");
		return;
	}
	gcn_print(x->t, &back, other, sizeof other);
	if (strcmp(text, other) || n > in->n_words)
		fail(x, w, text, "the text reads back differently");
}

/* Drops, doubles or changes characters. */
static void
damage(struct stress *x, const char *text)
{
	static const char odd[] = "|-[](),:. vs0x9\"%\\\t\1\xff";
	char copy[2 * CAP];
	size_t n = strlen(text), at;
	struct gcn_insn in;

	memcpy(copy, text, n + 1);
	for (unsigned i = 1 + dice_below(&x->d, 3); i && n; i--) {
		at = dice_below(&x->d, (uint32_t)n);
		switch (dice_below(&x->d, 4)) {
		case 0:
			memmove(copy + at, copy + at + 1, n - at);
			n--;
			break;
		case 1:
			memmove(copy + at + 1, copy + at, n - at + 1);
			n++;
			break;
		case 2:
			copy[at] = '\0';
			n = at;
			break;
		default:
			copy[at] = odd[dice_below(&x->d, sizeof odd - 1)];
			break;
		}
	}
	x->damaged += !gcn_parse(x->t, copy, &in, NULL);
}

static void
check_words(struct stress *x, const uint32_t w[N_WORDS])
{
	uint32_t again[GCN_MAX_WORDS];
	struct gcn_insn in, back;
	int n = gcn_decode(x->t, w, N_WORDS, &in), m;
	char text[CAP];

	if (!n)
		return;
	x->decoded++;
	if (n > N_WORDS || n != in.n_words) {
		fail(x, w, "", "the number of words");
		return;
	}
	for (int k = 0; k < n; k++) {
		if (gcn_decode(x->t, w, (size_t)k, &back))
			fail(x, w, "", "decoded from fewer words");
	}
	/* A copy of exactly its words makes reads past the end detectable. */
	uint32_t *exact = malloc((size_t)n * 4);
	if (exact) {
		memcpy(exact, w, (size_t)n * 4);
		if (gcn_decode(x->t, exact, (size_t)n, &back) != n || memcmp(&in, &back, sizeof in))
			fail(x, w, "", "decoded differently from its own words");
	}
	free(exact);
	check_print(x, w, &in, text);
	if (gcn_words(x->t, &in, again, &m, NULL))
		fail(x, w, text, "cannot be encoded again");
	else if (m != n || gcn_decode(x->t, again, (size_t)m, &back) != n ||
		 memcmp(&in, &back, sizeof in))
		fail(x, w, text, "is encoded as a different instruction");
	if (x->decoded % PARSE_ONE_OF == 0) {
		/* If the encoder rejects the instruction, it has bits that no text shows. */
		if (!gcn_encode(x->t, &in, again, &m, NULL))
			check_parse(x, w, &in, text);
		damage(x, text);
	}
}

/* Tries fields that no decoder returns. */
static void
check_fields(struct stress *x)
{
	struct gcn_insn in = { .row = (uint16_t)dice_below(&x->d, GCN_N_ROW + 2) };
	uint32_t w[GCN_MAX_WORDS];
	int n;

	in.form = (uint8_t)dice_below(&x->d, 5);
	for (unsigned i = 0; i < GCN_N_FIELD; i++) {
		if (!dice_below(&x->d, 3))
			in.field[i] = dice_below(&x->d, 2) ? dice32(&x->d) : dice_below(&x->d, 512);
	}
	x->taken += !gcn_encode(x->t, &in, w, &n, NULL);
}

static bool
run_target(const struct gcn_target *t, unsigned words, unsigned seed, unsigned index)
{
	struct stress x = { .t = t, .d = dice(seed, index) };
	unsigned list[MAX_ENCODINGS], n = 0;
	uint32_t w[N_WORDS];
	char name[40];

	for (unsigned e = 0; e < n_encodings; e++) {
		if (encoding_on(t, e))
			list[n++] = e;
	}
	for (unsigned i = 0; i < words; i++) {
		if (i % 4 == 0) {
			for (unsigned k = 0; k < N_WORDS; k++)
				w[k] = dice32(&x.d);
			check_words(&x, w);
		} else if (words_of_encoding(&x.d, t, list[i % n], w)) {
			check_words(&x, w);
		}
		if (i % 64 == 0)
			check_fields(&x);
	}
	printf("%-18s %u words, %ju decoded, %ju read back, %ju damaged texts and %ju random fields "
	       "taken, %ju failures\n",
	       target_name(t, name), words, (uintmax_t)x.decoded, (uintmax_t)x.parsed,
	       (uintmax_t)x.damaged, (uintmax_t)x.taken, (uintmax_t)x.failures);
	fflush(stdout);
	return !x.failures;
}

int
main(int argc, char **argv)
{
	unsigned words = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 20000;
	unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1;
	struct targets l = argc > 3 ? targets_named(argv[3]) : targets_of_classes();
	bool ok = l.n > 0;

	printf("stress: seed %u, %u targets\n", seed, l.n);
	for (unsigned i = 0; i < l.n; i++)
		ok = run_target(l.target[i], words, seed, i) && ok;
	return !ok;
}
