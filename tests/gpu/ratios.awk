# ratios.awk: prints the rows of results.jsonl as a table. For each device: microseconds, the ratio to the peer
# (above 1: qd is slower), and the share of the bandwidth that the device's copies reach.
function field(key,    at, v) {
	at = index($0, "\"" key "\":")
	if (!at)
		return ""
	v = substr($0, at + length(key) + 3)
	if (v ~ /^"/) {
		v = substr(v, 2)
		sub(/".*/, "", v)
	} else
		sub(/[,}].*/, "", v)
	return v
}
function times(who, when) {
	return sprintf("%.1f ms (mean of %d), %.1f at most", sum[who, when] / got[who, when] / 1000, got[who, when], most[who, when] / 1000)
}
/"who"/ {
	who = field("who")
	name = field("name")
	if (field("error") != "") {
		print "! " who ": " field("error")
		next
	}
	if (field("skip") != "") {
		print "- " who ": " field("skip")
		next
	}
	if (name ~ /^get /) {
		# The second use of a function in a context compiles nothing.
		if (!((who, name) in known)) {
			known[who, name] = 1
			when = name ~ /^get again / ? "again" : "first"
			got[who, when]++
			sum[who, when] += field("us")
			if (field("us") + 0 > most[who, when])
				most[who, when] = field("us") + 0
		}
		next
	}
	if (field("us") == "")
		next
	if (who != "peer" && !(who in seen)) {
		seen[who] = 1
		whos[++n_who] = who
	}
	if (!(name in row)) {
		row[name] = 1
		names[++n] = name
	}
	us[who, name] = field("us")
	gbps[who, name] = field("gbps") + 0
	if (name ~ /copy|memcpy/ && gbps[who, name] > copy[who])
		copy[who] = gbps[who, name]
}
END {
	printf "%-28s%10s", "", "peer us"
	for (w = 1; w <= n_who; w++)
		printf " |%12s%7s%7s%8s", substr(whos[w], 1, 9) " us", "/peer", "GB/s", "of copy"
	print ""
	for (i = 1; i <= n; i++) {
		name = names[i]
		printf "%-28s%10s", name, us["peer", name] == "" ? "" : sprintf("%.2f", us["peer", name])
		for (w = 1; w <= n_who; w++) {
			who = whos[w]
			u = us[who, name]
			# The share of the card's highest measured copy bandwidth.
			top = who ~ /^cuda/ && copy["peer"] > copy[who] ? copy["peer"] : copy[who]
			printf " |%12s%7s%7s%8s", u == "" ? "" : sprintf("%.2f", u),
				u == "" || us["peer", name] + 0 == 0 ? "" : sprintf("%.2f", u / us["peer", name]),
				gbps[who, name] ? sprintf("%.0f", gbps[who, name]) : "",
				gbps[who, name] && top ? sprintf("%.2f", gbps[who, name] / top) : ""
		}
		print ""
	}
	for (w = 1; w <= n_who; w++)
		if (got[whos[w], "first"]) {
			printf "%s: a function is compiled and loaded in %s", whos[w], times(whos[w], "first")
			# For amdgpu only qd compiles and caches, and its cache is off.
			if (whos[w] !~ /^amdgpu/ && got[whos[w], "again"])
				printf "; again from the driver's cache in %s", times(whos[w], "again")
			print ""
		}
}
