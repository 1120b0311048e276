import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { VerifyOptions } from '../../src/cli/check/verify-options.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { answer, byMethod, CORS, delayed, type FaultHost, json, redirect } from '../support/fault-host.ts';
import { archive, checksum, gzipped, type Live, ORIGIN } from '../support/live-registry.ts';
import { cliContext } from '../support/cli-context.ts';
import { verifyFixture } from './verify-fixture.ts';

const fixture = verifyFixture();
let host: FaultHost;
let live: Live;
let folder: string;
beforeEach(() => {
  ({ host, live, folder } = fixture);
});

interface Run {
  code: number;
  out: string;
  report: Report;
  progress: string[];
}

async function run(
  url: string,
  options: VerifyOptions = {},
  globals: GlobalOptions = { format: 'json' },
  env: NodeJS.ProcessEnv = {},
): Promise<Run> {
  const context = cliContext({ cwd: folder, options: globals, env });
  const { out, progress } = context.printed;
  const code = await runVerify(context, url, { ca: 'ca.pem', ...options });
  const text = out.join('\n');
  return {
    code,
    out: text,
    report: globals.format === 'json' ? (JSON.parse(text) as Report) : (null as never),
    progress,
  };
}

const errorsIn = (report: Report): string[] =>
  report.findings.filter((f) => f.severity === 'error').map((f) => `${f.rule} ${f.version ?? f.app ?? f.resource}`);

describe('verify', () => {
  test('exits with 0 for a registry without errors, and counts what was observed', async () => {
    const { code, report, progress } = await run(live.url, { origin: [ORIGIN] });
    expect(code).toBe(0);
    expect(report).toMatchObject({
      command: 'verify',
      target: live.url,
      summary: { errors: 0, apps: 1, versions: 2, artifacts: 2 },
      apps: [{ key: 'app-a', visible: true, latest: '2.0.0' }],
    });
    expect(report.symptoms.every((s) => s.status !== 'confirmed')).toBe(true);
    expect(progress.at(-1)).toMatch(/\d+ of \d+ files/);
  });

  test('exits with 1 for an error', async () => {
    live.serve('2.tar.gz', gzipped(archive('changed')));
    const { code, report } = await run(live.url);
    expect(code).toBe(1);
    expect(errorsIn(report)).toEqual(['artifact-checksum-mismatch 2.0.0']);
    expect(report.symptoms.find((s) => s.id === 'checksum-mismatch')).toMatchObject({
      status: 'confirmed',
      rules: ['artifact-checksum-mismatch'],
    });
  });

  test('reports an unreachable registry as a finding, and no symptom as clear', async () => {
    live.serve('registry.json', answer({ status: 404 }));
    const { code, report } = await run(live.url);
    expect(code).toBe(1);
    expect(errorsIn(report)).toEqual(['unreachable manifest']);
    expect(report.symptoms.map((s) => s.status)).toEqual(['confirmed', 'not-judged', 'not-judged', 'not-judged']);
  });

  test('counts warnings only against --max-warnings', async () => {
    live.serve(
      '2.tar.gz',
      byMethod({
        GET: gzipped(live.artifact),
        HEAD: answer({ status: 405 }),
        OPTIONS: answer({ status: 204, headers: CORS }),
      }),
    );
    expect((await run(live.url, {}, { format: 'json', maxWarnings: 0 })).code).toBe(1);
    expect((await run(live.url, {}, { format: 'json', maxWarnings: 5 })).code).toBe(0);
  });

  test('prints a pretty report', async () => {
    live.serve('a.svg', answer({ status: 403 }));
    const { code, out } = await run(live.url, {}, {});
    expect(code).toBe(1);
    expect(out).toContain('403');
    expect(out).toContain('a.svg');
  });
});

const fetchedPaths = (): string[] =>
  [...new Set(host.requests.filter((r) => r.method === 'GET').map((r) => r.path))].sort();
const judged = async (file: string): Promise<Report> => {
  const context = cliContext({ cwd: folder, options: { format: 'json' } });
  await runJudge(context, [file]);
  return JSON.parse(context.printed.out.join('')) as Report;
};
const withoutTimes = (r: Report): unknown => ({ ...r, command: '', summary: { ...r.summary, seconds: 0 } });

describe('verify requests', () => {
  test.each<{ name: string; options: VerifyOptions; expected: string[] }>([
    {
      name: 'every file by default',
      options: {},
      expected: ['/1.tar.gz', '/2.tar.gz', '/a.json', '/a.svg', '/registry.json'],
    },
    {
      name: 'only the latest versions with --versions latest',
      options: { versions: 'latest' },
      expected: ['/2.tar.gz', '/a.json', '/a.svg', '/registry.json'],
    },
    {
      name: 'only the versions of a range',
      options: { versions: '<2' },
      expected: ['/1.tar.gz', '/a.json', '/a.svg', '/registry.json'],
    },
    {
      name: 'no artifacts with --skip-artifacts',
      options: { skipArtifacts: true },
      expected: ['/a.json', '/a.svg', '/registry.json'],
    },
    {
      name: 'only one app with --app',
      options: { app: ['app-a'] },
      expected: ['/1.tar.gz', '/2.tar.gz', '/a.json', '/a.svg', '/registry.json'],
    },
  ])('$name', async ({ options, expected }) => {
    const { code } = await run(live.url, options);
    expect(code).toBe(0);
    expect(fetchedPaths()).toEqual(expected);
  });

  test('the highest version that can be offered with --versions latest', async () => {
    live.versions.push({ version: '3.0.0' } as never);
    live.list();
    const { report } = await run(live.url, { versions: 'latest' });
    expect(fetchedPaths()).toContain('/2.tar.gz');
    expect(report.apps).toMatchObject([{ key: 'app-a', visible: true, latest: '2.0.0' }]);
  });

  test('each URL once by GET, except for the views of a browser', async () => {
    live.versions.push({ ...live.versions[0]!, version: '3.0.0' });
    live.list();
    await run(live.url);
    const plain = host.requests
      .filter((r) => r.method === 'GET' && r.headers['sec-fetch-mode'] === undefined && !r.headers['if-none-match'])
      .map((r) => r.path)
      .sort();
    expect(plain).toEqual(['/1.tar.gz', '/2.tar.gz', '/a.json', '/a.svg', '/registry.json']);
    expect(
      host.requests.filter((r) => r.path.endsWith('.gz') && r.headers['origin'] !== undefined && r.method === 'GET'),
    ).toMatchObject([{ headers: { range: 'bytes=0-0' } }]);
  });

  test('at most --concurrency files at once', async () => {
    host.peak = 0;
    live.serve('2.tar.gz', delayed(20, gzipped(live.artifact)));
    await run(live.url, { concurrency: 2 });
    expect(host.peak).toBeLessThanOrEqual(2);
  });
});

describe('verify reports a usage error', () => {
  test.each<{ url: string; options: VerifyOptions; code: string; hint: RegExp }>([
    {
      url: 'apps.example.com/registry.json',
      options: {},
      code: 'url-invalid',
      hint: /https:\/\/apps\.example\.com\/registry\.json/,
    },
    { url: './registry.json', options: {}, code: 'url-invalid', hint: /appreg lint/ },
    { url: 'ftp://example.com/', options: {}, code: 'url-invalid', hint: /https:/ },
    { url: 'file:///C:/acme/registry.json', options: {}, code: 'url-invalid', hint: /appreg lint/ },
    { url: 'C:\\acme\\registry.json', options: {}, code: 'url-invalid', hint: /appreg lint/ },
    { url: 'https://user:pw@example.com/', options: {}, code: 'url-credentials', hint: /--header-env/ },
    {
      url: 'https://example.com/',
      options: { origin: ['https://svc.test/page'] },
      code: 'option-invalid',
      hint: /--origin https:\/\/svc\.test/,
    },
    { url: 'https://example.com/', options: { origin: ['*'] }, code: 'option-invalid', hint: /https:/ },
    { url: 'https://example.com/', options: { versions: 'newest' }, code: 'option-invalid', hint: /latest/ },
    {
      url: 'https://example.com/',
      options: { header: ['Authorization'] },
      code: 'option-invalid',
      hint: /Name: value/,
    },
    {
      url: 'https://example.com/',
      options: { header: ['Origin: https://x.test'] },
      code: 'option-invalid',
      hint: /--origin/,
    },
    {
      url: 'https://example.com/',
      options: { headerEnv: ['Authorization=NOT_SET_AT_ALL'] },
      code: 'environment-variable-unset',
      hint: /NOT_SET_AT_ALL/,
    },
    { url: 'https://example.com/', options: { ca: 'nowhere.pem' }, code: 'ca-file-invalid', hint: /PEM/ },
    {
      url: 'https://example.com/',
      options: { against: 'nowhere.json' },
      code: 'baseline-missing',
      hint: /Check the path/,
    },
  ])('for $url with $options', async ({ url, options, code, hint }) => {
    await expect(run(url, options, {})).rejects.toMatchObject({ code, exit: 2, hint: expect.stringMatching(hint) });
  });

  test('for an app that is not listed', async () => {
    await expect(run(live.url, { app: ['App-A'] }, {})).rejects.toMatchObject({ code: 'app-unknown', exit: 2 });
  });

  test('and prints a document in a machine format', async () => {
    const context = cliContext({ cwd: folder, options: { format: 'json' } });
    await expect(runVerify(context, 'no-url', {})).rejects.toMatchObject({
      code: 'url-invalid',
    });
    expect(JSON.parse(context.printed.out.join(''))).toMatchObject({ outcome: 'incomplete', command: 'verify' });
  });
});

describe('facts that verify saves', () => {
  test('give the same report with judge', async () => {
    live.serve('2.tar.gz', gzipped(live.older));
    live.serve(
      'a.svg',
      byMethod({ GET: answer({ headers: { 'Content-Type': 'text/plain', ...CORS }, body: '<svg' }) }),
    );
    const { report } = await run(live.url, { save: 'facts.json', origin: [ORIGIN] });
    const again = await judged('facts.json');
    expect(withoutTimes(again)).toEqual(withoutTimes(report));
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('contain no secrets, and neither does the output', async () => {
    const secret = 's3cr3t-canary-value';
    live.serve(
      'registry.json',
      byMethod({
        GET: (request, socket) =>
          answer({
            status: request.headers['authorization'] ? 200 : 401,
            headers: { 'X-Echo': request.headers['authorization'] ?? '', 'Content-Type': 'application/json' },
            body: JSON.stringify({ apps: {}, [secret]: 1 }),
          })(request, socket),
      }),
    );
    const { out } = await run(
      `${live.url}?X-Amz-Signature=${secret}`,
      { save: 'secret.json', headerEnv: ['Authorization=TOKEN'] },
      { format: 'json' },
      { TOKEN: `Bearer ${secret}` },
    );
    expect(host.requestsFor(`/registry.json?X-Amz-Signature=${secret}`, 'GET')[0]!.headers['authorization']).toBe(
      `Bearer ${secret}`,
    );
    expect(readFileSync(join(folder, 'secret.json'), 'utf8')).not.toContain(secret);
    expect(out).not.toContain(secret);
  });

  test('are refused if they are invalid', async () => {
    const head = '"snapshot":1,"seenAt":"2026-01-01T00:00:00.000Z","origins":[]';
    for (const text of [
      '{"snapshot":2}',
      `{${head},"manifest":null,"apps":[]}`,
      `{${head},"manifest":{},"apps":[]}`,
      `{${head},"manifest":{"web":{"unseen":""},"content":{"unseen":""}},"apps":[1]}`,
    ]) {
      writeFileSync(join(folder, 'other.json'), text);
      await expect(judged('other.json'), text).rejects.toMatchObject({ code: 'facts-invalid' });
    }
    await expect(judged('ca.pem')).rejects.toMatchObject({ code: 'facts-invalid' });
  });

  test('are a baseline for --against, which reports changed and withdrawn versions', async () => {
    await run(live.url, { save: 'before.json' });
    live.versions[0]!.artifactChecksum = checksum(live.older);
    live.versions[0]!.artifactUrl = live.versions[1]!.artifactUrl;
    live.versions.pop();
    live.list();
    const { code, report } = await run(live.url, { against: 'before.json' });
    expect(code).toBe(1);
    expect(errorsIn(report)).toEqual(['version-withdrawn 1.0.0', 'artifact-changed 2.0.0']);
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  'verify interrupted by %s reports what was judged as incomplete, and exits with %i',
  async (signal, exit) => {
    const entry = (key: string) => ({
      name: key,
      description: 'x',
      blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/${key}.json`,
    });
    host.on('/fast.json', json({ versions: live.versions }));
    host.on('/slow.json', (request, socket) => {
      // npx forwards a signal that the process already received.
      if (request.method === 'GET') for (let i = 0; i < 2; i++) process.emit(signal, signal);
      return delayed(3000, json({ versions: [] }))(request, socket);
    });
    live.serve('registry.json', json({ apps: { slow: entry('slow'), fast: entry('fast') } }));
    const { code, report } = await run(live.url, { save: 'cut.json' });
    expect(code).toBe(exit);
    expect(report.outcome).toBe('incomplete');
    expect(report.notJudged).toContainEqual(
      expect.objectContaining({ reason: expect.stringContaining('interrupted') }),
    );
    expect(JSON.parse(readFileSync(join(folder, 'cut.json'), 'utf8'))).toMatchObject({
      incomplete: expect.stringContaining('interrupted'),
    });
    expect(process.listenerCount(signal)).toBe(0);
  },
);

test('verify interrupted before the manifest arrives saves nothing, and reports an incomplete check', async () => {
  live.serve('registry.json', (request, socket) => {
    process.emit('SIGINT', 'SIGINT');
    return delayed(3000, json({ apps: {} }))(request, socket);
  });
  const { code, report } = await run(live.url, { save: 'nothing.json' });
  expect(code).toBe(130);
  expect(report.outcome).toBe('incomplete');
  expect(readdirSync(folder).filter((name) => name.startsWith('nothing.json'))).toEqual([]);
});

test('verify follows a redirect of the registry, and reports its target as evidence of a failure', async () => {
  host.on('/old.json', redirect('/gone.json'));
  const { report } = await run(`${host.origin}/old.json`);
  expect(report.findings.find((f) => f.severity === 'error')).toMatchObject({
    rule: 'unreachable',
    cause: 'status-404',
    evidence: {
      requested: `${host.origin}/gone.json`,
      hops: [`302 ${host.origin}/old.json`, `404 ${host.origin}/gone.json`],
    },
  });
});
