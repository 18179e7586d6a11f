#!/bin/sh
# openclaw-memory: git hook @NAME@. Undo with: openclaw-memory hooks uninstall git
python=@PYTHON@
package=@PACKAGE@
previous=${0%/*}/@PREVIOUS@

if [ -x "$previous" ]; then
    "$previous" "$@" || exit $?
fi
if [ ! -x "$python" ]; then
    echo "openclaw-memory: blocked, because the memory cannot be checked: its Python is gone: $python" >&2
    echo "  hint: install openclaw-memory again, then run: openclaw-memory hooks install git" >&2
    exit 2
fi
exec "$python" -I -c '@LAUNCH@' "$package" hook @NAME@ "$@"
