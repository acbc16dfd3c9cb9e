/* The tables of classes, pipes and clock models. */
#include <stdlib.h>

#include "profile.h"

enum { VMEM_LATENCY = 500, LDS_LATENCY = 100, SMEM_LATENCY = 200 };

static const char *const class_names[PROFILE_N_CLASS] = {
#define CLASS(id, name, pipe) name,
#include "class.def"
};

static const char *const pipe_names[PROFILE_N_PIPE] = {
#define PIPE(id, name, shared) name,
#include "pipe.def"
};

static const struct profile_clock clocks[] = {
#define CLOCK(id, n_lanes, g, valu, quarter, trans, f64, salu, branch, l_valu, l_quarter, l_trans, \
	      l_f64, l_salu, l_branch, n_simds, own, slot, l, a, t, b, s)                          \
	{ .name = id,                                                                              \
	  .lanes = n_lanes,                                                                        \
	  .gap = g,                                                                                \
	  .simds = n_simds,                                                                        \
	  .line = l,                                                                               \
	  .addr = a,                                                                               \
	  .threads = t,                                                                            \
	  .blocks = b,                                                                             \
	  .shared = s,                                                                             \
	  .busy = { valu, quarter, trans, f64, salu, 1, 1, g, branch, g, g },                      \
	  .latency = { l_valu, l_quarter, l_trans, l_f64, l_salu, LDS_LATENCY, VMEM_LATENCY,       \
		       SMEM_LATENCY, l_branch, 0, 0 },                                             \
	  .own_pipes = own,                                                                        \
	  .one_slot = slot },
#include "clock.def"
};

const char *
profile_class_name(unsigned class)
{
	return class_names[class];
}

unsigned
profile_class_find(const char *name)
{
	unsigned k = 0;

	while (k < PROFILE_N_CLASS && strcmp(class_names[k], name))
		k++;
	return k;
}

const char *
profile_pipe_name(unsigned pipe)
{
	return pipe_names[pipe];
}

bool
profile_clock_find(const char *name, struct profile_clock *out)
{
	bool is_sm = strncmp(name, "sm_", 3) == 0, found = false;
	unsigned long sm = is_sm ? strtoul(name + 3, NULL, 10) : 0;

	for (size_t i = 0; i < QD_COUNT(clocks); i++) {
		const char *id = clocks[i].name;
		if (is_sm ? strncmp(id, "sm_", 3) || strtoul(id + 3, NULL, 10) > sm
			  : strcmp(id, name))
			continue;
		*out = clocks[i];
		found = true;
	}
	return found;
}
