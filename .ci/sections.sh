# shellcheck shell=bash
# Sections of a long script, with a budget of wall time each; read by `.ci/run` and `.ci/night`.
#
#   section NAME SECONDS    ends the section before and begins this one
#
# At the end of the script, however it ends, a table says for each section how long it took and whether it was within
# its budget. A command that fails ends the script as `set -e` has it, and its section is FAILED in the table. A section
# that is over its budget does not stop the others, because what they find is worth knowing; the script then exits
# with 1.
#
# Budgets are those of a quiet machine with two cores. Machines that are lent are slower at some hours, so a small
# piece of fixed work is timed on both cores at the begin and the end of each section, and the section's budget is
# multiplied by how much longer it took than on a quiet machine (1 to 3, the larger of the two).
# OTALAB_CI_SLOWNESS says the factor instead (2, 1.5); nothing is timed then.

section_measures=
if [ -z "${OTALAB_CI_SLOWNESS:-}" ]; then
    section_measures=1
    OTALAB_CI_SLOWNESS=1
fi
case "$OTALAB_CI_SLOWNESS" in
    *[!0-9.]* | *.*.* | . | '') bad_slowness=1 ;;
    *[1-9]*) bad_slowness= ;;
    *) bad_slowness=1 ;;
esac
if [ -n "$bad_slowness" ]; then
    echo "OTALAB_CI_SLOWNESS is a positive number, not '$OTALAB_CI_SLOWNESS'" >&2
    exit 2
fi

section_name=
section_budget=0
section_slowness=1
section_start=0
section_rows=()
section_failures=()

# The clock, in seconds; a test replaces it.
section_clock() { echo "$SECONDS"; }

# How much slower than a quiet machine this one is now; a test replaces it. The reference is 230 ms.
section_measure() {
    local begun ended
    begun="$(date +%s%N)"
    for _ in 1 2; do awk 'BEGIN { for (i = 0; i < 4000000; i++) sum += i % 7 }' & done
    wait $(jobs -p | tail -2)
    ended="$(date +%s%N)"
    awk -v ms="$(((ended - begun) / 1000000))" \
        'BEGIN { slowness = ms / 230; print (slowness < 1 ? 1 : slowness > 3 ? 3 : slowness) }'
}

# The larger of two factors.
larger() { awk -v one="$1" -v other="$2" 'BEGIN { print (one > other ? one : other) }'; }

# A budget in seconds on a machine of usual speed, on this one.
scaled() { awk -v seconds="$1" -v slowness="$OTALAB_CI_SLOWNESS" 'BEGIN { printf "%d", seconds * slowness }'; }

section() { # name, budget
    end_section 0
    section_name="$1"
    [ -z "$section_measures" ] || section_slowness="$(section_measure)"
    section_budget="$2"
    section_start="$(section_clock)"
    echo "== $section_name"
}

end_section() { # exit status of the section's last command
    [ -n "$section_name" ] || return 0
    local seconds verdict=ok
    seconds=$(($(section_clock) - section_start))
    if [ -n "$section_measures" ]; then
        OTALAB_CI_SLOWNESS="$(larger "$section_slowness" "$(section_measure)")"
    fi
    section_budget="$(scaled "$section_budget")"
    if [ "$1" -ne 0 ]; then
        verdict=FAILED
        section_failures+=("section '$section_name' failed with exit code $1 after $seconds s")
    elif [ "$seconds" -gt "$section_budget" ]; then
        verdict="OVER BUDGET"
        section_failures+=("section '$section_name' took $seconds s, its budget is $section_budget s")
    fi
    section_rows+=("$(printf '%-28s %6d %8d   %s' "$section_name" "$seconds" "$section_budget" "$verdict")")
    section_name=
}

print_sections() { # exit status of the script
    trap - EXIT
    local job
    for job in $(jobs -p); do kill "$job" 2>/dev/null || true; done
    end_section "$1"
    printf '\n%-28s %6s %8s\n' section seconds budget
    local row status="$1"
    for row in ${section_rows[@]+"${section_rows[@]}"}; do echo "$row"; done
    printf '%-28s %6d\n' total "$(section_clock)"
    if [ -n "$section_measures" ]; then
        echo "budgets are multiplied by how slow the machine was in that section"
    elif [ "$OTALAB_CI_SLOWNESS" != 1 ]; then
        echo "budgets are multiplied by $OTALAB_CI_SLOWNESS (OTALAB_CI_SLOWNESS)"
    fi
    for row in ${section_failures[@]+"${section_failures[@]}"}; do
        echo "FAILED: $row"
        [ "$status" -ne 0 ] || status=1
    done
    exit "$status"
}
trap 'print_sections $?' EXIT
