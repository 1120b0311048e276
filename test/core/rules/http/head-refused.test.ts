import { headRefused } from '../../../../src/core/rules/http/head-refused.ts';
import type { Probe } from '../../../../src/core/facts/facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, probe, web } from '../../../support/probes.ts';

const facts = (head: Probe, get: Probe = probe(hop({ 'content-length': '5', etag: '"a"' }))) => ({
  resource: 'manifest' as const,
  web: web(get, { head }),
  answer: get,
});
const signed = probe(hop({}, { url: 'https://a.test/x?X-Amz-Signature=abc' }));

ruleTable(headRefused, {
  clean: [
    ['the same', facts(probe(hop({ 'content-length': '5', etag: 'W/"a"' })))],
    ['fewer headers', facts(probe(hop()))],
    ['a signed URL, which is signed for GET', facts(probe(hop({}, { status: 403 })), signed)],
    ['reset', facts(failed('headers', 'ECONNRESET'))],
    ['408', facts(probe(hop({}, { status: 408 })))],
    ['rate limited', facts(probe(hop({}, { status: 429 })))],
    ['compressed for HEAD alone', facts(probe(hop({ 'content-length': '3', 'content-encoding': 'gzip' })))],
    ['not requested', { resource: 'manifest', web: web(), answer: probe() }],
  ],
  faulty: [
    ['405', facts(probe(hop({}, { status: 405 }))), { cause: 'status-405' }],
    ['malformed', facts(failed('headers', 'HPE_INVALID_HEADER')), { cause: 'failed', message: 'HPE_INVALID_HEADER' }],
    ['a redirect fault', facts(failed('redirect', 'REDIRECT_LOOP')), { cause: 'failed', message: 'REDIRECT_LOOP' }],
    ['another length', facts(probe(hop({ 'content-length': '6' }))), { cause: 'content-length-differs' }],
    ['another ETag', facts(probe(hop({ etag: '"b"' }))), { cause: 'etag-differs' }],
  ],
});
