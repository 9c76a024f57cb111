// The text keeps the columns that it has in the file that is written, so that its lines stay short.
extension AdapterTemplate {
    // swift-format-ignore
    package static let node = AdapterTemplate(
        name: "node", file: "adapter.mjs",
        text: #"""
#!/usr/bin/env node
// An adapter: a program that starts an updater and speaks the laboratory's protocol, version 1.
// It runs as it is, with a toy updater. Lines with YOURS say where your own one comes in.
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import readline from "node:readline";

const env = process.env;
const state = env.OTALAB_STATE, appPackage = env.OTALAB_PACKAGE;
const types = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".png": "image/png",
  ".json": "application/json", ".svg": "image/svg+xml", ".woff2": "font/woff2",
};

// YOURS: calls of your updater. This toy downloads into a folder, verifies, and switches at launch.
const nothing = { version: null, files: [], index: null };
const embedded = read(path.join(appPackage, "manifest.json")) ?? nothing;
let pointer = read(path.join(state, "pointer.json")) ?? {};
if (pointer.embedded !== embedded.version) { // the app is new: what it embeds wins
  pointer = { embedded: embedded.version, serial: embedded.serial ?? 0, key: null };
}
const { manifest, folder } = waiting();
const files = new Map(manifest.files.map(({ route, sha256 }) =>
  [route, folder ? path.join(folder, sha256) : path.join(appPackage, "files", route)]));

/** The version of the next launch, and its folder: null for the embedded one. */
function waiting() {
  const folder = path.join(state, "versions", pointer.key ?? "embedded");
  const manifest = read(path.join(folder, "manifest.json"));
  return manifest ? { manifest, folder } : { manifest: embedded, folder: null };
}

async function check() {
  const data = await fetched(env.OTALAB_ORIGIN);
  const offer = JSON.parse(data.toString());
  if (offer.app !== env.OTALAB_APP || (offer.serial ?? 0) < pointer.serial) return;
  let key = null;
  if (offer.files.length > 0 && offer.version !== embedded.version) {
    key = sha256(data);
    const folder = path.join(state, "versions", key);
    fs.mkdirSync(folder, { recursive: true });
    for (const file of offer.files) await download(file, path.join(folder, file.sha256));
    write(path.join(folder, "manifest.json"), data);
  }
  pointer = { ...pointer, serial: offer.serial ?? 0, key };
  write(path.join(state, "pointer.json"), JSON.stringify(pointer)); // last: it names complete folders only
}

async function download(file, target) {
  if (fs.existsSync(target)) return;
  const route = file.route.split("/").map(encodeURIComponent).join("/");
  const data = await fetched(new URL(file.url ?? route, env.OTALAB_ORIGIN));
  if (sha256(data) !== file.sha256) throw new Error(`${file.route}: wrong hash`);
  write(target, data);
}

async function fetched(url) {
  const signal = AbortSignal.timeout(30_000 / Number(env.OTALAB_SPEED ?? 1));
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(`${url}: status ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

function sha256(data) { return createHash("sha256").update(data).digest("hex"); }

function read(file) { return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : null; }

/** The old content or the new one, whatever happens: written beside it, synced, renamed. */
function write(file, data) {
  fs.writeFileSync(`${file}.new`, data, { flush: true });
  fs.renameSync(`${file}.new`, file);
  const folder = fs.openSync(path.dirname(file));
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

// YOURS: your updater's own server, on the port OTALAB_PORT.
const server = http.createServer((request, response) => {
  let route = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const isDocument = (request.headers["sec-fetch-dest"] ?? "document") === "document";
  if (!files.has(route) && isDocument) route = manifest.index;
  const type = types[path.extname(route ?? "")] ?? "application/octet-stream";
  response.writeHead(files.has(route) ? 200 : 404, { "Content-Type": type, "Cache-Control": "no-cache" });
  response.end(files.has(route) ? fs.readFileSync(files.get(route)) : "");
});

function send(message) { fs.writeSync(1, JSON.stringify(message) + "\n"); }

function tellError(error) { send({ is: "told", what: "error", cause: String(error) }); }

function status() {
  const next = waiting().manifest.version;
  send({ is: "status", current: manifest.version, pending: next === manifest.version ? null : next });
}

// YOURS: what your updater understands, tells and promises. What is left out is not sent, or not judged.
send({ is: "subject", protocol: 1, name: "toy", version: "1.0", dialects: ["own"], clock: "system",
  serves: "http", does: ["check", "call", "rest", "status"], tells: ["current", "pending", "error"],
  policy: { confirm: "never", startupTimeout: 20000, switchAt: ["launch"], retries: 0, blacklists: false } });
let work = Promise.resolve();
for await (const line of readline.createInterface({ input: process.stdin })) {
  const command = JSON.parse(line), answer = { to: command.id, ok: true };
  if (command.do === "rest") { work = work.then(() => send(answer)); continue; } // after the checks before it
  if (command.do === "launch") {
    server.listen(Number(env.OTALAB_PORT), "127.0.0.1", () => send({ is: "listening", start: "/" }));
  } else if (command.do === "check") {
    work = work.then(check).catch(tellError).then(status);
  } else if (command.do === "status") status();
  send(answer); // YOURS: `call` with the method startupDidComplete confirms a start
}
process.exit(0);

"""#)
}
