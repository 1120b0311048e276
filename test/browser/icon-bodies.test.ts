// Scenario: hundreds of icons are judged by a browser too.
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Report } from '../../src/core/findings/report.ts';
import { chunk, END, header, png, SIGNATURE } from '../support/png-builder.ts';
import { SVG_SIZES } from '../support/svg-sizes.ts';
import { SVG_SYNTAX } from '../support/svg-syntax.ts';
import { disagreements } from './agreement.ts';
import { describeInChromium } from './chromium.ts';
import { openStage, type Stage } from './situation.ts';

/** Findings about the bytes of icons, compared with a real browser. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

/** How much of its square the browser paints; `refused` if it does not accept the bytes as an image. */
type Shown = 'all' | 'part' | 'none' | 'refused';

/**
 * A browser shows icons without errors, and does not show those with errors. Otherwise, the last column has the reason:
 * the specification is stricter than browsers, or other browsers are, or appreg would have to draw.
 */
type Row = [name: string, bytes: string | Buffer, shown: Shown, verdict: string, why?: string];

const STRICT = 'icons are PNG or SVG';
const BROKEN = 'the file is damaged: browsers show what they can save, each another part';
/** Appreg says that it does not read them. */
const UNREAD = 'not judged';
const UNDRAWN = 'appreg does not draw it';

const HEADER = header({ colour: 2 });
const packed = deflateSync(Buffer.alloc(52));
const PIXELS = chunk('IDAT', packed);
const NOISE = Buffer.from(Array.from({ length: 64 * 193 }, (_, i) => (i % 193 === 0 ? 0 : (i * 7919) % 251)));
const LARGE = png(header({ width: 64, height: 64, colour: 2 }), chunk('IDAT', deflateSync(NOISE)), END);
const FRAME = (number: string): Buffer =>
  chunk('fcTL', Buffer.from(`${number}00000004000000040000000000000000006403e80000`, 'hex'));

const ANIMATED = chunk('acTL', Buffer.from('0000000200000000', 'hex'));
const INDEXES = chunk('IDAT', deflateSync(Buffer.alloc(20)));
const palette = (bytes: number): Buffer => chunk('PLTE', Buffer.alloc(bytes, 100));
const indexed = (...chunks: Buffer[]): Buffer => png(header({ colour: 3 }), ...chunks, INDEXES, END);
const wide = (width: number): Buffer =>
  png(
    header({ width, height: 1, colour: 0, depth: 1 }),
    chunk('IDAT', deflateSync(Buffer.alloc(Math.ceil(width / 8) + 1))),
    END,
  );

const PNGS: Row[] = [
  ['a PNG', png(HEADER, PIXELS, END), 'all', ''],
  ['a larger one', LARGE, 'all', ''],
  [
    'an animated one',
    png(
      HEADER,
      ANIMATED,
      FRAME('00000000'),
      PIXELS,
      FRAME('00000001'),
      chunk('fdAT', Buffer.concat([Buffer.from('00000002', 'hex'), packed])),
      END,
    ),
    'all',
    UNREAD,
  ],
  [
    'a wrong checksum of an ancillary chunk',
    png(HEADER, chunk('tEXt', Buffer.from('a\0b'), 1), PIXELS, END),
    'all',
    '',
  ],
  ['more rows than needed', png(HEADER, chunk('IDAT', deflateSync(Buffer.alloc(99))), END), 'all', ''],
  ['data behind the end', Buffer.concat([png(HEADER, PIXELS, END), Buffer.from('x')]), 'all', ''],
  ['the signature alone', SIGNATURE, 'refused', 'error png-truncated'],
  ['cut in the header', LARGE.subarray(0, 20), 'refused', 'error png-truncated'],
  ['cut behind the header', png(HEADER), 'refused', 'error png-truncated'],
  ['cut in the pixels', LARGE.subarray(0, LARGE.length / 2), 'part', 'error png-truncated', BROKEN],
  ['cut before the end mark', png(HEADER, PIXELS), 'all', 'error png-truncated', BROKEN],
  ['no pixels', png(HEADER, END), 'refused', 'error png-no-data'],
  [
    'too few rows',
    png(HEADER, chunk('IDAT', deflateSync(Buffer.alloc(26))), END),
    'part',
    'error png-data-short',
    BROKEN,
  ],
  [
    'a wrong checksum of the header',
    png(chunk('IHDR', HEADER.subarray(8, 21), 1), PIXELS, END),
    'refused',
    'error png-crc',
  ],
  ['a wrong checksum of the pixels', png(HEADER, chunk('IDAT', packed, 1), END), 'all', 'error png-crc', BROKEN],
  [
    'a wrong checksum inside the pixels',
    png(HEADER, chunk('IDAT', Buffer.concat([packed.subarray(0, -1), Buffer.from([9])])), END),
    'all',
    'error png-data-broken',
    BROKEN,
  ],
  [
    'a filter that does not exist',
    png(HEADER, chunk('IDAT', deflateSync(Buffer.alloc(52, 9))), END),
    'none',
    'error png-data-broken',
  ],
  [
    'pixels in chunks apart',
    png(
      HEADER,
      chunk('IDAT', packed.subarray(0, 5)),
      chunk('tEXt', Buffer.from('a\0b')),
      chunk('IDAT', packed.subarray(5)),
      END,
    ),
    'none',
    'error png-chunk',
  ],
  ['an unknown critical chunk', png(HEADER, chunk('ABCD'), PIXELS, END), 'refused', 'error png-chunk'],
  [
    'a chunk before the header',
    png(chunk('tEXt', Buffer.from('a\0b')), HEADER, PIXELS, END),
    'refused',
    'error png-header',
  ],
  [
    'no palette',
    png(header({ colour: 3 }), chunk('IDAT', deflateSync(Buffer.alloc(20))), END),
    'none',
    'error png-no-palette',
  ],
  ['a palette of four bytes', indexed(palette(4)), 'all', 'error png-palette', BROKEN],
  ['a palette of two bytes', indexed(palette(2)), 'refused', 'error png-palette'],
  ['a palette of 257 colors', indexed(palette(771)), 'refused', 'error png-palette'],
  ['two palettes', indexed(palette(3), palette(3)), 'refused', 'error png-palette'],
  ['a palette behind the pixels', png(header({ colour: 3 }), INDEXES, palette(3), END), 'none', 'error png-palette'],
  [
    'a palette of a grayscale image',
    png(header({ colour: 0 }), palette(3), INDEXES, END),
    'all',
    'warning png-palette-ignored',
  ],
  ['an animation without frames', png(HEADER, ANIMATED, PIXELS, END), 'none', UNREAD],
  ['1,000,001 pixels wide', wide(1_000_001), 'refused', 'error png-dimensions'],
  ['1,000,000 pixels wide', wide(1_000_000), 'all', ''],
  ['an invalid depth', png(header({ colour: 2, depth: 4 }), PIXELS, END), 'refused', 'error png-header'],
  ['no width', png(header({ colour: 2, width: 0 }), PIXELS, END), 'refused', 'error png-header'],
  ["Apple's variant", png(chunk('CgBI', Buffer.alloc(4)), HEADER, PIXELS, END), 'refused', 'error png-apple'],
  [
    'line ends converted',
    Buffer.from(LARGE.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    'refused',
    'error unknown',
  ],
  ['taken for UTF-8', Buffer.from(LARGE.toString('utf8')), 'refused', 'error unknown'],
];

const base64 = (text: string): Buffer => Buffer.from(text, 'base64');
const OTHER_IMAGES: Row[] = [
  ['a GIF', base64('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=='), 'all', 'error gif', STRICT],
  [
    'a JPEG',
    base64(
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAABAAEDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIgAf//Z',
    ),
    'all',
    'error jpeg',
    STRICT,
  ],
  ['a WebP', base64('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAB0CWJaQAA3AA/u+5AAA='), 'all', 'error webp', STRICT],
  ['nothing', '', 'refused', 'error empty'],
  ['a page', '<!doctype html><p>Not found', 'refused', 'error html'],
  ['a pointer', 'version https://git-lfs.github.com/spec/v1\n', 'refused', 'error git-lfs-pointer'],
];

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const RECT = '<rect width="100%" height="100%"/>';
const svg = (inside = RECT, attributes = 'viewBox="0 0 8 8"'): string => `<svg ${NS} ${attributes}>${inside}</svg>`;
const DTD = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"';
const LAUGHS = Array.from({ length: 9 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('');
const latin1 = (declaration: string): Buffer =>
  Buffer.from(`${declaration}${svg(`<title>ß</title>${RECT}`)}`, 'latin1');

const SVGS: Row[] = [
  ['an SVG', svg(), 'all', ''],
  [
    'in a prefix',
    '<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><s:rect width="8" height="8"/></s:svg>',
    'all',
    '',
  ],
  ['a byte order mark', `\ufeff${svg()}`, 'all', ''],
  ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${svg()}`, 'utf16le'), 'all', ''],
  ['a comment behind', `${svg()}<!-- end -->\n`, 'all', ''],
  ['a declaration', `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${svg()}`, 'all', ''],

  ['no size', svg(RECT, ''), 'all', ''],
  ['a size without viewBox', svg(RECT, 'width="8" height="8"'), 'all', ''],
  ['a size in per cent', svg(RECT, 'width="0%" height="100%" viewBox="0 0 8 8"'), 'all', ''],
  ['an invalid size', svg(RECT, 'width="auto" height="x"'), 'all', ''],
  ['a viewBox with less than nothing', svg(RECT, 'viewBox="0 0 -8 -8"'), 'all', ''],
  ['a viewBox of three numbers', svg(RECT, 'viewBox="0 0 0"'), 'all', ''],
  ['a size of nothing', svg(RECT, 'width="0" height="0"'), 'none', 'error svg-size'],
  ['a height of nothing', svg(RECT, 'height="0px" viewBox="0 0 8 8"'), 'none', 'error svg-size'],
  ['a size of less than nothing', svg(RECT, 'width="-8" height="8"'), 'none', 'error svg-size'],
  ['a viewBox of nothing', svg(RECT, 'viewBox="0 0 0 0"'), 'none', 'error svg-size'],
  ['a viewBox of nothing, and a size', svg(RECT, 'width="8" height="8" viewBox="0 0 0 8"'), 'none', 'error svg-size'],
  ['no shapes', svg(''), 'none', '', UNDRAWN],
  ['hidden shapes', svg(`<style>rect{display:none}</style>${RECT}`), 'none', '', UNDRAWN],

  ['no namespace', `<svg viewBox="0 0 8 8">${RECT}</svg>`, 'refused', 'error svg-no-namespace'],
  ['a namespace with https', svg().replace('http:', 'https:'), 'refused', 'error svg-wrong-namespace'],
  ['a namespace with a space', svg().replace('"http:', '" http:'), 'refused', 'error svg-wrong-namespace'],
  ['a root in upper case', svg().replaceAll('svg ', 'SVG ').replace('/svg>', '/SVG>'), 'refused', 'error xml'],
  ['an undeclared prefix', svg(`${RECT}<use xlink:href="#a"/>`), 'refused', 'error svg-syntax'],
  ['an entity of HTML', svg(`${RECT}<text>&nbsp;</text>`), 'refused', 'error svg-syntax'],
  ['an ampersand', svg(`${RECT}<text>a & b</text>`), 'refused', 'error svg-syntax'],
  ['an attribute twice', svg('<rect width="8" width="8" height="8"/>'), 'refused', 'error svg-syntax'],
  ['an attribute without quotes', svg('<rect width=8 height="8"/>'), 'refused', 'error svg-syntax'],
  ['no end', svg().slice(0, -6), 'refused', 'error svg-syntax'],
  ['words behind the end', `${svg()}end`, 'refused', 'error svg-syntax'],
  ['two of them', svg() + svg(), 'refused', 'error svg-syntax'],
  ['space in front of the declaration', ` <?xml version="1.0"?>${svg()}`, 'refused', 'error svg-syntax'],
  ['a control character', svg(`<title>&#1;</title>${RECT}`), 'refused', 'error svg-syntax'],
  ['compressed', gzipSync(svg()), 'refused', 'error gzip'],

  ['Latin-1 without a declaration', latin1(''), 'refused', 'error svg-encoding'],
  [
    'Latin-1 with a declaration',
    latin1('<?xml version="1.0" encoding="iso-8859-1"?>'),
    'refused',
    'warning svg-not-utf-8',
    'XML allows it, and Chromium alone does not read it',
  ],
  ['UTF-16 without a byte order mark', Buffer.from(svg(), 'utf16le'), 'refused', 'warning svg-not-utf-8', 'as above'],

  ['the DOCTYPE of drawing programs', `${DTD}>${svg()}`, 'all', ''],
  [
    'the entities of drawing programs',
    `${DTD} [<!ENTITY ns "http://www.w3.org/2000/svg">]>${svg().replace(/"http[^"]*"/, '"&ns;"')}`,
    'all',
    '',
  ],
  ['shapes in an entity', `<!DOCTYPE svg [<!ENTITY a '<rect width="8" height="8"/>'>]>${svg('&a;')}`, 'all', UNREAD],
  [
    'a billion laughs',
    `<!DOCTYPE svg [<!ENTITY a0 "ha">${LAUGHS}]>${svg(`${RECT}<text>&a9;</text>`)}`,
    'refused',
    UNREAD,
  ],
  ['an entity that is not declared', `${DTD}>${svg(`${RECT}<text>&a;</text>`)}`, 'refused', 'error svg-syntax'],

  ['a script', svg(`<script>1</script>${RECT}`), 'all', 'warning script'],
  [
    'an image inside',
    svg(`<image width="8" height="8" href="data:image/png;base64,${png(HEADER, PIXELS, END).toString('base64')}"/>`),
    'all',
    '',
  ],
  ['shapes of another file', svg('<use href="sprite.svg#a"/>'), 'none', 'warning foreign-reference', UNDRAWN],
  ['a namespace declared twice', svg().replace(NS, `${NS} ${NS}`), 'all', 'error svg-syntax', 'XML does not allow it'],
  [
    'a broken byte behind the end',
    Buffer.concat([Buffer.from(svg()), Buffer.from([255])]),
    'all',
    'error svg-encoding',
    BROKEN,
  ],
  ...SVG_SIZES,
  ...SVG_SYNTAX,
];

const LABELS: readonly (readonly string[])[] = [
  [],
  ...[
    'image/png',
    'image/svg+xml',
    'image/svg+xml; charset=iso-8859-1',
    'image/jpeg',
    'text/plain',
    'text/html',
    'text/csv',
    'text/xml',
    'application/json',
    'application/xml',
    'application/gzip',
    'application/pdf',
    'application/octet-stream',
  ].map((label) => [label]),
];

describeInChromium('the verdict about the bytes of icons and a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  test.each<{ name: string; type: string; rows: Row[] }>([
    { name: 'PNG', type: 'image/png', rows: PNGS },
    { name: 'other things', type: 'image/png', rows: OTHER_IMAGES },
    { name: 'SVG', type: 'image/svg+xml', rows: SVGS },
  ])('agree on files that are $name', async ({ type, rows }) => {
    const situations = rows.map(([name, icon]) => ({
      name,
      icon,
      type: [type],
      hops: [{ at: 'registry' as const, allow: ['*'] }],
    }));
    const seen = await stage.look(situations, stage.pages.usual, ['icon']);
    const asks = seen.map((one) => ({ way: 'pixels', url: one.urls.icon }));
    const shown = await stage.service.ask(stage.pages.usual, asks);
    const got = rows.map(([name], i) => `${name}: ${String(shown[i])}, ${verdictOf(seen[i]!.report) || 'nothing'}`);
    expect(got).toEqual(rows.map(([name, , shown, verdict]) => `${name}: ${shown}, ${verdict || 'nothing'}`));
  });

  // A page shows an icon by a plain <img> and by one with crossorigin; labels decide for the two in different ways.
  test.each<[string, string | Buffer]>([
    ['a PNG', png(HEADER, PIXELS, END)],
    ['a PNG with data behind the end', Buffer.concat([png(HEADER, PIXELS, END), Buffer.from('x')])],
    ['an SVG', svg()],
    ['an SVG with a byte order mark', `\ufeff${svg()}`],
    ['an SVG in UTF-16', Buffer.from(`\ufeff${svg()}`, 'utf16le')],
    ['an SVG with a DOCTYPE', `${DTD}>${svg()}`],
    ['an SVG with a script', svg(`<script>1</script>${RECT}`)],
  ])('agree with any media type on %s', async (name, icon) => {
    const situations = LABELS.flatMap((label) =>
      [false, true].map((nosniff) => ({
        name: `${name} as ${label.join()}${nosniff ? ' with nosniff' : ''}`,
        icon,
        type: label,
        hops: [
          {
            at: 'registry' as const,
            allow: ['*'],
            headers: nosniff ? ([['X-Content-Type-Options', 'nosniff']] as const) : [],
          },
        ],
      })),
    );
    const seen = await stage.look(situations, stage.pages.usual, ['icon']);
    expect(await disagreements(stage, seen, ['icon'])).toEqual([]);
  });

  test('differ only in rows with a reason', () => {
    const differing = [...PNGS, ...OTHER_IMAGES, ...SVGS].filter(
      ([, , shown, verdict]) => verdict !== UNREAD && (shown === 'all') === verdict.startsWith('error'),
    );
    expect(differing.filter(([, , , , why]) => why === undefined).map(([name]) => name)).toEqual([]);
  });
});

/** The most severe finding about the bytes, except notes, in short. */
function verdictOf(report: Report): string {
  const found = report.findings.filter(
    ({ rule, severity }) => severity !== 'note' && (rule === 'icon-not-image' || rule === 'icon-svg-active'),
  );
  const gravest = found.find(({ severity }) => severity === 'error') ?? found[0];
  const isUnread = report.notJudged.some(({ rule, code }) => rule === 'icon-not-image' && code === 'icon-not-read');
  return gravest ? `${gravest.severity} ${gravest.cause}` : isUnread ? UNREAD : '';
}
