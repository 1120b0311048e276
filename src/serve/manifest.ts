import { message } from '../core/text/message.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { printable, safeExcerpt } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { ABSENT, isPrivate, targetSegments } from './files.ts';
import { systemErrorCode } from '../platform/system-error.ts';

/**
 * The name of the manifest in a folder: the given one, or registry.json, or the only top-level JSON file with `apps`.
 * Null if there is none.
 * Throws AppregError `manifest-ambiguous` if there are several candidates, `manifest-name-invalid` for a name that is
 * never served.
 */
export async function findManifest(folder: string, named: string | undefined): Promise<string | null> {
  const expected = named ?? 'registry.json';
  if (targetSegments(`/${encodeURIComponent(expected)}`) === null || isPrivate(expected)) {
    throw new AppregError(
      'manifest-name-invalid',
      message`“${safeExcerpt(expected)}” is not a valid manifest name: hosts would not serve it.`,
      message`Rename the manifest, and set "manifest" in the configuration.`,
    );
  }
  if (await isFile(join(folder, expected))) return expected;
  if (named !== undefined) return null;
  const found: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (/\.json$/i.test(name) && !isPrivate(name) && (await hasApps(join(folder, name)))) found.push(name);
  }
  if (found.length <= 1) return found[0] ?? null;
  throw new AppregError(
    'manifest-ambiguous',
    message`${folder} contains several files that could be the manifest: ${safeExcerpt(found.map(printable).join(', '))}.`,
    message`Set "manifest" in the configuration to one of them.`,
  );
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (ABSENT.has(systemErrorCode(error) ?? '')) return false;
    throw error;
  }
}

async function hasApps(path: string): Promise<boolean> {
  if (!(await isFile(path))) return false;
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'apps');
  } catch (error) {
    if (error instanceof SyntaxError) return false; // An unrelated file, which may be invalid.
    throw error;
  }
}
