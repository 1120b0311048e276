import { message, safe } from '../../core/text/message.ts';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assemble, type AppSource, type Issue } from '../../author/assemble.ts';
import { documentContent } from '../../core/json/json.ts';
import { isAppregError, AppregError } from '../../core/errors.ts';
import { checkNewKey } from '../../publish/check-key.ts';
import type { AppToAssemble, Folders } from '../../publish/assemble.ts';
import { appsFolder } from '../../release/apps-folder.ts';
import { type DescriptionFolder, descriptionFolders, expectedFolder } from '../../release/description-folders.ts';
import type { ReleaseEntry } from '../../release/find-apps.ts';
import { unlikeRegularFile } from '../../platform/regular-file.ts';
import { iconFromBytes } from '../icon-source.ts';

/** The folders that describe the apps, which may contain untrusted files: links are not followed. */

const MAX_DESCRIPTION_BYTES = 1_000_000;
const MAX_ICON_BYTES = 10_000_000;

/**
 * The apps of a workspace with their icons, and the errors in their source files.
 * @param root the workspace, absolute
 * @param base its URL, with the trailing slash
 * @param entries the folders of the apps in the configuration
 * @throws AppregError (exit 2) if there are no folders
 */
export async function appsUnder(root: string, base: string, entries: readonly ReleaseEntry[] = []): Promise<Folders> {
  const found = await descriptionFolders(root, entries);
  if (found.length === 0 && appsFolder(root) === null)
    throw new AppregError(
      'apps-folder-missing',
      message`${root} has no folder apps/.`,
      message`Each app needs apps/<key>/app.json, with an icon such as icon.svg in the same folder.`,
    );
  const issues: Issue[] = [];
  const usable: DescriptionFolder[] = [];
  for (const one of found) {
    const error = folderError(one);
    if (error === null) usable.push(one);
    else issues.push({ message: message`${one.folder}: ${safe(error.message)}`, advice: error.hint });
  }
  const described = describedApps(root, base, usable);
  const known = new Map(found.map(({ key, folder }) => [key, folder]));
  return {
    ...described,
    folderOf: (key) => known.get(key) ?? expectedFolder(entries, key),
    issues: [...issues, ...described.issues],
  };
}

/** The apps that these folders describe. */
export function describedApps(
  root: string,
  base: string,
  folders: readonly Pick<DescriptionFolder, 'key' | 'folder'>[],
): Folders {
  const sources = folders.map((one) => sourceIn(root, one));
  const { apps: assembled, issues } = assemble(sources, base);
  const apps: AppToAssemble[] = [];
  for (const app of assembled) {
    try {
      apps.push({ ...app, image: app.icon === null ? null : iconIn(root, app.source, app.icon) });
    } catch (error) {
      if (!isAppregError(error)) throw error;
      issues.push({ message: error.summary, advice: error.hint });
    }
  }
  const known = new Map(folders.map(({ key, folder }) => [key, folder]));
  return { keys: sources.map(({ key }) => key), folderOf: (key) => known.get(key) ?? `apps/${key}`, apps, issues };
}

/** Why a folder does not describe its app. */
function folderError({ key, folder, isLink, other }: DescriptionFolder): AppregError | null {
  if (isLink) return linkError(folder);
  if (other !== null)
    return new AppregError(
      'app-folder-invalid',
      message`${other} describes the same app, ${key}.`,
      message`Remove one of the two app.json files.`,
    );
  return keyError(key);
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

function linkError(folder: string): AppregError {
  return new AppregError(
    'app-folder-invalid',
    message`${folder} is a symbolic link, which appreg does not follow.`,
    message`Replace the link with the folder itself.`,
  );
}

function sourceIn(root: string, { key, folder }: Pick<DescriptionFolder, 'key' | 'folder'>): AppSource {
  const files = readdirSync(join(root, folder));
  const isDescribed = files.includes('app.json');
  const content = isDescribed ? documentContent(readAppFile(root, `${folder}/app.json`, MAX_DESCRIPTION_BYTES)) : null;
  return { key, folder, content, files };
}

function iconIn(root: string, folder: string, icon: string): AppToAssemble['image'] {
  const name = `${folder}/${icon}`;
  const found = iconFromBytes(readAppFile(root, name, MAX_ICON_BYTES), name);
  const { kind } = found.image;
  if (icon.endsWith(`.${kind}`)) return found;
  throw new AppregError(
    'icon-invalid',
    message`${name} contains a ${kind.toUpperCase()} image.`,
    message`Rename it to end in .${kind}.`,
  );
}

function readAppFile(root: string, name: string, largest: number): Uint8Array {
  const path = join(root, name);
  const stat = lstatSync(path);
  if (stat.isFile() && stat.size <= largest) return readFileSync(path);
  const what = stat.isFile() ? `is larger than ${largest / 1_000_000} MB` : unlikeRegularFile(stat);
  throw new AppregError('app-folder-invalid', message`${name} ${what}.`, message`Use a small, regular file.`);
}
