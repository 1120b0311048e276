import { message, safe, type SafeText } from '../core/text/message.ts';
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Message } from 'esbuild';
import { documentContent, isObject, member, type JsonValue, parseDocument } from '../core/json/json.ts';
import { readRegularFile } from '../platform/regular-file.ts';
import type { Places } from './build-error.ts';

/** Packages that the code imports and that are not installed, and the command that installs them. */

/** Lock files, with the command that installs what they list, and the one that adds a package. */
const MANAGERS = [
  { lock: 'pnpm-lock.yaml', install: 'pnpm install', add: 'pnpm add' },
  { lock: 'yarn.lock', install: 'yarn install', add: 'yarn add' },
  { lock: 'bun.lock', install: 'bun install', add: 'bun add' },
  { lock: 'bun.lockb', install: 'bun install', add: 'bun add' },
  { lock: 'package-lock.json', install: 'npm ci', add: 'npm install' },
  { lock: 'npm-shrinkwrap.json', install: 'npm ci', add: 'npm install' },
] as const;
const NPM = { install: 'npm install', add: 'npm install' } as const;

const PACKAGE = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*/i;
/** Those that are installed with a package. */
const NEEDED = ['dependencies'];
const DEPENDENCIES = [...NEEDED, 'devDependencies', 'peerDependencies', 'optionalDependencies'];
/** Those that a package names, too. */
const NAMED = [...DEPENDENCIES, 'peerDependenciesMeta'];

/** Advice about the errors of a build that are missing packages: a sentence for each; empty if there are none. */
export function missingPackages(errors: readonly Message[], { root, cwd }: Places): SafeText[] {
  const advice = new Set<SafeText>();
  for (const { text, location } of errors) {
    const [, wanted = ''] = /^Could not resolve "([^"]+)"/.exec(text) ?? [];
    const [name] = PACKAGE.exec(wanted) ?? [];
    if (name === undefined || isBuiltin(wanted) || location === null) continue;
    advice.add(adviceFor(name, dirname(resolve(root, location.file)), cwd));
  }
  return [...advice];
}

/** A folder in a package: of what the package is installed for, and the name of the package. */
const IN_PACKAGE = /^(.*?)[\\/]node_modules[\\/](?:.*[\\/]node_modules[\\/])?((?:@[^\\/]+[\\/])?[^\\/]+)/;

function adviceFor(name: string, from: string, cwd: string): SafeText {
  const owner = nearest(from, 'package.json') ?? from;
  const [, app, importer] = IN_PACKAGE.exec(from) ?? [];
  if (app === undefined || importer === undefined) return adviceForApp(name, owner, cwd);
  const { install, add } = managerOf(installationOf(app));
  const shown = shownFolder(app, cwd);
  const summary = message`The package “${name}”, which ${importer.replaceAll('\\', '/')} imports, is not installed`;
  if (declares(join(owner, 'package.json'), name, NEEDED))
    return message`${safe(summary)}: run ${install} in ${shown}.`;
  const leaveOut = message`if the app does not use it, leave it out with --external ${name}`;
  if (!declares(join(owner, 'package.json'), name, NAMED) && !isLocked(installationOf(app), name))
    return message`${safe(summary)}, and its package.json does not name it. ${CHECK_NAME}; or, ${safe(leaveOut)}.`;
  // Packages that it works with: an app uses one of them.
  return message`${safe(summary)}: run ${add} ${name} in ${shown}; or, ${safe(leaveOut)}.`;
}

/** @param owner the folder with the package.json */
function adviceForApp(name: string, owner: string, cwd: string): SafeText {
  const folder = installationOf(owner);
  const { install, add } = managerOf(folder);
  if ([owner, folder].some((at) => declares(join(at, 'package.json'), name)))
    return message`The package “${name}” is not installed: run ${install} in ${shownFolder(folder, cwd)}.`;
  const summary = message`The package “${name}” is not installed, and not a dependency of its package.json`;
  if (isLocked(folder, name)) return message`${safe(summary)}: run ${add} ${name} in ${shownFolder(owner, cwd)}.`;
  return message`${safe(summary)}. ${CHECK_NAME}, and add the right one to the package.json in ${shownFolder(owner, cwd)}.`;
}

/** Instead of a command with a name that may be misspelled: others register such names for harmful packages. */
const CHECK_NAME = 'Check the spelling of its name in the import before you install it';

/** True if the lock file of a folder names a package. */
function isLocked(folder: string, name: string): boolean {
  return MANAGERS.some(({ lock }) => {
    const read = readRegularFile(join(folder, lock));
    if (!('bytes' in read)) return false;
    const text = Buffer.from(read.bytes).toString('utf8');
    const marks = [`"node_modules/${name}"`, `"${name}"`, `${name}@`, `/${name}/`, `'${name}'`];
    return marks.some((mark) => text.includes(mark));
  });
}

function managerOf(folder: string): { install: string; add: string } {
  return MANAGERS.find(({ lock }) => existsSync(join(folder, lock))) ?? NPM;
}

/** The folder whose installation contains a package: its own, or that of the workspace that it belongs to. */
function installationOf(folder: string): string {
  if (MANAGERS.some(({ lock }) => existsSync(join(folder, lock)))) return folder;
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) {
    const isWorkspace =
      existsSync(join(at, 'pnpm-workspace.yaml')) ||
      member(jsonIn(join(at, 'package.json')), 'workspaces') !== undefined;
    if (isWorkspace) return at;
  }
  return folder;
}

function nearest(from: string, name: string): string | null {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, name))) return at;
    if (at === dirname(at)) return null;
  }
}

function declares(file: string, name: string, fields: readonly string[] = DEPENDENCIES): boolean {
  const value = jsonIn(file);
  return fields.some((field) => {
    const found = member(value, field);
    return isObject(found) && Object.hasOwn(found, name);
  });
}

/** Undefined if the file is missing or not JSON: the compiler reports that. */
function jsonIn(file: string): JsonValue | undefined {
  const read = readRegularFile(file);
  return 'bytes' in read ? parseDocument(documentContent(read.bytes)).value : undefined;
}

function shownFolder(folder: string, cwd: string): string {
  const path = relative(cwd, folder).split(sep).join('/');
  if (path === '') return 'this folder';
  return path.startsWith('..') ? folder : path;
}
