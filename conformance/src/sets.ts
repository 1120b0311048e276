import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { type CasesByRole, type Role, SETS } from './case/case.ts';

/** Reads the cases from the folder `conformance` of the package. */

/** The folder of a role in a set. Below `src` and `dist`, the package is one folder up. */
export function folderOf(set: number, role: Role): string {
  return join(fileURLToPath(new URL('..', import.meta.url)), `set-${set}`, role);
}

/** The highest frozen set. */
export const LATEST_SET = Math.max(...SETS);

/**
 * The cases of a role, in the order of the set: by the name of the folder or file, then by the place in the file.
 * @param set one of `SETS`
 */
export function casesOf<R extends Role>(set: number, role: R): CasesByRole[R][] {
  const folder = folderOf(set, role);
  const names = readdirSync(folder).toSorted();
  // A document case is a folder, with its document; cases of the other roles are lists in files.
  const files = role === 'documents' ? names.map((name) => join(name, 'case.json')) : names;
  return files.flatMap((file): CasesByRole[R] | CasesByRole[R][] =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')),
  );
}
