import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, redirect } from '../../support/fault-host.ts';
import { ORIGIN, SVG } from '../../support/live-registry.ts';
import { checkCase, checkCases, type LiveCase, liveFixture } from '../../support/live-fixture.ts';
import { chunk, END, header, PNG, pixels, png, SIGNATURE } from '../../support/png-builder.ts';

/** Icons: their bytes, their media types, and the policies for embedding them. */

const fixture = liveFixture();
const wrong = (cause: string, severity = 'error'): string[] => [`${severity} icon-type-wrong ${cause} (icon)`];
const broken = (cause: string): string[] => [`error icon-not-image ${cause} (icon)`];
const refused = (policy: string): string[] => [`error icon-embedding-refused ${policy} (icon)`];
const policy = (value: string): Record<string, string> => ({ 'Cross-Origin-Resource-Policy': value });
const NOSNIFF = { 'X-Content-Type-Options': 'nosniff' };
const withOrigin = { origins: [ORIGIN] };
const svg =
  (bytes: string | Uint8Array, type: string | undefined = 'image/svg+xml', more: Record<string, string> = {}) =>
  (): void =>
    fixture.serveIcon(bytes, { 'Content-Type': type, ...more });
const drawn = (part: string): (() => void) => svg(SVG.replace('<rect', `${part}<rect`));
const listed = (url: string): void =>
  fixture.serveManifest({}, fixture.manifest().replace(`${fixture.host.origin}/a.svg`, url));
const asPng =
  (bytes: Uint8Array, headers: Record<string, string> = { 'Content-Type': 'image/png' }) =>
  (): void =>
    listed(fixture.host.on('/a.png', byMethod({ GET: answer({ headers: { ...CORS, ...headers }, body: bytes }) })));
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('media types of icons', () => {
  checkCases(fixture, [
    { name: 'a PNG as image/png', serve: asPng(PNG), expect: [] },
    { name: 'an SVG type in mixed case, with a charset', serve: svg(SVG, 'Image/SVG+XML; charset=utf-8'), expect: [] },
    ...[
      'text/xml',
      'application/xml',
      'text/plain',
      'text/html',
      'application/octet-stream',
      'binary/octet-stream',
      'image/svg',
      'image/png',
    ].map((type): LiveCase => ({ name: `an SVG as ${type}`, serve: svg(SVG, type), expect: wrong('svg-type') })),
    {
      name: 'an SVG without a type',
      serve: () => fixture.serveIcon(SVG, { 'Content-Type': undefined }),
      expect: wrong('missing'),
    },
    ...['application/octet-stream', 'binary/octet-stream', 'image/jpeg', 'text/plain'].map((type): LiveCase => ({
      name: `a PNG as ${type}`,
      serve: asPng(PNG, { 'Content-Type': type }),
      expect: wrong('png-type', 'warning'),
    })),
    { name: 'a PNG without a type', serve: asPng(PNG, {}), expect: wrong('missing', 'warning') },
    {
      name: 'a PNG as text, with nosniff',
      serve: asPng(PNG, { 'Content-Type': 'text/plain', ...NOSNIFF }),
      expect: wrong('png-nosniff'),
    },
    { name: 'a PNG as SVG', serve: asPng(PNG, { 'Content-Type': 'image/svg+xml' }), expect: wrong('png-as-svg') },
    ...['gzip, identity', 'identity, gzip', 'zstd'].map((label): LiveCase => ({
      name: `a compressed SVG with the label ${label}`,
      serve: svg(gzipSync(SVG), undefined, { 'Content-Encoding': label }),
      expect: broken('gzip'),
    })),
    {
      name: 'a compressed SVG with the label for it',
      serve: svg(gzipSync(SVG), undefined, { 'Content-Encoding': 'gzip' }),
      expect: [],
    },
  ]);
});

describe('the bytes of icons', () => {
  checkCases(fixture, [
    { name: '.svgz without a label', serve: svg(gzipSync(SVG)), expect: broken('gzip') },
    {
      name: 'a JPEG named .png',
      serve: asPng(hex('ffd8ffe000104a46494600010100000100010000ffd9')),
      expect: broken('jpeg'),
    },
    {
      name: 'a GIF named .png',
      serve: asPng(hex('47494638396101000100800000000000ffffff')),
      expect: broken('gif'),
    },
    { name: 'a WebP named .png', serve: asPng(hex('52494646100000005745425056503820')), expect: broken('webp') },
    {
      name: 'an icon file named .png',
      serve: asPng(hex('00000100010010100000010020006804000016000000')),
      expect: broken('ico'),
    },
    { name: 'an AVIF named .png', serve: asPng(hex('0000001c667479706176696600000000')), expect: broken('avif') },
    { name: 'nothing', serve: svg(''), expect: broken('empty') },
    { name: 'only the signature of a PNG', serve: asPng(SIGNATURE), expect: broken('png-truncated') },
    { name: 'a PNG without its end', serve: asPng(PNG.subarray(0, PNG.length - 10)), expect: broken('png-truncated') },
    {
      name: 'a PNG with a wrong CRC',
      serve: asPng(png(header(), chunk('IDAT', Buffer.alloc(5), 1), END)),
      expect: broken('png-crc'),
    },
    { name: 'bytes behind a PNG', serve: asPng(Buffer.concat([PNG, Buffer.from('x')])), expect: [] },
    {
      name: 'the usual document type',
      serve: svg(
        `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${SVG}`,
      ),
      expect: [],
    },
    { name: 'a byte order mark', serve: svg(`\ufeff${SVG}`), expect: [] },
    {
      name: 'UTF-16, as declared',
      serve: svg(Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${SVG}`, 'utf16le')),
      expect: [],
    },
    { name: 'a comment in front', serve: svg(`<!-- made by hand -->\n${SVG}`), expect: [] },
    {
      name: 'references into the file itself',
      serve: drawn('<defs><path id="p" d="M0 0"/></defs><use href="#p"/>'),
      expect: [],
    },
    {
      name: 'an image in a data: URL',
      serve: drawn(`<image href="data:image/png;base64,${PNG.toString('base64')}"/>`),
      expect: [],
    },
    { name: 'a script', serve: drawn('<script>alert(1)</script>'), expect: ['warning icon-svg-active script (icon)'] },
    {
      name: 'an image elsewhere',
      serve: drawn('<image href="https://x.test/a.png"/>'),
      expect: ['warning icon-svg-active foreign-reference (icon)'],
    },
    {
      name: 'a style sheet elsewhere',
      serve: drawn('<style>@import url(https://x.test/f.css);</style>'),
      expect: ['warning icon-svg-active foreign-reference (icon)'],
    },
  ]);
});

describe('the sizes of icons', () => {
  checkCases(fixture, [
    { name: 'one byte below 1 MB', serve: svg(SVG + ' '.repeat(999_999 - SVG.length)), expect: [] },
    {
      name: '1 MB',
      serve: svg(SVG + ' '.repeat(1_000_000 - SVG.length)),
      expect: ['warning icon-oversized bytes (icon)'],
    },
    {
      name: 'few bytes, many pixels',
      serve: asPng(png(header({ width: 30_000, height: 30_000 }), pixels(), END)),
      expect: ['error icon-not-image png-dimensions (icon)', 'warning icon-oversized pixels (icon)'],
    },
  ]);
});

describe('the embedding and location of icons', () => {
  checkCases(fixture, [
    {
      name: 'same-origin',
      serve: svg(SVG, undefined, policy('same-origin')),
      expect: refused('same-origin'),
      options: withOrigin,
    },
    {
      name: 'same-site, and the service is elsewhere',
      serve: svg(SVG, undefined, policy('same-site')),
      expect: refused('same-site'),
      options: withOrigin,
    },
    {
      name: 'same-origin on a redirect',
      serve: () => {
        fixture.host.on(
          '/i.svg',
          byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }),
        );
        fixture.live.serve('a.svg', byMethod({ GET: redirect('/i.svg', 302, { ...CORS, ...policy('same-origin') }) }));
      },
      expect: refused('same-origin'),
      options: withOrigin,
    },
    {
      name: 'a data: URL',
      serve: () => listed(`data:image/png;base64,${PNG.toString('base64')}`),
      expect: ['error url-malformed scheme (icon)'],
    },
  ]);
});

describe('an icon that is not read completely is not judged', () => {
  const ANIMATED = png(header(), chunk('acTL', Buffer.alloc(8)), pixels(), END);
  const DECLARED = `<!DOCTYPE svg [<!ENTITY a "<script/>">]>${SVG.replace('<rect', '&a;<rect')}`;

  test.each<[string, () => void, string[]]>([
    ['an animated PNG', asPng(ANIMATED), ['icon-not-image']],
    ['an SVG with markup in an entity', svg(DECLARED), ['icon-not-image', 'icon-svg-active']],
  ])('%s', async (_, serve, rules) => {
    const { notJudged, symptoms } = await checkCase(fixture, { serve, expect: [] });
    const unread = notJudged.filter(({ code }) => code === 'icon-not-read');
    expect(unread.map(({ rule }) => rule)).toEqual(rules);
    expect(unread[0]?.reason).toMatch(/not read$/);
    expect(symptoms.find(({ id }) => id === 'icon-does-not-display')?.status).not.toBe('clear');
  });
});
