import { member } from '../core/json/json.ts';
import { hasTexts } from '../core/registry/lock-file.ts';
import { appFields } from '../core/registry/manifest.ts';
import { type EntryChanges, entryChanges, hasWrites, NO_CHANGES } from '../core/release/entry-changes.ts';
import type { ReleaseState } from '../core/release/state.ts';
import { type AppToAssemble, textsOf } from '../publish/described-app.ts';
import { iconPath } from '../publish/parts/icon.ts';
import { sha256Of } from '../store/bytes.ts';
import type { FoundApp } from './find-apps.ts';
import type { PublishedState } from './published.ts';

/** The texts and the icon of a listed app, compared with what is published. */
export interface ComparedEntry {
  changes: EntryChanges;
  /** The description that a release publishes, or records; null if there is nothing to do. */
  toPublish: AppToAssemble | null;
}

const NOTHING: ComparedEntry = { changes: NO_CHANGES, toPublish: null };

/** The states of apps whose texts and icons are published: for another one, its author has to act first. */
const PUBLISHING: readonly ReleaseState[] = ['unchanged', 'new', 'rebuilt'];

/**
 * Compares the description of an app with its published entry. In a branch that maintains an older version, the texts are
 * those of that version, and not compared.
 * @param described null if it is not listed, or nothing describes it
 */
export async function compareEntry(
  { key, isMaintained }: FoundApp,
  described: AppToAssemble | null,
  state: ReleaseState,
  published: PublishedState,
): Promise<ComparedEntry> {
  const entry = member(published.entries, key);
  if (described === null || entry === undefined || isMaintained) return NOTHING;
  const url = described.entry.blockStyle.iconUrl;
  const isFile = iconPath(described) !== null;
  const icon = isFile ? await published.file(url, 'its icon is reported as changed') : null;
  const texts = { fields: appFields(entry), iconSha256: icon === null ? null : sha256Of(icon) };
  const recorded = published.lock?.descriptions.get(key);
  const { toRecord, ...changes } = entryChanges(textsOf(described), texts, recorded);
  const isNeeded = hasWrites(changes) || !hasTexts(recorded, toRecord);
  return { changes, toPublish: isNeeded && PUBLISHING.includes(state) ? described : null };
}
