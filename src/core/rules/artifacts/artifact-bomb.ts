import { message } from '../../text/message.ts';
import type { ArchiveFacts } from '../../facts/facts.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, explainedBy, type Problem } from '../rule.ts';
import type { unreachable } from '../http/unreachable.ts';

const STOPS: Record<NonNullable<ArchiveFacts['stopped']>, string> = {
  'unpacked-bytes': 'unpacks to more bytes than the limit allows',
  ratio: 'unpacks to far more than its own size, as archive bombs do',
  entries: 'contains more entries than the limit allows',
  'header-bytes': 'has file headers larger than the limit allows',
};

const CAUSES = {
  'packed-bytes': { title: 'The download is too large' },
  'unpacked-bytes': { title: 'The unpacked data is too large' },
  ratio: { title: 'The compression ratio is too high' },
  entries: { title: 'The archive has too many entries' },
  'header-bytes': { title: 'The file headers are too large' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const artifactBomb = defineRule({
  id: 'artifact-bomb',
  title: 'Artifact that exceeds a size limit',
  on: 'artifact',
  needs: ['content', 'archive'],
  severity: 'error',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  needsNewVersion: true,
  supersededBy: [explainedBy<typeof unreachable>('unreachable', 'The same limit ended the download', 'too-large')],
  causes: CAUSES,
  failsWhen:
    'the artifact is larger than the download limit, or exceeds a limit when unpacked: 1 GiB, 200 times its own size (above 10 MiB), 10,000 entries. Reading stops at the limit',
  why: 'Unpacking it could fill the disk or the memory of subscribers, and careful clients reject it.',
  examples: {
    bad: '-rw-r--r-- 0/0 40000000 2026-01-01 00:00 zeros.bin',
    good: '-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js',
  },
  check({ content, archive }): Problem<Cause> | null {
    const { stopped, unpackedBytes, entryCount } = archive;
    if (stopped === null) return content.cut ? tooLarge(content.bytes) : null;
    return {
      message: message`The artifact ${STOPS[stopped]}; reading stopped after ${unpackedBytes} unpacked bytes and ${entryCount} entries.`,
      advice: message`Ship the app as a bundle of a few files, without unbundled dependencies, build caches or padding: "appreg bundle" creates one.`,
      cause: stopped,
      evidence: { bytes: content.bytes, unpackedBytes, entries: entryCount },
    };
  },
});

function tooLarge(bytes: number): Problem<Cause> {
  return {
    message: message`The artifact is larger than the limit; reading stopped after ${bytes} bytes.`,
    advice: message`Ship a smaller bundle, or raise the limit if the artifact is really that large.`,
    cause: 'packed-bytes',
    evidence: { bytes },
  };
}
