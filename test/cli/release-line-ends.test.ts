import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { writeFiles } from '../bundle/tree.ts';
import { folder, git } from '../support/folders.ts';
import { contextIn } from './author-support.ts';
import { BASE, releaseIn, repository, sources, textOf } from './release-fixture.ts';

/** An app whose texts have CRLF in the work tree, as git writes them with core.autocrlf. */

const CONFIG = {
  'appreg.config.json': JSON.stringify({
    baseUrl: BASE,
    release: [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }],
    bundle: { include: ['*.txt'] },
  }),
};
const TEXTS = {
  'src/clock/help.txt': 'one\ntwo\n',
  'src/clock/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg">\n  <path/>\n</svg>\n',
  'src/clock/main.ts': `import icon from './icon.svg';\nexport const app = { icon, text: \`a\nb\` };\n`,
};

async function published(): Promise<string> {
  const root = await repository({ ...sources({ clock: '1.0.0' }), ...CONFIG, ...TEXTS }, { listed: ['clock'] });
  await releaseIn(root);
  return root;
}

function withCarriageReturns(root: string): void {
  writeFiles(
    root,
    Object.fromEntries(Object.entries(TEXTS).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')])),
  );
}

test('release reports no change, and names .gitattributes', async () => {
  const root = await published();
  const listed = textOf(root, 'apps/clock/versions.json');
  withCarriageReturns(root);
  for (const options of [{ check: true }, {}, { bump: true }]) {
    const run = await releaseIn(root, options);
    expect(run).toMatchObject({ code: 0, report: { outcome: 'clean', summary: { rebuilt: 1, changed: 0 } } });
    expect(run.apps['clock']).toMatchObject({
      state: 'rebuilt',
      message: expect.stringMatching(/^Only the line ends of app\.js, help\.txt differ .* 1\.0\.0 is not changed\.$/),
      advice: expect.stringContaining('.gitattributes'),
    });
  }
  expect(textOf(root, 'apps/clock/versions.json')).toBe(listed);
  expect(textOf(root, 'src/clock/VERSION')).toBe('1.0.0\n');
});

test.each([
  ['another text', { 'src/clock/help.txt': 'one\r\n2\r\n' }],
  ['another number of lines', { 'src/clock/help.txt': 'one\r\n\r\ntwo\r\n' }],
  ['another name', { 'src/clock/more.txt': 'x' }],
  ['other bytes in a file that is not a text', { 'src/clock/help.txt': 'one\r\ntwo\r\n\0' }],
  ['other code', { 'src/clock/main.ts': 'export const app = 2;\r\n' }],
])('an app with %s is changed', async (_, files) => {
  const root = await published();
  withCarriageReturns(root);
  writeFiles(root, files);
  expect((await releaseIn(root, { check: true })).apps['clock']?.state).toBe('changed');
});

test('an artifact with CRLF that was published on Windows is not changed either', async () => {
  const root = await repository({ ...sources({ clock: '1.0.0' }), ...CONFIG, ...TEXTS }, { listed: ['clock'] });
  withCarriageReturns(root);
  await releaseIn(root);
  writeFiles(root, TEXTS);
  expect((await releaseIn(root, { check: true })).apps['clock']?.state).toBe('rebuilt');
});

describe('publish-version', () => {
  const OPTIONS = { entry: 'src/clock/main.ts', readBack: false, anyContent: true };

  test('names .gitattributes, and asks for no new version', async () => {
    const root = await published();
    withCarriageReturns(root);
    for (const dryRun of [true, false])
      await expect(runPublishVersion(contextIn(root), 'clock', '1.0.0', { ...OPTIONS, dryRun })).rejects.toMatchObject({
        code: 'immutable',
        message: expect.stringMatching(/clock 1\.0\.0 is already published with the same content: only the line ends/),
        hint: expect.stringMatching(/\.gitattributes.* No new version is required\.$/),
      });
  });
});

test('a checkout with core.autocrlf is not changed', async () => {
  const root = await published();
  git(root, 'init', '--quiet', '--initial-branch=main');
  git(root, 'add', '--all');
  git(root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'published');
  const other = join(folder(), 'clone');
  git(root, '-c', 'core.autocrlf=true', 'clone', '--quiet', '-c', 'core.autocrlf=true', '.', other);
  expect(readFileSync(join(other, 'src/clock/help.txt'), 'utf8')).toContain('\r\n');
  expect((await releaseIn(other, { check: true })).apps['clock']).toMatchObject({ state: 'rebuilt' });
});
