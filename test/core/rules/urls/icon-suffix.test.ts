import { iconSuffix } from '../../../../src/core/rules/urls/icon-suffix.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const iconUrl = (url: string) => urlFacts('icon', url);

ruleTable(iconSuffix, {
  clean: [
    ['svg', iconUrl('https://x.test/icon.svg')],
    ['png', iconUrl('https://x.test/icon.png')],
    ['capitals', iconUrl('https://x.test/ICON.PNG')],
    ['a query behind', iconUrl('https://x.test/icon.svg?v=2')],
    ['an artifact', urlFacts('artifact', 'https://x.test/a.tar.gz')],
  ],
  faulty: [
    ['jpg', iconUrl('https://x.test/icon.jpg'), { message: '.jpg', evidence: { suffix: '.jpg' } }],
    ['gif', iconUrl('https://x.test/icon.gif'), { message: '.gif' }],
    ['ico', iconUrl('https://x.test/favicon.ico'), { message: '.ico' }],
    ['svgz, which is gzip', iconUrl('https://x.test/icon.svgz'), { message: '.svgz' }],
    ['none', iconUrl('https://x.test/icon'), { message: 'does not end in', evidence: { suffix: null } }],
    ['only in the query', iconUrl('https://x.test/image?name=icon.svg'), { message: 'does not end in' }],
    ['only in the fragment', iconUrl('https://x.test/image#icon.svg'), { message: 'does not end in' }],
    ['a slash behind', iconUrl('https://x.test/icon.svg/'), { message: 'does not end in' }],
    [
      'none, in a folder with a dot',
      iconUrl('https://x.test/v1.svg/icon'),
      { message: 'does not end in', evidence: { suffix: null } },
    ],
  ],
});
