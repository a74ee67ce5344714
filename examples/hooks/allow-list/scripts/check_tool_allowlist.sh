# Refuses every tool that is not on the list; what it prints is the reason.
if ! grep -Fqx -- "$1" allowed-tools.txt; then
    echo "$1 is not on the list of allowed tools"
    exit 1
fi
