import type { Hop, Lines, Situation, Where } from './situation.ts';

/** Responses with every form of CORS headers, preflights and redirects that browsers may treat differently. */

const PAGE_ORIGIN = 'https://svc.test';
const ALLOW = 'Access-Control-Allow-Origin';
const HEADERS = 'Access-Control-Allow-Headers';
const METHODS = 'Access-Control-Allow-Methods';
const CREDENTIALS = 'Access-Control-Allow-Credentials';

/** Access-Control-Allow-Origin in one line, in several, in none. */
const ALLOWED: readonly (readonly string[])[] = [
  [],
  ...['*', ' *  ', '\t*', '*\t ', PAGE_ORIGIN, `  ${PAGE_ORIGIN}`, `${PAGE_ORIGIN}\t `, `\t ${PAGE_ORIGIN}`, ''].map(
    (value) => [value],
  ),
  ...[
    ' ',
    '\t',
    '**',
    "'*'",
    '"*"',
    '* *',
    '*;',
    '*,',
    ',*',
    '*, *',
    '* null',
    'null',
    'null *',
    'Null',
    '-',
    '%2A',
  ].map((value) => [value]),
  ...['true', 'none', 'any', 'all', 'self', "'self'", '$http_origin', '%{ORIGIN}e', 'undefined', '{origin}'].map(
    (value) => [value],
  ),
  ...[
    `${PAGE_ORIGIN}/`,
    `${PAGE_ORIGIN} /`,
    `${PAGE_ORIGIN}?`,
    `${PAGE_ORIGIN}#`,
    `${PAGE_ORIGIN}%23`,
    `${PAGE_ORIGIN}:443`,
    `${PAGE_ORIGIN}:8443`,
    `${PAGE_ORIGIN}.`,
    `${PAGE_ORIGIN}:`,
    `${PAGE_ORIGIN}/*`,
    `${PAGE_ORIGIN}/page.html?x#y`,
  ].map((value) => [value]),
  ...['https://svc.test:0443', 'https://@svc.test', 'https://u:p@svc.test', 'https:svc.test', 'https:\\\\svc.test'].map(
    (value) => [value],
  ),
  ...['HTTPS://SVC.TEST', 'HTTPS://svc.test', 'https://SVC.test', 'https://Svc.Test', 'Https://svc.test'].map(
    (value) => [value],
  ),
  ...[
    'http://svc.test',
    'ftp://svc.test',
    'wss://svc.test',
    '//svc.test',
    '://svc.test',
    'https:://svc.test',
    'https:/svc.test',
    'svc.test',
  ].map((value) => [value]),
  ...[
    'https://*.test',
    '*.test',
    'https://*',
    'https://*.svc.test',
    '.test',
    'https://svc.*',
    '*://svc.test',
    'https://svc.test:*',
  ].map((value) => [value]),
  ...[
    'https://www.svc.test',
    'https://apps.svc.test',
    'https://test',
    'https://other.test',
    'https://svc.test.evil.example',
  ].map((value) => [value]),
  ...[
    `${PAGE_ORIGIN}, *`,
    `*, ${PAGE_ORIGIN}`,
    `${PAGE_ORIGIN},${PAGE_ORIGIN}`,
    `${PAGE_ORIGIN} ${PAGE_ORIGIN}`,
    `${PAGE_ORIGIN} https://other.test`,
    `https://other.test, ${PAGE_ORIGIN}`,
    `${PAGE_ORIGIN};`,
    `${PAGE_ORIGIN},`,
    `,${PAGE_ORIGIN}`,
  ].map((value) => [value]),
  ...[
    'https://svc\u00e9.test',
    `${PAGE_ORIGIN}\u00a0`,
    '\u00a0*',
    '\u00ff',
    '\u00c3\u0097',
    `"${PAGE_ORIGIN}"`,
    `'${PAGE_ORIGIN}'`,
    `<${PAGE_ORIGIN}>`,
    `[${PAGE_ORIGIN}]`,
  ].map((value) => [value]),
  ...[
    `${PAGE_ORIGIN}${'x'.repeat(10_000)}`,
    '*'.repeat(9000),
    `https://${'a.'.repeat(4000)}test`,
    `${' '.repeat(5000)}*`,
    `${PAGE_ORIGIN}${'\t'.repeat(5000)}`,
  ].map((value) => [value]),
  ['*', '*'],
  [PAGE_ORIGIN, PAGE_ORIGIN],
  ['*', PAGE_ORIGIN],
  [PAGE_ORIGIN, '*'],
  ['', '*'],
  ['*', ''],
  ['', PAGE_ORIGIN],
  ['', ''],
  ['null', PAGE_ORIGIN],
  [PAGE_ORIGIN, 'https://other.test'],
  ['*', '*', '*'],
];

export const plain: Situation[] = ALLOWED.map((allow) => ({
  name: `allow ${JSON.stringify(allow).slice(0, 80)}`,
  hops: [{ at: 'registry', allow }],
}));

/** Credentials are omitted, so headers about them change nothing. */
export const withCredentials: Situation[] = ['true', 'false', 'TRUE', '', 'true, true'].flatMap((value) =>
  [['*'], [PAGE_ORIGIN], [`${PAGE_ORIGIN}/`]].map((allow) => ({
    name: `credentials ${value} with ${allow[0]}`,
    hops: [{ at: 'registry', allow, headers: [[CREDENTIALS, value]] }],
  })),
);

/** Other headers that are about reading and embedding, and change nothing here. */
export const withOtherHeaders: Situation[] = (
  [
    ['Access-Control-Expose-Headers', '*'],
    ['Timing-Allow-Origin', 'https://other.test'],
    ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
    ['Content-Security-Policy', "frame-ancestors 'none'; img-src 'none'"],
    ['Content-Disposition', 'attachment; filename="icon.svg"'],
    ['X-Frame-Options', 'DENY'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Embedder-Policy', 'require-corp'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Referrer-Policy', 'no-referrer'],
    ['Vary', '*'],
    ['Access-Control-Allow-Origins', '*'],
    ['Set-Cookie', 'a=b; Secure; SameSite=None'],
    ['Clear-Site-Data', '"cache"'],
    ['Refresh', '0; url=https://other.test/'],
  ] as const
).flatMap((header) =>
  [['*'], []].map((allow) => ({
    name: `${header.join(': ')} with ${allow.join()}`,
    hops: [{ at: 'registry', allow, headers: [header] }],
  })),
);

/** Statuses of the file itself. 204 is not one of them: a browser gets the response, but no file. */
export const statuses: Situation[] = [200, 201, 203, 400, 401, 403, 404, 405, 410, 416, 500, 503].flatMap((status) =>
  [['*'], []].map((allow) => ({
    name: `status ${status} with ${allow.join()}`,
    hops: [{ at: 'registry', allow, status }],
  })),
);

const GOOD: Lines = [
  [ALLOW, '*'],
  [HEADERS, '*, Authorization'],
];
// Without 429, which is a rate limit and not a refusal.
export const preflights: Situation[] = [
  ...[
    200, 201, 202, 203, 204, 205, 206, 226, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 407, 410,
    418, 500, 501, 502, 503, 599,
  ].flatMap((status): [string, Lines, number][] => [
    [`status ${status}`, GOOD, status],
    [`status ${status} without anything`, [], status],
  ]),
  ...[301, 302, 303, 307, 308].map((status): [string, Lines, number] => [
    `redirect ${status}`,
    [...GOOD, ['Location', '/elsewhere']],
    status,
  ]),
  ...ALLOWED.map((allow): [string, Lines] => [
    `allow ${JSON.stringify(allow).slice(0, 80)}`,
    [...allow.map((value) => [ALLOW, value] as const), [HEADERS, '*, Authorization']],
  ]),
  ...[
    [],
    ['*'],
    [' * '],
    ['"*"'],
    ['**'],
    ['* '],
    [''],
    [','],
    ['*, Authorization'],
    ['*', 'Authorization'],
    ['Authorization', '*'],
    ['authorization'],
    ['Authorization'],
    ['X-Appreg-Probe'],
    ['x-appreg-probe'],
    ['X-APPREG-PROBE, AUTHORIZATION'],
    [',x-appreg-probe, ,authorization,'],
    ['x-appreg-probe authorization'],
    ['x-appreg-probe; authorization'],
    ['x-appreg-probe', 'authorization'],
    ['x appreg probe'],
    ['x-appreg-*'],
    ['x-appreg-*, *'],
    ['Content-Type, Accept'],
    ['Content-Type, *'],
    ['*, Bad Name'],
    ['*, (bad)'],
    ['*, b\u00e4d'],
    ['*, "quoted"'],
    ['*,\tAuthorization\t'],
    ['*, Authorization, Authorization'],
    [`*, authorization${', x-other'.repeat(500)}`],
    ['x-appreg-probe:'],
    ['all'],
    ['*/*'],
    ['*;q=1'],
  ].map((lines): [string, Lines] => [
    `headers ${JSON.stringify(lines).slice(0, 80)}`,
    [[ALLOW, '*'], ...lines.map((value) => [HEADERS, value] as const)],
  ]),
  ...[
    ['*'],
    ['GET'],
    ['get'],
    ['GET, HEAD'],
    ['GET', 'HEAD'],
    ['PUT'],
    ['POST, PUT, DELETE'],
    [''],
    [','],
    ['GET,,HEAD'],
    ['GET HEAD'],
    ['GET; HEAD'],
    ['GET|HEAD'],
    ['"GET"'],
    ['[GET]'],
    ['GET, Bad Method'],
    ['(GET)'],
    ['G\u00cbT'],
    ['GET, OPTIONS, '],
  ].map((lines): [string, Lines] => [
    `methods ${JSON.stringify(lines)}`,
    [...GOOD, ...lines.map((value) => [METHODS, value] as const)],
  ]),
  ...['86400', '0', '-1', 'abc', '', '1.5', '99999999999999999999', '5, 5'].map((value): [string, Lines] => [
    `max-age ${value}`,
    [...GOOD, ['Access-Control-Max-Age', value]],
  ]),
  ...(['true', 'false', ''] as const).map((value): [string, Lines] => [
    `credentials ${value}`,
    [...GOOD, [CREDENTIALS, value]],
  ]),
].map(([name, headers, status = 204]) => ({
  name: `preflight ${name}`,
  hops: [{ at: 'registry', allow: ['*'], preflight: { status, headers } }],
}));

/**
 * Allow-Origin in short chains of redirects: all combinations in up to two hops, and all pairs of values in three hops.
 * `me` is the page's own origin.
 */
export function chains(me: string): Situation[] {
  const ways: Where[][] = [
    ['page'],
    ['near'],
    ['registry', 'registry'],
    ['registry', 'cdn'],
    ['registry', 'port'],
    ['registry', 'page'],
    ['page', 'registry'],
    ['page', 'page'],
    ['near', 'registry'],
    ['registry', 'cdn', 'registry'],
    ['registry', 'registry', 'cdn'],
    ['page', 'registry', 'page'],
    ['page', 'registry', 'cdn'],
    ['page', 'registry', 'registry'],
    ['registry', 'page', 'registry'],
    ['page', 'page', 'registry'],
  ];
  const options: (readonly [string, Hop['allow']])[] = [
    ['none', []],
    ['*', ['*']],
    ['exact', [me]],
    ['null', ['null']],
    ['echo', 'echo'],
  ];
  return ways.flatMap((way) => {
    let rows: (readonly [string, Hop['allow']])[][] = [[]];
    for (const _ of way.slice(0, 2))
      rows = rows.flatMap((row) => options.slice(0, way.length > 2 ? 3 : 5).map((say) => [...row, say]));
    // Each pair of values is in each two of the three hops (an orthogonal array).
    if (way.length === 3) rows = rows.map(([one, two], i) => [one!, two!, options[(i + Math.floor(i / 3)) % 3]!]);
    return rows.map((row) => ({
      name: way.map((at, i) => `${at} ${row[i]![0]}`).join(' → '),
      hops: way.map((at, i) => ({ at, allow: row[i]![1] })),
    }));
  });
}

/** Longer chains, and other properties of redirects. */
export const redirectChains: Situation[] = [
  ...(
    [
      ['registry', 'cdn', 'port', 'registry'],
      ['registry', 'registry', 'registry', 'registry', 'registry'],
      ['page', 'registry', 'cdn', 'near', 'page'],
      ['registry', 'cdn', 'registry', 'cdn', 'registry', 'cdn'],
    ] as Where[][]
  ).flatMap((way) =>
    [-1, 0, way.length - 1].map((bare) => ({
      name: `${way.join(' → ')}, nothing at ${bare}`,
      hops: way.map((at, i) => ({ at, allow: i === bare ? [] : ['*'] })),
    })),
  ),
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    [['*'], []].map((allow) => ({
      name: `redirect ${status} with ${allow.join()}`,
      hops: [
        { at: 'registry', allow, status },
        { at: 'cdn', allow: ['*'] },
      ] as Hop[],
    })),
  ),
  {
    name: 'to http',
    hops: [
      { at: 'registry', allow: ['*'] },
      { at: 'http', allow: ['*'] },
    ],
  },
];

/** A preflight goes out for each hop that is at another origin than the page's. */
export const preflightsAlong: Situation[] = (
  [
    ['registry', 'registry'],
    ['registry', 'cdn'],
    ['registry', 'page'],
    ['page', 'registry'],
    ['page', 'page'],
    ['page', 'registry', 'page'],
  ] as Where[][]
).flatMap((way) =>
  way.flatMap((_, refused) =>
    (
      [
        ['refused', { status: 403, headers: [] }],
        [
          'the page alone',
          {
            headers: [
              [ALLOW, PAGE_ORIGIN],
              [HEADERS, '*, Authorization'],
            ],
          },
        ],
        [
          'no Authorization',
          {
            headers: [
              [ALLOW, '*'],
              [HEADERS, '*'],
            ],
          },
        ],
      ] as [string, NonNullable<Hop['preflight']>][]
    ).map(([name, preflight]) => ({
      name: `${way.join(' → ')}, preflight ${name} at ${refused}`,
      hops: way.map((at, i) => ({ at, allow: ['*'], ...(i === refused ? { preflight } : {}) })),
    })),
  ),
);
