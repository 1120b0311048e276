import { message, safe, type SafeText } from '../core/text/message.ts';
import { companionPath, type CompanionKind, LARGEST_COMPANION } from '../core/registry/companion.ts';
import { AppregError, isAppregError } from '../core/errors/error.ts';
import { grouped } from '../core/text/text.ts';
import { sha256Of } from '../store/bytes.ts';
import type { Store } from '../store/store.ts';
import type { CreateStep, SignStep, Plan, PlannedStep, Step } from './plan.ts';
import { stopIfInterrupted } from '../store/interrupt.ts';

/** Evidence beside an artifact: created before the version is listed, or added later, and never replaced. */

export type Companion = {
  kind: CompanionKind;
  /** As messages call it: `the bill of materials`. */
  what: string;
  /** Why a stored file with other bytes is not evidence about the same artifact; null if it is, and is kept. */
  difference(stored: Uint8Array): SafeText | null;
} & ({ bytes: Uint8Array } | Pick<SignStep, 'bytes' | 'sign'>);

/**
 * The steps that store companion files of an artifact. A file that exists with the same bytes needs none, and neither
 * does one that describes the same artifact, such as the bill of materials by another version of appreg: it is kept.
 * @param artifact its path
 * @param of whose they are, such as `clock 1.2.0`
 * @throws AppregError `immutable` (exit 1) if a file describes other bytes: those of a publication that was interrupted
 */
export async function companionSteps(
  store: Store,
  artifact: string,
  companions: readonly Companion[],
  of: string,
): Promise<(CreateStep | SignStep)[]> {
  const steps: (CreateStep | SignStep)[] = [];
  for (const companion of companions) {
    const path = companionPath(artifact, companion.kind);
    const what = `${companion.what} of ${of}`;
    const found = await foundAt(store, path, companion);
    if (found === 'same') continue;
    if (found !== 'nothing') throw occupied(path, what, found.difference);
    const { bytes } = companion;
    steps.push({ kind: 'create', path, what, ...(bytes === null ? { bytes, sign: companion.sign } : { bytes }) });
  }
  return steps;
}

/** True if no companion file of another artifact is there. */
export async function companionsFit(
  store: Store,
  artifact: string,
  companions: readonly Companion[],
): Promise<boolean> {
  for (const companion of companions) {
    const found = await foundAt(store, companionPath(artifact, companion.kind), companion);
    if (typeof found === 'object') return false;
  }
  return true;
}

async function foundAt(
  store: Store,
  target: string,
  { kind, bytes, difference }: Companion,
): Promise<'nothing' | 'same' | { difference: SafeText }> {
  const digest = await store.digest(target);
  if (digest === null) return 'nothing';
  if (bytes !== null && digest.sha256 === sha256Of(bytes)) return 'same';
  const largest = LARGEST_COMPANION[kind];
  if (digest.length > largest) return { difference: message`It has more than ${grouped(largest)} bytes.` };
  const stored = await store.read(target);
  if (stored === null) return 'nothing';
  const found = difference(stored.bytes);
  return found === null ? 'same' : { difference: found };
}

function occupied(path: string, what: string, difference: SafeText): AppregError {
  return new AppregError(
    'immutable',
    message`${path} already exists, and is not ${what}: ${safe(difference)}`,
    message`Publish your bytes as a new version. If the version was never published, and no other publisher is writing it now, delete the file.`,
    { effect: 'none' },
  );
}

/**
 * The same plan with every file signed, in order.
 * @throws AppregError of `sign`, before anything is written
 */
export async function signedPlan(plan: Plan<PlannedStep>): Promise<Plan> {
  const steps: Step[] = [];
  for (const step of plan.steps) {
    if (step.kind !== 'create' || step.bytes !== null) steps.push(step);
    else steps.push({ kind: 'create', path: step.path, bytes: await signed(step), what: step.what });
  }
  return { ...plan, steps };
}

async function signed(step: SignStep): Promise<Uint8Array> {
  stopIfInterrupted();
  try {
    return await step.sign();
  } catch (error) {
    throw isAppregError(error) ? error.with({ effect: 'none' }) : error;
  }
}
