#!/bin/sh
# Which branch is checked out stands in .git/HEAD; without one there is nothing to protect.
head=$(cat .git/HEAD 2>/dev/null)
case "$head" in
  "ref: refs/heads/main" | "ref: refs/heads/master")
    echo "the main branch is checked out; push from a branch of your own" >&2
    exit 2
    ;;
esac
exit 0
