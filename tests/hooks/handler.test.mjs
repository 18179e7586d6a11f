// The OpenClaw handler, with a stand-in for Python that renders what it is told and counts its runs. Run by test_openclaw_handler.py.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";

const PACK = process.env.OPENCLAW_MEMORY_PACK;
const MAIN = "agent:main:main";
let home, workspace, handler, isPrivate, count = 0;

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), "om handler "));
  workspace = path.join(home, "work space");
  await mkdir(path.join(workspace, ".openclaw-memory"), { recursive: true });
  await writeFile(path.join(workspace, "MEMORY.md"), "# Index\n");
  const pack = path.join(home, `pack ${count++}`); // a new path, so that node loads a new module
  await cp(PACK, pack, { recursive: true });
  await writeFile(path.join(home, "stub.mjs"), STUB);
  await runtime(pack, { command: process.execPath, args: [path.join(home, "stub.mjs"), home] });
  const module = await import(pathToFileURL(path.join(pack, "openclaw-memory-context", "handler.js")));
  handler = module.default;
  isPrivate = module.isPrivate;
  handler.pack = pack;
});

afterEach(() => rm(home, { recursive: true, force: true }));

const STUB = `
import fs from "node:fs"; import path from "node:path";
const [home, ...words] = process.argv.slice(2);
fs.appendFileSync(path.join(home, "runs"), JSON.stringify(words) + "\\n");
if (fs.existsSync(path.join(home, "hang"))) await new Promise((done) => setTimeout(done, 20000));
if (fs.existsSync(path.join(home, "fail"))) { console.error("openclaw-memory: it broke\\n  hint: mend it"); process.exit(2); }
const workspace = words.at(-1);
const of = (name) => { const s = fs.statSync(path.join(workspace, name), { bigint: true });
  return { path: name, mtime_ms: Number(s.mtimeNs / 1000000n), size: Number(s.size) }; };
fs.writeFileSync(path.join(workspace, ".openclaw-memory/context.json"), JSON.stringify({ version: 1,
  sources: [of("MEMORY.md"), { path: "openclaw-memory.yaml", mtime_ms: null, size: null }],
  active: "# Active Context\\nACTIVE", index: "# Index\\nINDEX" }));
`;

const runtime = (pack, value) => writeFile(path.join(pack, "openclaw-memory-context", "runtime.json"), JSON.stringify(value));
const runs = async () => (await readFile(path.join(home, "runs"), "utf8").catch(() => "")).split("\n").filter(Boolean).map(JSON.parse);
const memory = () => ({ name: "MEMORY.md", path: path.join(workspace, "MEMORY.md"), content: "# Index\n", missing: false });

async function turn(...args) {
  const [sessionKey, files = [memory()], more = {}] = args.length ? args : [MAIN];
  const event = { type: "agent", action: "bootstrap", sessionKey, context: { workspaceDir: workspace, bootstrapFiles: files, ...more } };
  await handler(event);
  return event.context.bootstrapFiles;
}
const added = async (...args) => (await turn(...args)).filter((file) => file.path.includes(".openclaw-memory"));

test("a private session gets Active Context, beside MEMORY.md", async () => {
  const files = await turn();
  assert.deepEqual(files.map((file) => file.name), ["MEMORY.md", "ACTIVE_CONTEXT.md"]);
  assert.equal(files[1].content, "# Active Context\nACTIVE");
  assert.equal(files[1].path, path.join(workspace, ".openclaw-memory", "ACTIVE_CONTEXT.md"));
  assert.equal(files[1].missing, false);
  assert.deepEqual(await runs(), [["context", "--render", "--workspace", workspace]]);
});

test("Python does not start while nothing changed", async () => {
  for (let i = 0; i < 5; i++) assert.equal((await added()).length, 1);
  assert.equal((await runs()).length, 1);
});

for (const [what, change] of Object.entries({
  "other bytes": () => writeFile(path.join(workspace, "MEMORY.md"), "# Index, longer\n"),
  "same size, other time": () => utimes(path.join(workspace, "MEMORY.md"), 1000, 1000),
  "a source that appears": () => writeFile(path.join(workspace, "openclaw-memory.yaml"), "version: 1\n"),
  "a rendered file that is gone": () => rm(path.join(workspace, ".openclaw-memory/context.json")),
  "a rendered file that is broken": () => writeFile(path.join(workspace, ".openclaw-memory/context.json"), '{"version": 1'),
  "a rendered file of another shape": () => writeFile(path.join(workspace, ".openclaw-memory/context.json"), '{"version": 1, "sources": [null], "active": 7}'),
  "a rendered file of another version": () => writeFile(path.join(workspace, ".openclaw-memory/context.json"), '{"version": 2, "sources": []}'),
})) {
  test(`Python starts again after ${what}`, async () => {
    await turn();
    await change();
    assert.equal((await added())[0].content, "# Active Context\nACTIVE");
    assert.equal((await runs()).length, 2);
  });
}

test("turns at the same time share one render", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => added()));
  assert.ok(all.every((records) => records.length === 1));
  assert.equal((await runs()).length, 1);
});

for (const [what, files] of Object.entries({
  "no record": () => [],
  "a missing record": () => [{ ...memory(), missing: true, content: undefined }],
  "an empty record": () => [{ ...memory(), content: " \n" }],
  "records of others": () => [{ name: "AGENTS.md", path: "/x/AGENTS.md", content: "x", missing: false }, null],
})) {
  test(`the index is added where the host gives ${what} of MEMORY.md`, async () => {
    assert.deepEqual((await turn(MAIN, files())).filter(Boolean).map((file) => file.name).slice(-2), ["ACTIVE_CONTEXT.md", "MEMORY_INDEX.md"]);
  });
}

test("nothing is added where there is nothing to say", async () => {
  await turn();
  const file = path.join(workspace, ".openclaw-memory/context.json");
  const kept = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...kept, active: "", index: "" }));
  assert.deepEqual(await added(MAIN, []), []);
});

test("a failure is one line in the session, and Python is not tried at every turn", async () => {
  await writeFile(path.join(home, "fail"), "");
  const [record] = await added();
  assert.equal(record.content, "openclaw-memory: no Active Context in this session: openclaw-memory: it broke\n");
  await added();
  assert.equal((await runs()).length, 1);
});

test("the time limit ends a render that hangs", async () => {
  await writeFile(path.join(home, "hang"), "");
  const cfg = { hooks: { internal: { entries: { "openclaw-memory-context": { timeoutMs: 400 } } } } };
  const from = Date.now();
  const [record] = await added(MAIN, [memory()], { cfg });
  assert.match(record.content, /longer than 400 ms/);
  assert.ok(Date.now() - from < 5000);
});

test("a program that is gone is one line in the session", async () => {
  await runtime(handler.pack, { command: path.join(home, "no python"), args: [] });
  assert.match((await added())[0].content, /no Active Context in this session: .*ENOENT/);
});

test("a folder that is no workspace is left alone", async () => {
  await rm(path.join(workspace, "MEMORY.md"));
  assert.deepEqual(await added(), []);
  assert.deepEqual(await runs(), []);
});

test("other events, and events of a shape we do not know, are left alone", async () => {
  for (const event of [undefined, {}, { type: "command", action: "new", sessionKey: MAIN, context: { workspaceDir: workspace, bootstrapFiles: [] } },
    { type: "agent", action: "bootstrap", sessionKey: MAIN }, { type: "agent", action: "bootstrap", sessionKey: MAIN, context: { bootstrapFiles: [] } },
    { type: "agent", action: "bootstrap", sessionKey: MAIN, context: { workspaceDir: workspace, bootstrapFiles: "x" } }]) await handler(event);
  assert.deepEqual(await runs(), []);
});

const PRIVATE = [MAIN, "agent:main:m1", "AGENT:Main:MAIN", "agent:main:direct:alice", "agent:main:dm:alice", "agent:main:telegram:direct:42",
  "agent:main:telegram:default:direct:42", "agent:work:whatsapp:dm:+351900000000", "agent:main:matrix:direct:@ann:example.org", "agent:main:dashboard:7f", "agent:group:main",
  "agent:main:explicit:a", "agent:main:main:heartbeat", "agent:main:main:main"];
const NOT_PRIVATE = [undefined, null, "", "main", "global", "unknown", "agent:main", "agent::main", "agent:main:", "agent:main:global", "agent:main:direct:",
  "agent:main:telegram:group:-100", "agent:main:whatsapp:group:12@g.us", "agent:main:12@g.us", "agent:main:whatsapp:12@g.us", "agent:main:discord:channel:9",
  "agent:main:discord:guild-1:channel-2", "agent:main:slack:channel:c1:thread:5", "agent:main:matrix:room:!x:example.org", "agent:main:telegram:group:-1:topic:4",
  "agent:main:main:thread:3", "agent:main:telegram:direct:4:thread:9", "agent:main:cron:job", "agent:main:cron:job:run:1", "cron:job", "agent:main:subagent:1", "subagent:1",
  "agent:main:subagent:1:subagent:2", "agent:main:hook:1", "hook:1", "agent:main:acp:1", "acp:1", "agent:main:dashboard:incognito-1", "agent:main:TELEGRAM:GROUP:1",
  "agent:main:group:7", "agent:main:channel:7", "agent:main:somechannel:42", "agent:main:openai:user:7", "group:7", "agent:main:telegram:group:direct"];

test("private sessions get it, all others do not", async () => {
  assert.deepEqual(PRIVATE.filter((key) => !isPrivate(key)), []);
  assert.deepEqual(NOT_PRIVATE.filter((key) => isPrivate(key)), []);
  for (const key of NOT_PRIVATE) assert.deepEqual(await added(key, []), [], String(key));
  assert.deepEqual(await runs(), []);
});

test("a turn with nothing changed costs little", async () => {
  await turn();
  const from = process.hrtime.bigint();
  for (let i = 0; i < 100; i++) await turn();
  const each = Number(process.hrtime.bigint() - from) / 1e8;
  assert.ok(each < 20, `${each} ms a turn`);
});
