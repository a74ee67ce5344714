# The output is text; everything after `token=` up to a space goes.
output=$(sed 's/.*"tool_output":"\([^"]*\)".*/\1/')
case $output in
  *token=*)
    masked=$(printf '%s' "$output" | sed 's/token=[^ ]*/token=***/')
    printf '{"systemMessage":"a token was hidden from the model","hookSpecificOutput":{"patch":{"tool_output":"%s"}}}' "$masked" ;;
esac
