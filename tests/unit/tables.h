/* List of all unit tables, for the runners. */
#ifndef UNIT_TABLES_H
#define UNIT_TABLES_H

#include "unit.h"

/* One entry per t_*.c that exports units_NAME. */
#define UNIT_TABLES(X) \
	X(base) \
	X(context) \
	X(number) \
	X(npy) \
	X(eval) \
	X(float) \
	X(ir) \
	X(pass) \
	X(prim) \
	X(spirv) \
	X(gcn_call) \
	X(gcn_descriptor) \
	X(gcn_label) \
	X(gcn_strict) \
	X(gcn_asm) \
	X(object) \
	X(foreign) \
	X(foreign_bad) \
	X(foreign_hip) \
	X(hsa) \
	X(spirv_dis) \
	X(dis) \
	X(spirv_memory) \
	X(half) \
	X(spirv_mode) \
	X(spirv_op) \
	X(ptx) \
	X(made) \
	X(emu) \
	X(emu_amd) \
	X(gcn) \
	X(gcn_op) \
	X(gcn_path) \
	X(gcn_effect) \
	X(gcn_flow) \
	X(gcn_hazard) \
	X(gcn_image) \
	X(gcn_live) \
	X(gcn_limit) \
	X(gcn_spill) \
	X(gcn_plan) \
	X(gcn_exec) \
	X(gcn_wait) \
	X(bringup) \
	X(lang) \
	X(lang_limit) \
	X(life) \
	X(key) \
	X(jit) \
	X(launch) \
	X(ref) \
	X(ref_check) \
	X(ref_flow) \
	X(ref_memory) \
	X(ref_undef) \
	X(precondition) \
	X(assert_print) \
	X(copy) \
	X(count) \
	X(ref_run) \
	X(report) \
	X(stream) \
	X(pair) \
	X(limits) \
	X(cancel) \
	X(target) \
	X(transfer) \
	X(api) \
	X(bounds) \
	X(launch_layout) \
	X(device) \
	X(fatbin) \
	X(fatbin_bad) \
	X(fatbin_run) \
	X(fatbin_save) \
	X(select) \
	X(emu_gcn) \
	X(emu_gcn_op) \
	X(emu_gcn_states) \
	X(emu_ptx) \
	X(emu_ptx_find) \
	X(profile) \
	X(disk) \
	X(disk_dir) \
	X(disk_file) \
	X(disk_short) \
	X(disk_cuda) \
	X(disk_vulkan) \
	X(dispatch) \
	X(fork) \
	X(amdgpu) \
	X(cuda) \
	X(launch_facts) \
	X(vulkan) \
	X(vulkan_device) \
	X(wrong) \
	X(diag) \
	X(names) \
	X(pm4) \
	X(pm4_dis) \
	X(pm4_wrong) \
	X(amdgpu_target)

struct unit_table {
	const char *name;
	const struct unit *units;
	const unsigned *n_units;
};
extern const struct unit_table unit_tables[];
extern const unsigned n_unit_tables;

#endif
