# What an open window costs: the figures of --bench beside it and without it, in turn, and its time while nothing happens.
# Sourced by `run`.

ROUNDS=${ROUNDS:-3}
IDLE_SECONDS=20

# One run; a line `stride=8 MEDIAN_NS` for each row.
measure_once() {
    "$BINARY" --bench --kernel read copy --set stride=1,8 --bytes 64MiB --samples 5 --json "$HOME_FOLDER/run.json" \
        >/dev/null 2>&1
    jq -r '.rows[] | "\(.kernel)-stride-\(.params.stride) \(.measured.median_ns)"' "$HOME_FOLDER/run.json"
}

ticks() { awk '{ print $14 + $15 }' "/proc/$PROGRAM/stat"; }

# Whether the start is over: a second without work.
is_quiet() {
    local before
    before=$(ticks)
    sleep 1
    (($(ticks) == before))
}

idle() {
    local begin end share
    until_true 60 "a device" is_enabled Sweep
    until_true 60 "a settled window" is_quiet
    begin=$(ticks)
    # The one wait that is the measurement itself.
    sleep $IDLE_SECONDS
    end=$(ticks)
    share=$(awk -v ticks=$((end - begin)) -v hz="$(getconf CLK_TCK)" -v s=$IDLE_SECONDS \
        'BEGIN { printf "%.2f", 100 * ticks / hz / s }')
    say "idle for $IDLE_SECONDS s: $share % of a core"
    awk -v share="$share" 'BEGIN { exit !(share < 1) }' || fail "an idle window takes 1 % of a core or more"
}

# with_window, without: one run each, into the files of their samples.
with_window() {
    start window
    until_true 60 "a device" is_enabled Sweep
    until_true 60 "a settled window" is_quiet
    measure_once >>"$KEEP/with"
    close_window
}
without() { measure_once >>"$KEEP/without"; }

median() { awk -v row="$2" '$1 == row { print $2 }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

bench() {
    start window
    idle
    close_window
    rm -f "$KEEP/with" "$KEEP/without"
    without >/dev/null
    rm -f "$KEEP/without"
    for _ in $(seq "$ROUNDS"); do
        without
        with_window
        with_window
        without
    done
    local bad=0 row ratio
    for row in $(awk '{ print $1 }' "$KEEP/without" | sort -u); do
        ratio=$(awk -v a="$(median "$KEEP/with" "$row")" -v b="$(median "$KEEP/without" "$row")" 'BEGIN { printf "%.3f", a / b }')
        say "$row: time with the window over time without it: $ratio (medians of $((2 * ROUNDS)) runs each)"
        awk -v ratio="$ratio" 'BEGIN { exit !(ratio > 0.9 && ratio < 1.1) }' || bad=1
    done
    ((bad == 0)) || fail "an open window changes the figures by more than 10 %"
}
