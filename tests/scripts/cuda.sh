#!/usr/bin/env bash
# cuda.sh QD-RUN QD-INFO FAKE BARE SOURCE: messages about libcuda.so.1 if it is missing or unusable,
# and about the devices of tests/fake_cuda. FAKE and BARE are the two libraries.
set -u
run=$1 info=$2 fake=$(dirname "$3") bare=$(dirname "$4") src=$5
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"

export VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none
at() { # FOLDER CONFIG COMMAND...
	local dir=$1 config=$2
	shift 2
	LD_LIBRARY_PATH=$dir QD_FAKE_CUDA=$config "$@"
}
# The suite's test runner sets it to the directories of its libraries.
unset LD_LIBRARY_PATH

if PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep 'libcuda\.so\.1' >/dev/null; then
	echo "part skipped: no libcuda.so.1: this machine has one"
else
	expect "no library" 0 "*devices?  cuda         not usable: libcuda.so.1 not found: it is part of NVIDIA's driver?*" "" "$info"
	expect "no library, requested" 3 "" "qd-run: error: libcuda.so.1 not found*ref:32*" "$run" -d cuda "$src/docs/examples/demo.qdk" src=iota:8 dst=zero:8
fi
mkdir "$tmp/text"
echo "no library" >"$tmp/text/libcuda.so.1"
expect "a file that does not exist" 0 "*  cuda         not usable: libcuda.so.1 cannot be loaded: *" "" at "$tmp/text" "" "$info"
expect "one without functions" 0 "*  cuda         not usable: libcuda.so.1 has no cuDeviceGetCount?*" "" at "$bare" "" "$info"
expect "an old one" 0 "*  cuda         not usable: libcuda.so.1 is from CUDA 8.0; 9.0 is required: update NVIDIA's driver?*" "" at "$fake" "devices=1 version=8000" "$info"
expect "no device" 0 "*  cuda         not usable: cuInit failed: CUDA_ERROR_NO_DEVICE (100): there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it?*" "" at "$fake" "" "$info"
expect "devices" 0 "*  cuda:0       Fake GPU 0; not usable: has compute capability 3.5; 5.0 is required?  cuda:1       Fake GPU 1?               driver CUDA 12.4?               uuid f1021324-3546-5768-798a-9bacbdcedff0?               pci 0000:66:00.0?               subgroup 32, block up to 1024, memory 1.0 GiB?               target ptx:sm_90?*" "" at "$fake" "devices=2 sm=35,90" "$info"
expect "devices, json" 0 '*"selector":"cuda:1"*"driver":"CUDA 12.4"*"target":"ptx:sm_90"*' "" at "$fake" "devices=2 sm=35,90" "$info" --json
expect "no usable one" 3 "" "qd-run: error: cuda:0 (Fake GPU 0) cannot be used: it has compute capability 3.5; 5.0 is required*" at "$fake" "devices=1 sm=35" "$run" -d cuda:0 "$src/docs/examples/demo.qdk" src=iota:8 dst=zero:8
expect "the first of the default order runs" 0 "dst: 0 1 3 6 4 9 15 22" "" at "$fake" "devices=1" "$run" "$src/docs/examples/demo.qdk" src=iota:8 dst=zero:8
expect "a kernel that ends badly" 3 "" "*CUDA_ERROR_ILLEGAL_ADDRESS*700*" at "$fake" "devices=1 fail=kernel:1:700" "$run" -d cuda "$src/docs/examples/demo.qdk" src=iota:8 dst=zero:8
echo "$n checks"
exit $bad
