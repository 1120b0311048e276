import { urlInsecure } from '../../../../src/core/rules/urls/url-insecure.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(urlInsecure, {
  clean: [
    ['https', urlFacts('icon', 'https://x.test/i.svg')],
    ['https in capitals', urlFacts('icon', 'HTTPS://x.test/i.svg')],
    ['http further on', urlFacts('icon', 'https://x.test/?u=http://y.test')],
    ['another scheme, which another rule reports', urlFacts('icon', 'ftp://x.test/i.svg')],
    [
      'another file on loopback, of a registry on loopback: reported for the manifest',
      urlFacts('icon', 'http://127.0.0.1:8080/i.svg', undefined, 'http://localhost:8080/r.json'),
    ],
  ],
  faulty: [
    [
      'loopback in a registry that is on another host',
      urlFacts('icon', 'http://127.0.0.1:8080/i.svg', undefined, 'https://x.test/r.json'),
      { severity: 'warning', cause: 'loopback' },
    ],
    [
      'another host in a registry on loopback',
      urlFacts('icon', 'http://x.test/i.svg', undefined, 'http://localhost/r.json'),
      { severity: 'error', cause: 'http' },
    ],
    [
      'http',
      urlFacts('icon', 'http://x.test/i.svg'),
      { severity: 'error', cause: 'http', message: 'icon', advice: 'https://x.test/i.svg' },
    ],
    ['http in capitals', urlFacts('artifact', 'HTTP://x.test/a'), { severity: 'error', cause: 'http' }],
    ['localhost', urlFacts('manifest', 'http://localhost:8080/r.json'), { severity: 'warning', cause: 'loopback' }],
    [
      'a name below localhost',
      urlFacts('manifest', 'http://apps.localhost/r.json'),
      { severity: 'warning', cause: 'loopback' },
    ],
    ['127.0.0.1', urlFacts('manifest', 'http://127.0.0.1/r.json'), { severity: 'warning', cause: 'loopback' }],
    [
      '127.0.0.1 in another notation',
      urlFacts('manifest', 'http://2130706433/r.json'),
      { severity: 'warning', cause: 'loopback' },
    ],
    ['::1', urlFacts('manifest', 'http://[::1]:8080/r.json'), { severity: 'warning', cause: 'loopback' }],
    [
      'a private address is not loopback',
      urlFacts('manifest', 'http://192.168.0.1/'),
      { severity: 'error', cause: 'http' },
    ],
    [
      'a host that begins like localhost',
      urlFacts('manifest', 'http://localhost.evil.test/'),
      { severity: 'error', cause: 'http' },
    ],
    [
      'a name that begins like 127.0.0.1',
      urlFacts('manifest', 'http://127.0.0.1.evil.test/'),
      { severity: 'error', cause: 'http' },
    ],
  ],
});
