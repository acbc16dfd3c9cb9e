/* Recursive descent over the mangled name, which produces text directly: names and their scopes. */
#include "demangle_read.h"

/* -- Names ------------------------------------------------------------------------------- */

static const char *
read_operator(struct reader *r, struct name *out)
{
	static const struct {
		const char *code, *text;
	} rows[] = {
#define OPERATOR(code, text) { code, text },
#include "demangle.def"
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (cxx_take(r, rows[i].code))
			return cxx_join(r, "operator", rows[i].text, NULL);
	}
	if (cxx_take(r, "li"))
		return cxx_join(r, "operator\"\" ", cxx_source_name(r), NULL);
	if (!cxx_take(r, "cv"))
		return cxx_give_up(r).v->left;
	/* The target type may be a template parameter whose argument follows later. */
	if (strchr(r->at, 'I'))
		return cxx_give_up(r).v->left;
	struct piece to = cxx_type(r);
	out->no_result = true;
	return to.pack ? cxx_give_up(r).v->left
		       : cxx_join(r, "operator ", cxx_whole(r, to.v), NULL);
}

/* Reads an unnamed entity: 'lambda'(int), 'unnamed0'. */
static const char *
read_unnamed(struct reader *r)
{
	bool lambda = cxx_take(r, "Ul");
	const char *params = "", *n;

	if (!lambda && !cxx_take(r, "Ut"))
		return cxx_give_up(r).v->left;
	if (lambda) {
		bool was = r->in_lambda;
		/* Template lambdas are unsupported. */
		if (*r->at == 'T' && strchr("yntpk", r->at[1]) && r->at[1])
			return cxx_give_up(r).v->left;
		r->in_lambda = true;
		params = cxx_params(r);
		r->in_lambda = was;
		params = cxx_join(r, "(", params, ")", NULL);
		if (!cxx_take(r, "E"))
			return cxx_give_up(r).v->left;
	}
	n = cxx_digits(r);
	if (!cxx_take(r, "_"))
		return cxx_give_up(r).v->left;
	return cxx_join(r, lambda ? "'lambda" : "'unnamed", n, "'", params, NULL);
}

/* Reads a component of a name in a scope; scope NULL: none. */
static struct piece
read_unqualified(struct reader *r, const struct part *scope, struct name *out)
{
	const char *text, *base;
	char c = *r->at;

	cxx_take(r, "L");
	out->no_result = false;
	if (*r->at >= '1' && *r->at <= '9') {
		text = cxx_source_name(r);
	} else if (c == 'U') {
		text = read_unnamed(r);
	} else if ((c == 'C' || c == 'D') && r->at[1] &&
		   strchr(c == 'C' ? "12345" : "01245", r->at[1]) && scope && *scope->base) {
		text = cxx_join(r, c == 'D' ? "~" : "", scope->base, NULL);
		r->at += 2;
		out->no_result = true;
	} else {
		text = read_operator(r, out);
	}
	base = text;
	while (!r->bad && cxx_take(r, "B"))
		text = cxx_join(r, text, "[abi:", cxx_source_name(r), "]", NULL);
	return cxx_piece(r,
			 (struct part){ scope ? cxx_join(r, scope->left, "::", text, NULL) : text,
					"", base, NULL, CXX_PLAIN, 0, false });
}

static struct part
make_scope(struct reader *r, struct part p, const char *s)
{
	p.left = cxx_whole(r, &p);
	p.right = "";
	(void)s;
	return p;
}

/* Reads the rest of a nested name after N, up to E. Each prefix becomes a substitution. */
static struct name
read_nested(struct reader *r, bool tag)
{
	struct name n = { .suffix = "" };
	struct piece p = { 0 };
	uint32_t n_before;

	n.suffix = cxx_qualifiers(r);
	if (cxx_take(r, "R"))
		n.suffix = cxx_join(r, n.suffix, " &", NULL);
	else if (cxx_take(r, "O"))
		n.suffix = cxx_join(r, n.suffix, " &&", NULL);
	n_before = r->n_subs;
	while (!r->bad && !cxx_take(r, "E")) {
		n.ends_in_args = false;
		if (*r->at == 'I' && p.v) {
			p = cxx_with_args(r, p, tag);
			n.ends_in_args = true;
		} else if (*r->at == 'T' && !p.v) {
			p = cxx_template_param(r);
		} else if (!p.v && cxx_take(r, "St")) {
			p = cxx_word(r, "std");
			continue;
		} else if (*r->at == 'S' && !p.v) {
			p = cxx_substitution(r);
			continue;
		} else {
			/* a member of a pack has no single name */
			if (p.pack)
				p = cxx_give_up(r);
			if (p.v)
				p = cxx_each(r, p, make_scope, NULL);
			p = read_unqualified(r, p.v, &n);
		}
		cxx_push(r, p);
	}
	if (r->bad || r->n_subs == n_before || !p.v) {
		n.text = cxx_give_up(r);
		return n;
	}
	r->n_subs--;
	n.text = p;
	return n;
}

/* Skips the number of equal local names, which is not printed. */
static void
skip_discriminator(struct reader *r)
{
	if (cxx_next_is(r, "__")) {
		size_t len = strspn(r->at + 2, "0123456789");
		if (len && r->at[2 + len] == '_')
			r->at += 3 + len;
	} else if (*r->at == '_' && r->at[1] >= '0' && r->at[1] <= '9') {
		r->at += 2;
	}
}

static struct name
read_local(struct reader *r, bool tag)
{
	const char *function = cxx_encoding(r);
	struct name n = { .text = { 0 }, .suffix = "" };

	if (!cxx_take(r, "E") || cxx_next_is(r, "d")) {
		n.text = cxx_give_up(r);
		return n;
	}
	if (cxx_take(r, "s")) {
		skip_discriminator(r);
		n.text = cxx_word(r, cxx_join(r, function, "::string literal", NULL));
		return n;
	}
	n = cxx_name(r, tag);
	skip_discriminator(r);
	if (n.text.pack)
		n.text = cxx_give_up(r);
	struct part p = *n.text.v;
	p.left = cxx_join(r, function, "::", p.left, NULL);
	n.text = cxx_piece(r, p);
	return n;
}

/* tag: T_ refers to the arguments of this name from now on. */
struct name
cxx_name(struct reader *r, bool tag)
{
	struct name n = { .suffix = "" };

	if (r->bad || !depth_enter(&r->depth, CXX_DEPTH)) {
		n.text = cxx_give_up(r);
		return n;
	}
	if (cxx_take(r, "N")) {
		n = read_nested(r, tag);
	} else if (cxx_take(r, "Z")) {
		n = read_local(r, tag);
	} else {
		bool is_new = true;
		if (cxx_take(r, "St")) {
			struct piece standard = cxx_word(r, "std");
			n.text = read_unqualified(r, standard.v, &n);
		} else if (*r->at == 'S') {
			n.text = cxx_substitution(r);
			is_new = false;
			r->bad |= *r->at != 'I';
		} else {
			n.text = read_unqualified(r, NULL, &n);
		}
		if (*r->at == 'I' && !r->bad) {
			if (is_new)
				cxx_push(r, n.text);
			n.text = cxx_with_args(r, n.text, tag);
			n.ends_in_args = true;
		}
	}
	depth_leave(&r->depth);
	if (r->bad)
		n.text = cxx_give_up(r);
	return n;
}

/* -- Encodings ----------------------------------------------------------------------------- */

static const char *
read_special(struct reader *r)
{
	static const struct {
		const char *code, *text;
		char takes;
	} rows[] = {
#define SPECIAL(code, text, takes) { code, text, takes },
#include "demangle.def"
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (!cxx_take(r, rows[i].code))
			continue;
		for (int n = rows[i].takes == 'v' ? 2 : rows[i].takes == 'h'; n > 0; n--) {
			cxx_take(r, "n");
			r->bad |= !*cxx_digits(r) || !cxx_take(r, "_");
		}
		if (rows[i].takes == 'h' || rows[i].takes == 'v')
			return cxx_join(r, rows[i].text, cxx_encoding(r), NULL);
		struct piece p = rows[i].takes == 't' ? cxx_type(r) : cxx_name(r, true).text;
		return p.pack ? cxx_give_up(r).v->left
			      : cxx_join(r, rows[i].text, cxx_whole(r, p.v), NULL);
	}
	return cxx_give_up(r).v->left;
}

static bool
at_end(const struct reader *r)
{
	return !*r->at || strchr("E._", *r->at);
}

/* Reads a name, for functions with parameters, for function templates with the result. */
const char *
cxx_encoding(struct reader *r)
{
	struct piece args[CXX_ARGS], result = { 0 };
	uint32_t n_args = r->n_args;
	const char *text = "";

	/* Each level stores the template arguments of the enclosing one. */
	if (r->bad || !depth_enter(&r->depth, CXX_DEPTH / 4))
		return cxx_give_up(r).v->left;
	if (*r->at == 'T' || cxx_next_is(r, "GV")) {
		text = read_special(r);
		depth_leave(&r->depth);
		return text;
	}
	memcpy(args, r->args, n_args * sizeof *args);
	struct name n = cxx_name(r, true);
	if (n.text.pack)
		n.text = cxx_give_up(r);
	text = n.text.v->left;
	if (!at_end(r) && !r->bad) {
		if (n.ends_in_args && !n.no_result)
			result = cxx_type(r);
		/* An empty parameter list is "v". */
		r->bad |= at_end(r);
		const char *params = cxx_params(r);
		text = cxx_join(r, text, "(", params, ")", NULL);
		if (result.v)
			text = cxx_join(r, result.v->left, *result.v->right ? "" : " ", text,
					result.v->right, NULL);
		text = cxx_join(r, text, n.suffix, NULL);
		r->bad |= result.pack || !at_end(r);
	}
	memcpy(r->args, args, n_args * sizeof *args);
	r->n_args = n_args;
	depth_leave(&r->depth);
	return text;
}

const char *
demangle(struct arena *mem, const char *name)
{
	struct reader *r;
	const char *text;

	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	r = arena_alloc(mem, sizeof *r);
	if (!r)
		return NULL;
	/* The tables are initialized on use. */
	r->mem = mem;
	r->at = name + 2;
	r->n_subs = r->n_args = r->depth = 0;
	r->size = 0;
	r->bad = r->in_lambda = false;
	text = cxx_encoding(r);
	if (*r->at == '.') {
		text = cxx_join(r, text, " (", r->at, ")", NULL);
		r->at += strlen(r->at);
	}
	return r->bad || *r->at ? NULL : text;
}

/* -- Comparison ---------------------------------------------------------------------------- */

/* Returns whether the text before the parameters of a demangled name, without the return type, is
 * the name. The name may omit template arguments. */
static bool
is_base(const char *written, const char *name)
{
	const char *start = written, *end = written;
	uint32_t depth = 0;

	for (; *end && (depth || *end != '('); end++) {
		depth += *end == '<';
		depth -= *end == '>' && depth;
		if (*end == ' ' && !depth)
			start = end + 1;
	}
	size_t len = strlen(name), whole = (size_t)(end - start), bare = strcspn(start, "<");
	return (len == whole || (len == bare && bare < whole)) && memcmp(start, name, len) == 0;
}

bool
demangle_is(struct arena *mem, const char *mangled, const char *name)
{
	const char *written;

	if (strcmp(mangled, name) == 0)
		return true;
	written = demangle(mem, mangled);
	return written && (strcmp(written, name) == 0 || is_base(written, name));
}
