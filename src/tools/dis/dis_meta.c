/* Kernel descriptors and metadata, field by field. */
#include "dis_gcn.h"
#include "show.h"

#include "descriptor.h"
#include "occupancy.h"

/* -- Descriptors ------------------------------------------------------------------- */

/* Writes a descriptor in the assembler's syntax, so that the text assembles. Fields without a
 * directive are comments, and only shown if they are not 0. */
static void
put_descriptor(struct dis *s, const struct dis_piece *p)
{
	const struct code_kernel *k = p->kernel;
	unsigned version = p->file->object.version;
	bool v2 = version == 2;
	struct gcn_descriptor_field field;
	FILE *f = s->out.file;
	size_t i = 0;

	if (v2)
		fprintf(f, "; amd_kernel_code_t");
	else
		fprintf(f, ".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel ");
	if (!v2)
		dis_put_name(s, k->name);
	if (!s->req->no_addr)
		fprintf(f, "%s at 0x%llx, code at 0x%llx", v2 ? "" : "  ; descriptor",
			(unsigned long long)k->descriptor_addr, (unsigned long long)k->entry);
	fputc('\n', f);
	while (gcn_descriptor_next(p->target, version, k->descriptor, &i, &field)) {
		bool directive = field.kind == GCN_DIRECTIVE && !v2;
		if (field.kind == GCN_LOADER && !field.bits)
			continue;
		/* the assembler accepts only the value of the target's mode */
		if (strcmp(field.name, "reserve_xnack_mask") == 0 &&
		    (p->target->features & GCN_XNACK))
			directive = false;
		fprintf(f, "  %s%s %u\n", directive ? ".amdhsa_" : "; ", field.name, field.value);
	}
	for (unsigned byte = 0; byte < (v2 ? 128u : 64u); byte += 4) {
		uint32_t bits = gcn_descriptor_unknown(p->target, version, k->descriptor, byte);
		/* the offset of the code is not a field of the table */
		if (bits && byte != 16 && byte != 20)
			fprintf(f, "  ; byte %u: bits 0x%x are set outside of all fields\n", byte,
				bits);
	}
	if (!v2)
		fputs(".end_amdhsa_kernel\n.text\n", f);
}

/* -- Metadata ---------------------------------------------------------------------- */

static void
put_string(struct dis *s, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		char out[SHOW_MOST + 1];
		size_t n;

		i += show_next(text + i, len - i, SHOW_NAME, out, &n);
		fwrite(out, 1, n, s->out.file);
	}
}

static void
put_scalar(struct dis *s, const struct msgpack_value *v)
{
	FILE *f = s->out.file;

	switch (v->kind) {
	case MSGPACK_NIL: fputs("nil", f); break;
	case MSGPACK_BOOL: fputs(v->u ? "true" : "false", f); break;
	case MSGPACK_UINT: fprintf(f, "%llu", (unsigned long long)v->u); break;
	case MSGPACK_INT: fprintf(f, "%lld", (long long)(int64_t)v->u); break;
	case MSGPACK_FLOAT: fprintf(f, "%g", v->f); break;
	case MSGPACK_BYTES: fprintf(f, "(%zu bytes)", v->size); break;
	default: put_string(s, v->data, v->size); break;
	}
}

/* Writes a value on one line: [1, 2], {a: 1}. Returns the offset of the next value. The document
 * has been validated, so its depth is within the limit. */
static size_t
put_value(struct dis *s, const struct msgpack *m, size_t at)
{
	struct msgpack_value v;

	at = msgpack_get(m, at, &v);
	if (v.kind != MSGPACK_ARRAY && v.kind != MSGPACK_MAP) {
		put_scalar(s, &v);
		return at;
	}
	if (!depth_enter(&s->depth, MSGPACK_MAX_DEPTH))
		tool_die(EXIT_INPUT, "the metadata is nested deeper than %d levels", MSGPACK_MAX_DEPTH);
	fputc(v.kind == MSGPACK_ARRAY ? '[' : '{', s->out.file);
	for (uint64_t i = 0; i < v.u; i++) {
		if (i)
			fputs(", ", s->out.file);
		if (v.kind == MSGPACK_MAP) {
			at = put_value(s, m, at);
			fputs(": ", s->out.file);
		}
		at = put_value(s, m, at);
	}
	fputc(v.kind == MSGPACK_ARRAY ? ']' : '}', s->out.file);
	depth_leave(&s->depth);
	return at;
}

/* Writes a list of maps, such as .args, one per line. */
static size_t
put_rows(struct dis *s, const struct msgpack *m, size_t at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		fprintf(s->out.file, "\n;     %llu: ", (unsigned long long)i);
		at = put_value(s, m, at);
	}
	return at;
}

static void
put_metadata(struct dis *s, const struct dis_piece *p)
{
	const struct msgpack *m = &p->kernel->metadata;
	struct msgpack_value map, key, value;

	if (p->kernel->meta_at == SIZE_MAX)
		return;
	size_t at = msgpack_get(m, p->kernel->meta_at, &map);
	fputs("; metadata\n", s->out.file);
	for (uint64_t i = 0; i < map.u; i++) {
		at = msgpack_get(m, at, &key);
		fputs(";   ", s->out.file);
		put_scalar(s, &key);
		fputs(": ", s->out.file);
		size_t inner = msgpack_get(m, at, &value);
		if (msgpack_is(&key, ".args") && value.kind == MSGPACK_ARRAY)
			at = put_rows(s, m, inner, value.u);
		else
			at = put_value(s, m, at);
		fputc('\n', s->out.file);
	}
}

void
dis_gcn_meta(struct dis *s, const struct dis_piece *p)
{
	put_descriptor(s, p);
	put_metadata(s, p);
}

/* The metadata of v2 is one text for all kernels. */
void
dis_gcn_file_meta(struct dis *s, const struct dis_object *f)
{
	const char *text = f->object.metadata_text;
	size_t left = text ? f->object.metadata_text_size : 0;

	while (left) {
		const char *newline = memchr(text, '\n', left);
		size_t len = newline ? (size_t)(newline - text) : left;
		fputs("; ", s->out.file);
		put_string(s, text, len);
		fputc('\n', s->out.file);
		len += newline != NULL;
		text += len;
		left -= len;
	}
}

/* -- Resources of a kernel ------------------------------------------------------------- */

/* Returns the value of a descriptor's field, or 0 if it has no such field. */
static uint32_t
field_value(const struct gcn_target *t, unsigned version, const uint8_t *d, const char *name)
{
	struct gcn_descriptor_field field;

	return gcn_descriptor_find(t, version, d, name, &field) ? field.value : 0;
}

static struct gcn_usage
usage_of(const struct dis_object *f, const struct code_kernel *k, const struct dis_need *n)
{
	const struct gcn_target *t = dis_gcn_target(f, k);

	return (struct gcn_usage){ n->vgpr, n->sgpr, n->lds, n->workgroup,
				   field_value(t, f->object.version, k->descriptor,
					       "workgroup_processor_mode") != 0 };
}

struct dis_need
dis_gcn_need(const struct dis_object *f, const struct code_kernel *k)
{
	const struct gcn_target *t = dis_gcn_target(f, k);
	const struct code_meta *m = &k->meta;
	const uint8_t *d = k->descriptor;
	unsigned v = f->object.version;
	bool v2 = v == 2, silent = k->meta_at == SIZE_MAX;
	struct dis_need n = {
		.vgpr = m->n_vgpr, .sgpr = m->n_sgpr, .agpr = m->n_agpr, .wave = t->wave
	};

	n.lds = field_value(t, v, d,
			    v2 ? "workgroup_group_segment_byte_size" : "group_segment_fixed_size");
	n.scratch = field_value(
		t, v, d, v2 ? "workitem_private_segment_byte_size" : "private_segment_fixed_size");
	n.kernarg = field_value(t, v, d, v2 ? "kernarg_segment_byte_size" : "kernarg_size");
	if (silent) {
		n.vgpr = field_value(t, v, d, v2 ? "workitem_vgpr_count" : "next_free_vgpr");
		n.sgpr = field_value(t, v, d, v2 ? "wavefront_sgpr_count" : "next_free_sgpr");
	}
	n.workgroup = m->workgroup[0] * m->workgroup[1] * m->workgroup[2];
	if (!n.workgroup)
		n.workgroup = m->max_workgroup;
	struct gcn_usage u = usage_of(f, k, &n);
	struct gcn_occupancy o = gcn_occupancy(t, &u);
	n.waves_per_simd = o.waves;
	n.limit = o.limit;
	return n;
}

struct dis_groups
dis_gcn_groups(const struct dis_object *f, const struct code_kernel *k, uint32_t block)
{
	const struct gcn_target *t = dis_gcn_target(f, k);
	const struct code_meta *m = &k->meta;
	struct dis_need n = dis_gcn_need(f, k);
	struct gcn_usage u = usage_of(f, k, &n);
	struct dis_groups d = { .per = t->gen >= GCN_G10 && u.wgp_mode ? "WGP" : "CU",
				.limit = "block" };
	uint64_t required = m->workgroup[0] * m->workgroup[1] * m->workgroup[2];
	struct gcn_groups g = { .simds = 1 };

	u.workgroup = block;
	/* otherwise the kernel does not support the work-group */
	if ((!required || block == required) && (!m->max_workgroup || block <= m->max_workgroup)) {
		g = gcn_groups(t, &u);
		d.limit = g.limit;
	}
	d.groups = g.groups;
	d.waves = g.waves;
	snprintf(d.waves_per_simd, sizeof d.waves_per_simd, "%u%s", g.waves / g.simds,
		 (const char *const[]){ "", ".25", ".5", ".75" }[g.waves % g.simds * 4 / g.simds]);
	return d;
}
