import { compressedCopyNotVaried } from '../../../../src/core/rules/http/compressed-copy-not-varied.ts';
import { compressedCopy, resourceFacts } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe } from '../../../support/probes.ts';

const facts = (headers: Record<string, string>, plain: Record<string, string> = {}) =>
  resourceFacts({ browser: [compressedCopy({}, headers)] }, probe(hop(plain)));
const VARY = { vary: 'Origin, Accept-Encoding' };

ruleTable(compressedCopyNotVaried, {
  clean: [
    ['not compressed', resourceFacts({ browser: [probe()] })],
    ['compressed for all', facts({}, { 'content-encoding': 'gzip' })],
    ['varied', facts(VARY)],
    ['by everything', facts({ vary: '*' })],
    ['never stored', facts({ 'cache-control': 'no-store' })],
    ['stored by browsers alone', facts({ 'cache-control': 'private, max-age=60' })],
    ['a different ETag', facts({ ...VARY, etag: '"a-gzip"' }, { etag: '"a"' })],
    ['a weak one', facts({ ...VARY, etag: 'W/"a"' }, { etag: 'W/"a"' })],
  ],
  faulty: [
    ['not varied', facts({ vary: 'Origin' }), { cause: 'vary' }],
    ['one ETag', facts({ ...VARY, etag: '"a"' }, { etag: '"a"' }), { cause: 'etag' }],
  ],
});
