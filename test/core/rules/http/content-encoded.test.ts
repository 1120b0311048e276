import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { contentEncoded } from '../../../../src/core/rules/http/content-encoded.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const facts = (coding: string | null, resource: ResourceKind = 'artifact') => {
  const answer = probe(hop(coding === null ? {} : { 'content-encoding': coding }));
  return { resource, web: web(answer), answer };
};

ruleTable(contentEncoded, {
  clean: [
    ['none', facts(null)],
    ['identity', facts('Identity')],
    ['nothing in it', facts(' , ')],
    ['JSON in gzip', facts('gzip', 'manifest')],
    ['JSON in br', facts('br', 'metadata')],
  ],
  faulty: [
    ['gzip', facts('gzip'), { cause: 'encoded', message: 'gzip' }],
    ['x-gzip', facts('X-GZIP'), { cause: 'encoded' }],
    ['unknown on an artifact', facts('aws-chunked'), { cause: 'unknown-coding' }],
    ['unknown on JSON', facts('zstd', 'manifest'), { cause: 'unknown-coding', message: 'zstd' }],
  ],
});
