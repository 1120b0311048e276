import { message } from '../../text/message.ts';
import { framingDiffers, odditiesFor } from '../../registry/archive-policy.ts';
import type { ArchiveFacts } from '../../facts/facts.ts';
import { safeExcerpt } from '../../text/text.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, explainedBy, only, type Problem } from '../rule.ts';
import { NOT_ITS_URL } from '../other-url.ts';
import type { artifactChecksumMismatch } from './artifact-checksum-mismatch.ts';
import { NOT_THE_ARCHIVE } from '../not-the-archive.ts';

const REBUILD = message`Build the archive again, upload it in binary mode, and compare the checksum of what is served.`;
/** For a file of the workspace. */
const AGAIN = message`Build the archive again, with "appreg bundle" or "tar -czf".`;
const PACK = message`Pack the app as .tar.gz, with "appreg bundle" or "tar -czf".`;

/** The kinds of bytes in its place: cause, sentence, advice. */
const KINDS: Partial<Record<string, readonly [cause: Cause, is: string, advice: string]>> = {
  empty: [
    'empty-file',
    'is empty: 0 bytes',
    'Upload the archive again; the upload or the build step left an empty file.',
  ],
  html: [
    'html-page',
    'is an HTML page',
    'The URL leads to a web page (a login, an error, a download page): list the URL of the file itself.',
  ],
  'git-lfs-pointer': [
    'git-lfs-pointer',
    'is a Git LFS pointer, not the file itself',
    'Serve the file itself: fetch LFS objects before the upload ("git lfs pull"), or do not store artifacts in LFS.',
  ],
  'gzip-as-text': [
    'gzip-as-text',
    'is gzip data that was processed as text',
    'Upload it in binary mode, without text conversion.',
  ],
  'gzip-as-base64': ['gzip-as-base64', 'is a gzip file in base64', 'Decode it before the upload.'],
  tar: [
    'plain-tar',
    'is a tar archive that is not gzip-compressed',
    'Compress it with gzip, or check whether the host removes the compression.',
  ],
  json: ['json', 'is JSON', 'The URL probably serves an error message or metadata: list the URL of the file itself.'],
  xml: ['xml', 'is XML', 'The URL probably serves an error message of the store: list the URL of the file itself.'],
  text: ['text', 'is plain text', 'The URL probably serves an error message: list the URL of the file itself.'],
};
const COMPRESSED = ['zip', 'xz', 'zstd', 'bzip2', '7z', 'rar', 'lz4', 'lzip', 'zlib', 'compress'] as const;

/** By the layer and the code of a fault; any other code is a corrupt archive of its layer. */
const FAULT_CAUSES: Partial<Record<string, Cause>> = {
  'gzip truncated': 'gzip-truncated',
  'tar truncated': 'tar-truncated',
  'tar gzip-inside': 'compressed-twice',
  'tar no-tar': 'no-tar-inside',
  'tar empty': 'no-files',
};

const CAUSES = {
  'empty-file': { title: 'The file is empty', local: AGAIN },
  'html-page': { title: 'The file is an HTML page', local: AGAIN },
  'git-lfs-pointer': {
    title: 'The file is a Git LFS pointer',
    local: message`Fetch the file (git lfs pull), or do not store artifacts in LFS.`,
  },
  'gzip-as-text': { title: 'The file was processed as text', local: AGAIN },
  'gzip-as-base64': { title: 'The file is base64', local: message`Decode the file (base64 --decode).` },
  'plain-tar': { title: 'The file is a tar archive without gzip', local: message`Compress it with gzip.` },
  json: { title: 'The file is JSON', local: AGAIN },
  xml: { title: 'The file is XML', local: AGAIN },
  text: { title: 'The file is plain text', local: AGAIN },
  zip: { title: 'The file is a zip archive' },
  xz: { title: 'The file is xz data' },
  zstd: { title: 'The file is zstd data' },
  bzip2: { title: 'The file is bzip2 data' },
  '7z': { title: 'The file is a 7z archive' },
  rar: { title: 'The file is a rar archive' },
  lz4: { title: 'The file is lz4 data' },
  lzip: { title: 'The file is lzip data' },
  zlib: { title: 'The file is zlib data' },
  compress: { title: 'The file is Unix compress data' },
  'not-gzip': { title: 'The file is not gzip data' },
  'gzip-truncated': { title: 'The gzip data ends early', local: AGAIN },
  'gzip-broken': { title: 'The gzip data is corrupt', local: AGAIN },
  'compressed-twice': { title: 'The archive is compressed twice', local: AGAIN },
  'no-tar-inside': { title: 'The gzip data is not a tar archive' },
  'tar-truncated': { title: 'The tar archive ends early', local: AGAIN },
  'tar-broken': { title: 'The tar archive is corrupt', local: AGAIN },
  'no-files': { title: 'The archive contains no files' },
  'no-end-marker': { title: 'The tar archive has no end-of-archive marker', local: AGAIN },
  'several-members': { title: 'The gzip file has several members' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;
/** Faults that most readers accept. */
const LOOSE: readonly string[] = ['no-end-marker', 'several-members'];
const UNUSABLE = Object.keys(CAUSES).filter((cause) => !LOOSE.includes(cause));

export const artifactNotTarGz = defineRule({
  id: 'artifact-not-tar-gz',
  title: 'Artifact that is not a .tar.gz archive',
  on: 'artifact',
  needs: ['content', 'archive'],
  severity: 'error',
  spec: '2.4',
  symptom: 'checksum-mismatch',
  owner: 'author',
  needsNewVersion: true,
  supersededBy: [
    ...NOT_THE_ARCHIVE,
    ...only(
      [
        explainedBy<typeof artifactChecksumMismatch>(
          'artifact-checksum-mismatch',
          'That finding says that the file is not an archive',
          'other-bytes',
        ),
      ],
      ...UNUSABLE,
    ),
    ...only(NOT_ITS_URL, 'html-page', 'json', 'xml', 'text'),
  ],
  causes: CAUSES,
  failsWhen:
    'the artifact is not a gzip file, is corrupt, or contains no tar archive or no files. Archives that not all tools accept are a warning',
  why: 'The service cannot unpack it, so the version cannot be installed even if its checksum is correct.',
  examples: {
    bad: '<!doctype html><title>Log in</title>',
    good: '-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js',
  },
  check({ content, archive }): readonly Problem<Cause>[] {
    if (archive.kind !== 'gzip') return [kindProblem(archive.kind, content.bytes)];
    // If a limit of this tool ended the download or the pass, the rest may be valid: another rule reports the limit.
    if (archive.stopped !== null || content.cut) return [];
    if (archive.fault !== null) return framingDiffers(archive) ? [] : [faultProblem(archive.fault, content.bytes)];
    const files = archive.entries.filter((entry) => entry.type !== 'directory').length;
    if (files === 0 && !framingDiffers(archive)) {
      return [
        {
          message: message`The artifact contains no files.`,
          advice: PACK,
          cause: 'no-files',
          evidence: { entries: archive.entryCount },
        },
      ];
    }
    return looseProblems(archive);
  },
});

function kindProblem(kind: string, bytes: number): Problem<Cause> {
  const evidence = { kind, bytes };
  const known = KINDS[kind];
  if (known !== undefined) {
    const [cause, is, advice] = known;
    return { message: message`The artifact ${is}.`, advice: message`${advice}`, cause, evidence };
  }
  const compressed = COMPRESSED.find((name) => name === kind);
  if (compressed !== undefined)
    return { message: message`The artifact is ${kind} data, not gzip.`, advice: PACK, cause: compressed, evidence };
  const looks = kind === 'unknown' ? '' : ` (it looks like: ${kind})`;
  return { message: message`The artifact is not gzip data${looks}.`, advice: PACK, cause: 'not-gzip', evidence };
}

function faultProblem(fault: NonNullable<ArchiveFacts['fault']>, bytes: number): Problem<Cause> {
  const { layer, code, message: summary, offset } = fault;
  const cause: Cause = FAULT_CAUSES[`${layer} ${code}`] ?? `${layer}-broken`;
  return {
    message: message`The artifact is not a valid .tar.gz: ${safeExcerpt(summary)}.`,
    advice: cause === 'no-tar-inside' || cause === 'no-files' ? PACK : REBUILD,
    cause,
    evidence: { fault: code, offset, bytes },
  };
}

/** Properties that most readers accept and some do not. */
function looseProblems(archive: ArchiveFacts): Problem<Cause>[] {
  const found = odditiesFor('artifact-not-tar-gz', archive);
  // Joined archives have several members, too; artifact-trailing-data reports them, and is judged later.
  const isJoined = archive.oddities.some(({ code }) => code === 'entries-after-end');
  const alone = found.filter(({ code }) => !isJoined || code !== 'several-members');
  return alone.map(({ code, message: summary }) => ({
    severity: 'warning',
    message: message`Not all tools accept the artifact: ${summary}.`,
    advice:
      code === 'no-end-marker'
        ? REBUILD
        : message`Compress the archive as a single gzip member ("gzip", or "appreg bundle").`,
    cause: code,
    evidence: code === 'several-members' ? { members: archive.gzipMembers } : {},
  }));
}
