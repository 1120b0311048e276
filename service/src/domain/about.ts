import {
  type About,
  ABOUT_FIELDS,
  type AboutApp,
  type AboutVersion,
  type DocumentContent,
  readAboutFile,
  type Retirement,
} from 'appreg';
import type { KnownAbout } from 'appreg/node';
import { storable, storableValue } from './storable.ts';
import { type NewEvent } from './events.ts';

/**
 * Changes of the stored rows of an about file by a refresh. Pure: the stored rows and the observed file in, rows out.
 */

/** Stored rows of the about file of an app. */
export interface StoredAbout {
  /** The last one that could be used; null if there is none. */
  file: KnownAbout | null;
  /** Fields that are shown; a field that was added later is absent. */
  fields: Partial<AboutApp>;
  versions: readonly StoredAboutVersion[];
}

export interface StoredAboutVersion extends AboutVersion {
  version: string;
}

export const NO_ABOUT: StoredAbout = { file: null, fields: {}, versions: [] };

/** Result of a refresh: another file; `absent`: the host has none; `unknown`: the last one stays. */
export type LearnedAbout = KnownAbout | 'absent' | 'unknown';

export interface AboutChange {
  /** The file to store; null if there is none any more; undefined if it is the same. */
  file: { known: KnownAbout; app: About['app'] } | null | undefined;
  /** Rows that are new or changed, and versions of which nothing is said any more. */
  changed: StoredAboutVersion[];
  removed: string[];
}

/** Statements that are known once the change is written. */
export interface KnownClaims {
  change: AboutChange | null;
  /** Null if there is no file. */
  about: About | null;
}

/**
 * @param versions the known versions of the app
 * @returns null as the change if nothing is to be written
 */
export function aboutChange(before: StoredAbout, learned: LearnedAbout, versions: readonly string[]): KnownClaims {
  const read = typeof learned === 'string' ? null : readAboutFile(learned.content).about;
  const isKept = learned === 'unknown' || (typeof learned !== 'string' && read === null);
  const kept = isKept ? before.file : null;
  // It was read by an earlier version, perhaps by other rules.
  const about = kept === null ? read : readAboutFile(kept.content).about;
  const file = typeof learned === 'string' || isKept ? kept : learned;
  const rows = about === null ? [] : rowsOf(about, versions);
  const stored = new Map(before.versions.map((row) => [row.version, row]));
  const claimed = new Set(rows.map(({ version }) => version));
  const known = new Set(versions);
  const change = {
    file: fileChange(before, file, about),
    changed: rows.filter((row) => !isSame(row, stored.get(row.version))),
    // The rows of versions that are not known any more are deleted with them.
    removed: before.versions.flatMap(({ version }) => (known.has(version) && !claimed.has(version) ? [version] : [])),
  };
  const isNothing = change.file === undefined && change.changed.length === 0 && change.removed.length === 0;
  return { change: isNothing ? null : change, about };
}

function fileChange(before: StoredAbout, known: KnownAbout | null, about: About | null): AboutChange['file'] {
  if (known === null || about === null) return before.file === null ? undefined : null;
  const app = storableValue(about.app);
  const isSameApp = ABOUT_FIELDS.every(({ name }) => before.fields[name] === app[name]);
  return isSameApp && before.file !== null && isSameFile(before.file, known) ? undefined : { known, app };
}

function storableText(text: string | null): string | null {
  return text === null ? null : storable(text);
}

function isSameFile(a: KnownAbout, b: KnownAbout): boolean {
  return a.url === b.url && a.condition?.join() === b.condition?.join() && isSameContent(a.content, b.content);
}

function isSameContent(a: DocumentContent, b: DocumentContent): boolean {
  return a.text === b.text && a.base64 === b.base64;
}

/** Statements of a file about the known versions. */
function rowsOf({ versions }: About, known: readonly string[]): StoredAboutVersion[] {
  return known.flatMap((version) => {
    const claim = versions.get(version);
    if (claim === undefined) return [];
    const { published, deprecated } = claim;
    const notes = storableText(claim.notes);
    if (published === null && notes === null && deprecated === null) return [];
    return [{ version, published, notes, deprecated: deprecated && storableRetirement(deprecated) }];
  });
}

function storableRetirement({ message, ...rest }: Retirement): Retirement {
  return { ...rest, message: storable(message) };
}

function isSame(row: StoredAboutVersion, stored: StoredAboutVersion | undefined): boolean {
  return (
    stored !== undefined &&
    row.published === stored.published &&
    row.notes === stored.notes &&
    isSameRetirement(row.deprecated, stored.deprecated)
  );
}

function isSameRetirement(a: Retirement | null, b: Retirement | null): boolean {
  if (a === null || b === null) return a === b;
  return a.reason === b.reason && a.message === b.message && a.use === b.use && a.since === b.since;
}

/** The events of a change: versions that were retired, with other words too, and versions that no longer are. */
export function aboutEvents(app: string, before: StoredAbout, change: AboutChange | null): NewEvent[] {
  if (change === null) return [];
  const stored = new Map(before.versions.map(({ version, deprecated }) => [version, deprecated]));
  const removed = change.removed.map((version) => ({ version, deprecated: null }));
  return [...change.changed, ...removed].flatMap(({ version, deprecated }): NewEvent[] => {
    const earlier = stored.get(version) ?? null;
    if (isSameRetirement(deprecated, earlier)) return [];
    if (deprecated !== null) return [{ type: 'version-deprecated', app, version, data: deprecated }];
    return earlier === null ? [] : [{ type: 'version-undeprecated', app, version, data: { reason: earlier.reason } }];
  });
}
