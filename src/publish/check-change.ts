import type { AppFacts, Baseline, DocumentFacts } from '../core/facts/facts.ts';
import { startJudging } from '../core/engine/judge.ts';
import type { Finding, Severity } from '../core/engine/report.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';

/** Judges a change before it is written, with the same rules as lint. */

export interface State {
  manifest: DocumentFacts;
  app: AppFacts | null;
}

export interface JudgeSettings {
  /** ISO 8601. */
  now: string;
  severities: Readonly<Record<string, Severity | 'off'>>;
  /** The entry point of an app's code, at the top level of its artifact (default: app.js). */
  appEntry?: string | null;
  /** What had been published, if the change could withdraw it. */
  baseline?: Baseline | null;
}

/**
 * The findings of `after` that `before` does not have: warnings and notes only, since errors throw.
 * @throws AppregError (exit 1) that names the rules, if the change would introduce an error
 */
export function newFindings(before: () => State, after: State, judgement: JudgeSettings): Finding[] {
  const found = findingsIn(after, judgement);
  // Without findings after the change, the previous state need not be judged.
  if (found.length === 0) return [];
  const known = new Map<string, number>();
  for (const finding of findingsIn(before(), judgement))
    known.set(identity(finding), (known.get(identity(finding)) ?? 0) + 1);
  const fresh: Finding[] = [];
  for (const finding of found) {
    const left = known.get(identity(finding)) ?? 0;
    if (left === 0) fresh.push(finding);
    else known.set(identity(finding), left - 1);
  }
  const errors = fresh.filter((finding) => finding.severity === 'error');
  if (errors.length > 0) throw refusal(errors);
  return fresh;
}

function findingsIn(
  { manifest, app }: State,
  { now, severities, appEntry = null, baseline = null }: JudgeSettings,
): Finding[] {
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
  if (app) judging.app(app);
  return judging.finish(0).findings;
}

/** Identifies a finding before and after the change: without its position, which an insertion shifts. */
function identity({ rule, app, version, resource, cause, message }: Finding): string {
  return JSON.stringify([rule, app, version, resource, cause, message]);
}

function refusal(errors: readonly Finding[]): AppregError {
  const lines = errors.map(({ rule, message }) => printable(`${rule}: ${message}`));
  const advice = [...new Set(errors.map((error) => printable(error.advice)))];
  if (errors.some(({ rule }) => rule === 'artifact-no-app')) advice.push('To publish it as it is: --any-content');
  const rules = [...new Set(errors.map(({ rule }) => rule))];
  return new AppregError('rule-violation', lines.join('\n  '), advice.join('\n  '), { effect: 'none', rules });
}
