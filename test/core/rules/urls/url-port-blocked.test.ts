import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { resourceName } from '../../../../src/core/facts/resource-kind.ts';
import { blockedPort } from '../../../../src/core/url/url.ts';
import { urlPortBlocked } from '../../../../src/core/rules/urls/url-port-blocked.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const { badPorts } = createRequire(import.meta.url)('../../../../node_modules/undici/lib/web/fetch/constants.js') as {
  badPorts: string[];
};
const PORTS = ['0', ...badPorts];

ruleTable(urlPortBlocked, {
  clean: [
    ['no port', urlFacts('icon', 'https://x.test/i.svg')],
    ['the usual port', urlFacts('icon', 'https://x.test:443/i.svg')],
    ['another port', urlFacts('icon', 'https://x.test:8443/i.svg')],
    ['a blocked number in the path', urlFacts('icon', 'https://x.test/:6000/25')],
    ['an address that ends in such a number', urlFacts('icon', 'https://[2001:db8::25]/i.svg')],
  ],
  faulty: [
    ['a port of X11', urlFacts('icon', 'https://x.test:6000/i.svg'), { message: 'port 6000', advice: '8443' }],
    ...(['manifest', 'metadata', 'artifact', 'icon'] as const).map(
      (resource) =>
        [
          `the URL of the ${resource}`,
          urlFacts(resource, 'https://x.test:6000/file'),
          {
            message: `The URL of the ${resourceName(resource)} has port 6000`,
            evidence: { url: 'https://x.test:6000/file', port: 6000 },
          },
        ] as const,
    ),
    ...PORTS.map(
      (port) => [`port ${port}`, urlFacts('artifact', `https://x.test:${port}/1.tar.gz`), { advice: '8443' }] as const,
    ),
    ['http on the port of https mail', urlFacts('icon', 'http://x.test:993/i.svg'), { message: '993' }],
    ['an IPv6 address', urlFacts('icon', 'https://[::1]:6667/i.svg'), { message: '6667' }],
  ],
});

test('only the ports of the list are blocked', () => {
  const blocked = Array.from({ length: 65_536 }, (_, port) => port).filter((port) => blockedPort(`x:${port}`) !== null);
  expect(blocked).toEqual(PORTS.map(Number));
});

test('fetch in Node blocks the same ports', async () => {
  for (const port of ['1', '6000', '10080'])
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { message: 'bad port' } });
});
