/* Entries of the disk cache: the key of each, and the output of the driver. */
#include "dis_cache.h"

#include <stdlib.h>
#include <time.h>

#include "dis_device.h"
#include "disk_entry.h"

static const char *
text_of(const struct entry *e, enum disk_field field)
{
	return (const char *)e->field[field].at;
}

static void
put_values(struct dis *s, const struct entry *e)
{
	uint32_t n = e->field[FIELD_TEMPLATES].size / 4;

	if (!n)
		return;
	fputs("; template values:", s->out.file);
	for (uint32_t i = 0; i < n; i++) {
		int32_t v;
		memcpy(&v, e->field[FIELD_TEMPLATES].at + i * sizeof v, sizeof v);
		fprintf(s->out.file, " %d", v);
	}
	fputc('\n', s->out.file);
}

static void
put_time(struct dis *s, uint64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;
	char text[32];

	if (gmtime_r(&t, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
		fprintf(s->out.file, "; made %s\n", text);
}

static uint32_t
opt_of(const struct entry *e)
{
	struct isa_meta m;

	memcpy(&m, e->field[FIELD_META].at, sizeof m);
	return m.opt_below < OPT_FULL ? OPT_FULL - m.opt_below : 0;
}

/* Prints the log of the driver's compiler. */
static void
put_log(struct dis *s, const struct entry *e)
{
	const char *text = (const char *)e->log, *end = text + e->head.log_size;
	char line[512];

	while (text < end && *text) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)((eol ? eol : end) - text);
		snprintf(line, sizeof line, "%.*s", (int)(len < sizeof line ? len : sizeof line - 1), text);
		fputs(";   ", s->out.file);
		dis_put_name(s, line);
		fputc('\n', s->out.file);
		text = eol ? eol + 1 : end;
	}
}

static const char *
made_name(const struct entry *e)
{
	return e->head.kind == DISK_CUBIN ? "cubin" : "pipeline";
}

static void
put_text(struct dis *s, const struct entry *e, const uint32_t emitter[2])
{
	FILE *f = s->out.file;

	fprintf(f, "; %s: an entry of the disk cache, a %s of kernel ", s->req->file, made_name(e));
	dis_put_name(s, text_of(e, FIELD_KERNEL));
	fputs("\n; target ", f);
	dis_put_name(s, text_of(e, FIELD_TARGET));
	fprintf(f, ", emitter %u of back end %u", emitter[1], emitter[0]);
	if (opt_of(e) != OPT_FULL)
		fprintf(f, ", optimization level %u", opt_of(e));
	fputc('\n', f);
	put_values(s, e);
	fputs("; driver ", f);
	dis_put_name(s, text_of(e, FIELD_DRIVER));
	fputs(", ", f);
	dis_put_name(s, text_of(e, FIELD_VERSION));
	fputs("\n; device ", f);
	dis_put_name(s, text_of(e, FIELD_DEVICE));
	fputc('\n', f);
	put_time(s, e->head.created);
	fprintf(f, "; %llu bytes of the driver's, a log of %u\n", (unsigned long long)e->head.payload_size,
		e->head.log_size);
	put_log(s, e);
}

static void
put_json(struct dis *s, const struct entry *e, const uint32_t emitter[2])
{
	static const struct {
		const char *key;
		enum disk_field field;
	} texts[] = { { "kernel", FIELD_KERNEL }, { "target", FIELD_TARGET }, { "driver", FIELD_DRIVER },
		      { "version", FIELD_VERSION }, { "device", FIELD_DEVICE } };
	FILE *f = s->out.file;

	fputs("{\"file\":", f);
	tool_json_string(f, s->req->file);
	fprintf(f, ",\"kind\":\"%s\"", made_name(e));
	for (size_t i = 0; i < QD_COUNT(texts); i++) {
		fprintf(f, ",\"%s\":", texts[i].key);
		tool_json_string(f, text_of(e, texts[i].field));
	}
	fprintf(f, ",\"back_end\":%u,\"emitter\":%u,\"opt\":%u,\"values\":[", emitter[0], emitter[1],
		opt_of(e));
	for (uint32_t i = 0; i < e->field[FIELD_TEMPLATES].size / 4; i++) {
		int32_t v;
		memcpy(&v, e->field[FIELD_TEMPLATES].at + i * sizeof v, sizeof v);
		fprintf(f, "%s%d", i ? "," : "", v);
	}
	fprintf(f, "],\"created\":\"%llu\",\"bytes\":\"%llu\",\"log\":", (unsigned long long)e->head.created,
		(unsigned long long)e->head.payload_size);
	char *log = strndup((const char *)e->log, e->head.log_size);
	if (!log)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	tool_json_string(f, log);
	free(log);
	fputc('}', f);
	s->n_files++;
}

void
dis_cache(struct dis *s)
{
	struct entry e;
	uint32_t emitter[2];
	const char *wrong = entry_read(s->data, s->size, &e);

	if (wrong)
		tool_die(EXIT_INPUT, "'%s': %s", s->req->file, wrong);
	memcpy(emitter, e.field[FIELD_EMITTER].at, sizeof emitter);
	(s->req->view == DIS_JSON ? put_json : put_text)(s, &e, emitter);
	s->n_shown++;
	if (e.head.kind == DISK_CUBIN && dis_is_cubin_in(e.payload, e.head.payload_size))
		dis_cubin_at(s, s->req->file, NULL, e.payload, (size_t)e.head.payload_size);
}
