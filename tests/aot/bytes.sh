#!/usr/bin/env bash
# bytes.sh QD-AOT SOURCE: the bytes that qd-aot writes depend only on kernels, targets and options.
# Merged parts equal the whole, and strip is the inverse of merge.
set -u
aot=$(realpath "$1") src=$(realpath "$2")
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"
# shellcheck source=tests/scripts/locale.sh
. "$src/tests/scripts/locale.sh"
cd "$tmp" || exit 2
ex=$src/docs/examples
cp "$ex/tile_sum.qdk" "$ex/tile_min.qdk" "$ex/subgroup.qdk" .

make() { # COMMAND...: must succeed and print nothing
	n=$((n + 1))
	"$@" >out 2>&1 && [ ! -s out ] || fail "$*: $(cat out)"
}
same() { # A B WHAT
	n=$((n + 1))
	cmp "$1" "$2" >cmp 2>&1 || fail "$3: $(cat cmp)"
}
other() { # A B WHAT: the files must differ
	n=$((n + 1))
	cmp -s "$1" "$2" && fail "$3: '$1' and '$2' are the same"
}

# -- The same command in other circumstances
files="tile_sum.qdk subgroup.qdk"
# shellcheck disable=SC2086
make "$aot" -q $files -o whole.o
# shellcheck disable=SC2086
try() { # WHAT COMMAND...
	local what=$1
	shift
	make "$@" -q -o again.o --stem whole
	same whole.o again.o "$what"
	[ "$what" = "the other order" ] || same whole.h again.h "$what, header"
}
for j in 1 2 8; do
	# shellcheck disable=SC2086
	try "-j$j" "$aot" $files -j$j
done
sed -i s/QD_FATBIN_AGAIN/QD_FATBIN_WHOLE/ again.h
try "the other order" "$aot" subgroup.qdk tile_sum.qdk
mkdir -p far/away
make env -C far/away "$aot" ../../tile_sum.qdk "$tmp/subgroup.qdk" -q -o whole.o
same whole.o far/away/whole.o "another folder"
same whole.h far/away/whole.h "another folder, header"
if decimal_comma "$tmp"; then
	locale=de_DE.UTF-8
else
	echo "part skipped: de_DE.UTF-8 cannot be created; C.UTF-8 is used instead"
	locale=C.UTF-8
fi
# shellcheck disable=SC2086
try "locale $locale" env LC_ALL=$locale "$aot" $files
# shellcheck disable=SC2086
try "another environment" env -u USER SOURCE_DATE_EPOCH=1 HOME=/nonexistent TZ=Asia/Tokyo "$aot" $files
# shellcheck disable=SC2086
try "piped" bash -c "\"\$@\" -o - | cat >again.o" _ "$aot" $files --header again.h
for t in gfx1100,gfx906,ptx,qdir qdir,ptx,gfx906,gfx1100 ptx:sm_70,gfx906,qdir,gfx1100,gfx906; do
	make "$aot" -q tile_sum.qdk -t $t -o few-${t%%,*}.o --stem few --no-header
	same few-gfx1100.o few-${t%%,*}.o "-t $t"
done
printf '# some\n  gfx906 # one\n\ngfx1100, qdir\r\nptx\n' >targets
make "$aot" -q tile_sum.qdk --targets-file targets -o few.o --no-header
same few.o few-gfx1100.o "--targets-file"
make "$aot" -q tile_sum.qdk --targets-file targets -t gfx942 -o more.o --stem few --no-header
other more.o few.o "one more target"
make "$aot" -q tile_sum.qdk -t gfx1100,gfx906,ptx,qdir -o 1.o --stem few --no-header --host aarch64
other 1.o few.o "another host"

# -- Parts and the whole
files="tile_sum.qdk tile_min.qdk"
# shellcheck disable=SC2086
make "$aot" -q $files -o whole.o
half=gfx1100,gfx1101,gfx906,ptx:sm_50
rest=$("$aot" list whole.o | sed -nE 's/.* ([a-z]+[^ ]*) +subgroup .*/\1/p' | sort -u | grep -vxE "${half//,/|}" | paste -sd,)
# shellcheck disable=SC2086
make "$aot" -q $files -t $half -o a.o
# shellcheck disable=SC2086
make "$aot" -q $files -t "$rest" -o b.o
make "$aot" merge -q a.o b.o -o ab.o --stem whole
same whole.o ab.o "merge of two halves"
make "$aot" merge -q b.o a.o -o ba.o --stem whole
same whole.o ba.o "merge in the other order"
make "$aot" merge -q whole.o a.o -o twice.o --stem whole
same whole.o twice.o "merge of an existing fatbin"
make "$aot" strip -q whole.o -t $half -o b2.o --stem b
same b.o b2.o "strip of a half"
# A target also names its code with launch facts, which cannot run all launches alone.
"$aot" list whole.o -t spirv:w32 | grep -q 'spirv:w32:facts' || fail "-t spirv:w32: $("$aot" list whole.o -t spirv:w32)"
make "$aot" strip -q whole.o -t spirv:w32 -o no32.o
if "$aot" list no32.o | grep -E 'spirv:w32(:facts)? '; then fail "strip -t spirv:w32 keeps a variant"; fi
make "$aot" strip -q whole.o -t spirv:w32:facts -o general.o
[ "$("$aot" list general.o | grep -cE 'spirv:w32(:facts)? ')" = "$("$aot" list whole.o | grep -c 'spirv:w32 ')" ] || fail "strip -t spirv:w32:facts"
make "$aot" strip -q b2.o -t all -k 'tile_sum' -o b3.o --stem b
make "$aot" strip -q b2.o -k '[!t]*' -o b4.o --stem b
make "$aot" merge -q b4.o b3.o a.o -o back.o --stem whole
[ "$("$aot" list back.o -k sum4 | wc -l)" -gt 10 ] || fail "sum4 is in both: $("$aot" list back.o -k sum4)"
same whole.o back.o "strip, then merge"
for how in none zstd:1 zstd:19; do
	make "$aot" merge -q whole.o --compress=$how -o c-$how.o --stem whole
	other whole.o c-$how.o "--compress=$how"
	make "$aot" merge -q c-$how.o -o d.o --stem whole
	same whole.o d.o "back from --compress=$how"
	diff <("$aot" list whole.o) <("$aot" list c-$how.o) >/dev/null || fail "--compress=$how: other entries"
done
[ "$(stat -c %s c-none.o)" -gt "$(stat -c %s whole.o)" ] || fail "--compress=none is no larger"

# -- Kernels that differ are not merged
mkdir other
sed 's/reduce_add/reduce_max/' tile_sum.qdk >other/tile_sum.qdk
make "$aot" -q other/tile_sum.qdk -t gfx1100 -D L=2 -o o.o
expect "merge of two that differ" 1 "" "qd-aot: error: kernel 'sum4' for gfx1100 has two images that differ" \
	"$aot" merge -q o.o whole.o -o never.o -k sum4
[ ! -e never.o ] || fail "a fatbin was written after an error"
# -- From standard input
make bash -c "\"\$0\" merge -q - b.o -o p.o --stem whole <a.o" "$aot"
same whole.o p.o "merge of standard input"
make bash -c "\"\$0\" -q - -t gfx906 -k sum4 -o s1.o --stem s <tile_sum.qdk" "$aot"
make "$aot" -q tile_sum.qdk -t gfx906 -k sum4 -o s2.o --stem s
same s1.o s2.o "compiled from standard input"
echo "$n checks"
exit $bad
