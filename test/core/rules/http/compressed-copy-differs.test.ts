import { compressedCopyDiffers } from '../../../../src/core/rules/http/compressed-copy-differs.ts';
import { coming, copied, following, resource } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe } from '../../../support/probes.ts';

const OLD = 'Mon, 01 Jan 2024 00:00:00 GMT';
const NEW = 'Tue, 02 Jan 2024 00:00:00 GMT';
const other = copied({ same: false }, { 'last-modified': OLD });
const answer = probe(hop({ 'last-modified': NEW }));

ruleTable(compressedCopyDiffers, {
  clean: [
    ['the same', resource({ browser: [copied()] })],
    ['nobody looked what it depends on', resource({ browser: [other] })],
    ['replaced meanwhile', resource({ browser: [other], headerProbes: coming([other, other, other], []) })],
    ['for another origin', resource({ browser: [other], headerProbes: following(other, ['origin']) })],
  ],
  faulty: [
    ['older', resource({ browser: [other], headerProbes: following(other, ['encoding']) }, answer), { cause: 'older' }],
    [
      'nobody knows which is older',
      resource({ browser: [other], headerProbes: following(other, ['encoding']) }),
      { cause: 'other', message: '100 bytes, SHA-256 aaaaaaaaaaaa…, from 192.0.2.1 and 90 bytes, SHA-256 bbbb' },
    ],
    ...(
      [
        ['html', 'an HTML page'],
        ['xml', 'an XML document'],
        ['text', 'a text'],
        ['empty', 'an empty file'],
        ['unknown', 'a file of another kind'],
      ] as const
    ).map(([kind, words]) => {
      const instead = copied({ same: false, decoded: { bytes: 9, sha256: 'c'.repeat(64), kind } });
      return [
        `${words} instead`,
        resource({ browser: [instead], headerProbes: following(instead, ['encoding']) }),
        {
          cause: 'another-kind',
          message: `sends ${words} instead of the metadata file to clients that accept compression`,
          advice: 'curl --compressed',
        },
      ] as const;
    }),
    [
      'a page instead of an icon',
      (() => {
        const instead = copied({ same: false, decoded: { bytes: 9, sha256: 'c'.repeat(64), kind: 'html' } });
        return resource({ browser: [instead], headerProbes: following(instead, ['encoding']) }, probe(), 'icon');
      })(),
      { cause: 'another-kind', message: 'an HTML page instead of the icon' },
    ],
    [
      'gzip alone',
      resource(
        { browser: [copied({ coding: 'br' })], gzip: other, headerProbes: following(other, ['encoding']) },
        answer,
      ),
      { cause: 'older' },
    ],
  ],
});
