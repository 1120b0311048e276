import { describe, expect, test } from 'vitest';
import { versionList } from '../../src/ui/app.ts';
import { type VersionView } from '../../src/domain/apps.ts';
import { attestation, minutesFrom, NOW, version } from './views.ts';

/** What the page says about a version. */

async function textOf(view: VersionView): Promise<string> {
  const context = { registryUrl: 'https://apps.example.com/registry.json', appKey: 'clock', latest: '2.1.0', now: NOW };
  return String(await versionList([view], context)).replaceAll(/\s+/g, ' ');
}

test('a verified version needs no explanation', async () => {
  expect(await textOf(version())).not.toContain('class="reasons"');
});

test('a version whose host lost the artifact is offered from the copy of the service', async () => {
  const text = await textOf(version({ lostAt: minutesFrom(-90) }));
  expect(text).toContain('Its host no longer has the artifact');
  expect(text).toContain('This service offers its verified copy.');
});

describe('the attestation of a version', () => {
  const { build } = attestation();

  test('says who built it, from which commit, with links', async () => {
    const text = await textOf(version({ attestation: attestation() }));
    for (const href of [
      'https://github.com/acme/apps',
      `https://github.com/acme/apps/commit/${'f00dcafe'.repeat(5)}`,
      'https://github.com/acme/apps/actions/runs/42/attempts/1',
      'https://github.com/acme/apps/.github/workflows/release.yml@refs/tags/v2.1.0',
    ])
      expect(text).toContain(`<a href="${href}" rel="noreferrer noopener">`);
    expect(text).not.toContain('class="reasons"');
  });

  test.each([
    'javascript:alert(1)',
    'http://git.example/apps',
    'https://user:secret@git.example/apps',
    'https://git.example/\u202eapps',
    'https://git.example/a b',
    'https://',
    `https://git.example/${'a'.repeat(1000)}`,
    ' https://git.example/apps',
    'git.example/apps',
  ])('links to no other address: %s', async (url) => {
    const hostile = { ...build!, identity: url, repository: url, run: url, issuer: url };
    expect(await textOf(version({ attestation: attestation({ build: hostile }) }))).not.toContain('<a ');
  });

  test('links to no commit that is not one', async () => {
    const hostile = { ...build!, commit: '../../../evil', identity: null, run: null };
    const text = await textOf(version({ attestation: attestation({ build: hostile }) }));
    expect(text).not.toContain('/commit/');
    expect(text).toContain('../../../evil');
  });

  test('of GitLab links to its commits', async () => {
    const own = { ...build!, repository: 'https://gitlab.com/acme/apps.git' };
    const text = await textOf(version({ attestation: attestation({ build: own }) }));
    expect(text).toContain(`href="https://gitlab.com/acme/apps/-/commit/${'f00dcafe'.repeat(5)}"`);
  });

  test('says why a version is held back, and since when', async () => {
    const held = { since: minutesFrom(-180) };
    const missing = attestation({ state: 'missing', build: null, held });
    const text = await textOf(version({ offered: false, attestation: missing }));
    expect(text).toMatch(/Held back.*It is held back since .*3 (?:h|hours) ago.*Its host has no attestation of it\./);
    const reason = { rule: 'attestation-invalid', cause: 'digest', message: 'It is <b>other</b>.', advice: '' };
    const refused = attestation({ state: 'refused', build: null, held, reason });
    expect(await textOf(version({ offered: false, attestation: refused }))).toContain(
      'It is &lt;b&gt;other&lt;/b&gt;.',
    );
  });

  test('says that a version stays offered without one', async () => {
    const before = attestation({ state: 'pending', build: null, offeredBefore: true });
    const text = await textOf(version({ attestation: before }));
    expect(text).toContain('Its attestation is not known yet.');
    expect(text).toContain('It stays offered');
  });
});
