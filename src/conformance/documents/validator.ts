import { basename, dirname } from 'node:path';
import { isObject, type JsonValue } from '../../core/json/values.ts';
import { message, type SafeText } from '../../core/text/message.ts';
import { runCommand } from '../command.ts';
import type { DocumentKind } from './case.ts';

/** A fault that a validator reports: where, as a JSON Pointer, and how severe it is. */
export interface ReportedFault {
  pointer: string;
  severity: 'error' | 'warning';
}

/** What a validator says about a document. */
export type Answer =
  | {
      accepted: boolean;
      /** Null if the validator does not say where faults are. */
      faults: readonly ReportedFault[] | null;
    }
  | { failure: SafeText };

/** @param path of the document, whose name is `manifest.json` or `metadata.json` */
export type Validator = (path: string, kind: DocumentKind) => Promise<Answer>;

/** Milliseconds until a validator is ended. */
const TIMEOUT = 30_000;

/**
 * A program as a validator: its last argument is the path of the document. It exits with 0 to accept it and with 1 to
 * reject it, and may print `{ "faults": [{ "pointer", "severity" }] }`.
 */
export function commandValidator(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Validator {
  return async (path) => {
    const { code, signal, stdout, stderr, stopped } = await runCommand([...words, path], {
      cwd,
      env,
      timeout: TIMEOUT,
    });
    if (stopped === 'timeout') return { failure: message`The validator did not end within ${TIMEOUT / 1000} seconds.` };
    if (stopped === 'output') return { failure: message`The validator printed more than 16 MB.` };
    if (code !== 0 && code !== 1) {
      const ending = code === null ? `was ended by ${signal ?? 'a signal'}` : `exited with ${code}, not 0 or 1`;
      return { failure: message`The validator ${ending}. ${withoutPath(stderr, path)}` };
    }
    return { accepted: code === 0, faults: faultsIn(stdout) };
  };
}

/** The last line of the errors, without the folder of the kit. */
function withoutPath(stderr: string, path: string): string {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last.replaceAll(dirname(path), '…').slice(0, 300) || `It printed no error about ${basename(path)}.`;
}

/** The faults in the output; null if the output is not JSON with `faults`. */
function faultsIn(stdout: string): ReportedFault[] | null {
  let value: JsonValue;
  try {
    value = JSON.parse(stdout);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isObject(value) || !Array.isArray(value['faults'])) return null;
  return value['faults'].map((fault) => ({
    pointer: isObject(fault) && typeof fault['pointer'] === 'string' ? fault['pointer'] : '',
    severity: isObject(fault) && fault['severity'] === 'warning' ? 'warning' : 'error',
  }));
}
