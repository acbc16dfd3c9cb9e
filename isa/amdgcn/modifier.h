/* The modifiers behind the operands, to text and back. */
#ifndef AMDGCN_MODIFIER_H
#define AMDGCN_MODIFIER_H

#include "table.h"
#include "text.h"
#include "token.h"

void gcn_modifiers_print(const struct gcn_target *t, const struct gcn_insn *in,
			 struct gcn_text *x);
/* One modifier into the fields; false when the instruction has no such one. */
bool gcn_modifier_parse(const struct gcn_target *t, struct gcn_insn *in, struct token k);

/* The pattern of ds_swizzle_b32 behind "offset:". */
void gcn_swizzle_print(uint32_t v, struct gcn_text *x);
bool gcn_swizzle_parse(struct token k, uint32_t *v);

#endif
