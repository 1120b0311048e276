// Scenario: random responses are judged by a browser too.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SVG } from '../support/icons.ts';
import { PNG } from '../support/png-builder.ts';
import { runs } from '../support/property-runs.ts';
import { disagreements } from './agreement.ts';
import { describeInChromium } from './chromium.ts';
import { type Hop, type Lines, openStage, type Situation, type Stage } from './situation.ts';

/** Random responses: appreg and a real browser agree on all of them. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const RUNS = runs(150);

function lines(name: string, values: fc.Arbitrary<readonly string[]>): fc.Arbitrary<Lines> {
  return values.map((list) => list.map((value) => [name, value] as const));
}

/** Most values are usual ones, some consist of random pieces. */
function values(usual: readonly (readonly string[])[], pieces: readonly string[]): fc.Arbitrary<readonly string[]> {
  const unusual = fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((list) => list.join(''));
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.array(unusual, { maxLength: 2 }) },
  );
}

function randomSituation(page: string): fc.Arbitrary<Situation> {
  const allow = values(
    [[], ['*'], ['*'], ['*'], [page], ['null']],
    ['*', page, 'null', ',', ' ', '\t', '/', 'x', page.toUpperCase()],
  );
  const preflight = fc.record({
    status: fc.constantFrom(200, 204, 204, 204, 301, 403, 405, 500),
    headers: fc
      .tuple(
        lines('Access-Control-Allow-Origin', allow),
        lines(
          'Access-Control-Allow-Headers',
          values(
            [['*'], ['*, Authorization'], ['x-appreg-probe, authorization'], []],
            ['*', 'X-Appreg-Probe', 'authorization', ',', ' ', ';', ''],
          ),
        ),
        lines(
          'Access-Control-Allow-Methods',
          values([[], ['GET'], ['*']], ['GET', 'get', 'PUT', ',', ' ', ';', '(', '']),
        ),
      )
      .map((all) => all.flat()),
  });
  const policy = values(
    [[], [], ['cross-origin'], ['same-site'], ['same-origin']],
    ['same-', 'origin', 'site', 'cross-', ',', ' '],
  );
  const hop: fc.Arbitrary<Hop> = fc.record(
    {
      at: fc.constantFrom('registry', 'registry', 'cdn', 'near', 'page', 'port'),
      allow: fc.oneof({ weight: 6, arbitrary: allow }, { weight: 1, arbitrary: fc.constant('echo' as const) }),
      headers: fc
        .tuple(
          lines('Cross-Origin-Resource-Policy', policy),
          lines('X-Content-Type-Options', fc.constantFrom([], [], ['nosniff'], ['x, nosniff'])),
          lines('Access-Control-Allow-Credentials', fc.constantFrom([], ['true'])),
        )
        .map((all) => all.flat()),
      preflight,
    },
    { requiredKeys: ['at', 'allow', 'headers'] },
  );
  const type = values(
    [
      ['image/svg+xml'],
      ['image/png'],
      ['image/svg+xml; charset=utf-8'],
      ['application/octet-stream'],
      ['text/plain'],
      ['text/html'],
      [],
    ],
    // No space: Chromium reads a type up to it, while the standard rejects the whole value.
    ['image/', 'svg+xml', 'png', 'text/plain', 'application/json', 'application/pdf', ';', ',', '*/*'],
  );
  return fc
    .record({
      hops: fc.array(hop, { minLength: 1, maxLength: 3 }),
      icon: fc.constantFrom(SVG, PNG),
      type,
    })
    .map((one) => ({ name: JSON.stringify({ ...one, icon: one.icon === SVG ? 'SVG' : 'PNG' }), ...one }));
}

describeInChromium('the verdict about random responses and a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  // All at once instead of one after the other, so that it takes seconds; failures are small enough to be read.
  test(`agree on ${RUNS} responses`, async () => {
    const page = stage.pages.ported;
    const drawn = fc.sample(randomSituation(page), RUNS);
    const files = ['metadata', 'icon'] as const;
    expect(await disagreements(stage, await stage.look(drawn, page, files), files)).toEqual([]);
  });
});
