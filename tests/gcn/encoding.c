/* Tables and functions of encoding.def. */
#include "encoding.h"

#define OP(lo, width) { lo, width },
#define ENC(n, g, s, words, m, v, ops)                                                             \
	{ .name = #n, .gens = g, .scope = s, .n_words = words, .mask = m, .match = v, .op = { ops } },
const struct encoding encodings[] = {
#include "encoding.def"
};
const unsigned n_encodings = sizeof encodings / sizeof *encodings;
_Static_assert(sizeof encodings / sizeof *encodings <= MAX_ENCODINGS, "raise MAX_ENCODINGS");

bool
encoding_on(const struct gcn_target *t, unsigned encoding)
{
	return encodings[encoding].gens >> t->gen & 1;
}

unsigned
encoding_of(const struct gcn_target *t, uint32_t first_word)
{
	unsigned e = 0;

	while (!encoding_on(t, e) || (first_word & encodings[e].mask) != encodings[e].match)
		e++;
	return e;
}

unsigned
encoding_name(unsigned encoding)
{
	unsigned e = 0;

	while (strcmp(encodings[e].name, encodings[encoding].name))
		e++;
	return e;
}

unsigned
encoding_n_opcodes(unsigned encoding)
{
	return 1u << (encodings[encoding].op[0].width + encodings[encoding].op[1].width);
}

bool
encoding_set(const struct gcn_target *t, unsigned encoding, int opcode, uint32_t w[N_WORDS])
{
	const struct encoding *e = &encodings[encoding];
	unsigned shift = 0;

	w[0] = (w[0] & ~e->mask) | e->match;
	if (e->n_words == 4) /* two VOP3P instructions in one */
		w[2] = e->gens == B125 ? (w[2] & 0x00ffffff) | 0xcc000000 : (w[2] & 0x007fffff) | 0xd3800000;
	for (unsigned i = 0; i < 2 && e->op[i].width && opcode >= 0; i++) {
		bits_set(w, e->op[i].lo, e->op[i].width, (uint32_t)opcode >> shift);
		shift += e->op[i].width;
	}
	return encoding_of(t, w[0]) == encoding;
}

const struct gcn_layout *
encoding_layout(const struct gcn_target *t, unsigned encoding)
{
	for (size_t i = 0; i < gcn_n_layouts; i++) {
		const struct gcn_layout *l = &gcn_layouts[i];
		if ((l->gens >> t->gen & 1) && (encodings[encoding].match & l->mask) == l->match)
			return l;
	}
	return NULL;
}
