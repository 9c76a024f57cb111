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
# OTALAB_CI_SLOWNESS multiplies all budgets (1 by default; 2 or 1.5 for a slower or a busy machine).

case "${OTALAB_CI_SLOWNESS:=1}" in
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
section_start=0
section_rows=()
section_failures=()

# The clock, in seconds; a test replaces it.
section_clock() { echo "$SECONDS"; }

# A budget in seconds on a machine of usual speed, on this one.
scaled() { awk -v seconds="$1" -v slowness="$OTALAB_CI_SLOWNESS" 'BEGIN { printf "%d", seconds * slowness }'; }

section() { # name, budget
    end_section 0
    section_name="$1"
    section_budget="$(scaled "$2")"
    section_start="$(section_clock)"
    echo "== $section_name"
}

end_section() { # exit status of the section's last command
    [ -n "$section_name" ] || return 0
    local seconds verdict=ok
    seconds=$(($(section_clock) - section_start))
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
    [ "$OTALAB_CI_SLOWNESS" = 1 ] || echo "budgets are multiplied by $OTALAB_CI_SLOWNESS (OTALAB_CI_SLOWNESS)"
    for row in ${section_failures[@]+"${section_failures[@]}"}; do
        echo "FAILED: $row"
        [ "$status" -ne 0 ] || status=1
    done
    exit "$status"
}
trap 'print_sections $?' EXIT
