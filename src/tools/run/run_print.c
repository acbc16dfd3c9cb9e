/* Output of buffers as text lines, JSON arrays and files. */
#include <stdlib.h>
#include <unistd.h>

#include "npy.h"
#include "run.h"

/* -- Buffered text: a C library call per element would dominate the time --------------- */

struct writer {
	char text[1 << 16];
	size_t n;
	struct progress progress;
	uint64_t done; /* elements */
};

static void
flush(struct writer *w)
{
	fwrite(w->text, 1, w->n, stdout);
	w->n = 0;
	progress_at(&w->progress, w->done);
}

/* Writes the elements, each after a blank, or in JSON separated by commas. */
static void
put_elements(struct writer *w, const struct value *v, bool json)
{
	for (size_t i = 0; i < v->n; i++) {
		uint64_t bits = value_get(v->last, v->info.type, i);
		if (w->n + VALUE_TEXT + 1 > sizeof w->text)
			flush(w);
		if (!json || i)
			w->text[w->n++] = json ? ',' : ' ';
		w->n += (size_t)(json ? value_json(v->info.type, bits, w->text + w->n)
				      : value_format(v->info.type, bits, w->text + w->n));
		w->done++;
	}
	flush(w);
}

static bool
is_printed(const struct value *v)
{
	return is_output(v) && !v->file;
}

static struct writer *
writer_new(const struct session *s)
{
	struct writer *w = calloc(1, sizeof *w);
	uint64_t n = 0;
	if (!w)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < s->n_params; i++)
		n += is_printed(&s->value[i]) ? s->value[i].n : 0;
	progress_start(&w->progress, "elements", n);
	w->progress.on &= !isatty(STDOUT_FILENO); /* the elements themselves show it */
	return w;
}

static void
writer_free(struct writer *w)
{
	progress_end(&w->progress);
	free(w);
}

void
run_print_text(const struct session *s)
{
	struct writer *w = writer_new(s);
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		/* The standard output contains only the file's bytes. */
		if (v->file && strcmp(v->file, "-") == 0) {
			writer_free(w);
			return;
		}
	}
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		if (!is_printed(v))
			continue;
		printf("%s:", v->info.name);
		put_elements(w, v, false);
		putchar('\n');
	}
	writer_free(w);
}

/* -- JSON ------------------------------------------------------------------------------ */

static void
print_buffers(const struct session *s)
{
	struct writer *w = writer_new(s);
	const char *comma = "";
	printf(",\"buffers\":[");
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		if (!is_output(v) && !v->file)
			continue;
		printf("%s{\"name\":", comma);
		tool_json_string(stdout, v->info.name);
		printf(",\"type\":\"%s\",", qd_type_name(v->info.type));
		if (v->file) {
			printf("\"elements\":%zu,\"file\":", v->n);
			tool_json_string(stdout, v->file);
		} else {
			printf("\"values\":[");
			put_elements(w, v, true);
			putchar(']');
		}
		putchar('}');
		comma = ",";
	}
	putchar(']');
	writer_free(w);
}

void
run_print_json(const struct session *s)
{
	const struct times *t = &s->times;
	printf("{\"schema\":\"qd.run/1\",\"kernel\":");
	tool_json_string(stdout, s->name);
	printf(",\"device\":");
	tool_json_string(stdout, s->place.info.selector);
	printf(",\"device_name\":");
	tool_json_string(stdout, s->place.info.name);
	printf(",\"subgroup_size\":%u,\"block_dim\":%u", s->place.fn_info.subgroup_size,
	       s->place.fn_info.block_dim);
	print_buffers(s);
	printf(",\"status\":\"%s\",\"finding\":", qd_status_name(s->finding.code));
	if (s->finding.code)
		tool_json_string(stdout, s->finding.text);
	else
		printf("null");
	if (s->req->time)
		printf(",\"get_ns\":\"%llu\",\"launch_ns\":\"%llu\"", (unsigned long long)s->get_ns,
		       (unsigned long long)t->median);
	if (s->req->repeat)
		printf(",\"launches\":%u,\"median_ns\":\"%llu\",\"least_ns\":\"%llu\","
		       "\"bytes\":\"%llu\"",
		       t->n, (unsigned long long)t->median, (unsigned long long)t->least,
		       (unsigned long long)t->bytes);
	if (s->req->repeat || s->req->time)
		printf(",\"clock\":\"%s\"", t->by_device ? "device" : "host");
	run_profile_json(s);
	putchar(',');
	report_put(stdout, s->code);
	printf("}\n");
}

/* -- Files -------------------------------------------------------------------------------- */

void
run_write_files(const struct session *s)
{
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		struct tool_output out;
		char header[NPY_HEADER];
		if (!v->file)
			continue;
		size_t len = strlen(v->file);
		bool npy = len > 4 && strcmp(v->file + len - 4, ".npy") == 0;
		tool_output_open(&out, v->file, true, false);
		if (npy)
			fwrite(header, 1, npy_header(v->info.type, v->n, header), out.file);
		fwrite(is_output(v) ? v->last : v->first, 1, bytes_of(v), out.file);
		tool_output_close(&out);
	}
}
