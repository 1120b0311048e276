import schema from '../../../schemas/policy.schema.json' with { type: 'json' };
import type { RetirementReason } from '../about/about-document.ts';
import { AppregError } from '../errors/error.ts';
import type { DocumentContent } from '../json/content.ts';
import { validatePolicy } from '../generated/policy.js';
import { faultText } from '../json/input-file.ts';
import { readInputFile, schemaViolations } from '../json/input-file.ts';
import { pointerTo } from '../json/pointer.ts';
import { isObject, type JsonValue, member } from '../json/values.ts';
import { pathOf, type Violation } from '../json/violations.ts';
import { versionRange, type VersionRange } from '../registry/version-range.ts';
import { isComparable, isSemver } from '../registry/version.ts';
import { matchesGlob } from '../text/glob.ts';
import { message } from '../text/message.ts';
import { safeExcerpt } from '../text/text.ts';
import type { PolicyDocument } from './policy-document.ts';

/** Reads policies of subscriptions. Unknown fields are refused: one that was ignored could be a misspelled `deny`. */

/** A policy, ready to decide about versions. */
export interface Policy {
  /** Null allows everything. */
  allow: readonly Selector[] | null;
  deny: readonly Selector[];
  /** By app key. */
  pin: ReadonlyMap<string, VersionRange>;
  minimumAge: Age | null;
  minimumAgeExclude: readonly Selector[];
  minimumAgeStrict: boolean;
  minimumAgeExcludeSecurityFixes: boolean;
  requireAttestation: readonly Selector[];
  /** Null allows all. */
  allowDeprecated: readonly RetirementReason[] | null;
}

interface Age {
  /** As written, such as `3d`. */
  text: string;
  milliseconds: number;
}

const WORDS = { schema, whole: 'The policy', member: 'field' } as const;

/** The policy that holds nothing back. */
export const NO_POLICY: Policy = policyOf({ schema: 1 });

/** Finds the faults in the value of a policy, as JSON, each with its JSON Pointer; none if it is a `PolicyDocument`. */
export function policyViolations(value: unknown): Violation[] {
  const found = schemaViolations(validatePolicy, value, WORDS);
  const known = new Set(found.map(({ pointer }) => pointer));
  return [...found, ...rangeViolations(value as JsonValue).filter(({ pointer }) => !known.has(pointer))];
}

/**
 * The policy in a file.
 * @param name of the file
 * @throws AppregError `policy-invalid` (exit 2) with all faults of the file
 */
export function policyIn(content: DocumentContent, name: string): Policy {
  const { value, faults } = readInputFile(content, policyViolations);
  // Without faults, it has the form of the schema.
  if (value !== null) return policyOf(value as unknown as PolicyDocument);
  throw new AppregError(
    'policy-invalid',
    faultText(name, faults),
    message`Correct the file. The fields of a policy are in docs/operators/policies.md and schemas/policy.schema.json.`,
  );
}

/**
 * The policy in a document that has no violations.
 *
 * @param document a value without `policyViolations`
 */
export function policyOf(document: PolicyDocument): Policy {
  const { allow, minimumAge } = document;
  return {
    allow: allow === undefined ? null : selectorsIn(allow),
    deny: selectorsIn(document.deny),
    pin: new Map(Object.entries(document.pin ?? {}).map(([key, range]) => [key, rangeIn(range)])),
    minimumAge: minimumAge === undefined ? null : ageOf(minimumAge),
    minimumAgeExclude: selectorsIn(document.minimumAgeExclude),
    minimumAgeStrict: document.minimumAgeStrict ?? true,
    minimumAgeExcludeSecurityFixes: document.minimumAgeExcludeSecurityFixes ?? false,
    requireAttestation: selectorsIn(document.requireAttestation),
    allowDeprecated: document.allowDeprecated ?? null,
  };
}

function selectorsIn(texts: readonly string[] = []): Selector[] {
  return texts.map((text) => {
    const selector = selectorOf(text);
    if (selector === null) throw new TypeError(`Not a selector: ${text}`);
    return selector;
  });
}

function rangeIn(text: string): VersionRange {
  const range = versionRange(text);
  if (range === null) throw new TypeError(`Not a range: ${text}`);
  return range;
}

const HOUR = 3_600_000;

function ageOf(text: string): Age {
  return { text, milliseconds: Number.parseInt(text, 10) * (text.endsWith('d') ? 24 * HOUR : HOUR) };
}

const SELECTORS = ['allow', 'deny', 'minimumAgeExclude', 'requireAttestation'] as const;

/**
 * Texts that should be a range and are not: the schema cannot express it. Values of other types are left to the schema.
 */
function rangeViolations(value: JsonValue): Violation[] {
  const selectors = SELECTORS.flatMap((field) => {
    const entries = member(value, field);
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((text, index) =>
      typeof text === 'string' && selectorOf(text) === null
        ? notRange(pointerTo(field, index), text.slice(text.indexOf('@') + 1))
        : [],
    );
  });
  const pins = member(value, 'pin');
  const ranges = isObject(pins) ? Object.entries(pins) : [];
  const pinned = ranges.flatMap(([key, text]) =>
    typeof text === 'string' && versionRange(text) === null ? notRange(pointerTo('pin', key), text) : [],
  );
  return [...selectors, ...pinned];
}

function notRange(pointer: string, text: string): Violation {
  const given = safeExcerpt(text.trim(), 80);
  return {
    pointer,
    isAboutName: false,
    message: message`“${given}” in “${pathOf(pointer)}” is not a version range, such as "1.2.0", "^1.2" or "<2.0.0-0".`,
  };
}

/** Selectors of a policy: `clock`, `acme-*`, `clock@<1.2.0`. */

export interface Selector {
  /** As written. */
  text: string;
  /** An app key; `*` matches any characters. */
  key: string;
  /** Null for all versions. */
  range: VersionRange | null;
}

/** @returns null if what follows the `@` is not a range of versions */
function selectorOf(text: string): Selector | null {
  const at = text.indexOf('@');
  if (at < 0) return { text, key: text, range: null };
  const range = versionRange(text.slice(at + 1).trim());
  return range === null ? null : { text, key: text.slice(0, at), range };
}

/**
 * True if a version of an app is selected. A selector without a range also selects an invalid version.
 * @param uncompared whether a range selects a version that is not compared with others (`isComparable`)
 */
export function selects({ key, range }: Selector, app: string, version: string, uncompared: boolean): boolean {
  if (!matchesGlob(key, app)) return false;
  if (range === null || range.includes(version)) return true;
  return uncompared && isSemver(version) && !isComparable(version);
}
