import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBundle } from '../../src/cli/commands/bundle.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { isAppregError } from '../../src/core/errors/error.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { expectNoSecret, filesBelow } from '../support/leaks.ts';
import { PLANTED } from '../support/planted.ts';
import { entry, tgz } from '../support/tar-builder.ts';
import { folder } from '../support/folders.ts';
import { contextIn, type Recorded } from './author-support.ts';
import { listedVersions, workspace } from './publish-fixture.ts';

/** The content of an artifact is checked before anything is written. */

const FORMATS = ['pretty', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'];
const APP = entry('app.js', 'export {};\n');
const ALL = tgz(APP, ...PLANTED.map(({ entry: path, text }, i) => entry(`${i}/${path}`, text)));

/** The message of a refusal, with all that the run printed. */
async function refusal(run: Promise<unknown>, context: Recorded): Promise<string> {
  const error: unknown = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isAppregError(error)) throw new Error('The run was not refused.', { cause: error });
  expect(error.exit).toBe(1);
  return `${error.summary}\n${error.hint}\n${JSON.stringify(context.printed)}`;
}

/** A folder with an entry point. */
function app(code: string): { dir: string; context: Recorded } {
  const dir = folder();
  writeFileSync(join(dir, 'main.ts'), `${code}\nexport default token;\n`);
  return { dir, context: contextIn(dir) };
}

describe('bundle', () => {
  const [{ value, text } = { value: '', text: '' }] = PLANTED;
  test('refuses a secret, writes no file, and accepts its fingerprint', async () => {
    const { dir, context } = app(text);
    const message = await refusal(runBundle(context, 'main.ts', 'a.tar.gz', {}), context);
    expect(message).toContain('github-token in app.js:');
    expect(message).toContain('If it is not a secret, use --allow-secret <fingerprint>, or an exception');
    expectNoSecret(message);
    expect(existsSync(join(dir, 'a.tar.gz'))).toBe(false);
    const refused = runBundle(context, 'main.ts', 'a.tar.gz', { anyContent: true });
    await expect(refused).rejects.toMatchObject({ rules: ['artifact-secret'] });
    const fingerprint = /fingerprint ([0-9a-f]{16})/.exec(message)?.[1] ?? '';
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', { allowSecret: [fingerprint] })).toBe(0);
    expect(existsSync(join(dir, 'a.tar.gz'))).toBe(true);
  });

  test('names each of many secrets, so that each can be allowed', async () => {
    const { context } = app(PLANTED.map((one, i) => `export const a${i} = ${JSON.stringify(one.text)};`).join('\n'));
    // A key in three forms is one secret.
    const message = await refusal(runBundle(context, 'main.ts', 'a.tar.gz', {}), context);
    const count = Number(/contains (\d+) secrets/.exec(message)?.[1]);
    const allowSecret = [...message.matchAll(/fingerprint ([0-9a-f]{16})/g)].map(([, fingerprint = '']) => fingerprint);
    expect(count).toBeGreaterThan(10);
    expect(allowSecret).toHaveLength(count);
    expectNoSecret(message);
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', { allowSecret })).toBe(0);
  });

  test('refuses a secret in an embedded source map', async () => {
    const { context } = app(`const token = "";\n/* ${value} */`);
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', {})).toBe(0);
    const message = await refusal(runBundle(context, 'main.ts', 'a.tar.gz', { sourcemap: true }), context);
    expect(message).toContain('github-token in app.js:');
    expectNoSecret(message);
  });

  test('a source map that was requested is no leftover', async () => {
    const { context } = app('const token = 1;');
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', { sourcemap: true })).toBe(0);
    expect(JSON.stringify(context.printed)).not.toContain('warning');
  });

  test('names what is left over, and packs it', async () => {
    const dir = folder();
    mkdirSync(join(dir, 'app/test'), { recursive: true });
    writeFileSync(join(dir, 'app/app.js'), 'export {};\n');
    writeFileSync(join(dir, 'app/app.js.map'), '{}');
    writeFileSync(join(dir, 'app/test/a.js'), '');
    const context = contextIn(dir);
    expect(await runBundle(context, 'app', 'a.tar.gz', {})).toBe(0);
    expect(JSON.stringify(context.printed)).toContain(
      'warning: The artifact contains source maps and tests: app.js.map and 1 more file.',
    );
  });

  test('names paths of this machine, and not those that packages mention', async () => {
    const other = `// See /home/pi/app/src/a.js\nexport default ["/home/pi/a/src/b.js", "/tmp/x/y.js", "/root/a/b.js"];`;
    const { dir, context } = app(`const token = 1;\n${other.replace('default', 'const others =')}`);
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', {})).toBe(0);
    expect(JSON.stringify(context.printed)).not.toContain('warning');
    writeFileSync(join(dir, 'main.ts'), `export default ${JSON.stringify(join(dir, 'lib/x.js'))};\n`);
    expect(await runBundle(context, 'main.ts', 'a.tar.gz', {})).toBe(0);
    expect(Object.values(context.printed).flat().join('\n')).toContain(
      'warning: The artifact contains paths of the build machine: app.js:',
    );
  });

  test('a value that is no fingerprint is not repeated', async () => {
    const { context } = app('const token = 1;');
    const error = await runBundle(context, 'main.ts', 'a.tar.gz', { allowSecret: [value] }).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'option-invalid', exit: 2 });
    expectNoSecret(String(error));
  });
});

describe('publish-version', () => {
  test('refuses secrets before anything is written', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, '../all.tar.gz'), ALL);
    const context = contextIn(dir);
    for (const dryRun of [true, false]) {
      const run = runPublishVersion(context, 'a', '1.0.0', {
        artifact: '../all.tar.gz',
        readBack: false,
        dryRun,
        anyContent: true,
      });
      const message = await refusal(run, context);
      expect(message).toContain('artifact-secret: The artifact contains');
      expect(message).toContain('If one is not a secret, use --allow-secret <fingerprint>, or an exception');
      expectNoSecret(message);
    }
    expect(listedVersions(dir)).toEqual([]);
    expect(existsSync(join(dir, 'apps/a/versions/1.0.0.tar.gz'))).toBe(false);
    expectNoSecret(filesBelow(dir, (path) => path.endsWith('.tar.gz')));
  });

  test('--allow-secret accepts one value, and an unknown one is a warning', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, '../env.tar.gz'), tgz(APP, entry('.env', 'API_TOKEN=9b1f4c77d2e05a68\n')));
    const context = contextIn(dir);
    const options = { artifact: '../env.tar.gz', readBack: false };
    const message = await refusal(runPublishVersion(context, 'a', '1.0.0', options), context);
    const fingerprint = /fingerprint ([0-9a-f]{16})/.exec(message)?.[1] ?? '';
    const allowSecret = [fingerprint, '0123456789abcdef'];
    expect(await runPublishVersion(context, 'a', '1.0.0', { ...options, allowSecret })).toBe(0);
    expect(JSON.stringify(context.printed)).toContain(
      '--allow-secret 0123456789abcdef: the artifact contains no secret',
    );
    expect(listedVersions(dir)).toHaveLength(1);
  });
});

describe('lint', () => {
  test('reports a secret as an error, without its value in any format', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, '../ok.tar.gz'), tgz(APP));
    await runPublishVersion(contextIn(dir), 'a', '1.0.0', { artifact: '../ok.tar.gz', readBack: false });
    writeFileSync(join(dir, 'apps/a/versions/1.0.0.tar.gz'), ALL);
    const { createHash } = await import('node:crypto');
    const digest = createHash('sha256').update(ALL).digest('hex');
    const file = join(dir, 'apps/a/versions.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/sha256:\w{64}/, `sha256:${digest}`));
    for (const format of FORMATS) {
      const context = contextIn(dir, { format, verbose: true });
      expect(await runLint(context, [], {})).toBe(1);
      const printed = Object.values(context.printed).flat().join('\n');
      expect(printed).toContain('artifact-secret');
      expectNoSecret(printed);
      if (format === 'json') {
        const { findings } = JSON.parse(context.printed.out.join('\n')) as Report;
        const found = findings.filter(({ rule }) => rule === 'artifact-secret');
        expect(found).toMatchObject([{ severity: 'error', version: '1.0.0', resource: 'artifact' }]);
      }
    }
  }, 90_000);
});
