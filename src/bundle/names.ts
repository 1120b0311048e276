import { AppregError } from '../core/errors.ts';
import { hasUnprintable, printable } from '../core/text/text.ts';

/**
 * Refuses names that a strict reader of archives would refuse, or that cannot lie side by side in a folder of another
 * system. `paths` are relative, with '/' between their parts. Throws Trouble `entry-name-unsafe`, `entry-collision`.
 */
export function checkNames(paths: readonly string[]): void {
  const taken = new Map<string, string>();
  for (const path of paths) {
    checkName(path);
    const other = taken.get(folded(path));
    if (other !== undefined) throw collision(path, other);
    taken.set(folded(path), path);
  }
  for (const path of paths) {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      const other = taken.get(folded(path.slice(0, end)));
      if (other !== undefined) throw collision(path, other);
    }
  }
}

function checkName(path: string): void {
  const fault = hasUnprintable(path)
    ? 'control or invisible characters'
    : path.includes('\\')
      ? 'a backslash, which other systems read as a folder separator'
      : path.includes('\ufffd')
        ? 'bytes that are not UTF-8'
        : /^[a-z]:/i.test(path)
          ? 'what other systems read as a drive'
          : null;
  if (fault === null) return;
  throw new AppregError('entry-name-unsafe', `The name ${printable(path)} has ${fault}.`, 'Rename the file.');
}

/** As file systems compare that ignore case and the way accents are composed. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function collision(path: string, other: string): AppregError {
  return new AppregError(
    'entry-collision',
    path === other
      ? `Two files of the archive would be called ${path}.`
      : `${other} and ${path} cannot both be unpacked on every system: their names differ in case or accents alone.`,
    'Rename or leave out one of them.',
  );
}
