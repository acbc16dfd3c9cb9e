#!/usr/bin/env bash
# object.sh QD-DIS QD-DIS-OBJECT: files of code that qd-dis writes. QD-DIS-OBJECT has a target
# `object` whose images are code objects.
set -u
dis=$1 made=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0

check() { # WHAT COMMAND...: which succeeds
	local what=$1
	shift
	n=$((n + 1))
	"$@" >"$tmp/said" 2>&1 && return
	echo "object: $what:" >&2
	head -5 "$tmp/said" >&2
	bad=1
}
says() { # WHAT EXIT TEXT COMMAND...
	local what=$1 want=$2 text=$3 rc
	shift 3
	n=$((n + 1))
	"$@" >"$tmp/said" 2>&1
	rc=$?
	[ $rc -eq "$want" ] && grep -qF -- "$text" "$tmp/said" && return
	echo "object: $what: exit $rc, expected $want with '$text':" >&2
	head -5 "$tmp/said" >&2
	bad=1
}

cat >"$tmp/k.qdk" <<'Q'
qdk 2;
kernel one(dst: out u32[]) block(64) { for i in grid(dst.len) { dst[i] = i; } }
kernel second(src: in f32[], dst: out f32[], f: f32) block(256) { for i in grid(src.len) { dst[i] = src[i] * f; } }
kernel of_three(dst: out u32[]) block(32) { for i in grid(dst.len) { dst[i] = 3; } }
Q
k=$tmp/k.qdk

if "$made" -t object -o "$tmp/k.hsaco" "$k" 2>"$tmp/said"; then
	says "all kernels" 0 "gfx1100, code object v5, 3 kernels, 3 functions" "$dis" "$tmp/k.hsaco"
	"$dis" --stats "$tmp/k.hsaco" | awk '{print $NF, $7, $8}' >"$tmp/stats"
	printf '%s\n' 'kernel scratch kernarg' 'one 0 32' 'second 0 56' 'of_three 0 32' >"$tmp/want"
	check "the kernels in their order" diff "$tmp/want" "$tmp/stats"
	"$made" -t object --emit=bin -o "$tmp/bin.hsaco" "$k"
	check "the same with --emit=bin" cmp "$tmp/k.hsaco" "$tmp/bin.hsaco"
	"$made" -t object -k 'second' -o "$tmp/one.hsaco" "$k"
	says "one of them" 0 "1 kernel, 1 function" "$dis" "$tmp/one.hsaco"
else
	says "without libelf" 3 "built without libelf" "$made" -t object -o "$tmp/k.hsaco" "$k"
	check "no file remains" test ! -e "$tmp/k.hsaco"
	echo "code objects were not written: built without libelf"
fi
"$made" -t object -o "$tmp/k.txt" "$k"
check "text for another name" grep -qP "^\ts_endpgm$" "$tmp/k.txt"
"$made" -t object --emit=text -o "$tmp/text.hsaco" "$k"
check "text on request" cmp "$tmp/k.txt" "$tmp/text.hsaco"

"$made" -t object -k one --emit=bin "$k" >"$tmp/bin"
"$made" -t object -k one -o "$tmp/one.image" "$k"
check "the image as it is" test "$(stat -c %s "$tmp/bin")" = 272
check "the image by its name" cmp "$tmp/one.image" "$tmp/bin"

for target in spirv:w32 ptx:sm_80; do
	ext=spv
	[ $target = spirv:w32 ] || ext=ptx
	"$dis" -t $target -k one -o "$tmp/one.$ext" "$k"
	"$dis" -t $target -k one --emit=bin "$k" >"$tmp/bin"
	check "code by its name, $target" cmp "$tmp/one.$ext" "$tmp/bin"
	says "two kernels, $target" 2 "a file of code holds one kernel; choose it with -k" \
		"$dis" -t $target -o "$tmp/two.$ext" "$k"
	check "no file of two, $target" test ! -e "$tmp/two.$ext"
done
"$dis" -t spirv:w32 -k one --emit=text -o "$tmp/text.spv" "$k"
check "text in a file called as code" grep -q OpFunction "$tmp/text.spv"
# -- Bundles: an entry for an unsupported processor is omitted, in any position
le64() { # NUMBER: as 8 bytes
	local i v=$1 text=
	for ((i = 0; i < 8; i++, v >>= 8)); do
		text+=$(printf '\\x%02x' $((v & 255)))
	done
	printf '%b' "$text"
}
bundle() { # ID FILE...: writes a plain bundle of these
	local at=$((32 + ($# / 2) * 24)) i
	for ((i = 1; i <= $#; i += 2)); do
		at=$((at + $(printf %s "${!i}" | wc -c)))
	done
	printf '__CLANG_OFFLOAD_BUNDLE__'
	le64 $(($# / 2))
	for ((i = 1; i <= $#; i += 2)); do
		local id=${!i} j=$((i + 1))
		local size
		size=$(stat -c %s "${!j}")
		le64 $at && le64 "$size" && le64 ${#id} && printf '%s' "$id"
		at=$((at + size))
	done
	for ((i = 2; i <= $#; i += 2)); do
		cat "${!i}"
	done
}
co=$(dirname "$0")/../emu/gcn
# EF_AMDGPU_MACH_AMDGCN_GFX803 is 0x2a; e_flags is at byte 48.
{ head -c 48 "$co/basic.gfx906.co" && printf '\x2a' && tail -c +50 "$co/basic.gfx906.co"; } >"$tmp/old.co"
h=hipv4-amdgcn-amd-amdhsa--
bundle ${h}gfx803 "$tmp/old.co" ${h}gfx1100 "$co/basic.gfx1100.co" ${h}gfx942 "$co/basic.gfx942.co" >"$tmp/b.hipfb"
warning="warning: '$tmp/b.hipfb:${h}gfx803' is code for gfx803"
says "an entry without a table" 1 "$warning" "$dis" "$tmp/b.hipfb"
for view in "" --stats --json; do
	says "an entry after it${view:+, $view}" 1 "gfx942" "$dis" $view "$tmp/b.hipfb"
done
says "another entry alone" 0 "gfx1100" "$dis" -t gfx1100 "$tmp/b.hipfb"
says "that entry alone" 1 "no entry has code to show" "$dis" -t gfx803 "$tmp/b.hipfb"
says "an object of it" 1 "'$tmp/old.co' is code for gfx803" "$dis" "$tmp/old.co"
echo "object: $n checks"
exit $bad
