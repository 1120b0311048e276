import { describe, expect, test } from 'vitest';
import { inspectImage } from '../../../src/observe/icon/inspect-image.ts';
import { SVG_SYNTAX } from '../../support/svg-syntax.ts';
import { NS, svg } from './image-fixture.ts';

/** Verdicts about SVG files at the limits of XML, which `test/browser/icon-bodies.test.ts` compares with a browser. */

describe('an SVG', () => {
  test.each(SVG_SYNTAX.map(([name, bytes, shown, verdict]) => ({ name, bytes, shown, verdict })))(
    'with $name: $verdict',
    ({ bytes, shown, verdict }) => {
      const { kind, fault, active, unread } = inspectImage(Buffer.from(bytes as string));
      expect(kind).toBe('svg');
      if (verdict === 'not judged') return expect({ unread, fault }).toEqual({ unread: 'xml', fault: null });
      const got = fault === null ? active.map(({ code }) => `warning ${code}`).join() : `error svg-${fault.code}`;
      expect(got).toBe(verdict);
      expect(fault === null).toBe(shown === 'all');
      // Every error has a line and a column.
      if (fault !== null) expect(fault.message).toMatch(/^\d+:\d+: /);
    },
  );

  test.each<[name: string, text: string, place: string]>([
    ['a control character', `<svg ${NS}>\n  <title>a\u0001</title></svg>`, '2:11'],
    ['a fault behind an entity', `<!DOCTYPE svg [\n<!ENTITY a "long">]><svg ${NS}>\n&a;&nope;</svg>`, '3:9'],
  ])('has the place of %s', (_, text, place) => {
    const { fault } = inspectImage(Buffer.from(text));
    expect(fault?.message.startsWith(`${place}: `), fault?.message).toBe(true);
  });

  test('has the place of bytes that are not UTF-8', () => {
    const bytes = Buffer.from(svg('\r\n\ufffdé\n  \u00e4').replace('é', ''), 'utf8');
    const broken = Buffer.concat([bytes.subarray(0, bytes.indexOf(0xc3)), Buffer.from([0xff]), Buffer.from('</svg>')]);
    expect(inspectImage(broken).fault).toMatchObject({ code: 'encoding', message: expect.stringMatching(/^3:3: /) });
  });
});
