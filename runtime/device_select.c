/* Selects one of a driver's devices by a selector. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "device_select.h"

enum { UUID_SIZE = 16 };

/* Names used in messages. */
struct words {
	const char *driver, *noun;
};

static bool
contains(const char *text, const char *part)
{
	size_t len = strlen(part);
	for (; *text; text++) {
		if (strncasecmp(text, part, len) == 0)
			return true;
	}
	return false;
}

static qd_status
not_usable(const struct qd_device_info *p, struct qd_error *err)
{
	return qd_fail(err, QD_E_UNAVAILABLE, "%s (%s) cannot be used: it %s", p->selector,
		       p->name, p->why);
}

static qd_status
choose_index(const struct words *w, const struct qd_device_info *const *all, uint32_t n,
	     const char *which, uint32_t *out, struct qd_error *err)
{
	unsigned long i = strlen(which) < 9 ? strtoul(which, NULL, 10) : n;
	if (i >= n)
		return n == 1 ? qd_fail(err, QD_E_NOT_FOUND, "no device %s:%s; there is 1: %s:0", w->driver,
					which, w->driver)
			      : qd_fail(err, QD_E_NOT_FOUND, "no device %s:%s; there are %u: %s:0 to %u",
					w->driver, which, n, w->driver, n - 1);
	if (!all[i]->usable)
		return not_usable(all[i], err);
	*out = (uint32_t)i;
	return QD_OK;
}

static bool
has_name(const struct qd_device_info *p, const char *which)
{
	return !*which || contains(p->name, which);
}

/* Returns whether the selector is 32 hexadecimal digits, with or without hyphens. */
static bool
is_uuid(const char *which)
{
	size_t digits = 0;
	for (; *which; which++) {
		if (strchr("0123456789abcdefABCDEF", *which))
			digits++;
		else if (*which != '-')
			return false;
	}
	return digits == 2 * UUID_SIZE;
}

static bool
has_uuid(const struct qd_device_info *p, const char *which)
{
	const char *a = p->uuid, *b = which;
	for (;;) {
		a += strspn(a, "-");
		b += strspn(b, "-");
		if (!*a || !*b)
			return *a == *b;
		if (strncasecmp(a++, b++, 1) != 0)
			return false;
	}
}

/* Chooses the first usable match. An unusable one may precede it, since two drivers may list the
 * same card. */
static qd_status
choose_first(const struct words *w, const struct qd_device_info *const *all, uint32_t n,
	     const char *which, bool (*matches)(const struct qd_device_info *p, const char *which),
	     uint32_t *out, struct qd_error *err)
{
	const struct qd_device_info *near = NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (!matches(all[i], which))
			continue;
		if (all[i]->usable) {
			*out = i;
			return QD_OK;
		}
		if (!near)
			near = all[i];
	}
	if (near)
		return not_usable(near, err);
	if (matches == has_name)
		return qd_fail(err, QD_E_NOT_FOUND,
			       "no %s device has '%s' in its name; the first of %u is '%s'",
			       w->noun, which, n, all[0]->name);
	return qd_fail(err, QD_E_NOT_FOUND,
		       "no %s device has the UUID %s; the first of %u, '%s', has %s", w->noun, which, n,
		       all[0]->name, all[0]->uuid[0] ? all[0]->uuid : "none");
}

qd_status
choose_device(const char *driver, const char *noun, const struct qd_device_info *const *all,
	      uint32_t n, const char *which, uint32_t *out, struct qd_error *err)
{
	const struct words w = { driver, noun };
	if (is_uuid(which))
		return choose_first(&w, all, n, which, has_uuid, out, err);
	if (*which && strspn(which, "0123456789") == strlen(which))
		return choose_index(&w, all, n, which, out, err);
	return choose_first(&w, all, n, which, has_name, out, err);
}

qd_status
list_nothing(const char *driver, const struct qd_error *why,
	     void (*add)(void *user, const struct qd_device_info *info), void *user, struct qd_error *err)
{
	struct qd_device_info info = { .usable = false };
	if (why->code == QD_E_NOMEM)
		return qd_fail_text(err, why->code, 0, 0, why->text, strlen(why->text));
	snprintf(info.selector, sizeof info.selector, "%s", driver);
	snprintf(info.name, sizeof info.name, "%s", driver);
	snprintf(info.why, sizeof info.why, "%.255s", why->text);
	add(user, &info);
	return QD_OK;
}
