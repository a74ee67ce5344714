# Puts the file that was just written into git's index.
input=$HOOK_TOOL_INPUT
# The variable holds the beginning only when the input is long; becket then has all of it in a file.
if [ -n "${HOOK_TOOL_INPUT_FILE:-}" ]; then
    input=$(cat -- "$HOOK_TOOL_INPUT_FILE")
fi
file=$(printf '%s' "$input" | jq -r '.path // .file_path // empty')
if [ -n "$file" ]; then
    git add -- "$file" >/dev/null 2>&1
fi
exit 0
