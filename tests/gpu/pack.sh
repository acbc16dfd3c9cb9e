#!/usr/bin/env bash
# pack.sh [OPTION]... BUILD FOLDER: makes a directory with all that run.sh needs on a machine with a GPU, its driver,
# the C library and a shell: the programs of BUILD, stripped, and their libraries. FOLDER must be new, empty, or a
# pack made before, whose files are replaced; anything else in it stays. Fails if the pack exceeds 50 MiB.
#
#   --peer sm_NN       build the comparison with CUB here, by nvcc, for this architecture; repeat for several. Without
#                      it run.sh builds it on that machine, if nvcc is installed
#   --libraries FROM   Vulkan's loader and the client libraries of X11 and OpenGL, which NVIDIA's Vulkan driver needs and
#                      a machine without a screen lacks: installed (the default: those of this machine), apt (by
#                      apt-get download), or none
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin:/usr/local/cuda/bin # ldconfig, nvcc
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
die() { echo "pack.sh: $1" >&2; exit 1; }
peers=() libraries=installed
while [ $# -gt 2 ]; do
	case $1 in
	--peer) peers+=("$2") ;;
	--libraries) libraries=$2 ;;
	*) usage ;;
	esac
	shift 2
done
[ $# -eq 2 ] || usage
case $1$2$libraries in -*) usage ;; *installed | *apt | *none) ;; *) usage ;; esac
here=$(dirname "$(realpath "$0")")
root=$here/../..
build=$(realpath "$1")
signature="qd pack for a GPU" # the first line of the file "made"

# -- The directory ----------------------------------------------------------------------

target=$(realpath -m "$2")
if [ -e "$target" ] && [ "$(head -1 "$target/made" 2>/dev/null)" != "$signature" ]; then
	[ -d "$target" ] && [ -z "$(ls -A "$target")" ] || die "$target exists and is not a pack; name a new directory"
fi
mkdir -p "$(dirname "$target")"
out=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$out"' EXIT
mkdir "$out/bin" "$out/lib" "$out/vulkan" "$out/x11"

# -- Programs and their libraries ----------------------------------------------------------

must="tests/run tests/together tests/lookback tests/gpu/gpu-bench tests/gpu/gpu-nan src/tools/qd-conform src/tools/qd-info src/tools/qd-run
bench/bench-free bench/bench-launch bench/bench-start bench/bench-shuffle-vs-shared"
may="tests/gpu/gpu-facts" # built if Vulkan's headers are installed

# Prints name and file of the libraries of a program, except the C library's.
libraries_of() {
	ldd "$1" | awk '$2 == "=>" { print $1, $3 }' | grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux[^ ]*)\.so' || true
}
for p in $must $may; do
	if [ -x "$build/$p" ]; then
		strip -o "$out/bin/${p##*/}" "$build/$p"
		libraries_of "$build/$p" >>"$out/needs"
	elif [[ " $may " == *" $p "* ]]; then
		echo "pack.sh: $p is not built, its steps will be skipped"
	else
		die "$build/$p does not exist; build it with: ninja -C $1 $p"
	fi
done
sort -u "$out/needs" | while read -r name file; do
	[ -f "$file" ] || die "the library $name is not found"
	strip -o "$out/lib/$name" "$(realpath "$file")"
done
rm "$out/needs"

# -- Libraries of others, used there only if the system has none ------------------------------

x11="libX11.so.6 libXext.so.6 libxcb.so.1 libXau.so.6 libXdmcp.so.6 libbsd.so.0 libmd.so.0
libGLdispatch.so.0 libEGL.so.1 libGL.so.1 libGLX.so.0 libOpenGL.so.0 libGLESv2.so.2"
packages="libvulkan1 libx11-6 libxext6 libxcb1 libxau6 libxdmcp6 libbsd0 libmd0 libglvnd0 libegl1 libgl1 libglx0 libopengl0 libgles2"
find_library() { # NAME: its file
	if [ "$libraries" = apt ]; then
		find "$out/deb" -name "$1" | head -1
	else
		ldconfig -p | awk -v n="$1" '$1 == n && !f { print $NF; f = 1 }'
	fi
}
if [ "$libraries" = apt ]; then
	mkdir "$out/deb"
	# shellcheck disable=SC2086 # words
	(cd "$out/deb" && apt-get -qq download $packages && for f in *.deb; do dpkg-deb -x "$f" .; done) ||
		die "apt-get download failed; try --libraries none"
fi
lacking=
if [ "$libraries" != none ]; then
	for name in libvulkan.so.1 $x11; do
		file=$(find_library "$name")
		folder=x11
		[ "$name" != libvulkan.so.1 ] || folder=vulkan
		if [ -z "$file" ]; then
			lacking="$lacking $name"
		elif [ $folder = vulkan ] && [ "$libraries" = installed ] && [ -n "$(libraries_of "$file")" ]; then
			lacking="$lacking $name(it needs $(libraries_of "$file" | awk '{ printf " " $1 }'))"
		else
			strip -o "$out/$folder/$name" "$(realpath "$file")"
		fi
	done
	rm -rf "$out/deb"
	[ -z "$lacking" ] || echo "pack.sh: without$lacking, not found here"
fi

# -- Texts, CUB ---------------------------------------------------------------------------------

install -m 755 "$here/run.sh" "$out"
mkdir -p "$out/docs/examples"
cp "$here"/{step.sh,machine.sh,ratios.awk,bench.qdk,peer.cu} "$root/docs/examples/demo.qdk" "$out"
cp "$root"/docs/examples/{block,grid,lookback}.qdk "$out/docs/examples"
for arch in ${peers[@]+"${peers[@]}"}; do
	command -v nvcc >/dev/null || die "--peer needs nvcc, which is not installed"
	nvcc -O3 -std=c++17 -arch="$arch" -cudart static -o "$out/bin/peer-$arch" "$here/peer.cu"
	strip "$out/bin/peer-$arch"
done
{
	echo "$signature"
	git -C "$here" describe --always --dirty 2>/dev/null || echo "unknown commit"
	find "$out/bin" "$out/lib" "$out/vulkan" "$out/x11" -type f -exec objdump -T {} + 2>/dev/null | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1
	uname -m
	echo made
	(cd "$out" && find . -type f ! -name made | sed 's,^\./,,' | sort)
} >"$out/made"
size=$(du -sk "$out" | cut -f1)
[ "$size" -lt 51200 ] || die "$size KiB are more than 50 MiB; try --libraries none"

# -- Into place: the files of an old pack go, others stay ------------------------------------------

if [ -f "$target/made" ]; then
	sed '1,4d' "$target/made" | grep -v '\.\.' | while read -r f; do [ -z "$f" ] || rm -f "$target/${f#/}"; done
	find "$target" -depth -mindepth 1 -type d -empty -delete
fi
find "$out" -mindepth 1 -type d -empty -delete
mkdir -p "$target"
chmod 755 "$out"
cp -rT "$out" "$target"
echo "pack.sh: $size KiB in $target, for $(sed -n 3p "$target/made") or newer: copy it to the machine, and run: bash ${target##*/}/run.sh"
