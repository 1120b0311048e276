import { artifactSuffix } from '../../../../src/core/rules/urls/artifact-suffix.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const artifactUrl = (url: string) => urlFacts('artifact', url);

ruleTable(artifactSuffix, {
  clean: [
    ['tar.gz', artifactUrl('https://x.test/a-1.0.0.tar.gz')],
    ['tgz', artifactUrl('https://x.test/a.tgz')],
    ['none, as download services have', artifactUrl('https://x.test/download/1234')],
    ['a version, which looks like a suffix', artifactUrl('https://x.test/a/1.0.0')],
    ['a query behind', artifactUrl('https://x.test/a.tar.gz?name=a.zip')],
    ['an icon', urlFacts('icon', 'https://x.test/i.svg')],
  ],
  faulty: [
    ['zip', artifactUrl('https://x.test/a.zip'), { message: '.zip', evidence: { suffix: '.zip' } }],
    ['tar without gzip', artifactUrl('https://x.test/a.tar'), { evidence: { suffix: '.tar' } }],
    ['another compression', artifactUrl('https://x.test/a.tar.zst'), { evidence: { suffix: '.tar.zst' } }],
    ['xz', artifactUrl('https://x.test/a.tar.xz'), { evidence: { suffix: '.tar.xz' } }],
    ['capitals', artifactUrl('https://x.test/A.ZIP'), { evidence: { suffix: '.ZIP' } }],
    ['the code itself', artifactUrl('https://x.test/app.js'), { evidence: { suffix: '.js' } }],
    ['the metadata', artifactUrl('https://x.test/versions.json'), { message: '.json' }],
    ['a page', artifactUrl('https://x.test/index.html'), { message: '.html' }],
  ],
});
