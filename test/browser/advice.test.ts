// Scenario: each advice is followed, and judged by a browser too.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Finding } from '../../src/core/findings/report.ts';
import { SVG } from '../support/icons.ts';
import { PNG } from '../support/png-builder.ts';
import { disagreements } from './agreement.ts';
import { describeInChromium } from './chromium.ts';
import { type Hop, type Lines, openStage, type Seen, type Situation, type Stage, type Where } from './situation.ts';

/** Following the advice literally fixes the fault, for appreg and for a real browser. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const ALLOW = 'Access-Control-Allow-Origin';
const HEADERS = 'Access-Control-Allow-Headers';
const POLICY = 'Cross-Origin-Resource-Policy';
const ROUNDS = 6;

const hopAt = (where: Where, allow: Hop['allow'], more: Partial<Hop> = {}): Hop => ({ at: where, allow, ...more });
const situation = (name: string, ...hops: Hop[]): Situation => ({ name, hops });

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
    ...values.map((allow) => situation(`allow ${allow.join('; ')}`, hopAt('registry', allow))),
    ...values.map((allow) =>
      situation(`${allow.join('; ')} on the redirect`, hopAt('registry', allow), hopAt('registry', ['*'])),
    ),
    ...values.map((allow) => situation(`${allow.join('; ')} on both`, hopAt('registry', allow), hopAt('cdn', allow))),
    ...values.map((allow) =>
      situation(`from the page itself to ${allow.join('; ')}`, hopAt('page', []), hopAt('registry', allow)),
    ),
    situation('the origin behind a redirect', hopAt('registry', [page]), hopAt('cdn', [page])),
    situation('back to the page', hopAt('registry', ['*']), hopAt('page', [])),
    ...preflights.flatMap(([status, headers]) => [
      situation(
        `preflight ${status} ${headers.join('; ')}`,
        hopAt('registry', ['*'], { preflight: { status, headers } }),
      ),
      situation(
        `preflight ${status} ${headers.join('; ')} behind`,
        hopAt('registry', ['*']),
        hopAt('cdn', ['*'], { preflight: { status, headers } }),
      ),
    ]),
    // After a redirect to another host, a browser sends no Authorization and does not request it.
    situation(
      'no Authorization',
      hopAt('registry', ['*'], {
        preflight: {
          headers: [
            [ALLOW, '*'],
            [HEADERS, '*'],
          ],
        },
      }),
    ),
    ...['same-origin', 'same-site'].map((policy) =>
      situation(policy, hopAt('registry', ['*'], { headers: [[POLICY, policy]] })),
    ),
    ...['same-origin', 'same-site'].map((policy) =>
      situation(
        `${policy} on the redirect`,
        hopAt('registry', ['*'], { headers: [[POLICY, policy]] }),
        hopAt('cdn', ['*']),
      ),
    ),
    ...[[], ['text/plain'], ['application/xml']].map((type) => ({
      ...situation(`SVG as ${type.join()}`, hopAt('registry', ['*'])),
      icon: SVG,
      type,
    })),
    ...[['image/svg+xml'], ['application/gzip']].map((type) => ({
      ...situation(`PNG as ${type.join()}`, hopAt('registry', ['*'])),
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

/** The situation after the advice of a finding was followed. */
function withAdviceApplied(
  situation: Situation,
  { rule, advice, evidence }: Finding,
  choose: (values: string[]) => string,
): Situation {
  const lines = [...linesIn(advice)].map(([name, values]) => [name, choose(values)] as const);
  expect(lines, `an advice with a line to copy: ${advice}`).not.toEqual([]);
  const type = lines.find(([name]) => name === 'Content-Type')?.[1];
  if (type !== undefined) return { ...situation, type: [type] };
  const index = Number(/(\d+)\.\w+$/.exec(String(evidence['requested']))?.[1] ?? 0);
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

/** The most severe finding about either file. */
function firstFault({ report, authorized }: Seen): Finding | undefined {
  const findings = [...report.findings, ...(authorized?.findings ?? [])];
  return findings.find(({ rule, severity }) => RULES.test(rule) && severity !== 'note');
}

describeInChromium('following the advice', () => {
  const files = ['metadata', 'icon'] as const;
  let stage: Stage;
  let page: string;
  let faults: readonly Seen[];
  beforeAll(async () => {
    stage = await openStage();
    page = stage.pages.ported;
    faults = await stage.look(faulty(page), page, files);
  });
  afterAll(() => stage?.close());

  test('is given for every fault', () => {
    expect(faults.filter((one) => !firstFault(one)).map(({ situation }) => situation.name)).toEqual([]);
  });

  test.each<[string, (values: string[]) => string]>([
    ['first', (values) => values[0]!],
    ['last', (values) => values.at(-1)!],
  ])('removes the fault with the %s suggested value', async (_, choose) => {
    let open = faults;
    const done: Seen[] = [];
    for (let round = 0; round < ROUNDS && open.length > 0; round += 1) {
      const better = open.map((one) => withAdviceApplied(one.situation, firstFault(one)!, choose));
      const seen = await stage.look(better, page, files);
      done.push(...seen.filter((one) => !firstFault(one)));
      open = seen.filter(firstFault);
    }
    expect(open.map(firstFault)).toEqual([]);
    // If appreg has no findings, the browser gets the file in every way.
    expect(await disagreements(stage, done, files)).toEqual([]);
  });
});
