import { compareText } from '../engine/order.ts';
import type { KnownAdvisory, VulnerablePackage } from '../facts/facts.ts';
import { isObject, type JsonObject, type JsonValue, member, stringOrNull } from '../json/json.ts';
import type { PackageVersion } from '../registry/bill-of-materials.ts';
import { comparePrecedence, isSemver } from '../registry/version.ts';
import { shorten } from '../text/text.ts';

/** Records of the Open Source Vulnerability format (https://ossf.github.io/osv-schema/), about packages of npm. */

export interface Advisory {
  id: string;
  /** Other names of the same vulnerability, such as `CVE-2021-23337`. */
  aliases: readonly string[];
  summary: string;
  /** In one word, as the database gives it; null if it does not. */
  severity: string | null;
  /** The affected packages; a withdrawn advisory has none. */
  affected: readonly AffectedPackage[];
}

interface AffectedPackage {
  name: string;
  /** The affected versions that are listed one by one. */
  versions: ReadonlySet<string>;
  ranges: readonly (readonly RangeEvent[])[];
}

/** The version from which on a package is affected, or no longer affected. `0` is before all versions. */
interface RangeEvent {
  kind: 'introduced' | 'fixed' | 'last_affected' | 'limit';
  version: string;
}

/** @returns null for a value that is not an OSV record */
export function advisoryIn(value: JsonValue | undefined): Advisory | null {
  const id = stringOrNull(member(value, 'id'));
  if (id === null || !isRecord(value)) return null;
  const affected = isWithdrawn(value) ? [] : objectsIn(member(value, 'affected')).flatMap(affectedPackage);
  const severity = stringOrNull(member(member(value, 'database_specific'), 'severity'));
  return {
    id,
    aliases: textsIn(member(value, 'aliases')),
    summary: shorten(stringOrNull(member(value, 'summary')) ?? '', 300),
    severity: severity === null ? null : shorten(severity.toLowerCase(), 30),
    affected,
  };
}

/**
 * The names of the packages of npm that a record is about, without reading the rest of it.
 * @returns null for a value that is not an OSV record
 */
export function packagesOfRecord(value: JsonValue | undefined): string[] | null {
  if (!isRecord(value)) return null;
  return isWithdrawn(value) ? [] : objectsIn(member(value, 'affected')).flatMap((one) => npmName(one) ?? []);
}

function isRecord(value: JsonValue | undefined): boolean {
  const id = member(value, 'id');
  return typeof id === 'string' && id !== '' && typeof member(value, 'modified') === 'string';
}

function isWithdrawn(value: JsonValue | undefined): boolean {
  return typeof member(value, 'withdrawn') === 'string';
}

/** Null for a package of another ecosystem. */
function npmName(affected: JsonObject): string | null {
  const found = member(affected, 'package');
  return member(found, 'ecosystem') === 'npm' ? stringOrNull(member(found, 'name')) : null;
}

function affectedPackage(value: JsonObject): AffectedPackage[] {
  const name = npmName(value);
  if (name === null) return [];
  // Of commits of a repository, not of versions.
  const ranges = objectsIn(member(value, 'ranges')).filter((range) => range['type'] !== 'GIT');
  return [
    {
      name,
      versions: new Set(textsIn(member(value, 'versions'))),
      ranges: ranges.map((range) => objectsIn(member(range, 'events')).flatMap(eventsIn)),
    },
  ];
}

const EVENTS = ['introduced', 'fixed', 'last_affected', 'limit'] as const;

function eventsIn(event: JsonObject): RangeEvent[] {
  return EVENTS.flatMap((kind) => {
    const version = event[kind];
    return typeof version === 'string' ? [{ kind, version }] : [];
  });
}

/**
 * Whether an advisory affects a version of a package, by the evaluation algorithm of the format.
 * @returns null if it does not; otherwise the versions in which it was fixed and that are higher, in ascending order
 */
export function affects(advisory: Advisory, name: string, version: string): { fixed: string[] } | null {
  const packages = advisory.affected.filter((one) => one.name === name);
  const isAffected = packages.some(
    ({ versions, ranges }) => versions.has(version) || ranges.some((events) => isInRange(version, events)),
  );
  if (!isAffected) return null;
  const fixes = packages.flatMap(({ ranges }) =>
    ranges.flatMap((events) => events.flatMap((event) => (event.kind === 'fixed' ? [event.version] : []))),
  );
  const higher = [...new Set(fixes)].filter((fix) => isSemver(fix) && isSemver(version) && isBelow(version, fix));
  return { fixed: higher.toSorted(comparePrecedence) };
}

function isInRange(version: string, events: readonly RangeEvent[]): boolean {
  if (!isSemver(version)) return false;
  const usable = events.filter((event) => event.version === '0' || isSemver(event.version));
  const limits = events.filter(({ kind }) => kind === 'limit');
  const isWithinLimits = limits.every((limit) => limit.version === '*' || isBelow(version, limit.version));
  if (!isWithinLimits) return false;
  let isAffected = false;
  for (const event of usable.toSorted(inOrder)) {
    if (event.kind === 'introduced' && !isBelow(version, event.version)) isAffected = true;
    else if (event.kind === 'fixed' && !isBelow(version, event.version)) isAffected = false;
    else if (event.kind === 'last_affected' && isBelow(event.version, version)) isAffected = false;
  }
  return isAffected;
}

/** By version; a version that was both fixed and introduced in another branch is affected. */
function inOrder(a: RangeEvent, b: RangeEvent): number {
  const order = Number(isBelow(b.version, a.version)) - Number(isBelow(a.version, b.version));
  return order || Number(a.kind === 'introduced') - Number(b.kind === 'introduced');
}

/** Compares valid versions and `0`, which is below all of them. */
function isBelow(a: string, b: string): boolean {
  if (b === '0') return false;
  return a === '0' || (isSemver(a) && isSemver(b) && comparePrecedence(a, b) < 0);
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/**
 * The packages that advisories affect.
 * @param advisoriesOf the advisories about a package, also about other versions of it
 */
export function vulnerablePackages(
  packages: readonly PackageVersion[],
  advisoriesOf: (name: string) => readonly Advisory[],
): VulnerablePackage[] {
  return packages.flatMap(({ name, version }) => {
    const found = advisoriesOf(name).flatMap((advisory): KnownAdvisory[] => {
      const affected = affects(advisory, name, version);
      const { id, aliases, summary, severity } = advisory;
      return affected === null ? [] : [{ id, aliases: [...aliases], summary, severity, ...affected }];
    });
    return found.length === 0 ? [] : [{ name, version, advisories: withoutAliases(found) }];
  });
}

/** One of several records of the same vulnerability: databases import each other's. */
function withoutAliases(advisories: readonly KnownAdvisory[]): KnownAdvisory[] {
  const kept: KnownAdvisory[] = [];
  for (const one of advisories.toSorted((a, b) => compareText(a.id, b.id))) {
    const names = new Set([one.id, ...one.aliases]);
    const same = kept.find(({ id, aliases }) => [id, ...aliases].some((name) => names.has(name)));
    if (same === undefined) kept.push(one);
    else {
      same.aliases = [...new Set([...same.aliases, ...names])].filter((name) => name !== same.id).toSorted(compareText);
      same.severity ??= one.severity;
      if (same.fixed.length === 0) same.fixed = one.fixed;
    }
  }
  return kept;
}
