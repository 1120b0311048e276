import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runPolicy } from '../../src/cli/commands/policy.ts';
import { runPolicyTest } from '../../src/cli/commands/policy-test.ts';
import type { PolicyTestResult } from '../../src/report/results.ts';
import type { PolicyDocument } from '../../src/core/policy/policy-document.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import { cliContext } from '../support/cli-context.ts';
import { answer } from '../support/fault-host.ts';
import { verifyFixture } from './verify-fixture.ts';

/** `policy` and `policy test`, of a live registry with the versions 1.0.0 and 2.0.0 of one app. */

const fixture = verifyFixture();
const { privateKey, publicKey } = vendorKeys();
type Options = Parameters<typeof runPolicyTest>[3];

interface Tested {
  code: number;
  result: PolicyTestResult;
  logged: string;
}

function write(name: string, value: object): string {
  writeFileSync(join(fixture.folder, name), JSON.stringify(value));
  return name;
}

/** @param where default: the live registry */
async function tested(
  fields: Omit<PolicyDocument, 'schema'>,
  options: Options = {},
  where = fixture.live.url,
): Promise<Tested> {
  const context = cliContext({ cwd: fixture.folder, options: { format: 'json' } });
  const file = write('policy.json', { schema: 1, ...fields });
  const code = await runPolicyTest(context, file, where, { ca: 'ca.pem', ...options });
  const { out, log, error } = context.printed;
  return { code, result: JSON.parse(out.join('\n')) as PolicyTestResult, logged: [...log, ...error].join('\n') };
}

/** By version: the line that holds it back. */
function heldIn({ result }: Tested): Record<string, string> {
  return Object.fromEntries(result.apps.flatMap(({ held }) => held.map(({ version, line }) => [version, line])));
}

test('what is offered and held back, and the latest version', async () => {
  const { code, result } = await tested({ deny: ['*@2.x'] });
  expect(code).toBe(0);
  expect(result).toMatchObject({
    policy: 'policy.json',
    registry: fixture.live.url,
    hidesEverything: false,
    hiddenApps: [],
    apps: [
      {
        key: 'app-a',
        latest: { before: '2.0.0', after: '1.0.0' },
        offered: ['1.0.0'],
        held: [{ version: '2.0.0', cause: 'denied', line: 'deny[0] "*@2.x"', pointer: '/deny/0', offeredAt: null }],
      },
    ],
  });
});

test('a version without a URL is not offered', async () => {
  const { live } = fixture;
  live.versions.push({ version: '3.0.0', artifactChecksum: live.versions[1]!.artifactChecksum } as never);
  live.list();
  const { result } = await tested({});
  expect(result.apps).toMatchObject([{ latest: { before: '2.0.0' }, offered: ['2.0.0', '1.0.0'] }]);
});

test('for people', async () => {
  const context = cliContext({ cwd: fixture.folder });
  const file = write('policy.json', { schema: 1, deny: ['*@2.x'] });
  await runPolicyTest(context, file, fixture.live.url, { ca: 'ca.pem' });
  expect(context.printed.out.join('\n')).toBe(
    [
      'app-a: 1 of 2 versions offered; latest 1.0.0 (2.0.0 without the policy)',
      '    2.0.0  deny[0] "*@2.x" refuses it.',
      '1 app: 1 of 2 versions offered',
    ].join('\n'),
  );
});

test('a policy that hides everything exits with 1, and says so', async () => {
  const { code, result, logged } = await tested({ allow: ['other'] });
  expect(code).toBe(1);
  expect(result).toMatchObject({ hidesEverything: true, hiddenApps: ['app-a'] });
  expect(logged).toContain('The policy hides every version.');
});

/** The lock file of an earlier look, with the checksum of version 1.0.0. */
function memory(checksum: string): string {
  const entry = {
    artifactChecksum: checksum,
    artifactUrl: 'https://apps.example.com/1',
    firstSeen: '2026-01-01T00:00:00Z',
  };
  return write('seen.json', { lock: 1, apps: { 'app-a': { '1.0.0': entry } } });
}

describe('age', () => {
  test('without a memory, versions are held back in strict mode, and that is said', async () => {
    const strict = await tested({ minimumAge: '3d' });
    expect(heldIn(strict)).toEqual({ '1.0.0': 'minimumAge "3d"', '2.0.0': 'minimumAge "3d"' });
    expect(strict.result.apps[0]?.held[0]).toMatchObject({ cause: 'first-seen-unknown', offeredAt: null });
    expect(strict.logged).toContain('Without --first-seen, it is not known when versions were first seen');
    const lenient = await tested({ minimumAge: '3d', minimumAgeStrict: false });
    expect(heldIn(lenient)).toEqual({});
    expect(lenient.logged).toContain('holds none back');
  });

  test('counts from the lock file, for the time that is given', async () => {
    const { artifactChecksum } = fixture.live.versions.find(({ version }) => version === '1.0.0')!;
    const firstSeen = memory(artifactChecksum);
    const early = await tested({ minimumAge: '3d' }, { firstSeen, now: '2026-01-02' });
    expect(early.result.now).toBe('2026-01-02T00:00:00.000Z');
    expect(early.result.apps[0]?.held.find(({ version }) => version === '1.0.0')).toMatchObject({
      cause: 'too-new',
      offeredAt: '2026-01-04T00:00:00.000Z',
    });
    const later = await tested({ minimumAge: '3d' }, { firstSeen, now: '2026-01-04T00:00:00Z' });
    expect(later.result.apps[0]?.offered).toEqual(['1.0.0']);
    const uppercase = memory(artifactChecksum.toUpperCase().replace('SHA256', 'sha256'));
    const sameDigest = await tested({ minimumAge: '3d' }, { firstSeen: uppercase, now: '2026-01-04T00:00:00Z' });
    expect(sameDigest.result.apps[0]?.offered).toEqual(['1.0.0']);
    const other = await tested({ minimumAge: '3d' }, { firstSeen: memory(`sha256:${'0'.repeat(64)}`) });
    expect(heldIn(other)).toHaveProperty(['1.0.0']);
  });

  test.each(['tomorrow', '2026-13-01', '5'])('--now %s is refused', async (now) => {
    await expect(tested({}, { now })).rejects.toMatchObject({ code: 'option-invalid', exit: 2 });
  });
});

test('retirements of the about file count, and a broken one is named', async () => {
  const deprecated = { reason: 'broken', message: 'Broken.' };
  const about = JSON.stringify({ schema: 1, versions: { '2.0.0': { deprecated } } });
  fixture.host.on('/a.about.json', answer({ body: about, headers: { 'content-type': 'application/json' } }));
  expect(heldIn(await tested({ allowDeprecated: ['superseded'] }))).toEqual({
    '2.0.0': 'allowDeprecated ["superseded"]',
  });
  fixture.host.on('/a.about.json', answer({ body: '{', headers: { 'content-type': 'application/json' } }));
  const broken = await tested({ allowDeprecated: [] });
  expect(broken.result.aboutUnknown).toEqual(['app-a']);
  expect(broken.logged).toContain('The about file of app-a cannot be read');
});

describe('attestations', () => {
  const REPORT = { attestations: 'report', key: 'vendor.pub' } as const;
  const ALL = { requireAttestation: ['*'] };

  beforeEach(async () => {
    writeFileSync(join(fixture.folder, 'vendor.pub'), publicKey);
    const bundle = await signedBy(privateKey, statementOf({ key: 'app-a', version: '1.0.0' }, fixture.live.older));
    fixture.host.on('/1.tar.gz.sigstore.json', answer({ body: bundle }));
    fixture.host.on('/2.tar.gz.sigstore.json', answer({ status: 404 }));
  });

  test('have the verdict of verify', async () => {
    const { result } = await tested(ALL, REPORT);
    expect(result.apps[0]).toMatchObject({
      offered: ['1.0.0'],
      held: [{ version: '2.0.0', cause: 'attestation-missing' }],
    });
    const saved = await fixture.runs.verify(fixture.live.url, { ...REPORT, save: 'facts.json' });
    expect(saved.code).toBe(0);
    expect((await tested(ALL, {}, 'facts.json')).result.apps).toEqual(result.apps);
  });

  test('of another version are refused, and unknown ones pending', async () => {
    const bundle = await signedBy(privateKey, statementOf({ key: 'app-a', version: '1.0.0' }, fixture.live.older));
    fixture.host.on('/2.tar.gz.sigstore.json', answer({ body: bundle }));
    fixture.host.on('/1.tar.gz.sigstore.json', answer({ status: 500 }));
    const { result } = await tested(ALL, REPORT);
    expect(result.apps[0]?.held.map(({ cause }) => cause)).toEqual(['attestation-refused', 'attestation-pending']);
  });

  test('that are not checked hold back what requires them, and that is said', async () => {
    const { result, logged } = await tested({ requireAttestation: ['*@2.x'] });
    expect(result.apps[0]?.held).toMatchObject([{ version: '2.0.0', cause: 'attestation-off' }]);
    expect(logged).toContain('Attestations were not checked');
  });

  test('are only checked of a live registry', async () => {
    await fixture.runs.verify(fixture.live.url, { save: 'facts.json' });
    await expect(tested(ALL, REPORT, 'facts.json')).rejects.toMatchObject({ code: 'option-conflict', exit: 2 });
  });

  test('download the artifacts, so that one that is refused is left out', async () => {
    fixture.host.on('/2.tar.gz', answer({ body: 'other bytes' }));
    expect((await tested({}, REPORT)).result.apps[0]?.offered).toEqual(['1.0.0']);
    expect((await tested({})).result.apps[0]?.offered).toEqual(['2.0.0', '1.0.0']);
  });
});

test('--app selects apps, also of saved facts', async () => {
  await fixture.runs.verify(fixture.live.url, { save: 'facts.json', skipArtifacts: true });
  expect((await tested({}, { app: ['app-a'] }, 'facts.json')).result.apps).toMatchObject([{ key: 'app-a' }]);
});

test('an app that is not listed is an error, not an app without versions', async () => {
  await fixture.runs.verify(fixture.live.url, { save: 'facts.json', skipArtifacts: true });
  for (const where of [fixture.live.url, 'facts.json'])
    await expect(tested({}, { app: ['app-a', 'app-aa'] }, where)).rejects.toMatchObject({
      code: 'app-unknown',
      exit: 2,
      message: 'The registry does not list the app “app-aa”. Did you mean app-a?',
    });
});

test('policy checks the file, and names its fields', async () => {
  const context = cliContext({ cwd: fixture.folder });
  expect(await runPolicy(context, write('policy.json', { schema: 1, deny: ['a'], pin: {} }))).toBe(0);
  expect(context.printed.out).toEqual(['policy.json: a valid policy, which decides by deny, pin']);
  const empty = cliContext({ cwd: fixture.folder, options: { format: 'json' } });
  await runPolicy(empty, write('policy.json', { schema: 1 }));
  expect(JSON.parse(empty.printed.out.join(''))).toMatchObject({ file: 'policy.json', fields: [] });
  const broken = write('policy.json', { schema: 1, denny: [] });
  await expect(runPolicy(context, broken)).rejects.toMatchObject({ code: 'policy-invalid', exit: 2 });
});
