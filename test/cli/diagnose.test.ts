import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { diagnose, type DiagnoseOptions } from '../../src/cli/commands/diagnose/run.ts';
import { judge } from '../../src/cli/commands/judge/run.ts';
import type { GlobalOptions } from '../../src/cli/context.ts';
import type { Report } from '../../src/core/engine/report.ts';
import { certificates } from '../support/fault-certificates.ts';
import { answer, byMethod, delayed, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { archive, gzipped, type Live, ORIGIN, putRegistry, SVG } from '../support/live-registry.ts';
import { cliContext } from '../support/cli-context.ts';

let host: FaultHost;
let live: Live;
let folder: string;
beforeAll(async () => {
  const made = certificates();
  host = await openFaultHost({ tls: made.get('good') });
  folder = mkdtempSync(join(tmpdir(), 'appreg-diagnose-'));
  writeFileSync(join(folder, 'ca.pem'), made.ca);
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  live = putRegistry(host);
  host.requests.length = 0;
});

interface Run {
  code: number;
  out: string;
}

async function run(
  where: string,
  options: DiagnoseOptions = {},
  globals: GlobalOptions = {},
  env: NodeJS.ProcessEnv = {},
): Promise<Run> {
  const trusted = where.startsWith('https') ? { ca: 'ca.pem' } : {};
  const context = cliContext({ cwd: folder, options: { rule: ['tls-expiring=off'], ...globals }, env });
  const code = await diagnose(context, where, {
    ...trusted,
    ...options,
  });
  return { code, out: context.printed.out.join('\n') };
}

async function reported(where: string, options: DiagnoseOptions = {}, env: NodeJS.ProcessEnv = {}): Promise<Report> {
  return JSON.parse((await run(where, options, { format: 'json' }, env)).out) as Report;
}

/** The four symptoms, in the order printed. */
const statuses = (text: string): string[] =>
  [
    ...text.matchAll(/^(?:Registry|Checksum|Icon|App) [\w ]+: (clear|suspected|confirmed|not judged)(?: \(.*\))?$/gm),
  ].map((match) => match[1]!);
const line = (text: string, start: string): string =>
  text.split('\n').find((one) => one.trim().startsWith(start)) ?? `no line begins with ${start}`;

const app = (key: string, more: object = {}): object => ({
  name: key,
  description: 'x',
  blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
  appMetadataUrl: `${host.origin}/${key}.json`,
  ...more,
});
const UNUSABLE_MANIFEST = ['confirmed', 'not judged', 'not judged', 'not judged'];

describe('diagnose reports the four symptoms', () => {
  test('for a registry without problems, with what was checked and what to check next', async () => {
    const { code, out } = await run(live.url);
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
    const { out } = await run(live.url, { origin: [ORIGIN], app: ['app-a'] });
    expect(out).not.toContain('--origin');
    expect(out).not.toContain('--app');
    expect(out).toContain('  app-a: visible, latest 2.0.0');
  });

  test('for a missing manifest', async () => {
    live.serve('registry.json', answer({ status: 404, headers: { Server: 'nginx' } }));
    const { code, out } = await run(live.url);
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(UNUSABLE_MANIFEST);
    expect(line(out, 'who')).toContain('the subscribed URL');
    expect(line(out, 'seen')).toContain(`${live.url} · status 404`);
    expect(out.match(/not judged \(because of another finding: URL that cannot be fetched\)/g)).toHaveLength(3);
    expect(out).not.toContain('What to check next');
  });

  test('for a cache that still serves a response from before the upload', async () => {
    live.serve('registry.json', answer({ status: 404, headers: { 'CF-Ray': 'x', Age: '100' } }));
    const { out } = await run(live.url);
    expect(line(out, 'who')).toMatch(/the CDN or cache in front of 127\.0\.0\.1:\d+ \(Cloudflare\): age: 100 s$/);
    expect(line(out, 'next')).toContain('purge the cache, and check again');
  });

  test('for an expired certificate', async () => {
    const other = await openFaultHost({ tls: certificates().get('expired') });
    try {
      const { code, out } = await run(putRegistry(other).url);
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
    const { out } = await run(live.url, { origin: [ORIGIN] });
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
    const { code, out } = await run(live.url);
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
    const { out } = await run(live.url);
    expect(statuses(out)).toEqual(['clear', 'confirmed', 'clear', 'clear']);
    expect(line(out, '✗')).toContain('(app-a 2.0.0) artifact-checksum-mismatch');
    expect(line(out, 'who')).toMatch(/the CDN or cache in front of \S+ \(Cloudflare\)$/);
    expect(line(out, 'seen')).toMatch(
      /content-encoding gzip .* listed sha256:[0-9a-f]{64} · found sha256:[0-9a-f]{64}$/,
    );
    expect(line(out, 'next')).toContain('Exclude .gz files');
  });

  test('for a host that refuses connections', async () => {
    const { code, out } = await run('https://127.0.0.1:2/registry.json', { app: ['app-a'] });
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(UNUSABLE_MANIFEST);
    expect(line(out, 'seen')).toContain('code ECONNREFUSED');
    expect(out).toContain('Apps\n  app-a: not known, because of unreachable\n');
    expect(line(out, 'https://127.0.0.1:2/')).toMatch(
      /^https:\/\/127\.0\.0\.1:2\/registry\.json · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC · appreg \S+ · 0 apps, 0 versions · 1 error, 0 warnings$/,
    );
  });

  test('with a checksum symptom that is not judged for --skip-artifacts', async () => {
    const { code, out } = await run(live.url, { skipArtifacts: true });
    expect(code).toBe(0);
    expect(statuses(out)).toEqual(['clear', 'not judged', 'clear', 'clear']);
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
    const { code, out } = await run(live.url, { bundle: 'cut.json' });
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
  test.each<[string, string, RegExp]>([
    ['a key that differs in case', 'App-A', /It lists “app-a”, which differs only in case\. \(App-A\) app-not-listed/],
    ['a key with an underscore', 'app_a', /“app-a”, which differs in its hyphens/],
    ['a key without a similar one', 'calendar', /the only listed app has a different key/],
  ])('for %s', async (_, key, words) => {
    const { code, out } = await run(live.url, { app: [key] });
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(['clear', 'not judged', 'not judged', 'confirmed']);
    expect(line(out, '✗')).toMatch(words);
    expect(out).toContain(`Apps\n  ${key}: not in the manifest\n`);
    expect(out).toContain('If it was published recently\n');
    expect(host.requests.map((request) => request.path)).not.toContain('/2.tar.gz');
  });

  test('for a version that is not listed', async () => {
    const { code, out } = await run(live.url, { app: ['app-a'], version: '2.1.0' });
    expect(out).toContain('version-not-listed');
    expect(code).toBe(1);
    expect(statuses(out)).toEqual(['clear', 'not judged', 'clear', 'confirmed']);
    expect(line(out, '✗')).toContain('Version 2.1.0 is not listed; the highest of 2 listed versions is 2.0.0.');
    expect(out).toContain('  app-a: visible, latest 2.0.0; 2.1.0 is not listed');
    expect(out).toContain('(a version that is not listed has no artifact to check)');
  });

  test('for a listed version, and downloads only its artifact', async () => {
    const { code, out } = await run(live.url, { app: ['app-a'], version: '1.0.0' });
    expect(out).not.toContain('version-not-listed');
    expect(code).toBe(0);
    expect(out).toContain('1 artifact downloaded and hashed');
    expect(out).toContain('  app-a: visible, latest 2.0.0; 1.0.0 is listed');
    expect(host.requestsFor('/2.tar.gz')).toEqual([]);
  });

  test('for a listed version with a changed artifact', async () => {
    live.serve('1.tar.gz', gzipped(archive('other')));
    const { code, out } = await run(live.url, { app: ['app-a'], version: '1.0.0' });
    expect(code).toBe(1);
    expect(out).toContain('  app-a: visible, latest 2.0.0; 1.0.0 is listed, with 1 error');
  });

  test('in JSON, with the schema of every report and the actor in the evidence', async () => {
    const report = await reported(live.url, { app: ['App-A', 'app-a'], version: '1.0.0' });
    expect(report).toMatchObject({ command: 'diagnose', outcome: 'findings', summary: { errors: 1, apps: 1 } });
    expect(report.apps).toEqual([
      { key: 'App-A', visible: false, because: ['app-not-listed'], latest: null },
      { key: 'app-a', visible: true, because: [], latest: '2.0.0' },
    ]);
    expect(report.findings.filter((finding) => finding.severity === 'error')).toMatchObject([
      { rule: 'app-not-listed', app: 'App-A', evidence: { actor: 'asker' } },
    ]);
    const valid = new Ajv({ allowUnionTypes: true }).compile(
      JSON.parse(readFileSync(join(import.meta.dirname, '../../schemas/report.schema.json'), 'utf8')),
    );
    expect(valid(report), JSON.stringify(valid.errors)).toBe(true);
  });

  test('after it downloaded artifacts from the newest version downwards', async () => {
    live.versions.reverse();
    live.list();
    await run(live.url, { concurrency: 1 });
    const order = host.requests.filter((r) => r.method === 'GET' && r.path.endsWith('.gz')).map((r) => r.path);
    expect([...new Set(order)]).toEqual(['/2.tar.gz', '/1.tar.gz']);
  });
});

describe('diagnose reports usage errors', () => {
  test.each<[string, DiagnoseOptions, string, RegExp]>([
    ['apps.example.com/registry.json', {}, 'url-invalid', /https:\/\/apps\.example\.com\/registry\.json/],
    ['https://apps.example.com/', { version: '1.0.0' }, 'option-missing', /--app/],
    ['https://apps.example.com/', { bundle: 'no-folder/b.json' }, 'output-unwritable', /existing, writable folder/],
    ['nowhere.json', {}, 'facts-invalid', /--save/],
    ['ca.pem', { bundle: 'b.json' }, 'option-conflict', /URL/],
    ['ca.pem', { headerEnv: ['A=B'] }, 'option-conflict', /URL/],
  ])('for %s with %j', async (where, options, code, hint) => {
    await expect(run(where, options)).rejects.toMatchObject({ code, exit: 2, hint: expect.stringMatching(hint) });
  });

  test('and prints a document in a machine format', async () => {
    const context = cliContext({ cwd: folder, options: { format: 'json' } });
    await expect(diagnose(context, 'no-url', {})).rejects.toMatchObject({ exit: 2 });
    expect(JSON.parse(context.printed.out.join(''))).toMatchObject({ outcome: 'incomplete', command: 'diagnose' });
  });
});

const judged = async (file: string): Promise<Report> => {
  const context = cliContext({ cwd: folder, options: { format: 'json', rule: ['tls-expiring=off'] } });
  await judge(context, [file]);
  return JSON.parse(context.printed.out.join('')) as Report;
};
/** Without what a diagnosis adds, and without what depends on the run. */
const comparable = (report: Report): unknown => ({
  ...report,
  command: '',
  summary: { ...report.summary, seconds: 0 },
  findings: report.findings.map((finding) => {
    const { actor: _, servedBy: __, fromCache: ___, ...evidence } = finding.evidence;
    return { ...finding, evidence };
  }),
});
const ticket = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('diagnose --bundle', () => {
  test('saves facts that give the same findings with judge, and the same diagnosis with diagnose', async () => {
    live.serve('2.tar.gz', gzipped(live.older));
    live.serve('a.svg', answer({ status: 403 }));
    const options = { app: ['app-a', 'App-A'], version: '2.0.0', origin: [ORIGIN] };
    const { out } = await run(live.url, { ...options, bundle: 'ticket.json' });
    const report = await reported(live.url, options);
    const saved = JSON.parse(ticket('ticket.json'));
    expect(comparable(await judged('ticket.json'))).toEqual(comparable(saved.report));
    expect(comparable({ ...saved.report, findings: [] })).toEqual(comparable({ ...report, findings: [] }));
    expect(saved).toMatchObject({
      requested: { apps: ['app-a', 'App-A'], version: '2.0.0' },
      leftOut: [],
      run: { node: process.version, options: { app: ['app-a', 'App-A'], origin: [ORIGIN], ca: 'ca.pem' } },
      report: { command: 'diagnose', tool: { name: 'appreg' } },
    });
    const again = await run('ticket.json');
    expect(again.code).toBe(1);
    expect(again.out).toBe(out.replace(/ · (?=\d{4}-)/, ' · saved '));
    expect(statSync(join(folder, 'ticket.json')).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('saves facts that answer for the observed apps, and reports other apps as missing from the file', async () => {
    host.on('/app-b.json', json({ versions: live.versions }));
    live.serve(
      'registry.json',
      json({ apps: { 'app-a': app('app-a', { appMetadataUrl: `${host.origin}/a.json` }), 'app-b': app('app-b') } }),
    );
    await run(live.url, { app: ['app-a'], bundle: 'one.json' });
    expect((await run('one.json', { app: ['app-a'] })).code).toBe(0);
    expect((await run('one.json', { app: ['app-c'] })).out).toContain('The manifest does not list the app “app-c”');
    const other = await run('one.json', { app: ['app-b'] });
    expect(other.code).toBe(2);
    expect(other.out).toContain('the facts of app-b are not in this file');
  });

  test('saves no secret, even if a host echoes it', async () => {
    const [inHeader, inEnv, inUrl, inCookie, inProxy] = ['header', 'environment', 'url', 'cookie', 'proxy'].map(
      (name) => `canary-${name}-7f3a`,
    ) as [string, string, string, string, string];
    live.versions[0]!.artifactUrl += `?X-Amz-Signature=${inUrl}`;
    live.list();
    const echo = {
      'X-Echo': `${inHeader} ${inEnv}`,
      'Set-Cookie': `session=${inCookie}`,
      Location: `https://x.test/?sig=${inUrl}`,
    };
    live.serve('a.svg', answer({ status: 403, headers: echo, body: `you sent ${inHeader} and Bearer ${inEnv}` }));
    const { out } = await run(
      `${live.url}?token=${inUrl}`,
      { header: [`X-Key: ${inHeader}`], headerEnv: ['Authorization=TOKEN'], bundle: 'secret.json' },
      { verbose: true },
      { TOKEN: `Bearer ${inEnv}`, HTTP_PROXY: `http://me:${inProxy}@proxy.test:3128/` },
    );
    expect(host.requestsFor('/a.svg', 'GET')[0]!.headers).toMatchObject({ 'x-key': inHeader });
    for (const text of [out, ticket('secret.json'), (await run('secret.json', {}, { verbose: true })).out])
      expect(text).not.toContain('canary');
    expect(JSON.parse(ticket('secret.json')).run).toMatchObject({
      options: { headers: ['X-Key', 'Authorization'] },
      proxy: null,
    });
  });

  test('saves the proxy of the requests without its password', async () => {
    const proxy = 'http://127.0.0.1:1';
    const env = { HTTPS_PROXY: 'http://me:canary-proxy@127.0.0.1:1' };
    const { out } = await run(live.url, { bundle: 'proxy.json' }, {}, env);
    expect(line(out, 'who')).toContain('the network between');
    expect(line(out, '✗')).toContain(`no server listens at the proxy ${proxy} (HTTPS_PROXY)`);
    expect(out.split('\n').at(-1)).toContain(`through the proxy ${proxy} (HTTPS_PROXY)`);
    expect(JSON.parse(ticket('proxy.json')).run.proxy).toEqual({ url: proxy, variable: 'HTTPS_PROXY' });
    expect(out + ticket('proxy.json')).not.toContain('canary');
  });

  test('escapes control characters in its output', async () => {
    live.serve('registry.json', json({ apps: { 'a\u001b[2J\u202e\n': app('app-a') } }));
    for (const verbose of [false, true]) {
      const { out } = await run(live.url, {}, { verbose });
      // eslint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(out).toContain('a\\u{1b}[2J\\u{202e}\\u{a}: hidden');
    }
  });
});
