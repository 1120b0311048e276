import type { LockedVersion } from '../core/registry/lock-file.ts';
import type { Bytes } from '../store/bytes.ts';
import { grouped, printable } from '../core/text/text.ts';
import type { EditStep } from './edit-step.ts';
import type { Role } from './role.ts';

/** The writes to make, in order, each with its precondition. It can be shown instead of applied. */
export interface Plan<AnyStep = Step> {
  /** A one-line summary such as `Publish clock 1.2.0`: the subject of a commit. */
  title?: string;
  steps: AnyStep[];
}

/** One write of a plan. */
export type Step = CreateStep | ReplaceStep | EditStep;
/** A plan is shown without signing anything. */
export type PlannedStep = Step | SignStep;

/** A file that must not exist yet; an existing file with the same bytes is success. */
export interface CreateStep {
  kind: 'create';
  path: string;
  bytes: Bytes;
  what: string;
  role?: Role;
  /** The version whose artifact the file is; absent for other files. */
  artifactOf?: Pick<LockedVersion, 'version' | 'artifactUrl' | 'artifactChecksum'>;
}

/** A file that must not exist yet, and that is signed before any step is applied. */
export interface SignStep extends Omit<CreateStep, 'bytes'> {
  bytes: null;
  /** Signs it once, however often it is called. */
  sign(): Promise<Uint8Array>;
}

/** An existing file that is replaced as a whole, such as an icon. */
export interface ReplaceStep {
  kind: 'replace';
  path: string;
  bytes: Uint8Array;
  what: string;
  role?: Role;
}

const VERBS = { create: 'create', replace: 'replace', edit: 'edit  ' };

/** Describes the plan for `--dry-run`, one line per step. */
export function describePlan(plan: Plan<PlannedStep>): string {
  return withKinds(plan)
    .map(({ step, kind }) => `${VERBS[kind]} ${printable(step.path)}  (${printable(step.what)}${sizeOf(step)})`)
    .join('\n');
}

/** The steps of a plan, and what each does to its file: the first edit of a new file creates it. */
export function withKinds({ steps }: Plan<PlannedStep>): { step: PlannedStep; kind: Step['kind'] }[] {
  const created = new Set<string>();
  return steps.map((step) => {
    if (step.kind !== 'edit' || !step.isNew || created.has(step.path)) return { step, kind: step.kind };
    created.add(step.path);
    return { step, kind: 'create' };
  });
}

function sizeOf(step: PlannedStep): string {
  if (step.kind === 'edit') return '';
  return step.bytes === null ? ', not signed yet' : `, ${grouped(step.bytes.length)} bytes`;
}

/** The block of lines that an edit replaces, and the block that replaces it. */
export interface LineChanges {
  removed: readonly string[];
  added: readonly string[];
}

/** Removes from each text their common first and last lines. */
export function changedLines(before: string, after: string): LineChanges {
  const old = before.split(/\r\n|\n|\r/);
  const lines = after.split(/\r\n|\n|\r/);
  const shorter = Math.min(old.length, lines.length);
  let start = 0;
  while (start < shorter && old[start] === lines[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === lines[lines.length - 1 - end]) end++;
  return { removed: old.slice(start, old.length - end), added: lines.slice(start, lines.length - end) };
}
