/* Disassembler to the text that spirv-as reads. With --preserve-numeric-ids and the module's
 * version as target environment, the text assembles to the same words, except the generator's.
 *
 * Words that the tables do not describe (an extension's instruction, a newer operand) are written
 * as !0x..., which the assembler copies. Malformed code (an instruction past the end, a missing
 * operand, an id outside the bound) is an error that names the word. */
#include <stdio.h>

#include "isa.h"
#include "show.h"
#include "spv.h"

/* Maximum nesting of operands: the instruction in OpSpecConstantOp, and the parameters of
 * enumerants. */
enum { MAX_NESTED = 8 };
enum {
	INFO_INT = 1, INFO_FLOAT = 2, INFO_GLSL = 4, INFO_SIGNED = 8, INFO_OPENCL = 16,
	INFO_IDS = 32,	 /* a set whose instructions have no other operands than ids */
	INFO_OTHER = 64, /* a set that the assembler knows, and this file does not */
	INFO_WIDTH_SHIFT = 8
};

struct known_id {
	uint32_t id;
	uint32_t type; /* of a value */
	uint32_t info; /* of a type or an imported set: INFO_*, width */
};

struct dis {
	const unsigned char *code;
	uint32_t n, bound;
	struct buf *text;
	struct qd_error *err;
	struct buf ids; /* struct known_id, hashed by id */
	uint32_t mask;
	struct buf *named; /* ids of operands in order; NULL: not requested */
	/* current instruction */
	const struct spv_op_row *row;
	uint32_t type, result;
	uint32_t start, at, end; /* first word, next word to print, end */
	uint32_t depth;		 /* nesting of operands */
	qd_status status;
};

static uint32_t
word(const struct dis *d, uint32_t i)
{
	uint32_t w;
	memcpy(&w, d->code + 4 * (size_t)i, 4);
	return w;
}

static QD_COLD bool
broken(struct dis *d, uint32_t at, const char *what)
{
	if (d->status == QD_OK)
		d->status = qd_fail(d->err, QD_E_INVALID, "SPIR-V word %u: %s%s%s", at,
				    d->row ? "Op" : "", d->row ? d->row->name : "", what);
	return false;
}

/* -- Text ---------------------------------------------------------------------- */

static void
put_text(struct dis *d, const char *s)
{
	buf_put(d->text, s, strlen(s));
}

static void
put_number(struct dis *d, uint64_t v)
{
	char text[20];
	size_t n = sizeof text;

	do
		text[--n] = (char)('0' + v % 10);
	while (v /= 10);
	buf_put(d->text, text + n, sizeof text - n);
}

static void
put_hex(struct dis *d, uint32_t v)
{
	char text[12] = "0x";
	size_t n = 2;

	for (int shift = 28; shift >= 0; shift -= 4)
		text[n++] = "0123456789abcdef"[v >> shift & 15];
	buf_put(d->text, text, n);
}

/* Appends the result. The opcode starts at column 15. */
static void
put_result(struct dis *d, uint32_t id)
{
	size_t before = d->text->len;
	enum { COLUMN = 15 };

	if (id) {
		uint32_t digits = 1;
		for (uint32_t v = id; v >= 10; v /= 10)
			digits++;
		for (uint32_t i = digits + 4; i < COLUMN; i++)
			put_text(d, " ");
		put_text(d, "%");
		put_number(d, id);
		put_text(d, " = ");
	}
	while (d->text->len - before < COLUMN && !d->text->nomem)
		put_text(d, " ");
}

/* Appends a hexadecimal float. Decimal text does not preserve subnormals, infinities, NaN payloads
 * and halves. `exponent` and `mantissa` are widths in bits. */
static void
put_hex_float(struct dis *d, uint64_t bits, uint32_t exponent, uint32_t mantissa)
{
	uint64_t frac = bits & ((1ull << mantissa) - 1);
	int bias = (1 << (exponent - 1)) - 1;
	int e = (int)(bits >> mantissa & ((1ull << exponent) - 1));

	if (bits >> (exponent + mantissa) & 1)
		put_text(d, "-");
	if (!e && !frac) {
		put_text(d, "0x0p+0");
		return;
	}
	if (e) {
		e -= bias;
	} else {
		for (e = 1 - bias; !(frac >> mantissa); e--)
			frac <<= 1;
		frac &= (1ull << mantissa) - 1;
	}
	put_text(d, "0x1");
	uint32_t digits = (mantissa + 3) / 4;
	frac <<= digits * 4 - mantissa;
	while (frac && !(frac & 15)) {
		frac >>= 4;
		digits--;
	}
	if (frac)
		buf_printf(d->text, ".%0*llx", (int)digits, (unsigned long long)frac);
	buf_printf(d->text, "p%+d", e);
}

/* 9 digits (17 for 64 bits) preserve every normal number. */
static void
put_float(struct dis *d, uint64_t bits, uint32_t width)
{
	char text[40];
	uint64_t magnitude = bits & ~(1ull << (width - 1));
	uint64_t least = width == 32 ? 0x00800000u : 0x0010000000000000u;
	uint64_t inf = width == 32 ? 0x7f800000u : 0x7ff0000000000000u;

	if (width == 16) {
		put_hex_float(d, bits, 5, 10);
		return;
	}
	if (magnitude && (magnitude < least || magnitude >= inf)) {
		put_hex_float(d, bits, width == 32 ? 8 : 11, width == 32 ? 23 : 52);
		return;
	}
	double v;
	if (width == 32) {
		float f;
		uint32_t low = (uint32_t)bits;
		memcpy(&f, &low, 4);
		v = (double)f;
	} else {
		memcpy(&v, &bits, 8);
	}
	int n = snprintf(text, sizeof text, "%.*g", width == 32 ? 9 : 17, v), kept = 0;
	for (int i = 0; i < n; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';
		if (digit || text[i] == '-' || text[i] == '+' || text[i] == 'e')
			text[kept++] = text[i];
		else if (kept && text[kept - 1] != '.') /* locale's decimal point, any length */
			text[kept++] = '.';
	}
	buf_put(d->text, text, (size_t)kept);
}

/* -- Types of ids ------------------------------------------------------------------- */

static struct known_id *
find_id(const struct dis *d, uint32_t id)
{
	struct known_id *table = (struct known_id *)(void *)buf_data(&d->ids);
	uint32_t slot = id * 0x9e3779b1u;

	for (slot ^= slot >> 15;; slot++) {
		struct known_id *k = &table[slot & d->mask];
		if (!k->id || k->id == id)
			return k;
	}
}

static uint32_t
info_of(const struct dis *d, uint32_t id)
{
	return find_id(d, id)->info;
}

/* Returns the row of an instruction set, found by its name in words at to end. */
static uint32_t
info_of_set(const struct dis *d, uint32_t at, uint32_t end)
{
	static const struct {
		const char *name;
		uint8_t size; /* with the NUL, unless it is a prefix */
		uint8_t info;
	} sets[] = {
		{ "GLSL.std.450", 13, INFO_GLSL },
		{ "OpenCL.std", 11, INFO_OPENCL },
		{ "NonSemantic.", 12, INFO_IDS },
		{ "SPV_AMD_shader_ballot", 22, INFO_IDS },
		{ "SPV_AMD_shader_trinary_minmax", 30, INFO_IDS },
		{ "SPV_AMD_shader_explicit_vertex_parameter", 41, INFO_IDS },
		{ "SPV_AMD_gcn_shader", 19, INFO_IDS },
		{ "DebugInfo", 10, INFO_OTHER },
		{ "OpenCL.DebugInfo.100", 21, INFO_OTHER },
	};

	for (size_t i = 0; i < QD_COUNT(sets); i++) {
		if (4 * (size_t)(end - at) >= sets[i].size &&
		    memcmp(d->code + 4 * (size_t)at, sets[i].name, sets[i].size) == 0)
			return sets[i].info;
	}
	return 0;
}

static void
record(struct dis *d, uint32_t op, uint32_t at, uint32_t n)
{
	const struct spv_op_row *row = spv_find_op(op);
	bool has_type = row && row->operands[0] == 'T';
	uint32_t id_at = at + (has_type ? 2 : 1);

	if (!row || (!has_type && row->operands[0] != 'R') || n < id_at - at + 1 ||
	    !word(d, id_at))
		return;
	struct known_id *k = find_id(d, word(d, id_at));
	if (k->id)
		return;
	k->id = word(d, id_at);
	if (has_type)
		k->type = word(d, at + 1);
	else if (op == SPV_TypeInt && n == 4)
		k->info = INFO_INT | (word(d, at + 3) ? INFO_SIGNED : 0) |
			  (word(d, at + 2) & 0xff) << INFO_WIDTH_SHIFT;
	else if (op == SPV_TypeFloat && n == 3)
		k->info = INFO_FLOAT | (word(d, at + 2) & 0xff) << INFO_WIDTH_SHIFT;
	else if (op == SPV_ExtInstImport)
		k->info = info_of_set(d, at + 2, at + n);
}

/* Checks that every instruction ends in the module, and records types. */
static bool
scan(struct dis *d)
{
	uint32_t count = 0;

	for (uint32_t at = SPV_HEADER_WORDS, n; at < d->n; at += n, count++) {
		n = word(d, at) >> 16;
		if (!n)
			return broken(d, at, "an instruction with zero words");
		if (n > d->n - at)
			return broken(d, at, "the instruction extends past the end");
	}
	uint32_t slots = 64;
	while (slots < 2 * count)
		slots *= 2;
	d->mask = slots - 1;
	void *table = buf_extend(&d->ids, slots * sizeof(struct known_id));
	if (!table) {
		d->status = qd_fail(d->err, QD_E_NOMEM, "out of memory");
		return false;
	}
	memset(table, 0, slots * sizeof(struct known_id));
	for (uint32_t at = SPV_HEADER_WORDS; at < d->n; at += word(d, at) >> 16)
		record(d, word(d, at) & 0xffff, at, word(d, at) >> 16);
	return true;
}

/* -- Operands: false if the instruction must be written as words, or is malformed ----- */

static bool
id_operand(struct dis *d)
{
	uint32_t id = word(d, d->at);

	if (!id || id >= d->bound)
		return broken(d, d->at, " has an id outside the bound");
	put_text(d, " %");
	put_number(d, id);
	if (d->named)
		buf_put(d->named, &id, sizeof id);
	d->at++;
	return true;
}

static bool
string_operand(struct dis *d)
{
	const char *s = (const char *)d->code + 4 * (size_t)d->at;
	size_t room = 4 * (size_t)(d->end - d->at), len = 0;

	while (len < room && s[len])
		len++;
	if (len == room)
		return broken(d, d->at, " has an unterminated string");
	for (size_t i = len; i & 3; i++) {
		if (s[i])
			return false;
	}
	d->at += (uint32_t)(len / 4 + 1);
	put_text(d, " \"");
	for (size_t i = 0; i < len;) {
		char out[SHOW_MOST + 1];
		size_t n;

		if (s[i] == '"' || s[i] == '\\')
			put_text(d, "\\");
		/* keeps the string on one line */
		i += show_next(s + i, len - i, SHOW_NAME, out, &n);
		buf_put(d->text, out, n);
	}
	put_text(d, "\"");
	return true;
}

/* Appends a number, whose type determines its width. */
static bool
typed_number(struct dis *d, uint32_t type)
{
	uint32_t info = info_of(d, type), width = info >> INFO_WIDTH_SHIFT;
	uint32_t n = width > 32 ? 2 : 1;

	if (!(info & (INFO_INT | INFO_FLOAT)) || width > 64 || width < 8 || (width & 7))
		return false;
	if (n > d->end - d->at)
		return broken(d, d->at, " ends before its last operand");
	uint64_t v = word(d, d->at);
	if (n == 2)
		v |= (uint64_t)word(d, d->at + 1) << 32;
	bool negative = info & INFO_SIGNED && v >> (n * 32 - 1) & 1;
	if (negative && n == 1)
		v |= 0xffffffffull << 32;
	/* The assembler generates the bits above the number: words with other bits have no text. */
	if (width < 64) {
		uint64_t above = v >> (width - (info & INFO_SIGNED ? 1 : 0));
		uint64_t ones = UINT64_MAX >> (width - (info & INFO_SIGNED ? 1 : 0));
		if (above != (negative ? ones : 0))
			return false;
	}
	d->at += n;
	put_text(d, " ");
	if (info & INFO_FLOAT) {
		if (width != 16 && width != 32 && width != 64)
			return false;
		put_float(d, v, width);
	} else if (negative) {
		put_text(d, "-");
		put_number(d, 0 - v);
	} else {
		put_number(d, v);
	}
	return true;
}

static bool operands(struct dis *d, const char *pattern);

static bool
named_operand(struct dis *d, enum spv_kind kind)
{
	uint32_t v = word(d, d->at++);
	const struct spv_value_row *row = spv_find_value(kind, v);

	if (row) {
		put_text(d, " ");
		put_text(d, row->name);
		return operands(d, row->params);
	}
	if (!spv_kinds[kind].mask)
		return false;
	for (uint32_t bit = 0; bit < 32; bit++) {
		if (!(v >> bit & 1))
			continue;
		row = spv_find_value(kind, 1u << bit);
		if (!row)
			return false;
		put_text(d, v & ((1u << bit) - 1) ? "|" : " ");
		put_text(d, row->name);
	}
	for (uint32_t bit = 0; bit < 32; bit++) {
		if (v >> bit & 1 && !operands(d, spv_find_value(kind, 1u << bit)->params))
			return false;
	}
	return true;
}

/* Appends the name or the number of an instruction in a set. After ! the assembler reads the rest
 * as plain words, which is correct if all are ids. */
static bool
set_instruction(struct dis *d)
{
	const uint32_t info = info_of(d, word(d, d->at - 1)), v = word(d, d->at);
	const struct spv_value_row *row = NULL;

	if (info & (INFO_GLSL | INFO_OPENCL))
		row = spv_find_value(info & INFO_GLSL ? SPV_KIND_Glsl : SPV_KIND_OpenclStd, v);
	if (!row && !(info & (INFO_GLSL | INFO_IDS)))
		return false;
	d->at++;
	put_text(d, row ? " " : " !");
	if (!row) {
		put_number(d, v);
		return true;
	}
	put_text(d, row->name);
	return operands(d, row->params);
}

static bool
inner_instruction(struct dis *d)
{
	const struct spv_op_row *row = spv_find_op(word(d, d->at));

	if (!row || strncmp(row->operands, "TR", 2) != 0 || strchr(row->operands, 'o'))
		return false;
	d->at++;
	put_text(d, " ");
	put_text(d, row->name);
	return operands(d, row->operands + 2);
}

static bool
has_word(struct dis *d)
{
	return d->at < d->end || broken(d, d->start, " ends before its last operand");
}

static bool
number_operand(struct dis *d)
{
	put_text(d, " ");
	put_number(d, word(d, d->at++));
	return true;
}

static bool
operand(struct dis *d, char letter)
{
	if (!has_word(d))
		return false;
	switch (letter) {
	case 'i': return id_operand(d);
	case 's': return string_operand(d);
	case 'n': return number_operand(d);
	case 'h':
		put_text(d, " ");
		put_float(d, word(d, d->at++), 32);
		return true;
	case 'N': return typed_number(d, word(d, d->start + 1));
	case 'x': return set_instruction(d);
	case 'o': return inner_instruction(d);
	case 'P':
		return typed_number(d, find_id(d, word(d, d->start + 1))->type) && has_word(d) &&
		       id_operand(d);
	case 'Q': return id_operand(d) && has_word(d) && number_operand(d);
	case 'B': return id_operand(d) && has_word(d) && id_operand(d);
	default: break;
	}
	for (uint32_t kind = 0; kind < N_SPV_KIND; kind++) {
		if (spv_kinds[kind].letter == letter)
			return named_operand(d, (enum spv_kind)kind);
	}
	return false;
}

static bool
each_operand(struct dis *d, const char *pattern)
{
	for (const char *p = pattern; *p; p++) {
		if (p[1] == '*') {
			while (d->at < d->end) {
				if (!operand(d, *p))
					return false;
			}
			p++;
		} else if (p[1] == '?') {
			if (d->at < d->end && !operand(d, *p))
				return false;
			p++;
		} else if (!operand(d, *p)) {
			return false;
		}
	}
	return true;
}

static bool
operands(struct dis *d, const char *pattern)
{
	if (!depth_enter(&d->depth, MAX_NESTED))
		return false;
	bool ok = each_operand(d, pattern);
	depth_leave(&d->depth);
	return ok;
}

/* -- Instructions ---------------------------------------------------------------------- */

static bool
as_text(struct dis *d)
{
	const struct spv_op_row *row = d->row;
	const char *pattern = row->operands;
	uint32_t type = 0, id = 0;

	if (*pattern == 'T') {
		if (d->end - d->start < 3)
			return broken(d, d->start, " ends before its last operand");
		type = word(d, d->at++);
		pattern++;
	}
	if (*pattern == 'R') {
		if (d->at >= d->end)
			return broken(d, d->start, " ends before its last operand");
		id = word(d, d->at++);
		pattern++;
		if (!id || id >= d->bound)
			return broken(d, d->at - 1, " defines an id outside the bound");
	}
	d->type = type;
	d->result = id;
	put_result(d, id);
	put_text(d, "Op");
	put_text(d, row->name);
	if (row->operands[0] == 'T') {
		if (!type || type >= d->bound)
			return broken(d, d->start + 1, " has an id outside the bound");
		put_text(d, " %");
		put_number(d, type);
	}
	/* The assembler rejects unknown sets. */
	if (row->number == SPV_ExtInstImport && !info_of(d, id))
		return false;
	return operands(d, pattern) && d->at == d->end;
}

static void
as_words(struct dis *d)
{
	put_result(d, 0);
	for (uint32_t i = d->start; i < d->end; i++) {
		put_text(d, i == d->start ? "!" : " !");
		put_hex(d, word(d, i));
	}
	if (d->row) {
		put_text(d, " ; Op");
		put_text(d, d->row->name);
	}
}

static bool
header(struct dis *d, size_t size)
{
	uint32_t magic = SPV_MAGIC;

	if (size < 4 * SPV_HEADER_WORDS || size & 3)
		return broken(d, (uint32_t)(size / 4),
			      size & 3 ? "the size is not a multiple of four bytes"
				       : "the module ends within its header of five words");
	if (size / 4 > UINT32_MAX / 64)
		return broken(d, 0, "the module is too large");
	memcpy(&magic, d->code, 4);
	if (magic != SPV_MAGIC)
		return broken(d, 0,
			      magic == 0x03022307 ? "the words have the wrong byte order"
						  : "this is not a SPIR-V module");
	d->n = (uint32_t)(size / 4);
	d->bound = word(d, 3);
	buf_printf(d->text,
		   "; SPIR-V\n; Version: %u.%u\n; Generator: %u; %u\n; Bound: %u\n; Schema: %u\n",
		   word(d, 1) >> 16 & 255, word(d, 1) >> 8 & 255, word(d, 2) >> 16,
		   word(d, 2) & 0xffff, d->bound, word(d, 4));
	return true;
}

/* Appends the instruction at d->start as a line. Returns false if it is malformed. */
static bool
put_instruction(struct dis *d)
{
	size_t line = d->text->len;

	d->at = d->start + 1;
	d->end = d->start + (word(d, d->start) >> 16);
	d->row = spv_find_op(word(d, d->start) & 0xffff);
	d->type = d->result = 0;
	if (!d->row || !as_text(d)) {
		if (d->status != QD_OK)
			return false;
		d->text->len = line;
		as_words(d);
	}
	put_text(d, "\n");
	return true;
}

static qd_status
finish(struct dis *d)
{
	buf_fini(&d->ids);
	if (d->status == QD_OK && d->text->nomem)
		return qd_fail(d->err, QD_E_NOMEM, "out of memory");
	return d->status;
}

qd_status
spv_dis(const void *code, size_t size, struct buf *marks, struct buf *text, struct qd_error *err)
{
	struct dis d = { .code = code, .text = text, .err = err };
	struct isa_mark *m = marks && !marks->nomem ? (struct isa_mark *)(void *)buf_data(marks) : NULL;
	size_t n_marks = m ? marks->len / sizeof *m : 0;

	buf_init(&d.ids, text->pool);
	if (header(&d, size) && scan(&d)) {
		for (d.start = SPV_HEADER_WORDS; d.start < d.n; d.start = d.end) {
			for (; n_marks && m->at <= 4 * (size_t)d.start; n_marks--)
				m++->at = (uint32_t)text->len;
			if (!put_instruction(&d))
				break;
		}
	}
	return finish(&d);
}

qd_status
spv_read(const void *code, size_t size, struct buf *text, struct buf *insns, struct buf *ids,
	 struct qd_error *err)
{
	struct dis d = { .code = code, .text = text, .err = err, .named = ids };

	buf_init(&d.ids, text->pool);
	if (header(&d, size) && scan(&d)) {
		for (d.start = SPV_HEADER_WORDS; d.start < d.n; d.start = d.end) {
			struct spv_insn in = { .at = d.start, .text = (uint32_t)text->len,
					       .first_id = (uint32_t)(ids->len / sizeof(uint32_t)) };
			if (!put_instruction(&d))
				break;
			in.row = d.row;
			in.n = d.end - d.start;
			in.text_end = (uint32_t)text->len - 1;
			in.type = d.type;
			in.result = d.result;
			in.n_id = (uint32_t)(ids->len / sizeof(uint32_t)) - in.first_id;
			buf_put(insns, &in, sizeof in);
			if (insns->nomem || ids->nomem || text->nomem) {
				d.status = qd_fail(err, QD_E_NOMEM, "out of memory");
				break;
			}
		}
	}
	return finish(&d);
}
