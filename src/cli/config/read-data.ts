import { message } from '../../core/text/message.ts';
import { basename } from 'node:path';
import { AppregError, isAppregError } from '../../core/errors/error.ts';
import { duplicateNames, lineStarts, MAX_DEPTH, positionOf, survey } from '../../core/json/positions.ts';
import { printable, shorten } from '../../core/text/text.ts';
import { isShellPipe, type ReadFailure, readRegularFile, whyNotRegularFile } from '../../platform/regular-file.ts';

/** Reads configurations in JSON. */

/** @throws AppregError `config-unreadable`; `config-missing` if --config names a file that does not exist */
export function configText(path: string, named: boolean): string {
  const read = readRegularFile(path);
  if ('failure' in read) throw notRead(path, named, read);
  const text = decoded(path, read.bytes);
  if (text.trim() === '') throw emptyConfig(path, 'is empty');
  return text;
}

/** Throws for a path that is not a readable file, before it is read: reading a named pipe waits for its writer. */
export function refuseUnreadable(path: string, named: boolean): void {
  const failure = whyNotRegularFile(path);
  if (failure !== null) throw notRead(path, named, failure);
}

/**
 * The text that was read from a file as UTF-8.
 * @throws AppregError if the file is not UTF-8
 */
export function decodedText(path: string, text: string): string {
  // The character that replaces invalid bytes may also be in the file.
  if (text.includes('\ufffd') && !isShellPipe(path)) return configText(path, false);
  return text.replace(/^\ufeff/, '');
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadableConfig(`${printable(path)} is not UTF-8 text.`, error);
  }
}

function notRead(path: string, named: boolean, { failure, code }: ReadFailure): AppregError {
  if (named && code === 'ENOENT')
    return new AppregError(
      'config-missing',
      message`The configuration file ${path} ${failure}.`,
      message`Check the path after --config.`,
    );
  return unreadableConfig(`${printable(path)} ${failure}.`);
}

/** The value of a JSON text. @throws AppregError with the position of a syntax error */
export async function jsonValue(path: string, text: string): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    refuseDuplicates(path, text);
    return value;
  } catch (error) {
    if (isAppregError(error)) throw error;
    // Parser messages differ between Node versions.
    const { syntaxErrorInText } = await import('../../core/json/json.ts');
    const fault = syntaxErrorInText(text);
    if (fault === null) throw error;
    const { line, column } = positionOf(lineStarts(text), fault.offset);
    throw unreadableConfig(`${printable(path)}:${line}:${column}: ${fault.message}`, error);
  }
}

/** Throws for settings with a name twice, of which the first would be ignored. Deep nesting is refused later. */
function refuseDuplicates(path: string, text: string): void {
  if (survey(text, MAX_DEPTH).depth > MAX_DEPTH) return;
  const isPackage = basename(path) === 'package.json';
  // The other fields of a package.json are not settings.
  const [twice] = duplicateNames(text).filter(({ pointer }) => !isPackage || /^\/appreg(?:\/|$)/.test(pointer));
  if (twice === undefined) return;
  const { line, column } = positionOf(lineStarts(text), twice.offset);
  const name = printable(shorten(twice.name, 80));
  throw unreadableConfig(`${printable(path)}:${line}:${column}: The name “${name}” occurs twice in one object.`);
}

/**
 * Whether a package.json has the field `appreg`, which may be of any type. One that cannot be read or parsed counts as
 * one that has it, so that reading it reports the error.
 * @param isSecond true if the folder has another configuration, so that nothing depends on this file
 */
export function hasPackageField(path: string, isSecond: boolean): boolean {
  const read = readRegularFile(path);
  if ('failure' in read) return !isSecond;
  try {
    const value: unknown = JSON.parse(read.bytes.toString('utf8').replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'appreg');
  } catch {
    return !isSecond;
  }
}

export function unreadableConfig(reason: string, cause?: unknown): AppregError {
  return new AppregError(
    'config-unreadable',
    message`The configuration cannot be read: ${reason}`,
    message`Fix the file, or use another one: --config <file>.`,
    { cause },
  );
}

/** @param what the file does instead of containing settings, such as “is empty” */
export function emptyConfig(path: string, what: string): AppregError {
  return new AppregError(
    'config-unreadable',
    message`${path} ${what}, so it contains no configuration.`,
    message`Write {} for a configuration without settings, or remove the file.`,
  );
}
