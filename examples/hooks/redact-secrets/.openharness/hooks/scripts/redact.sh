# Answers with the same messages, without what looks like a key, a token or a password.
jq -c '
    def redact:
        gsub("sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{16}"; "[redacted]")
        | gsub("(?<name>(password|passwd|secret|token|api_?key)[\"]?\\s*[:=]\\s*)[^\\s,;\"]+"; "\(.name)[redacted]"; "i")
        | gsub("-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----"; "[redacted]"; "m");
    .model_request.messages | walk(if type == "string" then redact else . end)
    | { hookSpecificOutput: { hookEventName: "before_model_call", patch: { model_request: { messages: . } } } }
'
