import { isObject, type JsonValue, member } from '../../core/json/json.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { decodeText } from './license-text.ts';
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
export interface LicenseTexts {
  texts: LicenseText[];
  unreadable: { file: string; failure: string }[];
}

/** Names of license texts, with a suffix such as `.md`, `-MIT` or `.APACHE2`. */
const LICENSE = /^(?:(?:mit|bsd|isc|apache)[-_.])?(?:un)?licen[cs]e(?:s(?:\/.+)?)?(?:[-_. ].*)?$/i;
const COPYING = /^copy(?:ing|right)(?:[-_. ].*)?$/i;
/** Section 4(d) of the Apache License 2.0 requires copies of it. */
const NOTICE = /^notices?(?:[-_. ].*)?$/i;
const APACHE = /apache/i;
/** Code and data whose name begins like that of a license text. */
const NOT_A_TEXT =
  /\.(?:[cm]?[jt]sx?|json5?|map|css|s[ac]ss|wasm|node|png|jpe?g|gif|svg|vue|svelte|astro|py|rb|sh|go|rs|ya?ml|toml|xml|spdx|pdf|docx?|asc|sig|gz|zip)$/i;
/** The value that npm documents for a license without an SPDX identifier. */
const SEE_LICENSE = /^see licen[cs]e in (\S.*)$/i;

/** Reads the license texts of a package, and its notices if its license may be Apache-2.0. */
export function licenseTexts(files: PackageFiles, license: string | null): LicenseTexts {
  const named = SEE_LICENSE.exec(license ?? '')?.[1]?.replace(/^\.\//, '');
  const isWanted = (name: string): boolean =>
    !NOT_A_TEXT.test(name) &&
    (LICENSE.test(name) || COPYING.test(name) || (APACHE.test(license ?? '') && NOTICE.test(name)));
  const names = files.names.filter(isWanted);
  if (named !== undefined && !names.includes(named)) names.unshift(named);
  const found: LicenseTexts = { texts: [], unreadable: [] };
  for (const file of names) {
    const read = files.read(file);
    const text = 'failure' in read ? null : decodeText(read.bytes);
    if (text === '') continue;
    if (text !== null) found.texts.push({ file, text });
    else found.unreadable.push({ file, failure: 'failure' in read ? read.failure : 'is not a text' });
  }
  return found;
}
