/* Disassembler of streams, driven by the tables that write them. Each word has a line that shows
 * all of its bits. */
#include "pm4.h"

enum { ONE_WORD = 0x3fff }; /* a NOP of this count has no body */

bool
pm4_next(const uint32_t *words, uint32_t n, uint32_t *at, struct pm4_read *out)
{
	if (*at >= n)
		return false;
	uint32_t header = words[*at], left = n - *at - 1, count = header >> 16 & 0x3fff;
	*out = (struct pm4_read){ .header = header, .body = words + *at + 1 };
	if (header >> 30 == 3) {
		out->packet = pm4_packet_of(header >> 8 & 0xff);
		out->n = count + 1;
		if (out->packet == &pm4_packets[PM4_PKT_NOP] && count == ONE_WORD)
			out->n = 0;
	}
	if (out->n > left) {
		out->missing = out->n - left;
		out->n = left;
	}
	*at += 1 + out->n;
	return true;
}

struct dis {
	enum pm4_gen gen;
	const uint32_t *words;
	struct buf *text;
};

static void
begin_line(struct dis *s, const uint32_t *word, bool body)
{
	buf_printf(s->text, "%04x  %08X  %s", (unsigned)(word - s->words) * 4, *word, body ? "  " : "");
}

static void
put_header(struct dis *s, const struct pm4_read *r)
{
	const struct pm4_packet *k = r->packet;
	uint32_t rest = r->header & 0xfc;

	begin_line(s, r->body - 1, false);
	if (r->header >> 30 != 3) {
		buf_printf(s->text, r->header == 2u << 30 ? "filler\n" : "no packet\n");
		return;
	}
	if (k)
		buf_printf(s->text, "%s", k->name);
	else
		buf_printf(s->text, "opcode 0x%x", r->header >> 8 & 0xff);
	buf_printf(s->text, ", %u word%s", r->n + r->missing, r->n + r->missing == 1 ? "" : "s");
	if (r->header & 2)
		buf_printf(s->text, ", compute");
	if (r->header & 1)
		buf_printf(s->text, ", predicated");
	if (rest)
		buf_printf(s->text, ", +0x%x", rest);
	if (!k) {
		buf_printf(s->text, "  ; unknown");
	} else {
		uint32_t want = k->words[s->gen], n = r->n + r->missing;
		bool one_word = k == &pm4_packets[PM4_PKT_NOP] && n == 0;
		if ((n < want || (n > want && !k->more)) && !one_word)
			buf_printf(s->text, "  ; has %u%s on this device", want, k->more ? " or more" : "");
	}
	buf_printf(s->text, "\n");
	if (r->missing)
		buf_printf(s->text, "; words missing: %u of %u\n", r->missing, r->n + r->missing);
}

/* Prints the fields of a word that are not 0, and the bits that belong to no field. */
static void
put_fields(struct dis *s, enum pm4_word word, uint32_t v)
{
	const struct pm4_field *f;
	uint32_t rest = v;
	unsigned i = 0;
	bool any = false;

	while ((f = pm4_field_next(s->gen, word, &i))) {
		uint32_t value = (v & pm4_field_mask(f)) >> f->lo;
		any = true;
		rest &= ~pm4_field_mask(f);
		if (value && f->width == 1)
			buf_printf(s->text, " %s", f->name);
		else if (value)
			buf_printf(s->text, " %s=0x%x", f->name, value);
	}
	if (!any || !v)
		buf_printf(s->text, " 0x%x", v);
	else if (rest)
		buf_printf(s->text, " +0x%x", rest);
}

static void
put_register(struct dis *s, enum pm4_space space, uint32_t offset, uint32_t v)
{
	uint32_t i;
	const struct pm4_reg *r = pm4_reg_at(s->gen, space, offset, &i);

	if (!r) {
		buf_printf(s->text, "0x%x: 0x%x  ; not a register of this device", offset, v);
		return;
	}
	buf_printf(s->text, "%s", r->name);
	if (r->n > 1)
		buf_printf(s->text, "_%u", i);
	buf_printf(s->text, ":");
	put_fields(s, (enum pm4_word)(r - pm4_regs), v);
	if (r->who != PM4_BY_SET)
		buf_printf(s->text, "  ; a stream cannot set it");
}

static void
put_word(struct dis *s, const struct pm4_read *r, uint32_t at)
{
	const struct pm4_packet *k = r->packet;
	uint32_t v = r->body[at];

	begin_line(s, r->body + at, true);
	if (k) {
		enum pm4_packet_id id = (enum pm4_packet_id)(k - pm4_packets);
		bool uconfig = id == PM4_PKT_SET_UCONFIG_REG;
		bool sets = id == PM4_PKT_SET_SH_REG || id == PM4_PKT_SET_SH_REG_INDEX || uconfig;
		enum pm4_word word = pm4_body_at(s->gen, id, at);
		if (word != PM4_N_WORD) {
			buf_printf(s->text, "%s:", pm4_word_name(word));
			put_fields(s, word, v);
		} else if (sets) {
			put_register(s, uconfig ? PM4_SPACE_UCONFIG : PM4_SPACE_SH,
				     (r->body[0] & 0xffff) + at - 1, v);
		} else {
			buf_printf(s->text, "0x%x", v);
		}
	} else {
		buf_printf(s->text, "0x%x", v);
	}
	buf_printf(s->text, "\n");
}

qd_status
pm4_dis(enum pm4_gen gen, const uint32_t *words, uint32_t n, struct buf *text, struct qd_error *err)
{
	struct dis s = { .gen = gen, .words = words, .text = text };
	struct pm4_read r;
	uint32_t at = 0, from;

	for (from = 0; pm4_next(words, n, &at, &r); from = at) {
		put_header(&s, &r);
		for (uint32_t i = 0; i < r.n; i++)
			put_word(&s, &r, i);
		if (r.missing)
			return qd_fail(err, QD_E_INVALID,
				       "offset 0x%x: %s is cut off; words missing: %u of %u", from * 4,
				       r.packet ? r.packet->name : "a packet", r.missing, r.n + r.missing);
	}
	return text->nomem ? qd_fail(err, QD_E_NOMEM, "out of memory") : QD_OK;
}
