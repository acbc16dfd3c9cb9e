#!/usr/bin/env bash
# amdgpu.sh QD-RUN QD-INFO FAKE SOURCE: what the programs say of libdrm: of none, of files that
# are none, and of the devices of tests/amdgpu_fake.  FAKE is its libdrm_amdgpu.so.1.
set -u
run=$1 info=$2 fake=$(dirname "$3") src=$4
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"

export VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none
at() { # FOLDER CONFIG COMMAND...
	local dir=$1 config=$2
	shift 2
	LD_LIBRARY_PATH=$dir QD_FAKE_AMDGPU=$config "$@"
}
# The runner of the suite puts the folders of its libraries there.
unset LD_LIBRARY_PATH
demo=$src/docs/examples/demo.qdk

mkdir "$tmp/text" "$tmp/half"
echo "no library" >"$tmp/text/libdrm_amdgpu.so.1"
cp "$fake/libdrm.so.2" "$tmp/half/libdrm_amdgpu.so.1"
expect "a file that is none" 0 "*?  amdgpu       not usable: libdrm_amdgpu.so.1 cannot be loaded: *libdrm's libraries (Debian: libdrm-amdgpu1)?*" "" at "$tmp/text" "" "$info"
expect "one without functions" 0 "*?  amdgpu       not usable: libdrm_amdgpu.so.1 has no amdgpu_device_initialize: it is too old?*" "" at "$tmp/half" "gpu=gfx1100" "$info"
expect "no device" 0 "*?  amdgpu       not usable: there is no AMD device: none of 0 devices in /dev/dri is one; is the kernel's amdgpu driver loaded??*" "" at "$fake" "gpu=" "$info"
expect "a node of another driver" 0 "*?  amdgpu:0     *; not usable: is driven by the kernel's 'radeon'; want amdgpu?*" "" at "$fake" "gpu=gfx1100 driver=radeon" "$info"
expect "a node that is not this user's" 0 "*?  amdgpu:0     *; not usable: cannot be opened: drmOpenRender failed: EACCES (-13): permission denied*" "" at "$fake" "gpu=gfx1100 access=0" "$info"
expect "no compute rings" 0 "*?  amdgpu:0     AMD Radeon RX 7900 XTX; not usable: has no compute ring: with amdgpu.user_queue=2 *" "" at "$fake" "gpu=gfx1100 rings=0" "$info"
expect "devices" 0 "*?  amdgpu:0     AMD Radeon VII?               driver amdgpu 3.61*?               pci 0000:03:00.0?               subgroup 64, block up to 1024, memory *?               target gfx906?  amdgpu:1     AMD Radeon RX 7900 XTX?*subgroup 32 (32 to 64), *target gfx1100?*" "" at "$fake" "gpu=gfx906,gfx1100" "$info"
expect "devices, json" 0 '*"selector":"amdgpu:0"*"driver":"amdgpu 3.61*"target":"gfx1201"*' "" at "$fake" "gpu=gfx1201" "$info" --json
expect "no usable one" 3 "" "qd-run: error: amdgpu:0 (AMD Radeon RX 7900 XTX) cannot be used: it has no compute ring*" at "$fake" "gpu=gfx1100 rings=0" "$run" -d amdgpu:0 "$demo" src=iota:8 dst=zero:8
expect "the first of the default order runs" 0 "dst: 0 1 3 6 4 9 15 22" "" at "$fake" "gpu=gfx1100 strict=1" "$run" "$demo" src=iota:8 dst=zero:8
expect "waves of 64" 0 "dst: 0 1 3 6 4 9 15 22" "" at "$fake" "gpu=gfx1100 strict=1" "$run" -d amdgpu:0:w64 "$demo" src=iota:8 dst=zero:8
expect "work that hangs" 3 "" "*ETIME (-62): a kernel hung*in flight: *see: dmesg | grep amdgpu*" at "$fake" "gpu=gfx1100 job=2:62:guilty,reset" "$run" -d amdgpu "$demo" src=iota:8 dst=zero:8
expect "no node that a program sees without root" 0 "*?  amdgpu:0     *not usable: cannot be opened: drmOpenRender failed: ENOENT (-2): the render node is not there*" "" at "$fake" "gpu=gfx1100 fail=drmOpenRender:0:2" "$info"
echo "$n checks"
exit $bad
