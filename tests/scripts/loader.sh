#!/usr/bin/env bash
# loader.sh QD-INFO QD-CONFORM FAKE DRIVER.SH: the names of the Vulkan loader that qd tries, in
# order. A file that is not a library hides the system's library of that name. FAKE is
# loader_fake.c.
set -u
info=$(realpath "$1") conform=$(realpath "$2") fake=$(realpath "$3") driver=$(realpath "$4")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
names=(libvulkan.so.1 libvulkan.so libvulkan.1.dylib libMoltenVK.dylib)
bad=0

fail() {
	echo "loader: $1" >&2
	bad=1
}

path=$tmp${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
for name in "${names[@]}"; do
	cp "$fake" "$tmp/$name"
	out=$(LD_LIBRARY_PATH=$path "$info" 2>&1 | grep "^  vulkan")
	grep -qF "$name has no vkCreateInstance" <<<"$out" || fail "$name is not opened: $out"
	echo "no library" >"$tmp/$name"
done
# All exist but none can be loaded: the message is about the first.
out=$(LD_LIBRARY_PATH=$path "$info" 2>&1 | grep "^  vulkan")
grep -qF "${names[0]} cannot be loaded: " <<<"$out" || fail "names of files that are not libraries: $out"

# The system's loader, under each other name, runs kernels.
real=$(ldconfig -p | awk '$1 == "libvulkan.so.1" { print $NF; exit }')
if [ -n "$real" ]; then
	for name in "${names[@]:1}"; do
		ln -sf "$real" "$tmp/$name"
		out=$(bash "$driver" lvp8 env LD_LIBRARY_PATH="$path" "$conform" -d vulkan --filter place 2>&1)
		rc=$?
		[ $rc -eq 77 ] && break
		[ $rc -eq 0 ] && grep -q ' passed, 0 failed' <<<"$out" || fail "the loader as $name: exit $rc: $out"
		rm "$tmp/$name"
		echo "no library" >"$tmp/$name"
	done
	[ $rc -ne 77 ] || echo "part skipped: the loader under other names: $out"
else
	echo "part skipped: the loader under other names: libvulkan.so.1 is not installed"
fi
exit $bad
