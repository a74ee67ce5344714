//! Text with `${secrets.NAME}` or variables in it. A value is known only to the handler, and only
//! while it runs.

/// A text with places for secrets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Part {
    Literal(String),
    Secret(String),
    /// A variable of the environment; one that is not set is empty.
    Variable(String),
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

    /// Reads a text in which `$NAME` and `${NAME}` stand for these variables; others are empty.
    pub fn of_variables(text: &str, allowed: &[String]) -> Self {
        let mut template = Self::of_every_variable(text);
        template.parts.retain(|part| match part {
            Part::Variable(name) => allowed.contains(name),
            Part::Literal(_) | Part::Secret(_) => true,
        });
        template
    }

    /// Reads a text in which `$NAME` and `${NAME}` stand for variables.
    pub fn of_every_variable(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            let braced = after.strip_prefix('{').and_then(|it| it.split_once('}'));
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let bare = after.split_at(end.unwrap_or(after.len()));
            let (name, tail) = braced.unwrap_or(bare);
            parts.push(Part::Literal(before.to_owned()));
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                parts.push(Part::Literal("$".to_owned()));
                rest = after;
            } else {
                parts.push(Part::Variable(name.to_owned()));
                rest = tail;
            }
        }
        parts.push(Part::Literal(rest.to_owned()));
        Self { parts }
    }

    /// The variables it tells.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name.as_str()),
            Part::Literal(_) | Part::Secret(_) => None,
        })
    }

    /// The secrets it needs.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name.as_str()),
            Part::Literal(_) | Part::Variable(_) => None,
        })
    }

    /// The text as written, which is safe to show.
    pub fn written(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Literal(text) => text.clone(),
            Part::Secret(name) => format!("{OPEN}{name}}}"),
            Part::Variable(name) => format!("${{{name}}}"),
        });
        parts.collect()
    }

    /// The same with its variables filled in; one that is not set is empty.
    #[must_use]
    pub fn with_variables(&self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let parts = self.parts.iter().map(|part| match part {
            Part::Variable(name) => Part::Literal(variable(name).unwrap_or_default()),
            Part::Literal(_) | Part::Secret(_) => part.clone(),
        });
        Self { parts: parts.collect() }
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
                // Whoever has an environment fills these in first.
                Part::Variable(_) => (),
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
    fn only_variables_that_are_allowed_are_told() {
        let allowed = ["A".to_owned()];
        let template = Template::of_variables("x $A ${A}/$B $1 $", &allowed);
        let filled = template.with_variables(|name| Some(format!("<{name}>")));
        assert_eq!(filled.resolve(|_| None), Ok("x <A> <A>/ $1 $".into()));
        assert_eq!(template.with_variables(|_| None).resolve(|_| None), Ok("x  / $1 $".into()));
        assert_eq!(template.variables().collect::<Vec<_>>(), ["A", "A"]);
    }

    #[test]
    fn an_unknown_secret_is_an_error_and_never_an_empty_text() {
        let template = Template::parse("Bearer ${secrets.TOKEN}");
        assert_eq!(template.secrets().collect::<Vec<_>>(), ["TOKEN"]);
        assert_eq!(template.resolve(|_| None), Err(UnknownSecret("TOKEN".into())));
        assert_eq!(template.resolve(|_| Some("t".into())), Ok("Bearer t".into()));
    }
}
