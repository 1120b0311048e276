import { hostUnsteady } from '../../../src/core/rules/host-unsteady.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { failed, hop, ADDRESS, visit, web } from '../../support/visits.ts';

ruleTable(hostUnsteady, {
  clean: [
    ['at once', { role: 'icon', url: ADDRESS, web: web() }],
    ['waited as asked', { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, waited: 1000 })) }],
    [
      'no IPv6 on this machine',
      {
        role: 'icon',
        url: ADDRESS,
        web: web(visit(hop({}, { vain: [{ address: '2001:db8::1', code: 'ENETUNREACH' }] }))),
      },
    ],
    [
      'this machine by its own name',
      {
        role: 'icon',
        url: ADDRESS,
        web: web(visit(hop({}, { url: 'http://localhost:8080/x', vain: [{ address: '::1', code: 'ECONNREFUSED' }] }))),
      },
    ],
    ['never', { role: 'icon', url: ADDRESS, web: web({ ...failed('headers', 'ECONNRESET'), attempts: 3 }) }],
  ],
  faulty: [
    [
      'an IPv6 address that refuses',
      {
        role: 'icon',
        url: ADDRESS,
        web: web(visit(hop({}, { vain: [{ address: '2001:db8::1', code: 'ECONNREFUSED' }] }))),
      },
      { cause: 'address-dead', severity: 'warning', message: '2001:db8::1 (ECONNREFUSED)', once: 'apps.example.com' },
    ],
    [
      'an IPv4 address that is silent',
      { role: 'icon', url: ADDRESS, web: web(visit(hop({}, { vain: [{ address: '192.0.2.9', code: 'ETIMEDOUT' }] }))) },
      { cause: 'address-dead', severity: 'warning' },
    ],
    [
      'an IPv6 address that is silent: perhaps the fault of the network here',
      {
        role: 'icon',
        url: ADDRESS,
        web: web(visit(hop({}, { vain: [{ address: '2001:db8::1', code: 'ETIMEDOUT' }] }))),
      },
      { cause: 'address-dead', severity: 'note', message: 'IPv6 does not work from here' },
    ],
    [
      'second attempt',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, troubles: ['ECONNRESET'] })) },
      { message: 'second attempt; before: ECONNRESET' },
    ],
    [
      'third attempt',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 3, troubles: ['status 502', 'status 502'] })) },
      { message: 'third' },
    ],
    [
      'a limit without a time to wait',
      { role: 'icon', url: ADDRESS, web: web(visit(hop(), { attempts: 2, troubles: ['status 429'] })) },
      { advice: 'raise the limit' },
    ],
  ],
});
