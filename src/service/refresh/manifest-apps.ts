import type { JsonValue } from '../../core/json/json.ts';
import { appFields } from '../../core/registry/manifest.ts';
import { shorten } from '../../core/text/text.ts';
import { fragmentOf } from '../../core/http/url.ts';
import type { ListedApp } from './apps-store.ts';
import { storable } from '../database/packed.ts';

/** The apps of a manifest, as rows: what a subscriber sees before their metadata files are read. */

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
    const { name, description, iconUrl, color } = appFields(entry);
    const iconFragment = iconUrl === null ? '' : fragmentOf(iconUrl);
    listed.push({
      key,
      position,
      name: textOf(name, 300) || shorten(key, 300),
      description: textOf(description, 4000),
      color: color !== null && /^#[0-9a-f]{6}$/i.test(color) ? color : null,
      iconFragment: iconFragment.length > LONGEST_FRAGMENT ? '' : iconFragment,
    });
  }
  return listed;
}

function textOf(value: string | null, limit: number): string {
  return shorten(storable(value ?? ''), limit);
}
