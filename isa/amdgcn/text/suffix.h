/* Suffixes of mnemonics, and the hash of names without suffix. Used by asm.c, and by index.c at
 * build time. */
#ifndef AMDGCN_SUFFIX_H
#define AMDGCN_SUFFIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { GCN_N_NAME_LIST = 2048 };
enum gcn_suffix { NO_SUFFIX, E64_DPP, E32, E64, DPP_SUFFIX, SDWA_SUFFIX };

/* Removes the suffix from *len and returns it. */
static inline enum gcn_suffix
gcn_cut_suffix(const char *name, size_t *len)
{
	static const struct {
		const char *text;
		size_t len;
	} suffix[] = { [E64_DPP] = { "_e64_dpp", 8 }, [E32] = { "_e32", 4 }, [E64] = { "_e64", 4 },
		       [DPP_SUFFIX] = { "_dpp", 4 }, [SDWA_SUFFIX] = { "_sdwa", 5 } };
	char last = *len > 4 ? name[*len - 1] : '\0';

	if (last != '2' && last != '4' && last != 'p' && last != 'a')
		return NO_SUFFIX;
	for (unsigned i = E64_DPP; i <= SDWA_SUFFIX; i++) {
		size_t n = suffix[i].len;
		if (*len > n && !memcmp(name + *len - n, suffix[i].text, n)) {
			*len -= n;
			return (enum gcn_suffix)i;
		}
	}
	return NO_SUFFIX;
}

static inline unsigned
gcn_name_hash(const char *name, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return (h ^ h >> 15) % GCN_N_NAME_LIST;
}

#endif
