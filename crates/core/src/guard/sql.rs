//! Databases: statements that drop or empty what is in them.

use super::{ASK, DENY, Found};
use crate::shell::{Analysis, Command, RedirectKind, Word};

const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "sqlcmd",
    "sqlplus",
    "clickhouse-client",
    "clickhouse",
    "duckdb",
    "cqlsh",
    "usql",
    "pgcli",
    "mycli",
    "cockroach",
    "bq",
    "snowsql",
    "trino",
    "presto",
    "mongosh",
    "mongo",
    "redis-cli",
    "wrangler",
];

/// What a client of a database is told to do.
pub(super) fn check(analysis: &Analysis, at: usize, command: &Command) -> Found {
    let name = command.name()?;
    if !CLIENTS.contains(&name) {
        return None;
    }
    let own = command.words.iter().skip(1);
    let texts =
        command.redirects.iter().filter(|it| it.kind == RedirectKind::Text).map(|it| &it.target);
    let commands = analysis.commands.iter().enumerate();
    let fed = commands.filter(|(index, _)| analysis.feeds(*index, at)).flat_map(|(_, it)| {
        let texts =
            it.redirects.iter().filter(|it| it.kind == RedirectKind::Text).map(|it| &it.target);
        it.words.iter().skip(1).chain(texts)
    });
    let redis = name == "redis-cli";
    let words: Vec<&Word> = own.chain(texts).chain(fed).collect();
    words
        .iter()
        .map(|it| statement(&it.shown(), redis))
        .max_by_key(|it| it.map(|it| it.0))
        .flatten()
}

fn statement(text: &str, redis: bool) -> Found {
    let lower = text.to_ascii_lowercase();
    let plain = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    if redis && (plain.contains("flushall") || plain.contains("flushdb")) {
        return DENY("it empties a database");
    }
    if plain.contains("dropdatabase(")
        || plain.contains(".drop(")
        || plain.contains("deletemany({})")
    {
        return DENY("it drops a database");
    }
    for one in plain.split(';') {
        let one = one.trim_start_matches(['\'', '"', '(', ' ']);
        let has = |text: &str| one.contains(text);
        if [
            "drop table",
            "drop database",
            "drop schema",
            "drop keyspace",
            "drop user",
            "drop owned",
            "truncate ",
        ]
        .iter()
        .any(|it| has(it))
        {
            return DENY("it drops what is in a database");
        }
        if has("delete from") && !has(" where ")
            || has("update ") && has(" set ") && !has(" where ")
        {
            return DENY("it changes every row of a table");
        }
        if has("alter table") && has(" drop ")
            || has("drop index")
            || has("drop view")
            || has("drop column")
        {
            return ASK("it drops part of a database");
        }
    }
    None
}
