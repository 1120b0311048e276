import { isObject, type JsonValue, member } from '../../core/json/json.ts';
import { utfOf } from '../../core/text/utf.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import type { PackageFiles } from './package-files.ts';

/** The license of a package: what its package.json declares, and the texts that it contains. */

/** The longest license that is shown; expressions of real packages are shorter. */
const LONGEST = 300;

/**
 * The license that a package.json declares: an SPDX expression, or what else it says; null for none. The forms of
 * earlier versions of npm are `{ "type": "MIT" }` and a list, in which the user may choose.
 */
export function declaredLicense(manifest: JsonValue | undefined): string | null {
  const names = [member(manifest, 'license'), member(manifest, 'licenses')].flatMap(namesIn);
  const [first, ...others] = [...new Set(names)];
  if (first === undefined) return null;
  return others.length === 0 ? first : `(${[first, ...others].join(' OR ')})`;
}

function namesIn(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  const name = isObject(value) ? member(value, 'type') : value;
  const text = typeof name === 'string' ? safeExcerpt(name.trim(), LONGEST) : '';
  return text === '' ? [] : [text];
}

/** A text of a package, normalized, with the name of its file. */
export interface LicenseText {
  file: string;
  text: string;
}

/** The texts of a package, and the files that could not be read, with the reason. */
interface LicenseTexts {
  texts: LicenseText[];
  /** True if one of them is the license of the package itself, and not only of code that it contains. */
  hasLicense: boolean;
  unreadable: { file: string; failure: string }[];
}

/** Names of license texts, with a suffix such as `.md`, `-MIT` or `.APACHE2`. */
const LICENSE = /^(?:(?:mit|bsd|isc|apache)[-_.])?(?:un)?licen[cs]e(?:s(?:\/.+)?)?(?:[-_. ].*)?$/i;
const COPYING = /^copy(?:ing|right)(?:[-_. ].*)?$/i;
/** Notices that the Apache License 2.0 requires to be passed on (section 4(d)), and that other packages have as well. */
const NOTICE = /^notices?(?:[-_. ].*)?$/i;
/** Licenses of code that a package contains, such as ThirdPartyNoticeText.txt. */
const THIRD_PARTY = /^(?:third|3rd)[-_. ]?party[-_. ]?(?:licen[cs]e|notice)\w*(?:[-_. ].*)?$/i;
/** Licenses of the code in a file, beside it, as webpack writes them. */
const OF_CODE = /\.[cm]?js\.licen[cs]e\.txt$/i;
/** Code and data whose name begins like that of a license text. */
const NOT_A_TEXT =
  /\.(?:[cm]?[jt]sx?|json5?|map|css|s[ac]ss|wasm|node|png|jpe?g|gif|svg|vue|svelte|astro|py|rb|sh|go|rs|ya?ml|toml|xml|spdx|pdf|docx?|asc|sig|gz|zip)$/i;
/** The value that npm documents for a license without an SPDX identifier. */
const SEE_LICENSE = /^see licen[cs]e in (\S.*)$/i;

/** Reads the license texts and notices of a package, and of the code that it contains. */
export function licenseTexts(files: PackageFiles, license: string | null): LicenseTexts {
  const named = SEE_LICENSE.exec(license ?? '')?.[1]?.replace(/^\.\//, '');
  const names = files.names.filter((path) => isText(nameOf(path)));
  if (named !== undefined && !names.includes(named)) names.unshift(named);
  const found: LicenseTexts = { texts: [], hasLicense: false, unreadable: [] };
  for (const file of names) {
    const read = files.read(file);
    const text = 'failure' in read ? null : decodeText(read.bytes);
    if (text === '') continue;
    if (text === null) {
      found.unreadable.push({ file, failure: 'failure' in read ? read.failure : 'is not a text' });
      continue;
    }
    found.texts.push({ file, text });
    found.hasLicense ||= file === named || (nameOf(file) === file && isLicense(file));
  }
  return found;
}

/** The name of a file, with that of a folder `LICENSES` before it. */
function nameOf(path: string): string {
  return /(?:(?<=^|\/)licenses\/)?[^/]*$/i.exec(path)?.[0] ?? path;
}

function isLicense(name: string): boolean {
  return LICENSE.test(name) || COPYING.test(name);
}

function isText(name: string): boolean {
  if (OF_CODE.test(name)) return true;
  return !NOT_A_TEXT.test(name) && (isLicense(name) || NOTICE.test(name) || THIRD_PARTY.test(name));
}

/** Control, formatting and surrogate characters, which could change how a text is displayed; all but the tab. */
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The text of a file: in Unicode, without a byte order mark, with line feeds as line ends, without white space at the
 * end of lines and empty lines around it; control characters are shown as `\u{1b}`. Null for a file that is not a text.
 */
function decodeText(bytes: Uint8Array): string | null {
  const text = unicodeText(bytes);
  return text === null || text.includes('\0') ? null : normalizedText(text);
}

/** A text as it is shown, as `decodeText` describes it. */
export function normalizedText(text: string): string {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => shownLine(line).trimEnd());
  return lines.join('\n').replace(/^\n+/, '').trimEnd();
}

/** Form feeds separate the pages of the GNU licenses. */
function shownLine(line: string): string {
  return line.replaceAll('\f', '').replace(INVISIBLE, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Null for an encoding that is not supported. A file that is not Unicode is from an old editor of Windows. */
function unicodeText(bytes: Uint8Array): string | null {
  const utf = utfOf(bytes);
  if (utf !== null)
    return utf.startsWith('UTF-16') ? decode(bytes, utf.includes('big') ? 'utf-16be' : 'utf-16le') : null;
  return decode(bytes, 'utf-8') ?? decode(bytes, 'windows-1252');
}

/** Null for bytes that are invalid in the encoding. */
function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
