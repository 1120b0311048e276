import { message } from '../../text/message.ts';
import type { Hop } from '../../facts/facts.ts';
import { cacheControl, contentCodings, headerValue, varyNames } from '../../http/headers.ts';
import { NOT_THE_FILE } from '../not-the-file.ts';
import { finalHop, hostOf, isAnswered, lastHop } from '../../http/probe.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const compressedCopyNotVaried = defineRule({
  id: 'compressed-copy-not-varied',
  title: 'Missing Vary: Accept-Encoding',
  on: 'resource',
  needs: ['resource', 'web', 'answer'],
  severity: 'note',
  spec: null,
  symptom: null,
  owner: 'host',
  supersededBy: NOT_THE_FILE,
  causes: {
    vary: { title: 'Vary: Accept-Encoding is missing' },
    etag: { title: 'Both forms have the same strong ETag' },
  },
  failsWhen:
    'a response is compressed only for clients that accept it, but `Vary: Accept-Encoding` is missing although caches may store it, or both forms have the same strong ETag',
  why: 'A shared cache then sends the compressed form to clients that do not accept it. Browsers can read both forms.',
  examples: {
    bad: `GET /registry.json

HTTP/1.1 200 OK

GET /registry.json
Accept-Encoding: gzip

HTTP/1.1 200 OK
Content-Encoding: gzip`,
    good: `GET /registry.json

HTTP/1.1 200 OK
Vary: Accept-Encoding

GET /registry.json
Accept-Encoding: gzip

HTTP/1.1 200 OK
Content-Encoding: gzip
Vary: Accept-Encoding`,
  },
  check({ resource, web, answer }) {
    const plain = finalHop(answer);
    if (contentCodings(plain.headers).length > 0) return null;
    for (const probe of web.browser) {
      const hop = lastHop(probe);
      const applied = contentCodings(hop?.headers ?? []);
      if (!hop || !isAnswered(probe) || hop.url !== plain.url || applied.length === 0) continue;
      const host = hostOf(hop.url);
      const evidence = {
        contentEncoding: applied.join(', '),
        vary: headerValue(hop.headers, 'vary'),
        cacheControl: headerValue(hop.headers, 'cache-control'),
        etag: headerValue(hop.headers, 'etag'),
      };
      if (isShared(hop) && !isVaried(hop))
        return {
          cause: 'vary',
          message: message`${host} compresses the ${resourceName(resource)} for clients that accept it, without Vary: Accept-Encoding.`,
          advice: message`Send Vary: Accept-Encoding with every response that may be compressed (nginx: gzip_vary on).`,
          evidence,
          dedupeKey: `vary ${resource} ${host}`,
        };
      const tag = headerValue(hop.headers, 'etag');
      if (tag !== null && tag.startsWith('"') && tag === headerValue(plain.headers, 'etag'))
        return {
          cause: 'etag',
          message: message`${host} sends the ${resourceName(resource)} with the same strong ETag (${tag}) with and without Content-Encoding: ${applied.join(', ')}, although the bytes differ.`,
          advice: message`Give each form its own ETag, or a weak one (W/"…"): see RFC 9110, section 8.8.3.3.`,
          evidence,
          dedupeKey: `etag ${resource} ${host}`,
        };
    }
    return null;
  },
});

function isVaried(hop: Hop): boolean {
  const names = varyNames(hop.headers);
  return names.includes('accept-encoding') || names.includes('*');
}

/** True if a shared cache may store it. */
function isShared(hop: Hop): boolean {
  const { directives } = cacheControl(headerValue(hop.headers, 'cache-control') ?? '');
  return !directives.has('no-store') && !directives.has('private');
}
