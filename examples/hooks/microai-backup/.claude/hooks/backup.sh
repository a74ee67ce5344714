# Keeps a copy of a file before it is edited. The argument is the tool's input, as JSON.
file=$(printf '%s' "$1" | jq -r '.file_path // empty')
if [ -f "$file" ]; then
    folder=".backups/$(date +%Y-%m-%d)"
    mkdir -p "$folder"
    cp -p -- "$file" "$folder/$(basename -- "$file").$(date +%H%M%S)"
fi
