/* Assembles text line by line. */
#include "gcn_text.h"

#include <stdlib.h>

static size_t
one_line(struct unit_ctx *t, const struct gcn_target *target, const char *line, uint32_t *words,
	 size_t cap)
{
	uint32_t w[GCN_MAX_WORDS];
	struct gcn_insn in;
	struct qd_error err = { 0 };
	qd_status status;
	int n = 1;

	if (!strncmp(line, "0x", 2)) {
		w[0] = (uint32_t)strtoul(line, NULL, 16);
		status = QD_OK;
	} else {
		status = gcn_parse(target, line, &in, &err);
		if (!status)
			status = gcn_encode(target, &in, w, &n, &err);
	}
	UNIT_CHECK(t, !status && (size_t)n <= cap, "%s: %s: %s", target->name, line, err.text);
	if (status || (size_t)n > cap)
		return 0;
	memcpy(words, w, (size_t)n * 4);
	return (size_t)n;
}

size_t
gcn_text_words(struct unit_ctx *t, const struct gcn_target *target, const char *text,
	       uint32_t *words, size_t cap)
{
	size_t n = 0;

	while (*text) {
		char line[200];
		size_t len, got;
		text += strspn(text, " \t\n;");
		len = strcspn(text, "\n;");
		if (!len)
			continue;
		if (len >= sizeof line)
			return 0;
		memcpy(line, text, len);
		while (len && line[len - 1] == ' ')
			len--;
		line[len] = '\0';
		got = one_line(t, target, line, words + n, cap - n);
		if (!got)
			return 0;
		n += got;
		text += strcspn(text, "\n;");
	}
	return n;
}
