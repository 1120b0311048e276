import { iconSuffix } from '../../../../src/core/rules/urls/icon-suffix.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const of = (url: string) => urlFacts('icon', url);

ruleTable(iconSuffix, {
  clean: [
    ['svg', of('https://x.test/icon.svg')],
    ['png', of('https://x.test/icon.png')],
    ['capitals', of('https://x.test/ICON.PNG')],
    ['a query behind', of('https://x.test/icon.svg?v=2')],
    ['an artifact', urlFacts('artifact', 'https://x.test/a.tar.gz')],
  ],
  faulty: [
    ['jpg', of('https://x.test/icon.jpg'), { message: '.jpg', evidence: { suffix: '.jpg' } }],
    ['gif', of('https://x.test/icon.gif'), { message: '.gif' }],
    ['ico', of('https://x.test/favicon.ico'), { message: '.ico' }],
    ['svgz, which is gzip', of('https://x.test/icon.svgz'), { message: '.svgz' }],
    ['none', of('https://x.test/icon'), { message: 'does not end in', evidence: { suffix: null } }],
    ['only in the query', of('https://x.test/image?name=icon.svg'), { message: 'does not end in' }],
    ['only in the fragment', of('https://x.test/image#icon.svg'), { message: 'does not end in' }],
    ['a slash behind', of('https://x.test/icon.svg/'), { message: 'does not end in' }],
    [
      'none, in a folder with a dot',
      of('https://x.test/v1.svg/icon'),
      { message: 'does not end in', evidence: { suffix: null } },
    ],
  ],
});
