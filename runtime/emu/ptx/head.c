/* The head of a module: its version, its target, the width of addresses. */
#include "parse.h"

static const struct {
	const char *name;
	uint8_t sm;
	char family;
	uint8_t version;
} targets[] = {
#define PTX_TARGET(name, sm, family, version) { name, sm, family, version },
#include "target.def"
#undef PTX_TARGET
};

enum { VERSION_MIN = 60, VERSION_MAX = 90 };

static bool
parse_version(struct parse *ps)
{
	const struct token *t = &ps->lx.t;
	uint32_t major = 0, minor = 0;
	const char *s;

	if (t->kind != TOK_DOT || !token_is(t, "version"))
		return parse_fail(ps, "expected .version at the start of the module");
	lex_next(&ps->lx);
	/* 6.0 is a float to the lexer. */
	for (s = t->s; s < ps->lx.end && *s >= '0' && *s <= '9' && major < 100; s++)
		major = major * 10 + (uint32_t)(*s - '0');
	if (s == t->s || s + 1 >= ps->lx.end || *s != '.' || s[1] < '0' || s[1] > '9' ||
	    (s + 2 < ps->lx.end && s[2] >= '0' && s[2] <= '9'))
		return parse_fail(ps, "expected a version, found '%.*s'", TOKEN_ARGS(ps));
	minor = (uint32_t)(s[1] - '0');
	ps->m->version = major * 10 + minor;
	if (ps->m->version < VERSION_MIN || ps->m->version > VERSION_MAX)
		return parse_fail_at(ps, QD_E_TARGET, t->line, t->col,
				     "unsupported .version %u.%u: expected %u.%u to %u.%u", major,
				     minor, VERSION_MIN / 10, VERSION_MIN % 10, VERSION_MAX / 10,
				     VERSION_MAX % 10);
	ps->lx.p = s + 2;
	lex_next(&ps->lx);
	return true;
}

static bool
parse_target(struct parse *ps)
{
	const struct token *t = &ps->lx.t;
	bool known = false;

	if (t->kind != TOK_DOT || !token_is(t, "target"))
		return parse_fail(ps, "expected .target, found '%.*s'", TOKEN_ARGS(ps));
	do {
		lex_next(&ps->lx);
		if (t->kind != TOK_NAME)
			return parse_fail(ps, "expected a target, found '%.*s'", TOKEN_ARGS(ps));
		if (token_is(t, "debug")) {
			lex_next(&ps->lx);
			continue;
		}
		size_t i = 0;

		while (i < QD_COUNT(targets) && !token_is(t, targets[i].name))
			i++;
		if (known || i == QD_COUNT(targets))
			return parse_fail_at(ps, QD_E_TARGET, t->line, t->col,
					     "unknown target %.*s", TOKEN_ARGS(ps));
		known = true;
		if (targets[i].version > ps->m->version)
			return parse_fail_at(ps, QD_E_TARGET, t->line, t->col,
					     "%s requires .version %u.%u or later, found %u.%u",
					     targets[i].name, targets[i].version / 10u,
					     targets[i].version % 10u, ps->m->version / 10,
					     ps->m->version % 10);
		ps->m->sm = targets[i].sm;
		ps->m->family = targets[i].family;
		lex_next(&ps->lx);
	} while (lex_is(&ps->lx, ','));
	return known || parse_fail(ps, "expected a target");
}

bool
parse_head(struct parse *ps)
{
	if (!parse_version(ps) || !parse_target(ps))
		return false;
	if (ps->lx.t.kind == TOK_DOT && token_is(&ps->lx.t, "address_size")) {
		lex_next(&ps->lx);
		if (ps->lx.t.kind != TOK_INT || ps->lx.t.value != 64)
			return parse_fail(ps,
					  "expected .address_size 64, found '.address_size %.*s'",
					  TOKEN_ARGS(ps));
		lex_next(&ps->lx);
	} else {
		return parse_fail(ps, "expected .address_size 64, found '%.*s'", TOKEN_ARGS(ps));
	}
	return true;
}
