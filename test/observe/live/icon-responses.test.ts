import { describe, expect, test } from 'vitest';
import { raw } from '../../support/fault-host.ts';
import { ICON_RESPONSES } from '../../support/icon-responses.ts';
import { liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { faults } from '../../support/live-registry.ts';

/** Responses for icons that HTTP does not allow: browsers show some of them. */

const fixture = liveFixture();

describe('invalid responses for an icon', () => {
  test.each(ICON_RESPONSES)('$name', async ({ bytes, browser }) => {
    fixture.live.serve('a.svg', raw(bytes));
    const found = faults((await verifyPatiently(fixture.live.url)).report).filter(
      (text) => !/preflight|head-/.test(text),
    );
    if (browser === 'valid') expect(found).toEqual([]);
    else if (browser === 'shown') expect(found).toEqual([expect.stringMatching(/^warning icon-response-invalid /)]);
    else expect(found).toEqual([expect.stringMatching(/^error (unreachable|icon-not-image) /)]);
  });

  test('the same response for a JSON file is an error of the host', async () => {
    fixture.live.serve('a.json', raw(`HTTP/1.1 200 OK\r\nbad line\r\nContent-Length: 2\r\n\r\n{}`));
    const { report } = await verifyPatiently(fixture.live.url);
    expect(faults(report)).toEqual(['error unreachable not-http (metadata)']);
  });
});
