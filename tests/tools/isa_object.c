/* The table of back ends, with a test back end in place of the interpreter's. Its images are a
 * kernel descriptor and code, as an AMD back end's, for any kernel. */
#define isa_ref isa_object
#include "../../isa/isa.c"

#include "gcn.h"

enum { ENTRY = 256 };
static const uint32_t s_nop = 0xbf800000, s_endpgm = 0xbfb00000, s_code_end = 0xbf9f0000;

static qd_status
parse(const char *options, struct target *out, struct qd_error *err)
{
	if (*options)
		return qd_fail(err, QD_E_INVALID, "target 'object' has no options");
	QD_TRY(isa_ptx.parse(":sm_80", out, err));
	out->arch = gcn_target_index(gcn_target_find("gfx1100", 32));
	out->m.name[0] = '\0';
	return isa_name(out, err, "object");
}

static qd_status
emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta, struct qd_error *err)
{
	const uint32_t words[ENTRY / 4] = { [2] = in->k->args_size, [4] = ENTRY, [14] = 1 << 10 };

	(void)err;
	*meta = (struct isa_meta){ .version = ISA_META_VERSION,
				   .local_size = in->k->block_dim,
				   .wave_size = 32,
				   .registers = 8,
				   .wave_registers = 16 };
	buf_put(code, words, sizeof words);
	for (size_t i = 0; in->k->name[i]; i++)
		buf_put(code, &s_nop, sizeof s_nop);
	buf_put(code, &s_endpgm, sizeof s_endpgm);
	return QD_OK;
}

static void
object(const struct target *t, struct isa_object *out)
{
	(void)t;
	*out = (struct isa_object){ "gfx1100", 0x41, ISA_OBJECT_WGP, s_code_end };
}

const struct isa isa_object = {
	.name = "object",
	.code = CODE_AMD,
	.number = 1000,
	.version = 1,
	.parse = parse,
	.emit = emit,
	.extension = "image",
	.object = object,
};
