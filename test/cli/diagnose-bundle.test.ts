import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runJudge } from '../../src/cli/commands/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { sha256Of } from '../../src/store/bytes.ts';
import { signedBy, statementOf, vendorKeys } from '../support/attest.ts';
import { answer, type FaultHost, json } from '../support/fault-host.ts';
import { gzipped, type Live, ORIGIN } from '../support/live-registry.ts';
import { write } from '../support/folders.ts';
import { cliContext } from '../support/cli-context.ts';
import { diagnoseFixture, line } from './diagnose-fixture.ts';

const { registry, diagnosed, reported, app } = diagnoseFixture();
let host: FaultHost;
let live: Live;
let folder: string;
beforeEach(() => {
  ({ host, live, folder } = registry);
  host.on('/a.about.json', answer({ status: 404 }));
});

const judged = async (file: string): Promise<Report> => {
  const context = cliContext({ cwd: folder, options: { format: 'json', rule: ['tls-expiring=off'] } });
  await runJudge(context, [file]);
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
    const { out } = await diagnosed(live.url, { ...options, bundle: 'ticket.json' });
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
    const again = await diagnosed('ticket.json');
    expect(again.code).toBe(1);
    expect(again.out).toBe(out.replace(/ · (?=\d{4}-)/, ' · saved '));
    expect(statSync(join(folder, 'ticket.json')).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('saves what attestations prove, for the same verdict, and not the bytes of the bundles', async () => {
    const { privateKey, publicKey } = vendorKeys();
    write(folder, { 'vendor.pub': publicKey });
    const sign = async (version: string, bytes: Uint8Array): Promise<Uint8Array> =>
      signedBy(privateKey, statementOf({ key: 'app-a', version }, bytes));
    const bundle = await sign('1.0.0', live.older);
    host.on('/1.tar.gz.sigstore.json', answer({ body: bundle }));
    host.on('/2.tar.gz.sigstore.json', answer({ body: await sign('1.0.0', live.artifact) }));
    const { out } = await diagnosed(live.url, { attestations: 'require', key: 'vendor.pub', bundle: 'ticket.json' });
    const saved = JSON.parse(ticket('ticket.json'));
    const [app] = saved.apps;
    const subject = { name: 'app-a@1.0.0' };
    expect(app.artifacts.map(({ attestation }: { attestation: object }) => attestation)).toMatchObject(
      [undefined, sha256Of(bundle)].map((sha256) => ({
        state: 'present',
        facts: { ...(sha256 && { sha256 }), failure: null, content: { statement: { subjects: [subject] } } },
      })),
    );
    const report = await judged('ticket.json');
    expect(report.findings).toContainEqual(
      expect.objectContaining({ rule: 'attestation-other-version', version: '2.0.0' }),
    );
    expect(comparable(report)).toEqual(comparable(saved.report));
    expect((await diagnosed('ticket.json')).out).toBe(out.replace(/ · (?=\d{4}-)/, ' · saved '));
    expect(ticket('ticket.json')).not.toContain(JSON.parse(Buffer.from(bundle).toString()).dsseEnvelope.payload);
  });

  test('saves the about file, which gives the same answer about a retired version', async () => {
    const deprecated = { reason: 'security', message: 'It leaks \u202e::error::\u001b[31m tokens.', use: '2.0.0' };
    const about = { schema: 1, versions: { '1.0.0': { deprecated, notes: '<script>' }, '9.0.0': {} } };
    host.on('/a.about.json', json(about));
    const { out } = await diagnosed(live.url, { app: ['app-a'], version: '1.0.0', bundle: 'ticket.json' });
    expect(out).toContain('1.0.0 is listed; its author retired it (security); use 2.0.0');
    const saved = JSON.parse(ticket('ticket.json'));
    expect(JSON.parse(saved.apps[0].about.content.text)).toEqual(about);
    const report = await judged('ticket.json');
    expect(report.findings.map(({ rule }) => rule)).toContain('about-version-unknown');
    expect(comparable(report)).toEqual(comparable(saved.report));
    const again = await diagnosed('ticket.json');
    expect(again.out).toBe(out.replace(/ · (?=\d{4}-)/, ' · saved '));
    // oxlint-disable-next-line no-control-regex
    for (const text of [out, again.out]) expect(text).not.toMatch(/[\u001b\u202e]/);
  });

  test('a broken about file is saved, and changes nothing but the finding about it', async () => {
    host.on('/a.about.json', answer({ headers: { 'Content-Type': 'application/json' }, body: '{' }));
    const { out } = await diagnosed(live.url, { bundle: 'ticket.json' });
    const report = await judged('ticket.json');
    expect(report.findings.map(({ rule }) => rule)).toContain('about-invalid');
    expect(report.apps).toMatchObject([{ key: 'app-a', visible: true, latest: '2.0.0' }]);
    expect((await diagnosed('ticket.json')).out).toBe(out.replace(/ · (?=\d{4}-)/, ' · saved '));
  });

  test('saves facts that answer for the observed apps, and reports other apps as missing from the file', async () => {
    host.on('/app-b.json', json({ versions: live.versions }));
    live.serve(
      'registry.json',
      json({ apps: { 'app-a': app('app-a', { appMetadataUrl: `${host.origin}/a.json` }), 'app-b': app('app-b') } }),
    );
    await diagnosed(live.url, { app: ['app-a'], bundle: 'one.json' });
    expect((await diagnosed('one.json', { app: ['app-a'] })).code).toBe(0);
    expect((await diagnosed('one.json', { app: ['app-c'] })).out).toContain(
      'The manifest does not list the app “app-c”',
    );
    const other = await diagnosed('one.json', { app: ['app-b'] });
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
    const { out } = await diagnosed(
      `${live.url}?token=${inUrl}`,
      { header: [`X-Key: ${inHeader}`], headerEnv: ['Authorization=TOKEN'], bundle: 'secret.json' },
      { verbose: true },
      { TOKEN: `Bearer ${inEnv}`, HTTP_PROXY: `http://me:${inProxy}@proxy.test:3128/` },
    );
    expect(host.requestsFor('/a.svg', 'GET')[0]!.headers).toMatchObject({ 'x-key': inHeader });
    for (const text of [out, ticket('secret.json'), (await diagnosed('secret.json', {}, { verbose: true })).out])
      expect(text).not.toContain('canary');
    expect(JSON.parse(ticket('secret.json')).run).toMatchObject({
      options: { headers: ['X-Key', 'Authorization'] },
      proxy: null,
    });
  });

  test('saves the proxy of the requests without its password', async () => {
    const proxy = 'http://127.0.0.1:1';
    const env = { HTTPS_PROXY: 'http://me:canary-proxy@127.0.0.1:1' };
    const { out } = await diagnosed(live.url, { bundle: 'proxy.json' }, {}, env);
    expect(line(out, 'who')).toContain('the user of this check');
    expect(line(out, '✗')).toContain(`no server listens at the proxy ${proxy} (HTTPS_PROXY)`);
    expect(out.split('\n').at(-1)).toContain(`through the proxy ${proxy} (HTTPS_PROXY)`);
    expect(JSON.parse(ticket('proxy.json')).run.proxy).toEqual({ url: proxy, variable: 'HTTPS_PROXY' });
    expect(out + ticket('proxy.json')).not.toContain('canary');
  });

  test('escapes control characters in its output', async () => {
    live.serve('registry.json', json({ apps: { 'a\u001b[2J\u202e\n': app('app-a') } }));
    for (const verbose of [false, true]) {
      const { out } = await diagnosed(live.url, {}, { verbose });
      // eslint-disable-next-line no-control-regex
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(out).toContain('a\\u{1b}[2J\\u{202e}\\u{a}: hidden');
    }
  });
});
