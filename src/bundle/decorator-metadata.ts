import { dirname } from 'node:path';
import { readRegularFile } from '../platform/regular-file.ts';
import { settingsFor, withExtended } from './compiler-settings.ts';

const SETTING = /"emitDecoratorMetadata"\s*:\s*(true|false)/;
/** A decorator of a class, a member or a parameter. */
const DECORATOR = /(?:^|[(,])[ \t]*(?:export\s+(?:default\s+)?)?@[A-Za-z_$][\w$.]*(?=[\s(]|$)/;
const COMMENT = /^\s*(\/\/|\*|\/\*)/;

/** Code whose decorators get no types from the compiler, and the file with the setting that asks for them. */
export interface DroppedMetadata {
  /** Absolute. */
  settings: string;
  /** Absolute: the first file with a decorator, and its line, from 1. */
  source: string;
  line: number;
}

/**
 * The first decorator to which `emitDecoratorMetadata` applies, which esbuild ignores; null for none.
 * @param sources absolute: the TypeScript files of the app
 */
export function droppedMetadata(sources: readonly string[]): DroppedMetadata | null {
  const byFolder = new Map<string, string | null>();
  for (const source of sources) {
    const folder = dirname(source);
    const settings = byFolder.has(folder) ? (byFolder.get(folder) ?? null) : wantingFile(folder);
    byFolder.set(folder, settings);
    const line = settings === null ? 0 : decoratorLine(source);
    if (settings !== null && line > 0) return { settings, source, line };
  }
  return null;
}

/** The file that turns the setting on for the code of a folder; null if it is off. */
function wantingFile(folder: string): string | null {
  const file = settingsFor(folder);
  const found = file === null ? undefined : withExtended(file).find(({ text }) => SETTING.test(text));
  return found !== undefined && SETTING.exec(found.text)?.[1] === 'true' ? found.path : null;
}

/** From 1; 0 for none. */
function decoratorLine(source: string): number {
  const read = readRegularFile(source);
  if (!('bytes' in read)) return 0;
  const lines = read.bytes.toString().split('\n');
  return lines.findIndex((line) => DECORATOR.test(line) && !COMMENT.test(line)) + 1;
}
