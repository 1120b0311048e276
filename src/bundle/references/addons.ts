import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import type { PlacedFile } from '../../core/release/build-settings.ts';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { addition, type Folders, sourceOf } from './inclusion.ts';

/** Native addons that a package finds by the path of its own folder, and what makes them work from an archive. */

/** Finders that look for `prebuilds` in a folder that the package gives them. */
const BY_FOLDER = /^node-gyp-build/;

/** Files and folders of an addon. */
interface Needed {
  items: PlacedFile[];
  /** The platforms on which it then runs. */
  platforms: string[];
}

/**
 * Files that have to be in the archive so that a package finds its native addon; null if nothing helps.
 * @param finder the package that finds the addon
 * @param source the file that calls it, absolute
 */
export function neededFor(finder: string, source: string, folders: Folders): Needed | null {
  const owner = packageFolder(source);
  if (owner === null) return null;
  const placed = (path: string, to = path): PlacedFile => ({ from: sourceOf(join(owner, path), folders.root), to });
  // Elsewhere, the path that the package gives leads out of the archive.
  if (BY_FOLDER.test(finder) && dirname(source) !== owner) return null;
  const platforms = BY_FOLDER.test(finder) ? namesIn(join(owner, 'prebuilds')) : [];
  if (platforms.length > 0) return { items: [placed('prebuilds')], platforms };
  const [compiled] = namesIn(join(owner, 'build/Release')).filter((name) => name.endsWith('.node'));
  if (compiled === undefined) return null;
  const addon = placed(posix.join('build/Release', compiled));
  const here = { items: [addon], platforms: [`${process.platform}-${process.arch}`] };
  if (BY_FOLDER.test(finder)) return here;
  if (finder !== 'bindings') return null;
  // It searches the first folder, from that of the code up, that contains node_modules.
  const marker = placed('package.json', posix.join('node_modules', nameOf(owner), 'package.json'));
  return { ...here, items: [addon, marker] };
}

/** The correction, as a clause. */
export function addonAdvice(needed: Needed | null): SafeText {
  if (needed === null)
    return message`it is found only where the package is installed and compiled; prefer a version of the package in JavaScript or wasm`;
  return message`${safe(addition(...needed.items))}; it then runs on ${needed.platforms.join(', ')}`;
}

/** The folder of the package that a file belongs to. */
function packageFolder(source: string): string | null {
  const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(source) ?? [];
  return folder ?? null;
}

function nameOf(owner: string): string {
  const { name }: { name?: unknown } = JSON.parse(readFileSync(join(owner, 'package.json'), 'utf8'));
  return typeof name === 'string' ? name : basename(owner);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}
