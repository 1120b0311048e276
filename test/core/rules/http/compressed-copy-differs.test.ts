import { compressedCopyDiffers } from '../../../../src/core/rules/http/compressed-copy-differs.ts';
import { probesInRounds, compressedCopy, probesDifferingBy, resourceFacts } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe } from '../../../support/probes.ts';

const OLDER_DATE = 'Mon, 01 Jan 2024 00:00:00 GMT';
const NEWER_DATE = 'Tue, 02 Jan 2024 00:00:00 GMT';
const differentCopy = compressedCopy({ same: false }, { 'last-modified': OLDER_DATE });
const answer = probe(hop({ 'last-modified': NEWER_DATE }));

ruleTable(compressedCopyDiffers, {
  clean: [
    ['the same', resourceFacts({ browser: [compressedCopy()] })],
    ['no further requests', resourceFacts({ browser: [differentCopy] })],
    [
      'replaced meanwhile',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesInRounds([differentCopy, differentCopy, differentCopy], []),
      }),
    ],
    [
      'for another origin',
      resourceFacts({ browser: [differentCopy], headerProbes: probesDifferingBy(differentCopy, ['origin']) }),
    ],
  ],
  faulty: [
    [
      'older',
      resourceFacts({ browser: [differentCopy], headerProbes: probesDifferingBy(differentCopy, ['encoding']) }, answer),
      { cause: 'older' },
    ],
    [
      'unknown which is older',
      resourceFacts({ browser: [differentCopy], headerProbes: probesDifferingBy(differentCopy, ['encoding']) }),
      { cause: 'other', message: '100 bytes, SHA-256 aaaaaaaaaaaa…, from 192.0.2.1 and 90 bytes, SHA-256 bbbb' },
    ],
    ...(
      [
        ['html', 'an HTML page'],
        ['xml', 'an XML document'],
        ['text', 'plain text'],
        ['empty', 'an empty file'],
        ['unknown', 'a file of another kind'],
      ] as const
    ).map(([kind, words]) => {
      const instead = compressedCopy({ same: false, decoded: { bytes: 9, sha256: 'c'.repeat(64), kind } });
      return [
        `${words} instead`,
        resourceFacts({ browser: [instead], headerProbes: probesDifferingBy(instead, ['encoding']) }),
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
        const instead = compressedCopy({ same: false, decoded: { bytes: 9, sha256: 'c'.repeat(64), kind: 'html' } });
        return resourceFacts(
          { browser: [instead], headerProbes: probesDifferingBy(instead, ['encoding']) },
          probe(),
          'icon',
        );
      })(),
      { cause: 'another-kind', message: 'an HTML page instead of the icon' },
    ],
    [
      'gzip alone',
      resourceFacts(
        {
          browser: [compressedCopy({ coding: 'br' })],
          gzip: differentCopy,
          headerProbes: probesDifferingBy(differentCopy, ['encoding']),
        },
        answer,
      ),
      { cause: 'older' },
    ],
  ],
});
