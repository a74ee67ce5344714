//! What a rule is about, by example.

use serde_json::{Map, Value, json};

use super::{Kind, Rule, Spec, ToolPattern};

impl Rule {
    /// The tool and the input of a call that a text is an example of: what would stand in the
    /// parentheses of such a rule; for a rule without any, the name of a tool.
    pub fn call_like(&self, example: &str) -> (String, Value) {
        let field = match (&self.spec, self.tool.kind()) {
            (Spec::Whole, _) => return (example.to_owned(), Value::Object(Map::new())),
            (Spec::Parameter { name, .. }, _) => name,
            (_, Some(Kind::Shell)) => "command",
            (_, Some(Kind::Read | Kind::Edit)) => "file_path",
            (_, Some(Kind::Web)) => "url",
            (_, Some(Kind::Agent)) => "name",
            (_, None) => return (self.some_tool(), json!(example)),
        };
        (self.some_tool(), json!({ field: example }))
    }

    /// A tool that it is about.
    pub fn some_tool(&self) -> String {
        match &self.tool {
            ToolPattern::Any => "Tool".to_owned(),
            ToolPattern::Named(name) => name.clone(),
            ToolPattern::Server(server) => format!("{server}__tool"),
            ToolPattern::Glob(glob) => glob.replace('*', "x"),
        }
    }
}
