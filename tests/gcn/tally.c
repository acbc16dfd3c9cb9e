/* Counts, and the first sample of each difference. */
#include "tally.h"

#include <stdio.h>

static void
copy(char *to, size_t cap, const char *from)
{
	snprintf(to, cap, "%s", from);
}

void
tally_difference(struct tally *t, unsigned encoding, enum outcome outcome, const char *name,
		 const uint32_t w[N_WORDS], const char *llvm, const char *ours)
{
	struct difference *d;

	for (d = t->difference; d < t->difference + t->n_differences; d++) {
		if (d->encoding == encoding && d->outcome == outcome && !strcmp(d->name, name)) {
			d->n++;
			return;
		}
	}
	if (t->n_differences == MAX_DIFFERENCES) {
		t->lost++;
		return;
	}
	t->n_differences++;
	d->encoding = (uint8_t)encoding;
	d->outcome = (uint8_t)outcome;
	d->n = 1;
	memcpy(d->w, w, sizeof d->w);
	copy(d->name, sizeof d->name, name);
	copy(d->llvm, sizeof d->llvm, llvm);
	copy(d->ours, sizeof d->ours, ours);
}

void
tally_explained(struct tally *t, unsigned rule, const uint32_t w[N_WORDS], const char *llvm,
		int n_words)
{
	char *at = t->example[rule][t->explained[rule] % MAX_EXAMPLES];
	size_t n = 0;

	if (t->explained[rule]++ >= MAX_EXAMPLES || !n_words)
		return;
	for (int i = 0; i < n_words; i++)
		n += (size_t)snprintf(at + n, N_SAMPLE - n, "%08x", w[i]);
	snprintf(at + n, N_SAMPLE - n, " %s", llvm);
}

void
tally_opcode(struct tally *t, unsigned encoding, const char *name, bool ours,
	     const uint32_t w[N_WORDS])
{
	uint32_t h = encoding;
	struct opcode *o;

	for (const char *p = name; *p; p++)
		h = h * 31 + (unsigned char)*p;
	for (h %= MAX_OPCODES;; h = (h + 1) % MAX_OPCODES) {
		o = &t->opcode[h];
		if (!o->name[0] || (o->encoding == encoding && !strcmp(o->name, name)))
			break;
	}
	if (!o->name[0]) {
		copy(o->name, sizeof o->name, name);
		o->encoding = (uint8_t)encoding;
		memcpy(o->w, w, sizeof o->w);
	}
	o->n++;
	o->n_ours += ours;
}

struct share
tally_share(const struct tally *t, unsigned encoding)
{
	const uint64_t *n = t->n[encoding];
	struct share s = { .same = n[SAME] };

	s.decoded = n[SAME] + n[TEXT] + n[ONLY_LLVM] + n[ONLY_US];
	s.words = s.decoded + n[REJECT];
	return s;
}
