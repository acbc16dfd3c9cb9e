/* hazard.def as data: kinds of instructions, the registers of them that count,
 * the rules.  Between event.c, which tells what a line of code is, and hazard.c,
 * which looks for the rules. */
#ifndef AMDGCN_RULE_H
#define AMDGCN_RULE_H

#include "hazard.h"

/* What depends on the values of operands. */
/* clang-format off */
enum gcn_trait {
	T_DPP, T_NOT_SOPP, T_BUFFER, T_LDS_DIRECT, T_WIDE_STORE, T_PART_DST, T_VM_VSRC_0,
	T_SA_SDST_0, T_VA_VDST_0, T_VA_SDST_0, T_VA_VCC_0, T_WAIT_ALL_0, T_VSCNT_0, T_LGKM_0,
	T_WRITES_SGPR, T_PASSES_4, T_DEALLOC, T_LDS, T_OFFSET_3F, T_SELF, T_LOADS, T_NO_RESULT
};
/* clang-format on */
#define T(x)  (1u << T_##x)
#define C(x)  (1u << CL_##x)
#define RO(x) (1u << ROLE_##x)
#define IS(x) (UINT64_C(1) << END_##x)

/* Scalars are told apart by what they are for. */
enum { FS = 1, FVCC = 2, FEXEC = 4, FM0 = 8, FV = 16, FA = 32 };

/* Those that end a step come first in both. */
enum gcn_happening_end {
#define ENDING(id, ...) END_##id,
#include "hazard.def"
	N_END
};
enum gcn_happening_id {
#define EVENT(id, ...)	IS_##id,
#define ENDING(id, ...) IS_##id,
#include "hazard.def"
	N_EVENT
};
struct gcn_happening {
	uint32_t classes;
	uint64_t any, none;
	uint32_t traits;
};
extern const struct gcn_happening gcn_happenings[N_EVENT];

enum gcn_touch_id {
#define TOUCH(id, ...) TOUCH_##id,
#include "hazard.def"
	N_TOUCH
};
struct gcn_touch {
	uint8_t files, access;
	uint32_t roles;
};
extern const struct gcn_touch gcn_touches[N_TOUCH];

/* What the line is, with its effect; `events` are the first 64. */
void gcn_hazard_classify(const struct gcn_target *t, const struct gcn_line *l,
			 struct gcn_hazard_line *out);
bool gcn_fits(const struct gcn_hazard_line *l, const struct gcn_happening *e);
bool gcn_touched(const struct gcn_range *r, const struct gcn_touch *t);
/* Passes of a matrix instruction as the index of the four numbers of a step;
 * other instructions have four times the same. */
unsigned gcn_passes_idx(const struct gcn_target *t, const struct gcn_insn *in);

static inline bool
gcn_is(const struct gcn_hazard_line *l, unsigned event)
{
	return event < 64 ? l->events >> event & 1 : gcn_fits(l, &gcn_happenings[event]);
}

#endif
