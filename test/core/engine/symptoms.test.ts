import { message } from '../../../src/core/text/message.ts';
import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/core/engine/judge.ts';
import { SYMPTOMS } from '../../../src/core/findings/report.ts';
import { SEVERITIES, type Severity } from '../../../src/core/values/severity.ts';
import { type AnyRule, defineRule } from '../../../src/core/rules/rule.ts';
import { type SymptomInput, statusOf } from '../../../src/core/engine/symptoms.ts';
import { hop, probe, web } from '../../support/probes.ts';
import { snapshot, withArtifacts } from '../../support/snapshots.ts';

const FLAGS = [false, true] as const;

function* bearings(): Generator<SymptomInput> {
  for (const severity of [null, ...SEVERITIES])
    for (const confirmed of FLAGS)
      for (const hidden of FLAGS) for (const unknown of FLAGS) yield { severity, confirmed, hidden, unknown };
}

describe('the status of a symptom', () => {
  const table = SYMPTOMS.flatMap((symptom) => [...bearings()].map((bearing) => [symptom, bearing] as const));

  test.each(table)('of %s is derived from %o', (symptom, bearing) => {
    const { severity, confirmed, hidden, unknown } = bearing;
    const status = statusOf(symptom, bearing);
    if (hidden || confirmed) expect(status).toBe('confirmed');
    else if (severity === 'error') expect(status).toBe(symptom === 'app-does-not-appear' ? 'suspected' : 'confirmed');
    else if (severity === 'warning') expect(status).toBe('suspected');
    else expect(status).toBe(unknown ? 'not-judged' : 'clear');
  });
});

/** A rule about each resource of the live registry that finds a problem of this severity on those of one kind. */
function ruleOn(id: string, resource: string, severity: Severity | null, more: Partial<AnyRule> = {}): AnyRule {
  return {
    ...defineRule({
      id,
      on: 'resource',
      needs: ['resource', 'answer'],
      severity: severity ?? 'error',
      spec: null,
      symptom: 'by-resource',
      owner: 'author',
      title: 'Example',
      failsWhen: '',
      why: '',
      examples: { bad: 'bad', good: 'good' },
      check: (facts) =>
        severity !== null && facts.resource === resource
          ? { message: message`found on the ${resource}`, advice: message`fix it` }
          : null,
    }),
    ...more,
  };
}

/** A registry of one app of which everything was fetched. */
function fetchedSnapshot(): ReturnType<typeof snapshot> {
  const facts = withArtifacts(snapshot(['a']));
  const answered = web(probe(hop()));
  Object.assign(facts.manifest, { url: 'https://x.test/r.json', web: answered });
  for (const { metadata, icon, artifacts } of facts.apps)
    for (const one of [metadata, icon, ...artifacts]) Object.assign(one, { url: 'https://x.test/f', web: answered });
  return facts;
}

const RESOURCES = ['manifest', 'artifact', 'icon', 'metadata'] as const;

describe('the symptoms of a report', () => {
  const levels = [null, ...SEVERITIES] as const;
  const table = RESOURCES.flatMap((resource, index) =>
    levels.flatMap((found) => levels.map((superseder) => [resource, index, found, superseder] as const)),
  );

  test.each(table)('%s (symptom %i): a finding %s with a superseder %s', (resource, index, found, superseder) => {
    const explains = ruleOn('explains', resource, superseder);
    const rules = [
      ruleOn('explained', resource, found, { supersededBy: [{ rule: explains.id, because: 'A reason' }] }),
      explains,
    ];
    const report = judge(fetchedSnapshot(), { command: 'verify', rules });
    const order: readonly (Severity | null)[] = SEVERITIES;
    const rank = Math.min(...[found, superseder].filter((one) => one !== null).map((one) => order.indexOf(one)));
    const isError = rank === 0;
    const expected = isError
      ? resource === 'metadata'
        ? 'suspected'
        : 'confirmed'
      : rank === 1
        ? 'suspected'
        : 'clear';
    // The other symptoms stay clear: a rule that was not judged here has no bearing on them. An error about the only
    // artifact hides the app.
    const others =
      isError && resource === 'artifact' ? ['clear', '', 'clear', 'confirmed'] : SYMPTOMS.map(() => 'clear');
    expect(report.symptoms.map(({ status }) => status)).toEqual(
      SYMPTOMS.map((_, i) => (i === index ? expected : others[i])),
    );
    // The severest finding is reported in every case.
    const reported = report.findings.map(({ severity }) => severity as string);
    if (rank < 3) expect(reported).toContain(SEVERITIES[rank]);
    else expect(reported).toEqual([]);
  });

  test.each([...SEVERITIES])(
    'a superseder %s without a symptom does not change the symptom of the superseded rule',
    (severity) => {
      const explains = ruleOn('explains', 'icon', severity, { symptom: null });
      const rules = [
        explains,
        ruleOn('explained', 'icon', null, { supersededBy: [{ rule: explains.id, because: 'A reason' }] }),
      ];
      const report = judge(fetchedSnapshot(), { command: 'verify', rules });
      expect(report.symptoms.map(({ status }) => status)).toEqual(['clear', 'clear', 'clear', 'clear']);
    },
  );

  test('a missing fact makes only the symptom of its rule not judged', () => {
    const facts = fetchedSnapshot();
    facts.apps[0]!.icon.web = { missing: { code: 'not-requested', flag: null } };
    const report = judge(facts, { command: 'verify', rules: [ruleOn('one', 'icon', 'error')] });
    expect(report.symptoms.map(({ status }) => status)).toEqual(['clear', 'clear', 'not-judged', 'clear']);
    const note = judge(facts, { command: 'verify', rules: [ruleOn('one', 'icon', 'note')] });
    expect(note.symptoms.map(({ status }) => status)).toEqual(['clear', 'clear', 'clear', 'clear']);
  });

  test('a finding reported once for several kinds of resource affects the symptom of each', () => {
    const once: AnyRule = {
      ...ruleOn('host', 'icon', 'warning'),
      check: () => ({ message: message`the host is slow`, advice: message`wait`, dedupeKey: 'x.test' }),
    };
    const report = judge(fetchedSnapshot(), { command: 'verify', rules: [once] });
    expect(report.findings).toHaveLength(1);
    expect(report.symptoms.map(({ status, rules }) => [status, ...rules])).toEqual(
      SYMPTOMS.map(() => ['suspected', 'host']),
    );
  });

  test('an error is reported even if the same problem was reported as a note before', () => {
    const once: AnyRule = {
      ...ruleOn('host', 'icon', 'note'),
      check: ({ resource }) => ({
        message: message`x`,
        advice: message`y`,
        dedupeKey: 'x.test',
        severity: resource === 'icon' ? 'error' : 'note',
      }),
    };
    const report = judge(fetchedSnapshot(), { command: 'verify', rules: [once] });
    expect(report.findings.map(({ severity, resource }) => `${severity} ${resource}`)).toEqual([
      'note manifest',
      'error icon',
    ]);
  });

  const off = { explains: 'off', explained: 'off' } as const;

  test.each(RESOURCES.map((resource, index) => [resource, index] as const))(
    'an error on the %s is not judged, rather than clear, if its rule is off',
    (resource, index) => {
      const judged = (severity: Severity | null) =>
        judge(fetchedSnapshot(), {
          command: 'verify',
          rules: [ruleOn('explains', resource, severity)],
          severities: off,
        });
      const report = judged('error');
      expect(report.findings).toEqual([]);
      expect(report.symptoms.map(({ status }) => status)).toEqual(
        SYMPTOMS.map((_, i) => {
          if (i === index) return 'not-judged';
          return resource === 'artifact' && i === 3 ? 'confirmed' : 'clear';
        }),
      );
      expect(report.notJudged).toContainEqual({
        rule: 'explains',
        app: null,
        version: null,
        resource: resource,
        code: 'turned-off',
        reason: 'the settings turn this rule off, but it found an error',
        blockedBy: null,
        count: null,
      });
      expect(report.outcome).toBe('clean');
      // A rule that is off and finds no error has no effect.
      for (const severity of [null, 'warning', 'note'] as const) {
        expect(judged(severity).symptoms.map(({ status }) => status)).toEqual(SYMPTOMS.map(() => 'clear'));
        expect(judged(severity).notJudged).toEqual([]);
      }
    },
  );

  test('an error that the settings report as a note makes the symptom suspected', () => {
    const rules = [ruleOn('one', 'artifact', 'error')];
    const report = judge(fetchedSnapshot(), { command: 'verify', rules, severities: { one: 'note' } });
    expect(report.symptoms[1]).toEqual({ id: 'checksum-mismatch', status: 'suspected', rules: ['one'] });
  });

  test.each(['off', 'note', 'warning', 'error'] as const)(
    'an app is hidden even if the severity of the rule is %s',
    (setting) => {
      const rules = [ruleOn('one', 'metadata', 'error', { hidesApp: true })];
      const report = judge(fetchedSnapshot(), { command: 'verify', rules, severities: { one: setting } });
      expect(report.apps).toMatchObject([{ visible: false, because: ['one'] }]);
      expect(report.symptoms[3]).toMatchObject({ status: 'confirmed', rules: ['one'] });
    },
  );

  test('a note of a rule that hides apps does not replace missing facts', () => {
    const facts = fetchedSnapshot();
    facts.apps[0]!.metadata.content = { missing: { code: 'not-requested', flag: null } };
    const rules = [ruleOn('one', 'metadata', 'note', { hidesApp: true }), ruleOn('two', 'metadata', null)];
    expect(judge(facts, { command: 'verify', rules }).apps).toMatchObject([{ visible: null, because: [] }]);
  });

  test('a crashing rule that is off does not make the run incomplete', () => {
    const failing: AnyRule = {
      ...ruleOn('explains', 'icon', 'error'),
      check() {
        throw new Error('a bug');
      },
    };
    expect(judge(fetchedSnapshot(), { command: 'verify', rules: [failing], severities: off }).outcome).toBe('clean');
    expect(judge(fetchedSnapshot(), { command: 'verify', rules: [failing] }).outcome).toBe('incomplete');
  });
});
