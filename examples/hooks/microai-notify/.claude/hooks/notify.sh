# Shows a message where the desktop can, and keeps it in any case.
printf '%s\n' "$1" >> notifications.txt
if [ -n "$DISPLAY" ] && command -v notify-send >/dev/null; then
    notify-send becket "$1" || true
fi
