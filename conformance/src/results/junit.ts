import { xmlDocument, type XmlElement } from 'appreg/node';
import { LEVELS } from '../case/case.ts';
import { type CaseResult, type ConformanceReport, isFailure } from '../result.ts';

/**
 * The results as JUnit XML: a suite for each level. Only what decides the outcome is a failure: a recommended case that
 * fails, and an expected failure, are skipped with the reason.
 */
export function conformanceJunit({ command, role, cases }: ConformanceReport): string {
  const suites = LEVELS.map((level) => {
    const own = cases.filter((one) => one.level === level);
    return { name: level, cases: own.map((one) => caseElement(one, `${role}.${level}`)), ...numbers(own) };
  });
  const { tests, failures, errors } = numbers(cases);
  return xmlDocument({
    name: 'testsuites',
    attributes: { name: `appreg ${command}`, tests, failures, errors, time: 0 },
    children: suites.map(({ cases: children, ...attributes }) => ({
      name: 'testsuite',
      attributes: { ...attributes, time: 0 },
      children,
    })),
  });
}

type Outcome = 'passed' | 'failure' | 'error' | 'skipped';

function outcomeOf(one: CaseResult): Outcome {
  if (isFailure(one)) return 'failure';
  if (one.status === 'harness-error') return 'error';
  return one.status === 'pass' || one.status === 'reported' ? 'passed' : 'skipped';
}

function numbers(cases: readonly CaseResult[]): Record<'tests' | 'failures' | 'errors' | 'skipped', number> {
  const number = (outcome: Outcome): number => cases.filter((one) => outcomeOf(one) === outcome).length;
  return { tests: cases.length, failures: number('failure'), errors: number('error'), skipped: number('skipped') };
}

function caseElement(one: CaseResult, classname: string): XmlElement {
  const outcome = outcomeOf(one);
  const attributes = { name: one.id, classname, time: 0 };
  const details = [
    one.title,
    one.quote && `Specification ${one.spec}: ${one.quote}`,
    one.observed && `Observed: ${one.observed}`,
  ]
    .filter((line) => line !== null && line !== '')
    .join('\n');
  if (outcome === 'passed')
    return { name: 'testcase', attributes, children: [{ name: 'system-out', children: [details] }] };
  const message = [one.message, one.reason && `Expected failure: ${one.reason}`].filter(Boolean).join(' ');
  const children = outcome === 'skipped' ? [] : [details];
  return { name: 'testcase', attributes, children: [{ name: outcome, attributes: { message }, children }] };
}
