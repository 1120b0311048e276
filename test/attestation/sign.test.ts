import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keylessSigner } from '../../src/attestation/keyless.ts';
import { createAttestation, keySigner } from '../../src/attestation/sign.ts';
import { readPublicKey, readTrustedRoot, shippedTrust, type Trust } from '../../src/attestation/trust.ts';
import { verifyAttestation } from '../../src/attestation/verify.ts';
import type { AttestationFacts } from '../../src/core/facts/attestation.ts';
import { ciRunOf } from '../../src/core/attestation/build-types.ts';
import { judgeAttestation } from '../../src/core/attestation/judge.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import { gitHubToken, startSigningService, type SigningService } from '../support/signing-service.ts';

const artifact = Buffer.from('the bytes of an artifact');
const sha256 = createHash('sha256').update(artifact).digest('hex');
const app = { key: 'clock', version: '1.2.0' };
const policy = { sha256, app, sbomSha256: null, signer: null };

/** The facts of a judgement that is repeated from saved facts. */
function saved(facts: AttestationFacts): AttestationFacts {
  return JSON.parse(JSON.stringify(facts)) as AttestationFacts;
}

function failureOf(bundle: Uint8Array, trust: Trust): AttestationFacts['failure'] {
  return verifyAttestation(bundle, trust).failure;
}

interface BundleJson {
  mediaType: string;
  verificationMaterial: { publicKey?: { hint: string }; tlogEntries: unknown[] };
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string }[] };
}

function jsonOf(bundle: Uint8Array): BundleJson {
  return JSON.parse(Buffer.from(bundle).toString('utf8')) as BundleJson;
}

describe('with a key', () => {
  const { privateKey, publicKey } = vendorKeys();
  const trust = shippedTrust(readPublicKey(publicKey, 'vendor.pub'));

  test('the attestation is a Sigstore bundle v0.3 that names the key, and is verified with it', async () => {
    const bundle = await signedBy(privateKey, statementOf(app, artifact));
    const der = createHash('sha256').update(Buffer.from(publicKey.replace(/-----.*-----|\n/g, ''), 'base64'));
    expect(jsonOf(bundle)).toMatchObject({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: der.digest('base64') } },
      dsseEnvelope: { payloadType: 'application/vnd.in-toto+json' },
    });
    const facts = saved(verifyAttestation(bundle, trust));
    expect(facts).toMatchObject({ failure: null, signer: { kind: 'key', sha256: trust.key?.sha256 }, signedAt: null });
    expect(judgeAttestation(facts, { ...policy, signer: { key: trust.key?.sha256 ?? '' } })).toBeNull();
  });

  test('openssl agrees on the signature and the digest', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'appreg-openssl-'));
    try {
      const { dsseEnvelope } = jsonOf(await signedBy(privateKey, statementOf(app, artifact)));
      const payload = Buffer.from(dsseEnvelope.payload, 'base64');
      const encoded = `DSSEv1 ${dsseEnvelope.payloadType.length} ${dsseEnvelope.payloadType} ${payload.length} `;
      writeFileSync(join(folder, 'key.pub'), publicKey);
      writeFileSync(join(folder, 'signed'), Buffer.concat([Buffer.from(encoded), payload]));
      writeFileSync(join(folder, 'signature'), Buffer.from(dsseEnvelope.signatures[0]?.sig ?? '', 'base64'));
      writeFileSync(join(folder, 'artifact'), artifact);
      const openssl = (words: string): string =>
        execFileSync('openssl', words.split(' '), { cwd: folder, encoding: 'utf8' }).trim();
      expect(openssl('dgst -sha256 -verify key.pub -signature signature signed')).toBe('Verified OK');
      const { subject } = JSON.parse(payload.toString('utf8')) as { subject: { digest: { sha256: string } }[] };
      expect(openssl('dgst -sha256 -r artifact')).toContain(subject[0]?.digest.sha256);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a changed statement, another key and no key are each named', async () => {
    const bundle = await signedBy(privateKey, statementOf(app, artifact));
    const json = jsonOf(bundle);
    const other = Buffer.from(statementOf({ ...app, version: '9.0.0' }, artifact)).toString('base64');
    const changed = { ...json, dsseEnvelope: { ...json.dsseEnvelope, payload: other } };
    expect(failureOf(Buffer.from(JSON.stringify(changed)), trust)).toEqual({ cause: 'signature', code: 'other-key' });
    const otherTrust = shippedTrust(readPublicKey(vendorKeys().publicKey, 'other.pub'));
    expect(failureOf(bundle, otherTrust)).toEqual({ cause: 'signature', code: 'other-key' });
    expect(failureOf(bundle, shippedTrust())).toEqual({ cause: 'signature', code: 'no-key' });
  });

  test('a key on one line is accepted', () => {
    expect(() => keySigner({ KEY: privateKey.replaceAll('\n', String.raw`\n`) }, 'KEY')).not.toThrow();
  });

  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  test.each<[string, string | undefined, string]>([
    ['a missing variable', undefined, 'The environment variable KEY is not set.'],
    ['another text', 'secret text', 'The environment variable KEY contains no unencrypted private key in PEM.'],
    [
      'another curve',
      p384.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'The key in KEY is not an ECDSA key on the curve P-256.',
    ],
  ])('%s is refused, without quoting it', (_, key, text) => {
    expect(() => keySigner(key === undefined ? {} : { KEY: key }, 'KEY')).toThrow(text);
  });

  test.each<[string, string, string]>([
    ['a private key', privateKey, 'k is a private key.'],
    ['another text', 'text', 'k is not a public key in PEM.'],
    [
      'another curve',
      p384.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      'k is not an ECDSA key on the curve P-256.',
    ],
  ])('%s is not a public key', (_, pem, text) => {
    expect(() => readPublicKey(pem, 'k')).toThrow(text);
  });
});

describe('without a key', () => {
  let service: SigningService;
  beforeAll(async () => {
    service = await startSigningService();
  });
  afterAll(() => service.close());

  const run = ciRunOf({
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/apps',
    GITHUB_SHA: 'f00dcafef00dcafef00dcafef00dcafef00dcafe',
    GITHUB_RUN_ID: '7',
    GITHUB_WORKFLOW_REF: 'acme/apps/.github/workflows/release.yml@refs/tags/v1.2.0',
  });
  const signed = (token = gitHubToken()): Promise<Uint8Array> =>
    createAttestation(
      statementOf(app, artifact, { run }),
      keylessSigner({ SIGSTORE_ID_TOKEN: token }, { fulcioUrl: service.url, rekorUrl: service.url }),
    );

  test('the certificate names the workflow, and the log contains the signature', async () => {
    const bundle = await signed();
    const facts = saved(verifyAttestation(bundle, readTrustedRoot(service.trustedRoot, 'root.json')));
    expect(facts).toMatchObject({
      failure: null,
      signer: {
        kind: 'certificate',
        issuer: 'https://token.actions.githubusercontent.com',
        identity: 'https://github.com/acme/apps/.github/workflows/release.yml@refs/tags/v1.2.0',
        repository: 'https://github.com/acme/apps',
        commit: 'f00dcafef00dcafef00dcafef00dcafef00dcafe',
        ref: 'refs/tags/v1.2.0',
      },
      signedAt: expect.stringMatching(/^\d{4}-/) as string,
      log: [{ logId: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
    });
    const signer = {
      issuer: 'https://token.actions.githubusercontent.com',
      identity: 'https://github.com/acme/apps/.github/workflows/release.yml@refs/tags/*',
      repository: 'https://github.com/acme/apps.git',
    };
    expect(judgeAttestation(facts, { ...policy, signer })).toBeNull();
    expect(judgeAttestation(facts, { ...policy, signer: { ...signer, issuer: 'https://gitlab.com' } })).toMatchObject({
      rule: 'attestation-identity',
      cause: 'issuer',
    });
  });

  test('the repository of the statement has to be that of the certificate', async () => {
    const bundle = await signed(gitHubToken({ repository: 'evil/apps' }));
    const facts = verifyAttestation(bundle, readTrustedRoot(service.trustedRoot, 'root.json'));
    expect(judgeAttestation(facts, policy)).toMatchObject({ rule: 'attestation-invalid', cause: 'build' });
  });

  test('a root that is older than the bundle blames itself, a newer one the certificate', async () => {
    const bundle = await signed();
    expect(verifyAttestation(bundle, shippedTrust()).failure).toEqual({
      cause: 'root-outdated',
      code: 'unknown-certificate-authority',
    });
    const other = await startSigningService();
    await other.close();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const newer = readTrustedRoot(other.trustedRoot.replaceAll('2020-01-01T00:00:00Z', tomorrow), 'root.json');
    expect(verifyAttestation(bundle, newer).failure).toEqual({ cause: 'certificate', code: 'CERTIFICATE_ERROR' });
  });

  test.each<[string, string, string]>([
    ['the certificate authority', '/api/v2/signingCert', 'The certificate authority'],
    ['the transparency log', '/api/v1/log/entries', 'The transparency log'],
  ])('%s that refuses is named', async (_, path, text) => {
    service.failures.set(path, 403);
    try {
      await expect(signed()).rejects.toMatchObject({
        code: 'attestation-failed',
        message: expect.stringContaining(`${text} ${service.url} did not accept the signature (HTTP status 403)`),
      });
    } finally {
      service.failures.clear();
    }
  });

  test('a service that cannot be reached is named', async () => {
    const nowhere = { fulcioUrl: 'http://127.0.0.1:1', rekorUrl: 'http://127.0.0.1:1' };
    const signer = keylessSigner({ SIGSTORE_ID_TOKEN: gitHubToken() }, nowhere);
    await expect(createAttestation('{}', signer)).rejects.toThrow(
      'The certificate authority http://127.0.0.1:1 cannot be reached.',
    );
  });

  test('a token that is not one is refused, without quoting it', async () => {
    const error: unknown = await signed('very-secret-token').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'attestation-failed' });
    expect(inspect(error)).not.toContain('very-secret');
  });

  test('an environment without a token is refused, with what to add', () => {
    expect(() => keylessSigner({ GITLAB_CI: 'true' })).toThrow('The CI system offers no OIDC token.');
    expect(() => keylessSigner({})).toThrow('The CI system offers no OIDC token.');
  });
});

describe('the shipped trusted root', () => {
  test('is the same as a file of the user, and newer than all its entries', () => {
    const text = readFileSync(join(import.meta.dirname, '../../src/attestation/trusted-root.json'), 'utf8');
    const own = readTrustedRoot(text, 'root.json');
    const shipped = shippedTrust();
    expect(own.material.tlogs.map(({ logID }) => logID)).toEqual(shipped.material.tlogs.map(({ logID }) => logID));
    expect(Date.parse(own.root.date)).toBeLessThan(Date.parse(shipped.root.date));
  });

  test.each(['{}', 'null', '[]', 'text'])('%s is not a trusted root', (text) => {
    expect(() => readTrustedRoot(text, 'root.json')).toThrow(/^root\.json /);
  });
});
