/* Replaces run_profile.c and run_ptx.c in a build without emulators: both need them. */
#include "run.h"

static TOOL_NORETURN void
no_emulators(const char *what)
{
	tool_die(EXIT_ENVIRONMENT, "%s: this build has no emulators (-Demu=disabled); build qd with -Demu=enabled", what);
}

void
run_ptx_load(struct session *s, char *text, size_t size)
{
	(void)text, (void)size;
	tool_die(EXIT_ENVIRONMENT, "'%s' is PTX, which runs on the emulators, and this build has none (-Demu=disabled); build qd with -Demu=enabled",
		 s->req->file);
}

void
run_ptx_choose(struct session *s)
{
	(void)s;
}

const char *
run_ptx_device(struct session *s)
{
	(void)s;
	return NULL;
}

void
run_ptx_list(struct session *s)
{
	(void)s;
}

void
run_ptx_free(struct session *s)
{
	(void)s;
}

void
run_latency(struct request *r, const char *text)
{
	(void)r, (void)text;
	no_emulators("--latency");
}

void
run_profile_start(struct session *s)
{
	if (s->req->profile)
		no_emulators("--profile");
}

void
run_profile_text(const struct session *s)
{
	(void)s;
}

void
run_profile_json(const struct session *s)
{
	(void)s;
}
