import { jsonDuplicateKey } from '../../../../src/core/rules/documents/json-duplicate-key.ts';
import { documentFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const entry = '{"name":"A","blockStyle":{"color":"#112233"}}';

ruleTable(jsonDuplicateKey, {
  clean: [
    ['each name once', documentFacts(`{"apps":{"a":${entry},"b":${entry}}}`)],
    ['one name in several objects', documentFacts('[{"a":1},{"a":1},{"a":{"a":{"a":1}}}]')],
    ['names that differ in case', documentFacts('{"a":1,"A":2}')],
    ['composed and decomposed é', documentFacts('{"\u00e9":1,"e\u0301":2}')],
    ['__proto__ once', documentFacts('{"apps":{"__proto__":1,"constructor":2}}')],
    ['colons and quotes inside strings', documentFacts('{"a":":\\":","b":"\\\\"}')],
    ['invalid JSON', documentFacts('{"a":1,"a":2')],
    ['numbers as names', documentFacts('{"1":1,"01":2,"1.0":3}')],
  ],
  faulty: [
    [
      'an app twice',
      documentFacts('{"apps":{"a":1,"a":2}}'),
      { at: '/apps/a', offset: 15, message: '“a”', evidence: { name: 'a' } },
    ],
    ['apps twice', documentFacts('{"apps":{},"apps":{"a":1}}'), { at: '/apps', offset: 11 }],
    [
      'a field of a version twice',
      documentFacts('{"versions":[{"version":"1.0.0","version":"2.0.0"}]}', 'metadata'),
      { at: '/versions/0/version', offset: 32 },
    ],
    [
      'one of the two spelt with an escape',
      documentFacts('{"a":1,"\\u0061":2}'),
      { at: '/a', offset: 7, evidence: { name: 'a' } },
    ],
    ['__proto__ twice', documentFacts('{"__proto__":1,"__proto__":2}'), { at: '/__proto__' }],
    ['the same value both times', documentFacts('{"a":1,"a":1}'), { at: '/a' }],
    [
      'three times is two too many',
      documentFacts('{"a":1,"a":2,"a":3}'),
      [
        { at: '/a', offset: 7 },
        { at: '/a', offset: 13 },
      ],
    ],
    ['the empty name', documentFacts('{"":1,"":2}'), { at: '/' }],
    ['behind a byte order mark', documentFacts('\ufeff{"a":1,"a":2}'), { at: '/a', offset: 8 }],
    ['inside the first of two', documentFacts('{"a":{"x":1,"x":2},"a":{}}'), [{ at: '/a/x' }, { at: '/a' }]],
    ['deep inside a list', documentFacts('[[{"k/~":[{"z":1,"z":2}]}]]'), { at: '/0/0/k~1~0/0/z' }],
    ['names of white space', documentFacts('{ " " : 1 ,\r\n" " : 2 }'), { at: '/ ' }],
  ],
});
