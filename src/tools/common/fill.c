/* Builds the elements of a buffer from its description on the command line. */
#include <stdlib.h>
#include <unistd.h>

#include "ir.h"
#include "npy.h"
#include "value.h"

/* -- Elements ------------------------------------------------------------------- */

/* PCG32, XSH-RR 64/32, with stream 54. */
static uint32_t
pcg32(uint64_t *state)
{
	uint64_t old = *state;
	*state = old * UINT64_C(6364136223846793005) + 109;
	uint32_t x = (uint32_t)(((old >> 18) ^ old) >> 27), r = (uint32_t)(old >> 59);
	return x >> r | x << (-r & 31);
}

static uint64_t
pcg32_start(uint64_t seed)
{
	uint64_t state = 0;
	pcg32(&state);
	state += seed;
	pcg32(&state);
	return state;
}

/* Returns a random element: integers over their range, floats uniform in [0, 1). */
static uint64_t
random_element(qd_type type, uint64_t *state)
{
	uint64_t high = pcg32(state), bits;
	double d;
	switch (type) {
	case QD_TYPE_I64:
	case QD_TYPE_U64: return high << 32 | pcg32(state);
	case QD_TYPE_F64:
		bits = high << 32 | pcg32(state);
		d = (double)(bits >> 11) * 0x1p-53;
		memcpy(&bits, &d, sizeof bits);
		return bits;
	case QD_TYPE_F32: return f32_bits((float)(high >> 8) * 0x1p-24f);
	case QD_TYPE_F16:
	case QD_TYPE_BF16: return ir_narrow(type, f32_bits((float)(high >> 8) * 0x1p-24f));
	default: return high;
	}
}

static uint64_t
iota_element(qd_type type, uint64_t i)
{
	double d = (double)i;
	uint64_t bits;
	switch (type) {
	case QD_TYPE_F64: memcpy(&bits, &d, sizeof bits); return bits;
	case QD_TYPE_F32: return f32_bits((float)i);
	case QD_TYPE_F16:
	case QD_TYPE_BF16: return ir_narrow(type, f32_bits(value_round_to_odd(d)));
	default: return i;
	}
}

static void *
make_elements(const char *name, qd_type type, size_t n)
{
	void *p = calloc(n ? n : 1, type_info[type].size);
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "%s: out of memory (%zu elements of %s)", name, n,
			 qd_type_name(type));
	return p;
}

/* -- Descriptions ------------------------------------------------------------------ */

static const struct {
	const char *word, *form;
} kinds[FILL_GIVEN] = {
	[FILL_IOTA] = { "iota", "iota:N" },
	[FILL_ZERO] = { "zero", "zero:N" },
	[FILL_RAND] = { "rand", "rand:N:SEED" },
};

static const char *
kind_word(void *user, uint32_t i)
{
	(void)user;
	return kinds[i].word;
}

/* Parses N of iota:N and similar forms, up to the end or a colon. */
static size_t
parse_count(const char *name, const char *form, const char **text)
{
	const char *p = *text;
	int len = (int)strcspn(p, ":");
	uint64_t n = 0;
	for (; *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	if (p == *text || (*p && *p != ':' && (*p < '0' || *p > '9')))
		tool_usage("%s: '%.*s' is not a number of elements; write %s", name,
			   len < 60 ? len : 60, *text, form);
	if (n > UINT32_MAX)
		tool_usage("%s: %.*s elements are too many; a buffer has at most 4294967295", name,
			   len < 60 ? len : 60, *text);
	*text = p;
	return (size_t)n;
}

/* Parses the part of a description after its first word. */
static void
parse_made(const char *name, const char *text, struct fill *out)
{
	const char *form = kinds[out->kind].form, *p = text;
	if (!*p && out->kind != FILL_RAND)
		return;
	if (!*p)
		tool_usage("%s: rand needs a number of elements and a seed; write %s", name, form);
	p++;
	out->n = parse_count(name, form, &p);
	out->counted = true;
	if (out->kind == FILL_RAND && *p != ':')
		tool_usage("%s: 'rand%s' has no seed; write %s", name, text, form);
	char seed[300];
	snprintf(seed, sizeof seed, "%s: the seed of rand", name);
	if (out->kind == FILL_RAND)
		out->seed = tool_number(seed, p + 1, 0, UINT64_MAX);
	else if (*p)
		tool_usage("%s: '%s%s' has text after the number of elements; write %s", name,
			   kinds[out->kind].word, text, form);
}

/* Exits because the text is not a description, and suggests one. */
TOOL_NORETURN static void
no_layout(const char *name, qd_type type, const char *text, const char *wrong)
{
	char word[16], takes[120];
	snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":"), text);
	const char *close = tool_closest(word, kind_word, NULL, FILL_GIVEN);
	if (close)
		tool_usage("%s: '%.60s' %s; did you mean '%s'? " FILL_FORMS, name, text, wrong, close);
	if (strlen(text) < 256 && access(text, R_OK) == 0)
		tool_usage("%s: '%s' %s; write '@%s' to read a file", name, text, wrong, text);
	value_takes(type, takes, sizeof takes);
	tool_usage("%s: '%.60s' %s; %s, and " FILL_FORMS, name, text, wrong, takes);
}

static void
parse_list(const char *name, qd_type type, const char *text, struct fill *out)
{
	size_t n = 1;
	if (!*text)
		tool_usage("%s: no value; " FILL_FORMS, name);
	for (const char *p = text; *p; p++)
		n += *p == ',';
	out->memory = make_elements(name, type, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = 0;
		char takes[120];
		size_t len = strcspn(text, ",");
		const char *wrong = value_parse(type, text, len, &bits);
		if (wrong && n == 1)
			no_layout(name, type, text, wrong);
		value_takes(type, takes, sizeof takes);
		if (wrong)
			tool_usage("%s: element %zu '%.*s' %s; %s", name, i,
				   (int)(len < 60 ? len : 60), text, wrong, takes);
		value_put(out->memory, type, i, bits);
		text += len + 1;
	}
	out->n = n;
}

static bool
ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);
	return len > n && strcmp(s + len - n, end) == 0;
}

static void
read_elements(const char *name, qd_type type, const char *path, struct fill *out)
{
	static bool read_stdin;
	size_t bytes, size = type_info[type].size;
	if (!*path)
		tool_usage("%s: no file after '@'", name);
	if (strcmp(path, "-") == 0 && read_stdin)
		tool_usage("%s: another value already reads the standard input", name);
	read_stdin |= strcmp(path, "-") == 0;
	char *memory = tool_read(path, &bytes);
	if (ends_with(path, ".npy")) {
		struct npy npy;
		char why[NPY_WHY];
		if (!npy_parse(memory, bytes, type, &npy, why))
			tool_die(EXIT_INPUT, "%s: '%s': %s", name, path, why);
		memmove(memory, memory + npy.offset, npy.n * size);
		out->n = npy.n;
	} else if (bytes % size) {
		tool_die(EXIT_INPUT,
			 "%s: '%s' has %zu bytes, which is not a multiple of %s (%zu bytes each)",
			 name, path, bytes, qd_type_name(type), size);
	} else {
		out->n = bytes / size;
	}
	if (out->n > UINT32_MAX)
		tool_die(EXIT_INPUT, "%s: '%s' has %zu elements; a buffer has at most 4294967295",
			 name, path, out->n);
	out->memory = memory;
}

void
fill_parse(const char *name, qd_type type, const char *text, struct fill *out)
{
	*out = (struct fill){ .kind = FILL_IOTA };
	while (out->kind < FILL_GIVEN) {
		size_t len = strlen(kinds[out->kind].word);
		if (strncmp(text, kinds[out->kind].word, len) == 0 &&
		    (!text[len] || text[len] == ':')) {
			parse_made(name, text + len, out);
			return;
		}
		out->kind++;
	}
	if (*text == '@')
		read_elements(name, type, text + 1, out);
	else
		parse_list(name, type, text, out);
	out->counted = true;
}

void *
fill_make(const char *name, qd_type type, struct fill *f)
{
	void *memory = f->memory;
	f->memory = NULL;
	if (f->kind == FILL_GIVEN)
		return memory;
	memory = make_elements(name, type, f->n);
	uint64_t state = f->kind == FILL_RAND ? pcg32_start(f->seed) : 0;
	for (size_t i = 0; i < f->n && f->kind != FILL_ZERO; i++)
		value_put(memory, type, i,
			  f->kind == FILL_RAND ? random_element(type, &state)
					       : iota_element(type, i));
	return memory;
}
