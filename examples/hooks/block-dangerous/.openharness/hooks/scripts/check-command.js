// Refuses commands that contain one of a few words. The envelope is on standard input.
const fs = require("node:fs");

const envelope = JSON.parse(fs.readFileSync(0, "utf8"));
const command = String(envelope.tool_input?.command ?? "").toLowerCase();
const found = ["rm -rf /", "drop table", "format c:"].find((words) => command.includes(words));

const answer = found
  ? { continue: false, decision: "block", reason: "Command blocked: contains dangerous pattern" }
  : { continue: true };
process.stdout.write(JSON.stringify(answer));
