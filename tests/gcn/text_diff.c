/* Compares qd's assembler with LLVM 22's. The texts are those that LLVM's disassembler prints for
 * random words of every row of every target, and damaged variants of them. Both must accept a text
 * with the same words, or both must reject it. See usage(). */
#include "damage.h"
#include "explain.h"
#include "llvm.h"
#include "pool.h"
#include "random.h"
#include "targets.h"
#include "text_llvm.h"
#include "text_rules.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_GROUPS = 4096, REASON = 100, TRIES = 60, N_OTHERS = 64, SHOWN = DAMAGE_TEXT + TEXT_CAP + 4 };

struct group {
	enum text_outcome outcome;
	enum damage damage;
	char reason[REASON], text[SHOWN]; /* text: with " = " and LLVM's print, if that differs */
	uint64_t n;
};
struct text_tally {
	const struct gcn_target *target;
	uint64_t n[N_DAMAGE][N_TEXT_OUTCOME], explained[MAX_TEXT_RULES], by_rule[N_TEXT_OUTCOME];
	uint32_t n_groups, rows, rows_without;
	struct group group[MAX_GROUPS];
};
struct options {
	unsigned n, n_damaged, one_of, seed, listed;
	bool classes, all, inject;
	const char *target;
};
struct job {
	const struct options *options;
	struct text_tally *tally;
};
struct line {
	enum damage damage;
	char text[DAMAGE_TEXT];
};
struct batch {
	unsigned n;
	struct line line[ORACLE_BATCH];
};

static int
usage(void)
{
	fprintf(stderr, "usage: text_diff [-n N] [-d N] [-r N] [-s SEED] [-t TARGET[:WAVE]] [-c] "
			"[-a] [-p] [-l GROUPS]\n"
			"  -n  texts of each row of each target (4), -d  damaged ones of each "
			"(12), -r  one row of so many (1),\n"
			"  -c  one target of each class,"
			"  -a  every difference on a line of its own, -p  an injected fault, -l  "
			"kinds of differences listed (40)\n");
	return 2;
}

/* -- One line ---------------------------------------------------------------------- */

static bool
ours(const struct gcn_target *t, const char *text, uint32_t w[GCN_MAX_WORDS], size_t *n, char why[REASON])
{
	struct qd_error err = { 0 };
	const char *colon;

	why[0] = '\0';
	if (!gcn_assemble(t, text, strlen(text), w, GCN_MAX_WORDS, n, &err))
		return true;
	colon = strstr(err.text, ": ");
	snprintf(why, REASON, "%.90s", colon ? colon + 2 : err.text);
	if (strstr(why, " on gfx"))
		*strstr(why, " on gfx") = '\0';
	return false;
}

/* -- Spelling ------------------------------------------------------------------------ */

/* Removes blanks and commas, and converts to lower case. */
static void
letters(const char *text, char out[DAMAGE_TEXT])
{
	size_t n = 0;

	for (const char *p = text; *p && n + 1 < DAMAGE_TEXT; p++) {
		if (!strchr(" \t,", *p))
			out[n++] = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
	}
	out[n] = '\0';
}

static struct verdict
asked(const struct gcn_target *t, const char *text)
{
	struct verdict v = { 0 };

	oracle_lines(t->name, target_features(t), &text, 1, &v);
	return v;
}

static bool
is_same(const struct verdict *v, const uint32_t *w, size_t n)
{
	return v->kind == TAKEN && v->n_words == n && !memcmp(v->w, w, n * sizeof *w);
}

/* Returns the reason for a text that LLVM accepts and qd refuses. If qd knows the instruction in
 * LLVM's own print, qd refuses only the spelling. Otherwise LLVM does not print it, does not read
 * its own print, or prints one constant for two encodings. In the remaining case the reason is qd's
 * error message for LLVM's print. */
static const char *
spelled(struct llvm_dis *x, const char **text, const struct verdict *v, const char *why)
{
	static char print[TEXT_CAP], own[REASON];
	const struct gcn_target *t = x->target;
	uint32_t w[GCN_MAX_WORDS], words[N_WORDS] = { 0 };
	char a[DAMAGE_TEXT], b[DAMAGE_TEXT];
	size_t n = 0;

	if (!v->n_words || v->n_words > N_WORDS)
		return v->n_words ? why : "the text is empty";
	memcpy(words, v->w, v->n_words * sizeof *words);
	if (llvm_text(x, words, v->n_words, print) <= 0)
		return "LLVM does not print its own input";
	bool read = ours(t, print, w, &n, own);
	if (read && is_same(v, w, n)) {
		letters(*text, a);
		letters(print, b);
		return strcmp(a, b) ? "the spelling" : "blanks, commas or capitals";
	}
	struct verdict again = asked(t, print);
	if (again.kind == REFUSED)
		return "LLVM does not accept its own output";
	if (!read) {
		*text = print;
		return own;
	}
	if (is_same(&again, w, n))
		return "LLVM prints other words";
	memset(words, 0, sizeof words);
	memcpy(words, w, n * sizeof *words);
	if (llvm_text(x, words, n, print) <= 0)
		return why;
	again = asked(t, print);
	return is_same(&again, v->w, v->n_words) ? "LLVM prints other words" : why;
}

static void
count_group(struct text_tally *out, enum text_outcome o, enum damage damage, const char *text,
	    const char *reason)
{
	unsigned i;

	for (i = 0; i < out->n_groups; i++) {
		if (out->group[i].outcome == o && out->group[i].damage == damage &&
		    !strcmp(out->group[i].reason, reason))
			break;
	}
	if (i == MAX_GROUPS)
		return;
	if (i == out->n_groups) {
		out->n_groups++;
		out->group[i] = (struct group){ .outcome = o, .damage = damage };
		snprintf(out->group[i].reason, REASON, "%s", reason);
		snprintf(out->group[i].text, SHOWN, "%.*s", SHOWN - 1, text);
	}
	out->group[i].n++;
}

static void
examine(const struct options *o, struct text_tally *out, struct llvm_dis *x, const struct line *l,
      const struct verdict *v)
{
	static const char *const outcome_name[] = { "", "", "words", "only-us", "only-llvm", "crash" };
	uint32_t w[GCN_MAX_WORDS] = { 0 };
	char why[REASON], them[ORACLE_WORDS * 9 + 1] = "", us[GCN_MAX_WORDS * 9 + 1] = "";
	const char *reason = v->why, *text = l->text;
	size_t n = 0;
	enum text_outcome what;
	unsigned rule;
	bool take = ours(out->target, l->text, w, &n, why);

	/* A damaged line before may have swallowed this one. */
	struct verdict alone;
	if (take && v->kind == TAKEN && !v->n_words) {
		alone = asked(out->target, l->text);
		v = &alone;
		reason = v->why;
	}
	if (take && n && o->inject && !(w[0] & 63))
		w[0] ^= 1;
	if (v->kind == CRASHED) {
		what = LLVM_CRASHED;
	} else if (v->kind == TAKEN && take) {
		what = is_same(v, w, n) ? BOTH_TAKE : OTHER_WORDS;
	} else if (take) {
		what = ONLY_US_TAKE;
		if (v->kind == SYMBOL)
			reason = "a symbol";
	} else {
		what = v->kind == TAKEN ? ONLY_LLVM_TAKES : BOTH_REFUSE;
		reason = what == BOTH_REFUSE ? why : spelled(x, &text, v, why);
	}
	out->n[l->damage][what]++;
	if (what == BOTH_TAKE || what == BOTH_REFUSE || what == LLVM_CRASHED)
		return;
	rule = text_explain(out->target, what, text, reason);
	if (rule < n_text_rules) {
		out->explained[rule]++;
		out->by_rule[what]++;
		return;
	}
	char shown[SHOWN];
	snprintf(shown, SHOWN, "%s%s%s", l->text, text == l->text ? "" : " = ", text == l->text ? "" : text);
	count_group(out, what, l->damage, shown, reason);
	if (!o->all)
		return;
	for (unsigned i = 0; i < v->n_words; i++)
		snprintf(them + 9 * i, 10, "%08x ", v->w[i]);
	for (size_t i = 0; take && i < n; i++)
		snprintf(us + 9 * i, 10, "%08x ", w[i]);
	printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", outcome_name[what], out->target->name, damage_name[l->damage],
	       reason, l->text, them, us);
}

/* -- One target ---------------------------------------------------------------------- */

static void
flush(const struct options *o, struct text_tally *out, struct llvm_dis *x, struct batch *b)
{
	static struct verdict v[ORACLE_BATCH];
	const char *line[ORACLE_BATCH];
	const struct gcn_target *t = out->target;

	for (unsigned i = 0; i < b->n; i++)
		line[i] = b->line[i].text;
	oracle_lines(t->name, target_features(t), line, b->n, v);
	for (unsigned i = 0; i < b->n; i++)
		examine(o, out, x, &b->line[i], &v[i]);
	b->n = 0;
}

static struct line *
next_line(const struct options *o, struct text_tally *out, struct llvm_dis *x, struct batch *b)
{
	if (b->n == ORACLE_BATCH)
		flush(o, out, x, b);
	return &b->line[b->n];
}

/* Returns whether qd decodes the words too, or no rule of explain.def declares them invalid. */
static bool
is_legal(const struct gcn_target *t, const uint32_t w[N_WORDS], const char *text)
{
	struct gcn_insn in;

	return gcn_decode(t, w, N_WORDS, &in) ||
	       explain(t, encodings[encoding_of(t, w[0])].name, w, text, "") == n_rules;
}

/* Makes a text that LLVM prints for words of the row, or one from an instruction of qd's tables. */
static bool
legal_text(struct dice *d, struct llvm_dis *x, unsigned row, char text[TEXT_CAP])
{
	uint32_t w[N_WORDS];
	struct sample s;
	char why[256];

	if (dice_below(d, 2)) {
		for (unsigned i = 0; i < TRIES; i++) {
			if (words_of_row(d, x->target, row, w) && llvm_text(x, w, N_WORDS, text) > 0 &&
			    strlen(text) < DAMAGE_TEXT - 64 && is_legal(x->target, w, text))
				return true;
		}
	}
	if (!gcn_random(d, x->target, row, &s, why))
		return false;
	memset(w, 0, sizeof w);
	memcpy(w, s.w, sizeof s.w);
	return llvm_text(x, w, (size_t)s.n_words, text) > 0;
}

static void
run_target(void *job, unsigned index)
{
	const struct options *o = ((const struct job *)job)->options;
	struct text_tally *out = &((const struct job *)job)->tally[index];
	static struct batch batch;
	static char others[N_OTHERS][TEXT_CAP];
	struct dice d = dice(o->seed, index);
	char text[TEXT_CAP];
	struct llvm_dis x;
	unsigned n_others = 0;

	if (!target_open(&x, out->target)) {
		fprintf(stderr, "LLVM does not support %s\n", out->target->name);
		_exit(1);
	}
	batch.n = 0;
	for (unsigned row = 0; row < GCN_N_ROW; row++) {
		unsigned found = 0;
		if (!row_on(out->target, row) || dice_below(&d, o->one_of))
			continue;
		for (unsigned i = 0; i < o->n; i++) {
			struct line *l;
			if (!legal_text(&d, &x, row, text))
				continue;
			found++;
			l = next_line(o, out, &x, &batch);
			l->damage = NO_DAMAGE;
			snprintf(l->text, DAMAGE_TEXT, "%.399s", text);
			batch.n++;
			memcpy(others[n_others++ % N_OTHERS], text, sizeof text);
			for (unsigned k = 0; k < o->n_damaged; k++) {
				const char *other = others[dice_below(&d, n_others < N_OTHERS ? n_others : N_OTHERS)];
				l = next_line(o, out, &x, &batch);
				l->damage = (enum damage)(1 + dice_below(&d, N_DAMAGE - 1));
				if (damage_text(&d, l->damage, text, other, l->text) && strcmp(l->text, text))
					batch.n++;
			}
		}
		out->rows++;
		out->rows_without += !found;
	}
	flush(o, out, &x, &batch);
	llvm_close(&x);
}

/* -- Report ------------------------------------------------------------------------- */

struct sums {
	uint64_t legal, legal_same, refused, refused_too, taken, taken_same, crashed;
};

static void
add_sums(const struct text_tally *t, struct sums *s)
{
	for (unsigned k = 0; k < N_DAMAGE; k++) {
		const uint64_t *n = t->n[k];
		if (k == NO_DAMAGE) {
			s->legal += n[BOTH_TAKE] + n[OTHER_WORDS] + n[ONLY_LLVM_TAKES];
			s->legal_same += n[BOTH_TAKE];
		} else {
			s->taken += n[BOTH_TAKE] + n[OTHER_WORDS] + n[ONLY_LLVM_TAKES];
			s->taken_same += n[BOTH_TAKE];
		}
		s->refused += n[BOTH_REFUSE] + n[ONLY_US_TAKE];
		s->refused_too += n[BOTH_REFUSE];
		s->crashed += n[LLVM_CRASHED];
	}
}

static double
percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 100.0;
}

static void
print_sums(const char *name, const struct sums *s)
{
	printf("%-18s printed %8llu, the same words %8.4f %%; damaged and taken %8llu, the same words %8.4f %%; "
	       "refused %8llu, by both %8.4f %%; crashes %llu\n",
	       name, (unsigned long long)s->legal, percent(s->legal_same, s->legal), (unsigned long long)s->taken,
	       percent(s->taken_same, s->taken), (unsigned long long)s->refused,
	       percent(s->refused_too, s->refused), (unsigned long long)s->crashed);
}

static int
by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->n < y->n ? 1 : x->n > y->n ? -1 : 0;
}

static bool
report(const struct options *o, const struct text_tally *tally, unsigned n)
{
	static const char *const outcome_name[] = { "", "", "other words", "only we take", "only LLVM takes", "" };
	static struct text_tally all;
	struct sums sum = { 0 }, last = { 0 };
	uint64_t unexplained = 0;
	char name[40];

	for (unsigned i = 0; i < n; i++) {
		struct sums s = { 0 };
		add_sums(&tally[i], &s);
		add_sums(&tally[i], &sum);
		if (!strncmp(tally[i].target->name, "gfx125", 6))
			add_sums(&tally[i], &last);
		print_sums(target_name(tally[i].target, name), &s);
		if (tally[i].rows_without)
			printf("  %u of %u rows without a text\n", tally[i].rows_without, tally[i].rows);
		for (unsigned k = 0; k < n_text_rules; k++)
			all.explained[k] += tally[i].explained[k];
		for (unsigned k = 0; k < tally[i].n_groups; k++) {
			const struct group *g = &tally[i].group[k];
			char text[SHOWN + 64];
			snprintf(text, sizeof text, "%s: %s", name, g->text);
			for (uint64_t c = 0; c < g->n; c++)
				count_group(&all, g->outcome, g->damage, text, g->reason);
			unexplained += g->n;
		}
	}
	print_sums("all", &sum);
	for (unsigned k = 0; k < n_text_rules; k++) {
		if (all.explained[k])
			printf("explained %6llu by %s: %s\n", (unsigned long long)all.explained[k], text_rules[k].name,
			       text_rules[k].why);
	}
	qsort(all.group, all.n_groups, sizeof *all.group, by_count);
	for (unsigned i = 0; i < all.n_groups && i < o->listed; i++)
		printf("%6llu %-15s %-18s %-50s %s\n", (unsigned long long)all.group[i].n,
		       outcome_name[all.group[i].outcome], damage_name[all.group[i].damage], all.group[i].reason,
		       all.group[i].text);
	printf("unexplained differences: %llu\n", (unsigned long long)unexplained);
	/* On gfx1250, LLVM's assembler rejects more of its disassembler's output: each text is explained. */
	return !unexplained && sum.legal && sum.refused &&
	       percent(sum.legal_same - last.legal_same, sum.legal - last.legal) >= 99.99 &&
	       percent(last.legal_same, last.legal) >= 99.75 && percent(sum.refused_too, sum.refused) >= 99;
}

int
main(int argc, char **argv)
{
	struct options o = { .n = 4, .n_damaged = 12, .one_of = 1, .seed = 1, .listed = 40 };
	struct text_tally *tally;
	struct targets l;
	int c;

	while ((c = getopt(argc, argv, "n:d:r:s:t:l:cap")) >= 0) {
		switch (c) {
		case 'n':
			o.n = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'd':
			o.n_damaged = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'r':
			o.one_of = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 's':
			o.seed = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 't':
			o.target = optarg;
			break;
		case 'l':
			o.listed = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'c':
			o.classes = true;
			break;
		case 'a':
			o.all = true;
			break;
		case 'p':
			o.inject = true;
			break;
		default:
			return usage();
		}
	}
	l = o.target ? targets_named(o.target) : o.classes ? targets_of_classes() : targets_all();
	tally = mmap(NULL, sizeof *tally * MAX_TARGETS, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (optind != argc || tally == MAP_FAILED || !l.n || !o.one_of)
		return usage();
	for (unsigned i = 0; i < l.n; i++)
		tally[i].target = l.target[i];
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("text_diff: %u texts of each row, %u damaged ones of each; seed %u, %u targets\n", o.n,
	       o.n_damaged, o.seed, l.n);
	fflush(stdout);
	llvm_init();
	oracle_init();
	if (!pool_run(l.n, run_target, &(struct job){ &o, tally })) {
		printf("fails: a process ended early\n");
		return 1;
	}
	return !report(&o, tally, l.n);
}
