#!/usr/bin/env bash
# driver.sh CONFIG COMMAND...: runs a command with one driver; other drivers are hidden. CONFIG is
# one of:
#   lvp4, lvp8, lvp16: Mesa's lavapipe with that subgroup size. lvp4 and lvp16 set GALLIVM_PERF=nopt
#     unless it is set: without LLVM's optimization passes, cells take two thirds of the time.
#   sws: SwiftShader, of Chromium if it is installed, else as unpacked by swiftshader.sh
#   fakecuda, fakeamd: tests/fake_cuda and tests/amdgpu_fake, of the build that contains COMMAND
#   navi21, gfx1100, vega20, aldebaran, polaris10 (RADV), tgl, skl (ANV), bdw (hasvk): Mesa's drivers
#     without their GPUs, which compile but do not run (tests/nullgpu). Intel's use a stand-in for
#     i915, of the build that contains COMMAND
# If the driver is not available, prints what is missing and exits with 77, or with 0 if the command
# prints TAP, which has a line for skips.
#
# QD_TEST_MESA: a directory of mesa.sh, whose lavapipe replaces the installed one. COMMAND must then be a
# program and not a script.
# QD_TEST_CACHE: a directory for Mesa's shader cache, kept for the next run.
# QD_TEST_LOCALE: makes a locale with a decimal comma available (locale.sh).
set -eu
config=$1
shift
export QD_CACHE=${QD_CACHE-0} # not the user's cache
case " $* " in *" --tap "*) skipped=0 ;; *) skipped=77 ;; esac

skip() {
	echo "1..0 # SKIP $config: $1"
	exit $skipped
}

find_icd() { # name patterns
	for f in "$@"; do
		if [ -f "$f" ]; then
			echo "$f"
			return
		fi
	done
}

# Configuration of a fake: QD_FAKE_CUDA (tests/fake_cuda/config.c), QD_FAKE_AMDGPU
# (tests/amdgpu_fake/config.c; by default gfx1100).
fake='' icd_name=''
case $config in
fakecuda) fake=tests/fake_cuda/libcuda.so.1 ;;
fakeamd) fake=tests/amdgpu_fake/libdrm_amdgpu.so.1 ;;
navi21 | gfx1100 | vega20 | aldebaran | polaris10) icd_name=radeon ;;
tgl | skl) icd_name=intel fake=tests/nullgpu/libnull_i915.so ;;
bdw) icd_name=intel_hasvk fake=tests/nullgpu/libnull_i915.so ;;
esac
if [ -n "$icd_name" ]; then
	icd=$(find_icd /usr/share/vulkan/icd.d/${icd_name}_icd*.json)
	[ -n "$icd" ] || skip "${icd_name}_icd.json is not installed (mesa-vulkan-drivers)"
	# The stand-in for i915 supports the calls of Mesa 22; later versions make others.
	mesa=$(dpkg-query -W -f '${Version}' mesa-vulkan-drivers 2>/dev/null || true)
	case $fake/$mesa in /* | */22.* | */) ;; *) skip "the stand-in for i915 is for Mesa 22, and this is $mesa" ;; esac
fi
if [ -n "$fake" ]; then
	dir=$(cd "$(dirname "$1")" && pwd)
	while [ "$dir" != / ] && [ ! -f "$dir/$fake" ]; do
		dir=$(dirname "$dir")
	done
	[ "$dir" != / ] || skip "${fake%/*} is not built where $1 is"
fi
if [ -n "$icd_name" ]; then
	export VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd MESA_SHADER_CACHE_DISABLE=true
	if [ -n "$fake" ]; then
		export QD_NULL_I915=$config LD_PRELOAD=$dir/$fake
	else
		# Mesa 23.1 and later call gfx1100 by its chip's name.
		lib=$(sed -n 's/.*"library_path": *"\([^"]*\)".*/\1/p' "$icd")
		[ -f "$lib" ] || lib=$(find_icd /usr/lib/*/"${lib##*/}")
		if [ "$config" = gfx1100 ] && LC_ALL=C grep -qai '[^a-z]navi31[^a-z]' "$lib"; then config=navi31; fi
		export RADV_FORCE_FAMILY=$config
	fi
	exec "$@"
fi
if [ -n "$fake" ]; then
	export LD_LIBRARY_PATH=$dir/${fake%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	if [ "$config" = fakecuda ]; then
		export QD_FAKE_CUDA="devices=1 ${QD_FAKE_CUDA-}"
	else
		export QD_FAKE_AMDGPU="gpu=gfx1100 strict=1 ${QD_FAKE_AMDGPU-}"
	fi
	export VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null
	exec "$@"
fi
case $config in
lvp4) width=128 perf=nopt ;;
lvp8) width=256 perf= ;;
lvp16) width=512 perf=nopt ;;
sws) width= ;;
*)
	echo "driver.sh: no configuration is named '$config'" >&2
	exit 2
	;;
esac

if [ -n "$width" ]; then
	if [ -n "${QD_TEST_MESA-}" ]; then
		icd=$(find_icd "$QD_TEST_MESA/lvp_icd.json")
		[ -n "$icd" ] || skip "$QD_TEST_MESA is not a directory of mesa.sh"
	else
		icd=$(find_icd /usr/share/vulkan/icd.d/lvp_icd*.json)
		[ -n "$icd" ] || skip "lavapipe is not installed (mesa-vulkan-drivers)"
	fi
	export LP_NATIVE_VECTOR_WIDTH=$width GALLIVM_PERF=${GALLIVM_PERF-$perf}
	if [ -n "${QD_TEST_CACHE-}" ]; then
		# Mesa's cache is not keyed by the width: one directory for each width and each Mesa.
		lib=$(sed -n 's/.*"library_path": *"\([^"]*\)".*/\1/p' "$icd")
		mesa=$(stat -Lc %s-%Y "$icd" "$lib" 2>/dev/null | cksum)
		export MESA_SHADER_CACHE_DIR=$QD_TEST_CACHE/$config-${mesa%% *}
		mkdir -p "$MESA_SHADER_CACHE_DIR"
	else
		export MESA_SHADER_CACHE_DISABLE=true
	fi
	export LP_NUM_THREADS=${LP_NUM_THREADS-0}
else
	unpacked=${QD_TEST_MESAS:-${XDG_CACHE_HOME:-${HOME-}/.cache}/qd-test}/swiftshader
	icd=$(find_icd /usr/lib/chromium/vk_swiftshader_icd.json /usr/share/vulkan/icd.d/vk_swiftshader_icd*.json \
		"$unpacked/vk_swiftshader_icd.json")
	[ -n "$icd" ] || skip "SwiftShader is not installed (bash tests/scripts/swiftshader.sh unpacks it)"
fi
if [ -n "${QD_TEST_VALIDATE-}" ]; then
	layer=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
	if [ -f "$layer" ]; then
		export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
	elif [ "$QD_TEST_VALIDATE" != maybe ]; then
		skip "the validation layer is not installed (vulkan-validationlayers)"
	fi
fi
# The C library keeps freed memory, since the drivers' compilers allocate it again immediately.
# (Saves a quarter of the time on SwiftShader.)
export MALLOC_MMAP_THRESHOLD_=67108864 MALLOC_TRIM_THRESHOLD_=536870912 MALLOC_TOP_PAD_=4194304
export VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd
run_dir=$(mktemp -d)
trap 'rm -rf "$run_dir"' EXIT
chmod 700 "$run_dir"
export XDG_RUNTIME_DIR=$run_dir
if [ -n "${QD_TEST_LOCALE-}" ]; then
	# shellcheck source=tests/scripts/locale.sh
	. "$(dirname "$0")/locale.sh"
	decimal_comma "$run_dir" || true
fi
# A lavapipe of a later Debian needs that Debian's C library.
if [ -n "$width" ] && [ -n "${QD_TEST_MESA-}" ]; then
	libraries=$(realpath "$QD_TEST_MESA/libraries")
	if [ -e "$QD_TEST_MESA/linker" ]; then
		set -- "$(realpath "$QD_TEST_MESA/linker")" --library-path "$libraries" "$@"
	else
		export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	fi
fi
"$@"
