# Reads the kernels in the .notes of each code object TARGET/KIND, the instructions in its .llvm
# listing, and the differing lines in its .diff.  Prints a line per target and the totals, and
# complains if the totals are too low.

function flush_kernel() {
	if (name == "")
		return
	is_kernel[target, kind, name] = 1
	n_kernels[target]++
	n_of_kind[target, kind]++
	kinds[kind] = kernels[name] = 1
	if (lds > 0)
		with_lds[name] = 1
	if (scratch > 0 || dynamic == "true")
		with_scratch[name] = 1
	name = ""
	lds = scratch = 0
	dynamic = ""
}

function count(set,    n, i) {
	n = 0
	for (i in set)
		n++
	return n
}

function need(what, have, least) {
	printf "%6d %s\n", have, what
	if (have < least) {
		printf "kernels: %d %s, %d are wanted\n", have, what, least
		bad = 1
	}
}

FNR == 1 {
	flush_kernel()
	split(FILENAME, at, /[\/.]/)
	target = at[1]
	kind = at[2]
	if (!(target in n_lines)) {
		order[++n_targets] = target
		n_lines[target] = n_diff[target] = n_kernels[target] = 0
	}
	minus = plus = 0
	function_name = ""
}

FILENAME ~ /\.notes$/ {
	if (/^  - / || /^amdhsa.target/)
		flush_kernel()
	if ($1 == ".group_segment_fixed_size:")
		lds = $2
	else if ($1 == ".private_segment_fixed_size:")
		scratch = $2
	else if ($1 == ".uses_dynamic_stack:")
		dynamic = $2
	else if (/^    \.symbol:/)
		name = substr($2, 1, length($2) - 3)
	next
}

FILENAME ~ /\.diff$/ {
	if (/^-/)
		minus++
	else if (++plus <= minus)
		next
	n_diff[target]++
	next
}

{
	n_lines[target]++
}

/^[0-9a-f]+ <.*>:$/ {
	function_name = substr($2, 2, length($2) - 3)
}

/^\t[a-z]/ && $1 != "s_code_end" {
	n_insns[target]++
	opcodes[$1] = 1
	opcodes_of[target, $1] = 1
	if (!((target, kind, function_name) in is_kernel))
		next
	if ($1 ~ /_(f64|f16|bf16)(_|$)/ || $1 ~ /^v_(cmpx?|mul|min|max|ashrrev)_.*[iu]64/ ||
	    $1 ~ /atomic_.*(_x2|64)$/ || $1 ~ /^ds_.*_(rtn_)?[iu]64$/)
		with_wide[function_name] = 1
	if ($1 ~ /^v_(mfma|smfmac|wmma|swmmac)_/)
		with_matrix[function_name] = 1
}

END {
	flush_kernel()
	for (key in opcodes_of) {
		split(key, part, SUBSEP)
		n_opcodes[part[1]]++
	}
	printf "%-16s %8s %8s %13s %10s %10s\n", "", "kernels", "opcodes", "instructions", "equal",
		"different"
	for (i = 1; i <= n_targets; i++) {
		target = order[i]
		printf "%-16s %8d %8d %13d %10d %10d\n", target, n_kernels[target],
			n_opcodes[target], n_insns[target], n_lines[target] - n_diff[target],
			n_diff[target]
		sum_kernels += n_kernels[target]
		sum_insns += n_insns[target]
		sum_equal += n_lines[target] - n_diff[target]
		sum_diff += n_diff[target]
		if (n_kernels[target] < 60) {
			printf "kernels: %s has %d kernels, 60 are wanted\n", target, n_kernels[target]
			bad = 1
		}
	}
	printf "%-16s %8d %8d %13d %10d %10d\n\n", "all", sum_kernels, count(opcodes), sum_insns,
		sum_equal, sum_diff
	# The list of missing kinds must be exact.
	n = split(missing, part, " ")
	for (i = 1; i <= n; i++)
		is_missing[part[i]] = 1
	for (i = 1; i <= n_targets; i++) {
		for (kind in kinds) {
			key = order[i] ":" kind
			if (((order[i], kind) in n_of_kind) == (key in is_missing)) {
				printf "kernels: %s has %d kernels of kind %s\n", order[i],
					n_of_kind[order[i], kind], kind
				bad = 1
			}
		}
	}
	need("kernels by name", count(kernels), 60)
	need("kinds", count(kinds), 12)
	need("targets", n_targets, 8)
	need("kernels with shared memory", count(with_lds), 8)
	need("kernels with 64-bit or 16-bit arithmetic", count(with_wide), 8)
	need("kernels with matrix instructions", count(with_matrix), 4)
	need("kernels with scratch", count(with_scratch), 4)
	need("distinct opcodes", count(opcodes), 400)
	exit bad
}
