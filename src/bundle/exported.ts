import type { Metafile } from 'esbuild';
import { message, type SafeText } from '../core/text/message.ts';

/** The exports of compiled code, as the compiler knows them. */
export interface Exported {
  /** Null if they include those of a module that is not in the code (`export * from`). */
  names: readonly string[] | null;
  /** False for code of which nothing is left. */
  hasCode: boolean;
  /** True if the entry point is a CommonJS module, of which esbuild exports `default`. */
  isCommonJs: boolean;
}

const ALL_OF_MODULE = /(?:^|[;}])export ?\* ?from\b/m;

/** @param code of the only output that has exports */
export function exportedBy({ inputs, outputs }: Metafile, code: string): Exported {
  const output = Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined);
  return {
    names: ALL_OF_MODULE.test(code) ? null : (output?.exports ?? []),
    hasCode: Object.values(output?.inputs ?? {}).some(({ bytesInOutput }) => bytesInOutput > 0),
    isCommonJs: inputs[output?.entryPoint ?? '']?.format === 'cjs',
  };
}

/**
 * A warning about code that exports no app; null for none.
 * @param file of the archive
 * @param entry the entry point, for messages
 */
export function exportWarning(exported: Exported, file: string, entry: string): SafeText | null {
  const { names, hasCode, isCommonJs } = exported;
  if (names === null) return null;
  if (!hasCode) return message`${file} is empty: ${entry} exports nothing, and runs no code; export the app from it`;
  if (names.length === 0) return message`${file} exports nothing; export the app from ${entry}`;
  if (isCommonJs)
    return message`${file} exports only default, since ${entry} is a CommonJS module; write export in place of module.exports to export names`;
  return null;
}
