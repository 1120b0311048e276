import { artifactTrailingData } from '../../../../src/core/rules/artifacts/artifact-trailing-data.ts';
import { seen } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';

const APP = tar.entry('app.js', 'export {};\n');
const GOOD = tar.tgz(APP);

ruleTable(artifactTrailingData, {
  clean: [
    ['nothing behind it', await seen(GOOD)],
    ['zeros that fill up the last record', await seen(tar.tgzOpen(APP, tar.endMark(16)))],
    ['no archive at all', await seen(Buffer.from('hello'))],
    ['broken gzip', await seen(GOOD.subarray(0, 40))],
  ],
  faulty: [
    [
      'text behind the end mark',
      await seen(tar.tgzOpen(APP, tar.endMark(), Buffer.from('surprise'))),
      { severity: 'warning', cause: 'bytes-after-end', message: '8 bytes', evidence: { bytes: 8, layer: 'tar' } },
    ],
    [
      'an entry behind the end mark',
      await seen(tar.tgzOpen(APP, tar.endMark(), tar.entry('hidden', '1'))),
      { severity: 'error', cause: 'entries-after-end', advice: 'joined' },
    ],
    ['two archives joined', await seen(Buffer.concat([GOOD, GOOD])), { severity: 'error', cause: 'entries-after-end' }],
    [
      'zeros behind the gzip data',
      await seen(Buffer.concat([GOOD, Buffer.alloc(512)])),
      { severity: 'warning', cause: 'zeros-after-gzip', evidence: { bytes: 512, layer: 'gzip' } },
    ],
    [
      'text behind the gzip data',
      await seen(Buffer.concat([GOOD, Buffer.from('x')])),
      { severity: 'error', cause: 'bytes-after-gzip' },
    ],
    [
      'both: the worse one is told',
      await seen(Buffer.concat([tar.tgzOpen(APP, tar.endMark(), Buffer.from('a')), Buffer.from('x')])),
      { severity: 'error', cause: 'bytes-after-gzip', message: '1 byte' },
    ],
  ],
});
