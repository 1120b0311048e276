import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { cacheLifetimeLong } from '../../../../src/core/rules/caching/cache-lifetime-long.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, NOW, probe, web } from '../../../support/probes.ts';

const facts = (headers: Record<string, string>, role: ResourceKind = 'manifest') => {
  const answer = probe(hop(headers));
  return { role, web: web(answer), answer, now: NOW };
};
const control = (value: string, more: Record<string, string> = {}, role: ResourceKind = 'manifest') =>
  facts({ 'cache-control': value, ...more }, role);

ruleTable(cacheLifetimeLong, {
  clean: [
    ['five minutes', control('public, max-age=300')],
    ['an hour', control('max-age=3600')],
    ['nothing said', facts({})],
    ['an hour old, and nothing said', facts({ age: '3600' })],
    ['no-store', control('no-store, max-age=31536000')],
    ['no-cache', control('no-cache, max-age=31536000')],
    ['dropped at each deploy', control('max-age=0, must-revalidate', { age: '99999' })],
    ['Expires soon', facts({ expires: 'Sat, 21 Nov 2026 12:05:00 GMT' })],
    ['Expires, but max-age is stronger', control('max-age=60', { expires: 'Sun, 21 Nov 2027 12:00:00 GMT' })],
    ['Expires: 0', facts({ expires: '0' })],
    ['a little old', control('max-age=300', { age: '300' })],
    ['stale for ten minutes more', control('max-age=60, stale-while-revalidate=600')],
    ['stale for a day where nothing may be held', control('no-cache, stale-while-revalidate=86400')],
    ['a short lifetime for CDNs', control('max-age=60', { 'cdn-cache-control': 'max-age=300' })],
    ['CDNs keep nothing', control('max-age=60', { 'cdn-cache-control': 'no-store, max-age=86400' })],
    ['an artifact may be held for ever', control('max-age=31536000, immutable', {}, 'artifact')],
    ['an icon too', control('max-age=31536000', {}, 'icon')],
  ],
  faulty: [
    ['a second more', control('max-age=3601'), { cause: 'long' }],
    ['a year', control('Max-Age=31536000', {}, 'metadata'), { cause: 'long', message: '365 days' }],
    [
      'a year, and seen ten days old',
      control('max-age=31536000', { age: '900000' }),
      { cause: 'long', message: '10 days old: it lacks everything published since', advice: 'Then purge' },
    ],
    ['shared caches', control('max-age=60, s-maxage=7200'), { cause: 'long', message: '2 hours' }],
    ['immutable', control('immutable, max-age=60'), { cause: 'immutable' }],
    ['Expires in a year', facts({ expires: 'Sun, 21 Nov 2027 12:00:00 GMT' }), { cause: 'long' }],
    ['more than numbers hold', control('max-age=99999999999999999999'), { cause: 'long' }],
    [
      'a day for CDNs',
      control('no-store', { 'cdn-cache-control': 'public, max-age=86400' }),
      { cause: 'long', message: 'CDN-Cache-Control: public, max-age=86400' },
    ],
    [
      'stale for a day more',
      control('max-age=60, stale-while-revalidate=86400'),
      { severity: 'note', cause: 'stale-while-revalidate', message: 'one check later' },
    ],
    ['an old copy without a lifetime', facts({ age: '3601' }), { cause: 'stale-copy', message: '1 hour old' }],
    ['an old copy', control('max-age=300', { age: '4000' }), { cause: 'stale-copy' }],
  ],
});
