import { artifactTrailingData } from '../../../../src/core/rules/artifacts/artifact-trailing-data.ts';
import { artifactFactsOf } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';

const APP = tar.entry('app.js', 'export {};\n');
const GOOD = tar.tgz(APP);

ruleTable(artifactTrailingData, {
  clean: [
    ['nothing behind it', await artifactFactsOf(GOOD)],
    ['zeros that fill up the last record', await artifactFactsOf(tar.tgzOpen(APP, tar.endMark(16)))],
    ['no archive at all', await artifactFactsOf(Buffer.from('hello'))],
    ['broken gzip', await artifactFactsOf(GOOD.subarray(0, 40))],
  ],
  faulty: [
    [
      'text behind the end mark',
      await artifactFactsOf(tar.tgzOpen(APP, tar.endMark(), Buffer.from('surprise'))),
      { severity: 'warning', cause: 'bytes-after-end', message: '8 bytes', evidence: { bytes: 8, layer: 'tar' } },
    ],
    [
      'an entry behind the end mark',
      await artifactFactsOf(tar.tgzOpen(APP, tar.endMark(), tar.entry('hidden', '1'))),
      { severity: 'error', cause: 'entries-after-end', advice: 'joined' },
    ],
    [
      'two archives joined',
      await artifactFactsOf(Buffer.concat([GOOD, GOOD])),
      { severity: 'error', cause: 'entries-after-end' },
    ],
    [
      'zeros behind the gzip data',
      await artifactFactsOf(Buffer.concat([GOOD, Buffer.alloc(512)])),
      { severity: 'warning', cause: 'zeros-after-gzip', evidence: { bytes: 512, layer: 'gzip' } },
    ],
    [
      'text behind the gzip data',
      await artifactFactsOf(Buffer.concat([GOOD, Buffer.from('x')])),
      { severity: 'error', cause: 'bytes-after-gzip' },
    ],
    [
      'both',
      await artifactFactsOf(Buffer.concat([tar.tgzOpen(APP, tar.endMark(), Buffer.from('a')), Buffer.from('x')])),
      [
        { severity: 'warning', cause: 'bytes-after-end', message: '1 byte' },
        { severity: 'error', cause: 'bytes-after-gzip', message: '1 byte of data' },
      ],
    ],
  ],
});
