/* Errors with --json: the messages become the "diagnostics" of the JSON object, which otherwise
 * contains only the exit status. */
#include <stdlib.h>

#include "run.h"

static struct {
	pthread_mutex_t lock;
	struct message {
		char *severity, *text;
	} *v;
	uint32_t n;
	bool begun; /* the object is being written, or was */
} report = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
on_message(const char *severity, const char *text)
{
	pthread_mutex_lock(&report.lock);
	struct message *v = realloc(report.v, (report.n + 1) * sizeof *v);
	struct message m = { strdup(severity), strdup(text) };
	if (v)
		report.v = v;
	if (v && m.severity && m.text) {
		report.v[report.n++] = m;
	} else {
		free(m.severity);
		free(m.text);
	}
	pthread_mutex_unlock(&report.lock);
}

void
report_put(FILE *f, int code)
{
	pthread_mutex_lock(&report.lock);
	report.begun = true;
	fprintf(f, "\"exit\":%d,\"diagnostics\":[", code);
	for (uint32_t i = 0; i < report.n; i++) {
		if (i)
			fputc(',', f);
		diag_object(f, report.v[i].severity, report.v[i].text);
		free(report.v[i].severity);
		free(report.v[i].text);
	}
	fputc(']', f);
	free(report.v);
	report.v = NULL;
	report.n = 0;
	pthread_mutex_unlock(&report.lock);
}

/* Writes the object at most once: an error while it is written cannot be in it. */
static void
on_quit(int code)
{
	pthread_mutex_lock(&report.lock);
	bool begun = report.begun;
	pthread_mutex_unlock(&report.lock);
	if (begun)
		return;
	tool_hold_drop();
	printf("{\"schema\":\"qd.run/1\",");
	report_put(stdout, code);
	printf("}\n");
	fflush(stdout);
}

void
report_start(void)
{
	static const struct tool_listener listener = { on_message, on_quit };
	tool_listen(&listener);
}
