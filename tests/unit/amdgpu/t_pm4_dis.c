/* Disassembly of packet streams: the text read back, coverage of the tables, damaged streams. */
#include "pm4.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAP = 2048 };

/* -- Random streams ---------------------------------------------------------------------------- */

/* Appends a packet of the table with random words, a register that streams may set, padding, or an
 * unknown packet. */
static void
put_random(struct pm4 *p, struct unit_rng *rng)
{
	uint32_t body[64], n = 0;
	unsigned pick = (unsigned)(unit_random(rng) % (PM4_N_PACKET + PM4_N_REG + 2));

	for (unsigned i = 0; i < QD_COUNT(body); i++) {
		uint64_t r = unit_random(rng);
		body[i] = r >> 32 & 3 ? (uint32_t)r : (uint32_t)r & 0xff;
	}
	if (pick < PM4_N_PACKET) {
		const struct pm4_packet *k = &pm4_packets[pick];
		n = k->words[p->gen] + (k->more ? (uint32_t)(unit_random(rng) % 9) : 0);
		pm4_packet(p, (enum pm4_packet_id)pick, body, n);
	} else if (pick < PM4_N_PACKET + PM4_N_REG) {
		enum pm4_word reg = (enum pm4_word)(pick - PM4_N_PACKET);
		const struct pm4_reg *r = &pm4_regs[reg];
		if (r->offset[p->gen] != PM4_NA && r->who == PM4_BY_SET)
			pm4_set(p, reg, body, r->n);
	} else if (p->n + 8 < p->cap && pick == PM4_N_PACKET + PM4_N_REG) {
		pm4_pad(p);
	} else if (p->n + 8 < p->cap) { /* unknown packets */
		n = (uint32_t)(unit_random(rng) % 4);
		p->words[p->n++] = n ? 3u << 30 | (n - 1) << 16 | 0x12u << 8 | (body[0] & 0xff) : 2u << 30;
		memcpy(p->words + p->n, body, n * sizeof *body);
		p->n += n;
	}
}

static uint32_t
random_stream(enum pm4_gen gen, uint64_t seed, uint32_t *words)
{
	struct unit_rng rng = { seed * PM4_N_GEN + gen };
	struct pm4 p;
	struct qd_error e;

	pm4_begin(&p, gen, words, CAP, &e);
	while (p.n + 80 < CAP)
		put_random(&p, &rng);
	return p.st ? 0 : p.n;
}

/* -- Parsing the text ---------------------------------------------------------------------------- */

/* Names found in the text, as bit masks of generations. */
struct census {
	uint8_t packet[PM4_N_PACKET], word[PM4_N_WORD], field[PM4_N_FIELD], set[PM4_N_REG];
};

struct reader {
	enum pm4_gen gen;
	struct census *census;
	enum pm4_packet_id packet; /* of the current line; PM4_N_PACKET: unknown */
	uint32_t at, first;	   /* index in the body; first register set */
};

static bool
take(const char **at, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*at, text, n) != 0)
		return false;
	*at += n;
	return true;
}

static uint32_t
hex_of(const char **at)
{
	char *end;
	uint32_t v = (uint32_t)strtoul(*at, &end, 16);

	*at = end;
	return v;
}

static bool
read_header(struct reader *s, const char *at, uint32_t *out)
{
	uint32_t opcode = 0;

	s->packet = PM4_N_PACKET;
	s->at = 0;
	if (strcmp(at, "filler") == 0) {
		*out = 2u << 30;
		return true;
	}
	if (take(&at, "opcode 0x"))
		opcode = hex_of(&at);
	for (unsigned i = 0; !opcode && i < PM4_N_PACKET; i++) {
		size_t n = strlen(pm4_packets[i].name);
		if (strncmp(at, pm4_packets[i].name, n) != 0 || at[n] != ',')
			continue;
		at += n;
		opcode = pm4_packets[i].opcode;
		s->packet = (enum pm4_packet_id)i;
		s->census->packet[i] |= (uint8_t)(1u << s->gen);
	}
	if (!opcode || !take(&at, ", "))
		return false;
	char *end;
	uint32_t n = (uint32_t)strtoul(at, &end, 10);
	at = end;
	*out = 3u << 30 | ((n - 1) & 0x3fff) << 16 | opcode << 8;
	if (!take(&at, " words") && !take(&at, " word"))
		return false;
	if (take(&at, ", compute"))
		*out |= 2;
	if (take(&at, ", predicated"))
		*out |= 1;
	if (take(&at, ", +0x"))
		*out |= hex_of(&at);
	return !*at || take(&at, "  ; ");
}

static bool
read_field(struct reader *s, enum pm4_word word, const char **at, uint32_t *out)
{
	const struct pm4_field *f;
	unsigned i = 0;

	while ((f = pm4_field_next(s->gen, word, &i))) {
		size_t n = strlen(f->name);
		const char *rest = *at + n;
		if (strncmp(*at, f->name, n) != 0 || (*rest && *rest != ' ' && *rest != '='))
			continue;
		uint32_t v = 1;
		if (take(&rest, "=0x"))
			v = hex_of(&rest);
		*out |= v << f->lo;
		*at = rest;
		s->census->field[f->id] |= (uint8_t)(1u << s->gen);
		return true;
	}
	return false;
}

/* Reads " A B=0x2 +0x8" or " 0x0". */
static bool
read_fields(struct reader *s, enum pm4_word word, const char *at, uint32_t *out)
{
	*out = 0;
	s->census->word[word] |= (uint8_t)(1u << s->gen);
	while (*at == ' ' && at[1] != ' ') {
		at++;
		if (take(&at, "+0x") || take(&at, "0x"))
			*out |= hex_of(&at);
		else if (!read_field(s, word, &at, out))
			return false;
	}
	return !*at || take(&at, "  ; ");
}

static bool
read_register(struct reader *s, const char *at, uint32_t *out)
{
	enum pm4_space space = s->packet == PM4_PKT_SET_UCONFIG_REG ? PM4_SPACE_UCONFIG : PM4_SPACE_SH;
	uint32_t offset = s->first + s->at - 1, i;

	if (take(&at, "0x")) {
		if (hex_of(&at) != offset || !take(&at, ": 0x") || pm4_reg_at(s->gen, space, offset, &i))
			return false;
		*out = hex_of(&at);
		return strcmp(at, "  ; not a register of this device") == 0;
	}
	for (unsigned k = 0; k < PM4_N_REG; k++) {
		const struct pm4_reg *r = &pm4_regs[k];
		const char *rest = at;
		uint32_t number = 0;
		if (!take(&rest, r->name) || (*rest != ':' && *rest != '_'))
			continue;
		if (r->n > 1 && take(&rest, "_"))
			number = (uint32_t)strtoul(rest, (char **)&rest, 10);
		if (r->space != space || *rest != ':' || r->offset[s->gen] + number != offset)
			continue;
		s->census->set[k] |= (uint8_t)(1u << s->gen);
		return read_fields(s, (enum pm4_word)k, rest + 1, out);
	}
	return false;
}

static bool
read_body(struct reader *s, const char *at, uint32_t *out)
{
	bool sets = s->packet == PM4_PKT_SET_SH_REG || s->packet == PM4_PKT_SET_SH_REG_INDEX ||
		    s->packet == PM4_PKT_SET_UCONFIG_REG;
	enum pm4_word word = s->packet == PM4_N_PACKET ? PM4_N_WORD : pm4_body_at(s->gen, s->packet, s->at);
	bool good;

	if (word != PM4_N_WORD) {
		good = take(&at, pm4_word_name(word)) && take(&at, ":") && read_fields(s, word, at, out);
		if (!s->at)
			s->first = *out & 0xffff;
	} else if (sets) {
		good = read_register(s, at, out);
	} else {
		good = take(&at, "0x");
		*out = hex_of(&at);
		good = good && !*at;
	}
	s->at++;
	return good;
}

/* Computes the words from the rest of a text, without its column of words. Returns false if a line
 * has a wrong offset or is invalid. */
static bool
read_text(struct reader *s, char *text, uint32_t *out, uint32_t *n)
{
	enum { WORD_AT = 2, WORD_LEN = 8 };

	*n = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *at = line;
		if (*line == ';')
			continue;
		if (hex_of(&at) != *n * 4 || *n >= CAP)
			return false;
		at += WORD_AT + WORD_LEN;
		if (!take(&at, "  "))
			return false;
		if (take(&at, "  ") ? !read_body(s, at, &out[*n]) : !read_header(s, at, &out[*n]))
			return false;
		++*n;
	}
	return true;
}

/* -- Tests ----------------------------------------------------------------------------------------- */

static void
check_stream(struct unit_ctx *t, struct unit_rig *rig, enum pm4_gen gen, uint64_t seed, struct census *c)
{
	uint32_t words[CAP], back[CAP], n_back = 0, n = random_stream(gen, seed, words);
	struct reader s = { .gen = gen, .census = c };
	struct buf text;

	buf_init(&text, &rig->ctx->pool);
	UNIT_CHECK(t, n && !pm4_dis(gen, words, n, &text, &rig->e), "seed %llu: %s", (unsigned long long)seed, rig->e.text);
	buf_put(&text, "", 1);
	bool read = !text.nomem && read_text(&s, buf_data(&text), back, &n_back);
	UNIT_CHECK(t, read && n_back == n && memcmp(words, back, n * sizeof *words) == 0,
		   "generation %d, seed %llu: %u of %u words come back", (int)gen, (unsigned long long)seed, n_back, n);
	buf_fini(&text);
}

static void
row(struct unit_ctx *t, const char *kind, const char *name, unsigned gen, unsigned want, unsigned found)
{
	UNIT_CHECK(t, (want >> gen & 1) == (found >> gen & 1), "%s %s, generation %u: %s", kind, name, gen,
		   want >> gen & 1 ? "in no stream" : "in a stream, and in no row");
}

/* Returns the generations that have the word in their tables. */
static unsigned
gens_of_word(enum pm4_word word)
{
	unsigned gens = 0;

	for (unsigned g = 0; g < PM4_N_GEN; g++)
		for (unsigned p = 0; p < PM4_N_PACKET; p++)
			for (uint32_t at = 0; at < 8; at++)
				if (pm4_body_at((enum pm4_gen)g, (enum pm4_packet_id)p, at) == word)
					gens |= 1u << g;
	return gens;
}

static unsigned
gens_of_field(unsigned id, enum pm4_word *word, const char **name)
{
	unsigned gens = 0;

	for (unsigned i = 0; i < pm4_n_fields; i++) {
		if (pm4_fields[i].id != id)
			continue;
		gens |= pm4_fields[i].gens;
		*word = (enum pm4_word)pm4_fields[i].word;
		*name = pm4_fields[i].name;
	}
	return gens;
}

/* Checks that the text of random streams determines every bit, and that each table row occurs. */
static void
random_streams(struct unit_ctx *t)
{
	struct census c = { 0 };
	struct unit_rig rig;

	if (!unit_rig_open(t, &rig))
		return;
	for (unsigned g = 0; g < PM4_N_GEN; g++)
		for (uint64_t seed = 0; seed < 24; seed++)
			check_stream(t, &rig, (enum pm4_gen)g, seed, &c);
	for (unsigned g = 0; g < PM4_N_GEN; g++) {
		for (unsigned i = 0; i < PM4_N_PACKET; i++)
			row(t, "packet", pm4_packets[i].name, g, 0xff, c.packet[i]);
		for (unsigned i = PM4_N_REG; i < PM4_N_WORD; i++)
			row(t, "word", pm4_word_name((enum pm4_word)i), g, gens_of_word((enum pm4_word)i), c.word[i]);
		for (unsigned i = 0; i < PM4_N_REG; i++) {
			bool may = pm4_regs[i].offset[g] != PM4_NA && pm4_regs[i].who == PM4_BY_SET;
			if (may)
				row(t, "register", pm4_regs[i].name, g, 0xff, c.set[i]);
		}
		for (unsigned i = 0; i < PM4_N_FIELD; i++) {
			enum pm4_word word = PM4_N_WORD;
			const char *name = "";
			unsigned gens = gens_of_field(i, &word, &name);
			if (word < PM4_N_REG && pm4_regs[word].offset[g] == PM4_NA)
				UNIT_CHECK(t, !(gens >> g & 1), "field %s of no register, generation %u", name, g);
			row(t, "field", name, g, gens, c.field[i]);
		}
	}
	unit_rig_close(t, &rig);
}

/* Checks that registers that streams may not set are rejected by the writer and marked by the
 * disassembler. */
static void
not_set(struct unit_ctx *t)
{
	struct unit_rig rig;
	unsigned n = 0;

	if (!unit_rig_open(t, &rig))
		return;
	for (unsigned g = 0; g < PM4_N_GEN; g++) {
		for (unsigned i = 0; i < PM4_N_REG; i++) {
			const struct pm4_reg *r = &pm4_regs[i];
			uint32_t words[4], zero = 0;
			struct qd_error e = { .text = "" };
			struct buf text;
			struct pm4 p;
			if (r->who == PM4_BY_SET && r->offset[g] != PM4_NA)
				continue;
			pm4_begin(&p, (enum pm4_gen)g, words, QD_COUNT(words), &e);
			pm4_set(&p, (enum pm4_word)i, &zero, 1);
			UNIT_CHECK(t, p.st == QD_E_INVALID && strstr(e.text, r->name), "%s: %s", r->name, e.text);
			if (r->offset[g] == PM4_NA)
				continue;
			const uint32_t body[] = { r->offset[g], 0 };
			pm4_begin(&p, (enum pm4_gen)g, words, QD_COUNT(words), &e);
			pm4_packet(&p, PM4_PKT_SET_SH_REG, body, 2);
			buf_init(&text, &rig.ctx->pool);
			UNIT_CHECK(t, !pm4_dis((enum pm4_gen)g, words, p.n, &text, &e), "%s", e.text);
			buf_put(&text, "", 1);
			UNIT_CHECK(t, strstr(buf_data(&text), "  ; a stream cannot set it\n"), "%s: %s", r->name, buf_data(&text));
			buf_fini(&text);
			n++;
		}
	}
	UNIT_CHECK(t, n == 5 * PM4_N_GEN, "%u registers", n);
	unit_rig_close(t, &rig);
}

/* Checks that registers of a generation do not overlap, and that fields share no bit. */
static void
rows_apart(struct unit_ctx *t)
{
	for (unsigned g = 0; g < PM4_N_GEN; g++) {
		for (unsigned i = 0; i < PM4_N_REG; i++) {
			const struct pm4_reg *r = &pm4_regs[i];
			for (uint32_t k = 0, at; r->offset[g] != PM4_NA && k < r->n; k++) {
				const struct pm4_reg *found = pm4_reg_at((enum pm4_gen)g, r->space, r->offset[g] + k, &at);
				UNIT_CHECK(t, found == r && at == k, "%s and %s lie at 0x%x", r->name,
					   found ? found->name : "nothing", r->offset[g] + k);
			}
		}
		for (unsigned w = 0; w < PM4_N_WORD; w++) {
			const struct pm4_field *f;
			uint32_t taken = 0;
			for (unsigned i = 0; (f = pm4_field_next((enum pm4_gen)g, (enum pm4_word)w, &i));) {
				UNIT_CHECK(t, f->lo + f->width <= 32 && !(taken & pm4_field_mask(f)), "%s.%s shares bits",
					   pm4_word_name((enum pm4_word)w), f->name);
				taken |= pm4_field_mask(f);
			}
		}
	}
	for (unsigned i = 0; i < PM4_N_PACKET; i++)
		UNIT_CHECK(t, pm4_packet_of(pm4_packets[i].opcode) == &pm4_packets[i],
			   "%s: its opcode is in use", pm4_packets[i].name);
}

/* Checks offsets that are different registers on different generations. */
static void
columns(struct unit_ctx *t)
{
	static const struct {
		enum pm4_gen gen;
		uint32_t offset;
		const char *name; /* NULL: none */
	} rows[] = {
		{ PM4_G9, 0x228, NULL },	   { PM4_G9, 0x22d, NULL },	 { PM4_G9, 0x222, "RELAUNCH" },
		{ PM4_G908, 0x225, "STATIC_THREAD_MGMT_SE4" },		 { PM4_G908, 0x22d, NULL },
		{ PM4_G90A, 0x228, "STATIC_THREAD_MGMT_SE7" },		 { PM4_G90A, 0x22d, "PGM_RSRC3" },
		{ PM4_G94, 0x227, "TG_CHUNK_SIZE" }, { PM4_G94, 0x225, NULL }, { PM4_G94, 0x22d, "PGM_RSRC3" },
		{ PM4_G94, 0x22c, "SHADER_CHKSUM" }, { PM4_G10, 0x228, "PGM_RSRC3" }, { PM4_G10, 0x225, "USER_ACCUM" },
		{ PM4_G103, 0x22b, "RELAUNCH" },   { PM4_G103, 0x228, "PGM_RSRC3" }, { PM4_G103, 0x22d, NULL },
		{ PM4_G103, 0x22a, "SHADER_CHKSUM" }, { PM4_G103, 0x222, "REQ_CTRL" },
		{ PM4_G11, 0x22b, "STATIC_THREAD_MGMT_SE4" }, { PM4_G11, 0x228, "PGM_RSRC3" }, { PM4_G11, 0x223, NULL },
		{ PM4_G11, 0x22f, "DISPATCH_INTERLEAVE" }, { PM4_G11, 0x230, "RELAUNCH" }, { PM4_G11, 0x27d, "DISPATCH_TUNNEL" },
		{ PM4_G12, 0x223, "STATIC_THREAD_MGMT_SE8" }, { PM4_G12, 0x22e, "STATIC_THREAD_MGMT_SE7" },
		{ PM4_G12, 0x216, "STATIC_THREAD_MGMT_SE0" }, { PM4_G12, 0x218, "TMPRING_SIZE" }, { PM4_G12, 0x228, "PGM_RSRC3" },
		{ PM4_G12, 0x214, "VMID" },	   { PM4_G12, 0x250, NULL },	 { PM4_G12, 0x1ff, NULL },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint32_t at;
		const struct pm4_reg *r = pm4_reg_at(rows[i].gen, PM4_SPACE_SH, rows[i].offset, &at);
		UNIT_CHECK(t, rows[i].name ? r && strcmp(r->name, rows[i].name) == 0 : !r, "generation %d: 0x%x is %s, not %s",
			   (int)rows[i].gen, rows[i].offset, r ? r->name : "none", rows[i].name ? rows[i].name : "none");
	}
}

/* Disassembles truncated and mutated streams. Each gives text, or an error at the packet that is
 * cut. The copy has the exact size, so that a sanitizer detects reads past the end. */
static void
damaged(struct unit_ctx *t)
{
	struct unit_rig rig;
	uint32_t words[CAP];
	struct unit_rng rng = { 4 };
	unsigned n_cut = 0;

	if (!unit_rig_open(t, &rig))
		return;
	for (unsigned round = 0; round < 2000; round++) {
		enum pm4_gen gen = (enum pm4_gen)(round % PM4_N_GEN);
		uint32_t n = random_stream(gen, round % 5, words) % 200 + 1, at = 0, last = 0;
		n = (uint32_t)(unit_random(&rng) % n);
		uint32_t *copy = malloc(n * sizeof *copy + 1);
		struct pm4_read r = { 0 };
		struct buf text;
		if (!copy)
			break;
		memcpy(copy, words, n * sizeof *copy);
		for (unsigned k = 0; n && k < round % 7; k++)
			copy[unit_random(&rng) % n] ^= 1u << (unit_random(&rng) % 32);
		buf_init(&text, &rig.ctx->pool);
		qd_status st = pm4_dis(gen, copy, n, &text, &rig.e);
		for (uint32_t from = 0; pm4_next(copy, n, &at, &r); from = at)
			last = from;
		UNIT_CHECK(t, at == n && (st == QD_E_INVALID) == (r.missing != 0), "round %u: %s", round, rig.e.text);
		uint32_t lines = 0;
		for (size_t i = 0; i < text.len; i++)
			lines += buf_data(&text)[i] == '\n';
		UNIT_CHECK(t, lines == n + (st ? 1 : 0), "round %u: %u lines of %u words", round, lines, n);
		if (st) {
			char want[32];
			n_cut++;
			snprintf(want, sizeof want, "offset 0x%x: ", last * 4);
			UNIT_CHECK(t, strncmp(rig.e.text, want, strlen(want)) == 0, "%s, not %s", rig.e.text, want);
		}
		buf_fini(&text);
		free(copy);
	}
	UNIT_CHECK(t, n_cut > 200, "only %u were cut off", n_cut);
	unit_rig_close(t, &rig);
}

static void
text(struct unit_ctx *t)
{
	static const uint32_t words[] = { 0xc0017602, 0x228, 0x3f, 0xc0001200, 7, 0x80000000, 0x12345678, 0xffff1000,
					  0xc0015803, 1, 2, 0xc0037602, 0x2ff, 1 };
	static const char want[] =
		"0000  C0017602  SET_SH_REG, 2 words, compute\n"
		"0004  00000228    FIRST: OFFSET=0x228\n"
		"0008  0000003F    STATIC_THREAD_MGMT_SE7: 0x3f\n"
		"000c  C0001200  opcode 0x12, 1 word  ; unknown\n"
		"0010  00000007    0x7\n"
		"0014  80000000  filler\n"
		"0018  12345678  no packet\n"
		"001c  FFFF1000  NOP, 0 words\n"
		"0020  C0015803  ACQUIRE_MEM, 2 words, compute, predicated  ; has 6 on this device\n"
		"0024  00000001    CP_COHER_CNTL: +0x1\n"
		"0028  00000002    SIZE: 0x2\n"
		"002c  C0037602  SET_SH_REG, 4 words, compute\n"
		"; words missing: 2 of 4\n"
		"0030  000002FF    FIRST: OFFSET=0x2ff\n"
		"0034  00000001    0x2ff: 0x1  ; not a register of this device\n";
	struct unit_rig rig;
	struct buf out;

	if (!unit_rig_open(t, &rig))
		return;
	buf_init(&out, &rig.ctx->pool);
	qd_status st = pm4_dis(PM4_G90A, words, QD_COUNT(words), &out, &rig.e);
	UNIT_CHECK(t, st == QD_E_INVALID && strcmp(rig.e.text, "offset 0x2c: SET_SH_REG is cut off; words missing: 2 of 4") == 0,
		   "%s", rig.e.text);
	buf_put(&out, "", 1);
	UNIT_CHECK(t, strcmp(buf_data(&out), want) == 0, "%s", buf_data(&out));
	buf_fini(&out);
	unit_rig_close(t, &rig);
}

const struct unit units_pm4_dis[] = {
	{ "pm4_dis.random", random_streams }, { "pm4_dis.not_set", not_set }, { "pm4_dis.rows", rows_apart },
	{ "pm4_dis.columns", columns },
	{ "pm4_dis.damaged", damaged },	      { "pm4_dis.text", text },
};
const unsigned n_units_pm4_dis = QD_COUNT(units_pm4_dis);
