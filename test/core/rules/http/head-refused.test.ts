import { headRefused } from '../../../../src/core/rules/http/head-refused.ts';
import type { Probe } from '../../../../src/core/facts/facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, visit, web } from '../../../support/visits.ts';

const facts = (head: Probe, get: Probe = visit(hop({ 'content-length': '5', etag: '"a"' }))) => ({
  role: 'manifest' as const,
  web: web(get, { head }),
  answer: get,
});
const signed = visit(hop({}, { url: 'https://a.test/x?X-Amz-Signature=abc' }));

ruleTable(headRefused, {
  clean: [
    ['the same', facts(visit(hop({ 'content-length': '5', etag: 'W/"a"' })))],
    ['says less', facts(visit(hop()))],
    ['a signed URL, which is signed for GET', facts(visit(hop({}, { status: 403 })), signed)],
    ['reset', facts(failed('headers', 'ECONNRESET'))],
    ['408', facts(visit(hop({}, { status: 408 })))],
    ['rate limited', facts(visit(hop({}, { status: 429 })))],
    ['compressed for HEAD alone', facts(visit(hop({ 'content-length': '3', 'content-encoding': 'gzip' })))],
    ['not asked', { role: 'manifest', web: web(), answer: visit() }],
  ],
  faulty: [
    ['405', facts(visit(hop({}, { status: 405 }))), { cause: 'status-405' }],
    ['malformed', facts(failed('headers', 'HPE_INVALID_HEADER')), { cause: 'failed', message: 'HPE_INVALID_HEADER' }],
    ['a redirect fault', facts(failed('redirect', 'REDIRECT_LOOP')), { cause: 'failed', message: 'REDIRECT_LOOP' }],
    ['another length', facts(visit(hop({ 'content-length': '6' }))), { cause: 'content-length-differs' }],
    ['another ETag', facts(visit(hop({ etag: '"b"' }))), { cause: 'etag-differs' }],
  ],
});
