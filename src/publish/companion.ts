import { message } from '../core/text/message.ts';
import { companionPath, type CompanionKind, LARGEST_COMPANION } from '../core/attestation/companion.ts';
import { AppregError } from '../core/errors.ts';
import { sha256Of } from '../store/bytes.ts';
import type { Store } from '../store/store.ts';
import type { CreateStep } from './plan.ts';

/** Evidence beside an artifact: created before the version is listed, or added later, and never replaced. */

export interface Companion {
  kind: CompanionKind;
  bytes: Uint8Array;
  /** As messages call it: `the bill of materials`. */
  what: string;
  /** Whether a stored file with other bytes is evidence about the same artifact, and is kept. */
  describesSame(stored: Uint8Array): boolean;
}

/**
 * The steps that store companion files of an artifact. A file that exists with the same bytes needs none, and neither
 * does one that describes the same artifact, such as the bill of materials by another version of appreg: it is kept.
 * @param path of the artifact
 * @param of whose they are, such as `clock 1.2.0`
 * @throws AppregError `immutable` (exit 1) if a file describes other bytes: those of a publication that was interrupted
 */
export async function companionSteps(
  store: Store,
  path: string,
  companions: readonly Companion[],
  of: string,
): Promise<CreateStep[]> {
  const steps: CreateStep[] = [];
  for (const companion of companions) {
    const { kind, bytes, what } = companion;
    const target = companionPath(path, kind);
    const found = await foundAt(store, target, companion);
    if (found === 'other') throw occupied(target, companion, of);
    if (found === 'nothing') steps.push({ kind: 'create', path: target, bytes, what: `${what} of ${of}` });
  }
  return steps;
}

/** True if no companion file of another artifact is there. */
export async function companionsFit(store: Store, path: string, companions: readonly Companion[]): Promise<boolean> {
  for (const companion of companions)
    if ((await foundAt(store, companionPath(path, companion.kind), companion)) === 'other') return false;
  return true;
}

async function foundAt(
  store: Store,
  target: string,
  { kind, bytes, describesSame }: Companion,
): Promise<'nothing' | 'same' | 'other'> {
  const digest = await store.digest(target);
  if (digest === null) return 'nothing';
  if (digest.sha256 === sha256Of(bytes)) return 'same';
  const stored = digest.length > LARGEST_COMPANION[kind] ? null : await store.read(target);
  return stored !== null && describesSame(stored.bytes) ? 'same' : 'other';
}

function occupied(target: string, { what }: Companion, of: string): AppregError {
  return new AppregError(
    'immutable',
    message`${target} already exists, and is not ${what} of these bytes of ${of}.`,
    message`Publish your bytes as a new version. If ${of} was never published, and no other publisher is writing it now, delete the file.`,
    { effect: 'none' },
  );
}
