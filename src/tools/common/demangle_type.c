/* Types and template arguments of mangled names. */
#include "demangle_read.h"

static struct piece template_arg(struct reader *r);

/* Reads parameter types up to the end of a function type. A pack must be expanded. */
const char *
cxx_params(struct reader *r)
{
	struct commas c = cxx_commas(r);

	if (cxx_take(r, "v"))
		return "";
	while (!r->bad && *r->at && !strchr("E._", *r->at) && !cxx_next_is(r, "RE") &&
	       !cxx_next_is(r, "OE"))
		cxx_add_comma(r, &c, cxx_type(r));
	r->bad |= c.pack;
	return r->bad || !c.text[0] ? "" : c.text[0];
}

/* -- Types ------------------------------------------------------------------------------ */

static struct part
make_pointer(struct reader *r, struct part p, const char *sign)
{
	struct part out = { .base = "" };
	const struct part *to = p.to;

	/* References collapse: the one with fewer signs remains. */
	if (*sign == '&' && p.ref && to) {
		if (p.ref == 1 || sign[1])
			return p;
		p = *to;
	}
	if (*sign == '&') {
		struct part *copy = cxx_room(r, sizeof *copy);
		if (copy)
			*copy = p;
		out.to = copy;
		out.ref = (uint8_t)strlen(sign);
	}
	out.left = p.kind == CXX_PLAIN	 ? cxx_join(r, p.left, sign, NULL)
		   : p.kind == CXX_ARRAY ? cxx_join(r, p.left, " (", sign, NULL)
					 : cxx_join(r, p.left, "(", sign, NULL);
	out.right = p.kind == CXX_PLAIN ? p.right : cxx_join(r, ")", p.right, NULL);
	return out;
}

static struct part
make_qualified(struct reader *r, struct part p, const char *quals)
{
	p.left = cxx_join(r, p.left, quals, NULL);
	p.ref = 0;
	return p;
}

static struct part
make_member(struct reader *r, struct part p, const char *quals)
{
	p.right = cxx_join(r, p.right, quals, NULL);
	return p;
}

static struct part
make_array(struct reader *r, struct part p, const char *size)
{
	const char *inner = p.kind == CXX_ARRAY ? p.right + 1 : p.right;

	return (struct part){
		p.left, cxx_join(r, " [", size, "]", inner, NULL), "", NULL, CXX_ARRAY, 0, false
	};
}

/* Reads qualifiers in printing order. */
const char *
cxx_qualifiers(struct reader *r)
{
	bool restricted = cxx_take(r, "r"), is_volatile = cxx_take(r, "V"),
	     is_const = cxx_take(r, "K");

	return cxx_join(r, is_const ? " const" : "", is_volatile ? " volatile" : "",
			restricted ? " restrict" : "", NULL);
}

static struct piece
read_function(struct reader *r)
{
	struct part p = { .base = "", .kind = CXX_FUNCTION };

	cxx_take(r, "Y");
	struct piece result = cxx_type(r);
	const char *params = cxx_params(r);
	const char *ref = cxx_take(r, "R") ? " &" : cxx_take(r, "O") ? " &&" : "";
	if (!cxx_take(r, "E") || result.n != 1 || result.pack)
		return cxx_give_up(r);
	p.left = cxx_join(r, result.v->left, " ", NULL);
	p.right = cxx_join(r, "(", params, ")", result.v->right, ref, NULL);
	return cxx_piece(r, p);
}

static struct piece
read_member_pointer(struct reader *r)
{
	struct piece owner = cxx_type(r), member = cxx_type(r);
	const struct part *m = member.v;

	if (owner.pack || member.pack)
		return cxx_give_up(r);
	return cxx_piece(r, (struct part){ cxx_join(r, m->left, m->kind == CXX_PLAIN ? " " : "(",
						    cxx_whole(r, owner.v), "::*", NULL),
					   m->kind == CXX_PLAIN ? m->right
								: cxx_join(r, ")", m->right, NULL),
					   "", NULL, CXX_PLAIN, 0, false });
}

struct piece
cxx_template_param(struct reader *r)
{
	uint32_t i;

	if (!cxx_take(r, "T") || !cxx_place(r, 10, &i))
		return cxx_give_up(r);
	if (r->in_lambda)
		return cxx_word(r, "auto");
	if (i >= r->n_args)
		return cxx_give_up(r);
	struct piece p = r->args[i];
	p.expanded = false;
	return p;
}

static struct piece
read_standard(struct reader *r)
{
	static const struct {
		char code;
		const char *text, *base;
	} rows[] = {
#define STANDARD(code, text, base) { code, text, base },
#include "demangle.def"
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (r->at[0] == 'S' && r->at[1] == rows[i].code) {
			r->at += 2;
			return cxx_piece(r, (struct part){ rows[i].text, "", rows[i].base, NULL,
							   CXX_PLAIN, 0, false });
		}
	}
	return cxx_give_up(r);
}

struct piece
cxx_substitution(struct reader *r)
{
	uint32_t i;

	if (r->at[1] >= 'a' && r->at[1] <= 'z')
		return read_standard(r);
	cxx_take(r, "S");
	if (!cxx_place(r, 36, &i) || i >= r->n_subs)
		return cxx_give_up(r);
	return r->subs[i];
}

/* Appends template arguments to the name p; for an argument that is a pack, the result is a
 * pack. */
struct piece
cxx_with_args(struct reader *r, struct piece p, bool tag)
{
	struct commas c = cxx_commas(r);
	struct piece found[CXX_ARGS];
	uint32_t n = 0;

	if (!cxx_take(r, "I"))
		return cxx_give_up(r);
	while (!r->bad && !cxx_take(r, "E")) {
		struct piece arg = template_arg(r);
		if (n == CXX_ARGS)
			return cxx_give_up(r);
		found[n++] = arg;
		cxx_add_comma(r, &c, arg);
	}
	if (r->bad || (p.n != 1 && p.n != c.n))
		return cxx_give_up(r);
	if (tag) {
		memcpy(r->args, found, n * sizeof *found);
		r->n_args = n;
	}
	struct part *v = cxx_room(r, (c.n + 1) * sizeof *v);
	if (!v)
		return cxx_give_up(r);
	for (uint32_t i = 0; i < c.n; i++) {
		const struct part *name = &p.v[p.n == 1 ? 0 : i];
		v[i] = (struct part){ cxx_join(r, name->left, "<", c.text[i] ? c.text[i] : "", ">",
					       NULL),
				      "",
				      name->base,
				      NULL,
				      CXX_PLAIN,
				      0,
				      true };
		r->bad |= name->has_args;
	}
	return (struct piece){ .v = v, .n = c.n, .pack = c.pack };
}

/* Reads a builtin type: one letter, or D and letters. */
static struct piece
read_builtin(struct reader *r)
{
	static const struct {
		const char *code, *text;
	} rows[] = {
#define BUILTIN(code, text) { code, text },
#include "demangle.def"
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (cxx_take(r, rows[i].code))
			return cxx_word(r, rows[i].text);
	}
	return (struct piece){ 0 };
}

/* Reads a vector: Dv4_f. */
static struct piece
read_vector(struct reader *r)
{
	r->at += 2;
	const char *n = cxx_digits(r);
	if (!*n || !cxx_take(r, "_"))
		return cxx_give_up(r);
	return cxx_each(r, cxx_type(r), make_qualified, cxx_join(r, " vector[", n, "]", NULL));
}

static struct piece
read_array(struct reader *r)
{
	r->at++;
	const char *n = cxx_digits(r);
	if (!cxx_take(r, "_"))
		return cxx_give_up(r);
	return cxx_each(r, cxx_type(r), make_array, n);
}

/* Reads qualifiers, or U3AS1, an address space. Qualifiers and type are one substitution. */
static struct piece
read_qualified(struct reader *r)
{
	const char *quals;
	struct piece p;

	if (cxx_take(r, "U")) {
		quals = cxx_join(r, " ", cxx_source_name(r), NULL);
		if (*r->at == 'I' || r->bad || !depth_enter(&r->depth, CXX_DEPTH))
			return cxx_give_up(r);
		p = cxx_each(r, read_qualified(r), make_qualified, quals);
		depth_leave(&r->depth);
		return p;
	}
	quals = cxx_qualifiers(r);
	/* The const of a member function is part of its type. */
	if (*quals && cxx_take(r, "F"))
		return cxx_each(r, read_function(r), make_member, quals);
	return *quals ? cxx_each(r, cxx_type(r), make_qualified, quals) : cxx_type(r);
}

static struct piece
read_named_type(struct reader *r)
{
	struct name n;

	if (cxx_next_is(r, "Ts") || cxx_next_is(r, "Tu") || cxx_next_is(r, "Te"))
		return cxx_give_up(r);
	n = cxx_name(r, false);
	return n.suffix && *n.suffix ? cxx_give_up(r) : n.text;
}

/* Reads a type that becomes a substitution. */
static struct piece
read_new_type(struct reader *r)
{
	struct piece p;

	switch (*r->at) {
	case 'r':
	case 'V':
	case 'K':
	case 'U': return read_qualified(r);
	case 'P': r->at++; return cxx_each(r, cxx_type(r), make_pointer, "*");
	case 'R': r->at++; return cxx_each(r, cxx_type(r), make_pointer, "&");
	case 'O': r->at++; return cxx_each(r, cxx_type(r), make_pointer, "&&");
	case 'A': return read_array(r);
	case 'F': r->at++; return read_function(r);
	case 'M': r->at++; return read_member_pointer(r);
	case 'u': r->at++; return cxx_word(r, cxx_source_name(r));
	case 'D':
		if (cxx_next_is(r, "Dv"))
			return read_vector(r);
		if (!cxx_take(r, "Dp"))
			return cxx_give_up(r);
		p = cxx_type(r);
		p.expanded = true;
		return p.pack ? p : cxx_give_up(r);
	case 'T':
		if (strchr("sue", r->at[1]) && r->at[1])
			return cxx_give_up(r);
		p = cxx_template_param(r);
		if (*r->at != 'I')
			return p;
		cxx_push(r, p);
		return cxx_with_args(r, p, false);
	default: return read_named_type(r);
	}
}

struct piece
cxx_type(struct reader *r)
{
	struct piece p = { 0 };

	if (r->bad || !depth_enter(&r->depth, CXX_DEPTH))
		return cxx_give_up(r);
	/* Builtin codes exclude "r" and "K", which are qualifiers, and "u", a vendor extension. */
	if (*r->at == 'S' && r->at[1] != 't') {
		p = cxx_substitution(r);
		if (*r->at == 'I' && !r->bad) {
			p = cxx_with_args(r, p, false);
			cxx_push(r, p);
		}
	} else {
		p = read_builtin(r);
		if (!p.v) {
			p = read_new_type(r);
			cxx_push(r, p);
		}
	}
	depth_leave(&r->depth);
	return r->bad ? cxx_give_up(r) : p;
}

/* -- Template arguments -------------------------------------------------------------------- */

static struct piece
read_literal(struct reader *r)
{
	static const struct {
		char code;
		const char *before, *suffix;
	} rows[] = {
#define LITERAL(code, before, suffix) { code, before, suffix },
#include "demangle.def"
	};
	const char *before = NULL, *suffix = "";

	if (cxx_take(r, "_Z")) {
		const char *text = cxx_encoding(r);
		return cxx_take(r, "E") ? cxx_word(r, text) : cxx_give_up(r);
	}
	if (cxx_take(r, "b0E"))
		return cxx_word(r, "false");
	if (cxx_take(r, "b1E"))
		return cxx_word(r, "true");
	if (cxx_take(r, "DnE") || cxx_take(r, "Dn0E"))
		return cxx_word(r, "nullptr");
	for (size_t i = 0; i < QD_COUNT(rows) && !before; i++) {
		if (*r->at == rows[i].code) {
			before = rows[i].before;
			suffix = rows[i].suffix;
			r->at++;
		}
	}
	/* Literals of enumerations. Floats and strings are unsupported. */
	if (!before && strchr("NS123456789Z", *r->at)) {
		struct piece type = cxx_type(r);
		before = type.pack ? NULL : cxx_join(r, "(", cxx_whole(r, type.v), ")", NULL);
	}
	const char *sign = cxx_take(r, "n") ? "-" : "", *digits = cxx_digits(r);
	if (!before || !*digits || !cxx_take(r, "E"))
		return cxx_give_up(r);
	return cxx_word(r, cxx_join(r, before, sign, digits, suffix, NULL));
}

/* Reads a pack after J: all its elements as one list. */
static struct piece
read_pack(struct reader *r)
{
	struct piece found[CXX_ARGS];
	struct part *v;
	uint32_t n = 0, n_part = 0;

	while (!r->bad && !cxx_take(r, "E")) {
		if (n == CXX_ARGS)
			return cxx_give_up(r);
		found[n] = template_arg(r);
		r->bad |= found[n].pack && !found[n].expanded;
		n_part += found[n++].n;
	}
	v = r->bad ? NULL : cxx_room(r, (n_part + 1) * sizeof *v);
	if (!v)
		return cxx_give_up(r);
	n_part = 0;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < found[i].n; k++)
			v[n_part++] = found[i].v[k];
	}
	return (struct piece){ .v = v, .n = n_part, .pack = true, .expanded = true };
}

static struct piece
template_arg(struct reader *r)
{
	struct piece p;

	if (cxx_take(r, "L"))
		return read_literal(r);
	/* The only supported expression is the address of an entity. */
	if (cxx_take(r, "XadL_Z")) {
		const char *text = cxx_join(r, "&", cxx_encoding(r), NULL);
		return cxx_take(r, "EE") ? cxx_word(r, text) : cxx_give_up(r);
	}
	if (!cxx_take(r, "J"))
		return *r->at == 'X' ? cxx_give_up(r) : cxx_type(r);
	if (!depth_enter(&r->depth, CXX_DEPTH))
		return cxx_give_up(r);
	p = read_pack(r);
	depth_leave(&r->depth);
	return p;
}
