import { message, type SafeText } from '../../text/message.ts';
import type { ArchiveFacts } from '../../facts/facts.ts';
import { odditiesFor, type OddityCode } from '../../registry/archive-policy.ts';
import { counted } from '../../text/text.ts';
import { defineRule, explainedBy } from '../rule.ts';
import type { artifactChecksumMismatch } from './artifact-checksum-mismatch.ts';
import { NOT_THE_ARCHIVE } from '../not-the-archive.ts';

const LOCAL = message`Build the archive again, as a new version if this one was published.`;
const ADVICE = message`Build the archive again and upload it as it is, as a new version if this one was published.`;

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
  needsNewVersion: true,
  supersededBy: [
    ...NOT_THE_ARCHIVE,
    explainedBy<typeof artifactChecksumMismatch>(
      'artifact-checksum-mismatch',
      'That finding says that the listed archive is complete without what follows it',
      'bytes-added',
      'joined',
    ),
  ],
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
    return odditiesFor('artifact-trailing-data', archive).map(({ code, severity }) => {
      const layer = code.endsWith('-gzip') ? 'gzip' : 'tar';
      const bytes = trailingBytes(archive, layer);
      const many =
        bytes === null ? 'further bytes' : counted(bytes, code === 'zeros-after-gzip' ? 'zero byte' : 'byte');
      return { severity, cause: code, evidence: { bytes, layer }, ...TEXTS[code](many) };
    });
  },
});

/** The bytes after the end of a layer; null if only those after the other one were counted. */
function trailingBytes({ trailing }: ArchiveFacts, layer: 'gzip' | 'tar'): number | null {
  return trailing?.layer === layer ? trailing.bytes : (trailing?.gzipBytes ?? null);
}

const TEXTS: Record<OddityCode<'artifact-trailing-data'>, (many: string) => { message: SafeText; advice: SafeText }> = {
  'entries-after-end': () => ({
    message: message`The artifact has more entries after the end-of-archive marker, which some tools read and others ignore.`,
    advice: message`Two archives were probably joined. Build one archive that contains all files.`,
  }),
  'bytes-after-end': (many) => ({
    message: message`After the end-of-archive marker, the file has ${many}, which tools ignore.`,
    advice: ADVICE,
  }),
  'bytes-after-gzip': (many) => ({
    message: message`After the archive, the file has ${many} of data that is not gzip; strict tools reject such a file.`,
    advice: ADVICE,
  }),
  'zeros-after-gzip': (many) => ({
    message: message`After the gzip data, the file has ${many}; most tools treat them as padding.`,
    advice: ADVICE,
  }),
};
