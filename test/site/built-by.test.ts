import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AttestationFacts } from '../../src/core/facts/attestation.ts';
import { attestationFacts, failedFacts, REPOSITORY, statementFacts } from '../support/attestation-example.ts';
import { folder } from '../support/folders.ts';
import { BASE, DIGEST, type FixtureApp, registryWith, siteOf } from './site-fixture.ts';

/** The page of an app says who built a version, as its attestation proves it. */

const sha256 = DIGEST.replace('sha256:', '');
const VERSION = { key: 'clock', version: '1.0.0' };

/** A valid attestation of the version in the fixture, with the given differences. */
function proof(more: Partial<AttestationFacts> = {}): AttestationFacts {
  return attestationFacts({ content: { kind: 'statement', statement: statementFacts(VERSION, sha256) }, ...more });
}

/** The rows of the page about who built it: the label, and the value as text. */
async function rowsOf(facts: AttestationFacts | null, app: FixtureApp = {}): Promise<Record<string, string>> {
  const out = folder();
  await siteOf(registryWith({ clock: app }), out, { attestationOf: () => facts });
  const page = readFileSync(join(out, 'apps/clock.html'), 'utf8');
  const rows = [...page.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([^]*?)<\/dd>/g)];
  const labels = new Set(['Built by', 'Key', 'Repository', 'Commit', 'Signed']);
  return Object.fromEntries(
    rows.filter(([, label = '']) => labels.has(label)).map(([, label, value]) => [label, value]),
  );
}

describe('an attested version', () => {
  test('names the workflow, the repository, the commit and the day', async () => {
    const rows = await rowsOf(proof());
    expect(Object.keys(rows)).toEqual(['Built by', 'Repository', 'Commit', 'Signed']);
    const workflow = `${REPOSITORY}/.github/workflows/release.yml@refs/tags/v1.2.0`;
    expect(rows['Built by']).toContain(`href="${workflow}"`);
    expect(rows['Repository']).toContain(`href="${REPOSITORY}"`);
    expect(rows['Commit']).toContain(`href="${REPOSITORY}/commit/f00dcafef00dcafef00dcafef00dcafef00dcafe"`);
    expect(rows['Signed']).toContain('<time datetime="2026-11-10T12:00:00.000Z">2026-11-10</time>');
  });

  test('names the key of a signer without a certificate', async () => {
    const rows = await rowsOf(proof({ signer: { kind: 'key', sha256: 'ab'.repeat(32) }, signedAt: null }));
    expect(rows).toEqual({ Key: `<code dir="ltr">sha256:${'ab'.repeat(32)}</code>` });
  });

  test('links to no address of a certificate that is not https, and shows it as text', async () => {
    const signer = { ...proof().signer, kind: 'certificate' as const, issuer: null, ref: null, run: null };
    const rows = await rowsOf(
      proof({
        signer: { ...signer, identity: 'javascript:alert(1)', repository: 'data:text/html,<b>x', commit: '"><b>' },
      }),
    );
    expect(Object.values(rows).join('')).not.toMatch(/<a |<b>/);
    expect(rows['Built by']).toContain('javascript:alert(1)');
  });
});

test.each<[string, AttestationFacts | null]>([
  ['no attestation', null],
  ['one that is not valid', failedFacts({ cause: 'signature', code: 'SIGNATURE_ERROR' })],
  ['one of other bytes', attestationFacts({ content: { kind: 'statement', statement: statementFacts(VERSION) } })],
  [
    'one of another version',
    proof({
      content: { kind: 'statement', statement: statementFacts({ key: 'clock', version: '2.0.0' }, sha256) },
    }),
  ],
  [
    'one of another app',
    proof({ content: { kind: 'statement', statement: statementFacts({ key: 'lamp', version: '1.0.0' }, sha256) } }),
  ],
])('with %s, the page says nothing about who built it', async (_, facts) => {
  expect(await rowsOf(facts)).toEqual({});
});

test('each version has its own', async () => {
  const out = folder();
  const versions = ['1.0.0', '2.0.0'];
  const asked: string[] = [];
  await siteOf(registryWith({ clock: { versions } }), out, {
    attestationOf: (app, url, index) => {
      asked.push(`${app.key} ${url.replace(BASE, '')} ${index}`);
      return index === 0 ? proof() : null;
    },
  });
  expect(asked.sort()).toEqual(['clock apps/0/1.0.0.tar.gz 0', 'clock apps/0/2.0.0.tar.gz 1']);
  const page = readFileSync(join(out, 'apps/clock.html'), 'utf8');
  expect(page.indexOf('Built by')).toBeGreaterThan(page.indexOf('1.0.0</code></h3>'));
  expect(page.match(/Built by/g)).toHaveLength(1);
});
