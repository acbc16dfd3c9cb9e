/* Texts of a fatbin's rows: kernels, template values, targets. */
#include "fatbin.h"

#include <errno.h>
#include <stdlib.h>

void
fatbin_variant(struct buf *out, const struct qd_tmpl *tmpl, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *between = i ? ";" : "";
		if (tmpl[i].type != QD_TYPE_NONE)
			buf_printf(out, "%s%s=%s", between, tmpl[i].name, qd_type_name(tmpl[i].type));
		else
			buf_printf(out, "%s%s=%lld", between, tmpl[i].name, (long long)tmpl[i].value);
	}
}

/* Parses a type's name or a decimal number. */
static bool
read_value(const char *s, size_t len, struct qd_tmpl *out)
{
	char text[24], *end;

	for (qd_type t = QD_TYPE_BOOL; t <= QD_TYPE_BF16; t++) {
		const char *name = qd_type_name(t);
		if (strlen(name) == len && memcmp(name, s, len) == 0) {
			out->type = t;
			return true;
		}
	}
	if (len == 0 || len >= sizeof text)
		return false;
	memcpy(text, s, len);
	text[len] = '\0';
	errno = 0;
	out->value = strtoll(text, &end, 10);
	return !*end && errno == 0;
}

qd_status
fatbin_values(const char *variant, struct qd_tmpl *out, uint32_t *n, char names[FATBIN_NAMES],
	      struct qd_error *err)
{
	size_t cap = FATBIN_NAMES;

	*n = 0;
	for (const char *s = variant; *s;) {
		size_t name = strcspn(s, "=;"), len = s[name] == '=' ? strcspn(s + name + 1, ";") : 0;
		struct qd_tmpl t = { .name = names };
		if (name == 0 || s[name] != '=' || *n == MAX_TMPL || name + 1 > cap ||
		    !read_value(s + name + 1, len, &t))
			return qd_fail(err, QD_E_INVALID, "'%.200s' are not template values",
				       variant);
		memcpy(names, s, name);
		names[name] = '\0';
		names += name + 1;
		cap -= name + 1;
		out[(*n)++] = t;
		s += name + 1 + len;
		s += *s == ';';
	}
	return QD_OK;
}

/* -- Texts ------------------------------------------------------------------------------------------ */

static bool
has_control(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 127)
			return true;
	}
	return false;
}

const char *
fatbin_wrong_text(const char *kernel, const char *variant, const char *target)
{
	static const char of_targets[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+:.,";
	struct qd_tmpl values[MAX_TMPL];
	char names[FATBIN_NAMES];
	uint32_t n;

	if (!*kernel || strlen(kernel) > MAX_TEXT_NAME || has_control(kernel))
		return "a kernel name that is empty, longer than 255 bytes or contains control "
		       "characters";
	if (has_control(variant) || fatbin_values(variant, values, &n, names, QD_IGNORE_ERROR) != QD_OK)
		return "template values without the form NAME=VALUE;NAME=VALUE";
	if (!*target || target[strspn(target, of_targets)])
		return "a target name with invalid characters";
	return NULL;
}

bool
fatbin_has_values(const char *variant, const struct qd_tmpl *tmpl, uint32_t n_tmpl)
{
	struct qd_tmpl have[MAX_TMPL];
	char names[FATBIN_NAMES];
	uint32_t n;

	if (fatbin_values(variant, have, &n, names, QD_IGNORE_ERROR) != QD_OK || n != n_tmpl)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = 0;
		while (j < n && strcmp(have[i].name, tmpl[j].name) != 0)
			j++;
		if (j == n || have[i].type != tmpl[j].type ||
		    (have[i].type == QD_TYPE_NONE && have[i].value != tmpl[j].value))
			return false;
	}
	return true;
}
