/* The tables of pm4.def, and functions that write packets and registers. */
#include "pm4.h"

/* clang-format off */
#define NA PM4_NA
#define MORE 0x8000
#define MIN(n) ((n) | MORE)
#define WORDS(n) ((n) & ~MORE)
#define BIT(gen) (1u << PM4_##gen)

const struct pm4_reg pm4_regs[PM4_N_REG] = {
#define PM4_REG(name, space, n, g9, g908, g90a, g94, g10, g103, g11, g12, who) \
	{ #name, PM4_SPACE_##space, n, { g9, g908, g90a, g94, g10, g103, g11, g12 }, PM4_BY_##who },
#include "pm4.def"
};

const struct pm4_packet pm4_packets[PM4_N_PACKET] = {
#define PM4_PACKET(name, opcode, type, g9, g908, g90a, g94, g10, g103, g11, g12) \
	{ #name, opcode, type, { WORDS(g9), WORDS(g908), WORDS(g90a), WORDS(g94), WORDS(g10), WORDS(g103), WORDS(g11), WORDS(g12) }, \
	  ((g9) & MORE) != 0 },
#include "pm4.def"
};

static const struct body {
	const char *name;
	uint8_t packet, at, gens;
} bodies[] = {
#define PM4_BODY(packet, at, name, gens) { #name, PM4_PKT_##packet, at, gens },
#include "pm4.def"
};

const struct pm4_field pm4_fields[] = {
#define PM4_FIELD(word, name, lo, width, gens) { #name, PM4_##word, lo, width, gens, PM4_F_##word##_##name },
#include "pm4.def"
};
const unsigned pm4_n_fields = QD_COUNT(pm4_fields);

static const uint32_t values[PM4_N_VALUE][PM4_N_GEN] = {
#define PM4_VALUE(name, g9, g908, g90a, g94, g10, g103, g11, g12) { g9, g908, g90a, g94, g10, g103, g11, g12 },
#include "pm4.def"
};

static const struct {
	uint16_t reg, value[PM4_N_GEN];
} fixed[] = {
#define PM4_FIXED(reg, g9, g908, g90a, g94, g10, g103, g11, g12) { PM4_##reg, { g9, g908, g90a, g94, g10, g103, g11, g12 } },
#include "pm4.def"
};
/* clang-format on */

_Static_assert(PM4_N_GEN <= 8, "a bit for each in a byte");
_Static_assert(PM4_N_FIELD <= 256, "their numbers are bytes");
_Static_assert(PM4_N_REG + QD_COUNT(bodies) == PM4_N_WORD, "a word for each");

uint32_t
pm4_value(enum pm4_gen gen, enum pm4_value_id id)
{
	return values[id][gen];
}

const struct pm4_reg *
pm4_reg_at(enum pm4_gen gen, enum pm4_space space, uint32_t offset, uint32_t *i)
{
	for (unsigned k = 0; k < PM4_N_REG; k++) {
		const struct pm4_reg *r = &pm4_regs[k];
		uint32_t first = r->offset[gen];
		if (r->space != space || first == PM4_NA || offset < first || offset - first >= r->n)
			continue;
		*i = offset - first;
		return r;
	}
	return NULL;
}

const struct pm4_packet *
pm4_packet_of(unsigned opcode)
{
	for (unsigned k = 0; k < PM4_N_PACKET; k++)
		if (pm4_packets[k].opcode == opcode)
			return &pm4_packets[k];
	return NULL;
}

enum pm4_word
pm4_body_at(enum pm4_gen gen, enum pm4_packet_id packet, uint32_t at)
{
	for (unsigned k = 0; k < QD_COUNT(bodies); k++)
		if (bodies[k].packet == packet && bodies[k].at == at && (bodies[k].gens >> gen & 1))
			return (enum pm4_word)(PM4_N_REG + k);
	return PM4_N_WORD;
}

const char *
pm4_word_name(enum pm4_word word)
{
	return word < PM4_N_REG ? pm4_regs[word].name : bodies[word - PM4_N_REG].name;
}

const struct pm4_field *
pm4_field_next(enum pm4_gen gen, enum pm4_word word, unsigned *i)
{
	while (*i < pm4_n_fields) {
		const struct pm4_field *f = &pm4_fields[(*i)++];
		if (f->word == word && (f->gens >> gen & 1))
			return f;
	}
	return NULL;
}

/* Returns the generation's row of the field, or NULL. */
static const struct pm4_field *
field_of(enum pm4_gen gen, enum pm4_field_id id)
{
	for (unsigned k = 0; k < pm4_n_fields; k++)
		if (pm4_fields[k].id == id && (pm4_fields[k].gens >> gen & 1))
			return &pm4_fields[k];
	return NULL;
}

uint32_t
pm4_get(enum pm4_gen gen, uint32_t word, enum pm4_field_id id)
{
	const struct pm4_field *f = field_of(gen, id);

	return f ? (word & pm4_field_mask(f)) >> f->lo : 0;
}

/* -- Writing ---------------------------------------------------------------------------- */

void
pm4_begin(struct pm4 *p, enum pm4_gen gen, uint32_t *words, uint32_t cap, struct qd_error *err)
{
	*p = (struct pm4){ .gen = gen, .words = words, .cap = cap, .err = err };
}

void
pm4_fail(struct pm4 *p, qd_status st, const char *fmt, ...)
{
	va_list ap;

	if (p->st)
		return;
	va_start(ap, fmt);
	p->st = qd_vfail(p->err, st, 0, 0, fmt, ap);
	va_end(ap);
}

void
pm4_bits(struct pm4 *p, uint32_t *word, enum pm4_field_id id, uint32_t value)
{
	const struct pm4_field *f = field_of(p->gen, id);

	for (unsigned k = 0; !f && k < pm4_n_fields; k++)
		if (pm4_fields[k].id == id && value)
			pm4_fail(p, QD_E_INVALID, "%s has no field %s on this device",
				 pm4_word_name((enum pm4_word)pm4_fields[k].word), pm4_fields[k].name);
	if (!f)
		return;
	if (value > pm4_field_mask(f) >> f->lo) {
		pm4_fail(p, QD_E_LIMIT, "%s.%s has %u bits; %u does not fit",
			 pm4_word_name((enum pm4_word)f->word), f->name, f->width, value);
		return;
	}
	*word |= value << f->lo;
}

/* Writes a packet's header and returns its body, or NULL on error or if there is no room. */
static uint32_t *
open_packet(struct pm4 *p, enum pm4_packet_id id, uint32_t n)
{
	const struct pm4_packet *k = &pm4_packets[id];
	uint32_t want = k->words[p->gen];

	if (p->st)
		return NULL;
	if (n < want || (n > want && !k->more) || n > PM4_MOST_BODY) {
		pm4_fail(p, QD_E_INVALID, "%s has %u words on this device%s; %u are given", k->name, want,
			 k->more ? " or more" : "", n);
		return NULL;
	}
	if (p->cap - p->n < n + 1) {
		pm4_fail(p, QD_E_LIMIT,
			 "the stream is full: %s needs %u words, but %u of %u are left", k->name,
			 n + 1, p->cap - p->n, p->cap);
		return NULL;
	}
	uint32_t *at = p->words + p->n;
	p->n += n + 1;
	*at = 3u << 30 | (n - 1) << 16 | (uint32_t)k->opcode << 8 | (uint32_t)k->compute << 1;
	return at + 1;
}

void
pm4_packet(struct pm4 *p, enum pm4_packet_id id, const uint32_t *body, uint32_t n)
{
	uint32_t *at = open_packet(p, id, n);

	if (at)
		memcpy(at, body, n * sizeof *at);
}

/* Checks that a stream may write these registers. */
static bool
may_set(struct pm4 *p, const struct pm4_reg *r, uint32_t n)
{
	uint32_t first = r->offset[p->gen], i;

	if (first == PM4_NA) {
		pm4_fail(p, QD_E_INVALID, "there is no register %s on this device", r->name);
		return false;
	}
	for (uint32_t k = 0; k < n; k++) {
		const struct pm4_reg *at = pm4_reg_at(p->gen, r->space, first + k, &i);
		if (!at)
			pm4_fail(p, QD_E_INVALID,
				 "%s and the %u registers after it: no register at 0x%x", r->name,
				 n - 1, first + k);
		else if (at->who != PM4_BY_SET)
			pm4_fail(p, QD_E_INVALID, "a stream cannot set %s", at->name);
		if (p->st)
			return false;
	}
	return true;
}

void
pm4_set(struct pm4 *p, enum pm4_word reg, const uint32_t *v, uint32_t n)
{
	const struct pm4_reg *r = &pm4_regs[reg];
	bool uconfig = r->space == PM4_SPACE_UCONFIG;

	if (p->st || !may_set(p, r, n))
		return;
	uint32_t *at = open_packet(p, uconfig ? PM4_PKT_SET_UCONFIG_REG : PM4_PKT_SET_SH_REG, n + 1);
	if (!at)
		return;
	at[0] = r->offset[p->gen];
	memcpy(at + 1, v, n * sizeof *at);
}

void
pm4_pad(struct pm4 *p)
{
	enum { UNIT = 8 };
	/* A NOP with this length has no body. It is the only packet of a single word. */
	uint32_t nop = 3u << 30 | (uint32_t)PM4_MOST_BODY << 16 |
		       (uint32_t)pm4_packets[PM4_PKT_NOP].opcode << 8;
	uint32_t more = (UNIT - p->n % UNIT) % UNIT;

	if (p->st)
		return;
	if (p->cap - p->n < more) {
		pm4_fail(p, QD_E_LIMIT,
			 "the stream is full: %u words are left, but the padding needs %u",
			 p->cap - p->n, more);
		return;
	}
	while (more--)
		p->words[p->n++] = nop;
}

void
pm4_set_fixed(struct pm4 *p, enum pm4_space space)
{
	enum { MOST = 16 };
	uint32_t v[MOST], n = 0;
	enum pm4_word first = 0;

	for (size_t i = 0; i < QD_COUNT(fixed); i++) {
		const struct pm4_reg *r = &pm4_regs[fixed[i].reg];
		uint16_t value = fixed[i].value[p->gen], at = r->offset[p->gen];
		if (r->space != space || value == PM4_NA)
			continue;
		/* Adjacent registers share a packet. */
		if (n && (at != pm4_regs[first].offset[p->gen] + n || n + r->n > MOST)) {
			pm4_set(p, first, v, n);
			n = 0;
		}
		if (!n)
			first = (enum pm4_word)fixed[i].reg;
		for (uint32_t k = 0; k < r->n; k++)
			v[n++] = value;
	}
	if (n)
		pm4_set(p, first, v, n);
}
