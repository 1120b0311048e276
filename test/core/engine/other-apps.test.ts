import { expect, test } from 'vitest';
import { judge } from '../../../src/core/engine/judge.ts';
import { digest } from '../../support/core-facts.ts';
import { artifact, BASE, contentWith, snapshot } from '../../support/snapshots.ts';

/** Artifacts of apps whose URLs are swapped: each mismatch names the other app, whichever is judged first. */

const versionsOf = (key: string, seed: number) => ({
  versions: [{ version: '1.0.0', artifactUrl: `${BASE}${key}.tar.gz`, artifactChecksum: `sha256:${digest(seed)}` }],
});

test('the artifacts of two apps that are swapped are named, and no digest is advised', () => {
  const facts = snapshot(['a', 'b'], { a: versionsOf('a', 1), b: versionsOf('b', 2) });
  const served = [digest(2), digest(1)];
  for (const [i, app] of facts.apps.entries())
    app.artifacts = [artifact(`${BASE}x.tar.gz`, contentWith(served[i] ?? '', { head: 'H4sIAAAA' }))];
  const { findings } = judge(facts, { command: 'verify' });
  const found = findings.filter(({ rule }) => rule === 'artifact-checksum-mismatch');
  expect(found).toMatchObject([
    { app: 'a', cause: 'other-apps-artifact', message: expect.stringContaining('“b” 1.0.0') },
    { app: 'b', cause: 'other-apps-artifact', message: expect.stringContaining('“a” 1.0.0') },
  ]);
  for (const { advice } of found) expect(advice).not.toMatch(/[0-9a-f]{64}/);
});
