import { urlPlaceholder } from '../../../../src/core/rules/urls/url-placeholder.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const artifactUrl = (url: string) => urlFacts('artifact', url);
const at = (rest: string) => artifactUrl(`https://apps.example.com/${rest}`);

/** A URL with a variable, and the part that is quoted. */
const TEMPLATES: readonly [rest: string, part: string][] = [
  ['echo/{version}/echo.tar.gz', '{version}'],
  ['echo/%7Bversion%7D.tar.gz', '{version}'],
  ['echo/{0}.tar.gz', '{0}'],
  ['echo/{}.tar.gz', '{}'],
  ['echo/${VERSION}.tar.gz', '${VERSION}'],
  ['echo/${VERSION:-1.0.0}.tar.gz', '${VERSION:-1.0.0}'],
  ['echo/${{ github.ref_name }}/echo.tar.gz', '${{ github.ref_name }}'],
  ['echo/{{version}}.tar.gz', '{{version}}'],
  ['echo/{{ .Version }}.tar.gz', '{{ .Version }}'],
  ['echo/#{version}.tar.gz', '#{version}'],
  ['echo/<version>.tar.gz', '<version>'],
  ['echo/%3Cversion%3E.tar.gz', '<version>'],
  ['echo/<%= version %>.tar.gz', '<%= version %>'],
  ['echo/%VERSION%.tar.gz', '%VERSION%'],
  ['echo/%s.tar.gz', '%s'],
  ['echo/__VERSION__.tar.gz', '__VERSION__'],
  ['echo/__version__.tar.gz', '__version__'],
  ['echo/__APP_VERSION__/a.tar.gz', '__APP_VERSION__'],
  ['echo/@VERSION@.tar.gz', '@VERSION@'],
  ['echo/v$version/echo.tar.gz', '$version'],
  ['echo/$TAG.tar.gz', '$TAG'],
  ['echo/$(VERSION).tar.gz', '$(VERSION)'],
  ['echo/:version/echo.tar.gz', ':version'],
  ['echo/[version].tar.gz', '[version]'],
  ['echo/[object Object].tar.gz', '[object Object]'],
  ['YOUR-ORG/echo.tar.gz', 'YOUR-ORG'],
  ['CHANGEME/echo.tar.gz', 'CHANGEME'],
  ['echo/vX.Y.Z/echo.tar.gz', 'vX.Y.Z'],
  ['echo/1.tar.gz?v={version}', '{version}'],
];

ruleTable(urlPlaceholder, {
  clean: [
    ['a version', at('echo/1.0.0/echo.tar.gz')],
    ['a version with build metadata', at('echo/1.0.0%2Bbuild.5.tar.gz')],
    ['escapes', at('my%20app/caf%C3%A9/100%25.tar.gz')],
    ['an app called null', at('apps/null-object/versions/1.0.0.tar.gz')],
    ['a package called is-undefined', at('is-undefined-1.0.0.tar.gz')],
    ['a word that contains one', at('nullable/nano/undefined-behaviour/1.0.0.tar.gz')],
    ['a user called null', artifactUrl('https://github.com/null/app/releases/download/v1.0.0/app.tar.gz')],
    ['two underscores in a name', at('__tests__x/my__app/1.0.0.tar.gz')],
    ['a tag with the app in front', artifactUrl('https://github.com/o/r/releases/download/app@1.0.0/a.tar.gz')],
    ['a scoped package', artifactUrl('https://registry.npmjs.org/@scope/app/-/app-1.0.0.tgz')],
    ['a placeholder that Artifactory resolves', at('echo/[RELEASE]/echo.tar.gz')],
    ['a container of Azure', artifactUrl('https://acme.blob.core.windows.net/$web/echo-1.0.0.tar.gz')],
    ['its root container, escaped', artifactUrl('https://acme.blob.core.windows.net/%24root/echo-1.0.0.tar.gz')],
    ['a price', at('echo/$5-app/1.0.0.tar.gz')],
    ['a Base64 value', at('echo/1.0.0.tar.gz?sig=abc%2Fdef%3D%3D&x=a%2Bb')],
    ['a storage token of Firebase', at('v0/b/app.appspot.com/o/echo%2F1.0.0.tar.gz?alt=media&token=0a-1b')],
    ['an IPv6 address', artifactUrl('https://[2001:db8::1]/echo-1.0.0.tar.gz')],
    ['escapes of bytes that are not UTF-8', at('Stra%DFe/%E4bc%F6.tar.gz')],
    ['a key that begins with underscores', at('apps/__proto__/versions/1.0.0.tar.gz')],
    ['a word in the name', at('todo/change-log/your-app-1.0.0.tar.gz')],
    ['a port', artifactUrl('https://apps.example.com:8443/echo/1.0.0.tar.gz')],
    ['Maven properties that are names', at('org/x.y/echo/1.0.0.tar.gz')],
  ],
  faulty: [
    ...TEMPLATES.map(
      ([rest, part]) =>
        [rest, at(rest), { cause: 'template', message: `“${part}”`, evidence: { placeholder: part } }] as const,
    ),
    ['in the host name', artifactUrl('https://undefined/echo.tar.gz'), { cause: 'template' }],
    [
      'in a label of the host name',
      artifactUrl('https://your-bucket.s3.amazonaws.com/e.tar.gz'),
      { cause: 'template' },
    ],
    ['a metadata file', urlFacts('metadata', 'https://x.test/{app}/versions.json'), { message: 'metadata file' }],
    ['an icon', urlFacts('icon', 'https://x.test/__KEY__/icon.svg'), { message: 'icon' }],
    ['the manifest', urlFacts('manifest', 'https://x.test/${NAME}.json'), { message: 'manifest' }],
    ['undefined as a segment', at('echo/undefined/echo.tar.gz'), { cause: 'value', hidesApp: false }],
    ['undefined after v', at('echo/vundefined/echo.tar.gz'), { cause: 'value', message: '“vundefined”' }],
    ['undefined at the end of a name', at('echo-undefined.tar.gz'), { cause: 'value' }],
    ['null', at('echo/null/echo.tar.gz'), { cause: 'value' }],
    ['NaN in a name', at('echo/echo-NaN.tar.gz'), { cause: 'value' }],
    ['undefined as a parameter', at('echo.tar.gz?version=undefined'), { cause: 'value' }],
    [
      'a tag that is undefined',
      artifactUrl('https://github.com/o/r/releases/download/vundefined/app.tar.gz'),
      { cause: 'value' },
    ],
  ],
});
