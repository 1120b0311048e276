import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { hasUnprintable } from '../core/text/text.ts';

/**
 * Refuses names that a strict archive reader refuses, or that collide in a folder on another system. `paths` are
 * relative, separated by '/'. Throws AppregError `bundle-name-invalid`, `bundle-name-collision`.
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
      if (other !== undefined) throw nameOfFolder(path, other);
    }
  }
}

/** Invalid parts of a name, and their tests. */
const INVALID: readonly { has: string; test(path: string): boolean }[] = [
  { has: 'control or invisible characters', test: hasUnprintable },
  { has: 'a backslash, which is a folder separator on other systems', test: (path) => path.includes('\\') },
  { has: 'bytes that are not UTF-8', test: (path) => path.includes('\ufffd') },
  { has: 'a drive prefix on other systems', test: (path) => /^[a-z]:/i.test(path) },
];

function checkName(path: string): void {
  const invalid = INVALID.find(({ test }) => test(path));
  if (invalid === undefined) return;
  throw new AppregError(
    'bundle-name-invalid',
    message`The name ${path} has ${invalid.has}.`,
    message`Rename the file.`,
  );
}

/** The key under which file systems that ignore case and Unicode normalization compare a name. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** A file whose name is also that of a folder, or would be on another system. */
function nameOfFolder(path: string, file: string): AppregError {
  return new AppregError(
    'bundle-name-collision',
    message`${file} is a file, but ${path} needs a folder of that name.`,
    message`Rename or omit one of them.`,
  );
}

function collision(path: string, other: string): AppregError {
  return new AppregError(
    'bundle-name-collision',
    path === other
      ? message`Two files of the archive would have the name ${path}.`
      : message`${other} and ${path} cannot both be unpacked on every system: their names differ only in case or Unicode normalization.`,
    message`Rename or omit one of them.`,
  );
}
