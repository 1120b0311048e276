import { basename } from 'node:path';
import { AppregError } from '../../core/errors.ts';
import { lineStarts, positionOf } from '../../core/json/positions.ts';
import { printable } from '../../core/text/text.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

/** Reads configurations in JSON. */

/** @throws AppregError `config-unreadable`; `config-missing` if --config names a file that does not exist */
export function configText(path: string, named: boolean): string {
  const read = readRegularFile(path);
  if ('failure' in read) {
    if (named && read.code === 'ENOENT')
      throw new AppregError(
        'config-missing',
        `The configuration file ${printable(path)} ${read.failure}.`,
        'Check the path after --config.',
      );
    throw unreadableConfig(`${printable(path)} ${read.failure}.`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
  } catch (error) {
    throw unreadableConfig(`${printable(path)} is not UTF-8 text.`, error);
  }
  if (text.trim() === '' && basename(path) !== 'package.json') throw emptyConfig(path, 'is empty');
  return text;
}

/** The value of a JSON text. @throws AppregError with the position of a syntax error */
export async function jsonValue(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Parser messages differ between Node versions.
    const { syntaxErrorInText } = await import('../../core/json/syntax-error.ts');
    const fault = syntaxErrorInText(text);
    if (fault === null) throw error;
    const { line, column } = positionOf(lineStarts(text), fault.offset);
    throw unreadableConfig(`${printable(path)}:${line}:${column}: ${fault.message}`, error);
  }
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
    `The configuration cannot be read: ${reason}`,
    'Fix the file, or use another one: --config <file>.',
    { cause },
  );
}

/** @param what the file does instead of containing settings, such as “is empty” */
export function emptyConfig(path: string, what: string): AppregError {
  return new AppregError(
    'config-unreadable',
    `${printable(path)} ${what}, so it contains no configuration.`,
    'Write {} for a configuration without settings, or remove the file.',
  );
}
