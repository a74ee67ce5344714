# Sends one line about the run to the webhook in SLACK_WEBHOOK_URL.
if [ -z "$SLACK_WEBHOOK_URL" ]; then
    echo "SLACK_WEBHOOK_URL is not set" >&2
    exit 1
fi
jq -c '{ text: "\(.effective_agent_name // "the agent"): \(.hook_event_name) (run \(.run_id))" }' |
    curl --silent --show-error --fail --max-time 8 --header 'content-type: application/json' \
        --data-binary @- --output /dev/null -- "$SLACK_WEBHOOK_URL"
