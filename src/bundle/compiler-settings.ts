import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { readRegularFile } from '../platform/regular-file.ts';

/** Files with settings of TypeScript, as esbuild finds them. */

/** A tsconfig.json, or a file that one extends. */
export interface SettingsFile {
  /** Absolute. */
  path: string;
  text: string;
  /** True if only relative paths lead to it: it belongs to the sources, and to no installed package. */
  isOwn: boolean;
}

const EXTENDS = /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/;

/** The tsconfig.json that applies to the code in a folder, absolute; null for none. */
export function settingsFor(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'tsconfig.json');
    if (existsSync(file)) return file;
    if (at === dirname(at)) return null;
  }
}

/** A file with those that it extends; a setting is that of the first file that has it. Missing files are left out. */
export function withExtended(file: string, isOwn = true, seen = new Set<string>()): SettingsFile[] {
  const read = seen.has(file) ? null : readRegularFile(file);
  if (read === null || !('bytes' in read)) return [];
  seen.add(file);
  const text = withoutComments(read.bytes.toString());
  const [, extended = ''] = EXTENDS.exec(text) ?? [];
  const bases = [...extended.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path);
  const inherited = bases.toReversed().flatMap((path) => {
    const base = /^[./]/.test(path) ? besideFile(path, file) : installedFile(path, file);
    return base === null ? [] : withExtended(base, isOwn && path.startsWith('.'), seen);
  });
  return [{ path: file, text, isOwn }, ...inherited];
}

function besideFile(path: string, from: string): string {
  const base = resolve(dirname(from), path);
  return existsSync(base) && base.endsWith('.json') ? base : `${base}.json`;
}

function installedFile(path: string, from: string): string | null {
  const folders = createRequire(from).resolve.paths(path) ?? [];
  const names = folders.flatMap((folder) => ['', '.json', '/tsconfig.json'].map((end) => join(folder, path + end)));
  return names.find((one) => one.endsWith('.json') && existsSync(one)) ?? null;
}

/** Texts are preserved: paths may contain `/*`. */
function withoutComments(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1');
}
