import { hostIntermittent } from '../../../../src/core/rules/http/host-intermittent.ts';
import type { RepeatedProbe } from '../../../../src/core/facts/facts.ts';
import { probesInRounds, refused } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, hop, ADDRESS, probe, web } from '../../../support/probes.ts';

const comparedHosts: ReadonlySet<string> = new Set();

const repeatedRequests = (repeated: RepeatedProbe) => ({
  resource: 'manifest' as const,
  url: ADDRESS,
  comparedHosts,
  web: web(probe(), { repeatedProbes: [repeated] }),
});

ruleTable(hostIntermittent, {
  clean: [
    ['at once', { resource: 'icon', url: ADDRESS, comparedHosts, web: web() }],
    [
      'waited for Retry-After',
      { resource: 'icon', url: ADDRESS, comparedHosts, web: web(probe(hop(), { attempts: 2, retryAfterMs: 1000 })) },
    ],
    [
      'no IPv6 on this machine',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop({}, { failedAddresses: [{ address: '2001:db8::1', code: 'ENETUNREACH' }] }))),
      },
    ],
    [
      'an address that is reported by addresses-differ',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts: new Set(['apps.example.com']),
        web: web(probe(hop({}, { failedAddresses: [{ address: '192.0.2.2', code: 'ECONNREFUSED' }] }))),
      },
    ],
    [
      'this machine by its own name',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(
          probe(
            hop({}, { url: 'http://localhost:8080/x', failedAddresses: [{ address: '::1', code: 'ECONNREFUSED' }] }),
          ),
        ),
      },
    ],
    [
      'a method that is refused',
      repeatedRequests({ of: 'HEAD', url: ADDRESS, plain: [200, 200, 0], same: [404, 404, 429] }),
    ],
    [
      'never',
      { resource: 'icon', url: ADDRESS, comparedHosts, web: web({ ...failed('headers', 'ECONNRESET'), attempts: 3 }) },
    ],
  ],
  faulty: [
    [
      'an IPv6 address that refuses',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop({}, { failedAddresses: [{ address: '2001:db8::1', code: 'ECONNREFUSED' }] }))),
      },
      {
        cause: 'address-dead',
        severity: 'warning',
        message: '2001:db8::1 (ECONNREFUSED)',
        dedupeKey: 'apps.example.com',
      },
    ],
    [
      'an IPv4 address that is silent',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop({}, { failedAddresses: [{ address: '192.0.2.9', code: 'ETIMEDOUT' }] }))),
      },
      { cause: 'address-dead', severity: 'warning' },
    ],
    [
      'an IPv6 address that is silent: perhaps the fault of the network here',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop({}, { failedAddresses: [{ address: '2001:db8::1', code: 'ETIMEDOUT' }] }))),
      },
      { cause: 'address-dead', severity: 'note', message: 'IPv6 does not work on this network' },
    ],
    [
      'second attempt',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop(), { attempts: 2, retriedErrors: ['ECONNRESET'] })),
      },
      { message: 'second attempt. Earlier attempts: ECONNRESET', dedupeKey: 'apps.example.com' },
    ],
    [
      'third attempt',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop(), { attempts: 3, retriedErrors: ['status 502', 'status 502'] })),
      },
      { message: 'third' },
    ],
    [
      'a limit without a time to wait',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop(), { attempts: 2, retriedErrors: ['status 429'] })),
      },
      { advice: 'raise the limit' },
    ],
    [
      'a 404 that did not come again',
      {
        resource: 'icon',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop(), { attempts: 2, retriedErrors: ['status 404'] })),
      },
      { advice: 'each server', dedupeKey: 'apps.example.com' },
    ],
    [
      'HEAD by turns',
      repeatedRequests({ of: 'HEAD', url: ADDRESS, plain: [200, 200], same: [404, 200] }),
      { cause: 'alternating', message: 'HEAD requests for the manifest alternate between 2xx and 404' },
    ],
    [
      'plain GETs by turns',
      repeatedRequests({ of: 'HEAD', url: ADDRESS, plain: [200, 500], same: [404, 404] }),
      { cause: 'alternating', message: 'the same requests for the manifest', dedupeKey: 'apps.example.com' },
    ],
    [
      'what browsers get, by turns',
      {
        resource: 'manifest',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(), {
          browser: [refused(404)],
          headerProbes: probesInRounds([probe(), refused(404), probe()], [probe(), refused(404), probe()]),
        }),
      },
      { cause: 'alternating', message: '404' },
    ],
    [
      'a header by turns',
      {
        resource: 'manifest',
        url: ADDRESS,
        comparedHosts,
        web: web(probe(hop({ 'access-control-allow-origin': '*' })), {
          browser: [probe()],
          headerProbes: probesInRounds(
            [probe(), probe(hop({ 'access-control-allow-origin': '*' })), probe()],
            [probe(hop({ 'access-control-allow-origin': '*' })), probe()],
          ),
        }),
      },
      {
        cause: 'alternating-headers',
        message: 'between Access-Control-Allow-Origin: * and no Access-Control-Allow-Origin',
      },
    ],
  ],
});
