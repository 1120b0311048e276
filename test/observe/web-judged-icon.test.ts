import { gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { answer, byMethod, CORS, redirect } from '../support/fault-host.ts';
import { ORIGIN, SVG } from '../support/live-registry.ts';
import { type Case, check, openStage, type Stage } from '../support/live-stage.ts';
import { chunk, END, header, PNG, pixels, png, SIGNATURE } from '../support/png-builder.ts';

/** Icons: what they are, how they are labelled, and who may embed them. */

const stage = openStage();
const all = (cases: Case[]): void =>
  test.each<Case>(cases)('%s', async (_, breakIt, expected, options) => {
    await check(stage, breakIt, expected, options);
  });
const wrong = (cause: string, severity = 'error'): string[] => [`${severity} icon-type-wrong ${cause} (icon)`];
const broken = (cause: string): string[] => [`error icon-not-image ${cause} (icon)`];
const refused = (policy: string): string[] => [`error icon-embedding-refused ${policy} (icon)`];
const policy = (value: string): Record<string, string> => ({ 'Cross-Origin-Resource-Policy': value });
const NOSNIFF = { 'X-Content-Type-Options': 'nosniff' };
const named = { origins: [ORIGIN] };
const svg =
  (bytes: string | Uint8Array, type: string | undefined = 'image/svg+xml', more: Record<string, string> = {}) =>
  (s: Stage): void =>
    s.serveIcon(bytes, { 'Content-Type': type, ...more });
const drawn = (part: string): ((s: Stage) => void) => svg(SVG.replace('<rect', `${part}<rect`));
const listed = (s: Stage, url: string): void =>
  s.serveManifest({}, s.manifest().replace(`${s.host.origin}/a.svg`, url));
const asPng =
  (bytes: Uint8Array, headers: Record<string, string> = { 'Content-Type': 'image/png' }) =>
  (s: Stage): void =>
    listed(s, s.host.on('/a.png', byMethod({ GET: answer({ headers: { ...CORS, ...headers }, body: bytes }) })));
const LAUGHS = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('labels', () => {
  all([
    ['a PNG as image/png', asPng(PNG), []],
    ['an SVG type in odd case, with a charset', svg(SVG, 'Image/SVG+XML; charset=utf-8'), []],
    ...[
      'text/xml',
      'application/xml',
      'text/plain',
      'text/html',
      'application/octet-stream',
      'binary/octet-stream',
      'image/svg',
      'image/png',
    ].map((type): Case => [`an SVG as ${type}`, svg(SVG, type), wrong('svg-type')]),
    ['an SVG without a type', (s) => s.serveIcon(SVG, { 'Content-Type': undefined }), wrong('missing')],
    ...['application/octet-stream', 'binary/octet-stream', 'image/jpeg', 'text/plain'].map((type): Case => [
      `a PNG as ${type}`,
      asPng(PNG, { 'Content-Type': type }),
      wrong('png-type', 'warning'),
    ]),
    ['a PNG without a type', asPng(PNG, {}), wrong('missing', 'warning')],
    ['a PNG as text, with nosniff', asPng(PNG, { 'Content-Type': 'text/plain', ...NOSNIFF }), wrong('png-nosniff')],
    ['a PNG as SVG', asPng(PNG, { 'Content-Type': 'image/svg+xml' }), wrong('png-as-svg')],
    ...['gzip, identity', 'identity, gzip', 'zstd'].map((label): Case => [
      `a compressed SVG with the label ${label}`,
      svg(gzipSync(SVG), undefined, { 'Content-Encoding': label }),
      broken('gzip'),
    ]),
    ['a compressed SVG with the label for it', svg(gzipSync(SVG), undefined, { 'Content-Encoding': 'gzip' }), []],
  ]);
});

describe('bytes', () => {
  all([
    ['.svgz without a label', svg(gzipSync(SVG)), broken('gzip')],
    ['a JPEG named .png', asPng(hex('ffd8ffe000104a46494600010100000100010000ffd9')), broken('jpeg')],
    ['a GIF named .png', asPng(hex('47494638396101000100800000000000ffffff')), broken('gif')],
    ['a WebP named .png', asPng(hex('52494646100000005745425056503820')), broken('webp')],
    ['an icon file named .png', asPng(hex('00000100010010100000010020006804000016000000')), broken('ico')],
    ['an AVIF named .png', asPng(hex('0000001c667479706176696600000000')), broken('avif')],
    ['nothing', svg(''), broken('empty')],
    ['the signature of a PNG alone', asPng(SIGNATURE), broken('png-truncated')],
    ['a PNG without its end', asPng(PNG.subarray(0, PNG.length - 10)), broken('png-truncated')],
    ['a PNG with a wrong CRC', asPng(png(header(), chunk('IDAT', Buffer.alloc(5), 1), END)), broken('png-crc')],
    ['bytes behind a PNG', asPng(Buffer.concat([PNG, Buffer.from('x')])), []],
    [
      'entities that multiply',
      svg(`<!DOCTYPE svg [<!ENTITY l0 "lol">${LAUGHS}]>${SVG.replace('<rect', '<text>&l9;</text><rect')}`),
      broken('svg-entities'),
    ],
    [
      'the usual document type',
      svg(
        `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">${SVG}`,
      ),
      [],
    ],
    ['a byte order mark', svg(`\ufeff${SVG}`), []],
    ['UTF-16, as it says', svg(Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${SVG}`, 'utf16le')), []],
    ['a comment in front', svg(`<!-- made by hand -->\n${SVG}`), []],
    ['references into the file itself', drawn('<defs><path id="p" d="M0 0"/></defs><use href="#p"/>'), []],
    ['an image in a data: URL', drawn(`<image href="data:image/png;base64,${PNG.toString('base64')}"/>`), []],
    ['a script', drawn('<script>alert(1)</script>'), ['warning icon-svg-active script (icon)']],
    [
      'an image elsewhere',
      drawn('<image href="https://x.test/a.png"/>'),
      ['warning icon-svg-active foreign-reference (icon)'],
    ],
    [
      'a style sheet elsewhere',
      drawn('<style>@import url(https://x.test/f.css);</style>'),
      ['warning icon-svg-active foreign-reference (icon)'],
    ],
  ]);
});

describe('sizes', () => {
  all([
    ['one byte below 1 MB', svg(SVG + ' '.repeat(999_999 - SVG.length)), []],
    ['1 MB', svg(SVG + ' '.repeat(1_000_000 - SVG.length)), ['warning icon-oversized bytes (icon)']],
    [
      'few bytes, many pixels',
      asPng(png(header({ width: 30_000, height: 30_000 }), pixels(), END)),
      ['warning icon-oversized pixels (icon)'],
    ],
  ]);
});

describe('embedding, and where icons are', () => {
  all([
    ['same-origin', svg(SVG, undefined, policy('same-origin')), refused('same-origin'), named],
    ['same-site, and the service is elsewhere', svg(SVG, undefined, policy('same-site')), refused('same-site'), named],
    [
      'same-origin on a redirect',
      (s) => {
        s.host.on(
          '/i.svg',
          byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }),
        );
        s.live.serve('a.svg', byMethod({ GET: redirect('/i.svg', 302, { ...CORS, ...policy('same-origin') }) }));
      },
      refused('same-origin'),
      named,
    ],
    [
      'a data: URL',
      (s) => listed(s, `data:image/png;base64,${PNG.toString('base64')}`),
      ['error url-malformed scheme (icon)'],
    ],
  ]);
});
