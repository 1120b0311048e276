import { message } from '../core/text/message.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { counted } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { type Digest, digestOfBytes } from '../store/bytes.ts';
import { stopIfInterrupted, stopAbortSignal } from '../store/interrupt.ts';
import type { Stored } from '../store/store.ts';
import type { CreateStep, EditStep, Step } from './plan.ts';

/** Shared by the sequential and the batch application of steps. */

/** The outcome of a step. `already-there`: the same bytes existed. `unchanged`: the document needed no change. */
export interface StepResult {
  step: Step;
  outcome: 'created' | 'already-there' | 'edited' | 'unchanged';
}

/** How often a step is retried after conflicts. In each conflict, another writer succeeded. */
export const MAX_CONFLICTS = 200;

export async function pauseAfterConflict(attempt: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(250, 5 * 2 ** attempt);
  await wait(milliseconds, undefined, { signal: stopAbortSignal() }).catch(stopIfInterrupted);
}

/** Refuses different bytes: published files never change (spec 2.4). */
export function assertSameBytes({ path, bytes }: CreateStep, stored: Digest): void {
  const wanted = digestOfBytes(bytes);
  if (stored.sha256 === wanted.sha256) return;
  throw new AppregError(
    'immutable',
    message`${path} already exists with different bytes: its checksum is sha256:${stored.sha256} (${counted(stored.length, 'byte')}), yours is sha256:${wanted.sha256} (${counted(wanted.length, 'byte')}).`,
    message`A published file never changes: publish your bytes as a new version.`,
    { effect: 'none' },
  );
}

export function documentContended(path: string): AppregError {
  return new AppregError(
    'write-conflict',
    message`${path} was changed by other processes ${MAX_CONFLICTS} times during the edit.`,
    message`Run the same command again once fewer processes change it.`,
    { advisesRepeat: true },
  );
}

/**
 * The text of a document after an edit: the planned one if the document is in the state that was planned on; null if
 * nothing changes.
 */
export function editedText(step: EditStep, { bytes, token }: Stored): string | null {
  if (step.planned?.token === token) return step.planned.text;
  const text = decodeDocument(bytes, step.path);
  const changed = step.edit(text);
  return changed === text ? null : changed;
}

/** The text, including a byte order mark, so that it can be written back unchanged. */
export function decodeDocument(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppregError(
      'not-utf8',
      message`${path} is not UTF-8, so it was not edited: the edit would also change other bytes.`,
      message`Save it as UTF-8. appreg lint shows the position of the error.`,
      { cause },
    );
  }
}

export function documentMissing(path: string): AppregError {
  return new AppregError(
    'document-missing',
    message`${path} does not exist.`,
    message`Restore it from version control, or run appreg init in a new folder.`,
  );
}
