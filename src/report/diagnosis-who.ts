import { ownerOf } from '../core/engine/owner.ts';
import type { Finding } from '../core/engine/report.ts';
import { shorten } from '../core/text/text.ts';
import { hostOf } from '../core/http/probe.ts';
import { evidenceList, evidenceText } from './diagnosis-evidence.ts';

/** The party that has to act, in words. */

// Causes that also occur with a private authority that this machine does not trust.
const PRIVATE = new Set(['unknown-issuer', 'self-signed', 'incomplete-chain']);

/** The host that a finding is about, with its port; an empty text if it has none. */
export function hostIn(finding: Finding): string {
  const url = finding.evidence['requested'] ?? finding.url;
  return typeof url === 'string' ? hostOf(url) : '';
}

/** The party that has to act on a finding, in words. */
export function whoOf(finding: Finding): string {
  const { rule, cause, resource, evidence } = finding;
  const host = hostIn(finding) || 'the registry';
  const by = evidence['servedBy'];
  const product = typeof by === 'string' ? ` (${shorten(by, 40)})` : '';
  const copy = evidence['fromCache'];
  switch (ownerOf(finding)) {
    case 'author':
      if (evidence['page'] !== undefined)
        return `the author, who uploads the file; and the host ${host}${product}, which should respond with 404 if it is missing`;
      return rule === 'unreachable' && resource === 'manifest'
        ? 'the author: the registry’s files, or the subscribed URL'
        : 'the author: the registry’s files';
    case 'host':
      if (rule === 'tls-untrusted' && PRIVATE.has(cause ?? ''))
        return `the host ${host}${product}; or the user of this check, if the authority is private (--ca)`;
      return `the host ${host}${product}${cause === 'redirect-null-origin' ? ', or the author: the listed URL' : ''}`;
    case 'cache':
      return `the CDN or cache in front of ${host}${product}${typeof copy === 'string' ? `: ${shorten(evidenceText(copy), 80)}` : ''}`;
    case 'network':
      return `the network between this machine and ${host}: DNS, proxy, firewall or TLS interception`;
    case 'service':
      return 'the service: its operator';
    case 'user': {
      const [near] = evidenceList(evidence, 'near');
      return `the user of this check${near === undefined ? '' : `: the key is ${shorten(near, 80)}`}`;
    }
  }
}
