// Scenario: icons with invalid HTTP responses are judged by a browser too.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ICON_RESPONSES } from '../support/icon-responses.ts';
import { describeInChromium } from './chromium.ts';
import { openStage, type Stage } from './situation.ts';

/** Responses for icons that HTTP does not allow, compared with a real browser. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeInChromium('the verdict about invalid responses for icons and a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  test('agree', async () => {
    const situations = ICON_RESPONSES.map(({ name, bytes }) => ({
      name,
      raw: bytes,
      hops: [{ at: 'registry' as const, allow: ['*'] }],
    }));
    const seen = await stage.look(situations, stage.pages.usual, ['icon']);
    const asks = seen.flatMap(({ urls }) => ['img', 'img crossorigin'].map((way) => ({ way, url: urls.icon })));
    const shown = await stage.service.ask(stage.pages.usual, asks);
    const got = seen.map(({ report, situation }, i) => {
      const isFaulty = report.findings.some(({ resource, severity }) => resource === 'icon' && severity === 'error');
      return [situation.name, shown[i * 2], shown[i * 2 + 1], isFaulty];
    });
    expect(got).toEqual(
      ICON_RESPONSES.map(({ name, browser }) => {
        const isShown = browser !== 'refused';
        return [name, isShown, isShown, !isShown];
      }),
    );
  });
});
