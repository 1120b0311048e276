'use strict';

// Loads files of an unpacked archive, and reports the result of each as a line of JSON on the file descriptor 3. Runs in
// a process of its own, under Node's permission model, with one argument: { "folder", "files" } as JSON.

const childProcess = require('node:child_process');
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { join, resolve } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const workers = require('node:worker_threads');

const { kill, permission, pid } = process;
const { writeSync } = fs;
const startTimer = setTimeout;
const nextTurn = setImmediate;

const RESULTS = 3;
/** Milliseconds after loading in which an error still counts, unless nothing is left to be done before. */
const AFTERWARDS = 25;
const MOST_NAMES = 200;
const LONGEST_NAME = 100;
const LONGEST_TEXT = 4000;
const MOST_CAUSES = 5;

/** The first stand-in that was called, and the first thing that was denied; null for none. */
const seen = { standIn: null, denied: null };
/** The file that is being loaded; null before and after. */
let current = null;

/** A function without effect, whose properties and results are such functions. @param {string} name of its package */
exports.standIn = function standIn(name) {
  const members = new Map();
  const called = () => {
    seen.standIn ??= name;
    return proxy;
  };
  const symbols = {
    [Symbol.toPrimitive]: () => (called(), ''),
    [Symbol.iterator]: () => (called(), [][Symbol.iterator]()),
    [Symbol.asyncIterator]: () => (called(), nothingMore()),
  };
  const proxy = new Proxy(function () {}, {
    apply: called,
    construct(target, args, newTarget) {
      called();
      return newTarget === proxy ? proxy : Reflect.construct(Object, [], newTarget);
    },
    get(target, key) {
      if (typeof key === 'symbol') return symbols[key] ?? Reflect.get(target, key);
      if (Object.hasOwn(target, key) || OF_FUNCTIONS.has(key)) return Reflect.get(target, key);
      // A promise of it is fulfilled with it.
      if (key === 'then' || key === 'toJSON') return undefined;
      if (!members.has(key)) members.set(key, standIn(name));
      return members.get(key);
    },
  });
  return proxy;
};

async function* nothingMore() {}

const OF_FUNCTIONS = new Set(['apply', 'bind', 'call', 'constructor', 'hasOwnProperty', 'toString', 'valueOf']);

/** Notes what the permission model denies: code often catches that error, and fails later for a reason that it caused. */
function noteDenials() {
  for (const functions of [fs, fs.promises])
    for (const [name, value] of Object.entries(functions)) {
      if (typeof value !== 'function' || /^[A-Z_]/.test(name)) continue;
      functions[name] = before(value, ([path]) => notePath(WRITING.test(name) ? 'fs.write' : 'fs.read', path));
    }
  const { existsSync } = fs;
  // In Node 20 it throws an error if it is denied, which it never does otherwise.
  fs.existsSync = (path) => {
    try {
      return existsSync(path);
    } catch {
      return false;
    }
  };
  for (const name of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'])
    childProcess[name] = before(childProcess[name], () => note(`to start a process (${name})`));
  workers.Worker = before(workers.Worker, () => note('to start a worker'));
  process.dlopen = before(process.dlopen, (args) => note(`to load the addon ${shown(args[1])}`));
  syncBuiltinESMExports();
}

const WRITING =
  /^(append|ch(mod|own)|copy|cp|createWrite|l(chmod|chown|utimes)|link|mkd|rename|rm|symlink|truncate|unlink|utimes|write)/;

function before(value, action) {
  return new Proxy(value, {
    apply(target, self, args) {
      action(args);
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      action(args);
      return Reflect.construct(target, args, newTarget);
    },
  });
}

function notePath(scope, path) {
  let file;
  if (typeof path === 'string') file = path;
  else if (Buffer.isBuffer(path)) file = path.toString();
  else if (path instanceof URL && path.protocol === 'file:') file = fileURLToPath(path);
  else return;
  if (!permission.has(scope, resolve(file))) note(`to ${scope === 'fs.read' ? 'read' : 'write'} ${shown(file)}`);
}

function note(denied) {
  if (current !== null) seen.denied ??= denied;
}

function shown(value) {
  return String(value).slice(0, LONGEST_TEXT);
}

function report(result) {
  if (current === null) return;
  const line = { file: current, exports: null, errors: null, exit: null, ...result, ...seen };
  current = null;
  writeSync(RESULTS, `${JSON.stringify(line)}\n`);
}

/** The error, and those that caused it. */
function chainOf(error) {
  const chain = [];
  for (let one = error; chain.length < MOST_CAUSES; one = one.cause) {
    chain.push(described(one));
    if (typeof one !== 'object' || one === null || one.cause === undefined) return chain;
  }
  return chain;
}

function described(error) {
  if (!(error instanceof Error)) return { message: shown(error) };
  const result = { name: shown(error.name), message: shown(error.message), stack: shown(error.stack ?? '') };
  for (const field of ['code', 'path', 'permission', 'resource'])
    if (typeof error[field] === 'string') result[field] = shown(error[field]);
  return result;
}

/** Reports an error; it may be an object that cannot be described. */
function reportError(error) {
  let errors;
  try {
    errors = chainOf(error);
  } catch {
    errors = [{ message: 'an error without a message' }];
  }
  report({ errors });
}

/** Until nothing is left to be done, or for a moment. */
function afterwards() {
  return new Promise((done) => {
    process.once('beforeExit', done);
    startTimer(done, AFTERWARDS).unref();
    // From Node 22 on, a second file loads after `beforeExit`, which is only emitted again after another turn.
    nextTurn(() => {});
  });
}

async function loadAll({ folder, files }) {
  for (const file of files) {
    current = file;
    try {
      const loaded = await import(pathToFileURL(join(folder, file)).href);
      await afterwards();
      // Node adds the second to those of a CommonJS module.
      const names = Object.keys(loaded).filter((name) => name !== 'module.exports');
      report({ exports: names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME)) });
    } catch (error) {
      reportError(error);
    }
  }
  // Without the listeners of the code.
  kill(pid, 'SIGKILL');
}

process.on('uncaughtException', (error) => {
  // Code with a listener of its own goes on.
  if (process.listenerCount('uncaughtException') > 1) return;
  reportError(error);
});
process.on('exit', (code) => report({ exit: code }));
const [request] = process.argv.splice(2);
noteDenials();
void loadAll(JSON.parse(request));
