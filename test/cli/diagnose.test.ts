import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { beforeEach, describe, expect, test } from 'vitest';
import { runDiagnose, type DiagnoseOptions } from '../../src/cli/commands/diagnose.ts';
import { certificates } from '../support/fault-certificates.ts';
import { answer, byMethod, delayed, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { archive, gzipped, type Live, ORIGIN, putRegistry, SVG } from '../support/live-registry.ts';
import { cliContext } from '../support/cli-context.ts';
import { diagnoseFixture, line } from './diagnose-fixture.ts';

const { registry, diagnosed, reported, app } = diagnoseFixture();
let host: FaultHost;
let live: Live;
let folder: string;
beforeEach(() => {
  ({ host, live, folder } = registry);
});

/** The four symptoms, in the order printed. */
const statuses = (text: string): string[] =>
  [
    ...text.matchAll(/^(?:Registry|Checksum|Icon|App) [\w ]+: (clear|suspected|confirmed|not judged)(?: \(.*\))?$/gm),
  ].map((match) => match[1]!);
const UNUSABLE_MANIFEST = ['confirmed', 'not judged', 'not judged', 'not judged'];

describe('diagnose reports the four symptoms', () => {
  test('for a registry without problems, with what was checked and what to check next', async () => {
    const { code, out } = await diagnosed(live.url);
    expect(code).toBe(0);
    expect(statuses(out)).toEqual(['clear', 'clear', 'clear', 'clear']);
    expect(out).toContain('2 artifacts downloaded and hashed');
    expect(out).toContain('No problems in what was checked. What to check next');
    expect(out).toContain('caches may store the manifest for 5 min, so a change made less than 65 min ago may not be');
    expect(out).toContain(`is its URL exactly ${live.url},`);
    expect(out).toContain('--origin <the service’s origin>');
    expect(out).not.toMatch(/ who | next /);
    expect(out.split('\n').length).toBeLessThan(25);
  });

  test('without advice to add --origin and --app if they are given', async () => {
    const { out } = await diagnosed(live.url, { origin: [ORIGIN], app: ['app-a'] });
    expect(out).not.toContain('--origin');
    expect(out).not.toContain('--app');
    expect(out).toContain('  app-a: visible, latest 2.0.0');
  });

  test('for a missing manifest', async () => {
    live.serve('registry.json', answer({ status: 404, headers: { Server: 'nginx' } }));
    const { code, out } = await diagnosed(live.url);
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(UNUSABLE_MANIFEST);
    expect(line(out, 'who')).toContain('the subscribed URL');
    expect(line(out, 'seen')).toContain(`${live.url} · status 404`);
    expect(out.match(/not judged \(because of another finding: URL that cannot be fetched\)/g)).toHaveLength(3);
    expect(out).not.toContain('What to check next');
  });

  test('for a cache that still serves a response from before the upload', async () => {
    live.serve('registry.json', answer({ status: 404, headers: { 'CF-Ray': 'x', Age: '100' } }));
    const { out } = await diagnosed(live.url);
    expect(line(out, 'who')).toMatch(/the CDN or cache in front of 127\.0\.0\.1:\d+ \(Cloudflare\): age: 100 s$/);
    expect(line(out, 'next')).toContain('purge the cache, and check again');
  });

  test('for an expired certificate', async () => {
    const other = await openFaultHost({ tls: certificates().get('expired') });
    try {
      const { code, out } = await diagnosed(putRegistry(other).url);
      expect(code).toBe(1);
      expect(statuses(out)).toEqual(UNUSABLE_MANIFEST);
      expect(line(out, 'who')).toContain(`the host 127.0.0.1:${other.port}`);
      expect(line(out, 'seen')).toContain('code CERT_HAS_EXPIRED · notAfter 2021-01-01');
      expect(line(out, 'next')).toContain('Install a valid certificate. An old file may have been restored');
    } finally {
      await other.close();
    }
  });

  test('for icons without CORS headers as one cause in all apps', async () => {
    const keys = Array.from({ length: 12 }, (_, i) => `app-${i}`);
    for (const key of keys) host.on(`/${key}.json`, json({ versions: live.versions }));
    live.serve('a.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml' }, body: SVG }) }));
    live.serve('registry.json', json({ apps: Object.fromEntries(keys.map((key) => [key, app(key)])) }));
    const { out } = await diagnosed(live.url, { origin: [ORIGIN] });
    expect(statuses(out)).toEqual(['clear', 'clear', 'confirmed', 'clear']);
    expect(line(out, '✗')).toContain('(12 times in 12 apps: app-0, app-1, app-2, …) cors-missing');
    expect(out.match(/^ {2}✗/gm)).toHaveLength(1);
    expect(line(out, 'who')).toContain('the host 127.0.0.1');
    expect(line(out, 'seen')).toContain('status 200 · no Access-Control headers');
    expect(line(out, 'next')).toContain(`Access-Control-Allow-Origin: ${ORIGIN}`);
    expect(out).toContain('Apps\n  12 visible apps\n');
  });

  test('for an app hidden by its metadata, with hidden apps first', async () => {
    host.on('/app-b.json', json({ versions: [{ ...live.versions[0], version: 'v1' }] }));
    host.on('/app-a.json', json({ versions: live.versions }));
    live.serve('registry.json', json({ apps: { 'app-a': app('app-a'), 'app-b': app('app-b') } }));
    const { code, out } = await diagnosed(live.url);
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(['clear', 'clear', 'clear', 'confirmed']);
    expect(line(out, 'who')).toContain('the author');
    expect(out).toMatch(
      /Apps\n {2}app-b: hidden, because of no-valid-versions: .*\n {2}app-a: visible, latest 2\.0\.0/,
    );
  });

  test('for a CDN that compresses artifacts again', async () => {
    live.serve(
      '2.tar.gz',
      gzipped(gzipSync(gunzipSync(live.artifact), { level: 0 }), { 'Content-Encoding': 'gzip', 'CF-Ray': '8a1b-FRA' }),
    );
    const { out } = await diagnosed(live.url);
    expect(statuses(out)).toEqual(['clear', 'confirmed', 'clear', 'clear']);
    expect(line(out, '✗')).toContain('(app-a 2.0.0) artifact-checksum-mismatch');
    expect(line(out, 'who')).toMatch(/the CDN or cache in front of \S+ \(Cloudflare\)$/);
    expect(line(out, 'seen')).toMatch(
      /content-encoding gzip .* listed sha256:[0-9a-f]{64} · found sha256:[0-9a-f]{64}$/,
    );
    expect(line(out, 'next')).toContain('Exclude .gz files');
  });

  test('for a host that refuses connections', async () => {
    const { code, out } = await diagnosed('https://127.0.0.1:2/registry.json', { app: ['app-a'] });
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(UNUSABLE_MANIFEST);
    expect(line(out, 'seen')).toContain('code ECONNREFUSED');
    expect(out).toContain('Apps\n  app-a: not known, because of unreachable\n');
    expect(line(out, 'https://127.0.0.1:2/')).toMatch(
      /^https:\/\/127\.0\.0\.1:2\/registry\.json · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC · appreg \S+ · 0 apps, 0 versions · 1 error, 0 warnings$/,
    );
  });

  test('with a checksum symptom that is not judged for --skip-artifacts', async () => {
    const { code, out } = await diagnosed(live.url, { skipArtifacts: true });
    expect(code).toBe(0);
    expect(statuses(out)).toEqual(['clear', 'not judged', 'clear', 'not judged']);
    expect(out).toContain('  app-a: not known, because its artifacts were not checked');
    expect(out).toContain('Checksum mismatch: not judged (it is not requested with --skip-artifacts)');
    expect(out).toContain('No cause is known. What to check next');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('as not judged after %s, with exit code %i', async (signal, exit) => {
    live.serve('a.json', (request, socket) => {
      if (request.method === 'GET') process.emit(signal, signal);
      return delayed(2000, json({ versions: [] }))(request, socket);
    });
    const { code, out } = await diagnosed(live.url, { bundle: 'cut.json' });
    expect(code).toBe(exit);
    expect(statuses(out)).toEqual(['not judged', 'not judged', 'not judged', 'not judged']);
    expect(out).toContain('App does not appear: not judged (interrupted after 0 apps)');
    expect(out.split('\n').at(-1)).toContain('incomplete: 0 errors, 0 warnings so far');
    expect(JSON.parse(readFileSync(join(folder, 'cut.json'), 'utf8'))).toMatchObject({
      incomplete: 'interrupted after 0 apps',
      report: { outcome: 'incomplete' },
    });
  });
});

describe('diagnose --app explains why an app does not appear', () => {
  test.each<{ name: string; key: string; words: RegExp }>([
    {
      name: 'a key that differs in case',
      key: 'App-A',
      words: /It lists “app-a”, which differs only in case\. \(App-A\) app-not-listed/,
    },
    { name: 'a key with an underscore', key: 'app_a', words: /“app-a”, which differs in its hyphens/ },
    { name: 'a key without a similar one', key: 'calendar', words: /the only listed app has a different key/ },
  ])('for $name', async ({ key, words }) => {
    const { code, out } = await diagnosed(live.url, { app: [key] });
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(['clear', 'not judged', 'not judged', 'confirmed']);
    expect(line(out, '✗')).toMatch(words);
    expect(out).toContain(`Apps\n  ${key}: not in the manifest\n`);
    expect(out).toContain('If it was published recently\n');
    expect(host.requests.map((request) => request.path)).not.toContain('/2.tar.gz');
  });

  test('for a version that is not listed', async () => {
    const { code, out } = await diagnosed(live.url, { app: ['app-a'], version: '2.1.0' });
    expect(out).toContain('version-not-listed');
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(['clear', 'not judged', 'clear', 'confirmed']);
    expect(line(out, '✗')).toContain('Version 2.1.0 is not listed; the highest of 2 listed versions is 2.0.0.');
    expect(out).toContain('  app-a: not known, because its artifacts were not checked; 2.1.0 is not listed');
    expect(out).toContain('(a version that is not listed has no artifact to check)');
  });

  test('for a listed version, and downloads only its artifact', async () => {
    const { code, out } = await diagnosed(live.url, { app: ['app-a'], version: '1.0.0' });
    expect(out).not.toContain('version-not-listed');
    expect(code).toBe(0);
    expect(out).toContain('1 artifact downloaded and hashed');
    expect(out).toContain('  app-a: visible, latest 2.0.0; 1.0.0 is listed');
    expect(host.requestsFor('/2.tar.gz')).toEqual([]);
  });

  test('for a listed version with a changed artifact', async () => {
    live.serve('1.tar.gz', gzipped(archive('other')));
    const { code, out } = await diagnosed(live.url, { app: ['app-a'], version: '1.0.0' });
    expect(code).toBe(1);
    expect(out).toContain('  app-a: not known, because of artifact-checksum-mismatch: ');
  });

  test('in JSON, with the schema of every report and the actor in the evidence', async () => {
    const report = await reported(live.url, { app: ['App-A', 'app-a'], version: '1.0.0' });
    expect(report).toMatchObject({ command: 'diagnose', outcome: 'findings', summary: { errors: 1, apps: 1 } });
    expect(report.apps).toEqual([
      { key: 'App-A', visible: false, because: ['app-not-listed'], latest: null },
      { key: 'app-a', visible: true, because: [], latest: '2.0.0' },
    ]);
    expect(report.findings.filter((finding) => finding.severity === 'error')).toMatchObject([
      { rule: 'app-not-listed', app: 'App-A', evidence: { actor: 'user' } },
    ]);
    const valid = new Ajv({ allowUnionTypes: true }).compile(
      JSON.parse(readFileSync(join(import.meta.dirname, '../../schemas/report.schema.json'), 'utf8')),
    );
    expect(valid(report), JSON.stringify(valid.errors)).toBe(true);
  });

  test('after it downloaded artifacts from the newest version downwards', async () => {
    live.versions.reverse();
    live.list();
    await diagnosed(live.url, { concurrency: 1 });
    const order = host.requests.filter((r) => r.method === 'GET' && r.path.endsWith('.gz')).map((r) => r.path);
    expect([...new Set(order)]).toEqual(['/2.tar.gz', '/1.tar.gz']);
  });
});

describe('diagnose reports usage errors', () => {
  test.each<{ where: string; options: DiagnoseOptions; code: string; hint: RegExp }>([
    {
      where: 'apps.example.com/registry.json',
      options: {},
      code: 'url-invalid',
      hint: /https:\/\/apps\.example\.com\/registry\.json/,
    },
    { where: 'https://apps.example.com/', options: { version: '1.0.0' }, code: 'option-missing', hint: /--app/ },
    {
      where: 'https://apps.example.com/',
      options: { bundle: 'no-folder/b.json' },
      code: 'output-unwritable',
      hint: /existing, writable folder/,
    },
    { where: 'nowhere.json', options: {}, code: 'facts-invalid', hint: /--save/ },
    { where: 'ca.pem', options: { bundle: 'b.json' }, code: 'option-conflict', hint: /URL/ },
    { where: 'ca.pem', options: { headerEnv: ['A=B'] }, code: 'option-conflict', hint: /URL/ },
  ])('for $where with $options', async ({ where, options, code, hint }) => {
    await expect(diagnosed(where, options)).rejects.toMatchObject({ code, exit: 2, hint: expect.stringMatching(hint) });
  });

  test('and prints a document in a machine format', async () => {
    const context = cliContext({ cwd: folder, options: { format: 'json' } });
    await expect(runDiagnose(context, 'no-url', {})).rejects.toMatchObject({ exit: 2 });
    expect(JSON.parse(context.printed.out.join(''))).toMatchObject({ outcome: 'incomplete', command: 'diagnose' });
  });
});
