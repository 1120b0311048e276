import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The packages of this repository: the tool at its root, and the workspaces. */
export const WORKSPACES = ['service', 'conformance'] as const;

/** The files of some folders, as POSIX paths from the root. */
export function filesIn(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file.replaceAll('\\', '/')}`,
    ),
  );
}

const isTypeScript = (file: string): boolean => file.endsWith('.ts') && !file.endsWith('.d.ts');

/** The sources of all packages. */
export const SOURCES: readonly string[] = filesIn('src', ...WORKSPACES.map((name) => `${name}/src`)).filter(
  isTypeScript,
);

/** The tests of all packages, with what supports them. */
export const TESTS: readonly string[] = filesIn('test', ...WORKSPACES.map((name) => `${name}/test`)).filter(
  isTypeScript,
);

/** The room of a source file: a folder of src, or a workspace; '' for a file beside the folders of src. */
export function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (first !== 'src') return first;
  return second.endsWith('.ts') ? '' : second;
}

/** The path of a source file in its room. */
export function pathInRoom(file: string): string {
  const parts = file.split('/');
  return parts.slice(roomOf(file) === '' ? 1 : 2).join('/');
}

/** One import of a file, static or on demand. */
export interface Import {
  from: string;
  target: string;
  typeOnly: boolean;
}

/** The imports of a file, with paths from the root. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = [
    ...text.matchAll(
      /^(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\s+from\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm,
    ),
  ];
  return found.map((match) => {
    const target = (match[2] ?? match[3])!;
    const resolved = target.startsWith('.')
      ? relative(ROOT, join(ROOT, dirname(file), target)).replaceAll('\\', '/')
      : target;
    return { from: file, target: resolved, typeOnly: match[1] !== undefined };
  });
}

/** A file without its comments. */
export function codeOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
