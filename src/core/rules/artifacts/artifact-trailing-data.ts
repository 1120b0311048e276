import { odditiesFor } from '../../registry/archive-oddity.ts';
import { counted } from '../../text/text.ts';
import { defineRule } from '../rule.ts';
import { artifactChecksumMismatch } from './artifact-checksum-mismatch.ts';

const LOCAL = 'Build the archive again, as a new version if this one was published.';
const ADVICE = 'Build the archive again and upload it as it is, as a new version if this one was published.';

export const artifactTrailingData = defineRule({
  id: 'artifact-trailing-data',
  title: 'Bytes after the end of an archive',
  on: 'artifact',
  needs: ['archive'],
  severity: 'warning',
  worstSeverity: 'error',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  supersededBy: [artifactChecksumMismatch],
  causes: {
    'bytes-after-end': { title: 'Bytes follow the end of the tar archive', local: LOCAL },
    'entries-after-end': { title: 'Entries follow the end of the tar archive' },
    'zeros-after-gzip': { title: 'Zero bytes follow the gzip data', local: LOCAL },
    'bytes-after-gzip': { title: 'Other bytes follow the gzip data', local: LOCAL },
  },
  failsWhen:
    'the file has bytes after the end of the archive. If tools find other entries there, or reject the file, this is an error',
  why: 'Some tools ignore such bytes, some read them and some reject the file, so subscribers get different results.',
  examples: {
    bad: `-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js
(end of archive)
-rw-r--r-- 0/0       40 2026-01-01 00:00 other.js`,
    good: `-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js
-rw-r--r-- 0/0       40 2026-01-01 00:00 other.js`,
  },
  check({ archive }) {
    const found = odditiesFor('artifact-trailing-data', archive);
    const worst = found.find((oddity) => oddity.severity === 'error') ?? found[0];
    if (worst === undefined) return null;
    const evidence = { bytes: archive.trailing?.bytes ?? 0, layer: archive.trailing?.layer ?? null };
    const base = { severity: worst.severity, cause: worst.code, advice: ADVICE, evidence };
    switch (worst.code) {
      case 'entries-after-end':
        return {
          ...base,
          message:
            'The artifact has more entries after the end-of-archive marker, which some tools read and others ignore.',
          advice: 'Two archives were probably joined. Build one archive that contains all files.',
        };
      case 'bytes-after-gzip':
        return {
          ...base,
          message: `After the archive, the file has ${counted(evidence.bytes, 'byte')} of data that is not gzip; strict tools reject such a file.`,
        };
      case 'zeros-after-gzip':
        return {
          ...base,
          message: `After the gzip data, the file has ${counted(evidence.bytes, 'zero byte')}; most tools treat them as padding.`,
        };
      default:
        return {
          ...base,
          message: `After the end-of-archive marker, the file has ${counted(evidence.bytes, 'byte')}, which tools ignore.`,
        };
    }
  },
});
