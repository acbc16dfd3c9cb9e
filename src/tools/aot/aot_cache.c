/* qd-aot cache: the disk cache of driver output. */
#include "aot.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "disk.h"

struct walking {
	const struct aot_request *r;
	uint32_t n, n_wrong;
};

static void
put_time(int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;
	char text[32];

	if (gmtime_r(&t, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &tm))
		fputs(text, stdout);
}

static const char *
kind_name(enum disk_kind kind)
{
	return kind == DISK_CUBIN ? "cubin" : "pipeline";
}

static void
json_item(const struct disk_item *i, bool first)
{
	printf("%s{\"file\":", first ? "" : ",");
	tool_json_string(stdout, i->file);
	printf(",\"size\":\"%llu\",\"used\":\"%lld\"", (unsigned long long)i->size, (long long)i->used);
	if (i->wrong) {
		printf(",\"wrong\":");
		tool_json_string(stdout, i->wrong);
	} else {
		printf(",\"kind\":\"%s\",\"kernel\":", kind_name(i->kind));
		tool_json_string(stdout, i->kernel);
		printf(",\"target\":");
		tool_json_string(stdout, i->target);
		printf(",\"driver\":");
		tool_json_string(stdout, i->driver);
		printf(",\"version\":");
		tool_json_string(stdout, i->version);
		printf(",\"device\":");
		tool_json_string(stdout, i->device);
		printf(",\"created\":\"%lld\"", (long long)i->created);
	}
	putchar('}');
}

static bool
list_item(void *user, const struct disk_item *i)
{
	struct walking *w = user;

	w->n_wrong += i->wrong != NULL;
	if (w->r->json) {
		json_item(i, w->n == 0);
	} else if (i->wrong) {
		printf("%s  damaged: %s\n", i->file, i->wrong);
	} else {
		printf("%-20s %-8s %-16s %s %s, %s, used ", i->kernel, kind_name(i->kind), i->target, i->driver,
		       i->version, i->device);
		put_time(i->used);
		printf(", %llu bytes\n", (unsigned long long)i->size);
	}
	w->n++;
	return false;
}

static bool
verify_item(void *user, const struct disk_item *i)
{
	struct walking *w = user;

	w->n++;
	if (!i->wrong)
		return false;
	if (w->r->json)
		json_item(i, w->n_wrong == 0);
	else
		printf("%s: %s; removed\n", i->file, i->wrong);
	w->n_wrong++;
	return true;
}

/* -- Actions ----------------------------------------------------------------------------------- */

static int
list(struct disk_dir *d, const struct aot_request *r)
{
	struct walking w = { .r = r };
	struct qd_error e;

	if (r->json)
		printf("{\"schema\":\"qd.cache/1\",\"entries\":[");
	if (d->fd >= 0 && disk_each(d, list_item, &w, &e))
		tool_fail(&e);
	if (r->json)
		printf("]}\n");
	else
		printf("%u entries in %s\n", w.n, d->path);
	return EXIT_OK;
}

static int
verify(struct disk_dir *d, const struct aot_request *r)
{
	struct walking w = { .r = r };
	struct qd_error e;

	if (r->json)
		printf("{\"schema\":\"qd.cache-verify/1\",\"wrong\":[");
	if (d->fd >= 0 && disk_each(d, verify_item, &w, &e))
		tool_fail(&e);
	if (r->json)
		printf("],\"entries\":%u}\n", w.n);
	else
		printf("%u entries, %u damaged and removed\n", w.n, w.n_wrong);
	return w.n_wrong ? EXIT_INPUT : EXIT_OK;
}

static int
show_total(const struct aot_request *r, const struct disk_dir *d, const struct disk_total *t, const char *what)
{
	if (r->json)
		printf("{\"schema\":\"qd.cache-stat/1\",\"entries\":\"%llu\",\"bytes\":\"%llu\",\"index_bytes\":\"%llu\","
		       "\"temporaries\":\"%llu\"}\n",
		       (unsigned long long)t->entries, (unsigned long long)t->bytes,
		       (unsigned long long)t->index_bytes, (unsigned long long)t->temporaries);
	else
		printf("%s%s: %llu entries, %llu bytes; index %llu bytes; %llu unfinished\n", what, d->path,
		       (unsigned long long)t->entries, (unsigned long long)t->bytes,
		       (unsigned long long)t->index_bytes, (unsigned long long)t->temporaries);
	return EXIT_OK;
}

static int
stat_all(struct disk_dir *d, const struct aot_request *r)
{
	struct disk_total t = { 0 };
	struct qd_error e;

	if (d->fd >= 0 && disk_total(d, &t, &e))
		tool_fail(&e);
	return show_total(r, d, &t, "");
}

static int
clear(struct disk_dir *d, const struct aot_request *r)
{
	struct disk_total gone = { 0 };
	struct qd_error e;

	if (d->fd >= 0 && disk_clear(d, &gone, &e))
		tool_fail(&e);
	return show_total(r, d, &gone, "removed from ");
}

static const struct {
	const char *name;
	int (*run)(struct disk_dir *d, const struct aot_request *r);
} actions[] = { { "stat", stat_all }, { "list", list }, { "clear", clear }, { "verify", verify } };

static const char *
action_name(void *user, uint32_t i)
{
	(void)user;
	return actions[i].name;
}

/* If the default directory does not exist, fd is -1 and the cache is empty. */
static void
open_folder(struct disk_dir *d, struct qd_context *ctx, const char *dir)
{
	struct qd_error e;

	if (disk_dir_open(d, &ctx->pool, dir, false, false, &e) == QD_OK)
		return;
	if (dir || !*d->path || access(d->path, F_OK) == 0 || errno != ENOENT)
		tool_fail(&e);
	tool_message("note", "'%s' does not exist; nothing has been stored yet", d->path);
}

int
aot_cache(struct qd_context *ctx, const struct aot_request *r)
{
	const char *word = r->files.v[0];
	struct disk_dir d;

	if (r->files.n != 1)
		tool_usage("cache takes one of stat, list, clear and verify");
	for (size_t i = 0; i < QD_COUNT(actions); i++) {
		if (strcmp(actions[i].name, word) != 0)
			continue;
		open_folder(&d, ctx, r->dir);
		int code = actions[i].run(&d, r);
		disk_dir_close(&d);
		return code;
	}
	const char *close = tool_closest(word, action_name, NULL, QD_COUNT(actions));
	if (close)
		tool_usage("cache has no '%s'; did you mean '%s'?", word, close);
	tool_usage("cache has no '%s'; it takes stat, list, clear and verify", word);
}
