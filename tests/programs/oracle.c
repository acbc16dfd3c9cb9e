/* oracle FOLDER [KNOWN]: checks every module that the tests emitted with SPIRV-Tools, used as a
 * library. Each must be valid for Vulkan 1.3; one that uses an extension must be valid in the
 * universal environment. Its text from qd_dis_text must assemble to the same words, except the
 * generator's. Prints the number of modules and the opcodes. Fails if the directory contains no
 * module or if a check does not notice an injected error.
 *
 * KNOWN: a file with hashes of words and texts that passed in earlier runs. Only new modules are
 * checked. */
#include <dirent.h>
#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <qdgpu/dis.h>

enum { HEADER = 5, GENERATOR = 2, OP_EXTENSION = 10, OP_CAPABILITY = 17 };
enum { MAX_OPS = 512, MAX_WORDS = 1 << 20, MAX_SAID = 20 };
enum { MAX_KNOWN = 1 << 16 };

/* Environments in which a module must be valid. */
static const struct {
	const char *name;
	spv_target_env env;
	bool for_extensions; /* only for modules that use one */
} places[] = {
	{ "vulkan1.3", SPV_ENV_VULKAN_1_3, false },
	{ "spv1.6", SPV_ENV_UNIVERSAL_1_6, true },
};
enum { N_PLACE = sizeof places / sizeof places[0] };

static struct {
	spv_context validator[N_PLACE], assembler;
	spv_validator_options options;
	char *text;
	size_t text_len;
	uint32_t n_valid[N_PLACE];
	char op[MAX_OPS][64];
	unsigned n_ops;
	unsigned n_modules, n_bad;
	XXH128_hash_t known[MAX_KNOWN]; /* sorted */
	unsigned n_known, n_met;
	FILE *met; /* hashes known after this run */
} o;

/* A module's words and file name. */
struct module {
	const char *name;
	uint32_t *words;
	size_t n;
};

/* -- Findings ------------------------------------------------------------------------ */

static bool silent; /* while an error is injected */

static bool
bad(const struct module *m, const char *who, const char *what)
{
	o.n_bad++;
	if (!silent && o.n_bad <= MAX_SAID)
		fprintf(stderr, "%s: %s: %.*s\n", who, m->name, (int)strcspn(what, "\n"), what);
	return false;
}

static bool
bad_diagnostic(const struct module *m, const char *who, spv_diagnostic d)
{
	bad(m, who, d ? d->error : "no reason is given");
	spvDiagnosticDestroy(d);
	return false;
}

/* -- Checks -------------------------------------------------------------------------- */

static bool
uses_extension(const struct module *m)
{
	for (size_t i = HEADER; i < m->n && m->words[i] >> 16; i += m->words[i] >> 16) {
		uint32_t op = m->words[i] & 0xffff;

		if (op == OP_EXTENSION)
			return true;
		if (op != OP_CAPABILITY)
			return false; /* capabilities and extensions come first */
	}
	return false;
}

static bool
validate(const struct module *m)
{
	spv_const_binary_t binary = { m->words, m->n };

	for (unsigned i = 0; i < N_PLACE; i++) {
		spv_diagnostic d = NULL;

		if (places[i].for_extensions && !uses_extension(m))
			continue;
		if (spvValidateWithOptions(o.validator[i], o.options, &binary, &d) != SPV_SUCCESS)
			return bad_diagnostic(m, places[i].name, d);
		o.n_valid[i]++;
	}
	return true;
}

static bool
disassemble(const struct module *m)
{
	struct qd_error err;

	free(o.text);
	o.text = NULL;
	return qd_dis_text("spirv", 0, m->words, m->n * 4, &o.text, &o.text_len, &err) == QD_OK ||
	       bad(m, "qd_dis_text", err.text);
}

static bool
same_words(const struct module *m, const struct spv_binary_t *back)
{
	enum { REST = GENERATOR + 1 };

	return back->wordCount == m->n && memcmp(back->code, m->words, GENERATOR * 4) == 0 &&
	       memcmp(back->code + REST, m->words + REST, (m->n - REST) * 4) == 0;
}

static bool
round_trip(const struct module *m)
{
	spv_binary back = NULL;
	spv_diagnostic d = NULL;
	bool same;

	if (spvTextToBinaryWithOptions(o.assembler, o.text, o.text_len,
				       SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS, &back,
				       &d) != SPV_SUCCESS)
		return bad_diagnostic(m, "assembler", d);
	same = same_words(m, back);
	spvBinaryDestroy(back);
	return same || bad(m, "round trip", "other words");
}

/* -- Known modules --------------------------------------------------------------------- */

static int
by_hash(const void *a, const void *b)
{
	return XXH128_cmp(a, b);
}

static XXH128_hash_t
hash(const struct module *m)
{
	const char *tools = spvSoftwareVersionDetailsString();
	XXH128_hash_t h = XXH3_128bits(tools, strlen(tools));

	for (unsigned i = 0; i < N_PLACE; i++)
		h = XXH3_128bits_withSeed(places[i].name, strlen(places[i].name), h.low64);
	h = XXH3_128bits_withSeed(m->words, m->n * 4, h.low64 ^ h.high64);
	return XXH3_128bits_withSeed(o.text, o.text_len, h.low64 ^ h.high64);
}

static bool
is_known(const struct module *m)
{
	XXH128_hash_t h = hash(m);

	return bsearch(&h, o.known, o.n_known, sizeof h, by_hash) != NULL;
}

static void
remember(const struct module *m)
{
	XXH128_hash_t h = hash(m);

	if (o.met)
		fprintf(o.met, "%016llx %016llx\n", (unsigned long long)h.high64,
			(unsigned long long)h.low64);
}

static void
read_known(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned long long high, low;

	while (f && o.n_known < MAX_KNOWN && fscanf(f, "%llx %llx", &high, &low) == 2)
		o.known[o.n_known++] = (XXH128_hash_t){ .low64 = low, .high64 = high };
	if (f)
		fclose(f);
	qsort(o.known, o.n_known, sizeof o.known[0], by_hash);
}

/* -- Checking a module -------------------------------------------------------------------- */

static void
note_ops(void)
{
	for (const char *p = o.text; (p = strstr(p, "Op")) != NULL;) {
		size_t len = strcspn(p, " \n");
		unsigned i = 0;
		bool begins = p == o.text || p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\t';

		while (i < o.n_ops && (strncmp(o.op[i], p, len) != 0 || o.op[i][len]))
			i++;
		if (begins && len > 2 && len < sizeof o.op[0] && i == o.n_ops && i < MAX_OPS)
			memcpy(o.op[o.n_ops++], p, len);
		p += len;
	}
}

static bool
check(const struct module *m)
{
	if (m->n < HEADER)
		return bad(m, "file", "no module");
	if (!disassemble(m))
		return false;
	if (is_known(m))
		o.n_met++;
	else if (!validate(m) || !round_trip(m))
		return false;
	note_ops();
	return true;
}

/* -- The directory -------------------------------------------------------------------- */

static bool
read_module(const char *path, struct module *m)
{
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f)
		return false;
	size = fread(m->words, 1, MAX_WORDS * 4, f);
	fclose(f);
	m->n = size / 4;
	return size % 4 == 0 && m->n < MAX_WORDS;
}

static int
is_module(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 4 && strcmp(d->d_name + len - 4, ".spv") == 0;
}

/* Each check must notice an injected error: a wrong instruction for the validator, and another
 * number in a valid module for the comparison of words. */
static void
inject(struct module *m)
{
	unsigned before = o.n_bad;
	uint32_t word = m->words[HEADER + 2];
	bool found;

	silent = true;
	found = disassemble(m) && round_trip(m) && validate(m);
	m->words[HEADER + 2] = 0xffff;
	found &= !validate(m);
	m->words[HEADER + 2] = word;
	m->words[m->n - 1] ^= 1;
	found &= !round_trip(m);
	m->words[m->n - 1] ^= 1;
	silent = false;
	o.n_bad = before;
	if (!found) {
		fprintf(stderr, "oracle: an injected error was not found\n");
		o.n_bad++;
	}
}

static void
check_folder(const char *dir)
{
	struct module m = { .words = malloc(MAX_WORDS * 4) };
	struct dirent **list = NULL;
	char path[4096];
	bool injected = false;
	int n = scandir(dir, &list, is_module, alphasort);

	for (int i = 0; m.words && i < n; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
		m.name = list[i]->d_name;
		if (!read_module(path, &m)) {
			bad(&m, "file", "cannot be read as words");
			continue;
		}
		o.n_modules++;
		if (!check(&m))
			continue;
		remember(&m);
		if (!injected)
			inject(&m);
		injected = true;
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	free(m.words);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

int
main(int argc, char **argv)
{
	if (argc < 2 || argc > 3)
		return 2;
	for (unsigned i = 0; i < N_PLACE; i++)
		o.validator[i] = spvContextCreate(places[i].env);
	o.assembler = spvContextCreate(SPV_ENV_UNIVERSAL_1_5); /* the modules' version */
	o.options = spvValidatorOptionsCreate();
	if (argc == 3) {
		read_known(argv[2]);
		o.met = fopen(argv[2], "w");
	}
	check_folder(argv[1]);
	if (o.met)
		fclose(o.met);
	spvValidatorOptionsDestroy(o.options);
	spvContextDestroy(o.assembler);
	for (unsigned i = 0; i < N_PLACE; i++)
		spvContextDestroy(o.validator[i]);
	free(o.text);

	printf("%u modules, %u distinct opcodes:\n", o.n_modules, o.n_ops);
	qsort(o.op, o.n_ops, sizeof o.op[0], by_name);
	for (unsigned i = 0; i < o.n_ops; i++)
		printf("%s ", o.op[i]);
	printf("\n");
	for (unsigned i = 0; i < N_PLACE; i++)
		printf("%u valid for %s\n", o.n_valid[i], places[i].name);
	printf("%u already known\n", o.n_met);
	if (!o.n_modules)
		fprintf(stderr, "oracle: no module in %s\n", argv[1]);
	return o.n_bad || !o.n_modules;
}
