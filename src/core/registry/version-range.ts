import { comparePrecedence, isSemver } from './version.ts';

/**
 * Ranges of semantic versions, as npm writes them (https://github.com/npm/node-semver#ranges), with pre-releases: each is
 * in a range by its precedence alone. Own implementation, since the semver package refuses versions with numbers above
 * 2^53: no range would include them, so that a range of refused versions would let them pass.
 */

/** A range of semantic versions. */
export interface VersionRange {
  /** As written. */
  text: string;
  includes(version: string): boolean;
}

/** One end of a range. */
interface Bound {
  operator: '>=' | '>' | '<' | '<=' | '=';
  version: string;
}

const NUMBER = '(?:0|[1-9]\\d*)';
const PART = `(?:${NUMBER}|[xX*])`;
const PARTIAL = `v?(${PART})(?:\\.(${PART})(?:\\.(${PART})(-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?)?)?`;
const HYPHEN = new RegExp(`^${PARTIAL}\\s+-\\s+${PARTIAL}$`);
const SIMPLE = new RegExp(`^(\\^|~>?|>=|<=|>|<|=)?${PARTIAL}$`);
const OPERATOR_AND_SPACE = /(\^|~>?|>=|<=|>|<|=)\s+/g;
/** A longer text is refused. */
const LONGEST = 256;

/**
 * The range that a text describes, such as `1.2.0`, `<1.2.0`, `^1.2`, `1.x`, `1.2 - 1.4` or `>=1.2 <1.4 || 2.x`.
 * @returns null if it is not a range, or a blank text
 */
export function versionRange(text: string): VersionRange | null {
  if (text.length > LONGEST) return null;
  const alternatives = text.split('||').map((one) => boundsOf(one.trim()));
  if (alternatives.some((one) => one === null)) return null;
  const includes = (version: string): boolean =>
    isSemver(version) && alternatives.some((bounds) => bounds?.every((bound) => isWithin(version, bound)));
  return { text, includes };
}

/** The exact version that a range consists of; null for any other range. */
export function onlyVersionOf({ text }: VersionRange): string | null {
  const version = text.trim().replace(/^=\s*/, '');
  return isSemver(version) ? version : null;
}

function isWithin(version: string, { operator, version: limit }: Bound): boolean {
  const order = comparePrecedence(version, limit);
  if (operator === '=') return order === 0;
  if (operator === '<' || operator === '>') return operator === '<' ? order < 0 : order > 0;
  return operator === '<=' ? order <= 0 : order >= 0;
}

/** The bounds that all have to hold; null if the text is not one range. */
function boundsOf(text: string): Bound[] | null {
  if (text === '') return null;
  const hyphen = HYPHEN.exec(text);
  if (hyphen !== null) {
    const [from, to] = [partialOf(hyphen.slice(1, 5)), partialOf(hyphen.slice(5, 9))];
    return from === null || to === null ? null : [...atLeast(from), ...atMost(to)];
  }
  const parts = text.replace(OPERATOR_AND_SPACE, '$1').split(/\s+/);
  const bounds = parts.map(simpleBounds);
  return bounds.every((one) => one !== null) ? bounds.flat() : null;
}

function simpleBounds(text: string): Bound[] | null {
  const [, operator = '', ...parts] = SIMPLE.exec(text) ?? [];
  const partial = parts.length === 0 ? null : partialOf(parts);
  if (partial === null) return null;
  if (operator === '^') return [...atLeast(partial), ...below(afterCaret(partial))];
  if (operator.startsWith('~')) return [...atLeast(partial), ...below(afterTilde(partial))];
  if (operator === '>=') return atLeast(partial);
  if (operator === '<=') return atMost(partial);
  if (operator === '<') return partial.length === 0 ? NOTHING : [{ operator, version: lowest(partial) }];
  if (operator === '>') return above(partial);
  return isWhole(partial)
    ? [{ operator: '=', version: lowest(partial) }]
    : [...atLeast(partial), ...below(afterTilde(partial))];
}

/**
 * The numbers of a version up to the first one that is left out, and its pre-release: none for `*`, one for `1.x`, three
 * or four for a whole version.
 */
type Prefix = readonly string[];

/** @param parts three numbers and a pre-release; undefined or `x` if left out; null if a number follows one left out */
function partialOf(parts: readonly (string | undefined)[]): Prefix | null {
  const [pre] = parts.slice(3);
  const numbers = parts.slice(0, 3).map((part) => (part === undefined || /^[xX*]$/.test(part) ? undefined : part));
  const end = numbers.includes(undefined) ? numbers.indexOf(undefined) : 3;
  if (numbers.slice(end).some((part) => part !== undefined)) return null;
  const given = numbers.slice(0, end).flatMap((part) => part ?? []);
  if (pre === undefined) return given;
  return end === 3 && isSemver(`${given.join('.')}${pre}`) ? [...given, pre] : null;
}

function isWhole(partial: Prefix): boolean {
  return partial.length >= 3;
}

/** The lowest version of a partial one, including pre-releases: `1.2` → `1.2.0-0`. */
function lowest(partial: Prefix): string {
  const [major = '0', minor = '0', patch = '0', pre = isWhole(partial) ? '' : '-0'] = partial;
  return `${major}.${minor}.${patch}${pre}`;
}

const NOTHING: Bound[] = [{ operator: '<', version: '0.0.0-0' }];

function atLeast(partial: Prefix): Bound[] {
  return [{ operator: '>=', version: lowest(partial) }];
}

function atMost(partial: Prefix): Bound[] {
  return isWhole(partial) ? [{ operator: '<=', version: lowest(partial) }] : below(afterTilde(partial));
}

function above(partial: Prefix): Bound[] {
  if (isWhole(partial)) return [{ operator: '>', version: lowest(partial) }];
  const end = afterTilde(partial);
  return end === null ? NOTHING : [{ operator: '>=', version: end }];
}

function below(version: string | null): Bound[] {
  return version === null ? [] : [{ operator: '<', version }];
}

/** The end of `~1.2.3`, `~1.2` and `1.2.x`; of `~1` and `1.x`: the next major version. Null for `*`. */
function afterTilde([major, minor]: Prefix): string | null {
  if (major === undefined) return null;
  return minor === undefined ? `${next(major)}.0.0-0` : `${major}.${next(minor)}.0-0`;
}

/** The end of `^1.2.3`: where the first number that is not 0 changes. */
function afterCaret([major, minor, patch]: Prefix): string | null {
  if (major === undefined) return null;
  if (major !== '0' || minor === undefined) return `${next(major)}.0.0-0`;
  return minor !== '0' || patch === undefined ? `0.${next(minor)}.0-0` : `0.0.${next(patch)}-0`;
}

function next(digits: string): string {
  return String(BigInt(digits) + 1n);
}
