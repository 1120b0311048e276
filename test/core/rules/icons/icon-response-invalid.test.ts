import { iconResponseInvalid } from '../../../../src/core/rules/icons/icon-response-invalid.ts';
import { hop, probe, web } from '../../../support/probes.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const refused = (code: string) => probe(hop({}, { refusedByNode: code }));
const facts = (answer = probe(), asBrowser = probe()) => ({ answer, web: web(answer, { browser: [asBrowser] }) });

ruleTable(iconResponseInvalid, {
  clean: [['a valid response', facts()]],
  faulty: [
    [
      'a response that Node.js refuses',
      facts(refused('HPE_INVALID_HEADER_TOKEN')),
      { cause: 'not-http', message: 'HPE_INVALID_HEADER_TOKEN' },
    ],
    ['such a response to browsers alone', facts(probe(), refused('HPE_INVALID_CHUNK_SIZE')), { cause: 'not-http' }],
    ['gzip without its trailer', facts(refused('Z_BUF_ERROR')), { cause: 'content-encoding-broken' }],
  ],
});
