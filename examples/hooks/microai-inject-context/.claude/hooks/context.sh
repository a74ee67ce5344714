# What the model is told when a session begins.
echo "## Where the project stands"
echo
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git status --short
    echo
    echo "## What was done last"
    git log --oneline -5 2>/dev/null || echo "nothing is committed yet"
else
    echo "not a git repository"
fi
