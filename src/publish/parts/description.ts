import { ICON_NAME } from '../../author/assemble.ts';
import type { Document } from '../../author/document.ts';
import { type AppChanges, removeMember, setMember } from '../../author/manifest.ts';
import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import { isObject } from '../../core/json/json.ts';
import { MANIFEST_FIELDS } from '../../core/registry/manifest.ts';
import { APP_DESCRIPTION, describesEntry } from '../../core/release/app-description.ts';
import type { Store } from '../../store/store.ts';
import type { IconFile } from '../described-app.ts';
import { EditStep } from '../edit-step.ts';
import type { Step } from '../plan.ts';
import { StoredDocument } from '../stored-document.ts';
import { NOTHING, type Part } from './part.ts';

/** The folder of the workspace that describes an app, with its app.json and its icon. */
export interface DescribingFolder {
  /** The folder of the workspace. */
  workspace: Store;
  /** Relative to the workspace, with forward slashes. */
  folder: string;
  /** The names of its files. */
  files: readonly string[];
}

/** A folder whose app.json describes the entry of the app: `assemble` makes the entry from it. */
export interface Description extends DescribingFolder {
  document: StoredDocument;
}

/** The texts of the entry that differ, and the new icon file. */
export interface DescriptionChanges {
  wanted: AppChanges;
  icon: IconFile | null;
  /** The texts that the entry gets for fields that app.json lacks. */
  defaults: AppChanges;
}

/**
 * The description of an entry; null for an app.json without a field of the manifest, which only says how the app is built.
 * @throws AppregError `document-invalid` (exit 1) for an app.json that must not be edited
 */
export async function readDescription(folder: DescribingFolder): Promise<Description | null> {
  const document = await StoredDocument.read(folder.workspace, `${folder.folder}/${APP_DESCRIPTION}`);
  return document !== null && describesEntry(document.content) ? { ...folder, document } : null;
}

/** The name of the icon in the folder, or that of a new icon there; null without one. */
export function iconNameIn({ files }: DescribingFolder, icon: IconFile | null): string | null {
  const names = iconsAmong(files);
  if (icon === null) return names[0] ?? null;
  return names.find((name) => name.endsWith(`.${icon.image.kind}`)) ?? `icon.${icon.image.kind}`;
}

/**
 * The app.json with the new texts, and the new icon beside it.
 * @throws AppregError `already-exists` (exit 1) if the folder would have another icon as well
 */
export async function descriptionPart(description: Description, changes: DescriptionChanges): Promise<Part<Step>> {
  const { workspace, folder, document } = description;
  const { wanted, icon, defaults } = changes;
  const name = iconNameIn(description, icon);
  if (wanted.iconUrl !== undefined) refuseOthers(description, wanted.iconUrl === defaults.iconUrl ? name : null);
  const edit = EditStep.of(document, { role: 'description', what: 'the description of the app' }, (now) =>
    described(now, wanted, defaults),
  );
  const iconStep = icon === null ? null : await stepForIcon(workspace, `${folder}/${name}`, icon);
  return { ...NOTHING, steps: [iconStep ?? [], edit ?? []].flat() };
}

function iconsAmong(files: readonly string[]): string[] {
  return files.filter((name) => ICON_NAME.test(name)).toSorted();
}

/** The app.json with these texts, without those that are the default; null if nothing changes. */
function described(before: Document, wanted: AppChanges, defaults: AppChanges): Document | null {
  let now = before;
  for (const { name } of MANIFEST_FIELDS) {
    const text = wanted[name];
    if (text === undefined || !isObject(now.value)) continue;
    if (text !== defaults[name]) {
      if (now.value[name] !== text) now = setMember(now, '', now.value, name, text);
    } else if (Object.hasOwn(now.value, name)) now = removeMember(now, '', name);
  }
  return now === before ? null : now;
}

async function stepForIcon(workspace: Store, path: string, { bytes }: IconFile): Promise<Step | null> {
  const stored = await workspace.read(path);
  const step = { role: 'description', path, bytes, what: 'the icon in the folder of the app' } as const;
  if (stored === null) return { ...step, kind: 'create' };
  return Buffer.from(stored.bytes).equals(bytes) ? null : { ...step, kind: 'replace' };
}

/** @param name the icon that stays; null for none */
function refuseOthers({ folder, files }: DescribingFolder, name: string | null): void {
  const other = iconsAmong(files).find((one) => one !== name);
  if (other === undefined) return;
  throw new AppregError(
    'already-exists',
    message`${folder}/${other} already exists: it is the icon of the app, which has only one.`,
    message`Remove that file; then run the same command again.`,
    { effect: 'none', advisesRepeat: true },
  );
}
