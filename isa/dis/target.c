/* Targets by name, without the back ends that emit code for them. */
#include "isa_dis.h"

#include <stdio.h>

#include "amd_abi.h"
#include "gcn.h"

enum { MAX_NAME = 64 };

static QD_COLD qd_status
unknown(const char *name, struct qd_error *err)
{
	int len = (int)strcspn(name, ":");
	char known[512] = "";
	size_t n = 0;

	for (size_t i = 0; gcn_target_at(i) && n < sizeof known; i++)
		n += (size_t)snprintf(known + n, sizeof known - n, ", %s", gcn_target_at(i)->name);
	return qd_fail(err, QD_E_NOT_FOUND, "no target is named '%.*s'; targets: spirv, ptx, sm_NN%s",
		       len > MAX_NAME ? MAX_NAME : len, name, known);
}

/* Reads the options of an AMD target, which may name another processor. wave: 0 if none selects it. A subgroup size that is a wave
 * size selects it unless the lanes are given. */
static qd_status
read_options(const char *name, char processor[MAX_NAME], unsigned *wave, struct qd_error *err)
{
	unsigned size = 0, lanes = 0;
	struct machine limits;

	for (const char *s = name + strcspn(name, ":"); *s;) {
		size_t len = strcspn(++s, ":");
		unsigned w = isa_parse_size(s, len), h = isa_parse_lanes(s, len);
		char other[MAX_NAME];
		snprintf(other, sizeof other, "%.*s", (int)(len < MAX_NAME ? len : 0), s);
		bool named = gcn_target_find(other, 0) != NULL;
		if (named)
			snprintf(processor, MAX_NAME, "%s", other);
		size = w ? w : size;
		lanes = h ? h : lanes;
		if (!w && !h && !named && !isa_parse_limit(&limits, s, len))
			return qd_fail(err, QD_E_INVALID, "target '%s' has no option '%.*s'", processor,
				       (int)(len > MAX_NAME ? MAX_NAME : len), s);
		s += len;
	}
	*wave = lanes ? lanes : gcn_target_find(processor, size) ? size : 0;
	return QD_OK;
}

static bool
is_named(const char *name, size_t len, const char *text)
{
	return len == strlen(text) && memcmp(name, text, len) == 0;
}

qd_status
dis_target_named(const char *name, struct dis_target *out, struct qd_error *err)
{
	size_t len = strcspn(name, ":");
	char processor[MAX_NAME];
	unsigned wave = 0;

	*out = (struct dis_target){ .name = name };
	if (is_named(name, len, "spirv")) {
		out->kind = CODE_SPIRV;
	} else if (is_named(name, len, "ptx") || (len > 3 && memcmp(name, "sm_", 3) == 0)) {
		out->kind = CODE_PTX;
		out->is_text = true;
	} else if (is_named(name, len, "ref")) {
		out->kind = CODE_IR;
	} else {
		snprintf(processor, sizeof processor, "%.*s", (int)(len < MAX_NAME ? len : 0), name);
		if (strcmp(processor, "amdgcn") == 0)
			snprintf(processor, sizeof processor, "%s", AMD_USUAL);
		if (!gcn_target_find(processor, 0))
			return unknown(out->name, err);
		QD_TRY(read_options(name, processor, &wave, err));
		out->kind = CODE_AMD;
		out->amd = gcn_target_find(processor, wave);
		if (!out->amd)
			return qd_fail(err, QD_E_INVALID,
				       "target '%s' does not support waves of %u lanes", processor,
				       wave);
	}
	return QD_OK;
}

struct dis_target
dis_target_of(const struct target *t)
{
	return (struct dis_target){ .name = t->m.name,
				    .kind = t->isa->code,
				    .is_text = t->isa->is_text,
				    .amd = t->isa->code == CODE_AMD ? gcn_target_of(t->arch, t->m.lanes) : NULL };
}
