# >>> openclaw-memory >>> Undo with: openclaw-memory hooks uninstall git
openclaw_memory_hook=$(git rev-parse --git-common-dir)/openclaw-memory/@NAME@
if [ -x "$openclaw_memory_hook" ]; then
    "$openclaw_memory_hook" "$@" || exit $?
elif command -v openclaw-memory >/dev/null 2>&1; then
    openclaw-memory hook @NAME@ "$@" || exit $?
else
    echo "openclaw-memory: blocked, because the memory cannot be checked: it is not set up in this clone" >&2
    echo "  hint: install openclaw-workspace-memory, then run: openclaw-memory hooks install git" >&2
    exit 2
fi
# <<< openclaw-memory <<<
