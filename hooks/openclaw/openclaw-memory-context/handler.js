// Adds Active Context to the bootstrap files of a private session. Reads a rendered file; starts Python only when a source changed.
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";

const RENDERED = path.join(".openclaw-memory", "context.json");
const TIME_LIMIT_MS = 3000;
const PAUSE_MS = 60_000; // after a failure, before Python is tried again
const SHARED = new Set(["group", "channel", "room", "thread", "topic", "cron", "subagent", "hook", "acp", "global", "unknown"]);
const PRIVATE_FIRST = new Set(["main", "dashboard", "explicit"]);
const running = new Map(); // workspace -> the render that is under way
const failed = new Map(); // workspace -> { until, why }

export default async function handler(event) {
  const context = event?.context;
  if (event?.type !== "agent" || event.action !== "bootstrap" || !Array.isArray(context?.bootstrapFiles)) return;
  const workspace = context.workspaceDir;
  if (!workspace || !isPrivate(event.sessionKey) || !(await isWorkspace(workspace))) return;
  const records = await recordsFor(workspace, context.bootstrapFiles, optionsOf(context.cfg));
  if (records.length) context.bootstrapFiles = [...context.bootstrapFiles, ...records];
}

/** Whether nobody but the owner reads along. What is not known to be private is not. */
export function isPrivate(sessionKey) {
  const [head, agent, ...rest] = String(sessionKey ?? "").toLowerCase().split(":");
  if (head !== "agent" || !agent || !rest.length || rest.some((part) => !part)) return false;
  if (rest.some((part) => SHARED.has(part) || /^(guild|channel|group|incognito)-|@g\.us$/.test(part))) return false;
  return rest.length === 1 || PRIVATE_FIRST.has(rest[0]) || rest.includes("direct") || rest.includes("dm");
}

async function recordsFor(workspace, files, options) {
  const { rendered, why } = await fresh(workspace, options);
  const record = (name, content) => ({ name, path: path.join(workspace, ".openclaw-memory", name), content, missing: false });
  if (!rendered) return [record("ACTIVE_CONTEXT.md", `openclaw-memory: no Active Context in this session: ${why}\n`)];
  const hasIndex = files.some((file) => file?.name === "MEMORY.md" && !file.missing && file.content?.trim());
  const records = [];
  if (rendered.active.trim()) records.push(record("ACTIVE_CONTEXT.md", rendered.active));
  if (!hasIndex && rendered.index.trim()) records.push(record("MEMORY_INDEX.md", rendered.index));
  return records;
}

/** The rendered context, made anew first when a source changed; `why` says what stopped that. */
async function fresh(workspace, options) {
  const kept = await load(workspace);
  if (kept && (await isCurrent(workspace, kept.sources))) return { rendered: kept };
  const before = failed.get(workspace);
  if (before && Date.now() < before.until) return { why: before.why };
  if (!running.has(workspace)) {
    running.set(workspace, render(workspace, options).finally(() => running.delete(workspace)));
  }
  const why = await running.get(workspace);
  const rendered = why ? null : await load(workspace);
  if (rendered) failed.delete(workspace);
  else failed.set(workspace, { until: Date.now() + PAUSE_MS, why: why || `${RENDERED} cannot be read` });
  return rendered ? { rendered } : { why: failed.get(workspace).why };
}

async function load(workspace) {
  try {
    const kept = JSON.parse(await readFile(path.join(workspace, RENDERED), "utf8"));
    return isRendered(kept) ? kept : null;
  } catch {
    return null;
  }
}

function isRendered(kept) {
  return kept?.version === 1 && typeof kept.active === "string" && typeof kept.index === "string" &&
    Array.isArray(kept.sources) && kept.sources.every((source) => typeof source?.path === "string");
}

/** Whether each source is the file it was: same size, same time of change; a source of size null must be absent. */
async function isCurrent(workspace, sources) {
  const same = await Promise.all(sources.map(async (source) => {
    try {
      const now = await stat(path.resolve(workspace, source.path), { bigint: true });
      return Number(now.size) === source.size && Number(now.mtimeNs / 1_000_000n) === source.mtime_ms;
    } catch {
      return source.size === null;
    }
  }));
  return same.every(Boolean);
}

/** Let Python render; returns why that failed, or "". */
async function render(workspace, options) {
  const { command, args } = await program();
  const words = [...args, "context", "--render", "--workspace", workspace];
  return new Promise((resolve) => {
    execFile(command, words, { cwd: workspace, timeout: options.timeoutMs, killSignal: "SIGKILL" }, (error, _out, said) => {
      if (!error) resolve("");
      else if (error.killed) resolve(`it took longer than ${options.timeoutMs} ms`);
      else resolve(String(said || error.message).trim().split("\n")[0].slice(0, 300));
    });
  });
}

/** What starts us: `runtime.json`, which the installer puts beside this file, else the command on PATH. */
async function program() {
  try {
    return JSON.parse(await readFile(new URL("runtime.json", import.meta.url), "utf8"));
  } catch {
    return { command: "openclaw-memory", args: [] };
  }
}

async function isWorkspace(folder) {
  const there = await Promise.all(["openclaw-memory.yaml", "MEMORY.md"].map((name) => exists(path.join(folder, name))));
  return there.some(Boolean);
}

async function exists(file) {
  return stat(file).then(() => true, () => false);
}

function optionsOf(cfg) {
  const given = cfg?.hooks?.internal?.entries?.["openclaw-memory-context"]?.timeoutMs;
  return { timeoutMs: Number.isFinite(given) && given > 0 ? given : TIME_LIMIT_MS };
}
