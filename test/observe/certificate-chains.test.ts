import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/core/findings/report.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type Chain, chain, CHAINS } from '../support/certificate-chains.ts';
import { openFaultHost } from '../support/fault-host.ts';
import { putRegistry } from '../support/live-registry.ts';
import { verifyPatiently } from '../support/live-fixture.ts';

/** Chains with a fault above the host's certificate, served over TLS: the finding names the certificate and the cause. */

async function findingsOf(name: Chain): Promise<Finding[]> {
  const { key, cert, ca } = chain(name);
  const host = await openFaultHost({ tls: { key, cert, ciphers: 'DEFAULT@SECLEVEL=0' } });
  try {
    const { report } = await verifyPatiently(putRegistry(host).url, { ca });
    return report.findings.filter(({ rule, cause }) => rule.startsWith('tls-') && cause !== 'private-ca');
  } finally {
    await host.close();
  }
}

const INTERMEDIATE = '“Chain Intermediate”';
const REFUSED: [Chain, cause: string, message: RegExp, advice: RegExp, certificate: string | null][] = [
  [
    'expired',
    'expired',
    new RegExp(`intermediate certificate ${INTERMEDIATE} that .* sends expired \\d+ (days|years) ago, at 2021`),
    /full chain/,
    'CN=Chain Intermediate',
  ],
  [
    'both-expired',
    'expired',
    new RegExp(`securely: the certificate of .* expired \\d+ (days|years) ago.*${INTERMEDIATE} has expired, too`),
    /valid certificate/,
    null,
  ],
  ['future', 'not-yet-valid', new RegExp(`${INTERMEDIATE} .*not valid before 2040`), /clock/, 'CN=Chain Intermediate'],
  [
    'not-authority',
    'invalid-authority',
    new RegExp(`${INTERMEDIATE} may not issue certificates: .*CA:TRUE`),
    /CA certificate/,
    'CN=Chain Intermediate',
  ],
  [
    'no-constraints-extension',
    'invalid-authority',
    new RegExp(`${INTERMEDIATE} may not issue .*CA:TRUE`),
    /CA certificate/,
    'CN=Chain Intermediate',
  ],
  [
    'no-cert-sign',
    'invalid-authority',
    new RegExp(`${INTERMEDIATE} may not issue .*keyCertSign`),
    /keyCertSign/,
    'CN=Chain Intermediate',
  ],
  [
    'permitted-other',
    'name-constraints',
    new RegExp(
      `${INTERMEDIATE} may issue certificates only for DNS:example.com, IP:127.0.0.0/8 .*names localhost, 127.0.0.1`,
    ),
    /names/,
    'CN=Chain Intermediate',
  ],
  [
    'permitted-address',
    'name-constraints',
    /only for DNS:localhost, IP:10\.0\.0\.0\/8/,
    /names/,
    'CN=Chain Intermediate',
  ],
  [
    'excluded',
    'name-constraints',
    new RegExp(`${INTERMEDIATE} may issue certificates for everything except DNS:localhost`),
    /names/,
    'CN=Chain Intermediate',
  ],
  [
    'path-length',
    'chain-too-long',
    /“First Intermediate” allows no other intermediate certificate below it \(path length 0\); 1 follows/,
    /subordinate/,
    'CN=First Intermediate',
  ],
  [
    'client-only',
    'wrong-purpose',
    new RegExp(`${INTERMEDIATE} may not issue server certificates`),
    /authority that may issue server certificates/,
    'CN=Chain Intermediate',
  ],
  ['leaf-key-usage', 'wrong-purpose', /key usage is cRLSign/, /digitalSignature/, null],
  ['sha1', 'weak-signature', new RegExp(`${INTERMEDIATE} is signed with SHA-1`), /SHA-256/, 'CN=Chain Intermediate'],
  ['leaf-sha1', 'weak-signature', /the certificate of .* is signed with SHA-1/, /SHA-256/, null],
  [
    'other-key',
    'incomplete-chain',
    /not signed with the key of the certificate “Chain Intermediate” that the host sends/,
    /belongs to/,
    'CN=Chain Intermediate',
  ],
  [
    'one-missing',
    'unknown-issuer',
    /authority “First Intermediate” \(the issuer of the intermediate certificate “Chain Intermediate”\)/,
    /full chain/,
    null,
  ],
  [
    'unrelated',
    'incomplete-chain',
    /sends 2 certificates, but not that of its issuer “Chain Intermediate”/,
    /full chain/,
    null,
  ],
  ['root-missing', 'unknown-issuer', /authority “Chain Root”/, /--ca/, null],
  ['root-expired', 'expired', /root certificate “Ended Root” expired/, /authority/, 'CN=Ended Root'],
];

describe('an untrusted chain is reported with the certificate at fault', () => {
  test.each(REFUSED)('%s', async (name, cause, message, advice, certificate) => {
    const [finding, ...others] = await findingsOf(name);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: 'tls-untrusted', severity: 'error', cause });
    expect(finding!.message).toMatch(message);
    expect(finding!.advice).toMatch(advice);
    expect(finding!.evidence['certificate'] ?? null).toBe(certificate);
    expect(`${finding!.message} ${finding!.advice}`).not.toMatch(/-\d+ s\b|undefined|null|NaN|  /);
  });
});

test.each(['sound', 'cross-signed', 'cross-signed-soon', 'two-versions'] as const)(
  'the valid chain %s causes no finding',
  async (name) => {
    expect(await findingsOf(name)).toEqual([]);
  },
);

test('an intermediate certificate that expires within days is a warning', async () => {
  expect(await findingsOf('soon')).toMatchObject([
    {
      rule: 'tls-expiring',
      severity: 'warning',
      cause: 'intermediate',
      message: expect.stringMatching(/intermediate certificate “Chain Intermediate” of .* expires in 6 days/),
      evidence: { certificate: 'CN=Chain Intermediate', daysLeft: 6 },
    },
  ]);
});

// OpenSSL refuses it from security level 2 on. Node uses that level from version 24 on, and verify on every Node.
test('an intermediate certificate with a weak key is an error', async () => {
  expect(await findingsOf('rsa-1024')).toMatchObject([
    { cause: 'weak-signature', message: expect.stringMatching(/“Chain Intermediate” has a key of 1024 bits \(RSA\)/) },
  ]);
});

// Its security level is not that of TLS, so weak algorithms are not among its errors.
test.each(CHAINS.filter((name) => !/sha1|rsa/.test(name)))('openssl verify has the same verdict about %s', (name) => {
  const { ca, leaf, others } = chain(name).files;
  const args = ['verify', '-purpose', 'sslserver', '-CAfile', ca, '-untrusted', others, leaf];
  const { status } = spawnSync('openssl', args);
  expect(status === 0).toBe(!REFUSED.some(([refused]) => refused === name));
});

test('a private authority is identified by its root certificate', async () => {
  const host = await openFaultHost({ tls: certificates().get('good') });
  try {
    const { report } = await verifyPatiently(putRegistry(host).url);
    expect(report.findings.find(({ cause }) => cause === 'private-ca')).toMatchObject({
      message: expect.stringContaining('--ca (CN=Test Root)'),
      evidence: { authorityName: 'CN=Test Root', issuer: 'CN=Test Intermediate' },
    });
  } finally {
    await host.close();
  }
});
