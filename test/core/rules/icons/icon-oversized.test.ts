import { iconOversized } from '../../../../src/core/rules/icons/icon-oversized.ts';
import { seenIcon, SVG } from '../../../support/icons.ts';
import { END, header, pixels, png, PNG } from '../../../support/png-builder.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const big = (bytes: number) => `${SVG}${' '.repeat(bytes - SVG.length)}`;

ruleTable(iconOversized, {
  clean: [
    ['a small PNG', seenIcon(PNG)],
    ['999,999 bytes', seenIcon(big(999_999))],
    ['4096 by 4096 pixels', seenIcon(png(header({ width: 4096, height: 4096, colour: 0, depth: 1 }), pixels(10), END))],
    ['a large drawing area costs nothing', seenIcon(SVG.replace('0 0 24 24', '0 0 90000 90000'))],
  ],
  faulty: [
    [
      '1,000,000 bytes',
      seenIcon(big(1_000_000)),
      { cause: 'bytes', message: '1000000 bytes', evidence: { bytes: 1_000_000, limit: 1_000_000 } },
    ],
    [
      'cut by our own limit',
      seenIcon(big(2_000_000), 1_500_000),
      { cause: 'bytes', message: 'more than 1500000 bytes' },
    ],
    [
      '30,000 by 30,000 pixels in a small file',
      seenIcon(png(header({ width: 30_000, height: 30_000 }), pixels(100), END)),
      {
        cause: 'pixels',
        message: '30000 by 30000 pixels, which needs 3600 MB',
        evidence: { width: 30_000, height: 30_000 },
      },
    ],
  ],
});
