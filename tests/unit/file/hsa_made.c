/* Kernels for code objects: parameters of every kind, short and long names, code of various
 * lengths. */
#include "hsa_made.h"

#include <stdio.h>

#include "descriptor.h"
#include "jit.h"

/* Signatures and bodies, which the kernels use in turn. */
static const char *const forms[] = {
	"(src: in f32[], dst: out f32[]) block(64) {\n"
	"  for i in grid(src.len) { dst[i] = src[i]; }\n}\n",
	"(n: u32, big: i64[], x: f64, small: out u8[]) block(96) {\n"
	"  for i in grid(n) { big[i] = big[i] + i64(n); small[i] = 1; }\n}\n",
	"(dst: out u32[]) block(1024) {\n  for i in grid(dst.len) { dst[i] = 7; }\n}\n",
};

static void
kernel_name(char name[64], unsigned i)
{
	snprintf(name, 64, i == 7 ? "a_name_that_is_longer_than_an_entry_point_of_a_target" : "k%u",
		 i);
}

static qd_status
compile_all(struct hsa_made *m, struct qd_module *module, struct qd_error *e)
{
	qd_status st = QD_OK;
	char name[64];

	for (unsigned i = 0; i < HSA_MADE && st == QD_OK; i++) {
		struct qd_kernel *k = NULL;
		kernel_name(name, i);
		st = qd_module_kernel(module, name, NULL, 0, &k, e);
		if (st == QD_OK)
			st = qd_compile(m->ctx, k, "ref:w32", NULL, 0, &m->image[i], e);
		qd_kernel_free(k);
	}
	return st;
}

static qd_status
layout_all(struct hsa_made *m, struct qd_error *e)
{
	struct qd_module *module;
	struct buf text;
	char name[64];
	qd_status st;

	QD_TRY(qd_context_create(&(struct qd_context_desc){ .version = QD_VERSION }, &m->ctx, e));
	buf_init(&text, &m->ctx->pool);
	buf_printf(&text, "qdk 2;\n");
	for (unsigned i = 0; i < HSA_MADE; i++) {
		kernel_name(name, i);
		buf_printf(&text, "kernel %s%s", name, forms[i % QD_COUNT(forms)]);
	}
	st = qd_module_parse(m->ctx, buf_data(&text), text.len, "made.qdk", &module, e);
	buf_fini(&text);
	if (st != QD_OK)
		return st;
	st = compile_all(m, module, e);
	qd_module_free(module);
	return st;
}

bool
hsa_made_open(struct unit_ctx *t, struct hsa_made *m)
{
	struct qd_error e = { 0 };

	memset(m, 0, sizeof *m);
	if (layout_all(m, &e) == QD_OK)
		return true;
	UNIT_CHECK(t, false, "%s", e.text);
	hsa_made_close(m);
	return false;
}

void
hsa_made_close(struct hsa_made *m)
{
	for (unsigned i = 0; i < HSA_MADE; i++)
		qd_image_free(m->image[i]);
	qd_context_free(m->ctx);
}

/* -- Images ----------------------------------------------------------------------------- */

static void
put_descriptor(struct unit_ctx *t, const struct hsa_made *m, unsigned i, uint8_t *d)
{
	const struct gcn_target *g = m->target;
	const struct isa_meta *meta = &m->meta[i];
	const struct {
		enum gcn_descriptor_id id;
		uint32_t value;
		bool there;
	} rows[] = {
		{ GCN_D_group_segment_fixed_size, meta->shared_size, true },
		{ GCN_D_private_segment_fixed_size, meta->scratch_size, true },
		{ GCN_D_kernarg_size, m->image[i]->layout->args_size, true },
		{ GCN_D_accum_offset, 4, g->gen == GCN_G90A || g->gen == GCN_G94 },
		{ GCN_D_next_free_vgpr, meta->registers, true },
		{ GCN_D_next_free_sgpr, meta->wave_registers, true },
		{ GCN_D_float_denorm_mode_32, 3, true },
		{ GCN_D_float_denorm_mode_16_64, 3, true },
		{ GCN_D_workgroup_processor_mode, i % 2, g->gen >= GCN_G10 },
		{ GCN_D_memory_ordered, 1, g->gen >= GCN_G10 },
		{ GCN_D_user_sgpr_count, 2, true },
		{ GCN_D_system_sgpr_workgroup_id_x, 1, true },
		{ GCN_D_user_sgpr_kernarg_segment_ptr, 1, true },
		{ GCN_D_wavefront_size32, 1, g->wave == 32 },
	};

	for (size_t r = 0; r < QD_COUNT(rows); r++) {
		if (rows[r].there)
			UNIT_CHECK(t, gcn_descriptor_put(g, 5, d, rows[r].id, rows[r].value),
				   "%s: field %zu of a descriptor", g->name, r);
	}
	gcn_descriptor_entry(d, HSA_ENTRY);
}

/* Assembles code of various lengths. Some end where another kernel may begin. */
static size_t
put_code(struct unit_ctx *t, const struct hsa_made *m, unsigned i, uint32_t *words, size_t cap)
{
	char text[2048];
	struct qd_error e = { 0 };
	size_t len = 0, n = 0;

	for (unsigned k = 0; k < i * 21 % 64; k++)
		len += (size_t)snprintf(text + len, sizeof text - len, "s_mov_b32 s%u, %u\n",
					k % 100, i % 64);
	len += (size_t)snprintf(text + len, sizeof text - len, "s_endpgm\n");
	UNIT_CHECK(t, gcn_assemble(m->target, text, len, words, cap, &n, &e) == QD_OK, "%s: %s",
		   m->target->name, e.text);
	return n;
}

void
hsa_made_for(struct unit_ctx *t, struct hsa_made *m, const struct gcn_target *target)
{
	bool rdna = target->gen >= GCN_G10;

	m->target = target;
	m->object = (struct isa_object){
		.processor = target->name,
		.flags = target->e_flags,
		.has = (target->features & GCN_AGPR ? ISA_OBJECT_AGPRS : 0u) |
		       (rdna ? ISA_OBJECT_WGP : 0u),
		.filler = gcn_filler(target),
	};
	memset(m->code, 0, sizeof m->code);
	for (unsigned i = 0; i < HSA_MADE; i++) {
		uint32_t *words = m->code[i];
		m->meta[i] = (struct isa_meta){ .version = ISA_META_VERSION,
						.local_size = m->image[i]->meta.local_size,
						.wave_size = target->wave,
						.registers = 8 + i,
						.wave_registers = 16 + i,
						.shared_size = i % 4 * 768 };
		put_descriptor(t, m, i, (uint8_t *)words);
		size_t n =
			put_code(t, m, i, words + HSA_ENTRY / 4, (HSA_MADE_CODE - HSA_ENTRY) / 4);
		m->kernel[i] = (struct hsa_kernel){ .code = words,
						    .size = HSA_ENTRY + 4 * n,
						    .meta = &m->meta[i],
						    .layout = m->image[i]->layout,
						    .target = target->name };
	}
}
