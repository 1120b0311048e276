import { gzipSync } from 'node:zlib';
import { artifactBomb } from '../../../../src/core/rules/artifacts/artifact-bomb.ts';
import { artifactFactsOf } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';

const APP = tar.entry('app.js', 'export {};\n');
const bomb = gzipSync(Buffer.concat([tar.header({ path: 'zeros', size: 40_000_000 }), Buffer.alloc(40_000_000)]));

ruleTable(artifactBomb, {
  clean: [
    ['a small archive', await artifactFactsOf(tar.tgz(APP))],
    ['blank data below 10 MiB', await artifactFactsOf(tar.tgz(tar.entry('zeros', Buffer.alloc(9_000_000))))],
    [
      'no archive at all, which another rule reports',
      await artifactFactsOf(gzipSync(Buffer.alloc(40_000_000, 'text'))),
    ],
  ],
  faulty: [
    ['a bomb of zeros', await artifactFactsOf(bomb), { cause: 'ratio', evidence: { bytes: bomb.length, entries: 1 } }],
    [
      'too many bytes',
      await artifactFactsOf(tar.tgz(APP), { limits: { unpackedBytes: 1000 } }),
      { cause: 'unpacked-bytes' },
    ],
    [
      'too many entries',
      await artifactFactsOf(tar.tgz(APP, APP), { limits: { entries: 1 } }),
      { cause: 'entries', message: '2 entries' },
    ],
    [
      'a huge header',
      await artifactFactsOf(tar.tgz(tar.pax({ comment: 'x'.repeat(2 ** 20) }), APP)),
      { cause: 'header-bytes' },
    ],
    [
      'larger than what is downloaded',
      await artifactFactsOf(tar.tgz(APP), { limit: 50 }),
      { cause: 'packed-bytes', evidence: { bytes: 50 } },
    ],
  ],
});
