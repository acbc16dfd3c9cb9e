/* Damage to the text of an instruction, and alternative spellings of it. */
#ifndef TEST_GCN_DAMAGE_H
#define TEST_GCN_DAMAGE_H

#include <stdbool.h>

#include "dice.h"

enum { DAMAGE_TEXT = 400 };

enum damage {
	NO_DAMAGE,
#define DAMAGE(name) DAMAGE_##name,
#include "damage.def"
	N_DAMAGE
};
extern const char *const damage_name[N_DAMAGE];

/* Damages `text` into `out`. `other` is the text of another instruction of the target, which
 * supplies foreign operands and modifiers. Returns false if this kind does not apply to the
 * text. */
bool damage_text(struct dice *d, enum damage kind, const char *text, const char *other,
		 char out[DAMAGE_TEXT]);

#endif
