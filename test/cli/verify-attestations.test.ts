import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runDiagnose } from '../../src/cli/commands/diagnose.ts';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import type { VerifyOptions } from '../../src/cli/check/verify-options.ts';
import { type Config, settingsOf } from '../../src/cli/config/config.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import { cliContext } from '../support/cli-context.ts';
import { comparableReport } from '../support/cli-runs.ts';
import { answer } from '../support/fault-host.ts';
import { verifyFixture } from './verify-fixture.ts';

/** `verify --attestations`, and what judge and diagnose make of the facts. */

const fixture = verifyFixture();
const { privateKey, publicKey } = vendorKeys();
const REQUIRE: VerifyOptions = { attestations: 'require', key: 'vendor.pub' };

/** The lower version has a valid attestation; the higher one has that of the lower one. */
beforeEach(async () => {
  writeFileSync(join(fixture.folder, 'vendor.pub'), publicKey);
  const bundle = await signedBy(privateKey, statementOf({ key: 'app-a', version: '1.0.0' }, fixture.live.older));
  for (const file of ['1.tar.gz', '2.tar.gz']) fixture.host.on(`/${file}.sigstore.json`, answer({ body: bundle }));
});

function rulesIn(report: Report): string[] {
  return report.findings
    .filter(({ rule }) => rule.startsWith('attestation-'))
    .map(({ severity, rule, cause, version }) => `${severity} ${rule} ${cause} ${version}`);
}

const requested = (): string[] => fixture.host.requests.map(({ path }) => path).filter((path) => /sigstore/.test(path));

test('judge repeats the verdict from saved facts', async () => {
  const { code, report } = await fixture.runs.verify(fixture.live.url, { ...REQUIRE, save: 'facts.json' });
  expect(code).toBe(1);
  expect(rulesIn(report)).toEqual(['error attestation-invalid digest 2.0.0']);
  expect(report.apps).toMatchObject([{ visible: true, latest: '1.0.0' }]);
  const again = await fixture.runs.judge('facts.json');
  expect(again.code).toBe(1);
  expect(comparableReport(again.report)).toEqual(comparableReport(report));
});

describe('what is proved', () => {
  const LINE = '1 version verified, signed with the key ';

  test.each(['pretty', 'markdown'])('%s names who built how many versions', async (format) => {
    const { out } = await fixture.runs.verify(fixture.live.url, { ...REQUIRE, save: 'facts.json' }, { format });
    expect(out).toContain(LINE);
    const context = cliContext({ cwd: fixture.folder, options: { format } });
    await runJudge(context, ['facts.json']);
    expect(context.printed.out.join('\n')).toContain(LINE);
  });

  test('is not said without valid attestations, nor without the option', async () => {
    const none = await fixture.runs.verify(fixture.live.url, {}, { format: 'pretty' });
    expect(none.out).not.toContain('verified,');
    for (const file of ['1.tar.gz', '2.tar.gz']) fixture.host.on(`/${file}.sigstore.json`, answer({ status: 404 }));
    const absent = await fixture.runs.verify(fixture.live.url, { attestations: 'report' }, { format: 'pretty' });
    expect(absent.out.replace(/[\d.]+ s\)/, '')).toBe(none.out.replace(/[\d.]+ s\)/, ''));
  });
});

test.each(['pretty', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'])('%s names the rule', async (format) => {
  const { out } = await fixture.runs.verify(fixture.live.url, REQUIRE, { format });
  expect(out).toContain('attestation-invalid');
  expect(out).toContain('The attestation is for other bytes');
});

test('without the option, no attestation is requested or mentioned', async () => {
  const { out } = await fixture.runs.verify(fixture.live.url, { save: 'facts.json' }, { format: 'junit' });
  expect(requested()).toEqual([]);
  expect(out).not.toContain('attestation');
});

test('with a cache, attestations are requested in each run', async () => {
  await fixture.runs.verify(fixture.live.url, { ...REQUIRE, cache: 'cache' });
  fixture.host.on('/2.tar.gz.sigstore.json', answer({ status: 404 }));
  fixture.host.requests.length = 0;
  const { report } = await fixture.runs.verify(fixture.live.url, { ...REQUIRE, cache: 'cache' });
  expect(fixture.host.requestsFor('/2.tar.gz')).toEqual([]);
  expect(rulesIn(report)).toEqual(['error attestation-lost not-continued 2.0.0']);
  const without = await fixture.runs.verify(fixture.live.url, { cache: 'cache' });
  expect(rulesIn(without.report)).toEqual([]);
});

test('saved facts as a baseline show which attestation was removed', async () => {
  await fixture.runs.verify(fixture.live.url, { ...REQUIRE, save: 'before.json' });
  fixture.host.on('/1.tar.gz.sigstore.json', answer({ status: 404 }));
  const { report } = await fixture.runs.verify(fixture.live.url, { ...REQUIRE, against: 'before.json' });
  expect(rulesIn(report)).toContain('error attestation-lost removed 1.0.0');
});

/** The report of a run with such a configuration, in another folder. */
async function verified(
  attestations: NonNullable<Config['evidence']>['attestations'],
  options: VerifyOptions = {},
): Promise<Report> {
  const root = join(fixture.folder, 'workspace');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'own.pub'), publicKey);
  const context = cliContext({
    cwd: fixture.folder,
    options: { format: 'json' },
    config: async () => settingsOf({ evidence: { attestations: attestations ?? {} } }, null, root),
  });
  await runVerify(context, fixture.live.url, { ca: 'ca.pem', ...options });
  return JSON.parse(context.printed.out.join('')) as Report;
}

describe('the configuration', () => {
  test('sets the mode and the signer; its files are relative to it', async () => {
    const report = await verified({ mode: 'report', key: 'own.pub' });
    expect(rulesIn(report)).toEqual(['warning attestation-invalid digest 2.0.0']);
  });

  test('gives way to the command line', async () => {
    writeFileSync(join(fixture.folder, 'other.pub'), vendorKeys().publicKey);
    const report = await verified({ mode: 'report', key: 'own.pub' }, { attestations: 'require', key: 'other.pub' });
    expect(rulesIn(report)).toEqual([
      'error attestation-invalid signature 1.0.0',
      'error attestation-invalid signature 2.0.0',
    ]);
    expect(rulesIn(await verified({ mode: 'require', key: 'own.pub' }, { attestations: 'off' }))).toEqual([]);
  });
});

test.each<[string, VerifyOptions, string]>([
  ['no signer', { attestations: 'require' }, 'The signer is not given.'],
  ['an issuer alone', { attestations: 'report', issuer: 'https://gitlab.com' }, 'The signer is not given.'],
  ['two signers', { ...REQUIRE, identity: 'a@example.com' }, '--key is used with'],
  ['a signer alone', { key: 'vendor.pub' }, 'attestations are not checked'],
  ['a trusted root alone', { trustedRoot: 'root.json' }, 'attestations are not checked'],
  ['no artifacts', { ...REQUIRE, skipArtifacts: true }, 'cannot be checked with --skip-artifacts'],
  ['a missing key', { attestations: 'report', key: 'gone.pub' }, 'gone.pub'],
  ['another file as the trusted root', { ...REQUIRE, trustedRoot: 'vendor.pub' }, 'is not a trusted root'],
])('%s is refused before the first request', async (_, options, text) => {
  await expect(fixture.runs.verify(fixture.live.url, options)).rejects.toThrow(text);
  expect(fixture.host.requests).toEqual([]);
});

test('diagnose explains why a version is not offered, also from its bundle', async () => {
  const diagnosed = async (where: string, more: Parameters<typeof runDiagnose>[2] = {}): Promise<string> => {
    const context = cliContext({ cwd: fixture.folder, options: { format: 'pretty' } });
    await runDiagnose(context, where, { app: ['app-a'], version: '2.0.0', ...more });
    return context.printed.out.join('\n');
  };
  const live = await diagnosed(fixture.live.url, { ca: 'ca.pem', ...REQUIRE, bundle: 'ticket.json' });
  expect(live).toContain('The attestation is for other bytes');
  expect(await diagnosed('ticket.json')).toContain('The attestation is for other bytes');
  await expect(diagnosed('ticket.json', REQUIRE)).rejects.toThrow('cannot be used with saved facts');
});
