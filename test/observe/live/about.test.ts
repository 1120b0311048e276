import { describe, expect, test } from 'vitest';
import { diagnose, startDiagnosing } from '../../../src/core/engine/diagnosis.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { retirementLines } from '../../../src/report/diagnosis-view.ts';
import { answer, type Behaviour, redirect } from '../../support/fault-host.ts';
import { liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import type { Verified } from '../../support/live-registry.ts';

/** About files of a live registry: what each response means, and that none of them hides anything. */

const fixture = liveFixture();
const PATH = '/a.about.json';

async function verified(body: string | Behaviour | null, about = true): Promise<Verified> {
  if (body !== null) fixture.host.on(PATH, typeof body === 'string' ? answer({ body }) : body);
  return verifyPatiently(fixture.live.url, { about });
}

const RETIRED = JSON.stringify({
  schema: 1,
  versions: { '1.0.0': { deprecated: { reason: 'security', message: 'It leaks.', use: '2.0.0' } } },
});
const RETIREMENT = { deprecated: { reason: 'legal', message: 'No.' } };
const ALL_RETIRED = JSON.stringify({ schema: 1, versions: { '1.0.0': RETIREMENT, '2.0.0': RETIREMENT } });
const ruleIds = ({ findings }: Report): string[] => findings.map(({ rule }) => rule);

/** The report without its duration. */
function timeless({ summary, ...report }: Report): object {
  return { ...report, summary: { ...summary, seconds: 0 } };
}

describe('an absent file', () => {
  test.each<[string, Behaviour]>([
    ['404', answer({ status: 404 })],
    ['403', answer({ status: 403 })],
    ['410', answer({ status: 410 })],
    ['a page with 200', answer({ body: '<!doctype html><title>Apps</title>' })],
    ['a redirect to a page', redirect('/page.html')],
  ])('%s: the report is the same as without the request', async (_, behaviour) => {
    fixture.host.on('/page.html', answer({ body: '<!doctype html><title>Apps</title>' }));
    const { report, apps } = await verified(behaviour);
    expect(apps[0]?.about).toBeUndefined();
    expect(timeless(report)).toEqual(timeless((await verified(null, false)).report));
  });
});

test('it is not requested unless asked for, and then with one GET', async () => {
  fixture.host.requests.length = 0;
  await verified(RETIRED, false);
  const requested = (): string[] =>
    fixture.host.requests.filter(({ path }) => path === PATH).map(({ method }) => method);
  expect(requested()).toEqual([]);
  await verified(RETIRED);
  expect(requested()).toEqual(['GET']);
});

test('a file without faults adds nothing to the report', async () => {
  const { report } = await verified(RETIRED);
  expect(timeless(report)).toEqual(timeless((await verified(null, false)).report));
});

describe('a file that cannot be used hides nothing', () => {
  test.each<[string, string | Behaviour, string[]]>([
    ['no JSON', '{', ['about-invalid']],
    ['an array', '[]', ['about-invalid']],
    ['a wrong field', '{ "schema": 1, "versions": [] }', ['about-invalid']],
    ['a replacement that is not listed', RETIRED.replace('2.0.0', '3.0.0'), ['replacement-invalid']],
    ['a retirement of every version', ALL_RETIRED, ['all-versions-deprecated']],
    ['a version that is not listed', RETIRED.replace('1.0.0', '1.1.0'), ['about-version-unknown']],
  ])('%s', async (_, body, expected) => {
    const { report } = await verified(body);
    const before = (await verified(null, false)).report;
    expect(ruleIds(report).filter((rule) => !ruleIds(before).includes(rule))).toEqual(expected);
    expect(report.apps).toEqual(before.apps);
    expect(report.symptoms).toEqual(before.symptoms);
  });

  test('an error of the host: it is not known whether there is a file', async () => {
    const { report } = await verified(answer({ status: 500 }));
    expect(report.apps[0]?.visible).toBe(true);
    const reasons = report.notJudged.filter(({ rule }) => rule === 'about-invalid').map(({ reason }) => reason);
    expect(reasons).toEqual([expect.stringMatching(/request for its about file.*status 500/)]);
    expect(ruleIds(report)).not.toContain('about-invalid');
  });
});

test('saved facts give the same report, and the same answer about a version', async () => {
  const { report, manifest, apps } = await verified(RETIRED.replace('2.0.0', '3.0.0'));
  const saved = JSON.parse(
    JSON.stringify({ snapshot: 1, target: report.target, seenAt: NOW, origins: [], manifest, apps, orphans: [] }),
  ) as Snapshot;
  expect(ruleIds(judge(saved, { command: 'verify' }))).toEqual(ruleIds(report));
  const requested = { apps: ['app-a'], version: '1.0.0' };
  expect(retirementLines(diagnose({ ...saved, requested }, {}).diagnosis, false)).toEqual([
    'app-a: 1.0.0 is listed; its author retired it (security); it names no replacement',
  ]);
});

const NOW = '2026-11-24T00:00:00Z';

test('a diagnosis names the replacement', async () => {
  const { manifest, apps } = await verified(RETIRED);
  const requested = { apps: ['app-a'], version: '1.0.0' };
  const diagnosing = startDiagnosing({ command: 'diagnose', target: '', now: NOW, requested });
  diagnosing.manifest(manifest);
  for (const app of apps) diagnosing.app(app);
  expect(retirementLines(diagnosing.diagnosis(), false)).toEqual([
    'app-a: 1.0.0 is listed; its author retired it (security); use 2.0.0',
  ]);
});
