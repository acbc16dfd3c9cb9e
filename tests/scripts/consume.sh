#!/usr/bin/env bash
# consume.sh meson|cmake|cpp|static|installed SOURCE BUILD: builds the programs of docs/examples
# that use qd, with the commands in their first lines: with qd as a meson subproject, or installed
# below the build directory. It then runs them on the interpreter. static: the C program with the
# static library. installed: the pages, examples, the Python module and other installed files.
# meson's build directories are kept, so that ninja compiles only what has changed.
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

# Installs qd below $tmp/root and adapts qdgpu.pc and qdgpu-dis.pc.
install_qd() {
	local pc prefix
	quiet env DESTDIR= meson install -C "$build" --no-rebuild --quiet --destdir "$tmp/root"
	pc=$(find "$tmp/root" -name qdgpu.pc)
	prefix=$(sed -n 's/^prefix=//p' "$pc")
	sed -i "s|^prefix=.*|prefix=$tmp/root$prefix|" "$pc" "${pc%/*}/qdgpu-dis.pc"
	export PKG_CONFIG_PATH=${pc%/*} LD_LIBRARY_PATH
	LD_LIBRARY_PATH=$(dirname "$(find "$tmp/root" -name libqdgpu.so)")
}

# The example of <qdgpu/dis.h>, for AMD and SPIR-V.
dis() { # PROGRAM
	check 1 bash -c '"$1" gfx1100 | grep -c s_endpgm' - "$1"
	check 1 bash -c '"$1" spirv:w16 | grep -c OpEntryPoint' - "$1"
}

# configured FOLDER ARGS...: configures a build directory, or reuses one with the same arguments
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
	# Both examples that use qd as a subproject. Each is configured alone, as its first lines
	# say; a project with both as subprojects then compiles qd once. They are copies, since
	# meson creates files in a project; changed files are copied again.
	mkdir -p "$kept/both/subprojects"
	ln -sfn "$source" "$kept/both/subprojects/qdgpu"
	for name in meson aot; do
		mkdir -p "$kept/$name-example/subprojects"
		ln -sfn "$source" "$kept/$name-example/subprojects/qdgpu"
		cp -ru "$ex/$name/." "$kept/$name-example"
		mkdir -p "$kept/both/subprojects/$name"
		cp -ru "$ex/$name/." "$kept/both/subprojects/$name"
		b=$kept/$name
		configured "$b" "$kept/$name-example" --buildtype=plain --wrap-mode=nodownload --prefix=/usr -Dwerror=true
		quiet ninja -C "$b" build.ninja
	done
	b=$kept/meson
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

	printf "project('both', 'c')\nsubproject('meson')\nsubproject('aot')\n" >"$kept/both/meson.build.new"
	cmp -s "$kept/both/meson.build.new" "$kept/both/meson.build" || mv "$kept/both/meson.build.new" "$kept/both/meson.build"
	b=$kept/both-build
	configured "$b" "$kept/both" --buildtype=plain --wrap-mode=nodownload --prefix=/usr -Dwerror=true
	quiet ninja -C "$b" -j2
	count=$b/subprojects/meson/count tiles=$b/subprojects/aot/tiles
	check "$counts" "$count"
	# Installs one program without the library.
	mkdir "$tmp/root"
	quiet meson install -C "$b" --no-rebuild --quiet --destdir "$tmp/root"
	left=$(find "$tmp/root" -type f)
	[ -z "$left" ] || {
		echo "consume: installed with the program: $left" >&2
		exit 1
	}
	# The subproject also builds qd-aot; the other program contains its kernels.
	for device in ref:8 emu:sm_80 emu:gfx1100 emu:gfx906; do
		QD_JIT=0 check "$most" "$tiles" $device
	done
	for program in "$tiles" "$b/subprojects/aot/kernels.o"; do
		got=$("$build/src/tools/qd-aot" list "$program" -k greatest -t gfx1100)
		case $got in *"4 of "*" entries") ;; *)
			echo "consume: $program: $got" >&2
			exit 1
			;;
		esac
	done
	# The depfile: an unchanged build does nothing; a change of the kernels rebuilds.
	again() {
		quiet ninja -C "$b" -j2 -d explain
		grep -c 'kernels\.qdk' "$tmp/log" || :
	}
	[ "$(again)" = 0 ] || { cat "$tmp/log" >&2; exit 1; }
	touch "$kept/both/subprojects/aot/kernels.qdk"
	[ "$(again)" != 0 ] || { echo "consume: changed kernels are not compiled again" >&2; exit 1; }
	QD_JIT=0 check "$most" "$tiles" emu:gfx1201
	;;
static)
	# Only a build of the static library lists its dependencies; the library is the same.
	need pkg-config
	install_qd
	b=$kept/static
	configured "$b" "$source" -Ddefault_library=static -Dtests=disabled -Dbench=false -Dexamples=false
	quiet ninja -C "$b" build.ninja
	# libdir is lib whether or not dpkg-dev is installed: README's lines depend on it.
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
	rm "$LD_LIBRARY_PATH"/libqdgpu-dis.so*
	# shellcheck disable=SC2046
	quiet cc "$ex/builder.c" $(pkg-config --cflags --libs --static qdgpu-dis) $(pkg-config --libs qdgpu) -o "$tmp/builder"
	dis "$tmp/builder"
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
		echo "consume: qdgpu.pc's qd_aot is '$aot', which is not a program" >&2
		exit 1
	}
	root=${LD_LIBRARY_PATH%/*}
	unset LD_LIBRARY_PATH # the programs must find the library themselves
	quiet cmake -G Ninja -S "$ex/cmake" -B "$tmp/b" -DCMAKE_PREFIX_PATH="$root"
	quiet cmake --build "$tmp/b"
	check "$counts" "$tmp/b/count"
	# Links the other targets, and the package through pkg-config.
	mkdir "$tmp/more"
	cp "$ex/meson/count.c" "$ex/builder.c" "$ex/tile_sum.qdk" "$tmp/more"
	cat >"$tmp/more/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.13)
project(more C)
find_package(qdgpu REQUIRED)
add_executable(whole count.c)
target_link_libraries(whole PRIVATE qdgpu::static)
add_custom_command(OUTPUT kernels.o DEPENDS tile_sum.qdk
	COMMAND qdgpu::qd-aot -q -t ptx:sm_80 -k sum4 -o kernels.o ${CMAKE_SOURCE_DIR}/tile_sum.qdk)
add_custom_target(kernels ALL DEPENDS kernels.o)
find_package(PkgConfig REQUIRED)
pkg_check_modules(QDGPU REQUIRED IMPORTED_TARGET qdgpu)
add_executable(builder builder.c)
target_link_libraries(builder PRIVATE qdgpu::dis qdgpu::qdgpu)
add_executable(by_pkg_config count.c)
target_link_libraries(by_pkg_config PRIVATE PkgConfig::QDGPU)
message(STATUS "qdgpu ${qdgpu_VERSION}")
C
	quiet cmake -G Ninja -S "$tmp/more" -B "$tmp/m" -DCMAKE_PREFIX_PATH="$root"
	version=$(sed -n 's/^Version: //p' "$PKG_CONFIG_PATH/qdgpu.pc")
	grep -q "qdgpu $version" "$tmp/log" || { echo "consume: CMake does not find version $version" >&2; exit 1; }
	quiet cmake --build "$tmp/m"
	check "$counts" "$tmp/m/whole"
	check "$counts" "$tmp/m/by_pkg_config"
	dis "$tmp/m/builder"
	case $(ldd "$tmp/m/whole") in *qdgpu*)
		echo "consume: qdgpu::static is the shared library" >&2
		exit 1
		;;
	esac
	[ -s "$tmp/m/kernels.o" ] || { echo "consume: qdgpu::qd-aot wrote no object" >&2; exit 1; }
	# A request for this version succeeds; one for another interface or a later patch is
	# rejected.
	patch=${version##*.} minor=${version%.*}
	ask() { # WANT VERSION
		mkdir -p "$tmp/ask"
		printf 'cmake_minimum_required(VERSION 3.13)\nproject(ask C)\nfind_package(qdgpu %s REQUIRED)\n' "$2" >"$tmp/ask/CMakeLists.txt"
		local got=met
		rm -rf "$tmp/a"
		cmake -G Ninja -S "$tmp/ask" -B "$tmp/a" -DCMAKE_PREFIX_PATH="$root" >"$tmp/log" 2>&1 || got=refused
		[ $got = "$1" ] || {
			cat "$tmp/log" >&2
			echo "consume: find_package(qdgpu $2) is $got by version $version" >&2
			exit 1
		}
	}
	ask met "$version EXACT"
	ask met "$minor"
	ask refused "$minor.$((patch + 1))"
	ask refused "${minor%.*}.$((${minor#*.} + 1))"
	ask refused "$((${minor%.*} + 1)).0"
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
installed)
	need pkg-config
	install_qd
	root=${LD_LIBRARY_PATH%/*}
	doc=$root/share/doc/qdgpu
	for file in share/doc/qdgpu/COPYING share/doc/qdgpu/docs/examples/demo.qdk include/qdgpu/qd.h bin/qd-run \
		include/qdgpu/dis.h lib/pkgconfig/qdgpu-dis.pc share/vim/vimfiles/syntax/qdk.vim share/vim/vimfiles/ftdetect/qdk.vim lib/cmake/qdgpu/qdgpuConfig.cmake; do
		[ -s "$root/$file" ] || { echo "consume: $file is not installed" >&2; exit 1; }
	done
	cmp "$source/COPYING" "$doc/COPYING"
	# Links between the pages must lead to installed files; links to the source tree are exempt.
	python3 - "$source" "$doc" <<'P'
import os, re, sys
source, doc = sys.argv[1:]
n = bad = 0
pages = ["README.md"] + [os.path.join(d[len(doc) + 1:], f) for d, _, fs in os.walk(os.path.join(doc, "docs")) for f in fs if f.endswith(".md")]
for page in pages:
    with open(os.path.join(doc, page)) as f:
        text = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", f.read())
    for path in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        at = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if "/" not in at or at.startswith("docs/"):
            n += 1
            if not os.path.exists(os.path.join(doc, at)):
                bad += 1
                print(f"consume: {page} links to {path}, which is not installed", file=sys.stderr)
if n < 50 or len(pages) < 20:
    sys.exit(f"consume: {n} links in {len(pages)} installed pages")
print(f"{n} links in {len(pages)} pages")
sys.exit(bad != 0)
P
	# Compiles an installed example.
	cd "$tmp"
	# shellcheck disable=SC2046
	quiet cc "$doc/docs/examples/sum.c" $(pkg-config --cflags --libs qdgpu) -o sum
	check "6 22 38 54 70 86 102 118 134 150 166 182 198 214 230 246" ./sum ref:8
	# shellcheck disable=SC2046
	quiet cc "$doc/docs/examples/builder.c" $(pkg-config --cflags --libs qdgpu-dis qdgpu) -o builder
	dis ./builder
	# The interpreter for which the module is installed must find it, even next to a directory of
	# the same name, such as a clone of this repository.
	module=$(find "$root" -name qd.py -path '*-packages*')
	[ -n "$module" ] || { echo "consume: the Python module is not installed" >&2; exit 1; }
	installed=${module#"$tmp/root"}
	mkdir qd
	# Below /usr and /usr/local, this system's Python must search its directory.
	case $installed in
	/usr/*) /usr/bin/python3 -c 'import sys; sys.exit(sys.argv[1] not in sys.path)' "${installed%/*}" || {
		echo "consume: /usr/bin/python3 finds no modules in ${installed%/*}" >&2
		exit 1
	} ;;
	esac
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import numpy' 2>/dev/null || continue
		got=$(PYTHONPATH=${module%/*} "$python" -c 'import qd; print(qd.__file__)')
		[ "$got" = "$module" ] || { echo "consume: 'import qd' imports $got, expected $module" >&2; exit 1; }
		echo "import qd: $installed"
		exit
	done
	echo "part skipped: import qd: numpy is not installed (python3-numpy)"
	;;
esac
