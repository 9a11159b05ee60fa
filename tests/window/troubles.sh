# What the window says where something is missing or breaks, and that it goes on working. Sourced by `run`.

# refuses STATUS TEXT COMMAND...: the program ends at once with this status, and says this on stderr.
refuses() {
    local status=0 wanted=$1 text=$2 said
    shift 2
    said=$(timeout 60 "$@" 2>&1 >/dev/null) || status=$?
    [[ $status -eq $wanted && $said == *"$text"* ]] || fail "$*: exit status $status, not $wanted; it said: $said"
}

no_window() {
    refuses 3 "there is no display to open a window on" env -u DISPLAY "$BINARY"
    refuses 3 "no graphics interface could draw the window" \
        env VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent WGPU_BACKEND=vulkan "$BINARY"
    refuses 2 "did you mean 'lesson-stride-8'?" "$BINARY" --preset lesson-strid-8
    refuses 1 "--log $HOME_FOLDER/no/such/folder could not be written" "$BINARY" --log "$HOME_FOLDER/no/such/folder"
    say "no display, no driver, no such preset, no such folder: each a message and its exit status"
}

# A file that is none is told; all else works.
bad_file() {
    printf '{"schema": "sectorscope-results/1", "rows": [' >"$HOME_FOLDER/torn.json"
    local file text
    for file in "$HOME_FOLDER/torn.json" "$HOME_FOLDER/absent.json"; do
        start bad-file --open "$file"
        until_true 30 "a notice that names the file" sees label "$file"
        text=$(text_of label "$file")
        sees label "Asked 128 B · 4 sectors" || fail "a bad file keeps the rest from working"
        close_window
        [[ $STATUS -eq 0 ]] || fail "exit status $STATUS"
        say "a bad file: ${text/$HOME_FOLDER\//}"
    done
}

# measure_and_hear TEXT NAME: after a run of which TEXT is told, another one can be asked for and ends.
measure_and_hear() {
    until_true 60 "the device" is_enabled "$MEASURE (about 5 s)"
    click button Sweep
    until_true 120 "a notice or a row that says: $1" says "$1"
    until_true 60 "the end of the run" is_enabled Sweep
    sees label "Asked 128 B · 4 sectors" || fail "the bill went with the device"
    picture "$2"
    click button "$MEASURE"
    # A run may be over before it is looked at: what it leaves is its document.
    until_true 30 "another run" is_enabled "Close read"
    until_true 120 "its end" is_enabled Sweep
    say "$2: \"$(text_with "$1" | head -c 160)\"; then another run: $(points) points in the plot"
}
says() { [[ -n $(text_with "$1") ]]; }
text_with() { shown | jq -r -s --arg text "$1" 'first(.[] | select(.role == "label" and (.text | contains($text)))) | .text // ""'; }

lost_device() {
    # Enough submissions for a part of a sweep.
    SECTORSCOPE_TEST_LOSE_DEVICE_AFTER=60 start lost-device
    measure_and_hear lost lost-device
    close_window
    [[ $STATUS -eq 0 ]] || fail "exit status $STATUS"
}

little_memory() {
    SECTORSCOPE_TEST_MEMORY_BYTES=20000000 start little-memory
    measure_and_hear "the default footprint is halved" little-memory
    has_points 1 || fail "nothing was measured in the memory that there is"
    close_window
    SECTORSCOPE_TEST_MEMORY_BYTES=1000 start no-memory
    measure_and_hear memory no-memory
    close_window
    [[ $STATUS -eq 0 ]] || fail "exit status $STATUS"
}

troubles() {
    no_window
    bad_file
    lost_device
    little_memory
    ! grep -q panicked "$KEEP/stderr" || fail "a panic: $(grep -m 1 panicked "$KEEP/stderr")"
}
