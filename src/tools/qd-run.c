/* qd-run: one kernel of a .qdk file on a device, from the shell. */
#include <stdlib.h>

#include "ir.h"
#include "value.h"

enum { OPT_KERNEL, OPT_DEVICE, OPT_SET, OPT_GRID, OPT_JSON, OPT_TIME,
       OPT_TIMEOUT };
static const struct tool_option options[] = {
	[OPT_KERNEL] = { 'k', "kernel", "NAME", "the kernel, where the file has several" },
	[OPT_DEVICE] = { 'd', "device", "DEVICE",
			 "vulkan[:N|:name], ref:N, each with an optional :wN for the subgroup "
			 "size (default: QD_DEVICE, else the best there is)" },
	[OPT_SET] = { 'D', "set", "NAME=VALUE",
		      "a template value: an integer or a type; may be repeated" },
	[OPT_GRID] = { 'g', "grid", "N",
		       "number of blocks; needed by a kernel without a grid loop (default: what "
		       "the loop counts)" },
	[OPT_JSON] = { 0, "json", NULL, "one JSON object, schema qd.run/1" },
	[OPT_TIME] = { 0, "time", NULL,
		       "print how long compiling and loading, and the launch, took" },
	[OPT_TIMEOUT] = { 0, "timeout", "SECONDS",
			  "give up, with exit status 1 and nothing printed, where the launch is "
			  "not done by then (default: wait)" },
};

static const struct tool tool = {
	.name = "qd-run",
	.usage = "FILE.qdk [OPTION]... PARAM=VALUE...",
	.about = "Runs a kernel and prints the buffers that it writes, one line each. FILE may "
		 "be - for the standard input.",
	.options = options,
	.n_options = QD_COUNT(options),
	.operands = "Each parameter takes a value:\n"
		    "  n=40                    a scalar: a number of the parameter's type\n"
		    "  a=iota:N                a buffer of N elements 0, 1, ..., N-1\n"
		    "  a=zero:N                N zeros\n"
		    "  a=rand:N:SEED           N random numbers, the same everywhere (PCG32)\n"
		    "  a=1,2,3                 these\n"
		    "  a=@FILE                 the bytes of a file, little-endian\n"
		    "\n"
		    "Exit status: 0 success, 1 the kernel is wrong, or the device found it doing\n"
		    "wrong, or it took longer than --timeout, 2 the command line is wrong, 3 no\n"
		    "device or file, 4 a bug of qd.\n"
		    "\n"
		    "On ref a thread may make QD_REF_STEPS operations in a launch (default\n"
		    "100000000); a loop that goes on is reported with its place.\n",
	.examples = {
		"qd-run sum.qdk src=iota:64 dst=zero:2",
		"qd-run -d ref:32 -k tile_sum -D T=f32 -D L=5 k.qdk src=rand:96:1 dst=zero:96",
		"qd-run -d vulkan:0:w16 --grid=4 --json k.qdk out=zero:256",
	},
};

struct request {
	const char *file, *kernel, *device;
	struct tmpl_list tmpl;
	uint32_t grid, timeout;
	bool json, time;
	const char *values[MAX_PARAM]; /* PARAM=VALUE as given */
	uint32_t n_values;
};

/* One parameter's value. */
struct value {
	struct qd_param_info info;
	uint64_t bits; /* of a scalar */
	void *memory;  /* of a buffer, here */
	size_t n;
	struct qd_buffer *buffer; /* and there */
};

struct session {
	struct request *req;
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_kernel *kernel;
	struct qd_device *dev;
	struct qd_function *fn;
	struct qd_stream *stream;
	struct value value[MAX_PARAM];
	uint32_t n_params;
	uint64_t get_ns, launch_ns;
	int code;	   /* to exit with */
	struct qd_error finding; /* code QD_OK: none */
};

static void
parse_arguments(int argc, char **argv, struct request *r)
{
	struct tool_args args;
	const char *v;
	int i;
	tool_start(&args, &tool, argc, argv);
	while ((i = tool_next(&args, &v)) != TOOL_END) {
		switch (i) {
		case OPT_KERNEL: r->kernel = v; break;
		case OPT_DEVICE: r->device = v; break;
		case OPT_SET: tmpl_add(&r->tmpl, v); break;
		case OPT_GRID: r->grid = (uint32_t)tool_number("--grid", v, 0, QD_GRID - 1); break;
		case OPT_JSON: r->json = true; break;
		case OPT_TIME: r->time = true; break;
		case OPT_TIMEOUT:
			r->timeout = (uint32_t)tool_number("--timeout", v, 1, 1000000);
			break;
		default:
			if (!r->file) {
				r->file = v;
			} else if (!strchr(v, '=')) {
				tool_usage("'%s' is no PARAM=VALUE; one file at a time", v);
			} else if (r->n_values == MAX_PARAM) {
				tool_usage("more than %d parameters", MAX_PARAM);
			} else {
				r->values[r->n_values++] = v;
			}
		}
	}
	if (!r->file)
		tool_usage("which .qdk file?");
}

/* -- The kernel ---------------------------------------------------------------- */

static const char *
kernel_name(void *user, uint32_t i)
{
	return qd_module_kernel_name(user, i);
}

static uint32_t
choose_kernel(const struct session *s)
{
	const struct qd_module *m = s->module;
	uint32_t n = qd_module_kernel_count(m);
	const char *want = s->req->kernel;
	if (n == 0)
		tool_die(EXIT_INPUT, "'%s' has no kernel", s->req->file);
	if (n == 1 && !want)
		return 0;
	for (uint32_t i = 0; want && i < n; i++) {
		if (strcmp(qd_module_kernel_name(m, i), want) == 0)
			return i;
	}
	char list[512] = "";
	size_t len = 0;
	for (uint32_t i = 0; i < n && len < sizeof list; i++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "",
					qd_module_kernel_name(m, i));
	if (!want)
		tool_usage("'%s' has %u kernels, choose one with -k: %s", s->req->file, n, list);
	const char *close = tool_closest(want, kernel_name, s->module, n);
	if (close)
		tool_usage("'%s' has no kernel '%s'; did you mean '%s'?", s->req->file, want,
			   close);
	tool_usage("'%s' has no kernel '%s'; it has %s", s->req->file, want, list);
}

static void
load_kernel(struct session *s)
{
	struct qd_error e;
	size_t size;
	char *text = tool_read(s->req->file, &size);
	s->ctx = tool_context();
	if (qd_module_parse(s->ctx, text, size, s->req->file, &s->module, &e))
		tool_fail(&e);
	free(text);
	uint32_t i = choose_kernel(s);
	struct qd_tmpl tmpl[QD_COUNT(s->req->tmpl.v)];
	uint32_t n = tmpl_choose(&s->req->tmpl, s->module, i, true, tmpl);
	tmpl_check_used(&s->req->tmpl);
	if (qd_module_kernel(s->module, qd_module_kernel_name(s->module, i), tmpl, n, &s->kernel,
			     &e))
		tool_fail(&e);
	if (!s->kernel->grid && s->req->grid == QD_GRID)
		tool_usage("kernel '%s' has no grid loop to count its blocks; give their number "
			   "with --grid=N",
			   qd_kernel_name(s->kernel));
}

/* -- Parameters ------------------------------------------------------------------ */

static const char *
param_name(void *user, uint32_t i)
{
	return ((struct session *)user)->value[i].info.name;
}

static uint32_t
find_param(struct session *s, const char *text)
{
	char name[256];
	size_t len = strcspn(text, "=");
	snprintf(name, sizeof name, "%.*s", (int)(len < 255 ? len : 255), text);
	for (uint32_t i = 0; i < s->n_params; i++) {
		if (strcmp(s->value[i].info.name, name) == 0)
			return i;
	}
	const char *close = tool_closest(name, param_name, s, s->n_params);
	const char *kernel = qd_kernel_name(s->kernel);
	if (close)
		tool_usage("kernel '%s' has no parameter '%s'; did you mean '%s'?", kernel, name,
			   close);
	tool_usage("kernel '%s' has no parameter '%s'", kernel, name);
}

static void
read_params(struct session *s)
{
	const char *text[MAX_PARAM] = { NULL };
	s->n_params = qd_kernel_param_count(s->kernel);
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct qd_error e;
		if (qd_kernel_param(s->kernel, i, &s->value[i].info, &e))
			tool_fail(&e);
	}
	for (uint32_t j = 0; j < s->req->n_values; j++) {
		uint32_t i = find_param(s, s->req->values[j]);
		if (text[i])
			tool_usage("parameter '%s' is given twice", s->value[i].info.name);
		text[i] = strchr(s->req->values[j], '=') + 1;
	}
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		const char *type = qd_type_name(v->info.type);
		if (!text[i])
			tool_usage("kernel '%s' needs %s=VALUE, a %s%s", qd_kernel_name(s->kernel),
				   v->info.name, v->info.is_buffer ? "buffer of " : "", type);
		if (v->info.is_buffer) {
			v->memory = value_fill(v->info.name, v->info.type, text[i], &v->n);
			continue;
		}
		const char *wrong = value_parse(v->info.type, text[i], strlen(text[i]), &v->bits);
		if (wrong)
			tool_usage("%s: '%s' %s (%s)", v->info.name, text[i], wrong, type);
	}
}

/* -- The device -------------------------------------------------------------------- */

static size_t
bytes_of(const struct value *v)
{
	return v->n * qd_type_size(v->info.type);
}

static void
open_device(struct session *s)
{
	struct qd_error e;
	qd_status st = qd_device_open(s->ctx, s->req->device, &s->dev, &e);
	if (st) {
		int code = tool_report(&e);
		if (st == QD_E_INVALID)
			exit(EXIT_USAGE);
		if (code != EXIT_ENVIRONMENT && st != QD_E_NOT_FOUND)
			exit(code);
		if (!strstr(e.text, "ref:32"))
			tool_message("note", "-d ref:32 runs on any machine");
		exit(EXIT_ENVIRONMENT);
	}
	struct qd_tmpl tmpl[MAX_TMPL];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->req->tmpl.n; i++) {
		/* The others have been resolved by the parser. */
		const struct qd_tmpl *t = &s->req->tmpl.v[i];
		if (kernel_find_tmpl(s->kernel, t->name) < s->kernel->n_tmpls)
			tmpl[n++] = *t;
	}
	uint64_t start = clock_ns();
	if (qd_function_get(s->dev, s->kernel, tmpl, n, &s->fn, &e) ||
	    qd_stream_create(s->dev, &s->stream, &e))
		tool_fail(&e);
	s->get_ns = clock_ns() - start;
}

static void
upload(struct session *s)
{
	struct qd_error e;
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		if (v->info.is_buffer &&
		    (qd_buffer_create(s->dev, bytes_of(v), 0, &v->buffer, &e) ||
		     qd_buffer_upload(s->stream, v->buffer, 0, v->memory, bytes_of(v), &e)))
			tool_fail(&e);
	}
}

/* A finding does not end the program: what was computed is printed. */
static void
note_result(struct session *s, qd_status st, const struct qd_error *e)
{
	if (st == QD_OK)
		return;
	if (st != QD_E_FINDING)
		tool_fail(e);
	s->code = tool_report(e);
	s->finding = *e;
}

static void
launch(struct session *s)
{
	struct qd_error e = { 0 };
	struct qd_arg args[MAX_PARAM];
	struct qd_event *from = NULL, *to = NULL;
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		args[i] = v->buffer ? qd_arg_buffer(v->buffer)
				    : (struct qd_arg){ .type = v->info.type, .bits = v->bits };
	}
	if (qd_stream_sync(s->stream, &e) ||
	    (s->req->time &&
	     (qd_event_create(s->dev, &from, &e) || qd_event_create(s->dev, &to, &e) ||
	      qd_event_record(s->stream, from, &e))))
		tool_fail(&e);
	if (s->req->timeout)
		tool_limit_start("the launch", s->req->timeout);
	note_result(s, qd_launch(s->stream, s->fn, s->req->grid, args, s->n_params, &e), &e);
	if (s->req->time && qd_event_record(s->stream, to, &e))
		tool_fail(&e);
	note_result(s, qd_stream_sync(s->stream, &e), &e);
	tool_limit_end();
	if (s->req->time && qd_event_elapsed(from, to, &s->launch_ns, &e))
		tool_fail(&e);
	qd_event_free(from);
	qd_event_free(to);
}

static bool
is_output(const struct value *v)
{
	return v->info.is_buffer && (v->info.access & QD_ACCESS_OUT);
}

static void
download(struct session *s)
{
	struct qd_error e;
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		if (is_output(v) &&
		    qd_buffer_download(s->stream, v->buffer, 0, v->memory, bytes_of(v), &e))
			tool_fail(&e);
	}
}

/* -- Results ----------------------------------------------------------------------- */

static void
print_text(const struct session *s)
{
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		if (!is_output(v))
			continue;
		printf("%s:", v->info.name);
		for (size_t j = 0; j < v->n; j++) {
			char text[40];
			value_format(v->info.type, value_get(v->memory, v->info.type, j), text);
			printf(" %s", text);
		}
		putchar('\n');
	}
	if (s->req->time)
		fprintf(stderr, "time: compile and load %.3f ms, launch %.3f ms\n",
			(double)s->get_ns / 1e6, (double)s->launch_ns / 1e6);
}

static void
print_json(const struct session *s)
{
	struct qd_device_info device;
	struct qd_function_info fn;
	struct qd_error e;
	if (qd_device_info(s->dev, &device, &e) || qd_function_info(s->fn, &fn, &e))
		tool_fail(&e);
	printf("{\"schema\":\"qd.run/1\",\"kernel\":");
	tool_json_string(stdout, qd_kernel_name(s->kernel));
	printf(",\"device\":");
	tool_json_string(stdout, device.selector);
	printf(",\"device_name\":");
	tool_json_string(stdout, device.name);
	printf(",\"subgroup_size\":%u,\"block_dim\":%u,\"buffers\":[", fn.subgroup_size,
	       fn.block_dim);
	const char *comma = "";
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		if (!is_output(v))
			continue;
		printf("%s{\"name\":", comma);
		tool_json_string(stdout, v->info.name);
		printf(",\"type\":\"%s\",\"values\":[", qd_type_name(v->info.type));
		for (size_t j = 0; j < v->n; j++) {
			if (j)
				putchar(',');
			value_json(stdout, v->info.type, value_get(v->memory, v->info.type, j));
		}
		printf("]}");
		comma = ",";
	}
	printf("],\"status\":\"%s\",\"finding\":", qd_status_name(s->finding.code));
	if (s->finding.code)
		tool_json_string(stdout, s->finding.text);
	else
		printf("null");
	if (s->req->time)
		printf(",\"get_ns\":\"%llu\",\"launch_ns\":\"%llu\"", (unsigned long long)s->get_ns,
		       (unsigned long long)s->launch_ns);
	printf("}\n");
}

static void
close_all(struct session *s)
{
	for (uint32_t i = 0; i < s->n_params; i++) {
		qd_buffer_free(s->value[i].buffer);
		free(s->value[i].memory);
	}
	qd_function_free(s->fn);
	qd_stream_free(s->stream);
	qd_device_close(s->dev);
	qd_kernel_free(s->kernel);
	qd_module_free(s->module);
	qd_context_free(s->ctx);
	for (uint32_t i = 0; i < s->req->tmpl.n; i++)
		free((void *)(uintptr_t)s->req->tmpl.v[i].name);
}

int
main(int argc, char **argv)
{
	struct request req = { .grid = QD_GRID };
	struct session s = { .req = &req };
	parse_arguments(argc, argv, &req);
	load_kernel(&s);
	read_params(&s);
	open_device(&s);
	upload(&s);
	launch(&s);
	download(&s);
	if (req.json)
		print_json(&s);
	else
		print_text(&s);
	close_all(&s);
	return tool_finish(s.code);
}
