/* hazard.def as data: kinds of instructions, the registers that they concern, and rules.
 * event.c classifies lines of code; hazard.c searches for rule violations. */
#ifndef AMDGCN_RULE_H
#define AMDGCN_RULE_H

#include "hazard.h"

/* Traits, which depend on the values of operands. */
/* clang-format off */
enum gcn_trait {
	T_DPP, T_NOT_SOPP, T_BUFFER, T_LDS_DIRECT, T_WIDE_STORE, T_PART_DST, T_VM_VSRC_0,
	T_SA_SDST_0, T_VA_VDST_0, T_VA_SDST_0, T_VA_VCC_0, T_WAIT_ALL_0, T_VSCNT_0, T_LGKM_0,
	T_WRITES_SGPR, T_PASSES_4, T_DEALLOC, T_LDS, T_OFFSET_3F, T_SELF, T_LOADS, T_NO_RESULT,
	/* set by gcn_pairs_follow: */
	T_READS_PAIR, T_SALU_PAIR, T_VALU_PAIR, T_VALU_VCC,
	/* gfx1250: */
	T_IDLE, T_IDLE_HWREG, T_SCRATCH_BASE, T_BASE_SGPR, T_ONE_RESULT, T_BOTH_SDST_0
};
/* clang-format on */
#define T(x)  (1u << T_##x)
#define C(x)  (1u << CL_##x)
#define RO(x) (1u << ROLE_##x)
#define IS(x) (UINT64_C(1) << END_##x)

/* Register files. Scalar registers are distinguished by purpose. */
enum { FS = 1, FVCC = 2, FEXEC = 4, FM0 = 8, FV = 16, FA = 32 };

/* Events that end a step come first in both enums. */
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

/* gcn_relation: how the registers of a step's line must relate to those in question.
 * gcn_partner: the line of the latter. gcn_count: the unit of distances. */
/* clang-format off */
enum gcn_relation {
	REL_ANY, REL_OVERLAP, REL_EXACT, REL_PARTIAL, REL_SAME_OPCODE, REL_OTHER_OPCODE, REL_PAIR,
	REL_OTHER, REL_HWREG, REL_SCRATCH
};
/* clang-format on */
enum gcn_partner { PARTNER_LATER, PARTNER_CONTINUE, PARTNER_BEFORE, PARTNER_BEFORE_OR_AT };
enum gcn_count { COUNT_WS, COUNT_LINES, COUNT_VALU, COUNT_SALU, COUNT_VALU_TRANS, COUNT_SGPR };
enum { GCN_ANY_DISTANCE = 255 };

struct gcn_step {
	uint8_t event, touch, relation, other, partner, count;
	uint8_t need[4];
	uint64_t ends;
	uint8_t own_event, own_touch; /* also ends the step if it touches the register */
};
struct gcn_rule {
	const char *name;
	uint32_t targets, feature;
	uint8_t wave, event, touch;
	struct gcn_step step[GCN_RULE_STEPS]; /* terminated by event NEVER */
	const char *what, *fix;
};
enum {
#define RULE(name, ...)		RULE_##name,
#define RULE_FEATURE(name, ...) RULE_##name,
#include "hazard.def"
	GCN_N_RULE
};
extern const struct gcn_rule gcn_rules[GCN_N_RULE];
bool gcn_rule_holds(const struct gcn_rule *r, const struct gcn_target *t, uint32_t features);

/* Classifies the line and computes its effect. `events` contains the first 64 events. */
void gcn_hazard_classify(const struct gcn_target *t, const struct gcn_line *l,
			 struct gcn_hazard_line *out);
/* Recompute the traits from the effect, and the events from traits and effect, after the
 * caller has changed the effect or the traits. */
void gcn_hazard_traits(const struct gcn_target *t, const struct gcn_line *l,
		       struct gcn_hazard_line *out);
void gcn_hazard_events(struct gcn_hazard_line *out);
/* Like gcn_hazards, for lines that are already classified. */
size_t gcn_hazards_of(const struct cfg *f, struct gcn_hazard_line *line,
		      struct gcn_hazard_block *block, uint32_t features_off,
		      void (*found)(void *user, const struct gcn_hazard *h), void *user);
/* Sets the traits of gfx12's rules about pairs of registers. */
void gcn_pairs_follow(const struct cfg *f, struct gcn_hazard_line *line,
		      struct gcn_hazard_block *block);
bool gcn_fits(const struct gcn_hazard_line *l, const struct gcn_happening *e);
/* Returns the halves of the scratch base, bits 0 and 1, that the instruction names as a source, or
 * whose SGPRs, s102 and s103, it writes. */
unsigned gcn_scratch_halves(const struct gcn_insn *in, const struct gcn_effect *e, bool written);
bool gcn_touched(const struct gcn_range *r, const struct gcn_touch *t);

static inline bool
gcn_is(const struct gcn_hazard_line *l, unsigned event)
{
	return event < 64 ? l->events >> event & 1 : gcn_fits(l, &gcn_happenings[event]);
}

#endif
