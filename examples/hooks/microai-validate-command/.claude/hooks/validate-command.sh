# Refuses a few commands that nobody should run unasked. The argument is the tool's input, as JSON.
for pattern in 'rm -rf /' 'sudo ' 'chmod 777'; do
    case "$1" in
        *"$pattern"*)
            echo "not allowed here: $pattern" >&2
            exit 1
            ;;
    esac
done
