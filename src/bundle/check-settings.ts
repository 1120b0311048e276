import { AppregError } from '../core/errors/error.ts';
import { type BuildSettings, placeOf } from '../core/release/build-settings.ts';
import { message, type SafeText } from '../core/text/message.ts';
import type { BundleOptions } from './options.ts';

/** Names of files that the compiler compiles, whatever `loader` says of their contents. */
const COMPILED = /^\.(?:[cm]?[jt]sx?|json|css|node)$/;
const SUFFIX = /^\.[\w-]+(?:\.[\w-]+)*$/;
const NAME = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
const KINDS = ['text', 'bytes', 'file'];

/** Checks the values that the compiler would refuse without saying where they are written. @throws AppregError */
export function checkSettings({ loader = {}, define = {}, conditions = [], places }: BundleOptions): void {
  for (const [suffix, kind] of Object.entries(loader)) {
    const place = placeOf(places, 'loader', suffix);
    if (!SUFFIX.test(suffix) || COMPILED.test(suffix))
      throw invalid(message`${place} has “${suffix}”, which is not the end of a name that can be embedded.`, LOADER);
    if (!KINDS.includes(kind))
      throw invalid(message`${place} has “${kind}” for ${suffix}, which is not a form.`, LOADER);
  }
  for (const [name, value] of Object.entries(define)) {
    const place = placeOf(places, 'define', name);
    if (!NAME.test(name)) throw invalid(message`${place} has “${name}”, which is not a name in code.`, DEFINE);
    if (!isReplacement(value))
      throw invalid(message`${place} replaces ${name} by “${value}”, which is neither JSON nor a name.`, DEFINE);
  }
  for (const [index, name] of conditions.entries())
    if (!/^[^\s,]+$/.test(name))
      throw invalid(
        message`${placeOf(places, 'conditions', index)} has “${name}”, which is not the name of a condition.`,
        message`Write one name, such as production.`,
      );
}

const LOADER: SafeText = message`Write a suffix such as .sql, and one of text, bytes and file. Code, JSON and CSS are compiled.`;
const DEFINE: SafeText = message`Write a name such as process.env.MODE, and JSON: a text has double quotes, as in "\\"production\\"".`;

function isReplacement(value: string): boolean {
  if (NAME.test(value)) return true;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function invalid(summary: SafeText, advice: SafeText): AppregError {
  return new AppregError('option-invalid', summary, advice);
}

/** The loaders of esbuild for `loader`. */
export function loadersOf(loader: BuildSettings['loader'] = {}): Record<string, 'text' | 'binary' | 'file'> {
  return Object.fromEntries(
    Object.entries(loader).map(([suffix, kind]) => [suffix, kind === 'bytes' ? 'binary' : kind]),
  );
}
