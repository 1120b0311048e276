import { redirectExcessive } from '../../../../src/core/rules/http/redirect-excessive.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, probe, web } from '../../../support/probes.ts';

const facts = (service = probe()) => ({ resource: 'manifest' as const, web: web(service) });

ruleTable(redirectExcessive, {
  clean: [
    ['answered', facts()],
    ['another failure', facts(failed('redirect', 'REDIRECT_NO_LOCATION'))],
  ],
  faulty: [
    ['a loop', facts(failed('redirect', 'REDIRECT_LOOP', {}, { status: 301 })), { cause: 'loop' }],
    [
      'a loop with a cookie',
      facts(failed('redirect', 'REDIRECT_LOOP', {}, { status: 302, headers: [['set-cookie', 'REDACTED']] })),
      { cause: 'loop-cookie' },
    ],
    [
      'too many',
      facts(failed('redirect', 'REDIRECT_LIMIT', { url: 'https://g.test/' }, { status: 302 })),
      { cause: 'too-many', message: 'more than five' },
    ],
  ],
});
