/* Identification of devices as targets. */
#include "target.h"
#include "unit.h"

#include <stdio.h>

static const struct amd_gpu *
identify(struct unit_ctx *t, uint32_t ip, uint32_t family, uint32_t rev, const struct amd_gpu *want)
{
	const struct amd_gpu *g = NULL;
	struct qd_error e = { .text = "" };
	qd_status st = amd_gpu_identify(ip, family, rev, &g, &e);

	UNIT_CHECK(t, !st && g == want, "%s by 0x%x, %u, 0x%x: %s %s", want->name, ip, family, rev, g ? g->name : "none", e.text);
	return g;
}

/* Checks that each number identifies its target, and that each target has a number of each kind. */
static void
numbers(struct unit_ctx *t)
{
	const struct amd_gpu *g;
	unsigned n = 0, n_ip = 0, n_family = 0;

	for (size_t i = 0; (g = amd_gpu_at(i)); i++, n++) {
		uint32_t ip, family, first, last;
		size_t k;
		for (k = 0; amd_gpu_ip(g, k, &ip); k++, n_ip++)
			identify(t, ip, 0, 0, g);
		UNIT_CHECK(t, k, "%s has no version", g->name);
		for (k = 0; amd_gpu_family(g, k, &family, &first, &last); k++, n_family++) {
			identify(t, 0, family, first, g);
			identify(t, 0, family, last, g);
			/* The version from IP discovery takes precedence. */
			UNIT_CHECK(t, amd_gpu_ip(g, 0, &ip), "%s", g->name);
			identify(t, ip, family + 1, 0, g);
		}
		UNIT_CHECK(t, k, "%s is of no family", g->name);
		UNIT_CHECK(t, amd_gpu_find(g->name, strlen(g->name)) == g, "%s is not found", g->name);
	}
	UNIT_CHECK(t, n_ip >= n && n_family >= n && n > 20, "%u devices, %u versions, %u revisions", n, n_ip, n_family);
	UNIT_CHECK(t, !amd_gpu_find("gfx1250", 7) && !amd_gpu_find("gfx110", 6) && !amd_gpu_find("", 0), "found");
}

/* Checks entries copied by hand from the kernel driver's tables. */
static void
known(struct unit_ctx *t)
{
	static const struct {
		uint32_t ip, family, rev;
		const char *name;
	} rows[] = {
		{ AMD_IP(10, 1, 1), 0, 0, "gfx1012" }, { AMD_IP(10, 3, 1), 0, 0, "gfx1033" },
		{ AMD_IP(11, 0, 3), 0, 0, "gfx1101" }, { AMD_IP(11, 0, 1), 0, 0, "gfx1103" },
		{ AMD_IP(9, 4, 4), 0, 0, "gfx942" },   { AMD_IP(12, 0, 1), 0, 0, "gfx1201" },
		{ 0, 141, 0x31, "gfx906" },  { 0, 141, 0x32, "gfx908" },  { 0, 142, 0x79, "gfx902" }, { 0, 142, 0xa1, "gfx90c" },
		{ 0, 143, 0x28, "gfx1030" }, { 0, 143, 0x81, "gfx1034" }, { 0, 144, 1, "gfx1033" },   { 0, 145, 0x0f, "gfx1100" },
		{ 0, 145, 0x10, "gfx1102" }, { 0, 145, 0x20, "gfx1101" }, { 0, 148, 0xf0, "gfx1103" }, { 0, 150, 0x10, "gfx1150" },
		{ 0, 150, 0xc1, "gfx1151" }, { 0, 146, 1, "gfx1035" },	  { 0, 152, 0x51, "gfx1201" },
	};
	static const struct {
		uint32_t ip, family, rev;
		const char *why;
	} wrong[] = {
		{ AMD_IP(12, 1, 0), 0, 0,
		  "the device is gfx1250, which qd does not support: its compute registers differ from those of gfx12, and no table contains them" },
		{ AMD_IP(13, 0, 2), 152, 0x40,
		  "the device's graphics core has version 13.0.2, which qd does not support; it supports some from 9.0.1 (gfx900) "
		  "to 12.0.1 (gfx1201)" },
		{ 0, 154, 0x01, "the device is gfx1154, which qd does not support: no target of that name is known to qd's "
				"code generator" },
		{ 0, 130, 1, "the device is of family 130, which qd does not support; it supports 141 to 152, gfx9 to gfx12" },
		{ 0, 152, 0x3f, "the device is of family 152 with the external revision 0x3f, which qd does not support" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++)
		identify(t, rows[i].ip, rows[i].family, rows[i].rev, amd_gpu_find(rows[i].name, strlen(rows[i].name)));
	for (size_t i = 0; i < QD_COUNT(wrong); i++) {
		const struct amd_gpu *g = NULL;
		struct qd_error e = { .text = "" };
		qd_status st = amd_gpu_identify(wrong[i].ip, wrong[i].family, wrong[i].rev, &g, &e);
		UNIT_CHECK(t, st == QD_E_UNAVAILABLE && !g && strcmp(e.text, wrong[i].why) == 0, "%s", e.text);
	}
}

const struct unit units_amdgpu_target[] = {
	{ "amdgpu_target.numbers", numbers },
	{ "amdgpu_target.known", known },
};
const unsigned n_units_amdgpu_target = QD_COUNT(units_amdgpu_target);
