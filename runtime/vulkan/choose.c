/* Which of the physical devices a selector means. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "vulkan_internal.h"

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
not_usable(const struct vulkan_physical *p, struct qd_error *err)
{
	return qd_fail(err, QD_E_UNAVAILABLE, "%s (%s) cannot be used: it %s", p->info.selector,
		       p->info.name, p->info.why);
}

static qd_status
choose_index(const struct vulkan_physical *all, uint32_t n, const char *which, uint32_t *out,
	     struct qd_error *err)
{
	unsigned long i = strlen(which) < 9 ? strtoul(which, NULL, 10) : n;
	if (i >= n)
		return qd_fail(err, QD_E_NOT_FOUND, "no device vulkan:%s; there %s %u, from 0",
			       which, n == 1 ? "is" : "are", n);
	if (!all[i].info.usable)
		return not_usable(&all[i], err);
	*out = (uint32_t)i;
	return QD_OK;
}

static bool
has_name(const struct vulkan_physical *p, const char *which)
{
	return !*which || contains(p->info.name, which);
}

/* 32 hexadecimal digits, with or without hyphens? */
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
	return digits == 2 * VK_UUID_SIZE;
}

static bool
has_uuid(const struct vulkan_physical *p, const char *which)
{
	const char *a = p->info.uuid, *b = which;
	for (;;) {
		a += strspn(a, "-");
		b += strspn(b, "-");
		if (!*a || !*b)
			return *a == *b;
		if (strncasecmp(a++, b++, 1) != 0)
			return false;
	}
}

/* The first usable one of those that match: one that is not may stand before it, and
 * two drivers may have the same card. */
static qd_status
choose_first(const struct vulkan_physical *all, uint32_t n, const char *which,
	     bool (*matches)(const struct vulkan_physical *p, const char *which), uint32_t *out,
	     struct qd_error *err)
{
	const struct vulkan_physical *near = NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (!matches(&all[i], which))
			continue;
		if (all[i].info.usable) {
			*out = i;
			return QD_OK;
		}
		if (!near)
			near = &all[i];
	}
	if (near)
		return not_usable(near, err);
	if (matches == has_name)
		return qd_fail(err, QD_E_NOT_FOUND,
			       "no Vulkan device has '%s' in its name; the first of %u is '%s'",
			       which, n, all[0].info.name);
	return qd_fail(err, QD_E_NOT_FOUND,
		       "no Vulkan device has the UUID %s; the first of %u, '%s', has %s", which, n,
		       all[0].info.name, all[0].info.uuid[0] ? all[0].info.uuid : "none");
}

qd_status
vulkan_choose(const struct vulkan_physical *all, uint32_t n, const char *which, uint32_t *out,
	      struct qd_error *err)
{
	if (is_uuid(which))
		return choose_first(all, n, which, has_uuid, out, err);
	if (*which && strspn(which, "0123456789") == strlen(which))
		return choose_index(all, n, which, out, err);
	return choose_first(all, n, which, has_name, out, err);
}
