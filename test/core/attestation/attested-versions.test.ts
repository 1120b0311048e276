import { expect, test } from 'vitest';
import { AttestedCounter } from '../../../src/core/attestation/attested-versions.ts';
import type { CertificateSigner, SignerFacts } from '../../../src/core/facts/attestation.ts';
import { attestedLines } from '../../../src/report/report-text.ts';
import { attestationFacts, ISSUER, REPOSITORY } from '../../support/attestation-example.ts';
import { digest } from '../../support/core-facts.ts';

const workflow = (ref: string, more: Partial<CertificateSigner> = {}): SignerFacts => ({
  kind: 'certificate',
  issuer: ISSUER,
  identity: `${REPOSITORY}/.github/workflows/release.yml@${ref}`,
  repository: REPOSITORY,
  commit: null,
  ref,
  run: null,
  ...more,
});

function linesOf(signers: readonly (SignerFacts | null)[]): string[] {
  const counter = new AttestedCounter();
  for (const signer of signers) counter.add(attestationFacts({ signer }));
  return attestedLines(counter.all());
}

test('versions are counted by workflow, whatever their tag', () => {
  expect(linesOf([workflow('refs/tags/v1'), workflow('refs/tags/v2'), workflow('refs/heads/main')])).toEqual([
    `3 versions verified, built by .github/workflows/release.yml of ${REPOSITORY}`,
  ]);
});

test.each<[string, SignerFacts, string]>([
  [
    'GitLab',
    workflow('', {
      identity: 'https://gitlab.com/acme/apps//.gitlab-ci.yml@refs/heads/main',
      repository: 'https://gitlab.com/acme/apps',
    }),
    'built by .gitlab-ci.yml of https://gitlab.com/acme/apps',
  ],
  [
    'a reusable workflow of another repository',
    workflow('', { identity: 'https://github.com/org/ci/.github/workflows/build.yml@refs/tags/v1' }),
    `built by https://github.com/org/ci/.github/workflows/build.yml of ${REPOSITORY}`,
  ],
  [
    'a person',
    workflow('', { identity: 'a@acme.test', repository: null, issuer: 'https://accounts.example' }),
    'signed by a@acme.test (https://accounts.example)',
  ],
  [
    'a certificate without claims',
    workflow('', { identity: null, repository: null, issuer: null }),
    'signed by an unnamed identity (unknown issuer)',
  ],
  ['a key', { kind: 'key', sha256: digest(7) }, `signed with the key sha256:${digest(7)}`],
])('%s is named', (_, signer, text) => {
  expect(linesOf([signer])).toEqual([`1 version verified, ${text}`]);
});

test('control characters of an identity are not printed', () => {
  const lines = linesOf([workflow('', { identity: 'a\u001b[31m\u202eb', repository: null })]);
  expect(lines.join('')).not.toMatch(/[\u001b\u202e]/);
});

test('the builder of most versions is first, and only the first ones are listed', () => {
  const keys = Array.from({ length: 7 }, (_, index): SignerFacts => ({ kind: 'key', sha256: digest(index) }));
  const lines = linesOf([...keys, keys[6] ?? null, null]);
  expect(lines).toHaveLength(6);
  expect(lines[0]).toBe(`2 versions verified, signed with the key sha256:${digest(6)}`);
  expect(lines[5]).toBe('2 versions verified, built by others');
  expect(linesOf([...keys].toReversed())).toEqual(linesOf(keys));
});

test('versions of several runs are counted together', () => {
  const counter = new AttestedCounter();
  counter.add(attestationFacts({ signer: workflow('refs/tags/v1') }));
  const other = new AttestedCounter();
  other.add(attestationFacts({ signer: workflow('refs/tags/v2') }));
  other.add(attestationFacts({ signer: { kind: 'key', sha256: digest(7) } }));
  for (const counted of other.all()) counter.addVersions(counted);
  expect(counter.all().map(({ versions }) => versions)).toEqual([2, 1]);
});
