import { isMissing } from '../../facts/facts.ts';
import { addressDifferences } from '../../http/address-comparison.ts';
import { defineRule, type Problem } from '../rule.ts';
import {
  type Cause,
  CAUSES,
  differenceProblems,
  HANDSHAKE_CAUSES,
  handshakeProblem,
} from './addresses-differ/differences.ts';

export const addressesDiffer = defineRule({
  id: 'addresses-differ',
  title: 'Addresses of a host that respond differently',
  on: 'resource',
  needs: ['resource', 'web', 'now'],
  severity: 'error',
  spec: '5',
  symptom: 'by-resource',
  refusesVersion: false,
  owner: 'host',
  causes: CAUSES,
  failsWhen:
    'a host name has several addresses, and one of them has an untrusted certificate or aborts the TLS handshake, while another one serves the files. With --each-address, also if one of them does not respond, or responds with a different status, different content, a different compressed copy, without CORS headers, or with other headers that are judged (Content-Type; Cross-Origin-Resource-Policy of icons; Cache-Control of JSON files), twice in a row. A different type or lifetime is a warning, unless it is that of an icon',
  why: 'Each subscriber uses one of the addresses, possibly a different one each time: what works for one fails for the next. Clients skip addresses that accept no connection; without --each-address, host-intermittent reports them.',
  examples: {
    bad: `tls CERT_HAS_EXPIRED 192.0.2.2:443

GET /registry.json

HTTP/1.1 200 OK`,
    good: `GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, web, now }): Problem<Cause>[] {
    const problems: Problem<Cause>[] = [];
    for (const hop of web.server.hops) {
      const [first, ...more] = (hop.failedAddresses ?? []).filter(({ phase }) => phase === 'tls');
      if (first && hop.status !== 0) problems.push(handshakeProblem(hop, first, more, now));
    }
    const hosts = new Set(problems.map(({ dedupeKey }) => dedupeKey));
    for (const facts of web.addresses ?? []) {
      if (isMissing(facts)) continue;
      for (const difference of addressDifferences(facts)) {
        const found = differenceProblems(resource, facts, difference, now);
        // The connections of the run itself may have found the same.
        problems.push(...found.filter(({ cause, dedupeKey }) => !(isOfHandshake(cause) && hosts.has(dedupeKey))));
      }
    }
    return problems;
  },
});

function isOfHandshake(cause: Cause | undefined): boolean {
  return cause !== undefined && Object.hasOwn(HANDSHAKE_CAUSES, cause);
}
