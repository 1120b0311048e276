import { isObject, type JsonValue, jsonValueIn } from 'appreg';
import type { FaultRequest } from '../hosts/behaviours.ts';
import type { RequestExpectation, VerbExpectation } from '../case/subscriber.ts';

/** Output of the verb `apps`: `{ "apps": [{ "key", "latest", "versions": [{ "version", "checksum", "state" }] }] }`. */

interface ShownVersion {
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
  const value = jsonValueIn(output);
  if (value === undefined) return { fault: 'The output of the verb “apps” is not JSON.' };
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

function offeredIn(versions: readonly ShownVersion[]): ShownVersion[] {
  return versions.filter(({ state }) => state === 'offered');
}

// Compares what a subscriber shows and requests with what a case expects. Pure.

/** Finds the faults of the offered versions, one sentence for each. @param expand replaces names in expected texts */
export function appProblems(
  shown: readonly ShownApp[],
  expected: NonNullable<VerbExpectation['apps']>,
  expand: (text: string) => string,
): string[] {
  const byKey = new Map(shown.map((app) => [app.key, app]));
  const keys = [...new Set([...Object.keys(expected), ...byKey.keys()])];
  return keys.flatMap((key) => {
    const offered = new Map(offeredIn(byKey.get(key)?.versions ?? []).map((one) => [one.version, one.checksum]));
    const own = Object.hasOwn(expected, key) ? (expected[key] ?? {}) : {};
    const versions = [...new Set([...Object.keys(own), ...offered.keys()])];
    return versions.flatMap((version) =>
      versionProblem(`${key} ${version}`, own[version] ?? false, offered.get(version), expand),
    );
  });
}

function versionProblem(
  what: string,
  expected: boolean | string,
  checksum: string | undefined,
  expand: (text: string) => string,
): string[] {
  if (expected === 'any') return [];
  if (expected === false) return checksum === undefined ? [] : [`${what} is offered.`];
  if (checksum === undefined) return [`${what} is not offered.`];
  if (expected === true) return [];
  return checksum === expand(expected) ? [] : [`${what} is offered with another checksum than ${expected}.`];
}

/** Finds the faults of the highest versions. */
export function latestProblems(shown: readonly ShownApp[], expected: NonNullable<VerbExpectation['latest']>): string[] {
  return Object.entries(expected).flatMap(([key, version]) => {
    const latest = shown.find((app) => app.key === key)?.latest ?? null;
    return latest === version ? [] : [`The highest version of ${key} is ${version}, and ${latest ?? 'none'} is shown.`];
  });
}

/** Finds the faults of the requests of a verb. @param requests by host */
export function requestProblems(
  requests: ReadonlyMap<string, readonly FaultRequest[]>,
  expected: readonly RequestExpectation[],
  { expand, placeOf }: { expand: (text: string) => string; placeOf: (place: string) => { host: string; path: string } },
): string[] {
  return expected.flatMap((one) => {
    const { host, path } = placeOf(one.path);
    const matching = (requests.get(host) ?? []).filter((request) => isMatching(request, one, expand(path)));
    const what = `${one.method ?? 'GET'} ${one.path}${headersText(one)}`;
    const { min = 0, max = Infinity } = one;
    if (matching.length < min) return [`The request ${what} is missing.`];
    if (max === 0 && matching.length > 0) return [`The request ${what} is not expected.`];
    return matching.length > max ? [`The request ${what} was sent more than ${max} times.`] : [];
  });
}

function headersText({ headers }: RequestExpectation): string {
  if (headers === undefined) return '';
  const parts = Object.entries(headers).map(([name, value]) => (value === false ? `without ${name}` : `with ${name}`));
  return ` ${parts.join(' and ')}`;
}

function isMatching(request: FaultRequest, expected: RequestExpectation, path: string): boolean {
  const isPath = path.endsWith('*') ? request.path.startsWith(path.slice(0, -1)) : request.path === path;
  if (!isPath || request.method !== (expected.method ?? 'GET')) return false;
  return Object.entries(expected.headers ?? {}).every(([name, value]) => {
    const sent = request.headers[name];
    return typeof value === 'string' ? sent === value : (sent !== undefined) === value;
  });
}
