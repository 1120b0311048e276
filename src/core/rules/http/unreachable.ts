import { message, safe } from '../../text/message.ts';
import { blockedPort } from '../../url/url.ts';
import type { Probe } from '../../facts/facts.ts';
import { proxyFault } from '../../http/proxy.ts';
import type { Evidence } from '../../values/evidence.ts';
import { hostnameOf, hostOf, lastHop, overProxy } from '../../http/probe.ts';
import { ruleOfFailure } from '../../http/failed-request.ts';
import { defineRule, explainedBy, type ExplainedBy } from '../rule.ts';
import { NOT_ITS_URL } from '../other-url.ts';
import type { urlPortBlocked } from '../urls/url-port-blocked.ts';
import { explainFailure } from './unreachable/connection-failures.ts';
import { explainStatus } from './unreachable/by-status.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { type Explanation, UNREACHABLE_CAUSES } from './unreachable/causes.ts';

const BLOCKED_PORT = explainedBy<typeof urlPortBlocked>(
  'url-port-blocked',
  'No client connects to that port, whether or not a server listens there',
);

export const unreachable = defineRule({
  id: 'unreachable',
  title: 'URL that cannot be fetched',
  on: 'resource',
  needs: ['resource', 'web', 'now'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'host',
  byClock: ['signature-expired'],
  hidesApp: true,
  hiddenReason: 'Its metadata file cannot be fetched.',
  causes: UNREACHABLE_CAUSES,
  failsWhen:
    'a resource cannot be fetched: DNS, a proxy, a refused or broken connection, a timeout, a truncated response, or any status other than 2xx after redirects',
  why: 'Without the manifest, subscribers do not see the registry; without its metadata, they do not see the app; without the artifact, they cannot install it; without the icon, they see an empty square.',
  examples: {
    bad: 'connect ECONNREFUSED 192.0.2.1:443',
    good: `GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, web, now }) {
    const probe = web.server;
    if (ruleOfFailure(probe) !== 'unreachable') return null;
    const last = lastHop(probe);
    const found = explainUnreachable(probe, now, resource === 'manifest');
    if (found === null) return null;
    return {
      ...found,
      message: message`The ${resourceName(resource)} cannot be fetched: ${safe(found.message)}`,
      evidence: { ...evidenceOf(probe), ...found.evidence },
      supersededBy: explanationsOf(probe, found.cause),
      ...(isOfHost(probe, found.cause)
        ? { dedupeKey: `${resource} ${hostOf(probe.failure?.url ?? last?.url ?? '')} ${found.cause}` }
        : {}),
    };
  },
});

/** The findings about the URL that leave nothing to say about its response. */
function explanationsOf(probe: Probe, cause: string): readonly ExplainedBy[] {
  if (probe.failure && isWithoutAnswer(probe) && blockedPort(hostOf(probe.failure.url)) !== null) return [BLOCKED_PORT];
  // A host that does not respond is a fault of its own.
  return /^status-40[01345]$|^status-410$/.test(cause) ? NOT_ITS_URL : [];
}

/**
 * Explains a URL that cannot be fetched; null if nothing was requested.
 * @param now ISO 8601
 * @param isFirst true for the first request of a run
 */
export function explainUnreachable(probe: Probe, now: string, isFirst: boolean): Explanation | null {
  const last = lastHop(probe);
  const ofProxy = proxyFault(probe);
  if (ofProxy !== null) return ofProxy;
  if (probe.failure !== null) {
    const found = explainFailure(probe.failure, probe);
    return isProxied(probe) ? throughProxy(found, probe) : found;
  }
  return last === null ? null : explainStatus(probe, last, Date.parse(now), isFirst);
}

/** True if the handshake failed through a proxy: it cannot be told whose fault it is. */
function isProxied(probe: Probe): boolean {
  return probe.failure?.phase === 'tls' && lastHop(probe)?.proxy !== undefined;
}

function throughProxy(found: Explanation, probe: Probe): Explanation {
  const name = hostnameOf(probe.failure?.url ?? '');
  return {
    ...found,
    message: message`${overProxy(probe).trim()}: ${safe(found.message)}`,
    advice: message`Check the proxy first, since it is between this machine and the host: run the check without it, or add ${name} to NO_PROXY. If the same happens there: ${safe(found.advice)}`,
  };
}

/** True if the URL itself was requested and no response was received. */
function isWithoutAnswer({ hops }: Probe): boolean {
  return hops.length <= 1 && !hops[0]?.status;
}

/** True if the whole host is affected, and not only this file. */
function isOfHost(probe: Probe, cause: string): boolean {
  const { failure } = probe;
  if (failure === null)
    return (
      /^(rate-limited|captive-portal|credentials-refused|maintenance|bot-protection|firewall|origin-down|no-site|parked-domain)$/.test(
        cause,
      ) || /^status-(401|407|5\d\d)$/.test(cause)
    );
  // A host that does not respond hangs for every URL.
  return /^(no-answer|http2-only)$/.test(cause) || ['dns', 'connect', 'tls'].includes(failure.phase);
}

function evidenceOf(probe: Probe): Evidence {
  const last = lastHop(probe);
  const evidence: Evidence = {
    requested: last?.url ?? null,
    status: last?.status || null,
    attempts: probe.attempts,
    address: last?.address ?? null,
  };
  if (probe.failure)
    Object.assign(evidence, {
      phase: probe.failure.phase,
      code: probe.failure.code,
      got: probe.failure.got,
      expected: probe.failure.expected,
    });
  if (last?.proxy) evidence['proxy'] = `${last.proxy.url} (${last.proxy.variable})`;
  if (probe.hops.length > 1) evidence['hops'] = probe.hops.map((hop) => `${hop.status} ${hop.url}`);
  if (last?.excerpt) evidence['body'] = last.excerpt.slice(0, 200);
  return evidence;
}
