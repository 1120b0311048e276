import { describe, expect, test } from 'vitest';
import { type Behaviour, inTurn, reset, silent, tagged } from '../../support/fault-host.ts';
import { byRequest, liveFixture } from '../../support/live-fixture.ts';
import { faults, gzipped, verified } from '../../support/live-registry.ts';

/** Hosts that answer plain GET requests, and never another kind of request. */

const fixture = liveFixture();

/** Serves the manifest and the latest artifact; what `without` returns is done instead. */
function serve(without: (request: { method: string; headers: Record<string, string> }) => Behaviour | null): void {
  const manifest = tagged(fixture.manifest());
  const artifact = gzipped(fixture.live.artifact);
  fixture.live.serve(
    'registry.json',
    byRequest((request) => without(request) ?? manifest),
  );
  fixture.live.serve(
    '2.tar.gz',
    byRequest((request) => without(request) ?? artifact),
  );
}

/** A wait that is short, but longer than a busy machine takes. */
const verify = () => verified(fixture.live.url, { headersTimeout: 1500 });

describe.each([
  ['never answers', silent()],
  ['closes the connection of', reset()],
])('a host that %s', (_, drop) => {
  test.each([
    ['OPTIONS', 'warning cors-preflight-refused no-answer (manifest)'],
    ['HEAD', 'warning head-refused failed (manifest)'],
  ])('%s gets one finding', async (method, expected) => {
    serve((request) => (request.method === method ? drop : null));
    const { report } = await verify();
    expect(faults(report)).toEqual([expected]);
    expect(report.findings.find(({ cause }) => /no-answer|failed/.test(cause ?? ''))?.message).toContain(
      'repeatedly, while GET requests are answered',
    );
  });

  test('conditional requests gets one finding', async () => {
    serve((request) => ('if-none-match' in request.headers ? drop : null));
    expect(faults((await verify()).report)).toEqual(['warning conditional-request-rejected failed (manifest)']);
  });

  test('requests with a Range gets a note', async () => {
    serve((request) => ('range' in request.headers ? drop : null));
    const { report } = await verify();
    expect(faults(report)).toEqual([]);
    expect(report.findings.filter(({ rule }) => rule === 'range-request-unanswered')).toHaveLength(1);
  });
});

test('requests that are answered when repeated lead to no finding', async () => {
  const manifest = tagged(fixture.manifest());
  const first: Record<string, Behaviour> = {
    OPTIONS: inTurn(silent(), silent(), manifest),
    HEAD: inTurn(silent(), manifest),
  };
  fixture.live.serve(
    'registry.json',
    byRequest(({ method }) => first[method] ?? manifest),
  );
  const { report } = await verify();
  expect(faults(report)).toEqual([]);
  expect(report.notJudged.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['head-refused']));
});

test('a host that stops answering everything after the first requests is not blamed for OPTIONS', async () => {
  const manifest = tagged(fixture.manifest());
  let gets = 0;
  fixture.live.serve(
    'registry.json',
    byRequest(({ method }) => (method === 'GET' && ++gets <= 4 ? manifest : silent())),
  );
  const { report } = await verify();
  expect(faults(report).filter((line) => /cors-preflight-refused|head-refused/.test(line))).toEqual([]);
});
