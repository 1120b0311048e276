import { expect, test } from 'vitest';
import { runRelease } from '../../src/cli/commands/release.ts';
import { expectNoSecret, filesBelow } from '../support/leaks.ts';
import { PLANTED } from '../support/planted.ts';
import { contextIn, type Recorded, refusal } from './author-support.ts';
import { releaseIn, repository, sources, textOf } from './release-fixture.ts';

/** A release refuses apps with secrets, and prints and stores no secret, whether it was allowed or not. */

const TOKENS = PLANTED.filter(({ entry }) => entry === 'app.js').slice(0, 3);

/** The code of an app with these texts. */
function codeOf(planted: readonly { text: string }[]): string {
  return planted.map(({ text }, i) => `export const text${i} = ${JSON.stringify(text)};\n`).join('');
}

/** Two apps: one with three tokens, one with all planted secrets. */
async function apps(): Promise<string> {
  const files = sources({ clock: '1.0.0', lamp: '1.0.0' });
  files['src/clock/main.ts'] = codeOf(TOKENS);
  files['src/lamp/main.ts'] = codeOf(PLANTED);
  return repository(files, { listed: ['clock', 'lamp'] });
}

function expectClean(root: string, { printed }: Recorded): void {
  expectNoSecret(Object.values(printed).flat().join('\n'));
  // The sources have the secrets, and so do the artifacts in which they were allowed.
  expectNoSecret(filesBelow(root, (path) => /^src[/\\]|\.tar\.gz$/.test(path)));
}

test.each([
  ['json', {}],
  ['markdown', { check: true }],
  ['pretty', { dryRun: true }],
])('refuses secrets, in format %s with %j', async (format, options) => {
  const root = await apps();
  const context = contextIn(root, { verbose: true });
  expect(await runRelease(context, { ...options, format })).toBe(1);
  expect(context.printed.out.join('\n')).toContain('artifact-secret: The artifact contains 3 secrets: github-token');
  expectClean(root, context);
  expect(textOf(root, 'apps/clock/versions.json')).toBe('{ "versions": [] }\n');
});

test('--allow-secret accepts the secrets of one app, and publishes it', async () => {
  const root = await apps();
  const checked = await releaseIn(root, { check: true });
  const allowSecret = [...(checked.apps['clock']?.message ?? '').matchAll(/fingerprint ([0-9a-f]{16})/g)].map(
    ([, fingerprint = '']) => fingerprint,
  );
  expect(allowSecret).toHaveLength(TOKENS.length);
  expect(checked.apps['clock']?.advice).toContain('If one is not a secret, use --allow-secret <fingerprint>, or');
  const allowed = await releaseIn(root, { allowSecret });
  expect(allowed).toMatchObject({ code: 1, report: { summary: { published: 1, failed: 1 } } });
  expect(allowed.apps['clock']).toMatchObject({ published: true, message: 'Published 1.0.0.' });
  expect(allowed.apps['lamp']?.message).toContain('artifact-secret');
  expectClean(root, allowed.context);
  expect(textOf(root, 'appreg.lock.json')).toContain('1.0.0');
  expect(textOf(root, 'apps/lamp/versions.json')).toBe('{ "versions": [] }\n');

  const again = await releaseIn(root, { app: ['clock'], allowSecret });
  expect(again).toMatchObject({ code: 0, report: { summary: { unchanged: 1 } } });
  expectClean(root, again.context);
});

test('a secret in place of its fingerprint is not repeated', async () => {
  const root = await apps();
  const error = await refusal(releaseIn(root, { allowSecret: [TOKENS[0]?.value ?? ''] }));
  expect(error).toMatchObject({ code: 'option-invalid', exit: 2 });
  expectNoSecret(`${String(error)}\n${error.hint}`);
});
