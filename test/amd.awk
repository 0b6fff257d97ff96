# SPDX-License-Identifier: MIT
#
# amd.awk - makes the table of registers of make amd-table from the compiler's numbers for kernels.
#
# A line of input is a kernel: row, kind of number, whether it is picked, work-items of a group,
# VGPRs, SGPRs, spilled registers and private bytes, bytes of local memory, work-items of a wave.
# The table has the worst kernel of each row and kind of number.  -v target=gfx906.

BEGIN {
	# Of a SIMD: VGPRs, their granularity, SGPRs (0: each wave has its own), waves; of the four
	# SIMDs that share local memory: its bytes, groups of more than one wave.
	limits["gfx803"] = "256 4 800 10 65536 16"
	limits["gfx906"] = "256 4 800 10 65536 16"
	limits["gfx90a"] = "512 8 800 8 65536 16"
	limits["gfx942"] = "512 8 800 8 65536 16"
	limits["gfx1100"] = limits["gfx1201"] = "1536 24 0 16 131072 32"
	if (split(limits[target], limit, " ") != 6) {
		print "amd.awk: no limits of " target >"/dev/stderr"
		exit 1
	}
}

function least(x, y) {
	return x < y ? x : y
}

function up(x, to) {
	return int((x + to - 1) / to) * to
}

# Waves on a SIMD; a group is resident as a whole or not at all.
function waves(vgprs, sgprs, lds, items, wave,    of_group, groups) {
	of_group = int((items + wave - 1) / wave)
	groups = least(limit[4], int(limit[1] / up(vgprs, limit[2])))
	if (limit[3])
		groups = least(groups, int(limit[3] / up(sgprs, 16)))
	groups = int(4 * groups / of_group)
	if (lds)
		groups = least(groups, int(limit[5] / up(lds, 512)))
	if (of_group > 1)
		groups = least(groups, limit[6])
	return groups * of_group / 4
}

function worst(of, x) {
	if (!((key, of) in most) || x > most[key, of])
		most[key, of] = x
}

{
	key = $1 " " $2
	if (!(key in items))
		keys[++count] = key
	items[key] = $4
	worst("picked", $3)
	worst("vgprs", $5)
	worst("sgprs", $6)
	worst("spilled", $7)
	worst("lds", $8)
	worst("idle", limit[4] - waves($5, $6, $8, $4, $9))
}

END {
	print "| row | numbers | picked | work-items | VGPRs | SGPRs | spilled | local | waves |"
	print "|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= count; i++) {
		key = keys[i]
		split(key, word, " ")
		printf "| %s | %s | %s | %d | %d | %d | %d | %d | %.4g |\n", word[1], word[2],
			most[key, "picked"] ? "yes" : "", items[key], most[key, "vgprs"], most[key, "sgprs"],
			most[key, "spilled"], most[key, "lds"], limit[4] - most[key, "idle"]
	}
}
