import { type Named, namedAt } from '../json/positions.ts';

/**
 * Recognizes documents in canonical form by regular expressions on their text: programs write all entries alike. A
 * canonical entry has every field of the format once and no other, plain texts, plain versions, checksums of 64 digits,
 * https URLs with nothing to normalize. Several times as fast as inspecting each value. It reports nothing: everything
 * else is left to the rules, and tests verify that no rule reports a canonical entry.
 */

const S = '[ \\t\\n\\r]*';
const pair = (name: string, value: string): string => `"${name}"${S}:${S}${value}`;
/** Members in any order. Whether one is repeated in place of another is checked on the value (json.ts). */
const members = (count: number, ...each: readonly string[]): string => {
  const one = `(?:${each.join('|')})`;
  return `\\{${S}${one}(?:${S},${S}${one}){${count - 1}}${S}\\}`;
};

/** With a dot. Whether it is a host in canonical form is checked on the value, where equal ones are checked once. */
const HOST = '[a-z0-9-]+\\.[a-z0-9.-]+(?::[0-9]+)?';
/** Not the beginning of a JSON Web Token, which may have an expiry. */
const SEGMENT = '(?!eyJ)[A-Za-z0-9_~-][A-Za-z0-9._~-]*';
const url = (suffix: string): string => `"https://${HOST}/(?:${SEGMENT}/)*${SEGMENT}${suffix}"`;
/** Short enough that three of them fit exactly into one number. */
const NUMBER = '(?:0|[1-9][0-9]{0,4})';

const VERSION_ENTRY = members(
  3,
  pair('version', `"${NUMBER}\\.${NUMBER}\\.${NUMBER}"`),
  pair('artifactUrl', url('\\.(?:tar\\.gz|tgz)')),
  pair('artifactChecksum', '"sha256:[0-9a-f]{64}"'),
);

/** Begins with a visible character, and contains no invisible one. */
const TEXT =
  '"[!#-\\[\\]-~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0386-\\u03ff\\u0400-\\u0481\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3]' +
  '[^"\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb]*"';
/** A safe key of usual length; possible device names are left to their rule. */
const KEY = '"(?![CcPpAaNnLl][OoRrUuPp][NnXxLlMmTt][0-9]?")[A-Za-z0-9][A-Za-z0-9_-]{0,63}"';
const APP_ENTRY = members(
  4,
  pair('name', TEXT),
  pair('description', TEXT),
  pair('blockStyle', members(2, pair('iconUrl', url('\\.(?:svg|png)')), pair('color', '"#[0-9a-fA-F]{6}"'))),
  pair('appMetadataUrl', url('')),
);

const SCHEMA = `(?:${pair('\\$schema', '"[ !#-\\[\\]-~]*"')}${S},${S})?`;
const VERSIONS = new RegExp(`${S}\\{${S}${SCHEMA}"versions"${S}:${S}\\[`, 'y');
const VERSION = new RegExp(`${S}${VERSION_ENTRY}${S},?`, 'y');
const END_OF_VERSIONS = new RegExp(`${S}\\]${S}\\}${S}$`, 'y');
const APPS = new RegExp(`${S}\\{${S}${SCHEMA}"apps"${S}:${S}\\{`, 'y');
const APP = new RegExp(`${S}${KEY}${S}:${S}${APP_ENTRY}${S},?`, 'y');
const END_OF_APPS = new RegExp(`${S}\\}${S}\\}${S}$`, 'y');

/** The offset after the match of a sticky expression at `i`, or -1. */
function endOfMatch(expression: RegExp, text: string, i: number): number {
  expression.lastIndex = i;
  return expression.test(text) ? expression.lastIndex : -1;
}

/** Beyond this number of non-canonical entries, and a quarter of all, separating them costs more than it saves. */
const MAX_NON_CANONICAL = 1000;

/** How much of a document is in canonical form. */
export interface CanonicalForm {
  field: 'versions' | 'apps';
  /** The number of all entries. */
  count: number;
  /** The non-canonical entries; only apps may have them. */
  others: readonly Named[];
}

/**
 * The form of a text, provided that it is JSON; null if the document as a whole is not canonical. Repeated names
 * and hosts are only checked on the value.
 */
export function canonicalForm(text: string): CanonicalForm | null {
  const versions = endOfMatch(VERSIONS, text, 0);
  if (versions !== -1) return formOfVersions(text, versions);
  const apps = endOfMatch(APPS, text, 0);
  return apps === -1 ? null : formOfApps(text, apps);
}

function formOfVersions(text: string, i: number): CanonicalForm | null {
  let count = 0;
  for (let next = endOfMatch(VERSION, text, i); next !== -1; next = endOfMatch(VERSION, text, i)) {
    i = next;
    count++;
  }
  return count === 0 || endOfMatch(END_OF_VERSIONS, text, i) === -1 ? null : { field: 'versions', count, others: [] };
}

function formOfApps(text: string, i: number): CanonicalForm | null {
  const others: Named[] = [];
  for (let count = 0; ; count++) {
    const next = endOfMatch(APP, text, i);
    if (next !== -1) i = next;
    else {
      const other = namedAt(text, i);
      if (other === null) return endOfMatch(END_OF_APPS, text, i) === -1 ? null : { field: 'apps', count, others };
      others.push(other);
      if (others.length > MAX_NON_CANONICAL && others.length > count / 4) return null;
      i = other.next;
    }
  }
}
