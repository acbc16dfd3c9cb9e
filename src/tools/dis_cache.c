/* Entries of the disk cache: what each was made of, and what the driver made. */
#include "dis_cache.h"

#include <time.h>

#include "dis_device.h"
#include "disk_entry.h"

bool
dis_is_cache(const struct dis *s)
{
	return s->size >= sizeof entry_magic && memcmp(s->data, entry_magic, sizeof entry_magic) == 0;
}

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

void
dis_cache(struct dis *s)
{
	FILE *f = s->out.file;
	struct entry e;
	uint32_t emitter[2];
	const char *wrong = entry_read(s->data, s->size, &e);

	if (wrong)
		tool_die(EXIT_INPUT, "'%s': %s", s->req->file, wrong);
	memcpy(emitter, e.field[FIELD_EMITTER].at, sizeof emitter);
	fprintf(f, "; %s: an entry of the disk cache, %s of kernel ", s->req->file,
		e.head.kind == DISK_CUBIN ? "a cubin" : "a pipeline");
	dis_put_name(s, text_of(&e, FIELD_KERNEL));
	fputs("\n; target ", f);
	dis_put_name(s, text_of(&e, FIELD_TARGET));
	fprintf(f, ", emitter %u of back end %u\n", emitter[1], emitter[0]);
	put_values(s, &e);
	fputs("; driver ", f);
	dis_put_name(s, text_of(&e, FIELD_DRIVER));
	fputs(", ", f);
	dis_put_name(s, text_of(&e, FIELD_VERSION));
	fputs("\n; device ", f);
	dis_put_name(s, text_of(&e, FIELD_DEVICE));
	fputc('\n', f);
	put_time(s, e.head.created);
	fprintf(f, "; %llu bytes of the driver's, a log of %u\n", (unsigned long long)e.head.payload_size,
		e.head.log_size);
	s->n_shown++;
	if (e.head.kind == DISK_CUBIN && dis_is_cubin_in(e.payload, e.head.payload_size))
		dis_cubin_at(s, s->req->file, e.payload, (size_t)e.head.payload_size);
}
