import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Config } from '../../src/cli/config/config.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { sha256Of } from '../../src/store/bytes.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import { comparableReport } from '../support/cli-runs.ts';
import { folder, write } from '../support/folders.ts';
import { archive, checksum } from '../support/live-registry.ts';
import { contextIn } from './author-support.ts';

/** `lint` verifies the attestations beside the artifacts of a workspace, by the rules of `verify`. */

const BASE = 'https://apps.example.com/';
const { privateKey, publicKey } = vendorKeys();
const OLD = archive('export const version = 1;');
const NEW = archive('export const version = 2;');
const pathOf = (version: string): string => `apps/clock/versions/${version}.tar.gz`;
const BUNDLE = `${pathOf('2.0.0')}.sigstore.json`;

let root: string;
beforeEach(() => {
  root = folder({ 'vendor.pub': publicKey, 'other.pub': vendorKeys().publicKey });
  const version = (number: string, bytes: Uint8Array): object => ({
    version: number,
    artifactUrl: `${BASE}${pathOf(number)}`,
    artifactChecksum: checksum(bytes),
  });
  const entry = {
    name: 'Clock',
    description: 'Shows the time.',
    blockStyle: { iconUrl: `${BASE}apps/clock/icon.svg`, color: '#336699' },
    appMetadataUrl: `${BASE}apps/clock/versions.json`,
  };
  write(root, {
    'registry.json': { apps: { clock: entry } },
    'apps/clock/versions.json': { versions: [version('2.0.0', NEW), version('1.0.0', OLD)] },
    'apps/clock/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>',
    [pathOf('2.0.0')]: NEW,
    [pathOf('1.0.0')]: OLD,
  });
});

type Settings = NonNullable<NonNullable<Config['evidence']>['attestations']>;

async function linted(attestations?: Settings, target = '.'): Promise<{ report: Report; pretty: string }> {
  write(root, { 'appreg.config.json': { baseUrl: BASE, ...(attestations && { evidence: { attestations } }) } });
  const printed = async (format: string): Promise<string> => {
    const context = contextIn(root, { format });
    await runLint(context, [target], {});
    return context.printed.out.join('\n');
  };
  return { report: JSON.parse(await printed('json')) as Report, pretty: await printed('pretty') };
}

const found = ({ findings }: Report): string[] =>
  findings.map(({ severity, rule, cause, version }) => `${severity} ${rule} ${cause} ${version}`);

const bundle = (version: string, bytes: Uint8Array, bill: string | null = null): Promise<Uint8Array> =>
  signedBy(
    privateKey,
    statementOf({ key: 'clock', version }, bytes, {
      sbomSha256: bill === null ? null : sha256Of(Buffer.from(bill)),
    }),
  );

describe('without settings', () => {
  test('companion files change nothing in the report of a correct workspace', async () => {
    const before = await linted();
    expect(found(before.report)).toEqual([]);
    write(root, { [BUNDLE]: await bundle('2.0.0', NEW) });
    const after = await linted();
    expect(comparableReport(after.report)).toEqual(comparableReport(before.report));
    expect(after.pretty).not.toContain('verified,');
  });

  test.each<[string, () => Promise<Uint8Array | string> | string, string]>([
    ['another text', () => 'no JSON', 'warning attestation-invalid form 2.0.0'],
    ['another JSON', () => '{"versions":[]}', 'warning attestation-invalid form 2.0.0'],
    ['more than 1 MB', () => '{'.repeat(1_000_001), 'warning attestation-invalid form 2.0.0'],
    ['that of the lower version', () => bundle('1.0.0', OLD), 'warning attestation-invalid digest 2.0.0'],
    ['that of another number', () => bundle('1.9.0', NEW), 'warning attestation-other-version null 2.0.0'],
    ['another signed payload', () => signedBy(privateKey, '{}'), 'warning attestation-invalid form 2.0.0'],
  ])('%s is reported', async (_, content, expected) => {
    write(root, { [BUNDLE]: await content() });
    expect(found((await linted()).report)).toEqual([expected]);
  });

  test.each<[string, (bundles: string[]) => string, string]>([
    ['on a line each', (bundles) => `${bundles.join('\n')}\n`, 'several attestations, one on each line'],
    ['in a list', (bundles) => `[${bundles.join(',')}]`, 'a list of attestations'],
  ])('several attestations %s are named', async (_, inOneFile, message) => {
    const bundles = [await bundle('1.0.0', OLD), await bundle('2.0.0', NEW)];
    write(root, { [BUNDLE]: inOneFile(bundles.map((bytes) => Buffer.from(bytes).toString())) });
    const { report } = await linted();
    expect(found(report)).toEqual(['warning attestation-invalid form 2.0.0']);
    expect(report.findings[0]?.message).toContain(message);
  });

  test('a bill of materials that is not the attested one is reported', async () => {
    write(root, { [BUNDLE]: await bundle('2.0.0', NEW, '{}\n'), [`${pathOf('2.0.0')}.cdx.json`]: '{"changed":1}' });
    expect(found((await linted()).report)).toEqual(['warning attestation-invalid digest 2.0.0']);
    write(root, { [`${pathOf('2.0.0')}.cdx.json`]: '{}\n' });
    expect(found((await linted()).report)).toEqual([]);
  });

  test('a folder in its place is nothing', async () => {
    mkdirSync(join(root, BUNDLE));
    expect(found((await linted()).report)).toEqual([]);
  });
});

describe('with a signer', () => {
  beforeEach(async () => {
    write(root, { [BUNDLE]: await bundle('2.0.0', NEW) });
  });

  test('the signature is verified, and the result is printed', async () => {
    const { report, pretty } = await linted({ key: 'vendor.pub' });
    expect(found(report)).toEqual([]);
    expect(pretty).toContain('1 version verified, signed with the key sha256:');
    expect(found((await linted({ key: 'other.pub' })).report)).toEqual(['warning attestation-invalid signature 2.0.0']);
  });

  test('required attestations are errors, also missing ones', async () => {
    const { report } = await linted({ mode: 'require', key: 'vendor.pub' });
    expect(found(report)).toEqual(['error attestation-missing null 1.0.0']);
    rmSync(join(root, BUNDLE));
    write(root, { [`${pathOf('1.0.0')}.sigstore.json`]: await bundle('1.0.0', OLD) });
    expect(found((await linted({ mode: 'require', key: 'vendor.pub' })).report)).toEqual([
      'error attestation-lost not-continued 2.0.0',
    ]);
  });

  test('artifacts that are stored elsewhere are not judged', async () => {
    rmSync(join(root, 'apps/clock/versions'), { recursive: true });
    const { report } = await linted({ mode: 'require', key: 'vendor.pub' });
    expect(found(report)).toEqual([]);
    expect(report.outcome).toBe('clean');
  });

  test('the mode off verifies nothing', async () => {
    write(root, { [BUNDLE]: 'no JSON' });
    expect(found((await linted({ mode: 'off', key: 'vendor.pub' })).report)).toEqual([]);
  });

  test('a metadata file by itself is judged by the bytes', async () => {
    write(root, { [BUNDLE]: await bundle('1.0.0', OLD) });
    const { report } = await linted({ key: 'vendor.pub' }, 'apps/clock/versions.json');
    expect(found(report)).toEqual(['warning attestation-invalid digest 2.0.0']);
  });
});

test('a signer that is missing is named by its settings: lint has no such options', async () => {
  await expect(linted({ mode: 'require' })).rejects.toMatchObject({
    code: 'option-missing',
    hint: expect.stringMatching(/^Set evidence\.attestations\.key, or issuer with identity or repository/),
  });
  write(root, { [BUNDLE]: await bundle('2.0.0', NEW) });
  const { report } = await linted({ mode: 'report' });
  expect(report.findings.map(({ advice }) => advice).join()).toContain('evidence.attestations.key');
});
