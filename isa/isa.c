/* Table of back ends, and lookup of targets by name. */
#include <stdio.h>

#include "isa.h"
#include "suggest.h"

extern const struct isa isa_spirv, isa_ptx, isa_amdgcn, isa_ref;

const struct isa *const isa_table[] = { &isa_spirv, &isa_ptx, &isa_amdgcn, &isa_ref };
const uint32_t isa_count = QD_COUNT(isa_table);

static const char *const code_names[N_CODE_KIND] = {
#define CODE_KIND(kind, number, text) [number] = text,
#include "code.def"
};

bool
code_kind_known(unsigned kind)
{
	return kind < N_CODE_KIND && code_names[kind];
}

const char *
code_kind_name(unsigned kind)
{
	return code_kind_known(kind) ? code_names[kind] : "unknown";
}

qd_status
isa_finish_sizes(struct target *t, struct qd_error *err)
{
	struct machine *m = &t->m;

	m->lanes = m->lanes ? m->lanes : m->subgroup_size;
	m->log2_size = qd_log2(m->subgroup_size);
	m->log2_lanes = qd_log2(m->lanes);
	if (machine_max_block(m, m->lanes, m->subgroup_size))
		return QD_OK;
	return qd_fail(err, QD_E_INVALID,
		       "target '%s': a block of %u threads is smaller than a subgroup of %u",
		       t->isa->name, m->max_block_dim, machine_block_step(m));
}

/* -- Metadata -------------------------------------------------------------------- */

qd_status
isa_meta_check(const struct isa_meta *m, struct qd_error *err)
{
	if (m->version != ISA_META_VERSION)
		return qd_fail(
			err, QD_E_VERSION,
			"the record of the code has version %u; this library reads version %u",
			m->version, (uint32_t)ISA_META_VERSION);
	const char *wrong = NULL;
	if (m->flags & ~(uint32_t)(ISA_ARGS_BY_ADDRESS | ISA_FACTS_DIFFER))
		wrong = "unknown flags";
	else if (!m->wave_size || m->wave_size > 1u << MAX_LOG2 ||
		 (m->wave_size & (m->wave_size - 1)))
		wrong = "a subgroup size that is not a power of two up to 128";
	else if (!m->local_size || m->local_size > MAX_BLOCK + (1u << MAX_LOG2))
		wrong = "an invalid block size";
	else if (m->opt_below > OPT_FULL)
		wrong = "an unknown optimization level";
	else if (!memchr(m->entry, '\0', sizeof m->entry))
		wrong = "an unterminated entry point name";
	return wrong ? qd_fail(err, QD_E_INVALID, "the record of the code has %s", wrong) : QD_OK;
}

/* -- Lookup by name ----------------------------------------------------------- */

/* Returns the only back end that accepts the text as an option, such as ptx for sm_90. NULL:
 * none or several. */
static const struct isa *
with_option(const char *option)
{
	const struct isa *found = NULL;
	struct target t;
	char text[64];

	if (snprintf(text, sizeof text, ":%s", option) >= (int)sizeof text)
		return NULL;
	for (uint32_t i = 0; i < isa_count; i++) {
		memset(&t, 0, sizeof t);
		t.isa = isa_table[i];
		if (t.isa->parse(text, &t, NULL) != QD_OK)
			continue;
		if (found)
			return NULL;
		found = t.isa;
	}
	return found;
}

/* Offers the targets that users choose from as suggestions. `text` stores the nearest so far. */
static void
offer_choices(struct suggest *near, const struct isa *isa, char *text, size_t cap)
{
	char one[64];

	for (uint32_t i = 0; isa->choice && isa->choice(i, one, sizeof one); i++) {
		suggest_offer(near, one, (uint32_t)strlen(one));
		if (near->best != one)
			continue;
		snprintf(text, cap, "%s", one);
		near->best = text;
	}
}

/* Common names of drivers and languages, with the corresponding back ends. */
static const char *const other_names[][2] = {
	{ "vulkan", "spirv" }, { "spir-v", "spirv" }, { "glsl", "spirv" },   { "cuda", "ptx" },
	{ "nvptx", "ptx" },    { "nvidia", "ptx" },   { "amdgpu", "amdgcn" }, { "hip", "amdgcn" },
	{ "rocm", "amdgcn" },  { "amd", "amdgcn" },
};

enum { MAX_CHOICE = 64, CHOICE_TEXT = 24 };

/* Returns the length of the common prefix of a choice and the name. For ptx:sm_90 the part
 * after the colon counts. */
static uint32_t
begins_alike(const char *choice, const char *name)
{
	const char *colon = strchr(choice, ':');
	uint32_t n = 0;

	for (choice = colon ? colon + 1 : choice; *choice; choice++) {
		if (*choice == '_' && name[n] != '_')
			continue; /* sm90 */
		if (*choice != name[n])
			break;
		n++;
	}
	return n;
}

/* Returns true if the name is a processor name of this back end with a wrong number, such as
 * gfx999 or sm90. */
static bool
is_family(const struct isa *isa, const char *name)
{
	char one[CHOICE_TEXT] = "";
	uint32_t letters = (uint32_t)strspn(name, "abcdefghijklmnopqrstuvwxyz");

	return letters >= 2 && name[letters] && isa->choice && isa->choice(0, one, sizeof one) &&
	       begins_alike(one, name) >= letters;
}

/* Lists the choices of a back end, with the longest common prefix first. */
static void
list_family(const struct isa *isa, const char *name, char *text, size_t cap)
{
	char one[CHOICE_TEXT];
	size_t n = (size_t)snprintf(text, cap, "; targets of %s, nearest first: ", isa->name);
	bool any = false;

	for (uint32_t alike = CHOICE_TEXT; alike-- > 0;)
		for (uint32_t i = 0; i < MAX_CHOICE && isa->choice(i, one, sizeof one); i++) {
			if (begins_alike(one, name) != alike || n >= cap)
				continue;
			n += (size_t)snprintf(text + n, cap - n, "%s%s", any ? ", " : "", one);
			any = true;
		}
}

/* Lists the first and the last choice of each back end. */
static void
list_ranges(char *text, size_t cap)
{
	char first[CHOICE_TEXT], last[CHOICE_TEXT];
	size_t n = (size_t)snprintf(text, cap, "; with options");

	for (uint32_t i = 0; i < isa_count && n < cap; i++) {
		const struct isa *isa = isa_table[i];
		if (!isa->choice || !isa->choice(0, first, sizeof first))
			continue;
		for (uint32_t j = 0; j < MAX_CHOICE && isa->choice(j, last, sizeof last); j++)
			;
		n += (size_t)snprintf(text + n, cap - n, "%s %s to %s", i ? "," : "", first, last);
	}
}

static QD_COLD qd_status
unknown(const char *name, size_t len, struct qd_error *err)
{
	char known[128], more[512] = "", nearest[64];
	struct suggest near;
	const struct isa *isa = with_option(name), *family = NULL;
	const char *other = NULL;
	size_t n = 0;

	suggest_init(&near, name, (uint32_t)len);
	for (uint32_t i = 0; i < isa_count; i++) {
		const char *it = isa_table[i]->name;
		suggest_offer(&near, it, (uint32_t)strlen(it));
		int added = snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", it);
		if (added < 0 || n + (size_t)added >= sizeof known)
			break;
		n += (size_t)added;
		if (is_family(isa_table[i], name))
			family = isa_table[i];
	}
	for (size_t i = 0; i < QD_COUNT(other_names); i++)
		if (strlen(other_names[i][0]) == len && memcmp(other_names[i][0], name, len) == 0)
			other = other_names[i][1];
	for (uint32_t i = 0; i < isa_count; i++)
		offer_choices(&near, isa_table[i], nearest, sizeof nearest);
	if (isa)
		snprintf(more, sizeof more, "; did you mean '%s:%s'?", isa->name, name);
	else if (other)
		snprintf(more, sizeof more, "; did you mean '%s'?", other);
	else if (family)
		list_family(family, name, more, sizeof more);
	else if (near.best)
		snprintf(more, sizeof more, "; %s", suggest_text(&near, ""));
	else
		list_ranges(more, sizeof more);
	return qd_fail(err, QD_E_NOT_FOUND, "no target is named '%.*s'; targets: %.*s%s",
		       (int)(len > 64 ? 64 : len), name, (int)n, known, more);
}

qd_status
isa_target(const char *name, struct target *out, struct qd_error *err)
{
	size_t len = strcspn(name, ":");

	for (uint32_t i = 0; i < isa_count; i++) {
		const struct isa *isa = isa_table[i];
		bool is_one = isa->names && isa->names(name, len);
		if (!is_one && (strlen(isa->name) != len || memcmp(isa->name, name, len) != 0))
			continue;
		memset(out, 0, sizeof *out);
		out->isa = isa;
		return isa->parse(is_one ? name : name + len, out, err);
	}
	return unknown(name, len, err);
}

uint32_t
qd_target_count(void)
{
	return isa_count;
}

const char *
qd_target_name(uint32_t i)
{
	return i < isa_count ? isa_table[i]->name : NULL;
}
