import { appFields, fragmentOf, isColor, type JsonValue, recordFrom, shorten } from 'appreg';
import { type StoredApp } from './apps.ts';
import { storable } from './storable.ts';
import { type FurtherFields, FURTHER_FIELDS } from './further-fields.ts';
import { type NewEvent } from './events.ts';

/** The apps of a manifest, as rows: what a subscriber sees before their metadata files are read. Pure. */

export interface ListedApp extends Pick<
  StoredApp,
  'key' | 'position' | 'name' | 'description' | 'color' | 'iconFragment'
> {
  fields: FurtherFields;
}

/** Characters. */
const LONGEST_TEXT = 4000;
/** Characters; a longer fragment does not identify a part of an icon. */
const LONGEST_FRAGMENT = 200;

/**
 * @param limit maximum number of apps; the rest is omitted, and so are keys that the database cannot store: no app may
 * have such a key
 */
export function listedAppsIn(apps: Readonly<Record<string, JsonValue>>, limit: number): ListedApp[] {
  const listed: ListedApp[] = [];
  for (const [position, [key, entry]] of Object.entries(apps).entries()) {
    if (listed.length >= limit) break;
    if (key.length > 300 || storable(key) !== key) continue;
    const fields = appFields(entry);
    const { name, description, iconUrl, color } = fields;
    const iconFragment = iconUrl === null ? '' : fragmentOf(iconUrl);
    listed.push({
      key,
      position,
      name: textOf(name, 300) || shorten(key, 300),
      description: textOf(description, LONGEST_TEXT),
      color: color !== null && isColor(color) ? color : null,
      iconFragment: iconFragment.length > LONGEST_FRAGMENT ? '' : iconFragment,
      fields: recordFrom(
        FURTHER_FIELDS.map(({ name: further }) => [further, textOrNull(fields[further], LONGEST_TEXT)]),
      ),
    });
  }
  return listed;
}

function textOf(value: string | null, limit: number): string {
  return shorten(storable(value ?? ''), limit);
}

function textOrNull(value: string | null, limit: number): string | null {
  return value === null ? null : textOf(value, limit);
}

/** Rows kept per app that a manifest may list. */
const ROWS_PER_LISTED = 3;

/** The difference between the stored rows of a registry's apps and its manifest, and what it means for subscribers. */
export function compareListing(
  rows: readonly (ListedApp & { listed: boolean })[],
  listed: readonly ListedApp[],
  limit: number,
): { changed: ListedApp[]; removed: string[]; events: NewEvent[] } {
  const known = new Map(rows.map((row) => [row.key, row]));
  // Limits registries that keep replacing apps: the oldest rows are kept.
  let room = Math.max(0, limit * ROWS_PER_LISTED - rows.length);
  const changed = listed.filter((app) => {
    const row = known.get(app.key);
    if (row === undefined) return room-- > 0;
    return !row.listed || COLUMNS.some((name) => row[name] !== app[name]) || !areSame(row.fields, app.fields);
  });
  const added = changed.filter(({ key }) => known.get(key)?.listed !== true);
  const keys = new Set(listed.map(({ key }) => key));
  const removed = rows.filter((row) => row.listed && !keys.has(row.key)).map(({ key }) => key);
  const events = [
    ...added.map(({ key: app, name }): NewEvent => ({ type: 'app-listed', app, version: null, data: { name } })),
    ...removed.map((app): NewEvent => ({ type: 'app-hidden', app, version: null, data: WITHDRAWN })),
  ];
  return { changed, removed, events };
}

function areSame(stored: FurtherFields, listed: FurtherFields): boolean {
  return FURTHER_FIELDS.every(({ name }) => stored[name] === listed[name]);
}

const COLUMNS = ['position', 'name', 'description', 'color', 'iconFragment'] as const;
const WITHDRAWN = { reasons: ['app-withdrawn'] };
