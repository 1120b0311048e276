import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PlacedFile } from '../../core/release/build-settings.ts';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { documentContent, isObject, member, parseDocument } from '../../core/json/json.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { addition, type Folders, sourceOf } from '../references/inclusion.ts';
import type { Reference } from '../references/reference.ts';

/** Packages that code does without, and of which one is installed here: code that finds none of them often fails. */

const PACKAGE = /^(?:@[^/]+\/)?[^/]+/;
/** A package with more dependencies is better installed, or bundled. */
const MOST_PACKAGES = 5;

/**
 * A clause about the packages that are installed here, and that the archive does not contain; null for none.
 * @param missing what the archive does not contain
 * @param owner the package that failed, absolute
 */
export function installedOnlyHere(missing: readonly Reference[], owner: string, folders: Folders): SafeText | null {
  for (const { kind, target, source, isOptional } of missing) {
    if (kind !== 'package' || !isOptional || target === null || source?.startsWith(owner) !== true) continue;
    const folder = installedFolder(target, source);
    if (folder === null) continue;
    const all = withDependencies(folder);
    const items = all.map((one) => placed(one, folders.root));
    const added = items.length > MOST_PACKAGES ? '' : message`; ${safe(addition(...items))}`;
    return message`it may need ${target}, which is installed here, and not in the archive${safe(added)}`;
  }
  return null;
}

function placed(folder: string, root: string): PlacedFile {
  const from = sourceOf(folder, root);
  return { from, to: from.slice(from.lastIndexOf('node_modules/')) };
}

/** Absolute; null if it is not installed. */
function installedFolder(name: string, from: string): string | null {
  const [own = name] = PACKAGE.exec(name) ?? [];
  const folders = createRequire(from).resolve.paths(own) ?? [];
  const found = folders.map((folder) => join(folder, own)).find((folder) => existsSync(join(folder, 'package.json')));
  return found === undefined ? null : realpathSync(found);
}

/** A package and those that it needs, as far as they are installed. */
function withDependencies(folder: string, seen = new Set<string>()): string[] {
  if (seen.has(folder) || seen.size > MOST_PACKAGES) return [];
  seen.add(folder);
  const manifest = join(folder, 'package.json');
  const read = readRegularFile(manifest);
  const { value } = 'bytes' in read ? parseDocument(documentContent(read.bytes)) : { value: undefined };
  const names = ['dependencies', 'optionalDependencies'].flatMap((field) => {
    const found = member(value, field);
    return isObject(found) ? Object.keys(found) : [];
  });
  const others = names.flatMap((name) => installedFolder(name, manifest) ?? []);
  return [folder, ...others.flatMap((one) => withDependencies(one, seen))];
}
