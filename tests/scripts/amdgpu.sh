#!/usr/bin/env bash
# amdgpu.sh QD-RUN QD-INFO FAKE SOURCE: checks messages of the programs about libdrm: without libdrm,
# with files that are not libraries, and with the devices of tests/amdgpu_fake. FAKE is
# its libdrm_amdgpu.so.1.
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
# The suite's runner sets it to the directories of its libraries.
unset LD_LIBRARY_PATH
demo=$src/docs/examples/demo.qdk

mkdir "$tmp/text" "$tmp/half"
echo "no library" >"$tmp/text/libdrm_amdgpu.so.1"
cp "$fake/libdrm.so.2" "$tmp/half/libdrm_amdgpu.so.1"
expect "a file that does not exist" 0 "*?  amdgpu       not usable: libdrm_amdgpu.so.1 cannot be loaded: *libdrm's libraries (Debian: libdrm-amdgpu1)?*" "" at "$tmp/text" "" "$info"
expect "one without functions" 0 "*?  amdgpu       not usable: libdrm_amdgpu.so.1 has no amdgpu_device_initialize: it is too old?*" "" at "$tmp/half" "gpu=gfx1100" "$info"
expect "no device" 0 "*?  amdgpu       not usable: there is no AMD device among the 0 devices in /dev/dri; is the kernel's amdgpu driver loaded??*" "" at "$fake" "gpu=" "$info"
expect "a node of another driver" 0 "*?  amdgpu:0     *; not usable: uses the kernel driver 'radeon'; amdgpu is required?*" "" at "$fake" "gpu=gfx1100 driver=radeon" "$info"
expect "a node that is not this user's" 0 "*?  amdgpu:0     *; not usable: cannot be opened: drmOpenRender failed: EACCES (-13): permission denied*" "" at "$fake" "gpu=gfx1100 access=0" "$info"
expect "no compute rings" 0 "*?  amdgpu:0     AMD Radeon RX 7900 XTX; not usable: has no compute ring: amdgpu.user_queue=2 *" "" at "$fake" "gpu=gfx1100 rings=0" "$info"
expect "devices" 0 "*?  amdgpu:0     AMD Radeon VII?               driver amdgpu 3.61*?               pci 0000:03:00.0?               subgroup 64, block up to 1024, memory *?               target gfx906?  amdgpu:1     AMD Radeon RX 7900 XTX?*subgroup 32 (32 to 64), *target gfx1100?*" "" at "$fake" "gpu=gfx906,gfx1100" "$info"
expect "devices, json" 0 '*"selector":"amdgpu:0"*"driver":"amdgpu 3.61*"target":"gfx1201"*' "" at "$fake" "gpu=gfx1201" "$info" --json
expect "no usable one" 3 "" "qd-run: error: amdgpu:0 (AMD Radeon RX 7900 XTX) cannot be used: it has no compute ring*" at "$fake" "gpu=gfx1100 rings=0" "$run" -d amdgpu:0 "$demo" src=iota:8 dst=zero:8
expect "the first of the default order runs" 0 "dst: 0 1 3 6 4 9 15 22" "" at "$fake" "gpu=gfx1100 strict=1" "$run" "$demo" src=iota:8 dst=zero:8
expect "waves of 64" 0 "dst: 0 1 3 6 4 9 15 22" "" at "$fake" "gpu=gfx1100 strict=1" "$run" -d amdgpu:0:w64 "$demo" src=iota:8 dst=zero:8
expect "work that hangs" 3 "" "*ETIME (-62): a kernel hung*in flight: *see: dmesg | grep amdgpu*" at "$fake" "gpu=gfx1100 job=2:62:guilty,reset" "$run" -d amdgpu "$demo" src=iota:8 dst=zero:8
expect "no node that a program sees without root" 0 "*?  amdgpu:0     *not usable: cannot be opened: drmOpenRender failed: ENOENT (-2): the render node does not exist*" "" at "$fake" "gpu=gfx1100 fail=drmOpenRender:0:2" "$info"

# -- Partitions: the first is on the bus, the others are devices without one; those that the device has not now cannot be opened
parts="gpu=gfx906,gfx942,gfx942,gfx942"
mi="?  amdgpu:1     AMD Instinct MI300X?               driver *?               pci 0000:04:00.0?*target gfx942*"
expect "partitions are devices" 0 "*?  amdgpu:0     AMD Radeon VII?*$mi?  amdgpu:2     AMD Instinct MI300X, partition renderD130?               driver *target gfx942*?  amdgpu:3     AMD Instinct MI300X, partition renderD131?*target gfx942*" "" at "$fake" "$parts xcp=2" "$info"
expect "listed in another order" 0 "*?  amdgpu:0     AMD Radeon VII?*$mi?  amdgpu:2     AMD Instinct MI300X, partition renderD130?*?  amdgpu:3     AMD Instinct MI300X, partition renderD131?*" "" at "$fake" "$parts xcp=2 reverse=1" "$info"
expect "partitions without even a platform" 0 "*$mi?  amdgpu:2     AMD Instinct MI300X, partition renderD130?*" "" at "$fake" "$parts xcp=2 faux=1" "$info"
expect "a partition that the device lacks" 0 "*$mi?  amdgpu:2     AMD Instinct MI300X, partition renderD131?*" "" at "$fake" "$parts xcp=2 fail=drmOpenRender:3:2 fail=drmOpenRender:7:2" "$info"
expect "a partition that is not this user's" 0 "*?  amdgpu:2     an AMD device, partition renderD130; not usable: cannot be opened: drmOpenRender failed: EACCES (-13)*" "" at "$fake" "$parts xcp=2 fail=drmOpenRender:7:13" "$info"
expect "a partition runs" 0 "dst: 0 1 3 6 4 9 15 22" "" at "$fake" "$parts xcp=2 strict=1" "$run" -d amdgpu:renderD131 "$demo" src=iota:8 dst=zero:8

# -- Selection of a device by its processor and by its address on the bus, also in the form of lspci
which() { # WHAT SELECTOR WANT
	expect "$1" 0 "$3" "" at "$fake" "gpu=gfx1201,gfx90a,gfx90a strict=1" "$run" --json -d "$2" "$demo" src=iota:8 dst=zero:8
}
which "by processor" amdgpu:gfx90a '*"device":"amdgpu:1",*'
which "selected by processor, in waves of 64" amdgpu:GFX1201:w64 '*"device":"amdgpu:0:w64",*"subgroup_size":64,*'
which "by place" amdgpu:0000:04:00.0 '*"device":"amdgpu:1",*'
which "selected by PCI address without domain" amdgpu:04:00.0 '*"device":"amdgpu:1",*'
for none in gfx90 gfx90ab 4:00.0; do
	expect "none is $none" 3 "" "qd-run: error: no amdgpu device has '$none' in its name*" at "$fake" "gpu=gfx1201,gfx90a" "$run" -d "amdgpu:$none" "$demo" src=iota:8 dst=zero:8
done

# -- Bundles: the code is the device's
python3 - "$tmp/two.bundle" "$src"/tests/emu/gcn/basic.{gfx1100,gfx942}.co <<'END'
import struct, sys
out, files = sys.argv[1], sys.argv[2:]
entries = [(b"host-x86_64-unknown-linux-gnu-", b"")]
entries += [(("hipv4-amdgcn-amd-amdhsa--" + f.split(".")[-2]).encode(), open(f, "rb").read()) for f in files]
at, index, body = 4096, b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)), b""
for name, code in entries:
	index += struct.pack("<QQQ", at + len(body), len(code), len(name)) + name
	body += code + bytes(-len(code) % 4096)
open(out, "wb").write(index + bytes(at - len(index)) + body)
END
copy="-k copy --grid=1 $tmp/two.bundle arg0=5,6,7 arg1=zero:3 arg2=3"
for gpu in gfx1100 gfx942; do
	# shellcheck disable=SC2086
	expect "the code of $gpu in a bundle" 0 "arg1: 5 6 7" "" at "$fake" "gpu=$gpu strict=1" "$run" -d amdgpu $copy
	# shellcheck disable=SC2086
	expect "the code of $gpu in a bundle with others" 0 '*"device":"amdgpu:1",*' "" at "$fake" "gpu=gfx1030,$gpu strict=1" "$run" --json $copy
done
# shellcheck disable=SC2086
expect "a bundle without that code" 1 "" "qd-run: error: $tmp/two.bundle: a bundle without code for gfx1201; it has: gfx1100, gfx942" at "$fake" "gpu=gfx1201" "$run" -d amdgpu $copy
# shellcheck disable=SC2086
expect "a bundle on no device of AMD's" 1 "" "qd-run: error: $tmp/two.bundle: a bundle with code for gfx1100, gfx942; specify the processor
qd-run: note: choose it with -d: a device of that processor, or for example -d emu:gfx1100" at "$fake" "gpu=" "$run" -d ref:8 $copy
# shellcheck disable=SC2086
expect "a bundle without a device" 0 "arg1: 5 6 7" "" at "$fake" "gpu=" "$run" $copy
expect "a list of a bundle" 0 "*kernel copy
*" "" at "$fake" "gpu=" "$run" --list "$tmp/two.bundle"
echo "$n checks"
exit $bad
