#!/usr/bin/env bash
# consume.sh meson|aot|cmake|cpp|static SOURCE BUILD: a program of docs/examples that uses qd, built
# as its first lines say: from qd as a meson subproject, or installed under a folder of
# the build; then run on the interpreter.  static: the C program with qd inside.  What
# these two configure stays in the build folder, so that ninja makes only what has changed.
set -eu
what=$1 source=$(cd "$2" && pwd) build=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ex=$source/docs/examples

need() { # PROGRAM [PACKAGE]
	command -v "$1" >/dev/null || {
		echo "SKIP: ${2:-$1} is not installed"
		exit 77
	}
}

quiet() {
	"$@" >"$tmp/log" 2>&1 || {
		cat "$tmp/log" >&2
		echo "consume: '$*' fails" >&2
		exit 1
	}
}

check() { # WANT PROGRAM
	local want=$1 got
	shift
	got=$("$@")
	[ "$got" = "$want" ] || {
		echo "consume: $what printed '$got', not '$want'" >&2
		exit 1
	}
	echo "$what: $got"
}
counts="2 3 1 2 3 1 2 3"
most="84 94 97 100 93 86 96 99"

# qd as it is installed, below $tmp/root, with a qdgpu.pc that says so.
install_qd() {
	local pc prefix
	quiet env DESTDIR= meson install -C "$build" --no-rebuild --quiet --destdir "$tmp/root"
	pc=$(find "$tmp/root" -name qdgpu.pc)
	prefix=$(sed -n 's/^prefix=//p' "$pc")
	sed -i "s|^prefix=.*|prefix=$tmp/root$prefix|" "$pc"
	export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH
	LD_LIBRARY_PATH=$(dirname "$(find "$tmp/root" -name libqdgpu.so)")
}

# configured FOLDER ARGS...: a build folder for these, the one that is there if it was for them
configured() {
	local b=$1
	shift
	[ -f "$b/build.ninja" ] && [ "$(cat "$b.args" 2>/dev/null)" = "$* $(command -v meson) ${CC-}" ] && return
	rm -rf "$b"
	quiet meson setup "$b" "$@"
	echo "$* $(command -v meson) ${CC-}" >"$b.args"
}

kept=$build/tests/consume
mkdir -p "$kept"
kept=$(cd "$kept" && pwd)
case $what in
meson)
	# A copy, since meson makes files in a project; renewed where it differs.
	mkdir -p "$kept/count/subprojects"
	ln -sfn "$source" "$kept/count/subprojects/qdgpu"
	cp -ru "$ex/meson/." "$kept/count"
	b=$kept/meson
	configured "$b" "$kept/count" --buildtype=plain --wrap-mode=nodownload --prefix=/usr -Dwerror=true
	quiet ninja -C "$b" -j2
	check "$counts" "$b/count"
	# One program, and nothing of qd beside it.
	mkdir "$tmp/root"
	quiet meson install -C "$b" --no-rebuild --quiet --destdir "$tmp/root"
	left=$(find "$tmp/root" -type f)
	[ -z "$left" ] || {
		echo "consume: installed with the program: $left" >&2
		exit 1
	}
	tests=$(meson introspect --tests "$b")
	[ "$tests" = "[]" ] || {
		echo "consume: qd's tests are configured in a subproject: ${tests:0:200}" >&2
		exit 1
	}
	names=$(meson introspect --targets "$b" | grep -oE '"name": "[^"]*"')
	case $names in *'"count"'*) ;; *)
		echo "consume: meson names no program: $names" >&2
		exit 1
		;;
	esac
	for no in bench t_qd '"run"' builder faults; do
		case $names in *$no*)
			echo "consume: a subproject has $no" >&2
			exit 1
			;;
		esac
	done
	;;
aot)
	# qd as a subproject makes qd-aot as well; the program then has its kernels in it.
	mkdir -p "$kept/aot-tiles/subprojects"
	ln -sfn "$source" "$kept/aot-tiles/subprojects/qdgpu"
	cp -ru "$ex/aot/." "$kept/aot-tiles"
	b=$kept/aot
	configured "$b" "$kept/aot-tiles" --buildtype=plain --wrap-mode=nodownload --prefix=/usr -Dwerror=true
	quiet ninja -C "$b" -j2
	for device in ref:8 emu:sm_80 emu:gfx1100 emu:gfx906; do
		QD_JIT=0 check "$most" "$b/tiles" $device
	done
	for program in "$b/tiles" "$b/kernels.o"; do
		got=$("$build/src/tools/qd-aot" list "$program" -k greatest -t gfx1100)
		case $got in *"4 of "*" entries") ;; *)
			echo "consume: $program: $got" >&2
			exit 1
			;;
		esac
	done
	# The depfile: nothing is made again, and all of it where the kernels change.
	again() {
		quiet ninja -C "$b" -j2 -d explain
		grep -c 'kernels\.qdk' "$tmp/log" || :
	}
	[ "$(again)" = 0 ] || { cat "$tmp/log" >&2; exit 1; }
	touch "$kept/aot-tiles/kernels.qdk"
	[ "$(again)" != 0 ] || { echo "consume: changed kernels are not compiled again" >&2; exit 1; }
	QD_JIT=0 check "$most" "$b/tiles" emu:gfx1201
	;;
static)
	# A build of the static library alone says what to link with it; the library is the same.
	need pkg-config
	install_qd
	b=$kept/static
	configured "$b" "$source" -Ddefault_library=static -Dtests=disabled -Dbench=false -Dexamples=false
	quiet ninja -C "$b" build.ninja
	# Below lib whatever is installed beside meson: README's lines count on it.
	grep -qx 'libdir=${prefix}/lib' "$b/meson-private/qdgpu.pc" || {
		echo "consume: qd is not installed into lib: $(grep libdir "$b/meson-private/qdgpu.pc")" >&2
		exit 1
	}
	pc=$PKG_CONFIG_PATH/qdgpu.pc
	prefix=$(sed -n 's/^prefix=//p' "$pc")
	sed "s|^prefix=.*|prefix=$prefix|" "$b/meson-private/qdgpu.pc" >"$pc"
	rm "$LD_LIBRARY_PATH"/libqdgpu.so*
	# shellcheck disable=SC2046
	quiet cc "$ex/meson/count.c" $(pkg-config --cflags --libs qdgpu) -o "$tmp/count"
	check "$counts" "$tmp/count"
	if meson setup "$tmp/never" "$source" -Dc_link_args=-static >"$tmp/log" 2>&1; then
		echo "consume: -static is not refused" >&2
		exit 1
	fi
	grep -o 'a program without a dynamic loader cannot open the drivers (dlopen).*' "$tmp/log"
	;;
cmake)
	need cmake
	need pkg-config
	install_qd
	aot=$(pkg-config --variable=qd_aot qdgpu)
	[ -x "$aot" ] || {
		echo "consume: qdgpu.pc's qd_aot is '$aot', which is no program" >&2
		exit 1
	}
	quiet cmake -G Ninja -S "$ex/cmake" -B "$tmp/b"
	quiet cmake --build "$tmp/b"
	check "$counts" "$tmp/b/count"
	;;
cpp)
	need c++ g++
	need pkg-config
	install_qd
	line=$(sed -n 's@^//	c++@c++@p' "$ex/cpp/scale.cpp")
	cp "$ex/cpp/scale.cpp" "$tmp"
	cd "$tmp"
	# shellcheck disable=SC2119
	check "12 24 36 48 " bash -c "$line"
	;;
esac
