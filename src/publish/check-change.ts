import type { AppFacts, DocumentFacts } from '../core/facts/facts.ts';
import { type JudgeOptions, startJudging } from '../core/engine/judge.ts';
import type { AppVerdict, Finding } from '../core/findings/report.ts';
import type { Allowances } from './refuse-typos.ts';
import { ruleViolation, type Violation } from './check-content.ts';

/** Judges a change before it is written, with the same rules as lint. */

export interface RegistryState {
  manifest: DocumentFacts;
  app: AppFacts | null;
}

/** Input of the judgement of a change. */
export interface JudgeSettings
  extends Required<Pick<JudgeOptions, 'now' | 'severities'>>, Pick<JudgeOptions, 'appEntry' | 'baseline'> {
  /** Permissions for a version that is published. */
  allow?: Allowances;
  /** True if a version that is published has to have an attestation. */
  requiresAttestation?: boolean;
}

/** A judged state: its findings, and the verdict about its app. */
interface JudgedState {
  findings: Finding[];
  /** By its documents alone, since artifacts are not read; null for a state without the app. */
  verdict: AppVerdict | null;
}

/**
 * The findings of `after` that the state before the change does not have: warnings and notes only, since errors throw.
 * @param before called only if there are findings after the change
 * @throws AppregError (exit 1) that names the rules, if the change would introduce an error
 */
export function newFindings(before: () => JudgedState, after: RegistryState, judgeSettings: JudgeSettings): Finding[] {
  const found = judgeState(after, judgeSettings).findings;
  if (found.length === 0) return [];
  const known = new Map<string, number>();
  for (const finding of before().findings) known.set(identity(finding), (known.get(identity(finding)) ?? 0) + 1);
  const newOnes: Finding[] = [];
  for (const finding of found) {
    const left = known.get(identity(finding)) ?? 0;
    if (left === 0) newOnes.push(finding);
    else known.set(identity(finding), left - 1);
  }
  const errors = newOnes.filter((finding) => finding.severity === 'error');
  if (errors.length > 0) throw ruleViolation(errors.map(violationOf), 'publish');
  return newOnes;
}

/** Judges a registry, restricted to one app. */
export function judgeState(
  { manifest, app }: RegistryState,
  { now, severities, appEntry = null, baseline = null }: JudgeSettings,
): JudgedState {
  const judging = startJudging({
    command: 'lint',
    target: '',
    now,
    severities,
    appEntry,
    baseline,
    isPublishing: true,
  });
  judging.manifest(manifest);
  const verdict = app && judging.app(app).documents;
  return { findings: judging.finish(0).findings, verdict };
}

/** Identifies a finding before and after the change: without its position, which an insertion shifts. */
function identity({ rule, app, version, resource, cause, message }: Finding): string {
  return JSON.stringify([rule, app, version, resource, cause, message]);
}

function violationOf({ rule, message, advice, evidence }: Finding): Violation {
  return { rule, text: `${rule}: ${message}`, advice, evidence };
}
