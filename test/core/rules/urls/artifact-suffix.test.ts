import { artifactSuffix } from '../../../../src/core/rules/urls/artifact-suffix.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const of = (url: string) => urlFacts('artifact', url);

ruleTable(artifactSuffix, {
  clean: [
    ['tar.gz', of('https://x.test/a-1.0.0.tar.gz')],
    ['tgz', of('https://x.test/a.tgz')],
    ['none, as download services have', of('https://x.test/download/1234')],
    ['a version, which looks like a suffix', of('https://x.test/a/1.0.0')],
    ['a query behind', of('https://x.test/a.tar.gz?name=a.zip')],
    ['an icon', urlFacts('icon', 'https://x.test/i.svg')],
  ],
  faulty: [
    ['zip', of('https://x.test/a.zip'), { message: '.zip', evidence: { suffix: '.zip' } }],
    ['tar without gzip', of('https://x.test/a.tar'), { evidence: { suffix: '.tar' } }],
    ['another compression', of('https://x.test/a.tar.zst'), { evidence: { suffix: '.tar.zst' } }],
    ['xz', of('https://x.test/a.tar.xz'), { evidence: { suffix: '.tar.xz' } }],
    ['capitals', of('https://x.test/A.ZIP'), { evidence: { suffix: '.ZIP' } }],
    ['the code itself', of('https://x.test/app.js'), { evidence: { suffix: '.js' } }],
    ['the metadata', of('https://x.test/versions.json'), { message: '.json' }],
    ['a page', of('https://x.test/index.html'), { message: '.html' }],
  ],
});
