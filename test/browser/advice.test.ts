import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Finding } from '../../src/core/engine/report.ts';
import { SVG } from '../support/icons.ts';
import { PNG } from '../support/png-builder.ts';
import { disagreements } from './agreement.ts';
import { describeInChromium } from './chromium.ts';
import { type Hop, type Lines, openStage, type Seen, type Situation, type Stage, type Where } from './situation.ts';

/** Who does literally what the advice says has fixed the fault: for appreg, and for a real browser. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const ALLOW = 'Access-Control-Allow-Origin';
const HEADERS = 'Access-Control-Allow-Headers';
const POLICY = 'Cross-Origin-Resource-Policy';
const ROUNDS = 6;

const at = (where: Where, allow: Hop['allow'], more: Partial<Hop> = {}): Hop => ({ at: where, allow, ...more });
const one = (name: string, ...hops: Hop[]): Situation => ({ name, hops });

function faulty(page: string): Situation[] {
  const other = 'https://other.test';
  const values = [
    [],
    [''],
    ['null'],
    [`${page}/`],
    [page.toUpperCase()],
    ['*', '*'],
    [`${page}, ${other}`],
    [other],
    ['https://*.test'],
    ['svc.test'],
    [page.replace('https', 'http')],
  ];
  const preflights: [status: number, Lines][] = [
    [405, []],
    [204, []],
    [301, [[ALLOW, '*']]],
    [204, [[ALLOW, '*']]],
    [
      204,
      [
        [ALLOW, other],
        [HEADERS, '*'],
      ],
    ],
    [
      204,
      [
        [ALLOW, '*'],
        [HEADERS, 'Content-Type'],
      ],
    ],
    [
      204,
      [
        [ALLOW, '*'],
        [HEADERS, 'a b'],
      ],
    ],
  ];
  return [
    ...values.map((allow) => one(`allow ${allow.join('; ')}`, at('registry', allow))),
    ...values.map((allow) => one(`${allow.join('; ')} on the redirect`, at('registry', allow), at('registry', ['*']))),
    ...values.map((allow) => one(`${allow.join('; ')} on both`, at('registry', allow), at('cdn', allow))),
    ...values.map((allow) => one(`from the page itself to ${allow.join('; ')}`, at('page', []), at('registry', allow))),
    one('the origin behind a redirect', at('registry', [page]), at('cdn', [page])),
    one('back to the page', at('registry', ['*']), at('page', [])),
    ...preflights.flatMap(([status, headers]) => [
      one(`preflight ${status} ${headers.join('; ')}`, at('registry', ['*'], { preflight: { status, headers } })),
      one(
        `preflight ${status} ${headers.join('; ')} behind`,
        at('registry', ['*']),
        at('cdn', ['*'], { preflight: { status, headers } }),
      ),
    ]),
    // Behind a redirect to another host a browser has no Authorization left to ask for.
    one(
      'no Authorization',
      at('registry', ['*'], {
        preflight: {
          headers: [
            [ALLOW, '*'],
            [HEADERS, '*'],
          ],
        },
      }),
    ),
    ...['same-origin', 'same-site'].map((policy) =>
      one(policy, at('registry', ['*'], { headers: [[POLICY, policy]] })),
    ),
    ...['same-origin', 'same-site'].map((policy) =>
      one(`${policy} on the redirect`, at('registry', ['*'], { headers: [[POLICY, policy]] }), at('cdn', ['*'])),
    ),
    ...[[], ['text/plain'], ['application/xml']].map((type) => ({
      ...one(`SVG as ${type.join()}`, at('registry', ['*'])),
      icon: SVG,
      type,
    })),
    ...[['image/svg+xml'], ['application/gzip']].map((type) => ({
      ...one(`PNG as ${type.join()}`, at('registry', ['*'])),
      icon: PNG,
      type,
    })),
  ];
}

/** The lines that an advice names, each with its alternatives in their order. */
function linesIn(advice: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const VALUE = /((?:Access-Control|Cross-Origin|Content)-[A-Za-z-]+): (\S+?(?:, (?:Authorization|HEAD))?)(?=,? |$)/g;
  for (const [, name, value] of advice.matchAll(VALUE)) {
    found.set(name!, [...(found.get(name!) ?? []), value!]);
  }
  return found;
}

/** The situation as it is once the host does what a finding advises. */
function fixed(
  situation: Situation,
  { rule, advice, evidence }: Finding,
  choose: (values: string[]) => string,
): Situation {
  const lines = [...linesIn(advice)].map(([name, values]) => [name, choose(values)] as const);
  expect(lines, `an advice with a line to copy: ${advice}`).not.toEqual([]);
  const type = lines.find(([name]) => name === 'Content-Type')?.[1];
  if (type !== undefined) return { ...situation, type: [type] };
  const index = Number(/(\d+)\.\w+$/.exec(String(evidence['asked']))?.[1] ?? 0);
  const hops = situation.hops.map((hop, i): Hop => {
    if (i !== index) return hop;
    if (rule === 'cors-preflight-refused') {
      const rest = (hop.preflight?.headers ?? []).filter(([name]) => !lines.some(([other]) => other === name));
      return { ...hop, preflight: { status: 204, headers: [...rest, ...lines] } };
    }
    const allow = lines.find(([name]) => name === ALLOW)?.[1];
    if (allow !== undefined) return { ...hop, allow: [allow] };
    return {
      ...hop,
      headers: [...(hop.headers ?? []).filter(([name]) => !lines.some(([other]) => other === name)), ...lines],
    };
  });
  return { ...situation, hops };
}

const RULES = /^(cors-(missing|invalid|origin-refused|preflight-refused)|icon-(embedding-refused|type-wrong))$/;

/** The gravest of what is found at either file. */
function firstFault({ report, authorized }: Seen): Finding | undefined {
  const findings = [...report.findings, ...(authorized?.findings ?? [])];
  return findings.find(({ rule, severity }) => RULES.test(rule) && severity !== 'note');
}

describeInChromium('advice, followed, in a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  test.each<[string, (values: string[]) => string]>([
    ['first', (values) => values[0]!],
    ['last', (values) => values.at(-1)!],
  ])('the %s of what it offers', async (_, choose) => {
    const files = ['metadata', 'icon'] as const;
    const page = stage.pages.ported;
    let open = await stage.look(faulty(page), page, files);
    expect(open.filter((one) => !firstFault(one)).map(({ situation }) => situation.name)).toEqual([]);
    const done: Seen[] = [];
    for (let round = 0; round < ROUNDS && open.length > 0; round += 1) {
      const better = open.map((one) => fixed(one.situation, firstFault(one)!, choose));
      const seen = await stage.look(better, page, files);
      done.push(...seen.filter((one) => !firstFault(one)));
      open = seen.filter(firstFault);
    }
    expect(open.map(firstFault)).toEqual([]);
    // Where appreg has nothing to say, the browser gets the file in every way.
    expect(await disagreements(stage, done, files)).toEqual([]);
  });
});
