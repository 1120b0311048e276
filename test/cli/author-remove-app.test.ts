import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runAddApp } from '../../src/cli/commands/add-app.ts';
import { runInit } from '../../src/cli/commands/init.ts';
import { runRemoveApp } from '../../src/cli/commands/remove-app.ts';
import { folder, write } from '../support/folders.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const YES = { yes: true };

/** A workspace with two apps; `clock` has a version. */
async function workspace(): Promise<string> {
  const dir = folder();
  await runInit(contextIn(dir), undefined, { baseUrl: 'https://apps.example.com/' });
  writeFileSync(join(dir, 'i.svg'), SVG);
  for (const key of ['radio', 'clock'])
    await runAddApp(contextIn(dir), key, {
      name: `The ${key}`,
      description: 'An app.',
      icon: 'i.svg',
      blockColor: '#d9480f',
    });
  const version = {
    version: '1.2.0',
    artifactUrl: 'https://apps.example.com/clock.tar.gz',
    artifactChecksum: `sha256:${'b4'.repeat(32)}`,
  };
  writeFileSync(join(dir, 'apps/clock/versions.json'), JSON.stringify({ versions: [version] }));
  return dir;
}

const textOf = (dir: string): string => readFileSync(join(dir, 'registry.json'), 'utf8');
const keysOf = (dir: string): string[] => Object.keys((JSON.parse(textOf(dir)) as { apps: object }).apps);
/** Everything but the manifest. */
const filesOf = (dir: string): string =>
  snapshot(dir)
    .split('\n')
    .filter((line) => !line.startsWith('registry.json'))
    .join('\n');

describe('remove-app', () => {
  test('undoes add-app in the manifest, and preserves the files', async () => {
    const dir = await workspace();
    const files = filesOf(dir);
    const context = contextIn(dir, YES);
    expect(await runRemoveApp(context, 'clock', YES)).toBe(0);
    expect(keysOf(dir)).toEqual(['radio']);
    expect(filesOf(dir)).toBe(files);
    expect(context.printed.out.join('\n')).toBe(
      [
        'removed clock: registry.json',
        'Subscribers will no longer see clock (“The clock”) or its 1 version (latest 1.2.0) once the changed manifest is served and the service has checked it (hourly). They can no longer install it.',
        'No file is deleted: apps/clock/icon.svg, apps/clock/versions.json and the artifacts stay.',
      ].join('\n'),
    );
    expect(await runRemoveApp(contextIn(dir, YES), 'radio', YES)).toBe(0);
    expect(textOf(dir)).toBe('{\n  "apps": {}\n}\n');
  });

  test('says that the companion files of artifacts stay', async () => {
    const dir = await workspace();
    write(dir, { 'clock.tar.gz.sigstore.json': {} });
    const context = contextIn(dir, YES);
    await runRemoveApp(context, 'clock', YES);
    expect(context.printed.out.join('\n')).toContain(
      'apps/clock/versions.json, the artifacts and their companion files stay.',
    );
    expect(existsSync(join(dir, 'clock.tar.gz.sigstore.json'))).toBe(true);
  });

  test('reports that subscribers no longer see the app', async () => {
    const context = contextIn(await workspace(), YES);
    await runRemoveApp(context, 'radio', YES);
    expect(context.printed.out.join('\n')).toContain(
      'Subscribers do not see radio (“The radio”) at present, because no version of it is published; nothing changes for them.',
    );
  });

  test('with --format json reports what subscribers lose', async () => {
    const context = contextIn(await workspace(), { ...YES, format: 'json' });
    await runRemoveApp(context, 'clock', { ...YES, format: 'json' });
    expect(JSON.parse(context.printed.out.join())).toMatchObject({
      key: 'clock',
      status: 'removed',
      entry: { name: 'The clock' },
      subscribers: { visible: true, because: [], versions: 1, latest: '1.2.0' },
      files: ['registry.json'],
      kept: ['apps/clock/icon.svg', 'apps/clock/versions.json'],
    });
  });

  test('with --dry-run prints the lines, and neither prompts nor writes', async () => {
    const dir = await workspace();
    const before = snapshot(dir);
    const context = contextIn(dir);
    expect(await runRemoveApp(context, 'clock', { dryRun: true })).toBe(0);
    expect(context.printed.out.join('\n')).toMatch(/^Nothing was written[^]*^-     "clock": \{[^]*will no longer see/m);
    expect(snapshot(dir)).toBe(before);
  });

  test('with --dry-run prints no signature of a URL', async () => {
    const dir = await workspace();
    const signed = 'https://cdn.example.com/i.svg?X-Amz-Expires=60&X-Amz-Signature=canary';
    const manifest = textOf(dir).replace('https://apps.example.com/apps/clock/icon.svg', signed);
    write(dir, { 'registry.json': manifest });
    const context = contextIn(dir);
    await runRemoveApp(context, 'clock', { dryRun: true });
    const printed = context.printed.out.join('\n');
    expect(printed).toMatch(/^- +"iconUrl": "https:.*&X-Amz-Signature=REDACTED",$/m);
    expect(printed).not.toContain('canary');
  });

  test('with --dry-run of the last app prints the empty list of apps that is written', async () => {
    const dir = await workspace();
    await runRemoveApp(contextIn(dir, YES), 'clock', YES);
    const context = contextIn(dir);
    await runRemoveApp(context, 'radio', { dryRun: true });
    const changed = context.printed.out
      .join('\n')
      .split('\n')
      .filter((line) => /^[-+] /.test(line));
    const kept = changed.filter((line) => line.startsWith('+ '));
    expect(changed.slice(0, 2)).toEqual(['-   "apps": {', '-     "radio": {']);
    expect(kept).toEqual(['+   "apps": {}']);
    expect(changed.at(-2)).toBe('-   }');
  });

  test('without a terminal and --yes is refused, with the consequences', async () => {
    const dir = await workspace();
    const before = snapshot(dir);
    expect(await refusal(runRemoveApp(contextIn(dir), 'clock', {}))).toMatchObject({
      code: 'option-missing',
      exit: 2,
      message: expect.stringContaining('will no longer see clock') as string,
      hint: expect.stringContaining('--yes') as string,
    });
    expect(snapshot(dir)).toBe(before);
  });

  test.each([
    { keys: 'y', exit: 0, left: ['radio'] },
    { keys: 'n', exit: 130, left: ['radio', 'clock'] },
    { keys: '\r', exit: 130, left: ['radio', 'clock'] },
    { keys: '\u0003', exit: 130, left: ['radio', 'clock'] },
  ])('prompts at a terminal: the answer $keys exits with $exit', async ({ keys, exit, left }) => {
    const dir = await workspace();
    const context = contextIn(dir, {}, [keys]);
    expect(await runRemoveApp(context, 'clock', {})).toBe(exit);
    expect(context.questions()).toContain('Remove clock from the manifest?');
    expect(context.printed.log.join()).toContain('will no longer see clock');
    expect(keysOf(dir)).toEqual(left);
  });

  test('removes an app whose key is not URL-safe', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, 'registry.json'), textOf(dir).replace('"clock"', '"../a b/~"'));
    expect(await runRemoveApp(contextIn(dir, YES), '../a b/~', YES)).toBe(0);
    expect(keysOf(dir)).toEqual(['radio']);
  });

  test.each(['clck', 'RADIO', 'toString'])('refuses the unknown key %s', async (key) => {
    const dir = await workspace();
    const before = snapshot(dir);
    expect(await refusal(runRemoveApp(contextIn(dir, YES), key, YES))).toMatchObject({ code: 'app-unknown', exit: 2 });
    expect(snapshot(dir)).toBe(before);
  });
});
