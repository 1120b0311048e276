import { message } from '../../text/message.ts';
import { hostOrCopy } from '../owners.ts';
import { bothContents, comparedAnswers, copyEvidence, isCompressedTwice } from '../../http/copies.ts';
import type { ComparedBody, ResourceKind, Probe } from '../../facts/facts.ts';
import { headerValue, httpDate } from '../../http/headers.ts';
import { dependenceOf } from '../../http/header-probes.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, lastHop } from '../../http/probe.ts';
import { defineRule, explainedBy } from '../rule.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import type { compressedCopyUnreadable } from './compressed-copy-unreadable.ts';

export const compressedCopyDiffers = defineRule({
  id: 'compressed-copy-differs',
  title: 'Compressed copy with different content',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: hostOrCopy,
  supersededBy: [
    ...NOT_THE_FILE,
    explainedBy<typeof compressedCopyUnreadable>(
      'compressed-copy-unreadable',
      'A copy that cannot be read has no content to compare',
    ),
  ],
  causes: {
    older: { title: 'The compressed copy is older' },
    other: { title: 'The compressed copy has different content' },
    'another-kind': { title: 'The compressed copy is another kind of file' },
  },
  failsWhen:
    'clients that accept compression (Accept-Encoding: gzip, br) get a manifest or metadata file with different content from other clients: usually an outdated compressed copy',
  why: 'Browsers and Node’s fetch accept compression, so they do not see changes of the registry. curl without --compressed gets the current file.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK

{ "apps": { "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" } } }

GET /registry.json
Accept-Encoding: gzip

HTTP/1.1 200 OK
Content-Encoding: gzip

[gzip] { "apps": {} }`,
    good: `GET /registry.json

HTTP/1.1 200 OK

{ "apps": { "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" } } }

GET /registry.json
Accept-Encoding: gzip

HTTP/1.1 200 OK
Content-Encoding: gzip

[gzip] { "apps": { "echo": { "appMetadataUrl": "https://apps.example.com/echo.json" } } }`,
  },
  check({ resource, web, answer }) {
    const dependence = dependenceOf(web);
    if (dependence?.on !== 'headers' || !dependence.groups.includes('encoding')) return null;
    for (const { probe, copy } of comparedAnswers(web)) {
      if (copy.same || copy.fault !== null || copy.missingCoding !== undefined || isCompressedTwice(copy)) continue;
      const host = hostOf(finalHop(probe).url);
      const instead = otherKind(resource, copy);
      if (instead !== null)
        return {
          cause: 'another-kind',
          message: message`${host} sends ${instead} instead of the ${resourceName(resource)} to clients that accept compression: without and with compression, the content was ${bothContents(answer, copy, probe)}.`,
          advice: message`Inspect it with curl --compressed. Purge the caches in front of the host, and replace or delete the compressed copy next to the file (.gz, .br).`,
          evidence: copyEvidence(answer, copy, probe),
          dedupeKey: `${resource} ${host}`,
        };
      const isOlder = changedAt(probe) < changedAt(answer);
      return {
        cause: isOlder ? 'older' : 'other',
        message: message`${host} sends ${isOlder ? 'an older' : 'a different'} ${resourceName(resource)} to clients that accept compression: without and with compression, the content was ${bothContents(answer, copy, probe)}.`,
        advice: message`Replace or delete the compressed copy next to the file (.gz, .br) with every upload, and purge the caches.`,
        evidence: copyEvidence(answer, copy, probe),
        dedupeKey: `${resource} ${host}`,
      };
    }
    return null;
  },
});

const KINDS: Readonly<Record<string, string>> = {
  html: 'an HTML page',
  xml: 'an XML document',
  text: 'plain text',
  json: 'JSON',
  empty: 'an empty file',
};

/** Names the kind of the copy, if it cannot be such a resource; null if it can. */
function otherKind(resource: ResourceKind, { decoded }: ComparedBody): string | null {
  if (decoded === null || (resource === 'icon' ? ['png', 'svg'] : ['json']).includes(decoded.kind)) return null;
  return KINDS[decoded.kind] ?? 'a file of another kind';
}

/** Milliseconds since 1970; NaN if unknown, which compares as neither older nor newer. */
function changedAt(probe: Probe): number {
  return httpDate(headerValue(lastHop(probe)?.headers ?? [], 'last-modified')) ?? Number.NaN;
}
