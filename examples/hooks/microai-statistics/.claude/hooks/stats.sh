# Counts what happens in a session: `start`, `tool` and `end`, each with the session and one more word.
# Every call appends one short line, which is safe also when several run at once.
printf '%s\t%s\t%s\n' "$1" "$2" "$3" >> stats.tsv
if [ "$1" = end ]; then
    awk -F '\t' -v session="$2" '
        $2 != session { next }
        $1 == "start" { began = $3 }
        $1 == "tool" { count[$3]++; total++ }
        END {
            printf "session %s, from %s, tools: %d\n", session, began, total
            for (tool in count) printf "  %s %d\n", tool, count[tool] | "sort"
        }
    ' stats.tsv > "stats-$2.txt"
fi
