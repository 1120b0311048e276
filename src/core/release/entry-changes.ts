import type { LockedDescription, LockedText } from '../registry/lock-file.ts';
import type { AppFields } from '../registry/manifest.ts';
import { entriesOf } from '../values/record.ts';

/**
 * Decides which texts of a listed app a release writes: those of its app.json that are others than when they were last
 * recorded. What was changed elsewhere since then is a conflict, and is left alone. Without a record, it is unknown which of
 * two texts is the newer one: both are recorded, and the published one stays until the folder has another text.
 */

/** Texts of an app: the fields of its entry, and the SHA-256 of its icon file; null for one that is not there. */
export interface EntryTexts {
  fields: Partial<AppFields>;
  /** In hexadecimal digits; null without a file. */
  iconSha256: string | null;
}

/** The texts of an app that a release would write, and those that it leaves as they are. */
export interface EntryChanges {
  /** The texts that are written. */
  fields: TextChange[];
  /** The icon file that is written, by its SHA-256; null if it stays. */
  icon: { before: string | null; after: string } | null;
  /** The texts, and the icon, that differ and are not written, since they were changed elsewhere. */
  conflicts: EntryConflict[];
  /** Those that differed before anything was recorded, and are not written. */
  differences: EntryDifference[];
  /** True if this run wrote the texts and the icon. */
  published: boolean;
  /** The reason why they could not be published, or not recorded; null if there is none. */
  error: { message: string; advice: string } | null;
}

/** A text of the entry that differs. */
export interface TextChange {
  /**
   * Such as color.
   *
   * @asType string
   */
  field: keyof AppFields;
  /** Null if the entry has no such text. */
  before: string | null;
  after: string;
}

export interface EntryDifference {
  /**
   * Such as color; icon for the file of the icon, whose values are SHA-256 digests.
   *
   * @asType string
   */
  field: keyof AppFields | 'icon';
  published: string;
  described: string;
}

export interface EntryConflict extends EntryDifference {
  /** The text that was published when it was last recorded; null if that was not recorded. */
  recorded: string | null;
}

export const NO_CHANGES: EntryChanges = {
  fields: [],
  icon: null,
  conflicts: [],
  differences: [],
  published: false,
  error: null,
};

/** True if a release writes something. */
export function hasWrites({ fields, icon }: EntryChanges): boolean {
  return fields.length > 0 || icon !== null;
}

/** The name of the digest of the icon in the lock file. */
const ICON = 'iconSha256';

/**
 * Compares the texts of a folder with those that are published, and with those that were recorded.
 * @param published the icon is the file at the place where that of the folder belongs
 * @returns also the texts to record once they are published
 */
export function entryChanges(
  described: EntryTexts,
  published: EntryTexts,
  recorded: LockedDescription = {},
): EntryChanges & { toRecord: LockedDescription } {
  const found: EntryChanges = { ...NO_CHANGES, fields: [], conflicts: [], differences: [] };
  const toRecord: Record<string, LockedText> = {};
  /** @returns true for a text to write */
  const decide = (
    field: EntryConflict['field'],
    { name = field, after, before }: { name?: string; after: string; before: string | null },
  ): boolean => {
    const decision = decisionOn(after, before, recorded[name]);
    // The versions would have to move with their metadata file.
    const isRefused = decision.kind === 'conflict' || (decision.kind === 'write' && field === 'appMetadataUrl');
    const texts = { field, described: after, published: before ?? '' };
    if (isRefused) found.conflicts.push({ ...texts, recorded: decision.recorded });
    else toRecord[name] = decision.kind === 'difference' ? { described: after, published: texts.published } : after;
    if (decision.kind === 'difference') found.differences.push(texts);
    return decision.kind === 'write' && !isRefused;
  };
  for (const [field, after] of entriesOf(described.fields)) {
    if (after == null) continue;
    const before = published.fields[field] ?? null;
    if (decide(field, { after, before })) found.fields.push({ field, before, after });
  }
  const { iconSha256: after } = described;
  // The entry names another icon, which stays.
  if (after === null || hasIconUrl(found.conflicts) || hasIconUrl(found.differences)) return { ...found, toRecord };
  // A file that the entry does not name is not the published icon.
  const isMoved = hasIconUrl(found.fields);
  const before = isMoved ? null : published.iconSha256;
  if (decide('icon', { name: ICON, after, before }) && after !== published.iconSha256) found.icon = { before, after };
  return { ...found, toRecord };
}

function hasIconUrl(texts: readonly { field: string }[]): boolean {
  return texts.some(({ field }) => field === 'iconUrl');
}

interface Decision {
  kind: 'same' | 'write' | 'conflict' | 'difference';
  /** The text that was published when it was last recorded. */
  recorded: string | null;
}

function decisionOn(described: string, published: string | null, record: LockedText | undefined): Decision {
  const before = typeof record === 'string' ? { described: record, published: record } : record;
  const decided = (kind: Decision['kind']): Decision => ({ kind, recorded: before?.published ?? null });
  if (described === published) return decided('same');
  if (published === null) return decided('write');
  if (before === undefined) return decided('difference');
  if (published !== before.published) return decided('conflict');
  return decided(described === before.described ? 'difference' : 'write');
}

/** The texts to record for an app that is listed as its folder describes it. */
export function toRecordOf({ fields, iconSha256 }: EntryTexts): LockedDescription {
  const texts = entriesOf(fields).flatMap(([field, text]) => (text == null ? [] : [[field, text] as const]));
  return Object.fromEntries([...texts, ...(iconSha256 === null ? [] : [[ICON, iconSha256] as const])]);
}
