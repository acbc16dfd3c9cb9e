/* Output of the bring-up steps (bringup.h) in qd-conform. */
#include <string.h>

#include "conform.h"
#include "bringup.h"

struct reporter {
	const char *selector;
	FILE *json;
	bool open; /* the step's JSON object has details */
};

static const char *const states[] = {
	[BRINGUP_OK] = "ok", [BRINGUP_FAILED] = "failed", [BRINGUP_NONE] = "none"
};

static void
begins(void *user, unsigned step, const char *name)
{
	const struct reporter *t = user;

	if (!step)
		report_print("the bring-up steps of %s\n", t->selector);
	report_print("%3u %-10s", step + 1, name);
	if (!t->json)
		return;
	fprintf(t->json, "%s{\"step\":", step ? "," : "");
	tool_json_string(t->json, name);
}

static void
ended(void *user, unsigned step, enum bringup_state state, const char *text)
{
	struct reporter *t = user;

	(void)step;
	report_print("%-7s %s\n", states[state], text);
	if (!t->json)
		return;
	fprintf(t->json, ",\"state\":\"%s\",\"text\":", states[state]);
	tool_json_string(t->json, text);
	if (state == BRINGUP_FAILED)
		fputs(",\"details\":[", t->json);
	else
		fputc('}', t->json);
}

static void
detail(void *user, const char *line)
{
	struct reporter *t = user;

	report_print("        %s\n", line);
	if (!t->json)
		return;
	if (t->open)
		fputc(',', t->json);
	t->open = true;
	tool_json_string(t->json, line);
}

bool
bringup_wanted(const char *selector)
{
	size_t len = strlen("amdgpu");

	return strncmp(selector, "amdgpu", len) == 0 && (!selector[len] || selector[len] == ':');
}

bool
bringup_run(const char *selector, FILE *json)
{
	struct reporter t = { .selector = selector, .json = json };
	struct bringup_listener ears = { begins, ended, detail, &t };
	struct qd_error err;
	bool failed = false;

	if (json)
		fputc('[', json);
	if (bringup_run_steps(selector, &ears, &failed, &err)) {
		tool_report(&err);
		report_error(&err);
		report_close();
		tool_quit(EXIT_ENVIRONMENT);
	}
	if (json)
		fputs(failed ? "]}]" : "]", json);
	if (failed)
		report_print("no case is run: all cases depend on the step that failed\n");
	return !failed;
}

void
bringup_list(void)
{
	const char *name, *what;

	for (unsigned i = 0; bringup_step(i, &name, &what); i++)
		printf("%3u %-10s %s\n", i + 1, name, what);
}
