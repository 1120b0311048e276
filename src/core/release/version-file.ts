import { faultText, syntaxFaultOf } from '../json/input-file.ts';
import { documentContent, isObject, type JsonValue, member, parseDocument } from '../json/json.ts';
import { pointerTo } from '../json/pointer.ts';
import { locate } from '../json/positions.ts';
import { utfOf } from '../text/utf.ts';
import { isSemver, likelyVersion } from '../registry/version.ts';
import { message, type SafeText } from '../text/message.ts';
import { printable, safeExcerpt } from '../text/text.ts';

/** The file in which an app declares its version: JSON with a member `version`, or a text with one version. */

/** Fault of the folder or the files of an app, with advice. */
export interface AppProblem {
  message: SafeText;
  advice: SafeText;
}

/** A version, and where it is in the file. */
export interface DeclaredVersion {
  version: string;
  /** The whole text, with its byte order mark. */
  text: string;
  /** Offsets of the version in the text, without quotes. */
  start: number;
  end: number;
}

const BYTE_ORDER_MARK = 0xfeff;
const FORM = message`Write one version, such as 1.2.0.`;

/**
 * Reads the declared version. A byte order mark, CRLF and blank lines are tolerated.
 * @param file the name in messages; a name that ends in .json is JSON
 */
export function declaredVersion(file: string, bytes: Uint8Array): DeclaredVersion | AppProblem {
  const name = printable(file);
  const { text } = documentContent(bytes);
  if (text === null)
    return {
      message: message`${name} is not UTF-8, but ${utfOf(bytes) ?? 'binary data'}.`,
      advice: message`Save it as UTF-8.`,
    };
  return isJsonFile(file) ? versionInJson(name, text) : versionInText(name, text);
}

/** True for a problem, as opposed to a version. */
export function isProblem(found: object): found is AppProblem {
  return 'message' in found;
}

/** The file with another version; everything else stays as it is, byte for byte. */
export function withVersion({ text, start, end }: DeclaredVersion, version: string): string {
  return text.slice(0, start) + version + text.slice(end);
}

function isJsonFile(file: string): boolean {
  return /\.json$/i.test(file);
}

function versionInText(name: string, text: string): DeclaredVersion | AppProblem {
  const lines = [...text.matchAll(/[^\r\n]+/g)]
    .map(({ 0: line, index }) => (index === 0 && hasMark(text) ? { line: line.slice(1), index: 1 } : { line, index }))
    .filter(({ line }) => line.trim() !== '');
  const [first, ...others] = lines;
  if (first === undefined) return { message: message`${name} is empty.`, advice: FORM };
  if (others.length > 0)
    return { message: message`${name} has ${lines.length} lines of text instead of one version.`, advice: FORM };
  const { line, index } = first;
  return isSemver(line)
    ? { version: line, text, start: index, end: index + line.length }
    : notAVersion(name, 'contains', line);
}

function versionInJson(name: string, text: string): DeclaredVersion | AppProblem {
  const json = hasMark(text) ? text.slice(1) : text;
  const content = { text: json, base64: null, bytes: json.length, cut: false };
  const { value, duplicates } = parseDocument(content);
  const syntaxFault = syntaxFaultOf(content);
  if (syntaxFault !== null) return { message: faultText(name, [syntaxFault]), advice: message`Fix the file.` };
  if (!isObject(value))
    return { message: message`${name} is not a JSON object.`, advice: message`Add "version": "1.0.0" to it.` };
  if (duplicates.some(({ pointer }) => pointer === '/version'))
    return { message: message`${name} has "version" twice.`, advice: message`Remove one of them.` };
  if (!Object.hasOwn(value, 'version'))
    return { message: message`${name} has no "version".`, advice: message`Add "version": "1.0.0" to it.` };
  const version = value['version'];
  if (typeof version !== 'string')
    return {
      message: message`"version" in ${name} is ${kindOf(version)}, not a string.`,
      advice:
        typeof version === 'number'
          ? message`Write it as a string: "${likelyVersion(String(version)) ?? '1.0.0'}"`
          : FORM,
    };
  if (!isSemver(version)) return notAVersion(name, 'has the version', version);
  const span = locate(json, ['/version']).get('/version');
  if (span === undefined) throw new Error(`"version" in ${name} has no position`);
  const shift = text.length - json.length;
  return { version, text, start: span.start + 1 + shift, end: span.end - 1 + shift };
}

function kindOf(value: JsonValue | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : `the ${typeof value} ${String(value)}`;
}

function hasMark(text: string): boolean {
  return text.charCodeAt(0) === BYTE_ORDER_MARK;
}

function notAVersion(name: string, verb: string, found: string): AppProblem {
  const meant = likelyVersion(found);
  return {
    message: message`${name} ${verb} “${safeExcerpt(found, 80)}”, which is not a semantic version.`,
    advice: meant === null ? FORM : message`Write it as ${meant}`,
  };
}

/** The lock files of npm: they repeat the version of the package beside them, and those of its workspaces. */

export const PACKAGE_LOCKS = ['npm-shrinkwrap.json', 'package-lock.json'] as const;

/**
 * The lock file with another version of a package, as `npm version` writes it; everything else stays as it is, byte for
 * byte.
 * @param folder of the package, relative to the lock file and with slashes; '' if it is beside it
 * @returns null if the file does not list the package
 */
export function withPackageVersion(bytes: Uint8Array, folder: string, version: string): string | null {
  const content = documentContent(bytes);
  const { text } = content;
  const { value } = parseDocument(content);
  if (text === null || value === undefined) return null;
  const spans = [...locate(text, versionsOf(value, folder)).values()];
  if (spans.length === 0) return null;
  let after = text;
  // From the end, so that the other offsets stay valid.
  for (const { start, end } of spans.toSorted((a, b) => b.start - a.start))
    after = after.slice(0, start) + JSON.stringify(version) + after.slice(end);
  return after;
}

/** The pointers to the version of a package; lock files before version 2 have no `packages`. */
function versionsOf(lock: JsonValue, folder: string): string[] {
  const own = member(member(lock, 'packages'), folder);
  return [
    ...(folder === '' && typeof member(lock, 'version') === 'string' ? [pointerTo('version')] : []),
    ...(typeof member(own, 'version') === 'string' ? [pointerTo('packages', folder, 'version')] : []),
  ];
}
