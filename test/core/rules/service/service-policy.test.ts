import { servicePolicy } from '../../../../src/core/rules/service/service-policy.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { REGISTRY, servedApp, SERVICE } from '../../../support/subscription-example.ts';

const found = (rule: string, cause: string | null) => ({
  rule,
  cause,
  message: 'It is not requested.',
  app: null,
  version: null,
  resource: 'manifest',
});
const failing = { ...SERVICE, registry: { ...REGISTRY, state: 'failing', failingSince: '2026-11-13T20:00:00.000Z' } };
const whole = { service: SERVICE, isManifestUsable: true, served: null };

ruleTable(servicePolicy, {
  clean: [
    ['a registry that works', whole],
    [
      'a host that could not be reached, which another rule reports',
      { ...whole, service: { ...failing, findings: [found('unreachable', 'not-reached')] } },
    ],
    [
      'a manifest that cannot be used here either',
      { ...whole, isManifestUsable: false, service: { ...failing, findings: [found('unreachable', 'port-refused')] } },
    ],
    [
      'a limit that another app reached',
      {
        ...whole,
        served: servedApp([]),
        service: { ...SERVICE, overLimit: [{ app: 'notes', version: null, reason: 'over the budget' }] },
      },
    ],
  ],
  faulty: [
    [
      'a suspended organization',
      { ...whole, service: { ...SERVICE, registry: null, suspended: 'Its operator suspended it.' } },
      { cause: 'suspended', message: 'refuses all requests of the organization: Its operator suspended it.' },
    ],
    [
      'a port',
      { ...whole, service: { ...failing, findings: [found('unreachable', 'port-refused')] } },
      { cause: 'port', advice: 'port 443' },
    ],
    [
      'plain http',
      { ...whole, service: { ...failing, findings: [found('url-insecure', null)] } },
      { cause: 'insecure', advice: 'https URL' },
    ],
    [
      'a limit',
      {
        ...whole,
        served: servedApp([]),
        service: { ...SERVICE, overLimit: [{ app: 'clock', version: '1.0.0', reason: 'over the budget' }] },
      },
      { cause: 'limit', severity: 'note', message: 'over the budget', evidence: { versions: ['1.0.0'] } },
    ],
  ],
});
