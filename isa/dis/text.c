/* Text of code by its kind. */
#include "isa_dis.h"

#include "amd_abi.h"
#include "gcn.h"
#include "spv.h"

qd_status
dis_words_of(const struct dis_target *t, uint32_t flags, const void *code, size_t size,
	     struct arena *mem, struct dis_words *out, struct qd_error *err)
{
	uint64_t entry = 0;

	if (size % 4)
		return qd_fail(err, QD_E_INVALID, "code of %s: its size of %zu bytes is not a multiple of 4", t->name,
			       size);
	if (!(flags & QD_DIS_WORDS)) {
		if (size < AMD_DESCRIPTOR_SIZE)
			return qd_fail(err, QD_E_INVALID,
				       "code of %s: an image begins with a kernel descriptor of %d bytes, and this has "
				       "%zu bytes; QD_DIS_WORDS is for instructions alone",
				       t->name, AMD_DESCRIPTOR_SIZE, size);
		entry = amd_descriptor_entry(code);
		if (entry < AMD_DESCRIPTOR_SIZE || entry >= size || entry % 4)
			return qd_fail(err, QD_E_INVALID,
				       "code of %s: offset 0x%x: the first instruction is at 0x%llx, outside the code "
				       "of %zu bytes or unaligned",
				       t->name, AMD_AT_ENTRY, (unsigned long long)entry, size);
	}
	if ((uintptr_t)code % _Alignof(uint32_t)) {
		void *copy = arena_alloc(mem, size);
		if (!copy)
			return qd_fail(err, QD_E_NOMEM, "out of memory");
		code = memcpy(copy, code, size);
	}
	*out = (struct dis_words){ code ? (const uint32_t *)code + entry / 4 : NULL,
				   (size - (size_t)entry) / 4, (size_t)entry, (size - (size_t)entry) / 4 };
	if (entry >= AMD_IMAGE_CODE_SIZE_AT + 4) {
		uint32_t n = amd_descriptor_word(code, AMD_IMAGE_CODE_SIZE_AT) / 4;

		out->n_code = n && n < out->n ? n : out->n;
	}
	return QD_OK;
}

static void
amd_lines(const struct gcn_target *t, const struct dis_words *w, struct buf *marks, struct buf *text)
{
	struct isa_mark *m = marks && !marks->nomem ? (struct isa_mark *)(void *)buf_data(marks) : NULL;
	size_t n_marks = m ? marks->len / sizeof *m : 0;

	for (size_t i = 0; i < w->n && !text->nomem;) {
		struct gcn_insn in;
		char line[512];
		int len = i < w->n_code ? gcn_decode(t, w->word + i, w->n_code - i, &in) : 0;
		for (; n_marks && m->at <= w->at + 4 * i; n_marks--)
			m++->at = (uint32_t)text->len;
		if (len > 0) {
			gcn_print(t, &in, line, sizeof line);
			buf_printf(text, "\t%s\n", line);
		} else {
			buf_printf(text, "\t.long 0x%08x\n", w->word[i]);
		}
		i += len > 0 ? (size_t)len : 1;
	}
}

qd_status
dis_text(const struct dis_target *t, uint32_t flags, const void *code, size_t size,
	 struct buf *marks, struct buf *text, struct qd_error *err)
{
	struct dis_words words;
	struct arena mem;

	if (t->is_text) {
		buf_put(text, code, size);
		return QD_OK;
	}
	if (t->kind == CODE_SPIRV)
		return spv_dis(code, size, marks, text, err);
	if (t->kind != CODE_AMD)
		return qd_fail(err, QD_E_TARGET, "target %s has no code: it interprets the kernel itself", t->name);
	arena_init(&mem, text->pool);
	qd_status st = dis_words_of(t, flags, code, size, &mem, &words, err);
	if (st == QD_OK)
		amd_lines(t->amd, &words, marks, text);
	arena_fini(&mem);
	return st;
}
