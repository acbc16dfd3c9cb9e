/* Damage to the text of an instruction, and other spellings of what it says. */
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

/* `other` is the text of some other instruction of the target, from which words
 * are taken.  False when this damage cannot befall this text. */
bool damage_text(struct dice *d, enum damage kind, const char *text, const char *other,
		 char out[DAMAGE_TEXT]);

#endif
