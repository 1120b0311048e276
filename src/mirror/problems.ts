import type { Finding, Report } from '../core/engine/report.ts';
import { ruleTitle } from '../core/rules/lookup.ts';
import { counted } from '../core/text/text.ts';
import type { MirrorProblem, MirrorRun } from './run.ts';

/** What the mirror lacks, with the rules of the report. */

/**
 * The problems of a run, in the order of the source's apps. Apps without a version yet are recorded separately.
 * @param keys the apps of the source
 */
export function problemsOf(
  { hidden, unusable, result }: MirrorRun,
  report: Report,
  keys: readonly string[],
): MirrorProblem[] {
  const problems = [...result.problems];
  const findings = new Map<string, Finding[]>();
  for (const finding of report.findings) {
    const { app } = finding;
    if (app === null || !(hidden.has(app) || unusable.has(app))) continue;
    const own = findings.get(app);
    if (own) own.push(finding);
    else findings.set(app, [finding]);
  }
  for (const { key, because } of report.apps) {
    const own = findings.get(key) ?? [];
    if (hidden.has(key)) {
      if (own.some(({ rule, cause }) => rule === 'no-valid-versions' && cause === 'empty'))
        result.unpublished.push(key);
      else problems.push(...hiddenProblems(key, because, own));
    }
    problems.push(...unusableProblems(key, unusable.get(key) ?? [], own));
  }
  const order = new Map(keys.map((key, index) => [key, index]));
  return problems.toSorted((a, b) => (order.get(a.app) ?? 0) - (order.get(b.app) ?? 0));
}

/** One problem per rule that hides an app; a rule whose finding is about several apps has no finding of its own. */
function hiddenProblems(key: string, because: readonly string[], findings: readonly Finding[]): MirrorProblem[] {
  const rules = because.length > 0 ? because : ['not-examined'];
  return rules.map((rule) => {
    const finding = findings.find((one) => one.rule === rule && one.severity === 'error');
    if (finding) return problemOf(key, finding);
    return { app: key, version: null, url: null, code: rule, message: `The app is not visible: ${ruleTitle(rule)}.` };
  });
}

/** The errors about elements of `versions`, by their indexes. */
function unusableProblems(key: string, indexes: readonly number[], findings: readonly Finding[]): MirrorProblem[] {
  if (indexes.length === 0) return [];
  const elements = new Set(indexes.map(String));
  const own = findings.filter(({ severity, pointer }) => {
    const [, list, index] = pointer?.split('/') ?? [];
    return severity === 'error' && list === 'versions' && index !== undefined && elements.has(index);
  });
  if (own.length > 0) return own.map((finding) => problemOf(key, finding));
  const message = `${counted(indexes.length, 'element')} of versions cannot be used.`;
  return [{ app: key, version: null, url: null, code: 'schema-violation', message }];
}

function problemOf(app: string, { version, url, rule, message }: Finding): MirrorProblem {
  return { app, version, url, code: rule, message };
}
