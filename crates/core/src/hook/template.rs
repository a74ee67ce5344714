//! Text with `${secrets.NAME}` in it. The value is known only to the handler, and only while it runs.

/// A text with places for secrets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Part {
    Literal(String),
    Secret(String),
}

/// A secret that nobody knows.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the secret `{0}` is not known")]
pub struct UnknownSecret(pub String);

const OPEN: &str = "${secrets.";

impl Template {
    /// A text in which nothing is special.
    pub fn literal(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Literal(text.into())] }
    }

    /// Reads a text; `${secrets.` without an end is taken literally.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let Some((name, tail)) = after.split_once('}') else { break };
            parts.push(Part::Literal(before.to_owned()));
            parts.push(Part::Secret(name.to_owned()));
            rest = tail;
        }
        parts.push(Part::Literal(rest.to_owned()));
        Self { parts }
    }

    /// The secrets it needs.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// The text as written, which is safe to show.
    pub fn written(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Literal(text) => text.clone(),
            Part::Secret(name) => format!("{OPEN}{name}}}"),
        });
        parts.collect()
    }

    /// The text with its secrets in place.
    pub fn resolve(
        &self,
        secret: impl Fn(&str) -> Option<String>,
    ) -> Result<String, UnknownSecret> {
        let mut resolved = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => resolved.push_str(text),
                Part::Secret(name) => {
                    resolved.push_str(&secret(name).ok_or_else(|| UnknownSecret(name.clone()))?);
                }
            }
        }
        Ok(resolved)
    }
}

#[cfg(test)]
mod tests {
    use super::{Template, UnknownSecret};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_can_be_read_back(text in r"(a|\$|\{|\}|\$\{secrets\.|\$\{secrets\.X\}|\.){0,12}") {
            prop_assert_eq!(Template::parse(&text).written(), text);
        }
    }

    #[test]
    fn an_unknown_secret_is_an_error_and_never_an_empty_text() {
        let template = Template::parse("Bearer ${secrets.TOKEN}");
        assert_eq!(template.secrets().collect::<Vec<_>>(), ["TOKEN"]);
        assert_eq!(template.resolve(|_| None), Err(UnknownSecret("TOKEN".into())));
        assert_eq!(template.resolve(|_| Some("t".into())), Ok("Bearer t".into()));
    }
}
