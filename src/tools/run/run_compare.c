/* Comparison of buffers with expected contents; lists the differences. */
#include <stdlib.h>

#include "run.h"

enum { N_REPORTED = 8 }; /* differences to list */

/* A string of limited size. */
struct text {
	char s[1000];
	size_t n;
};

static void QD_PRINTF(2, 3)
add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n = t->n + (size_t)n < sizeof t->s ? t->n + (size_t)n : sizeof t->s - 1;
}

/* Compares a with b. `got` and `want` name the sources of the two in messages. */
static void
compare(struct session *s, const struct value *v, const void *a, const char *got, const void *b,
	const char *want)
{
	qd_type type = v->info.type;
	struct text t = { .n = 0 };
	size_t n = 0;
	if (memcmp(a, b, bytes_of(v)) == 0)
		return;
	for (size_t i = 0; i < v->n; i++) {
		uint64_t x = value_get(a, type, i), y = value_get(b, type, i);
		char x_text[VALUE_TEXT], y_text[VALUE_TEXT];
		if (value_same(type, x, y) || n++ >= N_REPORTED)
			continue;
		value_format(type, x, x_text);
		value_format(type, y, y_text);
		add(&t, "\n  %s[%zu]: %s %s, %s %s", v->info.name, i, got, x_text, want, y_text);
	}
	if (!n)
		return;
	if (n > N_REPORTED)
		add(&t, "\n  and %zu more", n - N_REPORTED);
	tool_message("error", "'%s' differs in %zu of %zu elements%s", v->info.name, n, v->n, t.s);
	s->code = EXIT_INPUT;
}

void
run_expect(struct session *s)
{
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		struct fill *want = &v->expect;
		char name[300];
		if (!v->is_expected)
			continue;
		if (!want->counted)
			want->n = v->n;
		if (want->n != v->n) {
			tool_message("error", "'%s' has %zu element%s, --expect has %zu",
				     v->info.name, v->n, v->n == 1 ? "" : "s", want->n);
			s->code = EXIT_INPUT;
			continue;
		}
		snprintf(name, sizeof name, "--expect %s", v->info.name);
		void *memory = fill_make(name, v->info.type, want);
		compare(s, v, v->last, "got", memory, "want");
		free(memory);
	}
}

void
run_check(struct session *s)
{
	struct place ref = { .dev = NULL };
	char selector[32], got[80], want[48];
	snprintf(selector, sizeof selector, "ref:%u", s->place.fn_info.subgroup_size);
	snprintf(got, sizeof got, "%s gives", s->place.info.selector);
	snprintf(want, sizeof want, "%s", selector);
	place_open(s, selector, &ref);
	place_fill(s, &ref);
	place_launch(s, &ref);
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		if (!is_output(v))
			continue;
		void *memory = malloc(v->n ? bytes_of(v) : 1);
		if (!memory)
			tool_die(EXIT_ENVIRONMENT, "%s: out of memory (%zu bytes)", v->info.name,
				 bytes_of(v));
		place_read(s, &ref, i, memory);
		compare(s, v, v->last, got, memory, want);
		free(memory);
	}
	place_close(&ref);
}
