import { type SafeText, message } from '../text/message.ts';
import type { Hop, HttpViews } from '../facts/facts.ts';
import type { Finding } from './report.ts';
import { serverEvidence } from '../http/server-identity.ts';
import { lastHop } from '../http/probe.ts';
import { causeOfFinding, ruleById } from '../rules/lookup.ts';
import { isCachedCopy, isIssuedByInterceptor, type Owner } from '../rules/owners.ts';

/** The party that has to act on a finding, and the steps of its advice that depend on it. */

type Attributable = Pick<Finding, 'rule' | 'cause' | 'evidence'>;

/** The party that has to act on a finding. A rule that is not part of this library is attributed to the author. */
export function ownerOf(finding: Attributable): Owner {
  const owner = causeOfFinding(finding)?.owner ?? ruleById(finding.rule)?.owner ?? 'author';
  return typeof owner === 'function' ? owner(finding) : owner;
}

const INTERCEPTED =
  'A device on this network intercepts TLS connections and responds instead of the host: check from another network, or ask its operator to exempt this host. Otherwise:';
const PURGE_FIRST = 'This is a cached copy: purge the cache, and check again. If that does not help:';
const PURGE_LAST = 'Then purge the caches, and check again.';

/**
 * The finding's advice, with the steps to take before or after it depending on the party that has to act.
 * @param web the responses of its resource's URL, or null
 */
export function withSteps(finding: Attributable & Pick<Finding, 'advice'>, web: HttpViews | null): SafeText {
  const { rule, advice } = finding;
  const evidence = web === null ? finding.evidence : { ...serverEvidence(answerFor(rule, web)), ...finding.evidence };
  const whole = { ...finding, evidence };
  const owner = ownerOf(whole);
  // If a proxy was used, the rule's own advice begins with it.
  const hasProxy = evidence['proxy'] !== undefined;
  if (owner === 'network' && !hasProxy && isIssuedByInterceptor(whole)) return message`${INTERCEPTED} ${advice}`;
  const purge = causeOfFinding(finding)?.purge ?? ruleById(rule)?.purge;
  if (owner !== 'cache' || !isCachedCopy(whole) || purge === 'in-advice') return message`${advice}`;
  return purge === 'last' ? message`${sentence(advice)} ${PURGE_LAST}` : message`${PURGE_FIRST} ${advice}`;
}

function sentence(text: string): string {
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}

/** A browser may get another copy than the service, so findings about the browser's response use that response. */
export function answerFor(rule: string, web: HttpViews): Hop | null {
  const asBrowser = ruleById(rule)?.view === 'browser' ? web.browser[0] : undefined;
  return lastHop(asBrowser ?? web.server);
}
