import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { cacheLifetimeLong } from '../../../../src/core/rules/caching/cache-lifetime-long.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, NOW, probe, web } from '../../../support/probes.ts';

const facts = (headers: Record<string, string>, resource: ResourceKind = 'manifest') => {
  const answer = probe(hop(headers));
  return { resource, web: web(answer), answer, now: NOW };
};
const cacheControl = (value: string, more: Record<string, string> = {}, resource: ResourceKind = 'manifest') =>
  facts({ 'cache-control': value, ...more }, resource);

ruleTable(cacheLifetimeLong, {
  clean: [
    ['a little older, as clocks differ', cacheControl('max-age=60', { age: '68' })],
    ['stale while it is revalidated', cacheControl('max-age=60, stale-while-revalidate=600', { age: '650' })],
    ['stale while the host fails', cacheControl('max-age=60, stale-if-error=600', { age: '650' })],
    ['five minutes', cacheControl('public, max-age=300')],
    ['an hour', cacheControl('max-age=3600')],
    ['no headers', facts({})],
    ['an hour old, no Cache-Control', facts({ age: '3600' })],
    ['no-store', cacheControl('no-store, max-age=31536000')],
    ['no-cache', cacheControl('no-cache, max-age=31536000')],
    ['dropped at each deploy', cacheControl('max-age=0, must-revalidate', { age: '99999' })],
    ['Expires soon', facts({ expires: 'Sat, 21 Nov 2026 12:05:00 GMT' })],
    ['Expires, but max-age is stronger', cacheControl('max-age=60', { expires: 'Sun, 21 Nov 2027 12:00:00 GMT' })],
    ['Expires: 0', facts({ expires: '0' })],
    ['a little old', cacheControl('max-age=300', { age: '300' })],
    ['stale for ten minutes more', cacheControl('max-age=60, stale-while-revalidate=600')],
    ['stale for a day where nothing may be held', cacheControl('no-cache, stale-while-revalidate=86400')],
    ['a short lifetime for CDNs', cacheControl('max-age=60', { 'cdn-cache-control': 'max-age=300' })],
    ['CDNs keep nothing', cacheControl('max-age=60', { 'cdn-cache-control': 'no-store, max-age=86400' })],
    ['an artifact may be cached for a year', cacheControl('max-age=31536000, immutable', {}, 'artifact')],
    ['an icon too', cacheControl('max-age=31536000', {}, 'icon')],
  ],
  faulty: [
    ['a second more', cacheControl('max-age=3601'), { cause: 'long' }],
    ['a year', cacheControl('Max-Age=31536000', {}, 'metadata'), { cause: 'long', message: '365 days' }],
    [
      'a year, and seen ten days old',
      cacheControl('max-age=31536000', { age: '900000' }),
      { cause: 'long', message: '10 days old: it may lack what was published since', advice: 'Then purge' },
    ],
    ['shared caches', cacheControl('max-age=60, s-maxage=7200'), { cause: 'long', message: '2 hours' }],
    ['immutable', cacheControl('immutable, max-age=60'), { cause: 'immutable' }],
    ['Expires in a year', facts({ expires: 'Sun, 21 Nov 2027 12:00:00 GMT' }), { cause: 'long' }],
    ['more than numbers hold', cacheControl('max-age=99999999999999999999'), { cause: 'long' }],
    [
      'a day for CDNs',
      cacheControl('no-store', { 'cdn-cache-control': 'public, max-age=86400' }),
      { cause: 'long', message: 'CDN-Cache-Control: public, max-age=86400' },
    ],
    [
      'stale for a day more',
      cacheControl('max-age=60, stale-while-revalidate=86400'),
      { severity: 'note', cause: 'stale-while-revalidate', message: 'one check later' },
    ],
    ['an old copy without a lifetime', facts({ age: '3601' }), { cause: 'stale-copy', message: '1 hour old' }],
    ['an old copy', cacheControl('max-age=300', { age: '4000' }), { cause: 'stale-copy', message: 'it may lack' }],
    [
      'older than a stale copy may be',
      cacheControl('max-age=60, stale-while-revalidate=60', { age: '131' }),
      { cause: 'stale-copy', message: 'the 60 s for which a stale copy may be served' },
    ],
    [
      'stale although the host forbids it',
      cacheControl('max-age=60, stale-if-error=600, must-revalidate', { age: '100' }),
      { cause: 'stale-copy' },
    ],
  ],
});
