import { urlUnusual } from '../../../../src/core/rules/urls/url-unusual.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const artifactUrl = (url: string) => urlFacts('artifact', url);

ruleTable(urlUnusual, {
  clean: [
    ['the usual', artifactUrl('https://apps.example.com/a-b/1.0.0/app.tar.gz')],
    ['a query with escapes', artifactUrl('https://x.test/a?b=c%20d&e=%2F')],
    ['a port', artifactUrl('https://x.test:8443/a')],
    ['IPv4', artifactUrl('https://192.0.2.7/a')],
    ['IPv6', artifactUrl('https://[2001:db8::1]/a')],
    ['punycode', artifactUrl('https://xn--exmple-4nf.com/a')],
    ['a trailing dot of the host', artifactUrl('https://example.com./a')],
    ['capitals in the path', artifactUrl('https://x.test/A/B')],
    ['two dots inside a name', artifactUrl('https://x.test/a..b/...c')],
    ['a signed URL', artifactUrl('https://b.s3.amazonaws.com/a?X-Amz-Signature=00&X-Amz-SignedHeaders=host')],
    ['characters that need no escape', artifactUrl("https://x.test/@a/b:c;d=e,f!$&'()*+~")],
    ['no path', artifactUrl('https://x.test')],
    ['a fault of url-malformed, even if that rule is off', artifactUrl(' https://x.test/')],
    ['backslashes, also a fault of url-malformed', artifactUrl('https:\\\\x.test\\')],
    ['user and password, which url-malformed reports', artifactUrl('https://a:b@x.test/')],
    ['the fragment of an icon', urlFacts('icon', 'https://x.test/sprite.svg#clock')],
    ['an empty one', urlFacts('icon', 'https://x.test/sprite.svg#')],
    ['a view of an SVG', urlFacts('icon', 'https://x.test/sprite.svg#svgView(viewBox(0,0,4,4))')],
    ['characters that a fragment may have', urlFacts('icon', 'https://x.test/sprite.svg#a b/../|')],
  ],
  faulty: [
    ['a fragment beside a password', artifactUrl('https://a:b@x.test/#f'), { cause: 'fragment' }],
    [
      'several',
      artifactUrl('https://X.test/a b/../c#f'),
      [{ cause: 'fragment' }, { cause: 'not-normalized' }, { cause: 'unescaped' }, { cause: 'dot-segments' }],
    ],
    ['the fragment of a metadata file', urlFacts('metadata', 'https://x.test/a.json#b'), { cause: 'fragment' }],
    [
      'an icon whose path has characters to be escaped before its fragment',
      urlFacts('icon', 'https://x.test/a b.svg#c'),
      { cause: 'unescaped', advice: 'https://x.test/a%20b.svg' },
    ],
    ['a fragment', artifactUrl('https://x.test/a#b'), { cause: 'fragment', advice: 'Write it as https://x.test/a' }],
    ['an empty fragment', artifactUrl('https://x.test/a#'), { cause: 'fragment' }],
    [
      'a Cyrillic letter in the host',
      artifactUrl('https://ex\u0430mple.com/'),
      { cause: 'host-not-ascii', message: 'xn--exmple-4nf.com', advice: 'https://xn--exmple-4nf.com/' },
    ],
    [
      'a soft hyphen, which vanishes',
      artifactUrl('https://ex\u00adample.com/'),
      { cause: 'host-not-ascii', message: 'example.com' },
    ],
    [
      'an escape in the host',
      artifactUrl('https://ex%61mple.com/'),
      { cause: 'host-not-ascii', message: 'example.com' },
    ],
    ['full-width letters', artifactUrl('https://ｅxample.com/'), { cause: 'host-not-ascii' }],
    ['a space in the path', artifactUrl('https://x.test/a b'), { cause: 'unescaped', advice: 'https://x.test/a%20b' }],
    ['quotes and angle brackets', artifactUrl('https://x.test/"<a>"'), { cause: 'unescaped' }],
    [
      'characters that URL parsers leave as they are',
      artifactUrl('https://x.test/a|b^c`?{d}'),
      { cause: 'unescaped', advice: 'Write it as https://x.test/a%7Cb%5Ec%60?%7Bd%7D' },
    ],
    ['a template that was not filled in', artifactUrl('https://x.test/{version}/a'), { cause: 'unescaped' }],
    ['capitals in the host', artifactUrl('https://X.test/a'), { cause: 'not-normalized', advice: 'https://x.test/a' }],
    ['capitals in the scheme', artifactUrl('HTTPS://x.test/a'), { cause: 'not-normalized' }],
    ['the default port', artifactUrl('https://x.test:443/a'), { cause: 'not-normalized', advice: 'https://x.test/a' }],
    ['an empty port', artifactUrl('https://x.test:/a'), { cause: 'not-normalized' }],
    [
      'an address as one number',
      artifactUrl('https://2130706433/a'),
      { cause: 'not-normalized', advice: 'https://127.0.0.1/a' },
    ],
    ['an address in hexadecimal', artifactUrl('https://0x7f000001/a'), { cause: 'not-normalized' }],
    ['an address with two parts', artifactUrl('https://127.1/a'), { cause: 'not-normalized' }],
    [
      'a hexadecimal last label',
      artifactUrl('https://1.0x2/x'),
      { cause: 'not-normalized', advice: 'https://1.0.0.2/x' },
    ],
    ['dot segments', artifactUrl('https://x.test/a/../b'), { cause: 'dot-segments', advice: 'https://x.test/b' }],
    ['one dot', artifactUrl('https://x.test/./b'), { cause: 'dot-segments' }],
    ['dots at the end', artifactUrl('https://x.test/a/..'), { cause: 'dot-segments' }],
    ['escaped dots', artifactUrl('https://x.test/a/%2e%2E/b'), { cause: 'dot-segments' }],
  ],
});
