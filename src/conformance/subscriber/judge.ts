import type { FaultRequest } from '../hosts/behaviour.ts';
import { offeredIn, type ShownApp } from './apps.ts';
import type { RequestExpectation, VerbExpectation } from './case.ts';

/** Compares what a subscriber shows and requests with what a case expects. Pure. */

/** What is wrong with the offered versions, one sentence for each. @param expand replaces names in expected texts */
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

/** What is wrong with the highest versions. */
export function latestProblems(shown: readonly ShownApp[], expected: NonNullable<VerbExpectation['latest']>): string[] {
  return Object.entries(expected).flatMap(([key, version]) => {
    const latest = shown.find((app) => app.key === key)?.latest ?? null;
    return latest === version ? [] : [`The highest version of ${key} is ${version}, and ${latest ?? 'none'} is shown.`];
  });
}

/** What is wrong with the requests of a verb. @param requests by host */
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
