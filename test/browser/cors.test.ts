// Scenario: thousands of responses are judged by a browser too.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { disagreements } from './agreement.ts';
import { describeInChromium } from './chromium.ts';
import {
  plain,
  withCredentials,
  withOtherHeaders,
  statuses,
  preflights,
  redirectChains,
  chains,
  preflightsAlong,
} from './cors-situations.ts';
import { type File, openStage, type Situation, type Stage } from './situation.ts';

/** Findings about CORS, compared with a real browser and the same responses. */

// Thousands of requests by a browser, on a machine that may have more to do.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

describeInChromium('the verdict about CORS and a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  async function check(situations: readonly Situation[], page: string, files: readonly File[]): Promise<void> {
    expect(await disagreements(stage, await stage.look(situations, page, files), files)).toEqual([]);
  }

  test.each<{ name: string; situations: readonly Situation[]; files: File[] }>([
    { name: 'Access-Control-Allow-Origin', situations: plain, files: ['metadata', 'icon'] },
    { name: 'Access-Control-Allow-Credentials', situations: withCredentials, files: ['metadata', 'icon'] },
    { name: 'other headers', situations: withOtherHeaders, files: ['metadata', 'icon'] },
    // Not for icons: browsers show the body of an error too, and the specification wants the icon to be reachable.
    { name: 'statuses', situations: statuses, files: ['metadata'] },
    { name: 'preflights', situations: preflights, files: ['metadata'] },
    { name: 'longer chains', situations: redirectChains, files: ['metadata', 'icon'] },
  ])('agree for $name', ({ situations, files }) => check(situations, stage.pages.usual, files));

  test('agree for redirects', () => check(chains(stage.pages.ported), stage.pages.ported, ['metadata']));

  test('agree for preflights after redirects', () => check(preflightsAlong, stage.pages.ported, ['metadata']));
});
