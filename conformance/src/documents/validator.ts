import { type JsonValue, jsonValueIn, member, message, type SafeText, stringOrNull } from 'appreg';
import { type CommandResult, runCommand } from '../command.ts';
import type { DocumentKind } from '../case/case.ts';

/** A fault that a validator reports: where, as a JSON Pointer, and how severe it is. */
export interface ReportedFault {
  pointer: string;
  severity: 'error' | 'warning';
}

/** Verdict of a validator about a document. */
export type Answer =
  | {
      accepted: boolean;
      /** Null if the validator does not say where faults are. */
      faults: readonly ReportedFault[] | null;
    }
  | { failure: SafeText };

/** A document that a validator gets. */
export interface GivenDocument {
  /** Its name is `manifest.json` or `metadata.json`. */
  path: string;
  kind: DocumentKind;
}

/** Validates a document: returns the verdict, or why there is none. */
export type Validator = (document: GivenDocument) => Promise<Answer>;

/** Milliseconds until a validator is ended: for one document, and for all. */
const TIMEOUT = 30_000;
const BATCH_TIMEOUT = 300_000;

/**
 * A program as a validator: its last argument is the path of the document. It exits with 0 to accept it and with 1 to
 * reject it, and may print `{ "faults": [{ "pointer", "severity" }] }`.
 */
export function commandValidator(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Validator {
  return async ({ path }) => {
    const result = await runCommand([...words, path], { cwd, env, timeout: TIMEOUT });
    const failure = failureOf(result, TIMEOUT);
    if (failure !== null) return { failure };
    return { accepted: result.code === 0, faults: faultsIn(jsonValueIn(result.stdout)) };
  };
}

/**
 * A program that validates all documents in one run: it reads their paths from its standard input, one per line, and
 * prints one line of JSON for each: `{ "file", "accepted", "faults" }`.
 */
export async function batchValidator(
  words: readonly string[],
  documents: readonly GivenDocument[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Validator> {
  const input = documents.map(({ path }) => `${path}\n`).join('');
  const result = await runCommand(words, { cwd, env, timeout: BATCH_TIMEOUT, input });
  const failure = failureOf(result, BATCH_TIMEOUT);
  const answers = new Map<string, Answer>();
  for (const line of result.stdout.split('\n')) {
    const value = jsonValueIn(line);
    const file = member(value, 'file');
    const accepted = member(value, 'accepted');
    if (typeof file === 'string' && typeof accepted === 'boolean')
      answers.set(file, { accepted, faults: faultsIn(value) });
  }
  return async ({ path }) =>
    answers.get(path) ?? { failure: failure ?? message`The validator printed no line about the document.` };
}

/** The reason why a run has no verdict; null if it has one. */
function failureOf({ code, signal, stderr, stopped }: CommandResult, timeout: number): SafeText | null {
  if (stopped === 'timeout') return message`The validator did not end within ${timeout / 1000} seconds.`;
  if (stopped === 'output') return message`The validator printed more than 16 MB.`;
  if (code === 0 || code === 1) return null;
  const ending = code === null ? `was ended by ${signal ?? 'a signal'}` : `exited with ${code}, not 0 or 1`;
  // Errors may name files of this computer, which results do not contain.
  const last =
    stderr
      .trim()
      .split('\n')
      .at(-1)
      ?.replaceAll(/\S*[/\\]\S*/g, '…') ?? '';
  return message`The validator ${ending}.${last === '' ? '' : ` ${last.slice(0, 300)}`}`;
}

/** The faults in an answer; null if it has none of that form. */
function faultsIn(value: JsonValue | undefined): ReportedFault[] | null {
  const faults = member(value, 'faults');
  if (!Array.isArray(faults)) return null;
  return faults.map((fault) => ({
    pointer: stringOrNull(member(fault, 'pointer')) ?? '',
    severity: member(fault, 'severity') === 'warning' ? 'warning' : 'error',
  }));
}
