import { message } from '../../core/text/message.ts';
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Advisory, advisoryIn, packagesOfRecord, vulnerablePackages } from '../../core/advisories/osv.ts';
import { AppregError } from '../../core/errors.ts';
import type { MaterialsFacts } from '../../core/facts/facts.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { PackageVersion } from '../../core/registry/bill-of-materials.ts';
import { readRegularFile, whyUnreadable } from '../../platform/regular-file.ts';

/**
 * A folder of advisories in the format of OSV, such as the unpacked archive of https://osv.dev about npm: 200,000 files.
 * It is read once, when the first package is looked up; what is kept is which file is about which package.
 */
export interface AdvisoryFolder {
  /**
   * The facts about packages.
   * @throws AppregError `advisories-unusable` (exit 2) if the folder cannot be read, or has no advisories about npm
   */
  factsAbout(packages: readonly PackageVersion[]): Promise<MaterialsFacts>;
}

interface AdvisoryListener {
  /** Called before the folder is read. */
  onStart(): void;
  /** Called once it is read, if there are files that are not advisories: the first ones, with the reason, and their number. */
  onBroken(examples: readonly string[], count: number): void;
}

/** Advisories are a few kB; the largest ones list thousands of versions. */
const MOST_BYTES = 16 * 2 ** 20;
/** How long files are read before other tasks run. */
const TURN_MS = 20;
const SHOWN = 10;

/**
 * @param folder absolute
 * @param shown its name in messages
 * @throws AppregError `advisories-unusable` (exit 2) if it is not a folder
 */
export function openAdvisories(folder: string, shown: string, listener: AdvisoryListener): AdvisoryFolder {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw unusable(shown, 'is not a folder');
  let reading: Promise<Index> | null = null;
  const known = new Map<string, Advisory[]>();
  return {
    async factsAbout(packages) {
      if (packages.length === 0) return { packages: 0, vulnerable: [] };
      const index = await (reading ??= readIndex(folder, shown, listener));
      const advisoriesOf = (name: string): Advisory[] => {
        const found = known.get(name) ?? (index.get(name) ?? []).flatMap((file) => advisoryAt(join(folder, file)));
        known.set(name, found);
        return found;
      };
      return { packages: packages.length, vulnerable: vulnerablePackages(packages, advisoriesOf) };
    },
  };
}

/** The files about a package, relative to the folder, by its name. */
type Index = ReadonlyMap<string, readonly string[]>;

async function readIndex(folder: string, shown: string, { onStart, onBroken }: AdvisoryListener): Promise<Index> {
  onStart();
  const index = new Map<string, string[]>();
  const broken: string[] = [];
  let count = 0;
  let files = 0;
  let turn = performance.now();
  for (const file of jsonFiles(folder, shown)) {
    files += 1;
    // Only names are read here: in Latin-1, which is faster, JSON of any encoding that extends ASCII stays JSON.
    const found = valueAt(join(folder, file), 'latin1', packagesOfRecord);
    if (typeof found === 'string') {
      count += 1;
      if (broken.length < SHOWN) broken.push(`${file} ${found}`);
    } else {
      for (const name of new Set(found)) {
        const known = index.get(name);
        if (known) known.push(file);
        else index.set(name, [file]);
      }
    }
    if (performance.now() - turn < TURN_MS) continue;
    await nextTurn();
    turn = performance.now();
  }
  if (count > 0) onBroken(broken, count);
  if (index.size === 0)
    throw unusable(shown, files === 0 ? 'contains no .json files' : 'contains no advisories about packages of npm');
  return index;
}

/** The paths of the .json files in a folder and its subfolders, except hidden ones. */
function* jsonFiles(root: string, shown: string): Generator<string> {
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder), folder === '' ? shown : `${shown}/${folder}`)) {
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`);
      else if (entry.name.endsWith('.json')) yield `${folder}${entry.name}`;
    }
  }
}

function entriesOf(folder: string, shown: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const reason = whyUnreadable(folder, error);
    if (reason === null) throw error;
    throw unusable(shown, reason);
  }
}

/** What a file contains, or why it is not an advisory, worded to follow its path. */
function valueAt<Value extends object>(
  path: string,
  encoding: 'latin1' | 'utf8',
  read: (value: JsonValue) => Value | null,
): Value | string {
  const file = readRegularFile(path, MOST_BYTES);
  if ('failure' in file) return file.failure;
  let value: JsonValue;
  try {
    value = JSON.parse(withoutMark(file.bytes).toString(encoding));
  } catch {
    return 'is not JSON';
  }
  return read(value) ?? 'is not an advisory in the format of OSV';
}

/** Without a byte order mark of UTF-8. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Empty if the file has changed since its name was read. */
function advisoryAt(path: string): Advisory[] {
  const found = valueAt(path, 'utf8', advisoryIn);
  return typeof found === 'string' ? [] : [found];
}

function unusable(shown: string, reason: string): AppregError {
  return new AppregError(
    'advisories-unusable',
    message`--advisories: ${shown} ${reason}.`,
    message`Download https://storage.googleapis.com/osv-vulnerabilities/npm/all.zip, unpack it into a folder, and name that folder.`,
    { effect: 'none' },
  );
}
