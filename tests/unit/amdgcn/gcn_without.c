/* Second copy of the plan and exec rules, in which gcn_fault disables one rule. */
#define gen_plan      gen_plan_without
#define gen_is_single gen_is_single_without
#define gen_exec_init gen_exec_init_without
#define gen_exec_at   gen_exec_at_without
#include "gcn_wave.h"

enum gcn_fault gcn_fault;

#define PLAN_RULE(name) (gcn_fault != FAULT_##name)
#define EXEC_RULE(name) (gcn_fault != FAULT_##name)
#include "../../../isa/amdgcn/gen/exec.c"
#include "../../../isa/amdgcn/gen/liveness.c"

const struct gcn_ruleset gcn_ruleset_without = { gen_plan, gen_exec_init, gen_exec_at };
