import { type Named, namedAt } from '../json/positions.ts';

/**
 * Documents as nearly all are, told by regular expressions on their text: whoever writes entries with a program writes
 * them alike. An entry of the usual form has every field of the format once and no other, plain texts, plain versions,
 * checksums of 64 digits, https URLs with nothing to normalise. Several times as fast as to look at each value. It
 * judges nothing: what is not of this form is left to the rules, and tests hold each of them to silence about the rest.
 */

const S = '[ \\t\\n\\r]*';
const pair = (name: string, value: string): string => `"${name}"${S}:${S}${value}`;
/** Members in any order. Whether one stands twice in place of another is seen from the value. */
const members = (count: number, ...each: readonly string[]): string => {
  const one = `(?:${each.join('|')})`;
  return `\\{${S}${one}(?:${S},${S}${one}){${count - 1}}${S}\\}`;
};

const LABEL = '(?!xn--)[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?';
/** Two to four labels, the last of which begins with a letter: no address, no port. */
const HOST = `(?:${LABEL}\\.){1,3}(?!xn--)[a-z](?:[a-z0-9-]{0,60}[a-z0-9])?`;
const SEGMENT = '[A-Za-z0-9_~-][A-Za-z0-9._~-]*';
const url = (suffix: string): string => `"https://${HOST}/(?:${SEGMENT}/)*${SEGMENT}${suffix}"`;
/** So short that three of them are one exact number. */
const NUMBER = '(?:0|[1-9][0-9]{0,4})';

const VERSION_ENTRY = members(
  3,
  pair('version', `"${NUMBER}\\.${NUMBER}\\.${NUMBER}"`),
  pair('artifactUrl', url('\\.(?:tar\\.gz|tgz)')),
  pair('artifactChecksum', '"sha256:[0-9a-f]{64}"'),
);

/** Begins with something that can be seen, and holds nothing that cannot. */
const TEXT =
  '"[!#-\\[\\]-~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0386-\\u03ff\\u0400-\\u0481\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3]' +
  '[^"\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb]*"';
/** A safe key of usual length; what may be a device's name is left to its rule. */
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

/** The offset behind what a sticky expression matches at `i`, or -1. */
function behind(expression: RegExp, text: string, i: number): number {
  expression.lastIndex = i;
  return expression.test(text) ? expression.lastIndex : -1;
}

/** Beyond so many entries of another form, and a quarter of all, it costs more to tell them apart than it spares. */
const SOME = 1000;

/** How much of a document is of the usual form. */
export interface CanonicalForm {
  field: 'versions' | 'apps';
  /** Of all entries. */
  count: number;
  /** The entries of another form; only apps may have them. */
  others: readonly Named[];
}

/**
 * The form of a text, if it is JSON at all; null where the document as a whole is of another. A name that stands twice
 * is seen from the value alone.
 */
export function canonicalForm(text: string): CanonicalForm | null {
  const versions = behind(VERSIONS, text, 0);
  if (versions !== -1) return usualVersions(text, versions);
  const apps = behind(APPS, text, 0);
  return apps === -1 ? null : usualApps(text, apps);
}

function usualVersions(text: string, i: number): CanonicalForm | null {
  let count = 0;
  for (let next = behind(VERSION, text, i); next !== -1; next = behind(VERSION, text, i)) {
    i = next;
    count++;
  }
  return count === 0 || behind(END_OF_VERSIONS, text, i) === -1 ? null : { field: 'versions', count, others: [] };
}

function usualApps(text: string, i: number): CanonicalForm | null {
  const others: Named[] = [];
  for (let count = 0; ; count++) {
    const next = behind(APP, text, i);
    if (next !== -1) i = next;
    else {
      const other = namedAt(text, i);
      if (other === null) return behind(END_OF_APPS, text, i) === -1 ? null : { field: 'apps', count, others };
      others.push(other);
      if (others.length > SOME && others.length > count / 4) return null;
      i = other.next;
    }
  }
}
