import { expect, test } from 'vitest';
import { versionList } from '../../../src/service/apps/version-list.ts';
import type { VersionView } from '../../../src/service/apps/schema.ts';
import { minutesFrom, NOW, version } from './views.ts';

/** What the page says about a version. */

async function textOf(view: VersionView): Promise<string> {
  const context = { registryUrl: 'https://apps.example.com/registry.json', appKey: 'clock', now: NOW };
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
