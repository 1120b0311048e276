import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { printReport } from '../../src/cli/check/report.ts';
import { runDiagnose } from '../../src/cli/commands/diagnose.ts';
import { runJudge } from '../../src/cli/commands/judge.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import type { VerifyOptions } from '../../src/cli/check/verify-options.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { type Format, FORMATS } from '../../src/report/options.ts';
import { certificates } from '../support/fault-certificates.ts';
import { answer, byMethod, CORS, type FaultHost, json, openFaultHost } from '../support/fault-host.ts';
import { gzipped, type Live, putRegistry } from '../support/live-registry.ts';
import { cliContext } from '../support/cli-context.ts';

/** Secrets in requests must not appear in the output, wherever a host echoes them. */

const TOKEN = 'c4nary-T0ken/with+signs';

let host: FaultHost;
let other: FaultHost;
let live: Live;
let folder: string;
beforeAll(async () => {
  const made = certificates();
  host = await openFaultHost({ tls: made.get('good') });
  other = await openFaultHost({ tls: made.get('good') });
  folder = mkdtempSync(join(tmpdir(), 'appreg-secrets-'));
  writeFileSync(join(folder, 'ca.pem'), made.ca);
});
afterAll(async () => {
  await Promise.all([host.close(), other.close()]);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  live = putRegistry(host);
  host.requests.length = 0;
  other.requests.length = 0;
});

/** A verbose run with a token in its environment. */
function contextWith(format: Format): ReturnType<typeof cliContext> {
  return cliContext({ cwd: folder, options: { format, verbose: true }, env: { TOKEN: `Bearer ${TOKEN}` } });
}

/** Everything that a run prints and saves, and its results alone. */
async function everything(
  format: Format,
  options: VerifyOptions = { headerEnv: ['Authorization=TOKEN'] },
): Promise<{ all: string; out: string[] }> {
  const context = contextWith(format);
  await runVerify(context, live.url, { ca: 'ca.pem', save: 'facts.json', ...options });
  const all = Object.values(context.printed).flat().join('\n') + readFileSync(join(folder, 'facts.json'), 'utf8');
  return { all, out: context.printed.out };
}

function reportIn(out: readonly string[]): Report {
  return JSON.parse(out.find((line) => line.startsWith('{'))!) as Report;
}

/** The report in a format. */
function printed(report: Report, format: Format): string {
  const context = contextWith(format);
  printReport(context, report);
  return context.printed.out.join('\n');
}

const ECHOES: [string, (token: string) => void][] = [
  [
    'in a JSON document',
    (token) => live.serve('a.json', json({ versions: live.versions, [token]: token, note: `${token}"` })),
  ],
  ['in a broken JSON document', (token) => live.serve('a.json', json(`{"versions": [], "x": ${token}`))],
  ['in an error response', (token) => live.serve('a.json', answer({ status: 403, body: `No entry with ${token}` }))],
  ['in headers', (token) => live.serve('a.json', json('{', { ETag: `"${token}"`, 'Cache-Control': token }))],
  [
    'in a redirect on the same host',
    (token) => live.serve('a.json', answer({ status: 302, headers: { Location: `/${token}/x` } })),
  ],
  [
    'in a redirect to another host',
    (token) =>
      live.serve('a.json', answer({ status: 302, headers: { Location: `${other.origin}/?u=${token}#${token}` } })),
  ],
  [
    'in a redirect loop',
    (token) => live.serve('a.json', answer({ status: 302, headers: { Location: `?t=${token}` } })),
  ],
  [
    'in the reason phrase',
    (token) => live.serve('a.json', (_, socket) => void socket.end(`HTTP/1.1 404 ${token}\r\n\r\n`)),
  ],
  [
    'in a response that is not HTTP',
    (token) => live.serve('a.json', (_, socket) => void socket.end(`${token}\r\n\r\n`)),
  ],
  ['in an artifact', (token) => live.serve('2.tar.gz', gzipped(`x${token}`))],
  [
    'in an icon',
    (token) => live.serve('a.svg', byMethod({ GET: answer({ headers: CORS, body: `<svg>${token}</svg` }) })),
  ],
  [
    'in bytes that are not UTF-8',
    (token) => live.serve('a.json', answer({ body: Buffer.from(`\xff ${token}`, 'latin1') })),
  ],
  [
    'in a Content-Type header',
    (token) => live.serve('a.json', json({ versions: [] }, { 'Content-Type': `text/${token}` })),
  ],
];

describe('verify prints and saves no token that a host echoes', () => {
  test.each(ECHOES)('%s', async (_, serve) => {
    serve(TOKEN);
    const runs = [await everything('json'), await everything('pretty')];
    const report = reportIn(runs[0]!.out);
    for (const all of [...runs.map((run) => run.all), ...FORMATS.map((format) => printed(report, format))]) {
      expect(all).not.toContain(TOKEN);
      expect(all).not.toContain(encodeURIComponent(TOKEN));
      expect(all).not.toContain('c4nary');
      for (let shift = 0; shift < 3; shift += 1) {
        const inside = Buffer.from(`${'x'.repeat(shift)}${TOKEN}`)
          .toString('base64')
          .slice(4, -6);
        expect(all).not.toContain(inside);
      }
    }
    expect(JSON.stringify(other.requests)).not.toContain('uthorization');
  });
});

const FORMS: [string, string][] = [
  ['in small letters', TOKEN.toLowerCase()],
  ['in capital letters', TOKEN.toUpperCase()],
  ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
  ['in base64', Buffer.from(`Bearer ${TOKEN}`).toString('base64')],
  ['in percent-encoding', Buffer.from(TOKEN).toString('hex').replaceAll(/../g, '%$&')],
];

test.each(FORMS)('verify and diagnose hide a token that a host echoes %s', async (_, echoed) => {
  live.serve('a.json', answer({ status: 403, headers: { 'X-Seen': echoed }, body: `No entry with ${echoed}` }));
  const { all } = await everything('json');
  const ticket = contextWith('markdown');
  await runDiagnose(ticket, live.url, { ca: 'ca.pem', headerEnv: ['Authorization=TOKEN'], bundle: 'ticket.zip' });
  for (const text of [all, Object.values(ticket.printed).flat().join('\n')]) {
    expect(text).not.toContain(echoed);
    expect(text).toContain('403');
  }
});

test('verify requests a URL with its secret, and reports it without', async () => {
  const signed = `${host.origin}/2.tar.gz?token=${encodeURIComponent(TOKEN)}`;
  live.versions[0]!.artifactUrl = signed;
  live.list();
  host.on('/2.tar.gz', answer({ status: 403 }));
  host.on(signed.slice(host.origin.length), gzipped(live.artifact));
  const { all } = await everything('json');
  expect(all).not.toContain('c4nary');
  expect(all).not.toContain('status-403');
});

const entry = (n: number): object => ({
  version: `1.0.${n}`,
  artifactUrl: `${host.origin}/1.tar.gz?X-Amz-Signature=c4nary${'0'.repeat(n * 3)}&id=${n}`,
  artifactChecksum: 'sha256:nothing',
});

test('saved facts with signed URLs are judged with the same lines and columns', async () => {
  const text = JSON.stringify({ versions: [1, 2, 3].map(entry) });
  live.serve(
    'a.json',
    json(`${text.slice(0, -2).replaceAll('/', '\\/')}, {"x": "https:\\/\\/u:c4nary-pw@h\\/?a=\\"" }]}`),
  );
  const verified = contextWith('json');
  await runVerify(verified, live.url, { ca: 'ca.pem', save: 'facts.json' });
  const judgedAgain = contextWith('json');
  await runJudge(judgedAgain, ['facts.json']);
  const [before, after] = [verified, judgedAgain].map((context) => reportIn(context.printed.out));
  expect(before!.findings.filter(({ rule }) => rule === 'checksum-malformed')).toHaveLength(3);
  expect(after!.findings).toEqual(before!.findings);
  expect(readFileSync(join(folder, 'facts.json'), 'utf8')).not.toContain('c4nary');
});
