//! What looks like a secret: by the name it has, or by its own shape.

/// Words that make a name the name of a secret.
const WORDS: [&str; 18] = [
    "KEY",
    "KEYS",
    "APIKEY",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "PASSPHRASE",
    "PWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "BEARER",
    "JWT",
    "PAT",
    "COOKIE",
];

/// Ends of words that do the same, for names written in one.
const ENDINGS: [&str; 5] = ["TOKEN", "SECRET", "PASSWORD", "APIKEY", "ACCESSKEY"];

/// Names that only look the part: folders.
const HARMLESS: [&str; 2] = ["PWD", "OLDPWD"];

/// How keys begin, and how long one is at least.
const SHAPES: [(&str, usize); 26] = [
    ("sk-", 20),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 30),
    ("glpat-", 20),
    ("xoxa-", 15),
    ("xoxb-", 15),
    ("xoxe-", 15),
    ("xoxp-", 15),
    ("xoxr-", 15),
    ("xoxs-", 15),
    ("xapp-", 15),
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 35),
    ("ya29.", 20),
    ("npm_", 30),
    ("hf_", 30),
    ("pypi-", 30),
    ("SG.", 40),
    ("AGE-SECRET-KEY-", 30),
];

/// Whether a variable looks like a secret, by its name or by its value.
pub fn looks_like(name: &str, value: &str) -> bool {
    name_looks_like(name) || value_looks_like(value)
}

/// Whether a name is that of a secret.
pub fn name_looks_like(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let secret =
        |word: &str| WORDS.contains(&word) || ENDINGS.iter().any(|ending| word.ends_with(ending));
    !HARMLESS.contains(&name.as_str()) && name.split(['_', '-', '.']).any(secret)
}

/// Whether a value has the shape of a key, a token or an address with a password in it.
pub fn value_looks_like(value: &str) -> bool {
    let value = value.trim();
    let one_word = !value.contains(char::is_whitespace);
    let shaped = |(start, least): &(&str, usize)| value.len() >= *least && value.starts_with(start);
    (one_word && (SHAPES.iter().any(shaped) || is_jwt(value) || has_password(value)))
        || (value.contains("-----BEGIN ") && value.contains("PRIVATE KEY-----"))
}

fn is_jwt(value: &str) -> bool {
    let parts: Vec<&str> = value.split('.').collect();
    let encoded = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_=".contains(&it))
    };
    value.starts_with("eyJ") && parts.len() == 3 && parts.iter().all(encoded)
}

/// `scheme://user:password@host`
fn has_password(value: &str) -> bool {
    let authority = value.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
    let user = authority.and_then(|it| it.rsplit_once('@')).map(|(user, _)| user);
    user.and_then(|it| it.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{looks_like, name_looks_like, value_looks_like};

    #[test]
    fn names_of_secrets_are_known() {
        for name in [
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
            "MYSQL_PWD",
            "GH_PAT",
            "npm_config_token",
            "GITHUBTOKEN",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SSH_KEY_PASSPHRASE",
            "api-key",
        ] {
            assert!(name_looks_like(name), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "PWD",
            "OLDPWD",
            "LANG",
            "SSH_AUTH_SOCK",
            "TOKENIZERS_PARALLELISM",
            "KEYBOARD",
            "MONKEY",
            "XDG_SESSION_ID",
            "TERM",
            "COLORTERM",
            "PATTERN",
            "COMPASS",
        ] {
            assert!(!name_looks_like(name), "{name}");
        }
    }

    #[test]
    fn shapes_of_secrets_are_known() {
        for value in [
            "sk-abcdefghijklmnopqrstuv",
            "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
            "AKIAIOSFODNN7EXAMPLE",
            "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM",
            "postgres://app:hunter2@db.internal/app",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nabc",
        ] {
            assert!(value_looks_like(value), "{value}");
        }
        for value in [
            "/usr/bin:/bin",
            "https://example.com/a@b:c",
            "http://user@host/",
            "skip-this",
            "eyJ.no",
            "the sk-abcdefghijklmnopqrstuv of a sentence",
            "C.UTF-8",
        ] {
            assert!(!value_looks_like(value), "{value}");
        }
        assert!(looks_like("FINE", "sk-abcdefghijklmnopqrstuv") && !looks_like("FINE", "fine"));
    }
}
