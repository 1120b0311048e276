import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import { certificates } from '../support/fault-certificates.ts';
import { answer, type Behaviour, byMethod, type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { putRegistry, SVG, verified } from '../support/live-registry.ts';
import { describeInChromium, openService, PAGE, type Service } from './chromium.ts';

/** Findings about the headers of cached responses, compared with the cache of a real browser. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ALLOW = 'Access-Control-Allow-Origin';
const PAGE_ORIGIN = 'https://svc.test';
const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;
type Lines = readonly (readonly [string, string])[];

function revalidationFindings(report: Report): string[] {
  const about = ['cors-revalidation-refused', 'cors-not-varied', 'cors-missing'];
  return report.findings
    .filter(({ rule, resource }) => about.includes(rule) && resource === 'icon')
    .map(({ severity, rule, cause }) => `${severity} ${rule} ${cause}`);
}

describeInChromium('the verdict about cached responses and a browser', () => {
  let host: FaultHost;
  let service: Service;
  beforeAll(async () => {
    host = await openFaultHost({ tls: certificates().get('names') });
    host.on('/', answer({ headers: { 'Content-Type': 'text/html' }, body: PAGE }));
    service = await openService([`MAP svc.test:443 127.0.0.1:${host.port}`, 'MAP registry.test 127.0.0.1']);
  });
  afterAll(async () => {
    await service?.close();
    await host?.close();
  });

  /** The results of these requests in a browser, one after the other, and the report of appreg about the same file. */
  async function compare(ways: readonly string[], icon: Behaviour): Promise<{ shown: unknown[]; report: Report }> {
    const live = putRegistry({ ...host, origin: `https://registry.test:${host.port}` });
    host.on('/a.svg', icon);
    const url = `https://registry.test:${host.port}/a.svg?${host.requests.length}`;
    const shown: unknown[] = [];
    for (const way of ways) shown.push(...(await service.ask(PAGE_ORIGIN, [{ way, url }])));
    const { report } = await verified(live.url, {
      origins: [PAGE_ORIGIN],
      lookup: (_, options, then) => (options.all ? then(null, [LOOPBACK]) : then(null, LOOPBACK.address, 4)),
    });
    return { shown, report };
  }

  test.each<{ name: string; lines: Lines; isShown: boolean; expected: string[] }>([
    { name: 'none', lines: [], isShown: true, expected: [] },
    { name: 'the same', lines: [[ALLOW, '*']], isShown: true, expected: [] },
    { name: 'this origin', lines: [[ALLOW, PAGE_ORIGIN]], isShown: true, expected: [] },
    {
      name: 'another origin',
      lines: [[ALLOW, 'https://other.test']],
      isShown: false,
      expected: ['error cors-revalidation-refused other-origin'],
    },
    { name: 'null', lines: [[ALLOW, 'null']], isShown: false, expected: ['error cors-revalidation-refused null'] },
    { name: 'an empty one', lines: [[ALLOW, '']], isShown: false, expected: ['error cors-revalidation-refused empty'] },
    {
      name: 'a list',
      lines: [[ALLOW, `*, ${PAGE_ORIGIN}`]],
      isShown: false,
      expected: ['error cors-revalidation-refused list'],
    },
    {
      name: 'two of them',
      lines: [
        [ALLOW, '*'],
        [ALLOW, '*'],
      ],
      isShown: false,
      expected: ['error cors-revalidation-refused two-headers'],
    },
  ])('agree on a 304 with $name', async ({ lines, isShown, expected }) => {
    const icon: Behaviour = (request, socket) =>
      (request.headers['if-none-match'] === '"a"'
        ? answer({
            status: 304,
            headers: [['ETag', '"a"'], ...lines.map(([name, value]): [string, string] => [name, value])],
          })
        : answer({
            headers: { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'no-cache', ETag: '"a"', [ALLOW]: '*' },
            body: SVG,
          }))(request, socket);
    const { shown, report } = await compare(['cached fetch', 'cached fetch'], byMethod({ GET: icon }));
    expect(shown).toEqual([true, isShown]);
    expect(revalidationFindings(report)).toEqual(expected);
  });

  const WARNING = ['warning cors-not-varied vary-only-with-origin'];
  const NOTE = ['note cors-not-varied vary-only-with-origin'];
  test.each<{ name: string; headers: Record<string, string>; isRead: boolean; expected: string[] }>([
    { name: 'max-age', headers: { 'Cache-Control': 'public, max-age=300' }, isRead: false, expected: WARNING },
    { name: 'private', headers: { 'Cache-Control': 'private, max-age=300' }, isRead: false, expected: WARNING },
    {
      name: 'an old date of change',
      headers: { 'Last-Modified': 'Mon, 01 Jan 2024 00:00:00 GMT' },
      isRead: false,
      expected: WARNING,
    },
    { name: 'max-age=0', headers: { 'Cache-Control': 'max-age=0' }, isRead: true, expected: NOTE },
    { name: 'no-cache', headers: { 'Cache-Control': 'no-cache' }, isRead: true, expected: NOTE },
    { name: 'no-store', headers: { 'Cache-Control': 'no-store' }, isRead: true, expected: [] },
    { name: 'no Cache-Control', headers: {}, isRead: true, expected: NOTE },
    {
      name: 'Vary always',
      headers: { 'Cache-Control': 'public, max-age=300', Vary: 'Origin' },
      isRead: true,
      expected: [],
    },
  ])(
    'agree on a plain <img> before fetch() if Vary: Origin is sent only with Origin: $name',
    async ({ headers, isRead, expected }) => {
      const icon: Behaviour = (request, socket) => {
        const { origin } = request.headers;
        const cors: Record<string, string> = origin === undefined ? {} : { [ALLOW]: origin, Vary: 'Origin' };
        return answer({ headers: { 'Content-Type': 'image/svg+xml', ...headers, ...cors }, body: SVG })(
          request,
          socket,
        );
      };
      const { shown, report } = await compare(['img', 'cached fetch'], byMethod({ GET: icon }));
      expect(shown).toEqual([true, isRead]);
      expect(revalidationFindings(report)).toEqual(expected);
    },
  );

  test.each<{ name: string; lines: Lines; isRead: boolean; expected: string[] }>([
    { name: 'the same', lines: [[ALLOW, '*']], isRead: true, expected: [] },
    { name: 'none', lines: [], isRead: false, expected: ['warning absent'] },
    {
      name: 'two of them',
      lines: [
        [ALLOW, '*'],
        [ALLOW, '*'],
      ],
      isRead: false,
      expected: ['warning two-headers'],
    },
    {
      name: 'another origin',
      lines: [[ALLOW, 'https://other.test']],
      isRead: false,
      expected: ['warning other-origin'],
    },
  ])('agree on HEAD with $name', async ({ lines, isRead, expected }) => {
    const headers: [string, string][] = [
      ['Content-Type', 'image/svg+xml'],
      ['Cache-Control', 'no-store'],
    ];
    const icon = byMethod({
      GET: answer({ headers: [...headers, [ALLOW, '*']], body: SVG }),
      HEAD: answer({
        headers: [...headers, ...lines.map(([name, value]): [string, string] => [name, value])],
        length: null,
      }),
    });
    const { shown, report } = await compare(['fetch', 'head'], icon);
    expect(shown).toEqual([true, isRead]);
    const about = report.findings.filter(({ rule, resource }) => rule === 'cors-head-refused' && resource === 'icon');
    expect(about.map(({ severity, cause }) => `${severity} ${cause}`)).toEqual(expected);
  });
});
