/* Options of targets: sizes of subgroups, and limits. */
#include <stddef.h>
#include <stdio.h>

#include "isa.h"

/* Returns the number of lanes after a letter, or 0 if the text is no such option. */
static uint32_t
parse_lanes(char letter, const char *s, size_t len)
{
	uint32_t n = 0;

	if (len < 2 || len > 4 || s[0] != letter || s[1] == '0')
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return 0;
		n = n * 10 + (uint32_t)(s[i] - '0');
	}
	return n >= 4 && n <= 1u << MAX_LOG2 && !(n & (n - 1)) ? n : 0;
}

uint32_t
isa_parse_size(const char *s, size_t len)
{
	return parse_lanes('w', s, len);
}

uint32_t
isa_parse_lanes(const char *s, size_t len)
{
	return parse_lanes('h', s, len);
}

qd_status
isa_name(struct target *t, struct qd_error *err, const char *format, ...)
{
	size_t len = strlen(t->m.name), room = sizeof t->m.name - len;
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(t->m.name + len, room, format, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < room)
		return QD_OK;
	return qd_fail(err, QD_E_LIMIT,
		       "target '%.40s...': the text has more than %zu characters; remove options",
		       t->m.name, sizeof t->m.name - 1);
}

/* -- Limits ------------------------------------------------------------------- */

static const struct limit {
	char letter;
	size_t at; /* offset in struct machine */
	uint32_t least, most, step;
} limits[] = {
	{ 'b', offsetof(struct machine, max_block_dim), 4, MAX_BLOCK, 1 },
	{ 'g', offsetof(struct machine, max_subgroups), 1, MAX_BLOCK, 1 },
	{ 's', offsetof(struct machine, max_shared), 0, UINT32_MAX, 1 },
	{ 'a', offsetof(struct machine, inline_args), 8, 65536, 8 },
};

const char isa_limits_help[] =
	"facts (the code relies on launch facts), bN (threads of a block), gN (subgroups of a block), sN (bytes of shared memory), aN "
	"(bytes of arguments that a launch carries, a multiple of 8)";

bool
isa_parse_limit(struct machine *m, const char *s, size_t len)
{
	uint64_t n = 0;

	if (len == strlen(ISA_FACTS_OPTION) && memcmp(s, ISA_FACTS_OPTION, len) == 0)
		return m->facts = true;
	if (len < 2 || len > 11 || (s[1] == '0' && len > 2))
		return false;
	for (size_t i = 1; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(s[i] - '0');
	}
	for (size_t i = 0; i < QD_COUNT(limits); i++) {
		const struct limit *l = &limits[i];
		uint32_t value = (uint32_t)n;
		if (l->letter != s[0])
			continue;
		if (n < l->least || n > l->most || n % l->step)
			return false;
		memcpy((char *)m + l->at, &value, sizeof value);
		return true;
	}
	return false;
}

qd_status
isa_name_limits(struct target *t, const struct machine *usual, struct qd_error *err)
{
	for (size_t i = 0; i < QD_COUNT(limits); i++) {
		uint32_t value, other;
		memcpy(&value, (const char *)&t->m + limits[i].at, sizeof value);
		memcpy(&other, (const char *)usual + limits[i].at, sizeof other);
		if (value != other)
			QD_TRY(isa_name(t, err, ":%c%u", limits[i].letter, value));
	}
	t->m.facts &= t->isa->facts;
	return t->m.facts ? isa_name(t, err, ":" ISA_FACTS_OPTION) : QD_OK;
}
