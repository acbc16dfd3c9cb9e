/* back OBJECT...: decodes the instructions of code objects to text, parses the text, and encodes
 * the result. The words must be the original ones: the encoder must accept everything that a
 * compiler emits. */
#include <stdio.h>
#include <stdlib.h>

#include "codeobject.h"
#include "descriptor.h"

enum { N_SHOWN = 20 };

struct count {
	unsigned long same, other, unknown;
};

static void
complain(struct count *c, const char *function, const char *text, const char *what)
{
	if (c->other++ < N_SHOWN)
		printf("%s: %s: %s\n", function, text, what);
}

/* Instructions with bits that the compiler sets, the text does not show, and LLVM's assembler
 * leaves clear. */
static const char *const hidden[] = { "buffer_wbl2" };

static bool
hides_bits(const char *text)
{
	for (size_t i = 0; i < QD_COUNT(hidden); i++) {
		if (strcmp(text, hidden[i]) == 0)
			return true;
	}
	return false;
}

static void
one(const struct gcn_target *t, const struct gcn_insn *in, const uint32_t *words,
    const char *function, struct count *c)
{
	char text[512];
	struct gcn_insn again;
	struct qd_error e;
	uint32_t out[GCN_MAX_WORDS];
	int n;

	gcn_print(t, in, text, sizeof text);
	if (gcn_parse(t, text, &again, &e) || gcn_encode(t, &again, out, &n, &e))
		complain(c, function, text, e.text);
	else if (n != in->n_words ||
		 (memcmp(out, words, (size_t)n * 4) != 0 && !hides_bits(text)))
		complain(c, function, text, "other words");
	else
		c->same++;
}

static void
function(const struct gcn_target *t, const struct code_function *f, struct count *c)
{
	size_t n = (size_t)(f->size / 4);
	uint32_t *words = malloc(f->size);
	struct gcn_insn in;

	if (!words)
		abort();
	memcpy(words, f->code, n * 4);
	for (size_t at = 0; at < n;) {
		int got = gcn_decode(t, words + at, n - at, &in);
		if (got)
			one(t, &in, words + at, f->name, c);
		else
			c->unknown++;
		at += got ? (size_t)got : 1;
	}
	free(words);
}

/* Returns the target of a code object. Functions that are not kernels have the wave size of the
 * kernels in the same object. */
static const struct gcn_target *
target_of(const struct code_object *o)
{
	const struct gcn_target *t = o->processor ? gcn_target_find(o->processor, 0) : NULL;

	return t && o->n_kernels
		? gcn_target_find(t->name, gcn_descriptor_wave(t, o->kernels[0].descriptor)) : t;
}

static bool
file(const char *name, struct count *c)
{
	static unsigned char data[16 << 20];
	FILE *f = fopen(name, "rb");
	size_t size = f ? fread(data, 1, sizeof data, f) : 0;
	const struct gcn_target *t = NULL;
	struct code_object o;
	struct qd_error e = { .text = "cannot be read" };
	struct pool pool;
	struct arena mem;

	if (f)
		fclose(f);
	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	if (size && !code_object_read(&mem, data, size, 0, &o, &e)) {
		t = target_of(&o);
		snprintf(e.text, sizeof e.text, "code for no target here");
	}
	for (uint32_t i = 0; t && i < o.n_functions; i++)
		function(t, &o.functions[i], c);
	if (!t)
		printf("%s: %s\n", name, e.text);
	arena_fini(&mem);
	pool_fini(&pool);
	return t != NULL;
}

int
main(int argc, char **argv)
{
	struct count c = { 0, 0, 0 };
	bool ok = argc > 1;

	for (int i = 1; i < argc; i++)
		ok = file(argv[i], &c) && ok;
	printf("%lu instructions back to their words, %lu not, %lu words unknown\n", c.same, c.other,
	       c.unknown);
	return ok && c.same && !c.other ? 0 : 1;
}
