import { metadataUrlShared } from '../../../../src/core/rules/manifest/metadata-url-shared.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const urls = (...list: [string, string][]) => ({
  keys: list.map(([key]) => key),
  metadataUrls: list.map(([, url]) => url),
});

ruleTable(metadataUrlShared, {
  clean: [
    ['none', urls()],
    ['one each', urls(['a', 'https://x.test/a.json'], ['b', 'https://x.test/b.json'])],
    ['apart in the query alone', urls(['a', 'https://x.test/v?app=a'], ['b', 'https://x.test/v?app=b'])],
    ['different case of the path', urls(['a', 'https://x.test/A.json'], ['b', 'https://x.test/a.json'])],
  ],
  faulty: [
    [
      'the same',
      urls(['a', 'https://x.test/a.json'], ['b/c', 'https://x.test/a.json']),
      { at: '/b~1c/appMetadataUrl', message: '“a” and “b/c”', evidence: { other: 'a' } },
    ],
    [
      'the same except for the fragment',
      urls(['a', 'https://x.test/a.json'], ['b', 'https://X.TEST:443/a.json#b']),
      { at: '/b/appMetadataUrl' },
    ],
    [
      'three',
      urls(['a', 'https://x.test/a'], ['b', 'https://x.test/a'], ['c', 'https://x.test/a']),
      [{ evidence: { other: 'a' } }, { evidence: { other: 'a' } }],
    ],
  ],
});
