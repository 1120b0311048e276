import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AppregError } from '../../src/core/errors/error.ts';
import { runAttestation } from '../../src/cli/commands/attestation.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { runRelease } from '../../src/cli/commands/release.ts';
import { writeFiles } from '../bundle/tree.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import { gitHubToken, startSigningService, type SigningService } from '../support/signing-service.ts';
import { contextIn, type Recorded, refusal, snapshot } from './author-support.ts';
import { FIRST_ARTIFACT, lintsClean, type Options, SECOND_ARTIFACT, workspace } from './publish-fixture.ts';
import { repository, sources } from './release-fixture.ts';

/** Attestations of the commands that publish. */

const { privateKey, publicKey } = vendorKeys();
const BUNDLE = 'apps/a/versions/1.0.0.tar.gz.sigstore.json';
const ONE = { artifact: '../one.tar.gz', readBack: false };

/** A run of GitHub Actions with the permission id-token: write. */
const GITHUB = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/apps',
  GITHUB_SHA: 'f00dcafef00dcafef00dcafef00dcafef00dcafe',
  GITHUB_RUN_ID: '7',
  GITHUB_WORKFLOW_REF: 'acme/apps/.github/workflows/release.yml@refs/tags/v1.2.0',
  SIGSTORE_ID_TOKEN: gitHubToken(),
};

function set(root: string, evidence: object): void {
  const file = join(root, 'appreg.config.json');
  const before: object = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  writeFileSync(file, JSON.stringify({ ...before, evidence }));
}

async function publish(
  root: string,
  options: Options,
  env: NodeJS.ProcessEnv = {},
  version = '1.0.0',
): Promise<Recorded> {
  const context = { ...contextIn(root), env };
  expect(await runPublishVersion(context, 'a', version, { ...ONE, ...options })).toBe(0);
  return context;
}

/** What `appreg attestation` prints about a published version. */
async function verified(
  root: string,
  options: Parameters<typeof runAttestation>[2],
  path = 'apps/a/versions/1.0.0.tar.gz',
): Promise<string> {
  const context = contextIn(root);
  expect(await runAttestation(context, path, { app: 'a@1.0.0', ...options })).toBe(0);
  return context.printed.out.join('\n');
}

describe('publish-version --attest-key-env', () => {
  test('publishes what appreg attestation accepts, and lint is clean beside it', async () => {
    const root = await workspace();
    await publish(root, { attestKeyEnv: 'KEY' }, { KEY: privateKey });
    writeFileSync(join(root, '../acme.pub'), publicKey);
    expect(await verified(root, { key: '../acme.pub' })).toContain('subject     a@1.0.0');
    await lintsClean(root);
    const before = readFileSync(join(root, BUNDLE));
    await publish(root, { attestKeyEnv: 'KEY' }, { KEY: privateKey });
    expect(readFileSync(join(root, BUNDLE))).toEqual(before);
  });

  test('by the setting signs the packages too', async () => {
    const root = writeFiles(await workspace(), { 'main.ts': 'export const app = 1;\n' });
    set(root, { attestKeyEnv: 'KEY', sbom: true });
    await publish(root, { artifact: undefined, entry: 'main.ts' } as never, { KEY: privateKey });
    const { dsseEnvelope } = JSON.parse(readFileSync(join(root, BUNDLE), 'utf8')) as {
      dsseEnvelope: { payload: string };
    };
    const statement = JSON.parse(Buffer.from(dsseEnvelope.payload, 'base64').toString());
    expect(statement.subject.map(({ name }: { name: string }) => name)).toEqual(['a@1.0.0', 'a@1.0.0/sbom.cdx.json']);
  });

  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  test.each<[string, string | undefined, string]>([
    ['a missing variable', undefined, 'The environment variable KEY is not set.'],
    ['another curve', String(p384), 'The key in KEY is not an ECDSA key on the curve P-256.'],
  ])('with %s is refused before anything is written', async (_, key, text) => {
    const root = await workspace();
    const before = snapshot(root);
    const error = await refusal(publish(root, { attestKeyEnv: 'KEY' }, key === undefined ? {} : { KEY: key }));
    expect(error).toMatchObject({ code: 'attestation-key-invalid', exit: 2, message: text });
    expect(snapshot(root)).toBe(before);
  });
});

function statement(version: string, bytes: Uint8Array = FIRST_ARTIFACT): string {
  return statementOf({ key: 'a', version }, bytes);
}

describe('publish-version --attestation', () => {
  test('publishes the given bundle as it is', async () => {
    const root = await workspace();
    const bundle = await signedBy(privateKey, statement('1.0.0'));
    writeFiles(root, { '../a.sigstore.json': bundle.toString(), '../acme.pub': publicKey });
    await publish(root, { attestation: '../a.sigstore.json', key: '../acme.pub' });
    expect(readFileSync(join(root, BUNDLE))).toEqual(Buffer.from(bundle));
    await verified(root, { key: '../acme.pub' });
  });

  const other = vendorKeys().privateKey;
  test.each<[string, () => Promise<Uint8Array>, string]>([
    ['another version', () => signedBy(privateKey, statement('2.0.0')), 'for “a@2.0.0”, not for “a@1.0.0”'],
    ['other bytes', () => signedBy(privateKey, statement('1.0.0', SECOND_ARTIFACT)), 'is for other bytes'],
    ['another signer', () => signedBy(other, statement('1.0.0')), 'not valid for the given key'],
    ['another text', async () => Buffer.from('{}'), 'not a valid Sigstore bundle'],
  ])('of %s is refused before anything is written, also by a dry run', async (_, make, text) => {
    const root = await workspace();
    writeFiles(root, { '../a.sigstore.json': (await make()).toString(), '../acme.pub': publicKey });
    const before = snapshot(root);
    for (const dryRun of [false, true]) {
      const options = { attestation: '../a.sigstore.json', key: '../acme.pub', dryRun };
      const error = await refusal(publish(root, options));
      expect(error).toMatchObject({ code: 'attestation-refused', exit: 2, effect: 'none' });
      expect(error.message).toContain(text);
    }
    expect(snapshot(root)).toBe(before);
  });
});

/** A configuration with a key of the vendor. */
async function withKey(more: object = {}, key = publicKey): Promise<string> {
  const root = await workspace();
  writeFileSync(join(root, 'acme.pub'), key);
  set(root, { attestations: { key: 'acme.pub', ...more } });
  return root;
}
const refused = async (root: string, options: Options, env: NodeJS.ProcessEnv = {}): Promise<AppregError> => {
  const before = snapshot(root);
  const error = await refusal(publish(root, options, env));
  expect(snapshot(root)).toBe(before);
  return error;
};

describe('what evidence.attestations requires', () => {
  test.each([true, false])('a key that is not that of the configuration is refused (dry run: %s)', async (dryRun) => {
    const root = await withKey({}, vendorKeys().publicKey);
    const error = await refused(root, { attestKeyEnv: 'KEY', dryRun }, { KEY: privateKey });
    expect(error).toMatchObject({
      code: 'attestation-refused',
      message:
        'The key in KEY is not the signer that evidence.attestations of the configuration requires: it names the key acme.pub. Nothing was changed.',
    });
  });

  test('a key where an identity is required is refused, and the reverse', async () => {
    const root = await workspace();
    set(root, { attestations: { issuer: 'https://issuer.example', repository: 'https://github.com/acme/apps' } });
    const error = await refused(root, { attestKeyEnv: 'KEY' }, { KEY: privateKey });
    expect(error).toMatchObject({ code: 'attestation-refused' });
    expect(error.message).toContain('it names an identity');
    const reverse = await refused(await withKey(), { attest: true }, GITHUB);
    expect(reverse).toMatchObject({ code: 'attestation-refused' });
  });

  test('a version without an attestation is refused, unless the rule is no error or one is there', async () => {
    const root = await withKey({ mode: 'require' });
    for (const dryRun of [true, false])
      expect(await refused(root, { dryRun })).toMatchObject({
        code: 'rule-violation',
        exit: 1,
        rules: ['attestation-missing'],
      });
    await publish(root, { attestKeyEnv: 'KEY' }, { KEY: privateKey });
    await lintsClean(root);
    // Nothing is new, so nothing is required.
    await publish(root, {});

    const lenient = await withKey({ mode: 'require' });
    const config = join(lenient, 'appreg.config.json');
    const rules = { 'attestation-missing': 'warning' };
    writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), rules }));
    await publish(lenient, {});
  });

  test('release refuses one too, and --check passes', async () => {
    const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
    writeFileSync(join(root, 'acme.pub'), publicKey);
    set(root, { attestations: { key: 'acme.pub', mode: 'require' } });
    expect(await runRelease(contextIn(root), { check: true })).toBe(0);
    for (const dryRun of [true, false]) {
      const context = contextIn(root);
      expect(await runRelease(context, { dryRun })).toBe(1);
      expect(context.printed.out.join('\n')).toContain('attestation-missing: The artifact has no attestation');
    }
    expect(await runRelease({ ...contextIn(root), env: { KEY: privateKey } }, { attestKeyEnv: 'KEY' })).toBe(0);
    expect(await runRelease(contextIn(root), {})).toBe(0);
  });
});

describe('options and settings that exclude each other', () => {
  test.each<[string, object, Options, string]>([
    ['two options', {}, { attest: true, attestKeyEnv: 'KEY' }, 'option-conflict'],
    ['a signer without a file', {}, { attest: true, key: 'acme.pub' }, 'option-conflict'],
    ['a missing file', {}, { attestation: 'nowhere.json' }, 'file-unreadable'],
    ['two settings', { attest: true, attestKeyEnv: 'KEY' }, {}, 'config-invalid'],
    ['no token', {}, { attest: true }, 'attestation-identity-missing'],
  ])('%s: refused before anything is written', async (_, evidence, options, code) => {
    const root = await workspace();
    set(root, evidence);
    const before = snapshot(root);
    expect(await refusal(publish(root, options))).toMatchObject({ code, exit: 2 });
    expect(snapshot(root)).toBe(before);
  });

  test('an artifact that is hosted elsewhere has no place for an attestation', async () => {
    const context = contextIn(await workspace());
    const options = { artifactUrl: 'https://cdn.example.com/a.tar.gz', attest: true };
    const error = await refusal(runPublishVersion(context, 'a', '1.0.0', options));
    expect(error).toMatchObject({ code: 'option-conflict', exit: 2 });
    expect(error.message).toContain('--artifact-url');
  });
});

describe('--attest', () => {
  let service: SigningService;
  beforeAll(async () => {
    service = await startSigningService();
  });
  afterAll(() => service.close());
  afterEach(() => service.failures.clear());

  const SIGNER = { issuer: 'https://token.actions.githubusercontent.com', repository: 'https://github.com/acme/apps' };

  /** The settings of a private instance of Sigstore. */
  function privateInstance(root: string, more: object = {}): void {
    writeFileSync(join(root, 'root.json'), service.trustedRoot);
    const attestations = { trustedRoot: 'root.json', ...SIGNER };
    set(root, { sigstore: { fulcio: service.url, rekor: service.url }, attestations, ...more });
  }

  test('says which workflow built the version, from which commit', async () => {
    const root = await workspace();
    privateInstance(root);
    await publish(root, { attest: true }, GITHUB);
    const text = await verified(root, { ...SIGNER, trustedRoot: 'root.json' });
    expect(text).toContain('https://github.com/acme/apps/.github/workflows/release.yml@refs/tags/v1.2.0');
    expect(text).toContain('f00dcafef00dcafef00dcafef00dcafef00dcafe');
    // The stored one is kept, and nothing is signed again.
    const before = readFileSync(join(root, BUNDLE));
    service.failures.set('/api/v2/signingCert', 500);
    await publish(root, { attest: true }, GITHUB);
    expect(readFileSync(join(root, BUNDLE))).toEqual(before);
  });

  test.each(['/api/v2/signingCert', '/api/v1/log/entries'])('if %s fails, nothing is written', async (path) => {
    const root = await workspace();
    privateInstance(root);
    service.failures.set(path, 403);
    const before = snapshot(root);
    const error = await refusal(publish(root, { attest: true }, GITHUB));
    expect(error).toMatchObject({ code: 'attestation-failed', exit: 2, effect: 'none' });
    expect(snapshot(root)).toBe(before);
  });

  test('by another workflow than that of the configuration is refused, and nothing is written', async () => {
    const root = await workspace();
    const attestations = { trustedRoot: 'root.json', ...SIGNER, identity: 'https://github.com/acme/apps/other.yml@*' };
    privateInstance(root, { attestations });
    const before = snapshot(root);
    const error = await refusal(publish(root, { attest: true }, GITHUB));
    expect(error).toMatchObject({ code: 'attestation-refused', exit: 2, effect: 'none' });
    expect(snapshot(root)).toBe(before);
  });

  test('with --dry-run requests nothing, and needs no token', async () => {
    const root = await workspace();
    set(root, { sigstore: { fulcio: 'http://127.0.0.1:1', rekor: 'http://127.0.0.1:1' }, attest: true });
    const before = snapshot(root);
    const { printed } = await publish(root, { dryRun: true });
    expect(printed.out.join('\n')).toContain(`create ${BUNDLE}  (the attestation of a 1.0.0, not signed yet)`);
    expect(snapshot(root)).toBe(before);
  });

  async function apps(): Promise<string> {
    const root = await repository(sources({ clock: '1.0.0', lamp: '1.0.0' }), { listed: ['clock', 'lamp'] });
    privateInstance(root, { attest: true });
    return root;
  }

  test('release signs each version, and --check none', async () => {
    const root = await apps();
    service.failures.set('/api/v2/signingCert', 500);
    await runRelease({ ...contextIn(root), env: {} }, { check: true });
    const dry = contextIn(root);
    expect(await runRelease({ ...dry, env: {} }, { dryRun: true })).toBe(0);
    expect(dry.printed.out.join('\n')).toContain('lamp/versions/1.0.0.tar.gz.sigstore.json');
    service.failures.clear();
    expect(await runRelease({ ...contextIn(root), env: GITHUB }, {})).toBe(0);
    for (const key of ['clock', 'lamp']) {
      const signer = { ...SIGNER, trustedRoot: 'root.json', app: `${key}@1.0.0` };
      await verified(root, signer, `apps/${key}/versions/1.0.0.tar.gz`);
    }
  });

  test('a release that cannot be signed ends, and nothing is written', async () => {
    const root = await apps();
    service.failures.set('/api/v1/log/entries', 403);
    const before = snapshot(root);
    const error = await refusal(runRelease({ ...contextIn(root), env: GITHUB }, {}));
    expect(error).toMatchObject({ code: 'attestation-failed', exit: 2 });
    expect(snapshot(root)).toBe(before);
  });
});
