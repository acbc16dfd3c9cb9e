#!/usr/bin/env bash
# pack.sh BUILD FOLDER: puts into a new folder what run.sh needs on a machine that has a
# driver and the C library, and nothing else: the programs, stripped, the libraries that
# they want beside the C library's, Vulkan's loader, run.sh.  Fails where that is more
# than 64 MiB, or where a program is not built.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # ldconfig, for one who is not root
[ $# -eq 2 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
[ ! -e "$2" ] || { echo "pack: $2 is there already; name a new folder" >&2; exit 2; }
mkdir -p "$2/bin" "$2/lib" "$2/vulkan"
out=$(realpath "$2")
trap '[ $? -eq 0 ] || rm -rf "$out"' EXIT

must="tests/run src/tools/qd-conform src/tools/qd-info src/tools/qd-run bench/bench-free bench/bench-start bench/bench-compile bench/bench-lookup bench/bench-shuffle-vs-shared tests/lookback tests/together"
may="bench/bench-launch" # where there are Vulkan's headers
for p in $must $may; do
	if [ -x "$build/$p" ]; then
		strip -o "$out/bin/${p##*/}" "$build/$p"
	else
		case " $may " in
		*" $p "*) echo "pack: without $p, which is not built" ;;
		*) echo "pack: $build/$p is not there; build it with ninja" >&2; exit 1 ;;
		esac
	fi
done

# What a program wants beside the C library's own.
wants() {
	ldd "$1" | awk '$2 == "=>" { print $1, $3 }' | grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux[^ ]*)\.so' || true
}
for p in "$build"/tests/run "$build"/tests/lookback "$build"/src/tools/qd-conform "$build"/src/tools/qd-info "$build"/src/tools/qd-run "$out"/bin/bench-*; do
	case $p in "$out"/*) p=$build/bench/${p##*/} ;; esac
	wants "$p"
done | sort -u | while read -r name file; do
	[ -f "$file" ] || { echo "pack: $name is not found" >&2; exit 1; }
	strip -o "$out/lib/$name" "$(realpath "$file")"
done

loader=$(ldconfig -p | awk '$1 == "libvulkan.so.1" { print $NF; exit }')
if [ -n "$loader" ] && [ -z "$(wants "$loader")" ]; then
	strip -o "$out/vulkan/libvulkan.so.1" "$(realpath "$loader")"
else
	echo "pack: without libvulkan.so.1, which is not installed here"
fi
install -m 755 "$here/run.sh" "$out"
cp "$here/../../docs/examples/demo.qdk" "$out"
mkdir -p "$out/docs/examples"
cp "$here"/../../docs/examples/{block,grid,lookback}.qdk "$out/docs/examples"
{
	git -C "$here" describe --always --dirty 2>/dev/null || echo "no commit is known"
	find "$out/bin" "$out/lib" "$out/vulkan" -type f -exec objdump -T {} + | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1
	uname -m
} >"$out/made"
size=$(du -sk "$out" | cut -f1)
[ "$size" -lt 65536 ] || { echo "pack: $size KiB are more than 64 MiB" >&2; exit 1; }
echo "pack: $size KiB, wants $(sed -n 2p "$out/made"): carry $2, run $2/run.sh there"
