# step.sh: steps and their results, for run.sh. Results are in $folder after every step: page.txt for people,
# results.jsonl for programs, log.txt with everything that was printed.
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets budget, folder, work, listing, only, here, libs, jobs

n_ok=0 n_failed=0 n_skipped=0 n_left=0
page=$folder/page.txt log=$folder/log.txt rows=$folder/results.jsonl

say() { printf '%s\n' "$*" | tee -a "$page"; }
left() { echo $((budget - SECONDS)); }
file_of() { printf '%s/%s' "$work" "${1//[^a-zA-Z0-9._-]/_}"; } # output file of the step NAME

# Runs a command with the libraries of machine.sh.
ours() { env LD_LIBRARY_PATH="$libs" NO_COLOR=1 "$@"; }

json_text() { LC_ALL=C tr -d '\000-\037' | sed 's/[\\"]/\\&/g'; }

# wanted NAME: whether -s selects the step; with --list it prints the name instead.
wanted() {
	local glob
	if [ ${#only[@]} -gt 0 ]; then
		for glob in "${only[@]}"; do
			# shellcheck disable=SC2053 # a pattern
			if [[ $1 == $glob ]]; then break; fi
			glob=
		done
		[ -n "$glob" ] || return 1
	fi
	if [ -n "$listing" ]; then
		echo "$1"
		return 1
	fi
}

# result STATUS NAME SECONDS TEXT
result() {
	case $1 in
	ok) n_ok=$((n_ok + 1)) ;;
	skip) n_skipped=$((n_skipped + 1)) ;;
	left) n_left=$((n_left + 1)) ;;
	*) n_failed=$((n_failed + 1)) ;;
	esac
	say "$(printf '%-5s %-24s %4s s  %s' "$1" "$2" "$3" "$4")"
	printf '{"step":"%s","status":"%s","s":%s,"text":"%s"}\n' "$2" "$1" "$3" "$(printf '%s' "$4" | json_text)" >>"$rows"
}

skip() { # NAME REASON
	if wanted "$1"; then result skip "$1" 0 "$2"; fi
}

# fits NAME USUAL: whether the budget still covers the usual seconds of the step.
fits() {
	if [ "$(left)" -ge "$2" ]; then return 0; fi
	result left "$1" 0 "$(left) s of the budget are left, the step usually takes $2 s"
	return 1
}

# findings FILE: prints compute-sanitizer's findings, a line each: a race is a pair of accesses, another error has
# one location.
findings() {
	awk '
		function flush() {
			if (what != "")
				print what
			what = ""
		}
		!/^=========/ { next }
		/^========= +and / {
			sub(/^========= +and /, "")
			sub(/ \[[0-9]+ hazards?\]$/, "")
			if (race != "")
				print race " and " $0
			what = ""
			next
		}
		/^=========  +at / {
			sub(/^=========  +/, "")
			if (what != "" && race == "")
				what = what " " $0
			flush()
			next
		}
		/^========= [A-Z]/ && !/^========= (COMPUTE-SANITIZER|.*SUMMARY)/ {
			flush()
			race = ""
			what = substr($0, 11)
			if (sub(/^(Error|Warning): Race reported/, "Race reported", what))
				race = what
		}
		END { flush() }' "$1"
}

# Copies the lines that explain a failure from FILE to the page.
explain() {
	local lines
	lines=$(findings "$1" | sort | uniq | head -9)
	[ -n "$lines" ] || lines=$(grep -aE 'FAIL|[Ee]rror|ERROR|wrong|not found' "$1" | head -9)
	[ -n "$lines" ] || lines=$(grep -av '^ *$' "$1" | tail -9)
	cut -c1-300 <<<"$lines" | sed 's/^/        /' >>"$page"
}

log_file() { # NAME SECONDS STATUS FILE COMMAND...
	{
		printf '\n==== %s (%d s, exit %d): %s\n' "$1" "$2" "$3" "${*:5}"
		head -c 400000 "$4"
	} >>"$log"
}

# step NAME USUAL LIMIT COMMAND...: runs one command. USUAL: the seconds it takes on a fast card; the step is left
# out if the budget has fewer. LIMIT: the seconds after which it is stopped and fails.
step() {
	local name=$1 usual=$2 limit=$3 from=$SECONDS rc out last
	shift 3
	wanted "$name" && fits "$name" "$usual" || return 9
	for out in "$@"; do
		if [[ $out == bin/* ]]; then break; fi
		out=
	done
	if [ -n "$out" ] && [ ! -x "$out" ]; then
		result skip "$name" 0 "this pack has no $out"
		return 9
	fi
	out=$(file_of "$name")
	[ "$(left)" -ge "$limit" ] || limit=$(left)
	ours timeout -k 5 "$limit" "$@" >"$out" 2>&1 </dev/null
	rc=$?
	log_file "$name" $((SECONDS - from)) $rc "$out" "$@"
	last=$(grep -av '^ *$' "$out" | tail -1 | sed 's/^ *//' | cut -c1-150)
	case $rc in 124 | 137) last="stopped after $limit s; $last" ;; esac
	if [ $rc -eq 0 ]; then
		result ok "$name" $((SECONDS - from)) "$last"
	else
		result FAIL "$name" $((SECONDS - from)) "exit $rc: $last"
		explain "$out"
	fi
	return $rc
}

# show NAME COUNT [PATTERN]: copies the first lines that match from a step's output to the page, if it ran.
show() {
	local out
	out=$(file_of "$1")
	[ ! -f "$out" ] || grep -aE "${3-.}" "$out" | head -n "$2" | sed 's/^/        /' >>"$page"
}

# many NAME USUAL LIMIT FUNCTION PART...: runs FUNCTION PART for each part, $jobs at a time, and adds up their last
# lines, "N passed, N failed, N skipped". Prints up to 3 failures of each kind.
many() {
	local name=$1 usual=$2 limit=$3 run=$4 from=$SECONDS deadline n=0 running=0 dir part sums rc=0
	shift 4
	wanted "$name" && fits "$name" "$usual" || return 9
	# The steps that follow need a third of the budget.
	[ $(($(left) * 2 / 3)) -ge "$limit" ] || limit=$(($(left) * 2 / 3))
	deadline=$((SECONDS + limit))
	dir=$(file_of "$name").d
	mkdir -p "$dir"
	for part in "$@"; do
		if [ $running -ge "$jobs" ]; then
			wait -n
			running=$((running - 1))
		fi
		n=$((n + 1)) running=$((running + 1))
		(
			from=$SECONDS limit=$((deadline - SECONDS))
			[ $limit -gt 0 ] || limit=1
			rc=0
			"$run" "$limit" "$part" >"$dir/$n" 2>&1 </dev/null || rc=$?
			echo "$((SECONDS - from)) $rc $part" >"$dir/$n.end"
		) &
	done
	wait
	for part in $(seq $n); do log_file "$name" 0 "$(cut -d' ' -f2 "$dir/$part.end")" "$dir/$part" "$(cat "$dir/$part.end")"; done
	sums=$(cat "$dir"/*[0-9] | awk '/^[0-9]+ passed, [0-9]+ failed, / { gsub(",", ""); p += $1; f += $3; s += $5; n++ }
		END { printf "%d passed, %d failed, %d skipped in %d parts", p, f, s, n }')
	sums="$sums, $(cat "$dir"/*.end | awk '$2 == 124 || $2 == 137 { n++ } END { print n + 0 }') stopped, longest $(cat "$dir"/*.end | sort -rn | awk 'NR <= 3 { printf "%s%s %s s", (NR > 1 ? ", " : ""), $3, $1 }')"
	if awk '$2 != 0 { bad = 1 } END { exit bad }' "$dir"/*.end; then
		result ok "$name" $((SECONDS - from)) "$sums"
	else
		rc=1
		result FAIL "$name" $((SECONDS - from)) "$sums"
		explain_many "$dir"
	fi
	# The reasons for skipped or omitted cases.
	cat "$dir"/*[0-9] | grep -aE '^ *skipped: |is left out, ' | sed -E 's/^ */        /' | sort -u | head -9 | cut -c1-300 >>"$page"
	return $rc
}

# Failures by kind, the most frequent first: the count, and up to 3 lines in full.
explain_many() {
	local all=$1/failures found=$1/findings count kind part # a file written by many, "SECONDS STATUS PART"
	: >"$found"
	for part in "$1"/*.end; do
		case $(cat "$part") in *" 0 "*) continue ;; esac
		# The last lines of any other part contain the reason.
		findings "${part%.end}" | sed "s,^,$(cut -d' ' -f3- "$part"): ," >"$found.new"
		cat "$found.new" >>"$found"
		grep -a '^FAIL' "${part%.end}" || [ -s "$found.new" ] ||
			echo "FAIL part $(cut -d' ' -f3- "$part"), exit $(cut -d' ' -f2 "$part"): $(tail -n 2 "${part%.end}" | tr '\n' ' ')"
	done >"$all"
	sort "$found" | uniq -c | sort -rn | head -25 | sed -E 's/^ *([0-9]+) /        \1 of /' | cut -c1-300 >>"$page"
	sed -E 's/^FAIL [^ ]+ S=[^:]*: //; s/^FAIL //; s/^=+ //' "$all" | awk '{ print $1 }' >"$1/kinds"
	sort "$1/kinds" | uniq -c | sort -rn | head -25 | while read -r count kind; do
		printf '        %s of %s\n' "$count" "$kind"
		paste -d ' ' "$1/kinds" "$all" | awk -v k="$kind" '$1 == k && n++ < 3 { print "            " substr($0, length($1) + 2, 300) }'
	done >>"$page"
}
