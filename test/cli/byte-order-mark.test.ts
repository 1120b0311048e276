import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runAssemble } from '../../src/cli/commands/assemble.ts';
import { runEditApp } from '../../src/cli/commands/edit-app.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { runLock } from '../../src/cli/commands/lock.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { runRemoveApp } from '../../src/cli/commands/remove-app.ts';
import { writeFiles } from '../bundle/tree.ts';
import { SVG } from '../support/live-registry.ts';
import { contextIn } from './author-support.ts';
import { releaseIn, repository, sources, textOf } from './release-fixture.ts';

const MARK = '\ufeff';
const DOCUMENTS = ['registry.json', 'apps/clock/versions.json'];

/** Puts a byte order mark at the beginning of these files. */
function mark(root: string, paths: readonly string[]): void {
  for (const path of paths) writeFiles(root, { [path]: MARK + textOf(root, path) });
}

/** A file without its byte order mark; fails unless it has exactly one. */
function marked(root: string, path: string): string {
  const bytes = readFileSync(join(root, path));
  expect([...bytes.subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x7b]);
  return bytes.subarray(3).toString();
}

/** What the same steps write with and without byte order marks. */
async function both(steps: (root: string) => Promise<void>) {
  const files = { ...sources({ clock: '1.0.0' }), 'icon.svg': SVG };
  const [plain, withMarks] = [
    await repository(files, { listed: ['clock'] }),
    await repository(files, { listed: ['clock'] }),
  ];
  await steps(plain);
  mark(withMarks, DOCUMENTS);
  await steps(withMarks);
  return (path: string): void => expect(marked(withMarks, path)).toBe(textOf(plain, path));
}

test('the commands that edit one app preserve a byte order mark', async () => {
  const isSame = await both(async (root) => {
    expect(await runEditApp(contextIn(root), 'clock', { description: 'New.', blockColor: '#445566' })).toBe(0);
    const entry = { entry: 'src/clock/main.ts', readBack: false };
    expect(await runPublishVersion(contextIn(root), 'clock', '1.0.0', entry)).toBe(0);
    const added = { name: 'Lamp', description: 'A lamp.', blockColor: '#112233', icon: 'icon.svg' };
    expect(await runAddApp(contextIn(root), 'lamp', added)).toBe(0);
    expect(await runAddApp(contextIn(root), 'radio', added)).toBe(0);
    expect(await runRemoveApp(contextIn(root, { yes: true }), 'radio', { yes: true })).toBe(0);
  });
  for (const path of DOCUMENTS) isSame(path);
});

test('release and lock preserve the byte order marks of the documents and of the lock file', async () => {
  const LOCK = 'appreg.lock.json';
  const isSame = await both(async (root) => {
    expect((await releaseIn(root)).code).toBe(0);
  });
  isSame('apps/clock/versions.json');
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  await releaseIn(root);
  mark(root, [LOCK]);
  writeFiles(root, { 'src/clock/VERSION': `${MARK}1.1.0\n`, 'src/clock/main.ts': 'export const app = 2;\n' });
  await releaseIn(root);
  expect(JSON.parse(marked(root, LOCK)).apps.clock).toHaveProperty(['1.1.0']);
  const version = JSON.parse(textOf(root, 'apps/clock/versions.json') ?? '').versions[0];
  writeFiles(root, {
    'apps/clock/versions.json': JSON.stringify({ versions: [version, { ...version, version: '2.0.0' }] }),
  });
  expect(await runLock(contextIn(root), undefined, {})).toBeLessThan(2);
  expect(JSON.parse(marked(root, LOCK)).apps.clock).toHaveProperty(['2.0.0']);
});

test('assemble preserves that of the manifest, and accepts one in an app.json', async () => {
  const description = { name: 'Clock', description: 'Tells the time.', color: '#112233' };
  const root = await repository(
    { 'apps/clock/app.json': MARK + JSON.stringify(description), 'apps/clock/icon.svg': SVG },
    { listed: ['clock'], release: null },
  );
  mark(root, DOCUMENTS);
  expect(await runAssemble(contextIn(root), {})).toBe(0);
  expect(JSON.parse(marked(root, 'registry.json')).apps.clock.description).toBe('Tells the time.');
  expect(await runLint(contextIn(root), [], {})).toBe(0);
});
