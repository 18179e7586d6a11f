#!/bin/sh
# openclaw-memory: git merge driver of the index and of facts. Undo with: openclaw-memory hooks uninstall git
# Called with: base ours theirs path
python=@PYTHON@
package=@PACKAGE@

if [ -x "$python" ]; then
    "$python" -I -c '@LAUNCH@' "$package" merge-driver "$@"
    status=$?
    if [ $status -le 1 ]; then exit $status; fi
fi
echo "openclaw-memory: $4 cannot be merged entry by entry, so it is merged line by line" >&2
exec git merge-file -q -L ours -L base -L theirs "$2" "$1" "$3"
