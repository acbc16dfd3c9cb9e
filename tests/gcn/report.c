/* Tables of agreement and lists of differences. */
#include "report.h"
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const outcome_name[N_OUTCOME] = {
	[SAME] = "same", [REJECT] = "reject", [EXPLAINED] = "explained", [TEXT] = "text",
	[ONLY_LLVM] = "only-llvm", [ONLY_US] = "only-us", [CRASH] = "llvm-crash",
	[UNSTABLE] = "unstable", [UNPARSED] = "unparsed",
};

static double
percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 100.0;
}

static bool
is_shown(const struct report *r, unsigned e)
{
	if (encoding_name(e) != e)
		return false;
	for (unsigned k = 0; k < r->n_tallies; k++) {
		for (unsigned o = 0; o < N_OUTCOME; o++) {
			if (r->tally[k].n[e][o])
				return true;
		}
	}
	return false;
}

/* Prints rows by target with a column per format: the percentage of equal words among all that
 * at least one side decodes. Truncated, not rounded: 100 means all. */
static void
matrix(const struct report *r)
{
	char name[40];

	printf("%-18s", "% of decoded");
	for (unsigned e = 0; e < n_encodings; e++) {
		if (is_shown(r, e) && encodings[e].scope == IN)
			printf(" %7s", encodings[e].name);
	}
	printf("\n");
	for (unsigned k = 0; k < r->n_tallies; k++) {
		const struct tally *t = &r->tally[k];
		printf("%-18s", target_name(t->target, name));
		for (unsigned e = 0; e < n_encodings; e++) {
			struct share s = tally_share(t, e);
			if (!is_shown(r, e) || encodings[e].scope != IN)
				continue;
			if (!s.decoded)
				printf(" %7s", "-");
			else if (s.same == s.decoded)
				printf(" %7s", "100");
			else
				printf(" %7.3f", (double)(s.same * 100000 / s.decoded) / 1000);
		}
		printf("\n");
	}
}

void
report_shares(const struct report *r)
{
	matrix(r);
	printf("\n%-8s %10s %10s %10s %9s %9s %9s %8s %9s %8s %6s %8s %8s\n", "format", "words", "decoded",
	       "same", "% words", "% decoded", "explained", "text", "only-llvm", "only-us", "crash",
	       "unstable", "unparsed");
	for (unsigned e = 0; e < n_encodings; e++) {
		uint64_t n[N_OUTCOME] = { 0 };
		struct share all = { 0 };
		if (!is_shown(r, e))
			continue;
		for (unsigned k = 0; k < r->n_tallies; k++) {
			struct share s = tally_share(&r->tally[k], e);
			all.words += s.words;
			all.decoded += s.decoded;
			all.same += s.same;
			for (unsigned o = 0; o < N_OUTCOME; o++)
				n[o] += r->tally[k].n[e][o];
		}
		printf("%-8s %10ju %10ju %10ju %9.4f %9.4f %9ju %8ju %9ju %8ju %6ju %8ju %8ju%s\n",
		       encodings[e].name, (uintmax_t)all.words, (uintmax_t)all.decoded,
		       (uintmax_t)all.same, percent(all.same + n[REJECT], all.words),
		       percent(all.same, all.decoded), (uintmax_t)n[EXPLAINED], (uintmax_t)n[TEXT],
		       (uintmax_t)n[ONLY_LLVM], (uintmax_t)n[ONLY_US], (uintmax_t)n[CRASH],
		       (uintmax_t)n[UNSTABLE], (uintmax_t)n[UNPARSED],
		       encodings[e].scope == OUT ? "  (may be .long)" : "");
	}
	for (unsigned i = 0; i < n_rules; i++) {
		uint64_t n = 0;
		for (unsigned k = 0; k < r->n_tallies; k++)
			n += r->tally[k].explained[i];
		if (n)
			printf("explained %ju by %s: %s\n", (uintmax_t)n, rules[i].name, rules[i].why);
	}
}

/* Prints the targets in `found`, by name if they are few. */
static void
print_targets(const struct report *r, const bool *found)
{
	unsigned n = 0;
	char name[40];

	for (unsigned k = 0; k < r->n_tallies; k++) {
		if (!found[k])
			continue;
		if (n++ < 4)
			printf(" %s", target_name(r->tally[k].target, name));
	}
	printf(n > 4 ? " ... (%u)\n" : "\n", n);
}

struct merged {
	const struct difference *first;
	uint64_t n;
};

static int
by_format(const void *a, const void *b)
{
	const struct merged *x = a, *y = b;

	if (x->first->encoding != y->first->encoding)
		return x->first->encoding < y->first->encoding ? -1 : 1;
	return x->n > y->n ? -1 : x->n < y->n;
}

static bool
same_difference(const struct difference *a, const struct difference *b)
{
	return a->encoding == b->encoding && a->outcome == b->outcome && !strcmp(a->name, b->name);
}

static void
print_difference(const struct report *r, const struct merged *m, bool *found)
{
	const struct difference *d = m->first;

	for (unsigned k = 0; k < r->n_tallies; k++) {
		const struct tally *t = &r->tally[k];
		found[k] = false;
		for (unsigned i = 0; i < t->n_differences && !found[k]; i++)
			found[k] = same_difference(d, &t->difference[i]);
	}
	printf("%-8s %-10s %-32s %8ju ", encodings[d->encoding].name, outcome_name[d->outcome],
	       d->name, (uintmax_t)m->n);
	print_targets(r, found);
	printf("    %08x %08x %08x %08x\n", d->w[0], d->w[1], d->w[2], d->w[3]);
	if (d->outcome == UNSTABLE || d->outcome == UNPARSED)
		printf("      text %s\n      back %s\n", d->llvm, d->ours);
	else if (d->outcome != CRASH)
		printf("      llvm %s\n      ours %s\n", d->llvm, d->ours);
}

void
report_differences(const struct report *r)
{
	static struct merged all[64 * MAX_DIFFERENCES];
	unsigned n = 0, lost = 0, shown = 0;
	bool *found = calloc(r->n_tallies, sizeof *found);

	for (unsigned k = 0; k < r->n_tallies; k++) {
		lost += r->tally[k].lost;
		for (unsigned i = 0; i < r->tally[k].n_differences; i++) {
			const struct difference *d = &r->tally[k].difference[i];
			unsigned m = 0;
			while (m < n && !same_difference(all[m].first, d))
				m++;
			if (m == sizeof all / sizeof *all)
				continue;
			if (m == n)
				all[n++] = (struct merged){ d, 0 };
			all[m].n += d->n;
		}
	}
	qsort(all, n, sizeof *all, by_format);
	if (n || lost)
		printf("\n%u differences by opcode%s\n", n,
		       lost ? ", and more that do not fit" : "");
	for (unsigned i = 0; i < n && found; i++) {
		if (encodings[all[i].first->encoding].scope == IN && shown++ < r->listed)
			print_difference(r, &all[i], found);
	}
	free(found);
}

void
report_examples(const struct report *r)
{
	char name[40];

	for (unsigned k = 0; k < r->n_tallies; k++) {
		for (unsigned i = 0; i < n_rules; i++) {
			for (unsigned n = 0; n < MAX_EXAMPLES && n < r->tally[k].explained[i]; n++) {
				if (r->tally[k].example[i][n][0])
					printf("example %s %s %s %s\n", rules[i].name,
					       rules[i].both ? "both" : "one", target_name(r->tally[k].target, name),
					       r->tally[k].example[i][n]);
			}
		}
	}
}

static const struct opcode *
find_opcode(const struct tally *t, const struct opcode *like)
{
	for (unsigned i = 0; i < MAX_OPCODES; i++) {
		const struct opcode *o = &t->opcode[i];
		if (o->name[0] && o->encoding == like->encoding && !strcmp(o->name, like->name))
			return o;
	}
	return NULL;
}

static bool
is_missing(const struct tally *t, const struct opcode *o)
{
	return o && o->name[0] && o->n && !o->n_ours && encodings[o->encoding].scope == IN &&
	       explain(t->target, encodings[o->encoding].name, o->w, o->name, "") == n_rules;
}

unsigned
report_missing(const struct report *r)
{
	bool *found = calloc(r->n_tallies, sizeof *found);
	unsigned n = 0, n_seen = 0;

	for (unsigned k = 0; k < r->n_tallies && found; k++) {
		for (unsigned i = 0; i < MAX_OPCODES; i++) {
			const struct opcode *o = &r->tally[k].opcode[i];
			bool first = true;
			n_seen += o->name[0] != '\0';
			if (!is_missing(&r->tally[k], o))
				continue;
			n++;
			for (unsigned j = 0; j < r->n_tallies; j++) {
				found[j] = is_missing(&r->tally[j], find_opcode(&r->tally[j], o));
				first = first && (j >= k || !found[j]);
			}
			if (!first)
				continue;
			printf("missing  %-8s %-36s %6u words, %08x %08x ", encodings[o->encoding].name,
			       o->name, o->n, o->w[0], o->w[1]);
			print_targets(r, found);
		}
	}
	printf("%u opcodes of targets that LLVM decodes, %u of them have no row in qd\n", n_seen,
	       n);
	free(found);
	return n;
}

static bool
is_unseen(const struct tally *t, unsigned row)
{
	return row_on(t->target, row) && !t->row[row];
}

unsigned
report_unseen(const struct report *r)
{
	bool *found = calloc(r->n_tallies, sizeof *found);
	unsigned n = 0;

	for (unsigned row = 0; row < GCN_N_ROW && found; row++) {
		unsigned on = 0;
		for (unsigned k = 0; k < r->n_tallies; k++)
			on += found[k] = is_unseen(&r->tally[k], row);
		if (!on)
			continue;
		n += on;
		printf("unseen   %-44s", gcn_row_name(&gcn_rows[row]));
		print_targets(r, found);
	}
	printf("%u rows of targets of which no words came out the same\n", n);
	free(found);
	return n;
}

bool
report_agrees(const struct report *r)
{
	unsigned fails = 0;
	char name[40];

	for (unsigned k = 0; k < r->n_tallies; k++) {
		for (unsigned e = 0; e < n_encodings; e++) {
			const uint64_t *n = r->tally[k].n[e];
			struct share s = tally_share(&r->tally[k], e);
			double decoded = percent(s.same, s.decoded), back;
			back = percent(s.words - n[UNSTABLE] - n[UNPARSED], s.words);
			if (encodings[e].scope != IN || (decoded >= r->least && back >= 100))
				continue;
			if (fails++ >= r->listed)
				continue;
			printf("fails: %s %s agrees on %.4f %% of %ju decoded, %ju unstable, %ju unparsed\n",
			       target_name(r->tally[k].target, name), encodings[e].name, decoded,
			       (uintmax_t)s.decoded, (uintmax_t)n[UNSTABLE], (uintmax_t)n[UNPARSED]);
		}
	}
	printf("%u formats of targets agree on less than %g %%\n", fails, r->least);
	return !fails;
}
