# machine.sh: finds the machine's libraries, cards and Vulkan drivers, for run.sh. Nothing is installed: libraries
# that the system lacks are linked into $work/lib from the pack.
# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh sets here, work

sys=${QD_TEST_SYS-/sys}
known=$({ ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null)
has_library() { grep -qF "	$1 " <<<"$known"; }

# Folders of drivers' libraries that the dynamic linker may not search: containers, WSL, NixOS.
driver_folders="/usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib /run/opengl-driver/lib /usr/local/cuda/compat"

# Sets libs, the value of LD_LIBRARY_PATH.
find_libraries() {
	local d f name
	libs=$here/lib
	for name in libcuda.so.1 libGLX_nvidia.so.0; do
		has_library $name && continue
		for d in $driver_folders; do
			if [ -e "$d/$name" ]; then
				libs=$libs:$d
				break
			fi
		done
	done
	# A driver's Vulkan library needs the loader and the client libraries of X11, which a machine without a screen may lack.
	mkdir -p "$work/lib"
	for f in "$here"/vulkan/*.so.* "$here"/x11/*.so.*; do
		[ ! -e "$f" ] || has_library "${f##*/}" || ln -sf "$f" "$work/lib"
	done
	libs=$libs:$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# Vulkan's loader searches only the system's directories for the descriptions of drivers. If NVIDIA's is elsewhere, or
# only its library exists, all of them are named to the loader.
find_vulkan_drivers() {
	local all nvidia d
	if [ -n "${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-}${VK_ADD_DRIVER_FILES-}" ]; then return; fi
	all=$(find /etc/vulkan/icd.d /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /usr/local/etc/vulkan/icd.d -name '*.json' 2>/dev/null)
	case $all in *nvidia*) return ;; esac
	for d in /usr/local/nvidia/share/vulkan/icd.d /run/opengl-driver/share/vulkan/icd.d; do
		nvidia=$(find $d -name '*nvidia*.json' 2>/dev/null | head -1)
		[ -z "$nvidia" ] || break
	done
	if [ -z "$nvidia" ]; then
		has_library libGLX_nvidia.so.0 || [ -n "$(for d in $driver_folders; do ls "$d/libGLX_nvidia.so.0" 2>/dev/null; done)" ] || return
		nvidia=$work/nvidia_icd.json
		echo '{"file_format_version":"1.0.0","ICD":{"library_path":"libGLX_nvidia.so.0","api_version":"1.3.0"}}' >"$nvidia"
	fi
	VK_DRIVER_FILES=$(printf '%s\n' "$nvidia" "$all" | grep . | tr '\n' ':')
	VK_DRIVER_FILES=${VK_DRIVER_FILES%:}
	export VK_DRIVER_FILES VK_ICD_FILENAMES=$VK_DRIVER_FILES # the second is the name of loaders before 1.3.207
}

# Prints the cards, one a line: vendor (as 0x10de), kernel driver, and the name if it is known.
find_cards() {
	local name d vendor
	nvidia=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | grep -v 'No devices')
	{
		if [ -n "$nvidia" ]; then sed 's/^/0x10de nvidia /' <<<"$nvidia"; fi
		for d in "$sys"/class/drm/renderD*/device; do
			vendor=$(cat "$d/vendor" 2>/dev/null) || continue
			name=$(readlink "$d/driver" 2>/dev/null)
			case $vendor in
			0x10de) [ -n "$nvidia" ] || echo "$vendor ${name##*/} NVIDIA" ;;
			0x1002) echo "$vendor ${name##*/} AMD" ;;
			0x8086) echo "$vendor ${name##*/} Intel" ;;
			esac
		done
	} >"$work/cards"
}

# expects DEVICE: the first card with which the driver of DEVICE must open, or nothing.
expects() {
	case $1 in
	cuda*) grep -m1 '^0x10de nvidia ' "$work/cards" ;;
	vulkan*) head -1 "$work/cards" ;;
	amdgpu*) grep -m1 '^0x1002 amdgpu ' "$work/cards" ;;
	esac
}

# name_of DEVICE: prints the name of the device that the selector opens; fails with the reason if
# none opens.
name_of() {
	local out
	out=$(ours timeout -k 5 60 "$here/bin/run" -d "$1" --family canonical_order --count 2>&1 </dev/null) || {
		grep -v ' passed, ' <<<"$out" | head -1
		return 1
	}
	sed -n "s/^$1: \(.*\) ([^()]*), subgroup size.*/\1/p" <<<"$out"
}

# Prints the loader's messages and the libraries that the drivers' libraries lack.
vulkan_reason() {
	local icd lib file
	ours env QD_LOG=debug VK_LOADER_DEBUG=error,warn "$here/bin/qd-info" 2>&1 | grep -aE 'ERROR|WARN|vulkan' | grep -av 'QD_' | head -12
	for icd in $(tr : ' ' <<<"${VK_DRIVER_FILES-} ${VK_ICD_FILENAMES-}") /etc/vulkan/icd.d/*.json /usr/share/vulkan/icd.d/*.json; do
		[ -f "$icd" ] || continue
		lib=$(sed -n 's/.*"library_path" *: *"\([^"]*\)".*/\1/p' "$icd" | head -1)
		file=$lib
		case $lib in
		/*) ;;
		*/*) file=$(dirname "$icd")/$lib ;;
		*) for file in $(awk -v n="$lib" '$1 == n { print $NF }' <<<"$known") $(printf "%s/$lib " $driver_folders); do [ ! -e "$file" ] || break; done ;;
		esac
		if [ ! -e "$file" ]; then
			echo "$icd: $lib is not found"
		else
			ours ldd "$file" 2>&1 | awk -v i="$icd" '/not found/ { print i ": " $0 }'
		fi
	done | sort -u
}
