import { compressedCopyUnreadable } from '../../../../src/core/rules/http/compressed-copy-unreadable.ts';
import { probesInRounds, compressedCopy, probesDifferingBy, refused, resourceFacts } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, ORIGIN, probe } from '../../../support/probes.ts';

const broken = compressedCopy({ fault: 'broken', decoded: null, same: false });
const wrongCoding = (coding: string, kind: string) =>
  resourceFacts({ browser: [compressedCopy({ coding, kind, fault: 'broken', decoded: null, same: false })] });

const reset = { ...failed('headers', 'ECONNRESET'), origin: ORIGIN };

ruleTable(compressedCopyUnreadable, {
  clean: [
    ['not compressed', resourceFacts({ browser: [probe()] })],
    ['the same', resourceFacts({ browser: [compressedCopy()] })],
    ['without the trailer', resourceFacts({ browser: [compressedCopy({ fault: 'truncated' })] })],
    ['other content', resourceFacts({ browser: [compressedCopy({ same: false })] })],
    [
      'intermittently',
      resourceFacts({ browser: [broken], headerProbes: probesInRounds([probe(), broken, probe()], [probe(), broken]) }),
    ],
    [
      'refused for its origin',
      resourceFacts({ browser: [refused()], headerProbes: probesDifferingBy(refused(), ['origin']) }),
    ],
  ],
  faulty: [
    ['plain', wrongCoding('gzip', 'json'), { cause: 'wrong-coding', message: 'the bytes are not compressed' }],
    ['br as gzip', wrongCoding('gzip', 'brotli'), { cause: 'wrong-coding', message: 'compressed with br' }],
    ['gzip as br', wrongCoding('br', 'gzip'), { cause: 'wrong-coding', message: 'compressed with gzip' }],
    [
      'no label',
      resourceFacts({
        browser: [
          compressedCopy({
            coding: '',
            same: false,
            missingCoding: 'br',
            decoded: { bytes: 50, sha256: 'c'.repeat(64), kind: 'unknown' },
          }),
        ],
      }),
      {
        cause: 'missing-coding',
        message: 'without Content-Encoding, but the bytes are compressed with br',
        advice: 'Send Content-Encoding: br',
      },
    ],
    [
      'an unknown content coding',
      resourceFacts({
        browser: [
          compressedCopy({
            coding: 'aws-chunked',
            same: false,
            missingCoding: 'gzip',
            decoded: { bytes: 50, sha256: 'c'.repeat(64), kind: 'gzip' },
          }),
        ],
      }),
      { cause: 'missing-coding', message: 'with Content-Encoding: aws-chunked, but' },
    ],
    [
      'a label beside identity, for which nothing is decoded',
      resourceFacts({
        browser: [
          compressedCopy({
            coding: 'gzip, identity',
            same: false,
            missingCoding: 'gzip',
            decoded: { bytes: 50, sha256: 'c'.repeat(64), kind: 'gzip' },
          }),
        ],
      }),
      {
        cause: 'beside-identity',
        message:
          'with Content-Encoding: gzip, identity, but combined with identity, browsers and Node’s fetch decode nothing',
        advice: 'Send Content-Encoding: gzip and nothing else',
      },
    ],
    [
      'a coding that the request did not accept',
      resourceFacts({
        browser: [
          compressedCopy({
            coding: 'zstd',
            same: false,
            missingCoding: 'zstd',
            decoded: { bytes: 50, sha256: 'c'.repeat(64), kind: 'zstd' },
          }),
        ],
      }),
      {
        cause: 'coding-not-accepted',
        message: 'with Content-Encoding: zstd, which the request did not accept',
        advice: 'a coding from Accept-Encoding',
      },
    ],
    ['broken', wrongCoding('gzip', 'gzip'), { cause: 'broken' }],
    [
      'cut off',
      resourceFacts({ browser: [compressedCopy({ fault: 'truncated', same: false })] }),
      { cause: 'truncated' },
    ],
    [
      'members',
      resourceFacts({ browser: [compressedCopy({ fault: 'members', same: false })] }),
      { cause: 'several-members' },
    ],
    [
      'end',
      resourceFacts({ browser: [compressedCopy({ fault: 'end' })] }),
      { cause: 'bad-end', message: 'Node’s fetch fails' },
    ],
    [
      'twice',
      resourceFacts({ browser: [compressedCopy({ same: false, decoded: { bytes: 1, sha256: '', kind: 'gzip' } })] }),
      { cause: 'compressed-twice' },
    ],
    [
      'the copy of those who accept gzip alone',
      resourceFacts({ browser: [compressedCopy({ coding: 'br' })], gzip: broken }),
      { cause: 'broken' },
    ],
    [
      'no response',
      resourceFacts({ browser: [reset], headerProbes: probesDifferingBy(reset, ['encoding']) }),
      { cause: 'no-answer' },
    ],
    [
      'a status',
      resourceFacts({ browser: [refused(500)], headerProbes: probesDifferingBy(refused(500), ['encoding']) }),
      { cause: 'status-500' },
    ],
  ],
});
