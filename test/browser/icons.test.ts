// Scenario: hundreds of responses are judged by a browser too.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PNG } from '../support/png-builder.ts';
import { disagreements } from './agreement.ts';
import { describeInChromium } from './chromium.ts';
import { openStage, type Situation, type Stage, type Where } from './situation.ts';

/** Findings about icons, compared with a real browser and the same responses. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const NOSNIFF = ['X-Content-Type-Options', 'nosniff'] as const;

/** Content-Type in one line, in several, in none. */
const TYPES: readonly (readonly string[])[] = [
  [],
  ...[
    'image/svg+xml',
    'image/svg+xml; charset=utf-8',
    'image/svg+xml;charset=UTF-8',
    'image/svg+xml; charset=iso-8859-1',
    'IMAGE/SVG+XML',
    ' image/svg+xml\t',
    'image/svg+xml;',
    'image/svg+xml ; a=b',
    'image/svg+xml, image/svg+xml',
    'text/plain, image/svg+xml',
    'image/svg+xml, text/plain',
    'image/svg+xml,',
    'image/svg',
    'image/xml',
    'image/svg-xml',
    'svg',
    'image/png',
    'image/PNG; x=y',
    'image/x-png',
    'image/apng',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'image/*',
    'image/x-icon',
    'image/vnd.unknown',
    'png',
    '',
    ' ',
    ';',
    '/',
    '*/*',
    'application/octet-stream',
    'binary/octet-stream',
    'application/x-binary',
    'application/xml',
    'text/xml',
    'application/xhtml+xml',
    'application/rss+xml',
    'text/plain',
    'text/plain; charset=utf-8',
    'text/html',
    'text/html; charset=utf-8',
    'text/css',
    'text/csv',
    'text/vtt',
    'text/event-stream',
    'text/javascript',
    'application/javascript',
    'application/json',
    'application/ld+json',
    'text/json',
    'application/manifest+json',
    'application/pdf',
    'application/zip',
    'application/gzip',
    'application/x-gzip',
    'application/x-protobuf',
    'application/msword',
    'application/x-tar',
    'application/wasm',
    'audio/mpegurl',
    'audio/mpeg',
    'video/mp4',
    'font/woff2',
    'multipart/form-data',
    'multipart/byteranges',
    'multipart/signed',
    'application/vnd.ms-excel',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'image/svg+xml; a="b, text/plain"',
    'unknown/unknown',
    'application/unknown',
    'garbage',
    'a b/c',
  ].map((type) => [type]),
  ['text/plain', 'image/svg+xml'],
  ['image/svg+xml', 'text/plain'],
  ['image/png', 'text/html'],
  ['text/html', 'image/png'],
  ['image/svg+xml', 'image/svg+xml'],
  ['image/svg+xml', ''],
  ['image/svg+xml', '*/*'],
  ['image/svg+xml', 'garbage'],
];

const types: Situation[] = TYPES.flatMap((type) =>
  [true, false].flatMap((png) =>
    [true, false].map((nosniff): Situation => ({
      name: `${png ? 'PNG' : 'SVG'} as ${JSON.stringify(type)}${nosniff ? ' with nosniff' : ''}`,
      hops: [{ at: 'registry', allow: ['*'], headers: nosniff ? [NOSNIFF] : [] }],
      type,
      ...(png ? { icon: PNG } : {}),
    })),
  ),
);

const nosniffs: Situation[] = [
  'nosniff',
  'NoSniff',
  ' nosniff ',
  'nosniff, x',
  'x, nosniff',
  'no-sniff',
  'nosniff;',
  '"nosniff"',
  'nosniff,nosniff',
  '',
].map((value) => ({
  name: `X-Content-Type-Options: ${value}`,
  hops: [{ at: 'registry', allow: ['*'], headers: [['X-Content-Type-Options', value]] }],
  type: ['text/plain'],
  icon: PNG,
}));

const POLICY = 'Cross-Origin-Resource-Policy';
const POLICIES: readonly (readonly string[])[] = [
  ...[
    'same-origin',
    'same-site',
    'cross-origin',
    'Same-Origin',
    'SAME-SITE',
    ' same-origin\t',
    'same-orgin',
    '',
    '*',
    'none',
    'same-origin, same-origin',
    'same-origin;',
    '"same-origin"',
    'same-origin, cross-origin',
  ].map((value) => [value]),
  ['same-origin', 'same-origin'],
  ['cross-origin', 'same-origin'],
  ['same-origin', 'cross-origin'],
];
const policies: Situation[] = POLICIES.flatMap((lines) =>
  (['registry', 'near', 'page', 'port'] as Where[]).map((at) => ({
    name: `${at}: ${POLICY}: ${JSON.stringify(lines)}`,
    hops: [{ at, allow: ['*'], headers: lines.map((value) => [POLICY, value] as const) }],
  })),
);
const policiesAlong: Situation[] = (
  [
    ['registry', 'cdn'],
    ['registry', 'page'],
    ['page', 'registry'],
    ['page', 'near'],
    ['near', 'registry'],
    ['near', 'page'],
    ['page', 'registry', 'page'],
  ] as Where[][]
).flatMap((way) => {
  let rows: (string | null)[][] = [[]];
  for (const _ of way)
    rows = rows.flatMap((row) => [null, 'same-origin', 'same-site'].map((policy) => [...row, policy]));
  return rows.map((row) => ({
    name: way.map((at, i) => `${at} ${row[i]}`).join(' → '),
    hops: way.map((at, i) => ({ at, allow: ['*'], headers: row[i] === null ? [] : [[POLICY, row[i]!] as const] })),
  }));
});

const SPRITE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><view id="part" viewBox="0 0 4 4"/><rect id="box" width="8" height="8"/></svg>';
const FRAGMENTS = [
  '#',
  '#part',
  '#box',
  '#absent',
  '#svgView(viewBox(0,0,4,4))',
  '#xywh=0,0,4,4',
  '#a%20b',
  '#é',
  '#/?x',
];
const fragments: Situation[] = FRAGMENTS.flatMap((fragment) => [
  { name: `SVG${fragment}`, hops: [{ at: 'registry', allow: ['*'] }], icon: SPRITE, fragment },
  { name: `PNG${fragment}`, hops: [{ at: 'registry', allow: ['*'] }], type: ['image/png'], icon: PNG, fragment },
  {
    name: `redirected SVG${fragment}`,
    hops: [
      { at: 'registry', allow: ['*'] },
      { at: 'registry', allow: ['*'] },
    ],
    icon: SPRITE,
    fragment,
  },
]);

describeInChromium('the verdict about icons and a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  test.each<[string, readonly Situation[]]>([
    ['Content-Type', types],
    ['X-Content-Type-Options', nosniffs],
    [POLICY, policies],
    [`${POLICY} along redirects`, policiesAlong],
    ['fragments of the URL', fragments],
  ])('agree for %s', async (_, situations) => {
    const seen = await stage.look(situations, stage.pages.ported, ['icon']);
    expect(await disagreements(stage, seen, ['icon'])).toEqual([]);
  });
});
