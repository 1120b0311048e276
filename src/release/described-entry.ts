import { member } from '../core/json/json.ts';
import { hasTexts } from '../core/registry/lock-file.ts';
import { appFields } from '../core/registry/manifest.ts';
import { type EntryChanges, entryChanges, hasWrites, NO_CHANGES } from '../core/release/entry-changes.ts';
import type { ReleaseState } from '../core/release/state.ts';
import { type AppToAssemble, textsOf } from '../publish/described-app.ts';
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
export function compareEntry(
  { key, isMaintained }: FoundApp,
  described: AppToAssemble | null,
  state: ReleaseState,
  { entries, icons, lock }: PublishedState,
): ComparedEntry {
  const entry = member(entries, key);
  if (described === null || entry === undefined || isMaintained) return NOTHING;
  const texts = textsOf(described);
  const fields = appFields(entry);
  // The file at another place is looked at when it is planned.
  const icon = fields.iconUrl === described.entry.blockStyle.iconUrl ? icons.get(key) : null;
  const published = { fields, iconSha256: icon === undefined ? texts.iconSha256 : icon };
  const recorded = lock?.descriptions.get(key);
  const { toRecord, ...changes } = entryChanges(texts, published, recorded);
  const isNeeded = hasWrites(changes) || !hasTexts(recorded, toRecord);
  return { changes, toPublish: isNeeded && PUBLISHING.includes(state) ? described : null };
}
