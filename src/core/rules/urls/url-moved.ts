import { message } from '../../text/message.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import type { redirectInsecure } from '../http/redirect-insecure.ts';
import type { urlInsecure } from './url-insecure.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule, explainedBy, type ExplainedBy } from '../rule.ts';

export const urlMoved = defineRule({
  id: 'url-moved',
  title: 'Permanently redirected URL',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'warning',
  spec: null,
  symptom: 'by-resource',
  owner: 'author',
  supersededBy: NOT_THE_FILE,
  failsWhen: 'the registry URL is permanently redirected (301, 308); for a URL in the manifest, this is a note',
  why: 'The old URL may stop working; its subscribers lose the registry once the redirect is removed.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 301 Moved Permanently
Location: https://files.example.com/registry.json

GET https://files.example.com/registry.json

HTTP/1.1 200 OK`,
    good: `GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, answer }) {
    // A published artifact keeps the URL that it was published under.
    if (resource === 'artifact') return null;
    const { hops } = answer;
    const other = hops.findIndex(({ status }, i) => i === hops.length - 1 || (status !== 301 && status !== 308));
    const [first, target] = [hops[0], hops[other]];
    if (first === undefined || target === undefined || first === target) return null;
    const { url } = target;
    const own = resource === 'manifest';
    return {
      severity: own ? 'warning' : 'note',
      message: message`The URL of the ${resourceName(resource)} has moved permanently (${first.status}) to ${url}`,
      advice: own
        ? message`Subscribe to ${url} and publish that URL; keep the redirect for subscribers with the old one.`
        : message`List ${url} in the manifest.`,
      evidence: { hops: hops.map((hop) => `${hop.status} ${hop.url}`) },
      supersededBy: explanationsOf(first.url, url),
    };
  },
});

const TO_HTTPS = explainedBy<typeof urlInsecure>(
  'url-insecure',
  'The redirect leads to the same URL with https, which that finding names',
  'http',
);
const TO_HTTP = explainedBy<typeof redirectInsecure>(
  'redirect-insecure',
  'The new URL is not https; that redirect has to be changed first',
);

/** The findings that leave nothing to say about a redirect between these URLs. */
function explanationsOf(from: string, to: string): ExplainedBy[] {
  if (from.startsWith('http:') && to === from.replace(/^http:/, 'https:')) return [TO_HTTPS];
  return from.startsWith('https:') && to.startsWith('http:') ? [TO_HTTP] : [];
}
