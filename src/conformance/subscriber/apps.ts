import type { JsonValue } from '../../core/json/json.ts';
import { isObject } from '../../core/json/values.ts';

/** What the verb `apps` prints: `{ "apps": [{ "key", "latest", "versions": [{ "version", "checksum", "state" }] }] }`. */

export interface ShownVersion {
  version: string;
  checksum: string;
  /** `offered`: it can be installed. Any other text: it cannot. */
  state: string;
}

export interface ShownApp {
  key: string;
  versions: readonly ShownVersion[];
  /** Its highest offered version; undefined if the implementation does not show it, null if there is none. */
  latest: string | null | undefined;
}

/** The apps in an output, or what is wrong with it. */
export function shownApps(output: string): { apps: readonly ShownApp[] } | { fault: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(output);
  } catch {
    return { fault: 'The output of the verb “apps” is not JSON.' };
  }
  const listed = isObject(value) ? value['apps'] : null;
  if (!Array.isArray(listed)) return { fault: 'The output of the verb “apps” has no list “apps”.' };
  const apps: ShownApp[] = [];
  for (const [index, one] of listed.entries()) {
    const app = appIn(one);
    if (app === null)
      return {
        fault: `“apps” has an invalid entry ${index + 1}: a text “key” and a list “versions” with “version”, “checksum” and “state” are expected.`,
      };
    if (apps.some(({ key }) => key === app.key)) return { fault: `“apps” lists the app “${app.key}” twice.` };
    apps.push(app);
  }
  return { apps };
}

function appIn(value: JsonValue): ShownApp | null {
  if (!isObject(value)) return null;
  const { key, versions, latest } = value;
  if (typeof key !== 'string' || !Array.isArray(versions)) return null;
  if (latest !== undefined && latest !== null && typeof latest !== 'string') return null;
  const shown = versions.flatMap((one) => versionIn(one) ?? []);
  return shown.length === versions.length ? { key, versions: shown, latest } : null;
}

function versionIn(value: JsonValue): ShownVersion | null {
  if (!isObject(value)) return null;
  const { version, checksum, state } = value;
  if (typeof version !== 'string' || typeof checksum !== 'string' || typeof state !== 'string') return null;
  return { version, checksum, state };
}

/** The offered versions, in one line, sorted. */
export function offeredText(apps: readonly ShownApp[]): string {
  const offered = apps
    .map(({ key, versions }) => ({
      key,
      versions: offeredIn(versions)
        .map(({ version }) => version)
        .sort(),
    }))
    .filter(({ versions }) => versions.length > 0)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  if (offered.length === 0) return 'no app is offered';
  const shown = offered
    .slice(0, 5)
    .map(({ key, versions }) => `${key} ${versions.slice(0, 5).join(', ')}${versions.length > 5 ? ' …' : ''}`);
  return `offered: ${shown.join('; ')}${offered.length > 5 ? '; …' : ''}`;
}

export function offeredIn(versions: readonly ShownVersion[]): ShownVersion[] {
  return versions.filter(({ state }) => state === 'offered');
}
