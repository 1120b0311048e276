import {
  type Conditional,
  headerValue,
  type HttpViews,
  isAnswered,
  isMissing,
  lastHop,
  message,
  type Missing,
  type Probe,
  PROBE_ORIGIN,
  ruleById,
  type SafeText,
  sideProbes,
} from 'appreg';
import type { HostCheck } from '../case/host.ts';
import type { HostResponse } from './describe.ts';

/** Judges responses by the rules of `core`. */

type RuleCheck = Extract<HostCheck, { check: 'rule' }>;

const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: null }, intentional: true };
/** As in the requests of conditions that no host issued. */
const FABRICATED_TAG = '"conformance-never-issued"';

/**
 * Finds a problem of the rule in the responses; null for nothing. The text of the rule itself contains addresses and
 * times, so the title of the cause is returned in its place.
 * @param response finds a response by its name
 */
export function ruleProblem(check: RuleCheck, response: (name: string) => HostResponse): SafeText | null {
  const rule = ruleById(check.rule);
  if (rule === undefined) throw new Error(`The library has no rule ${check.rule}.`);
  const answer = response(check.of).probe;
  const url = lastHop(answer)?.url;
  if (url === undefined || (!isAnswered(answer) && check.rule !== 'redirect-insecure'))
    return message`There is no complete response, which the rule ${check.rule} needs.`;
  const web = viewsOf(check, response);
  const facts: Record<string, unknown> = {
    ...sideProbes(web),
    resource: check.resource,
    url,
    web,
    answer,
    origins: [PROBE_ORIGIN],
    now: new Date().toISOString(),
    ...(check.resource === 'icon' ? { image: { kind: url.includes('.svg') ? 'svg' : 'png' } } : {}),
  };
  for (const need of rule.needs) {
    const fact = facts[need];
    if (fact === undefined) throw new Error(`The rule ${rule.id} needs ${need}.`);
    if (isMissing(fact)) return message`A request is not answered, so that the rule ${rule.id} cannot judge it.`;
  }
  const result = rule.check(facts);
  const [problem] = result == null ? [] : [result].flat();
  if (problem === undefined) return null;
  const { cause } = problem;
  const known = cause === undefined ? undefined : (rule.causes?.[cause] ?? rule.causes?.[cause.replace(/-\d+$/, '-*')]);
  const title = known?.title ?? rule.title;
  return message`${title} (rule ${rule.id}${cause === undefined ? '' : `, cause ${cause}`}).`;
}

function viewsOf(check: RuleCheck, response: (name: string) => HostResponse): HttpViews {
  const probeOf = (name: string | undefined): Probe | null => (name === undefined ? null : response(name).probe);
  const page = probeOf(check.page);
  const revalidation = probeOf(check.revalidation);
  const server = response(check.of);
  const tag = headerValue(lastHop(server.probe)?.headers ?? [], 'etag') ?? '';
  const conditional: Conditional[] = [];
  for (const [name, fabricated] of [
    [check.fabricated, true],
    [check.conditional, false],
  ] as const) {
    if (name === undefined) continue;
    const { probe, body } = response(name);
    const isSame = isAnswered(probe) && body !== null && server.body !== null ? body.equals(server.body) : null;
    const condition: Conditional['condition'] = ['if-none-match', fabricated ? FABRICATED_TAG : tag];
    conditional.push({ condition, fabricated, probe, sameBytes: isSame });
  }
  return {
    server: server.probe,
    browser: page === null ? [] : [page],
    preflight: NOT_REQUESTED,
    head: probeOf(check.head) ?? NOT_REQUESTED,
    conditional,
    ...(revalidation === null ? {} : { revalidation: { condition: ['if-none-match', tag], probe: revalidation } }),
  };
}
