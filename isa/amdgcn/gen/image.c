/* The image: kernel descriptor, zero padding, code. It contains no address, so it may be loaded at
 * any multiple of 256 bytes. Constant tables follow the code. */
#include "gen_emit.h"
#include "descriptor_put.h"

enum { VERSION = 5 };
/* Words for each operation, at most and typically; words added for the whole kernel. */
enum { MOST_WORDS = 160, USUAL_WORDS = 12, MORE_WORDS = 1024 };

/* Writes the kernel descriptor. Fields that the target lacks stay zero. */
static void
put_descriptor(const struct emit *e, const struct isa_meta *meta, uint8_t *d)
{
	const struct gcn_target *t = e->gcn;
	bool packed = t->gen >= GCN_G90A && t->gen != GCN_G10;
	uint32_t words[AMD_DESCRIPTOR_SIZE / 4] = { 0 };

#define PUT(name, value) gcn_descriptor_put_new(t, VERSION, words, GCN_D_##name, value)
	PUT(next_free_vgpr, meta->registers);
	PUT(next_free_sgpr, meta->wave_registers);
	PUT(float_denorm_mode_32, 3);
	PUT(float_denorm_mode_16_64, 3);
	PUT(dx10_clamp, 1);
	PUT(memory_ordered, 1);
	PUT(forward_progress, 1);
	PUT(user_sgpr_count, e->t->user + (e->sets_scratch ? GEN_SCRATCH_USER : 0u));
	PUT(user_sgpr_flat_scratch_init, e->sets_scratch);
	PUT(system_sgpr_private_segment_wavefront_offset, e->sets_scratch);
	PUT(system_sgpr_workgroup_id_x, 1);
	PUT(system_vgpr_workitem_id, packed ? 2 : 0);
	PUT(user_sgpr_kernarg_segment_ptr, 1);
	PUT(wavefront_size32, t->wave == 32);
	PUT(accum_offset, (meta->registers + 3) / 4 * 4);
	PUT(private_segment_fixed_size, meta->scratch_size);
	PUT(enable_private_segment, meta->scratch_size != 0);
	PUT(group_segment_fixed_size, meta->shared_size);
	PUT(kernarg_size, e->body->args_size);
#undef PUT
	/* Unrolled, so that the compiler keeps the words in registers. */
#define COPY(i)	 memcpy(d + 4 * (i), &words[i], sizeof words[i])
#define COPY4(i) COPY(i), COPY(i + 1), COPY(i + 2), COPY(i + 3)
	COPY4(0), COPY4(4), COPY4(8), COPY4(12);
#undef COPY
#undef COPY4
	gcn_descriptor_entry(d, GEN_CODE_AT);
}

static qd_status
emit_in(const struct isa_in *in, struct emit *e, size_t cap, uint32_t **words, size_t *n, struct qd_error *err)
{
	const struct machine *m = &in->target->m;

	mem_zero(e, offsetof(struct emit, temps));
	e->in = in;
	e->ir = &in->body->ir;
	e->ins = e->ir->ins;
	e->body = in->body;
	e->k = in->k;
	e->err = err;
	e->t = &gen_targets[m->features];
	e->gcn = gcn_target_of(in->target->arch, m->lanes);
	e->wave = m->lanes;
	e->mask_words = m->lanes / 32;
	e->threads = machine_rounded(m, in->k->block_dim);
	*words = arena_alloc(in->mem, cap * sizeof **words);
	if (!*words)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	return gen_emit_words(e, *words, cap, n);
}

qd_status
gen_emit_isa(const struct isa_in *in, struct buf *code, struct isa_meta *meta, struct qd_error *err)
{
	const struct machine *m = &in->target->m;
	uint32_t *words;
	uint8_t *image;
	size_t n;
	size_t words_each = USUAL_WORDS, more = MORE_WORDS + gen_table_words(in->body);
	size_t no_marks = in->marks ? in->marks->len : 0;
	struct emit e;
	qd_status st;

	e.far = NULL;
	e.spilled = NULL;
	e.most_lanes = 0;
	e.sets_scratch = false;
	e.ungrouped = false;
	while ((st = emit_in(in, &e, in->body->ir.n * words_each + more, &words, &n, err)) || e.found_far || e.found_spill) {
		if (!st) {
			e.most_lanes = e.n_lanes;
			e.sets_scratch = gen_sets_scratch(&e);
		} else if (st == QD_E_LIMIT && e.o.bad == GCN_BAD_ROOM && words_each == USUAL_WORDS) {
			words_each = MOST_WORDS;
		} else if (e.grouped) { /* results of scalar loads may have taken the last registers, or a late part is too far */
			e.ungrouped = true;
		} else {
			return st;
		}
		if (in->marks)
			in->marks->len = no_marks;
	}
	uint32_t shared = in->body->shared_size;
	if (gen_needs_lds(&e))
		shared = e.far_base + 4 * e.threads;
	if (shared > m->max_shared)
		return qd_fail(err, QD_E_LIMIT,
			       "%s: lanes of 64-lane waves exchange values through shared memory "
			       "on %s, which has %u bytes for a block; the kernel needs %u",
			       in->k->name, m->name, m->max_shared, shared);
	mem_zero(meta, sizeof *meta);
	meta->version = ISA_META_VERSION;
	meta->local_size = e.threads;
	meta->wave_size = m->lanes;
	meta->registers = e.max_v ? e.max_v : 1;
	meta->wave_registers = e.max_s + (e.gcn->gen < GCN_G10 ? 6 : 0);
	meta->shared_size = shared;
	meta->scratch_size = 4 * e.scratch;
	meta->barriers = in->body->n_barriers;
	memcpy(meta->entry, in->k->name, strnlen(in->k->name, sizeof meta->entry - 1));
	if (e.tables) {
		uint32_t code_size = (uint32_t)((size_t)(e.o.code_end - words) * sizeof *words);

		meta->own[ISA_AMD_TEXT_AT] = GEN_CODE_AT;
		meta->own[ISA_AMD_TEXT_SIZE] = code_size;
		meta->own[ISA_AMD_TABLES_SIZE] = (uint32_t)(n * sizeof *words) - code_size;
	}
	image = buf_extend(code, GEN_CODE_AT + n * sizeof *words);
	if (!image)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	put_descriptor(&e, meta, image);
	mem_zero(image + AMD_DESCRIPTOR_SIZE, GEN_CODE_AT - AMD_DESCRIPTOR_SIZE);
	memcpy(image + AMD_IMAGE_CODE_SIZE_AT, &meta->own[ISA_AMD_TEXT_SIZE], sizeof(uint32_t));
	memcpy(image + GEN_CODE_AT, words, n * sizeof *words);
	return QD_OK;
}
