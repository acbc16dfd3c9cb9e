/* qd-aot list, info: the contents of a fatbin; --list: the planned contents. */
#include "aot.h"

#include <stdlib.h>

static const char *
dash(const char *s)
{
	return *s ? s : "-";
}

void
aot_json_target(const struct fatbin_place *at)
{
	char text[MACHINE_NAME + 8];

	snprintf(text, sizeof text, "%s%s", fatbin_target_front(at), fatbin_target_rest(at));
	tool_json_string(stdout, text);
}

static void
json_entry(const struct fatbin_place *at)
{
	printf("{\"kernel\":");
	tool_json_string(stdout, at->kernel);
	printf(",\"values\":");
	tool_json_string(stdout, at->variant);
	printf(",\"target\":");
	aot_json_target(at);
	printf(",\"kind\":\"%s\",\"subgroup_size\":%u,\"block\":%u,\"shared\":%u,\"bytes\":%u,\"group\":%u",
	       code_kind_name(at->row.kind),
	       at->row.subgroup_size, at->row.local_size, at->row.shared_size, at->row.size,
	       at->row.group);
}

static void
text_entry(const struct fatbin_place *at)
{
	printf("%-20s %-16s %s%-24s subgroup %-3u block %-4u shared %-5u %u bytes\n", at->kernel,
	       dash(at->variant), fatbin_target_front(at), fatbin_target_rest(at), at->row.subgroup_size, at->row.local_size, at->row.shared_size, at->row.size);
}

int
aot_list_entries(struct qd_context *ctx, const struct aot_request *r)
{
	uint32_t n = 0, all = 0;

	if (r->json)
		tool_hold();
	if (r->json)
		printf("{\"schema\":\"qd.list/1\",\"files\":[");
	for (uint32_t i = 0; i < r->files.n; i++) {
		struct qd_fatbin *f = aot_open(ctx, r->files.v[i]);
		uint32_t count, *rows = aot_rows(r, f, &count);
		if (r->json) {
			printf("%s{\"file\":", i ? "," : "");
			tool_json_string(stdout, r->files.v[i]);
			printf(",\"entries\":[");
		}
		for (uint32_t j = 0; j < count; j++) {
			struct fatbin_place at;
			fatbin_at(f, rows[j], &at);
			if (r->json) {
				printf("%s", j ? "," : "");
				json_entry(&at);
				putchar('}');
			} else {
				text_entry(&at);
			}
		}
		if (r->json)
			printf("]}");
		n += count;
		all += fatbin_count(f);
		free(rows);
		qd_fatbin_free(f);
	}
	if (r->json)
		printf("]}\n");
	else
		printf("%u of %u entries\n", n, all);
	if (!n)
		tool_message("error", "no entry matches");
	return n ? EXIT_OK : EXIT_INPUT;
}

/* -- info ------------------------------------------------------------------------------------ */

static void
print_param(const struct launch_layout *d, uint32_t i)
{
	const struct layout_param *p = layout_params(d) + i;
	static const char *const access[] = { "", "in ", "out ", "" };

	if (!p->align && p->type == QD_TYPE_NONE) {
		printf("  %-16s %u bytes at byte %u\n", layout_param_name(d, i),
		       layout_value_size(d, i), p->offset);
		return;
	}
	printf("  %-16s %s%s%s at byte %u\n", layout_param_name(d, i),
	       p->align ? access[p->access & 3] : "", qd_type_name(p->type), p->align ? "[]" : "",
	       p->offset);
}

static void
json_params(const struct launch_layout *d)
{
	printf(",\"args_size\":%u,\"params\":[", d->args_size);
	for (uint32_t i = 0; i < d->n_params; i++) {
		const struct layout_param *p = layout_params(d) + i;
		printf("%s{\"name\":", i ? "," : "");
		tool_json_string(stdout, layout_param_name(d, i));
		printf(",\"type\":\"%s\",\"buffer\":%s,\"offset\":%u}", qd_type_name(p->type),
		       p->align ? "true" : "false", p->offset);
	}
	printf("]");
}

static void
print_entry(const struct fatbin_place *at, const struct image_parts *p)
{
	const struct launch_layout *d = p->layout;
	const struct isa_meta *m = p->meta;

	printf("%s%s%s%s for %s%s\n", at->kernel, *at->variant ? " (" : "", at->variant,
	       *at->variant ? ")" : "", fatbin_target_front(at), fatbin_target_rest(at));
	printf("  %s code, %zu bytes; block %u x %u x %u (%u threads, %u of the hardware), subgroup %u\n",
	       code_kind_name(p->kind), p->code_size, d->block[0], d->block[1], d->block[2],
	       d->block_dim, m->local_size, d->subgroup_size);
	printf("  shared %u bytes, barriers %u", m->shared_size, m->barriers);
	if (m->registers)
		printf(", registers %u of a thread", m->registers);
	if (m->wave_registers)
		printf(", %u of a wave", m->wave_registers);
	if (m->opt_below)
		printf(", optimization level %u", OPT_FULL - m->opt_below);
	printf("\n  arguments: %u bytes%s%s\n", d->args_size, m->flags & ISA_ARGS_BY_ADDRESS ? ", by address" : "",
	       d->n_steps ? "; the grid is counted by the host" : "");
	for (uint32_t i = 0; i < d->n_params; i++)
		print_param(d, i);
}

int
aot_info(struct qd_context *ctx, const struct aot_request *r)
{
	uint32_t n = 0;

	if (r->json)
		tool_hold();
	if (r->json)
		printf("{\"schema\":\"qd.entries/1\",\"entries\":[");
	for (uint32_t i = 0; i < r->files.n; i++) {
		struct qd_fatbin *f = aot_open(ctx, r->files.v[i]);
		uint32_t count, *rows = aot_rows(r, f, &count);
		for (uint32_t j = 0; j < count; j++) {
			struct fatbin_place at;
			struct image_parts p;
			struct qd_error e;
			fatbin_at(f, rows[j], &at);
			if (fatbin_layout(f, rows[j], &p, &e))
				tool_fail(&e);
			if (r->json) {
				printf("%s", n ? "," : "");
				json_entry(&at);
				json_params(p.layout);
				printf(",\"registers\":%u,\"wave_registers\":%u,\"barriers\":%u,\"opt\":%u}",
				       p.meta->registers, p.meta->wave_registers, p.meta->barriers,
				       OPT_FULL - p.meta->opt_below);
			} else {
				print_entry(&at, &p);
			}
			n++;
		}
		free(rows);
		qd_fatbin_free(f);
	}
	if (r->json)
		printf("]}\n");
	if (!n)
		tool_message("error", "no entry matches");
	return n ? EXIT_OK : EXIT_INPUT;
}

/* -- The matrix ------------------------------------------------------------------------------------------ */

static void
list_json(const struct aot_matrix *m)
{
	printf("{\"schema\":\"qd.matrix/1\",\"cells\":[");
	for (uint32_t i = 0; i < m->n_cells; i++) {
		const struct aot_cell *c = &m->cells[i];
		printf("%s{\"kernel\":", i ? "," : "");
		tool_json_string(stdout, c->variant->name);
		printf(",\"values\":");
		tool_json_string(stdout, c->variant->text);
		char target[MACHINE_NAME + 8];
		snprintf(target, sizeof target, "%s%s", c->target->is_cubin ? "cubin:" : "",
			 c->target->name + (c->target->is_cubin ? 4 : 0));
		printf(",\"target\":");
		tool_json_string(stdout, target);
		printf(",\"left_out\":");
		if (c->why)
			tool_json_string(stdout, c->why);
		else
			printf("null");
		putchar('}');
	}
	printf("],\"variants\":%u,\"left_out\":%u}\n", m->n_variants, m->n_left_out);
}

void
aot_matrix_list(const struct aot_matrix *m)
{
	if (m->r->json) {
		list_json(m);
		return;
	}
	for (uint32_t i = 0; i < m->n_cells; i++) {
		const struct aot_cell *c = &m->cells[i];
		printf("%-24s %-20s %s%s%s%.*s\n", c->variant->name, *c->variant->text ? c->variant->text : "-",
		       c->target->is_cubin ? "cubin:" : "", c->target->name + (c->target->is_cubin ? 4 : 0),
		       c->why ? "  left out: " : "",
		       c->why ? (int)strcspn(c->why, "\n") : 0, c->why ? c->why : "");
	}
	printf("%u kernels with their values, %u targets: %u images, %u left out\n", m->n_variants,
	       m->n_targets, m->n_cells - m->n_left_out, m->n_left_out);
}
