import type { ResourceKind } from '../../../../src/core/facts/facts.ts';
import { contentTypeWrong } from '../../../../src/core/rules/http/content-type-wrong.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const facts = (type: string | null, resource: ResourceKind = 'manifest') => {
  const answer = probe(hop(type === null ? {} : { 'content-type': type }));
  return { resource, web: web(answer), answer };
};

ruleTable(contentTypeWrong, {
  clean: [
    ['JSON', facts('application/json')],
    ['JSON with its charset', facts('Application/JSON;charset="UTF-8"')],
    ['a kind of JSON', facts('application/vnd.x+json', 'metadata')],
    ['text/json', facts('text/json')],
    ['an artifact as gzip', facts('application/gzip', 'artifact')],
    ['an artifact as tar', facts('application/x-tar', 'artifact')],
    ['an artifact as bytes', facts('binary/octet-stream', 'artifact')],
    ['an artifact without a type', facts(null, 'artifact')],
    ['an icon, which has its own rule', facts('text/plain', 'icon')],
  ],
  faulty: [
    ['text', facts('text/plain; charset=utf-8'), { cause: 'not-json', advice: 'application/json' }],
    ['a page', facts('text/html'), { cause: 'not-json' }],
    ['bytes', facts('application/octet-stream'), { cause: 'not-json' }],
    ['nothing', facts(null), { cause: 'missing' }],
    ['latin-1', facts('application/json; charset=iso-8859-1'), { cause: 'charset' }],
    ['an artifact as text', facts('text/plain', 'artifact'), { cause: 'text', advice: 'application/gzip' }],
    ['an artifact as a page', facts('text/html', 'artifact'), { cause: 'html' }],
  ],
});
