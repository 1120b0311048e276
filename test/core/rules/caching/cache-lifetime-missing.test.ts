import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { cacheLifetimeMissing } from '../../../../src/core/rules/caching/cache-lifetime-missing.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, NOW, probe, web } from '../../../support/probes.ts';

const facts = (headers: Record<string, string>, resource: ResourceKind = 'manifest') => {
  const answer = probe(hop(headers));
  return { resource, web: web(answer), answer, now: NOW };
};

ruleTable(cacheLifetimeMissing, {
  clean: [
    ['a lifetime', facts({ 'cache-control': 'max-age=300' })],
    ['no-cache', facts({ 'cache-control': 'no-cache' })],
    ['Expires', facts({ expires: 'Sat, 21 Nov 2026 12:05:00 GMT' })],
    ['an icon', facts({}, 'icon')],
    ['the same twice', facts({ 'cache-control': 'max-age=300, max-age=300' })],
  ],
  faulty: [
    ['nothing', facts({}), { cause: 'absent' }],
    [
      'nothing, and at rest for long',
      facts({ 'last-modified': 'Thu, 13 Aug 2026 12:00:00 GMT' }),
      { cause: 'absent', message: '240 hours' },
    ],
    ['public alone', facts({ 'cache-control': 'public' }), { cause: 'no-lifetime', message: 'public' }],
    ['a misspelled name', facts({ 'cache-control': 'maxage=300' }), { cause: 'no-lifetime', message: 'maxage=300' }],
    ['a semicolon', facts({ 'cache-control': 'public; max-age=300' }), { cause: 'malformed', severity: 'warning' }],
    ['a colon', facts({ 'cache-control': 'max-age: 300' }), { cause: 'malformed' }],
    ['quoted', facts({ 'cache-control': 'max-age="300"' }), { cause: 'malformed', severity: 'warning' }],
    ['negative', facts({ 'cache-control': 'max-age=-1' }), { cause: 'malformed' }],
    ['a fraction', facts({ 'cache-control': 'max-age=1.5' }), { cause: 'malformed' }],
    ['two values', facts({ 'cache-control': 'max-age=300, max-age=0' }), { cause: 'malformed' }],
  ],
});
