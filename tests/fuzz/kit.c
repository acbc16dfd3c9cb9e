/* Checks for every fuzz target of texts: no crash, no leak, no call that takes a second, a reason
 * for every rejection, and text that reads back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qdgpu/dis.h"
#include "text.h"

#if defined(__SANITIZE_ADDRESS__)
#define SLOWER 6
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOWER 6
#endif
#endif
#ifndef SLOWER
#define SLOWER 1
#endif

enum { LARGE = 8 << 20 };

void
kit_broken(const char *what, const char *detail)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, detail);
	abort();
}

bool
kit_injected(const char *name)
{
	const char *s = getenv("QD_FUZZ_MUTATION");

	return s && strcmp(s, name) == 0;
}

static void
listen(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	(void)user;
	if (level < QD_LOG_ERROR || level > QD_LOG_DEBUG || !component || strlen(msg) != len)
		kit_broken("a message whose length is wrong", msg);
}

void
kit_open(struct kit *k)
{
	memset(k, 0, sizeof *k);
	unit_alloc_init(&k->mem);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.log = listen,
					.allocator = unit_alloc_hooks(&k->mem) };

	if (qd_context_create(&desc, &k->ctx, &k->err))
		kit_broken("no context", k->err.text);
}

void
kit_close(struct kit *k)
{
	char text[64];

	if (kit_injected("leak"))
		unit_alloc_hooks(&k->mem).alloc(&k->mem, 8);
	qd_context_free(k->ctx);
	snprintf(text, sizeof text, "%zu bytes in %zu blocks", k->mem.bytes_out, k->mem.n_out);
	if (k->mem.n_out)
		kit_broken("lost memory", text);
	if (k->mem.wrong_size)
		kit_broken("a block is freed with a size other than its allocation size", "");
	unit_alloc_fini(&k->mem);
}

/* -- One call ------------------------------------------------------------------------- */

/* Returns the process's CPU time, so that other load on the machine does not matter. */
static double
seconds_used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void
kit_begin(struct kit *k, const char *stage)
{
	k->stage = stage;
	memset(&k->err, 0, sizeof k->err);
	k->began = seconds_used();
}

bool
kit_end(struct kit *k, qd_status st)
{
	double used;

	while (kit_injected("slow") && seconds_used() - k->began < SLOWER + 0.1) {
	}
	used = seconds_used() - k->began;
	if (used > SLOWER) {
		char text[64];

		snprintf(text, sizeof text, "%.2f s", used);
		kit_broken(k->stage, text);
	}
	if (st == QD_OK)
		return true;
	if (st != k->err.code)
		kit_broken(k->stage, "the status differs from the code of the error");
	if (st == QD_E_INTERNAL || st == QD_E_NOMEM || st < 0 || st > QD_E_INTERNAL)
		kit_broken(k->stage, k->err.text);
	if (!k->err.text[0] || !memchr(k->err.text, 0, sizeof k->err.text))
		kit_broken(k->stage, "an error without a text");
	return false;
}

bool
kit_is_large(const struct kit *k)
{
	return k->mem.bytes_out > LARGE;
}

char *
kit_print(struct kit *k, const struct qd_kernel *kernel)
{
	size_t len = 0, again = 0;
	char *text;

	kit_begin(k, "print");
	if (!kit_end(k, qd_kernel_print(kernel, NULL, 0, &len, &k->err)) ||
	    !(text = malloc(len + 1)))
		kit_broken("print", k->err.text);
	if (!kit_end(k, qd_kernel_print(kernel, text, len + 1, &again, &k->err)) || len != again ||
	    strlen(text) != len)
		kit_broken("print", "its length differs");
	return text;
}

void
kit_check_print(struct kit *k, const struct qd_kernel *kernel)
{
	char *text = kit_print(k, kernel), *again;
	struct qd_kernel *back = NULL;

	kit_begin(k, "read back");
	if (!kit_end(k, qd_kernel_read(k->ctx, text, strlen(text), "back.ir", &back, &k->err)))
		kit_broken("the printed text is not accepted", k->err.text);
	again = kit_print(k, back);
	if (kit_injected("text"))
		again[strlen(again) / 2] ^= 1;
	if (strcmp(text, again) != 0) {
		fprintf(stderr, "%s\n-- again:\n%s\n", text, again);
		kit_broken("the parsed text prints differently", "");
	}
	qd_kernel_free(back);
	free(again);
	free(text);
}

bool
kit_compile(struct kit *k, const struct qd_kernel *kernel, const char *target,
	    const struct qd_tmpl *tmpl, uint32_t n_tmpl)
{
	struct qd_image *image = NULL;
	size_t size = 0;
	char *text = NULL;
	const void *code;
	bool ok;

	kit_begin(k, target);
	ok = kit_end(k, qd_compile(k->ctx, kernel, target, tmpl, n_tmpl, &image, &k->err));
	if (ok && strncmp(target, "ref", 3) != 0) {
		code = qd_image_data(image, &size);
		kit_begin(k, "disassemble");
		if (!kit_end(k, qd_dis_text(qd_image_target(image), 0, code, size, &text, NULL, &k->err)))
			kit_broken("emitted code is not accepted", k->err.text);
		free(text);
	}
	qd_image_free(image);
	return ok;
}
