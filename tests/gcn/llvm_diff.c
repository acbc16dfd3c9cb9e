/* Compares the tables with LLVM 22's disassembler, in both directions. Text and length must be
 * equal, or both must reject the words. Instructions that we decode must encode to their words,
 * and their text too. See usage() for the modes. Each target has its own process; two run at a
 * time. */
#include "compare.h"
#include "pool.h"
#include "random.h"
#include "report.h"
#include "targets.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum mode { WORDS, ROWS, OPCODES, DEEP, N_MODES };
enum { PARSE_ONE_OF = 8, N_KEPT = 16 };

static const struct {
	const char *name, *what;
	unsigned n;
} modes[N_MODES] = {
	[WORDS] = { "words", "random words of each target, spread over its formats", 20000 },
	[ROWS] = { "rows", "random words of each row of each target", 20 },
	[OPCODES] = { "opcodes", "tries for each value of each opcode field", 100 },
	[DEEP] = { "deep", "random words of each target, half spread over its formats, half over its rows", 10000000 },
};

struct options {
	enum mode mode;
	unsigned n, seed, listed;
	double least;
	bool classes, examples, inject;
	const char *target, *format;
};

struct job {
	const struct options *options;
	struct tally *tally;
};

static int
usage(void)
{
	fprintf(stderr, "usage: llvm_diff MODE [-n N] [-s SEED] [-t TARGET[:WAVE]] [-f FORMAT]\n"
			"                 [-c] [-x] [-p] [-m PERCENT] [-l DIFFERENCES]\n"
			"  -c  one target of each class, -x  examples of what explain.def covers, -p  a fault in one row,\n"
			"  -m  the least agreement (99.9; of deep 100), -l  how many differences are listed (20);\n"
			"  N of a mode is the number of\n");
	for (unsigned i = 0; i < N_MODES; i++)
		fprintf(stderr, "  %-8s %s (%u)\n", modes[i].name, modes[i].what, modes[i].n);
	return 2;
}

static bool
wanted(const struct options *o, unsigned encoding)
{
	return !o->format || !strcmp(o->format, encodings[encoding].name);
}

static void
run_words(const struct options *o, unsigned n_words, struct llvm_dis *x, struct dice *d, struct tally *out)
{
	unsigned list[MAX_ENCODINGS], n = 0;
	uint32_t w[N_WORDS];

	for (unsigned e = 0; e < n_encodings; e++) {
		if (encoding_on(x->target, e) && wanted(o, e))
			list[n++] = e;
	}
	for (unsigned i = 0; i < n_words && n; i++) {
		if (words_of_encoding(d, x->target, list[i % n], w))
			compare(x, w, i / n % PARSE_ONE_OF == 0, out);
	}
}

/* Makes words of the row that our encoder accepts. */
static bool
legal_words(struct dice *d, const struct gcn_target *t, unsigned row, uint32_t w[N_WORDS])
{
	struct sample s;
	char why[256];

	if (!gcn_random(d, t, row, &s, why))
		return false;
	for (unsigned i = 0; i < N_WORDS; i++)
		w[i] = i < (unsigned)s.n_words ? s.w[i] : dice32(d);
	return true;
}

static void
run_rows(const struct options *o, unsigned n_words, struct llvm_dis *x, struct dice *d, struct tally *out)
{
	const struct gcn_target *t = x->target;
	uint32_t w[N_WORDS], kept[N_KEPT][N_WORDS];

	for (unsigned row = 0; row < GCN_N_ROW; row++) {
		unsigned n = 0;
		if (!row_on(t, row))
			continue;
		for (unsigned i = 0; i < n_words; i++) {
			/* Every third sample changes some bits of an instruction found before. */
			if (n && i % 3 == 0)
				words_near(d, kept[dice_below(d, n < N_KEPT ? n : N_KEPT)], w);
			else if (!n && i % 3 == 1 ? !legal_words(d, t, row, w) : !words_of_row(d, t, row, w))
				continue;
			if (wanted(o, encoding_of(t, w[0])) &&
			    compare(x, w, i % PARSE_ONE_OF == 0, out) && i % 3)
				memcpy(kept[n++ % N_KEPT], w, sizeof w);
		}
	}
}

static void
run_opcodes(const struct options *o, struct llvm_dis *x, struct dice *d, struct tally *out)
{
	uint32_t w[N_WORDS];

	for (unsigned e = 0; e < n_encodings; e++) {
		if (!encoding_on(x->target, e) || !wanted(o, e))
			continue;
		for (unsigned op = 0; op < encoding_n_opcodes(e); op++) {
			for (unsigned i = 0; i < o->n; i++) {
				if (words_of_opcode(d, x->target, e, op, w))
					compare(x, w, false, out);
			}
		}
	}
}

static unsigned
n_rows_on(const struct gcn_target *t)
{
	unsigned n = 0;

	for (unsigned row = 0; row < GCN_N_ROW; row++)
		n += row_on(t, row);
	return n;
}

/* Returns a row of the target, drawn by the seed. */
static unsigned
fault_of(const struct options *o, const struct gcn_target *t)
{
	struct dice d = dice(o->seed, GCN_N_ROW);
	unsigned row = dice_below(&d, GCN_N_ROW);

	while (!row_on(t, row))
		row = (row + 1) % GCN_N_ROW;
	return row;
}

static void
run_target(void *job, unsigned index)
{
	const struct options *o = ((const struct job *)job)->options;
	struct tally *out = &((const struct job *)job)->tally[index];
	struct dice d = dice(o->seed, index);
	struct llvm_dis x;

	if (!target_open(&x, out->target)) {
		fprintf(stderr, "LLVM does not support %s\n", out->target->name);
		_exit(1);
	}
	switch (o->mode) {
	case WORDS:
		run_words(o, o->n, &x, &d, out);
		break;
	case ROWS:
		run_rows(o, o->n, &x, &d, out);
		break;
	case DEEP:
		run_words(o, o->n / 2, &x, &d, out);
		run_rows(o, o->n / 2 / n_rows_on(out->target) + 1, &x, &d, out);
		break;
	default:
		run_opcodes(o, &x, &d, out);
		break;
	}
	llvm_close(&x);
}

static unsigned
pick_targets(const struct options *o, struct tally *tally)
{
	struct targets l = o->target ? targets_named(o->target)
				     : o->classes ? targets_of_classes() : targets_all();

	for (unsigned i = 0; i < l.n; i++) {
		tally[i].target = l.target[i];
		tally[i].fault = o->inject ? fault_of(o, l.target[i]) : GCN_N_ROW;
	}
	return l.n;
}

static bool
parse_options(int argc, char **argv, struct options *o)
{
	int c;

	o->mode = N_MODES;
	for (unsigned i = 0; i < N_MODES && argc > 1; i++) {
		if (!strcmp(argv[1], modes[i].name))
			o->mode = i;
	}
	if (o->mode == N_MODES)
		return false;
	o->n = modes[o->mode].n;
	o->least = o->mode == DEEP ? 100 : 99.9;
	optind = 2;
	while ((c = getopt(argc, argv, "n:s:t:f:m:l:cxp")) >= 0) {
		switch (c) {
		case 'n':
			o->n = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 's':
			o->seed = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 't':
			o->target = optarg;
			break;
		case 'f':
			o->format = optarg;
			break;
		case 'm':
			o->least = strtod(optarg, NULL);
			break;
		case 'l':
			o->listed = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'c':
			o->classes = true;
			break;
		case 'x':
			o->examples = true;
			break;
		case 'p':
			o->inject = true;
			break;
		default:
			return false;
		}
	}
	return optind == argc;
}

int
main(int argc, char **argv)
{
	struct options o = { .seed = 1, .listed = 20 };
	struct report r = { 0 };
	struct tally *tally;
	bool ok;

	if (!parse_options(argc, argv, &o))
		return usage();
	tally = mmap(NULL, sizeof *tally * MAX_TARGETS, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED) {
		perror("llvm_diff");
		return 2;
	}
	r = (struct report){ tally, pick_targets(&o, tally), o.listed, o.least };
	if (!r.n_tallies) {
		fprintf(stderr, "llvm_diff: no target %s\n", o.target);
		return 2;
	}
	printf("%s: %u %s; seed %u, %u targets\n", modes[o.mode].name, o.n, modes[o.mode].what, o.seed,
	       r.n_tallies);
	fflush(stdout);
	llvm_init();
	ok = pool_run(r.n_tallies, run_target, &(struct job){ &o, tally });
	if (!ok)
		printf("fails: a process ended early\n");
	report_shares(&r);
	report_differences(&r);
	if (o.examples)
		report_examples(&r);
	if ((o.mode == ROWS || o.mode == DEEP) && !o.format)
		ok = (!report_unseen(&r) || o.mode == ROWS) && ok;
	if (o.mode == OPCODES)
		ok = !report_missing(&r) && ok;
	else
		ok = report_agrees(&r) && ok;
	return !ok;
}
