/* Fuzz target: bytes as printed IR: read, printed and read again, and compiled. A kernel without a
 * loop also runs on the interpreter in one block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MAX_TMPLS = 8, MAX_PARAMS = 64, N_ELEMENTS = 24 };

/* clang-format off */
const char *const fuzz_words[] = {
	"kernel", "file", "block", "subgroup", "assume_uniform", "assume_in_bounds", "param", "template", "in",
	"out", "f32", "i32", "u32", "i64", "u64", "f64", "bool", "f32[]", "u8[]", "bf16[]", "_", "!1", "!0",
	"!2", "; 1:1", "; 9", "%1 =", "%2", "%3", "%4", "%9", "0x1", "0x0", "const", "template", "param",
	"len", "grid", "block.idx", "block.thread_idx", "subgroup.id", "subgroup.group_size", "add", "sub",
	"mul", "div", "rem", "min", "max", "neg", "fma", "shl", "shr", "clz", "eq", "lt", "select", "cvt",
	"bitcast", "var", "get", "set", "if", "else", "loop", "break", "break_if", "continue", "end", "require",
	"region", "arg", "yield", "pack", "result", "load", "store", "subgroup.elect", "subgroup.shuffle",
	"subgroup.shuffle_xor", "subgroup.broadcast", "subgroup.ballot_first_n", "subgroup.reduce_add",
	"subgroup.inclusive_add", "subgroup.reduce", "subgroup.inclusive_scan", "\"a\"", "\"", "{", "}", "\n",
};
/* clang-format on */
const size_t fuzz_n_words = QD_COUNT(fuzz_words);

/* -- Templates, from the head of the text ---------------------------------------------- */

struct choice {
	struct qd_tmpl tmpl[MAX_TMPLS];
	char name[MAX_TMPLS][64];
	uint32_t n;
};

static void
choose(const char *text, bool high, struct choice *c)
{
	const char *end = strstr(text, "\n{\n");

	c->n = 0;
	for (const char *p = text; c->n < MAX_TMPLS; p++) {
		long long lo, hi;

		p = strstr(p, "\ntemplate \"");
		if (!p || p > end)
			break;
		if (sscanf(p, "\ntemplate \"%63[^\"\\]\" %lld %lld", c->name[c->n], &lo, &hi) != 3)
			continue;
		c->tmpl[c->n] = (struct qd_tmpl){ .name = c->name[c->n], .value = high ? hi : lo };
		c->n++;
	}
}

/* -- A launch ---------------------------------------------------------------------------- */

static bool
has_loop(const char *text)
{
	for (const char *p = strstr(text, "\n{\n"); p && (p = strstr(p, "loop")); p++)
		if (p[-1] == ' ' && strchr(" \n", p[4]))
			return true;
	return false;
}

static void
launch(struct kit *k, const struct qd_kernel *kernel, const struct choice *c)
{
	struct qd_buffer *buf[MAX_PARAMS] = { NULL };
	struct qd_arg args[MAX_PARAMS];
	struct qd_device *dev = NULL;
	struct qd_stream *stream = NULL;
	struct qd_function *fn = NULL;
	uint32_t n = qd_kernel_param_count(kernel);
	uint8_t bytes[8 * N_ELEMENTS];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * i / 5);
	if (qd_device_open(k->ctx, "ref:8", &dev, &k->err) ||
	    qd_stream_create(dev, &stream, &k->err))
		kit_broken("ref:8 does not open", k->err.text);
	for (uint32_t i = 0; i < n && i < MAX_PARAMS; i++) {
		struct qd_param_info p;

		if (qd_kernel_param(kernel, i, &p, &k->err))
			kit_broken("a parameter that is counted is not reported", k->err.text);
		args[i] = (struct qd_arg){ .type = p.type, .bits = 3 + i };
		if (!p.is_buffer)
			continue;
		if (qd_buffer_create(dev, N_ELEMENTS * qd_type_size(p.type), 0, &buf[i], &k->err) ||
		    qd_buffer_upload(stream, buf[i], 0, bytes, N_ELEMENTS * qd_type_size(p.type),
				     &k->err))
			kit_broken("no buffer", k->err.text);
		args[i] = qd_arg_buffer(buf[i]);
	}
	kit_begin(k, "load");
	if (kit_end(k, qd_function_get(dev, kernel, c->tmpl, c->n, &fn, &k->err))) {
		kit_begin(k, "launch");
		if (kit_end(k, qd_launch(stream, fn, 1, args, n, &k->err)))
			kit_end(k, qd_stream_sync(stream, &k->err));
	}
	qd_stream_sync(stream, NULL);
	for (uint32_t i = 0; i < n && i < MAX_PARAMS; i++)
		qd_buffer_free(buf[i]);
	qd_stream_free(stream);
	qd_device_close(dev);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct qd_kernel *kernel = NULL;
	struct choice c;
	struct kit k;

	kit_open(&k);
	kit_begin(&k, "read");
	if (kit_end(&k,
		    qd_kernel_read(k.ctx, (const char *)data, size, "fuzz.ir", &kernel, &k.err))) {
		char *text = kit_print(&k, kernel);

		kit_check_print(&k, kernel);
		for (int high = 0; high < 2; high++) {
			choose(text, high, &c);
			if (high && !c.n)
				break;
			kit_compile(&k, kernel, "spirv:w8", c.tmpl, c.n);
			if (kit_compile(&k, kernel, "ref:w8", c.tmpl, c.n) && !has_loop(text))
				launch(&k, kernel, &c);
		}
		free(text);
	}
	qd_kernel_free(kernel);
	kit_close(&k);
	return 0;
}

size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	return texts_ir(i, (char *)out, cap);
}
