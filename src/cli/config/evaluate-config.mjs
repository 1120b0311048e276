// Evaluates a configuration in JavaScript, in a process of its own: what the code prints goes to stderr, and code that
// never ends can be stopped. config-code.ts starts it and reads the result from file descriptor 3.
import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const RESULT = 3;
const MAX_VALUES = 100_000;
const environment = { ...process.env };
const [, program, url] = process.argv;
let replied = false;

function reply(result) {
  if (replied) return;
  replied = true;
  const bytes = Buffer.from(JSON.stringify(result));
  for (let at = 0; at < bytes.length;) at += writeSync(RESULT, bytes, at);
}

/** A value as JSON has it. Throws for what JSON does not have, which the configuration cannot have either. */
function plain(value, path, above) {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw new Unsupported(`${path} is a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) throw new Unsupported(`${path} contains itself`);
  if (++plain.count > MAX_VALUES) throw new Unsupported(`it has more than ${MAX_VALUES} values`);
  const path2 = [...above, value];
  if (Array.isArray(value)) return value.map((item, index) => plain(item, `${path}[${index}]`, path2) ?? null);
  if (typeof value.toJSON === 'function') return value.toJSON();
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : [[key, plain(item, `${path}.${key}`, path2)]],
    ),
  );
}
plain.count = 0;

class Unsupported extends Error {}

/** Variables that the code set, such as from a file .env: the configuration may refer to them. */
function changedVariables() {
  return Object.fromEntries(Object.entries(process.env).filter(([name, value]) => environment[name] !== value));
}

async function evaluate() {
  const module = await import(url);
  const exported = await module.default;
  if (exported === undefined) return reply({ empty: 'has no default export' });
  if (typeof exported === 'function') return reply({ empty: 'exports a function instead of an object' });
  const value = plain(exported, 'the default export', []);
  return reply({ value, variables: changedVariables() });
}

/** The error in a line, with the place where it was thrown if it is known. */
function described(error) {
  if (!(error instanceof Error)) return { message: `it throws ${JSON.stringify(error) ?? String(error)}`, place: null };
  if (error instanceof Unsupported) return { message: error.message, place: null };
  const stack = String(error.stack);
  const name = error.name === 'Error' ? '' : `${error.name}: `;
  return { message: `${name}${error.message}`, place: placeIn(stack) ?? (isSyntax(error) ? syntaxPlace() : null) };
}

function isSyntax(error) {
  return error.name === 'SyntaxError';
}

/** The first place in a stack that is in a file, other than of Node and of this program. */
function placeIn(stack) {
  const [, head] = /^((?:file:\/\/|\/|[A-Za-z]:\\)[^\n]*:\d+)\n/.exec(stack) ?? [];
  if (head !== undefined) return pathOf(head);
  for (const [, place] of stack.matchAll(/^ {4}at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\).*?:\d+:\d+)\)?$/gm))
    if (!pathOf(place).startsWith(program)) return pathOf(place);
  return null;
}

function pathOf(place) {
  const [, file = '', position = ''] = /^(.*?)((?::\d+)+)$/.exec(place) ?? [];
  return `${file.startsWith('file:') ? fileURLToPath(file) : file}${position}`;
}

/** Node adds the place of a syntax error in an ES module only to errors that are not caught. Nothing is executed. */
function syntaxPlace() {
  const program = 'await import(process.argv[1])';
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program, url], { encoding: 'utf8' });
  return placeIn(run.stderr);
}

process.on('uncaughtException', (error) => {
  reply({ failure: described(error) });
  process.exit(1);
});
process.on('beforeExit', () =>
  reply({ failure: { message: 'it waits for something that never happens', place: null } }),
);
process.on('exit', (code) => reply({ failure: { message: `it ends the process (exit code ${code})`, place: null } }));
evaluate().then(
  () => process.exit(0),
  (error) => {
    reply({ failure: described(error) });
    process.exit(0);
  },
);
