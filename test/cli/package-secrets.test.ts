import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBundle } from '../../src/cli/commands/bundle.ts';
import { runLint } from '../../src/cli/commands/lint.ts';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import type { Finding, Report } from '../../src/core/findings/report.ts';
import { expectNoSecret } from '../support/leaks.ts';
import { PLANTED, PRIVATE_KEY } from '../support/planted.ts';
import { contextIn, type Recorded, refusal } from './author-support.ts';
import { listedVersions, workspace } from './publish-fixture.ts';

/** A secret in the code of a package: its source is named, and one secret can be allowed everywhere. */

const [{ text: TOKEN, value } = { text: '', value: '' }] = PLANTED;
const SOURCE = 'node_modules/acme-sdk/lib/self-test.js';

/** A workspace with an app whose package contains a token. */
async function withPackage(code = TOKEN): Promise<string> {
  const root = await workspace();
  const files = {
    'node_modules/acme-sdk/package.json': '{ "name": "acme-sdk", "version": "1.0.0", "license": "0BSD" }',
    'node_modules/acme-sdk/LICENSE': 'Free.',
    'node_modules/acme-sdk/index.js': "module.exports = require('./lib/self-test.js');\n",
    [SOURCE]: `${code}\nmodule.exports = token;\n`,
    'src/main.ts': "import token from 'acme-sdk';\nexport default token;\n",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

function configure(root: string, more: object): void {
  const path = join(root, 'appreg.config.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...more }));
}

async function lintReport(root: string): Promise<{ code: number; report: Report; secrets: Finding[] }> {
  const context = contextIn(root, { format: 'json' });
  const code = await runLint(context, [], {});
  const report = JSON.parse(context.printed.out.join('\n')) as Report;
  return { code, report, secrets: report.findings.filter(({ rule }) => rule === 'artifact-secret') };
}

async function refusedBy(run: (context: Recorded) => Promise<unknown>, root: string): Promise<string> {
  const context = contextIn(root);
  const { message, hint } = await refusal(run(context));
  const text = `${message}\n${hint}`;
  expectNoSecret(text);
  return text;
}

type Run = (context: Recorded) => Promise<number>;
const bundle =
  (options: Parameters<typeof runBundle>[3] = {}): Run =>
  (context) =>
    runBundle(context, 'src/main.ts', 'a.tar.gz', options);
const publish =
  (source: { artifact?: string; entry?: string }): Run =>
  (context) =>
    runPublishVersion(context, 'a', '1.0.0', { ...source, readBack: false });

const fingerprintIn = (text: string): string => /fingerprint ([0-9a-f]{16})/.exec(text)?.[1] ?? '';

test.each([
  ['as it is', {}],
  ['minified', { minify: true }],
  ['minified, with its source map', { minify: true, sourcemap: true }],
])('bundle names the package and the file of a secret in code %s', async (_, options) => {
  const root = await withPackage();
  const text = await refusedBy(bundle(options), root);
  expect(text).toMatch(/github-token in app\.js:\d+ \(package acme-sdk, node_modules\/acme-sdk\/lib\/self-test\.js; /);
  expect(text).toContain('report it to the maintainers of the package');
  expect(text).not.toMatch(/revoke/i);
  expect(existsSync(join(root, 'a.tar.gz'))).toBe(false);
});

test('a private key in several strings is found in its source as well', async () => {
  const lines = PRIVATE_KEY.trim().split('\n');
  const root = await withPackage(`const token = ${lines.map((line) => JSON.stringify(`${line}\n`)).join('\n  + ')};`);
  for (const minify of [false, true]) {
    const text = await refusedBy(bundle({ minify }), root);
    expect(text).toContain('private-key in app.js:');
    expect(text).toContain('package acme-sdk');
  }
});

test("a secret in the app's own code is to be revoked, and its file is named", async () => {
  const root = await withPackage("const token = '';");
  writeFileSync(join(root, 'src/main.ts'), `import sdk from 'acme-sdk';\n${TOKEN}export default [sdk, token];\n`);
  const text = await refusedBy(bundle(), root);
  expect(text).toContain('(main.ts; fingerprint ');
  expect(text).toContain('If it was published or committed before, revoke it.');
});

test.each([
  ['as it is', {}],
  ['minified, with its source map', { minify: true, sourcemap: true }],
])('an exception for one secret holds for bundle, publish-version and lint: code %s', async (_, options) => {
  const root = await withPackage();
  const secret = fingerprintIn(await refusedBy(bundle(options), root));
  expect(await bundle({ ...options, allowSecret: [secret] })(contextIn(root))).toBe(0);
  const refused = await refusedBy(publish({ artifact: 'a.tar.gz' }), root);
  expect(refused).toContain(`(package acme-sdk, ${SOURCE}; fingerprint ${secret})`);
  const exception = { rule: 'artifact-secret', secret, reason: 'A key for self-tests, that the package publishes.' };
  configure(root, { exceptions: [{ ...exception, secret: '0123456789abcdef' }] });
  await refusedBy(bundle(options), root);
  configure(root, { exceptions: [exception] });
  const context = contextIn(root);
  expect(await bundle(options)(context)).toBe(0);
  expect(await publish({ artifact: 'a.tar.gz' })(context)).toBe(0);
  expect(JSON.stringify(context.printed)).not.toContain('--allow-secret');
  expect(listedVersions(root)).toHaveLength(1);

  const { report, secrets } = await lintReport(root);
  expect(secrets).toMatchObject([
    {
      excepted: { reason: exception.reason },
      evidence: { fingerprint: secret, source: SOURCE, package: 'acme-sdk' },
    },
  ]);
  expect(report.summary.errors).toBe(0);
  configure(root, { exceptions: [{ ...exception, secret: '0123456789abcdef' }] });
  const other = await lintReport(root);
  expect(other.code).toBe(1);
  expect(other.secrets).toMatchObject([{ excepted: null, severity: 'error' }]);
  expect(other.secrets[0]?.advice).not.toMatch(/revoke/i);
  expect(other.report.findings.find(({ rule }) => rule === 'exception-unused')?.message).toContain(
    'secret 0123456789abcdef',
  );
});

test('an exception for one secret leaves another one as an error, and two exceptions cover two', async () => {
  const [, second] = PLANTED;
  const root = await withPackage(`${TOKEN}exports.other = ${JSON.stringify(second?.value)};`);
  const found = [...(await refusedBy(bundle(), root)).matchAll(/fingerprint ([0-9a-f]{16})/g)].map(([, one]) => one);
  expect(found).toHaveLength(2);
  const exceptions = found.map((secret) => ({ rule: 'artifact-secret', app: 'a', secret, reason: `For ${secret}.` }));
  configure(root, { exceptions: exceptions.slice(0, 1) });
  expect(fingerprintIn(await refusedBy(publish({ entry: 'src/main.ts' }), root))).toBe(found[1]);
  configure(root, { exceptions });
  // The app of an archive that is only packed is unknown.
  await refusedBy(bundle(), root);
  expect(await publish({ entry: 'src/main.ts' })(contextIn(root))).toBe(0);
  expect((await lintReport(root)).secrets).toMatchObject([
    { excepted: { reason: exceptions.map(({ reason }) => reason).join('; ') } },
  ]);
  configure(root, { exceptions: exceptions.slice(1) });
  expect((await lintReport(root)).secrets).toMatchObject([{ excepted: null }]);
});

test.each([
  ['the secret itself', { rule: 'artifact-secret', secret: value, reason: 'x' }, 'and never the secret itself'],
  ['another rule', { rule: 'url-unstable', secret: '0123456789abcdef', reason: 'x' }, 'is only for artifact-secret'],
])('an exception with %s is refused by lint and bundle', async (_, exception, words) => {
  const root = await withPackage();
  configure(root, { exceptions: [exception] });
  for (const run of [(context: Recorded): Promise<number> => runLint(context, [], {}), bundle()]) {
    const { code, message, hint } = await refusal(run(contextIn(root)));
    expect(code).toBe('config-invalid');
    expect(message + hint).toContain(words);
    expectNoSecret(message + hint);
  }
});
