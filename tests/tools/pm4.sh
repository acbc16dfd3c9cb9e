#!/usr/bin/env bash
# pm4.sh QD-DIS: streams of packets, as text and as bytes, whole and cut off.
set -u
dis=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0

says() { # WHAT EXIT TEXT COMMAND...
	local what=$1 want=$2 text=$3 rc
	shift 3
	n=$((n + 1))
	"$@" >"$tmp/said" 2>&1
	rc=$?
	[ $rc -eq "$want" ] && grep -qF -- "$text" "$tmp/said" && return
	echo "pm4: $what: exit $rc, expected $want with '$text':" >&2
	head -5 "$tmp/said" >&2
	bad=1
}

echo 'C0017602 22D 1 C0004600 407 ; a register, and a wait' >"$tmp/text"
printf '\002\166\001\300\055\002\000\000\001\000\000\000\000\106\000\300\007\004\000\000' >"$tmp/bytes"
says "text" 0 "0008  00000001    PGM_RSRC3: ACCUM_OFFSET=0x1" "$dis" --pm4=gfx90a "$tmp/text"
says "the event" 0 "0010  00000407    EVENT: TYPE=0x7 INDEX=0x4" "$dis" --pm4=gfx90a "$tmp/text"
says "another device" 0 "0008  00000001    0x22d: 0x1  ; not a register of this device" "$dis" --pm4=gfx1030 "$tmp/text"
"$dis" --pm4=gfx90a "$tmp/text" >"$tmp/a"
"$dis" --pm4=gfx90a -o "$tmp/b" "$tmp/bytes"
says "bytes" 0 same bash -c "cmp $tmp/a $tmp/b && echo same"
head -c 16 "$tmp/bytes" >"$tmp/cut"
says "cut off" 1 "'$tmp/cut': offset 0xc: EVENT_WRITE is cut off; words missing: 1 of 1" "$dis" --pm4=gfx90a "$tmp/cut"
says "the available part of it" 1 "000c  C0004600  EVENT_WRITE, 1 word" "$dis" --pm4=gfx90a "$tmp/cut"
head -c 18 "$tmp/bytes" >"$tmp/odd"
says "half a word" 1 "'$tmp/odd': offset 0x10: 2 bytes at the end do not form a word" "$dis" --pm4=gfx90a "$tmp/odd"
: >"$tmp/empty"
says "an empty file" 1 "'$tmp/empty': offset 0x0: the file is empty" "$dis" --pm4=gfx90a "$tmp/empty"
echo "C0017602 zz" >"$tmp/wrong"
says "no number" 1 "$tmp/wrong:1:10: error:" "$dis" --pm4=gfx90a "$tmp/wrong"
says "no device" 2 "--pm4 takes an AMD target, gfx900 to gfx1201, not 'gfx1250'" "$dis" --pm4=gfx1250 "$tmp/text"
says "another view" 2 "--pm4 prints a stream; it can be combined with -o only" "$dis" --pm4=gfx90a --stats "$tmp/text"
says "a kernel's option" 2 "--pm4 prints a stream" "$dis" --pm4=gfx90a -t ptx "$tmp/text"

[ $bad -eq 0 ] && echo "$n checks"
exit $bad
