import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/core/engine/diagnosis.ts';
import { type Finding, type Report, SYMPTOMS } from '../../src/core/findings/report.ts';
import { type Severity } from '../../src/core/values/severity.ts';
import { statusOf } from '../../src/core/engine/symptoms.ts';
import { render } from '../../src/report/index.ts';
import { PLAIN } from '../../src/report/style.ts';
import { reportTicket } from '../../src/report/ticket.ts';
import { symptomName } from '../../src/report/words.ts';
import { snapshot } from '../support/snapshots.ts';

/** No text lists a finding under a symptom that it calls clear. */

const { report: base, diagnosis } = diagnose(snapshot(['a']), {});

/** The rules of notes that a diagnosis always shows, and of others. */
const RULES = ['service-disagrees', 'service-not-looked-yet', 'cors-wildcard'];

function findingOf(severity: Severity, symptom: Finding['symptom'], index: number): Finding {
  return {
    rule: RULES[index % RULES.length]!,
    severity,
    symptom,
    spec: null,
    message: `Finding ${index} is a ${severity}.`,
    advice: 'Do this.',
    cause: null,
    app: 'a',
    version: null,
    resource: 'metadata',
    url: null,
    file: null,
    pointer: null,
    line: null,
    column: null,
    evidence: {},
    excepted: null,
    baseline: false,
    unfixable: false,
    registry: '',
    fingerprint: '0123456789abcdef',
  };
}

/** A report with these findings for each symptom, in the statuses that the engine gives them. */
function reportWith(severities: readonly (readonly Severity[])[], unknown: boolean): Report {
  const findings = SYMPTOMS.flatMap((symptom, at) =>
    (severities[at] ?? []).map((severity, index) => findingOf(severity, symptom, at * 10 + index)),
  );
  const order: readonly Severity[] = ['error', 'warning', 'note'];
  const symptoms = SYMPTOMS.map((id) => {
    const own = findings.filter(({ symptom }) => symptom === id).map(({ severity }) => severity);
    const severity = order.find((one) => own.includes(one)) ?? null;
    return { id, status: statusOf(id, { severity, confirmed: false, hidden: false, unknown }), rules: [] };
  });
  return { ...base, command: 'diagnose', findings, symptoms };
}

const TEXTS: readonly [name: string, textOf: (report: Report) => string][] = [
  ['pretty', (report) => render(report, 'pretty', { style: PLAIN, verbose: false, diagnosis })],
  ['pretty with --verbose', (report) => render(report, 'pretty', { style: PLAIN, verbose: true, diagnosis })],
  ['markdown', (report) => render(report, 'markdown', { style: PLAIN, verbose: false, diagnosis })],
  ['markdown with --verbose', (report) => render(report, 'markdown', { style: PLAIN, verbose: true, diagnosis })],
  ['the ticket of the service', (report) => reportTicket(report, '2026-11-14T12:00:00.000Z')],
];

/** The statuses that a text states, by the name of the symptom. */
function statedIn(text: string): Map<string, string> {
  const names = SYMPTOMS.map(symptomName);
  return new Map(
    names.map((name) => [
      name,
      new RegExp(`^(?:\\| )?${name}(?:: | \\| )\\**([a-z ]+[a-z])`, 'm').exec(text)?.[1] ?? '',
    ]),
  );
}

/** The findings that a text lists, with the title above each. */
function listedIn(text: string): { title: string; finding: string }[] {
  const listed: { title: string; finding: string }[] = [];
  let title = '';
  for (const line of text.split('\n')) {
    const heading = /^(?:#+ |\*\*)?((?:[A-Z][\w ]+))(?:\*\*)?(?:: [\w ]+)?$/.exec(line)?.[1];
    if (heading !== undefined) title = heading;
    const finding = /^ *(?:[✗!·]|-) .*?(Finding \d+ is a \w+)\./.exec(line)?.[1];
    if (finding !== undefined) listed.push({ title, finding });
  }
  return listed;
}

const CHOICES: readonly (readonly Severity[])[] = [
  [],
  ['note'],
  ['note', 'note'],
  ['warning', 'note'],
  ['error', 'note'],
];
const MIXES = CHOICES.map((_, from) => SYMPTOMS.map((__, at) => CHOICES[(from + at) % CHOICES.length]!));

describe.each(TEXTS)('%s', (_, textOf) => {
  test.each(
    MIXES.flatMap((mix) => [
      { mix, unknown: false },
      { mix, unknown: true },
    ]),
  )('lists the findings $mix under symptoms that are not clear', ({ mix, unknown }) => {
    const report = reportWith(mix, unknown);
    const text = textOf(report);
    const stated = statedIn(text);
    const listed = listedIn(text);
    expect([...stated.values()]).not.toContain('');
    for (const { title, finding } of listed) expect(stated.get(title), `${finding} in ${title}`).not.toBe('clear');
    // Nothing that counts is left out.
    for (const { severity, message } of report.findings)
      if (severity !== 'note') expect(listed.map(({ finding }) => `${finding}.`)).toContain(message);
    const isClear = [...stated.values()].includes('clear');
    expect(isClear).toBe(report.symptoms.some(({ status }) => status === 'clear'));
  });
});
