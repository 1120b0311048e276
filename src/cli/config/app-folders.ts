import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assemble, type AppSource, type Issue } from '../../author/assemble.ts';
import { documentContent } from '../../core/json/json.ts';
import { printable } from '../../core/text/text.ts';
import { isAppregError, AppregError } from '../../core/errors.ts';
import { checkNewKey } from '../../publish/check-key.ts';
import type { AppToAssemble, Folders } from '../../publish/assemble.ts';
import { appsFolder } from '../../release/apps-folder.ts';
import { iconFromBytes } from '../icon-source.ts';

/** The folders under apps/, which may contain untrusted files: links are not followed. */

const MAX_DESCRIPTION_BYTES = 1_000_000;
const MAX_ICON_BYTES = 10_000_000;

/**
 * The apps of a workspace with their icons, and the errors in their source files.
 * @param root the workspace, absolute; @param base its URL, with the trailing slash
 * @throws AppregError (exit 2) if the folder apps/ is missing, or not a folder
 */
export function appsUnder(root: string, base: string): Folders {
  const folder = appsFolder(root);
  if (folder === null)
    throw new AppregError(
      'apps-folder-missing',
      `${printable(root)} has no folder apps/.`,
      'Each app needs apps/<key>/app.json, with an icon such as icon.svg in the same folder.',
    );
  const sources: AppSource[] = [];
  const issues: Issue[] = [];
  for (const { name, ...entry } of readdirSync(folder, { withFileTypes: true }).map(kindOf)) {
    if (name.startsWith('.') || entry.file) continue;
    const error = entry.link ? linkError(name) : keyError(name);
    if (error) issues.push({ message: `apps/${printable(name)}: ${error.message}`, advice: error.hint });
    else sources.push(sourceIn(folder, name));
  }
  const assembled = assemble(sources, base);
  issues.push(...assembled.issues);
  const apps: AppToAssemble[] = [];
  for (const app of assembled.apps) {
    try {
      apps.push({ ...app, image: app.icon === null ? null : iconIn(folder, app.key, app.icon) });
    } catch (error) {
      if (!isAppregError(error)) throw error;
      issues.push({ message: error.summary, advice: error.hint });
    }
  }
  return { keys: sources.map(({ key }) => key), apps, issues };
}

function kindOf(entry: { name: string; isFile(): boolean; isSymbolicLink(): boolean }): {
  name: string;
  file: boolean;
  link: boolean;
} {
  return { name: entry.name, file: entry.isFile(), link: entry.isSymbolicLink() };
}

function keyError(name: string): AppregError | null {
  try {
    checkNewKey(name);
    return null;
  } catch (error) {
    if (isAppregError(error)) return error;
    throw error;
  }
}

function linkError(name: string): AppregError {
  return new AppregError(
    'app-folder-invalid',
    `apps/${printable(name)} is a symbolic link, which appreg does not follow.`,
    'Replace the link with the folder itself.',
  );
}

function sourceIn(folder: string, key: string): AppSource {
  const files = readdirSync(join(folder, key));
  const isDescribed = files.includes('app.json');
  const content = isDescribed ? documentContent(readAppFile(folder, key, 'app.json', MAX_DESCRIPTION_BYTES)) : null;
  return { key, content, files };
}

function iconIn(folder: string, key: string, icon: string): AppToAssemble['image'] {
  const name = `apps/${key}/${icon}`;
  const found = iconFromBytes(readAppFile(folder, key, icon, MAX_ICON_BYTES), name);
  const { kind } = found.image;
  if (icon.endsWith(`.${kind}`)) return found;
  throw new AppregError(
    'icon-invalid',
    `${name} contains a ${kind.toUpperCase()} image.`,
    `Rename it to end in .${kind}.`,
  );
}

function readAppFile(folder: string, key: string, name: string, largest: number): Uint8Array {
  const path = join(folder, key, name);
  const stat = lstatSync(path);
  if (stat.isFile() && stat.size <= largest) return readFileSync(path);
  const what = stat.isFile() ? `is larger than ${largest / 1_000_000} MB` : 'is not a regular file';
  throw new AppregError('app-folder-invalid', `apps/${key}/${name} ${what}.`, 'Use a small, regular file.');
}
