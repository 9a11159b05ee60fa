# A desk without a screen, and a hand for it: starts Xvfb and a window manager, starts the program, reads its journal
# (`--log`), moves mouse and keys. Sourced by `run`. Waits by polling, never for a fixed time.

# Folder for pictures, journals and what the program said.
KEEP=${WINDOW_TEST_DIR:-target/window-test}
TITLE="Sectorscope: what your GPU fetches for what you ask"

say() { printf '%s\n' "$*"; }
fail() { say "FAIL: $*"; exit 1; }

# until_true SECONDS WHAT COMMAND...: polls the command; fails with WHAT when the time is over.
until_true() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        if ((SECONDS > end)); then
            picture failed
            fail "$what did not come to pass"
        fi
        if [[ -n ${PROGRAM:-} ]] && ! kill -0 "$PROGRAM" 2>/dev/null; then
            fail "the program ended while waiting: $what; it said: $(tail -n 3 "$KEEP/stderr" | tr '\n' ' ')"
        fi
        sleep 0.05
    done
}

need() {
    local missing=()
    for tool in "$@"; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    ((${#missing[@]} == 0)) || fail "these programs are needed: ${missing[*]} (see the top of $0)"
}

# What was started here ends here, whatever happens.
tidy_up() {
    local status=$?
    for pid in "${PROGRAM:-}" "${MANAGER:-}" "${DISPLAY_SERVER:-}"; do
        [[ -z $pid ]] || kill "$pid" 2>/dev/null || true
    done
    [[ -z ${HOME_FOLDER:-} ]] || rm -rf "$HOME_FOLDER"
    exit $status
}

# A screen of its own, a home of its own: no setting of the user's comes in, none goes out.
open_desk() {
    trap tidy_up EXIT
    mkdir -p "$KEEP"
    KEEP=$(cd "$KEEP" && pwd)
    rm -f "$KEEP"/*.png "$KEEP"/*.jsonl "$KEEP/stderr"
    HOME_FOLDER=$(mktemp -d)
    export HOME=$HOME_FOLDER XDG_DATA_HOME=$HOME_FOLDER/data XDG_CONFIG_HOME=$HOME_FOLDER/config
    export XDG_RUNTIME_DIR=$HOME_FOLDER/runtime
    mkdir -p -m 700 "$XDG_DATA_HOME" "$XDG_CONFIG_HOME" "$XDG_RUNTIME_DIR"
    unset WAYLAND_DISPLAY
    if [[ -z ${VK_DRIVER_FILES:-} ]]; then
        VK_DRIVER_FILES=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' | head -n 1)
        export VK_DRIVER_FILES
    fi
    # Xvfb picks a free number and tells it.
    Xvfb -screen 0 1600x1000x24 -nolisten tcp -displayfd 3 3>"$HOME_FOLDER/display" 2>"$KEEP/xvfb" &
    DISPLAY_SERVER=$!
    until_true 20 "a display" test -s "$HOME_FOLDER/display"
    DISPLAY=:$(<"$HOME_FOLDER/display")
    export DISPLAY
    openbox >/dev/null 2>&1 &
    MANAGER=$!
    until_true 20 "a window manager" has_manager
}

has_manager() { wmctrl -m >/dev/null 2>&1; }
find_window() {
    WINDOW=$(xdotool search --onlyvisible --name "^$TITLE\$" 2>/dev/null | head -n 1)
    [[ -n $WINDOW ]]
}
is_visible() { xdotool search --onlyvisible --name "^$TITLE\$" 2>/dev/null | grep -qx "$WINDOW"; }
is_hidden() { ! is_visible; }

# start NAME OPTIONS...: starts the program with its journal in NAME.jsonl and waits for its window.
start() {
    JOURNAL=$KEEP/$1.jsonl
    shift
    "$BINARY" --log "$JOURNAL" "$@" 2>>"$KEEP/stderr" &
    PROGRAM=$!
    until_true 60 "a window" find_window
    xdotool windowactivate --sync "$WINDOW"
}

# Seconds until the program has ended after WINDOW was told to close, and its exit status, in TOOK and STATUS.
close_window() {
    local begin
    begin=$(date +%s%N)
    wmctrl -ic "$WINDOW"
    while kill -0 "$PROGRAM" 2>/dev/null; do
        (($(date +%s%N) - begin < 20000000000)) || fail "the program was still there 20 s after its window was closed"
        sleep 0.01
    done
    TOOK=$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { printf "%.2f", ns / 1e9 }')
    STATUS=0
    wait "$PROGRAM" || STATUS=$?
    PROGRAM=
}

# What the window shows now, a JSON object a line.
shown() {
    jq -cn 'reduce inputs as $line ({};
        if $line.gone then del(.[$line.id]) elif $line.id then .[$line.id] = $line else . end) | .[]' "$JOURNAL" 2>/dev/null
}

# sees ROLE TEXT: whether a piece of this role has a text that contains TEXT.
sees() {
    shown | jq -e -s --arg role "$1" --arg text "$2" \
        'any(.[]; .role == $role and (.text | contains($text)))' >/dev/null
}
# is_enabled TEXT: whether a button says TEXT and can be pressed.
is_enabled() { shown | jq -e -s --arg text "$1" 'any(.[]; .role == "button" and .text == $text and .enabled)' >/dev/null; }

# The text of the first piece of this role that contains TEXT.
text_of() {
    shown | jq -r -s --arg role "$1" --arg text "$2" \
        'first(.[] | select(.role == $role and (.text | contains($text)))) | .text'
}

# Its place: left, top, width, height, in AT.
find_piece() {
    read -r -a AT < <(shown | jq -r -s --arg role "$1" --arg text "$2" \
        'first(.[] | select(.role == $role and (.text | contains($text)))) | .at | map(tostring) | join(" ")')
    ((${#AT[@]} == 4)) || fail "nothing of role $1 says '$2'"
}

click() {
    find_piece "$1" "$2"
    xdotool mousemove --sync --window "$WINDOW" $((AT[0] + AT[2] / 2)) $((AT[1] + AT[3] / 2)) click 1
}

# How many points of this machine the plot shows.
points() {
    text_of image "useful GB/s over" | grep -oE 'measured on this machine: ([0-9]+: [0-9.]+,? ?)+' |
        grep -oE '[0-9]+: [0-9.]+' | wc -l || true
}
has_points() { (($(points) >= $1)); }

picture() {
    [[ -n ${WINDOW:-} ]] || return 0
    import -silent -window "$WINDOW" "$KEEP/$1.png" 2>/dev/null || true
}

# differs NAME: whether the part AT of the window now differs from that part of the picture NAME.
differs() {
    local part="${AT[2]}x${AT[3]}+${AT[0]}+${AT[1]}" pixels
    picture now
    pixels=$(compare -metric AE -extract "$part" "$KEEP/$1.png" "$KEEP/now.png" null: 2>&1 || true)
    # Old versions count in exponents, and write more than the number.
    awk -v pixels="${pixels%% *}" 'BEGIN { exit !(pixels + 0 > 50) }'
}

# The longest call of the window, milliseconds.
longest_ms() { jq -s --arg call "$1" '[.[] | select(.call == $call) | .took_ms] | max // 0' "$2"; }
