/* AMD code as JSON: one object, one record per instruction. */
#include "dis_gcn.h"

static void
put_len(FILE *f, const char *text, size_t len)
{
	char copy[GCN_TEXT_SIZE];

	snprintf(copy, sizeof copy, "%.*s", (int)len, text);
	tool_json_string(f, copy);
}

/* An operand ends at a comma or a blank outside of brackets. */
static size_t
operand_length(const char *text)
{
	int depth = 0;
	size_t i = 0;

	for (; text[i]; i++) {
		if (strchr("[({", text[i]))
			depth++;
		else if (strchr("])}", text[i]))
			depth--;
		else if (depth <= 0 && (text[i] == ',' || text[i] == ' '))
			break;
	}
	return i;
}

/* "v_add v1, v2 clamp": the name, the operands; gives what follows them. */
static const char *
put_operation(FILE *f, const char *suffix, const char *text)
{
	size_t len = strcspn(text, " ");
	const char *sep = "";

	fprintf(f, ",\"op%s\":", suffix);
	put_len(f, text, len);
	fprintf(f, ",\"operands%s\":[", suffix);
	text += len + (text[len] == ' ');
	while (*text) {
		len = operand_length(text);
		fputs(sep, f);
		put_len(f, text, len);
		sep = ",";
		text += len;
		if (*text != ',')
			break;
		text += 1 + (text[1] == ' ');
	}
	fputc(']', f);
	return text + (*text == ' ');
}

static void
put_modifiers(FILE *f, const char *text)
{
	const char *sep = "";

	fputs(",\"modifiers\":[", f);
	while (*text) {
		size_t len = strcspn(text, " ");
		fputs(sep, f);
		put_len(f, text, len);
		sep = ",";
		text += len + (text[len] == ' ');
	}
	fputc(']', f);
}

static void
put_insn(struct dis *s, const struct dis_piece *p, const struct gcn_line *line, bool first)
{
	const uint32_t *words = p->words + line->offset / 4;
	char text[GCN_TEXT_SIZE];
	FILE *f = s->out.file;

	if (line->flags & LINE_UNKNOWN)
		snprintf(text, sizeof text, ".long 0x%08x", words[0]);
	else
		gcn_print(p->target, &line->insn, text, sizeof text);
	fprintf(f, "%s\n{\"addr\":\"0x%llx\",\"words\":[", first ? "" : ",",
		(unsigned long long)(p->addr + line->offset));
	for (int i = 0; i < line->n_words; i++)
		fprintf(f, "%s\"%08x\"", i ? "," : "", words[i]);
	fputs("],\"text\":", f);
	tool_json_string(f, text);
	const char *rest = put_operation(f, "", text);
	/* Two operations in one instruction. */
	if (strncmp(rest, ":: ", 3) == 0)
		rest = put_operation(f, "_y", rest + 3);
	put_modifiers(f, rest);
	fprintf(f, ",\"known\":%s,\"line\":null,\"block\":%u",
		line->flags & LINE_UNKNOWN ? "false" : "true", line->block);
	if (line->target != GCN_NOWHERE)
		fprintf(f, ",\"target\":\"0x%llx\"",
			(unsigned long long)(p->addr + p->flow.line[line->target].offset));
	fputc('}', f);
}

void
dis_gcn_json_begin(struct dis *s)
{
	fprintf(s->out.file, "{\"schema\":\"qd.dis/1\",\"files\":[\n");
}

void
dis_gcn_json_end(struct dis *s)
{
	fprintf(s->out.file, "\n]}\n");
}

void
dis_gcn_json_file(struct dis *s, const struct dis_object *f, bool begins)
{
	char target[64];

	if (!begins) {
		fputs("\n]}", s->out.file);
		return;
	}
	fputs("{\"file\":", s->out.file);
	tool_json_string(s->out.file, f->label);
	if (f->raw)
		snprintf(target, sizeof target, "%s", f->target->name);
	else
		code_object_target(&f->object, target);
	fputs(",\"target\":", s->out.file);
	tool_json_string(s->out.file, target);
	fprintf(s->out.file, ",\"version\":%u,\"functions\":[", f->object.version);
}

static void
put_kernel(struct dis *s, const struct dis_piece *p)
{
	struct dis_need n = dis_gcn_need(p->file, p->kernel);

	fprintf(s->out.file,
		",\"kernel\":{\"vgpr\":%llu,\"agpr\":%llu,\"sgpr\":%llu,\"lds\":%llu,"
		"\"scratch\":%llu,\"kernarg\":%llu,\"waves_per_simd\":%u,\"limit\":",
		(unsigned long long)n.vgpr, (unsigned long long)n.agpr, (unsigned long long)n.sgpr,
		(unsigned long long)n.lds, (unsigned long long)n.scratch,
		(unsigned long long)n.kernarg, n.waves_per_simd);
	tool_json_string(s->out.file, n.limit);
	fputc('}', s->out.file);
}

void
dis_gcn_json_piece(struct dis *s, const struct dis_piece *p, bool first)
{
	FILE *f = s->out.file;

	fprintf(f, "%s\n{\"name\":", first ? "" : ",");
	if (p->name)
		tool_json_string(f, p->name);
	else
		fputs("null", f);
	fprintf(f, ",\"addr\":\"0x%llx\",\"size\":\"%llu\",\"wave\":%u",
		(unsigned long long)p->addr, (unsigned long long)p->size, p->target->wave);
	if (p->kernel)
		put_kernel(s, p);
	fputs(",\"instructions\":[", f);
	for (size_t i = 0; i < p->flow.n_line; i++)
		put_insn(s, p, &p->flow.line[i], !i);
	fputs("\n]}", f);
}
