/* Lines of PTX: the text of registers, constants, addresses and numbers, in the same format for
 * every locale. */
#include "ptx.h"

bool
ptx_room(struct emitter *e)
{
	size_t used = (size_t)(e->at - e->start), cap = (size_t)(e->end - e->start);

	if (QD_LIKELY(cap - used >= PTX_ROOM))
		return true;
	char *bigger = arena_alloc(e->in->mem, 2 * cap + PTX_ROOM);
	if (!bigger)
		return false;
	if (used)
		memcpy(bigger, e->start, used);
	e->start = bigger;
	e->at = bigger + used;
	e->end = bigger + 2 * cap + PTX_ROOM;
	return true;
}

static void
put_char(struct emitter *e, char c)
{
	*e->at++ = c;
}

/* Most numbers are register numbers, which are small. Stores of characters may alias e->at, so a
 * local pointer keeps the position in a register. */
static char *
number_at(char *at, uint64_t n)
{
	if (QD_UNLIKELY(n >= 10000)) {
		at = number_at(at, n / 10000);
		n = n % 10000 + 10000; /* keeps leading zeros of the lower digits */
	}
	uint32_t m = (uint32_t)n;
	if (m >= 1000)
		*at++ = (char)('0' + m / 1000 % 10);
	if (m >= 100)
		*at++ = (char)('0' + m / 100 % 10);
	if (m >= 10)
		*at++ = (char)('0' + m / 10 % 10);
	*at++ = (char)('0' + m % 10);
	return at;
}

void
ptx_put_number(struct emitter *e, uint64_t n)
{
	e->at = number_at(e->at, n);
}

static void
put_hex(struct emitter *e, uint64_t n, uint32_t digits)
{
	while (digits-- > 0)
		put_char(e, "0123456789ABCDEF"[n >> 4 * digits & 15]);
}

/* Appends a float as its bits and an integer in decimal, but an unsigned one from 65536 on in
 * hexadecimal. */
static void
put_const(struct emitter *e, qd_type t, uint64_t bits)
{
	int64_t n = type_info[t].size == 8 ? (int64_t)bits : (int32_t)bits;

	if (type_info[t].is_float) {
		put_char(e, '0');
		put_char(e, t == QD_TYPE_F64 ? 'd' : 'f');
		put_hex(e, bits, type_info[t].size * 2);
	} else if (!type_info[t].is_signed && bits >> 16) {
		ptx_put(e, "0x", 2);
		put_hex(e, bits, type_info[t].size == 8 ? 16 : 8);
	} else {
		if (n < 0)
			put_char(e, '-');
		ptx_put_number(e, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
	}
}

void
ptx_put_val(struct emitter *e, struct val v)
{
	if (v.kind == VAL_CONST) {
		put_const(e, (qd_type)v.type, v.bits);
		return;
	}
	char *at = e->at;
	*at++ = '%';
	*at++ = v.kind == VAL_PRED ? 'p' : v.kind == VAL_HALF ? 'h' : 'r';
	if (v.kind == VAL_PAIR)
		*at++ = 'd';
	e->at = number_at(at, v.bits);
}

void
ptx_put_symbol(struct emitter *e, uint32_t mem)
{
	bool table = e->mems[mem].space == SPACE_TABLE;

	ptx_put(e, table ? e->entry : "s", table ? strlen(e->entry) : 1);
	if (table)
		put_char(e, '$');
	ptx_put_number(e, mem);
}

void
ptx_put_address(struct emitter *e, const struct address *a)
{
	put_char(e, '[');
	if (a->base.kind) {
		ptx_put_val(e, a->base);
	} else {
		ptx_put_symbol(e, a->symbol);
	}
	if (a->offset) {
		put_char(e, '+');
		ptx_put_number(e, a->offset);
	}
	put_char(e, ']');
}

void
ptx_insn(struct emitter *e, enum ptx_insn insn)
{
	const struct ptx_row *row = &ptx_insns[insn];

	assert(row->sm <= e->sm);
	if (e->version < row->version)
		e->version = row->version;
	memcpy(e->at, row->text, sizeof row->text); /* constant size, within PTX_ROOM */
	e->at += row->len;
}

void
ptx_begin(struct emitter *e)
{
	put_char(e, '\t');
	if (QD_UNLIKELY(e->guard.kind)) {
		put_char(e, '@');
		if (e->guard_not)
			put_char(e, '!');
		ptx_put_val(e, e->guard);
		put_char(e, ' ');
	}
}

void
ptx_line(struct emitter *e, const char *format, ...)
{
	va_list ap;

	ptx_begin(e);
	va_start(ap, format);
	for (const char *s = format; *s; s++) {
		if (*s != '%') {
			put_char(e, *s);
			continue;
		}
		switch (*++s) {
		case 'v': ptx_put_val(e, va_arg(ap, struct val)); break;
		case 'u': ptx_put_number(e, va_arg(ap, uint32_t)); break;
		case 'a': ptx_put_address(e, va_arg(ap, const struct address *)); break;
		case 'i': ptx_insn(e, (enum ptx_insn)va_arg(ap, int)); break;
		default:
			for (const char *text = va_arg(ap, const char *); *text; text++)
				put_char(e, *text);
		}
	}
	va_end(ap);
	put_char(e, ';');
	put_char(e, '\n');
}

void
ptx_move(struct emitter *e, struct val dst, struct val v)
{
	ptx_begin(e);
	if (dst.kind == VAL_PRED) {
		v.type = QD_TYPE_I32; /* a constant is 1 or 0 */
		PTX_TEXT(e, "mov.pred ");
	} else if (dst.kind == VAL_WORD) {
		PTX_TEXT(e, "mov.b32 ");
	} else if (dst.kind == VAL_HALF) {
		PTX_TEXT(e, "mov.b16 ");
	} else {
		PTX_TEXT(e, "mov.b64 ");
	}
	ptx_put_val(e, dst);
	PTX_TEXT(e, ", ");
	ptx_put_val(e, v);
	PTX_TEXT(e, ";\n");
}

struct val
ptx_reg(struct emitter *e, struct val v)
{
	if (v.kind != VAL_CONST)
		return v;
	struct val r = ptx_new(e, (qd_type)v.type);
	ptx_move(e, r, v);
	return r;
}

void
ptx_split(struct emitter *e, struct val v, struct val word[2])
{
	v = ptx_reg(e, v);
	word[0] = ptx_new(e, QD_TYPE_U32);
	word[1] = ptx_new(e, QD_TYPE_U32);
	ptx_line(e, "mov.b64 {%v, %v}, %v", word[0], word[1], v);
}

void
ptx_join(struct emitter *e, struct val dst, struct val lo, struct val hi)
{
	lo = ptx_reg(e, lo);
	hi = ptx_reg(e, hi);
	ptx_line(e, "mov.b64 %v, {%v, %v}", dst, lo, hi);
}
