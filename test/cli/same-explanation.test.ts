import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchBytes, fetchWhole, artifactFault, readBack } from '../../src/cli/check/download.ts';
import { explainDownload } from '../../src/core/engine/explain-download.ts';
import { ownerOf } from '../../src/core/rules/lookup.ts';
import { mirror } from '../../src/mirror/mirror.ts';
import { answer, type Behaviour, type FaultHost, openFaultHost, redirect } from '../support/fault-host.ts';
import { folder } from '../support/folders.ts';
import { type Live, putRegistry, verified } from '../support/live-registry.ts';
import { contextIn, refusal } from './author-support.ts';

/** The same response has the same cause, owner, words and advice in every command that requests an artifact. */

let host: FaultHost;
let live: Live;
beforeAll(async () => {
  host = await openFaultHost();
  live = putRegistry(host);
});
afterAll(() => host.close());

const page = (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  answer({ status, headers: { 'Content-Type': 'text/html', ...headers }, body });
const xml = (status: number, code: string, more = ''): Behaviour =>
  answer({
    status,
    headers: { 'Content-Type': 'application/xml' },
    body: `<Error><Code>${code}</Code>${more}</Error>`,
  });

/** What the host serves; the cause, the owner and a part of the message. */
const RESPONSES: readonly (readonly [behaviour: Behaviour, cause: string, owner: string, words: string])[] = [
  [answer({ status: 404 }), 'status-404', 'author', 'the file does not exist'],
  [answer({ status: 409 }), 'status-409', 'host', 'conflicts'],
  [answer({ status: 418 }), 'status-418', 'host', 'firewalls'],
  [xml(403, 'AllAccessDisabled'), 'status-403', 'host', 'all access to the bucket is disabled'],
  [
    xml(301, 'PermanentRedirect', '<Endpoint>b.s3.eu-west-1.amazonaws.com</Endpoint>'),
    'wrong-region',
    'author',
    'the bucket is at another endpoint',
  ],
  [
    page(403, '<html><title>Just a moment...</title>'),
    'bot-protection',
    'host',
    'Cloudflare challenges the client as a bot',
  ],
  [page(403, '<html><title>Request Rejected</title>'), 'firewall', 'host', 'F5 blocks the request'],
  [page(503, '<html><title>Site under maintenance</title>'), 'maintenance', 'host', 'maintenance page'],
  [page(200, '<html><title>Sign in</title>'), 'html-page', 'host', 'it requires sign-in'],
  [
    page(200, '<html><title>Just a moment...</title>'),
    'html-page',
    'host',
    'Cloudflare challenges the client as a bot',
  ],
  [
    page(200, '<html><b>FortiGuard Web Filtering</b>'),
    'html-page',
    'user',
    'of this network responds instead of the host',
  ],
  [
    answer({ status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }),
    'html-page',
    'host',
    'AWS WAF challenges the client as a bot',
  ],
  [answer({ body: 'error code: 1020' }), 'html-page', 'host', 'Cloudflare blocks the request'],
  [
    page(404, "<html>There isn't a GitHub Pages site here."),
    'no-site',
    'author',
    'GitHub Pages has no site for this domain',
  ],
  [redirect('/2.tar.gz'), 'loop', 'host', 'redirected in a loop'],
];

describe.each(RESPONSES)('response %#', (behaviour, cause, owner, words) => {
  test(`${cause} of the ${owner}: ${words}`, { timeout: 60_000 }, async () => {
    live.serve('2.tar.gz', behaviour);
    const url = `${host.origin}/2.tar.gz`;
    const { report } = await verified(live.url, {});
    const finding = report.findings.find(({ resource, severity }) => resource === 'artifact' && severity === 'error')!;
    expect(finding).toMatchObject({ cause, message: expect.stringContaining(words) as string });
    const { message, advice, rule } = finding;

    const fetched = await fetchBytes(url, () => {}, { backoff: () => 1 });
    const now = new Date().toISOString();
    expect(explainDownload(fetched.probe, fetched.content, now)).toMatchObject({ rule, cause, owner, message });
    expect(ownerOf(finding)).toBe(owner);
    expect(artifactFault(fetched)).toEqual({ message, advice });

    const whole = await fetchWhole(url, {}).catch((error: unknown) => error);
    if (whole instanceof Error) expect(whole).toMatchObject({ hint: advice, summary: `${url}: ${message}` });
    else expect(whole).toMatchObject({ fault: { message, advice } });

    const version = live.versions.find(({ artifactUrl }) => artifactUrl === url)!;
    const missing = await refusal(readBack(contextIn(folder()), version, 0));
    expect(missing.code).toBe('read-back-missing');
    expect(missing.message).toContain(words);
    expect(missing.hint).toContain(advice);

    const { problems } = await mirror(live.url, folder(), {
      base: 'https://m.example.com/',
      manifest: 'registry.json',
      apps: null,
      versions: 'all',
      prune: false,
      backoff: () => 1,
    });
    expect(problems).toContainEqual(expect.objectContaining({ code: rule, message }));
  });
});
