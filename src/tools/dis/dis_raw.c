/* Words of AMD code without a file format, for a target that --raw names, as bytes or as
 * hexadecimal text. */
#include "dis_gcn.h"

#include <elf.h>

#include "hex.h"

const struct gcn_target *
dis_raw_target(const char *text)
{
	char name[64];
	size_t len = strcspn(text, ":");
	unsigned wave = 0;
	bool good = len < sizeof name;

	if (strcmp(text + len, ":w32") == 0)
		wave = 32;
	else if (strcmp(text + len, ":w64") == 0)
		wave = 64;
	else
		good = good && !text[len];
	snprintf(name, sizeof name, "%.*s", (int)(good ? len : 0), text);
	const struct gcn_target *t = gcn_target_find(name, wave);
	if (!t)
		tool_usage("--raw takes an AMD target from gfx900 to gfx1201, with :w32 or :w64 if "
			   "it supports both, not '%s'",
			   text);
	return t;
}

struct elf_file
dis_raw_read(const struct dis *s, struct arena *mem, struct elf_section sections[2])
{
	const uint8_t *bytes = (const uint8_t *)s->data;
	size_t n = s->size;
	struct qd_error e;

	if (!n)
		tool_die(EXIT_INPUT, "'%s': offset 0x0: the file is empty", s->req->file);
	if (hex_is_text(s->data, n)) {
		uint8_t *words;
		if (hex_read(mem, s->req->file, s->data, s->size, &words, &n, &e))
			tool_fail(&e);
		bytes = words;
	}
	/* the only section contains the code */
	sections[0] = (struct elf_section){ .name = "" };
	sections[1] = (struct elf_section){
		.name = "", .type = SHT_PROGBITS, .flags = SHF_EXECINSTR, .size = n, .data = bytes
	};
	return (struct elf_file){
		.data = bytes, .size = n, .n_sections = 2, .sections = sections, .type = ET_REL
	};
}
