import { message } from '../../../src/core/text/message.ts';
import { describe, expect, test } from 'vitest';
import { judge, startJudging } from '../../../src/core/engine/judge.ts';
import type { AppVerdict } from '../../../src/core/findings/report.ts';
import type { Severity } from '../../../src/core/values/severity.ts';
import type { ArtifactFacts, Probe, Snapshot } from '../../../src/core/facts/facts.ts';
import { offerOf } from '../../../src/core/offers/version-offer.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { type AnyRule, canRefuseVersion } from '../../../src/core/rules/rule.ts';
import { updateVersions } from '../../../service/src/domain/version-lifecycle.ts';
import { listedVersionsIn } from '../../../src/core/registry/manifest.ts';
import { checksum } from '../../support/core-facts.ts';
import { failed, hop, probe, web } from '../../support/probes.ts';
import { artifact, BASE, contentWith, metadataWith, snapshot, withArtifacts } from '../../support/snapshots.ts';

/** Which versions are offered: the service and reports agree, whatever rule finds an error, and whatever the settings. */

const digest = (number: number): string => checksum(number).replace('sha256:', '');

/** An app with these versions, whose artifacts were fetched and have the listed digests. */
function fetched(...versions: string[]): Snapshot {
  const facts = withArtifacts(snapshot(['a'], { a: metadataWith(...versions) }));
  for (const one of facts.apps[0]!.artifacts) Object.assign(one, { web: web(probe(hop())), url: `${BASE}a.tar.gz` });
  return facts;
}

interface Decision {
  report: AppVerdict;
  /** What the service stores about the versions, when it sees the app for the first time. */
  states: Record<string, string | null>;
  latest: string | null;
}

function decide(facts: Snapshot, options: Partial<Parameters<typeof startJudging>[0]> = {}): Decision {
  const judging = startJudging({ command: 'verify', target: BASE, now: facts.seenAt, ...options });
  judging.manifest(facts.manifest);
  const [app] = facts.apps;
  const { verdict, errors } = judging.app(app!);
  const { changed, latest } = updateVersions({
    known: [],
    listed: listedVersionsIn(app!.metadata.content) ?? [],
    artifacts: app!.artifacts,
    errors,
    now: new Date(facts.seenAt),
    limit: 100,
    answers: new Map(),
  });
  return {
    report: verdict,
    states: Object.fromEntries(changed.map(({ version, state, rule }) => [version, rule ?? state])),
    latest,
  };
}

/** The rule, with one error about each artifact that it is asked about, and no facts that it needs. */
function failing(rule: AnyRule, version?: string): AnyRule {
  return {
    ...rule,
    needs: rule.on === 'metadata' ? ['versions'] : rule.on === 'resource' || rule.on === 'url' ? ['resource'] : [],
    check: ({ resource }: { resource?: string }) =>
      resource === undefined || resource === 'artifact'
        ? {
            severity: 'error',
            message: message`Found by ${rule.id}.`,
            advice: message`Fix it.`,
            ...(version && { version }),
          }
        : null,
  };
}

describe('every rule that finds an error in an artifact', () => {
  const ofArtifacts = rules.filter(({ on }) => ['artifact', 'resource', 'url'].includes(on));
  const settings: (Severity | 'off' | null)[] = [null, 'off', 'note', 'warning', 'error'];

  test('is in the table', () => expect(ofArtifacts.length).toBeGreaterThan(40));

  test.each(ofArtifacts.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
    for (const setting of settings) {
      // A rule whose worst case is less than an error is not run when it is turned off.
      if (setting === 'off' && (rule.worstSeverity ?? rule.severity) !== 'error') continue;
      const severities = setting === null ? {} : { [id]: setting };
      const { report, states, latest } = decide(fetched('1.0.0'), { rules: [failing(rule)], severities });
      const name = `${id} as ${setting}`;
      if (canRefuseVersion(rule)) {
        expect(report, name).toEqual({ key: 'a', visible: false, because: [id], latest: null });
        expect([states, latest], name).toEqual([{ '1.0.0': id }, null]);
      } else {
        expect(report, name).toEqual({ key: 'a', visible: true, because: [], latest: '1.0.0' });
        expect([states, latest], name).toEqual([{ '1.0.0': 'verified' }, '1.0.0']);
      }
    }
  });

  test('that its worst case is an error is declared, so that turning it off changes nothing', () => {
    for (const rule of ofArtifacts) {
      const cases = [...rule.check.toString().matchAll(/'error'/g)];
      if (cases.length > 0) expect(rule.worstSeverity ?? rule.severity, rule.id).toBe('error');
    }
  });

  test('is a reason to hide an app, as the symptom says, and an exception does not change that', () => {
    const [rule] = rules.filter(({ id }) => id === 'artifact-not-tar-gz');
    const entry = { rule: rule!.id, app: null, version: null, url: null, reason: 'known', until: null, issue: null };
    const report = judge(fetched('1.0.0'), {
      command: 'verify',
      rules: [failing(rule!)],
      exceptions: { entries: [entry], file: null } as never,
    });
    expect(report.apps).toMatchObject([{ visible: false, because: ['artifact-not-tar-gz'] }]);
    expect(report.symptoms[3]).toEqual({
      id: 'app-does-not-appear',
      status: 'confirmed',
      rules: ['artifact-not-tar-gz'],
    });
  });
});

describe('the latest version', () => {
  test('is the highest one that is offered', () => {
    const facts = fetched('1.0.0', '1.1.0', '2.0.0-rc.1');
    const [, second] = facts.apps[0]!.artifacts;
    Object.assign(second!, { content: contentWith('f'.repeat(64)) });
    const { report, states, latest } = decide(facts);
    expect(report).toMatchObject({ visible: true, because: [], latest: '1.0.0' });
    expect([states['1.1.0'], latest]).toEqual(['artifact-checksum-mismatch', '1.0.0']);
  });

  test('is a pre-release if no plain version is offered', () => {
    const facts = fetched('1.0.0', '2.0.0-rc.1');
    Object.assign(facts.apps[0]!.artifacts[0]!, { content: contentWith('f'.repeat(64)) });
    const { report, latest } = decide(facts);
    expect([report.latest, latest]).toEqual(['2.0.0-rc.1', '2.0.0-rc.1']);
  });
});

const withMissing = (facts: Snapshot, index: number, missing: ArtifactFacts['content']): Snapshot => {
  Object.assign(facts.apps[0]!.artifacts[index]!, { web: missing, content: missing, archive: missing });
  return facts;
};

describe('an artifact that was not examined', () => {
  const SKIPPED = { missing: { code: 'not-requested', flag: '--skip-artifacts' }, runWide: true } as const;
  const FAILING = { missing: { code: 'host-failing', host: 'x.test', message: 'is down' } } as const;

  test('leaves the visibility unknown if it is the only one', () => {
    const { report, states } = decide(withMissing(fetched('1.0.0'), 0, SKIPPED));
    expect(report).toEqual({ key: 'a', visible: null, because: [], latest: '1.0.0' });
    expect(states).toEqual({ '1.0.0': 'pending' });
  });

  test('leaves it unknown if the others are refused, which is the reason', () => {
    const facts = withMissing(fetched('1.0.0', '1.1.0'), 0, SKIPPED);
    Object.assign(facts.apps[0]!.artifacts[1]!, { content: contentWith('f'.repeat(64)) });
    expect(decide(facts).report).toEqual({
      key: 'a',
      visible: null,
      because: ['artifact-checksum-mismatch'],
      latest: '1.0.0',
    });
  });

  test('does not hide an app of which another version is offered', () => {
    expect(decide(withMissing(fetched('1.0.0', '1.1.0'), 1, SKIPPED)).report).toMatchObject({
      visible: true,
      latest: '1.1.0',
    });
    // What could not be examined is not offered yet.
    const { report, latest } = decide(withMissing(fetched('1.0.0', '1.1.0'), 1, FAILING));
    expect([report.visible, report.latest, latest]).toEqual([true, '1.0.0', '1.0.0']);
  });

  test('is refused by the service as well if its host does not send it', () => {
    const facts = fetched('1.0.0');
    const missing = { missing: { code: 'blocked-by', rule: 'unreachable' } } as const;
    Object.assign(facts.apps[0]!.artifacts[0]!, {
      web: web(probe({ ...hop(), status: 404 })),
      content: missing,
      archive: missing,
    });
    const { report, states } = decide(facts);
    expect(report).toEqual({ key: 'a', visible: false, because: ['unreachable'], latest: null });
    expect(states).toEqual({ '1.0.0': 'unreachable' });
  });
});

const published = (sum: string) => ({
  source: 'origin/main',
  keys: ['a'],
  app: () => [{ version: '1.0.0', artifactUrl: `${BASE}a.tar.gz`, artifactChecksum: sum }],
});

describe('a version with a baseline', () => {
  test('is refused if its bytes are not the published ones', () => {
    const { report } = decide(fetched('1.0.0'), { baseline: published(checksum(7)) });
    expect(report).toMatchObject({ visible: false, because: ['artifact-changed'], latest: null });
  });

  test('is offered as long as its bytes are the published ones', () => {
    const facts = fetched('1.0.0');
    Object.assign(facts.apps[0]!.artifacts[0]!, { content: contentWith(digest(7)) });
    expect(decide(facts, { baseline: published(checksum(7)) }).report).toMatchObject({
      visible: true,
      latest: '1.0.0',
    });
  });
});

test.each([
  ['different checksums', checksum(2), 'version-duplicate'],
  ['a malformed checksum', 'unknown', 'checksum-malformed'],
  ['zeros', `sha256:${'0'.repeat(64)}`, 'version-duplicate'],
  ['the same checksum in uppercase', checksum(1).toUpperCase(), 'checksum-malformed'],
])('a version that is listed twice, once with %s, is refused in any order', (_, sum, rule) => {
  const [item] = metadataWith('1.0.0').versions;
  const other = { ...item, artifactChecksum: sum };
  for (const versions of [
    [item, other],
    [other, item],
  ]) {
    const { report, states } = decide(withArtifacts(snapshot(['a'], { a: { versions } })));
    expect(report).toMatchObject({ visible: false, because: [rule] });
    expect(states).toEqual({ '1.0.0': rule });
  }
});

test('a version that is listed with a malformed and two other checksums is refused for these in any order', () => {
  const [item] = metadataWith('1.0.0').versions;
  const [a, b, malformed] = [checksum(1), checksum(2), 'unknown'].map((sum) => ({ ...item, artifactChecksum: sum }));
  for (const versions of [
    [malformed, a, b],
    [a, malformed, b],
    [a, b, malformed],
  ])
    expect(decide(withArtifacts(snapshot(['a'], { a: { versions } }))).states).toEqual({
      '1.0.0': 'version-duplicate',
    });
});

test('a secret that was not published yet is an error, and not a reason to refuse the version', () => {
  const facts = withArtifacts(snapshot(['a']));
  const secret = { kind: 'github-token', entry: 'app.js', line: 1, fingerprint: '0123456789abcdef' };
  const { artifacts } = facts.apps[0]!;
  const file = { path: 'app.js', type: 'file', size: 1, mode: 420, link: null } as const;
  const archive = { kind: 'gzip', fault: null, entries: [file], entryCount: 1, unpackedBytes: 1 } as const;
  artifacts[0] = {
    ...artifact(null, contentWith(digest(1))),
    archive: {
      ...archive,
      entries: [...archive.entries],
      stopped: null,
      trailing: null,
      gzipMembers: 1,
      oddities: [],
      scan: { secrets: [secret], secretCount: 1, buildPaths: [] },
    },
  };
  const report = judge(facts, { command: 'lint' });
  expect(report.findings.map(({ severity, rule }) => `${severity} ${rule}`)).toContain('error artifact-secret');
  expect(report.apps).toMatchObject([{ visible: true, latest: '1.0.0' }]);
});

describe('a version of which the service has a copy', () => {
  const pin = { checksum: checksum(1), rule: null, isKept: true };

  function decided(answer: Probe, isOffered: boolean, isKept = true): string {
    const missing = { missing: { code: 'blocked-by', rule: 'unreachable' } } as const;
    const facts = { ...artifact(`${BASE}a.tar.gz`), web: web(answer), content: missing, archive: missing };
    const entries = [{ checksum: pin.checksum, facts }] as const;
    return offerOf({ entries, errors: [], pinned: { ...pin, isOffered, isKept } }).state;
  }

  test.each([401, 403, 404, 410])('is offered from it if its host lost the artifact (%s)', (status) => {
    const answer = probe(hop({}, { status }));
    expect([decided(answer, true), decided(answer, false)]).toEqual(['kept', 'kept']);
    expect(decided(answer, true, false)).toBe('refused');
  });

  test.each([
    ['503', probe(hop({}, { status: 503 }))],
    ['no connection', failed('connect', 'ECONNREFUSED')],
    ['refused credentials', probe(hop({}, { status: 401, withCredentials: true }))],
  ])('stays as it was while its host is down: %s', (_, answer) => {
    expect([decided(answer, true), decided(answer, false)]).toEqual(['unexamined', 'refused']);
  });
});
