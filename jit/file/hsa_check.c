/* Checks images for and from code objects: their form, and the descriptor against the other
 * parts. */
#include "hsa.h"

/* Returns NULL, or the error in the image's form. */
static const char *
wrong_form(const struct hsa_kernel *k)
{
	const char *bytes = k->code;
	const uint32_t *own = k->meta->own;

	if (k->size <= HSA_ENTRY || k->size % 4)
		return "is not a descriptor with code after byte 256";
	if (amd_descriptor_entry(k->code) != HSA_ENTRY)
		return "does not have its entry point at byte 256";
	if (amd_descriptor_word(k->code, AMD_IMAGE_CODE_SIZE_AT) != own[ISA_AMD_TEXT_SIZE] ||
	    (!own[ISA_AMD_TEXT_SIZE] && own[ISA_AMD_TABLES_SIZE]) ||
	    (own[ISA_AMD_TEXT_SIZE] && (own[ISA_AMD_TEXT_AT] != HSA_ENTRY || own[ISA_AMD_VARIABLES_AT] ||
					own[ISA_AMD_TEXT_SIZE] % 4 || own[ISA_AMD_TEXT_SIZE] > k->size - HSA_ENTRY ||
					own[ISA_AMD_TABLES_SIZE] != k->size - HSA_ENTRY - own[ISA_AMD_TEXT_SIZE])))
		return "does not have the code and the tables that its record states";
	for (size_t i = AMD_IMAGE_CODE_SIZE_AT + 4; i < HSA_ENTRY; i++) {
		if (bytes[i])
			return "has data between descriptor and code";
	}
	return NULL;
}

/* The device uses the descriptor, programs use the other parts, so they must agree. */
qd_status
hsa_check(const struct hsa_kernel *k, struct qd_error *err)
{
	const char *name = layout_name(k->layout), *wrong = wrong_form(k);

	if (layout_by_slots(k->layout))
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%.80s' comes from another compiler's code object and "
			       "cannot be written to a new one",
			       name);
	if (wrong)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%.80s': an image of %zu bytes %s; code objects contain "
			       "only AMD images",
			       name, k->size, wrong);
	const struct {
		const char *what;
		uint32_t descriptor, recorded;
	} rows[] = {
		{ "bytes of shared memory", AMD_GET(k->code, group_segment_fixed_size), k->meta->shared_size },
		{ "bytes of scratch memory", AMD_GET(k->code, private_segment_fixed_size), k->meta->scratch_size },
		{ "bytes of arguments", AMD_GET(k->code, kernarg_size), k->layout->args_size },
		{ "lanes of a wave", AMD_GET(k->code, wavefront_size32) ? 32 : 64, k->meta->wave_size },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (rows[i].descriptor != rows[i].recorded)
			return qd_fail(err, QD_E_INVALID,
				       "kernel '%.80s': its descriptor states %u %s, the record of "
				       "the image %u",
				       name, rows[i].descriptor, rows[i].what, rows[i].recorded);
	}
	return QD_OK;
}
