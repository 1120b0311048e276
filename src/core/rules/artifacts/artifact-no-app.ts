import { message, safe } from '../../text/message.ts';
import { noAppIn } from '../../registry/app-entry.ts';
import { shorten } from '../../text/text.ts';
import { defineRule, explainedBy } from '../rule.ts';
import type { artifactUnsafeEntry } from './artifact-unsafe-entry.ts';
import { NOT_THE_ARCHIVE } from '../not-the-archive.ts';

/** The number of file names in the evidence. */
const SHOWN = 10;
const FILES: ReadonlySet<string> = new Set(['file', 'contiguous', 'link', 'symlink']);

/** Causes of artifact-unsafe-entry after which an entry may have another name than the listed one. */
const NAMES_DIFFER = [
  'pax-size-differs',
  'pax-record-broken',
  'pax-size-for-all',
  'data-without-file',
  'sparse-file',
  'unknown-type',
  'extension-twice',
  'path-for-all',
  'path-empty',
  'path-with-nul',
  'path-differs',
  'path-too-long',
  'prefix-without-ustar',
] as const;

export const artifactNoApp = defineRule({
  id: 'artifact-no-app',
  title: 'Artifact without the app’s code',
  on: 'artifact',
  needs: ['content', 'archive', 'appEntry'],
  severity: 'warning',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  needsNewVersion: true,
  supersededBy: [
    ...NOT_THE_ARCHIVE,
    explainedBy<typeof artifactUnsafeEntry>(
      'artifact-unsafe-entry',
      'Tools disagree on the names of the entries or on where they begin, so one of them may be the entry file',
      ...NAMES_DIFFER,
    ),
  ],
  causes: {
    absent: { title: 'The entry file does not exist' },
    'in-folder': { title: 'The entry file is in a folder' },
    'other-case': { title: 'The name of the entry file differs in case' },
    'not-built': { title: 'The archive contains the source instead of the built code' },
    'dangling-link': { title: 'The entry file is a broken link' },
  },
  failsWhen:
    'the archive has no app.js at its top level, or only a broken link (or the file named by "artifact": { "entry": "…" } in the configuration); publish-version and bundle refuse it',
  why: 'The code of an app starts in that file: without it, the version installs but does nothing.',
  examples: {
    bad: '-rw-r--r-- 0/0       40 2026-01-01 00:00 index.js',
    good: '-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js',
  },
  check({ content, archive, appEntry }) {
    const isFullyListed = archive.kind === 'gzip' && archive.fault === null && archive.stopped === null && !content.cut;
    const files = archive.entries.filter(({ type }) => FILES.has(type));
    // If the list is incomplete, the file may be among the rest; an archive without files is reported by another rule.
    if (!isFullyListed || archive.entryCount > archive.entries.length || files.length === 0) return null;
    const fault = noAppIn(files, appEntry);
    if (fault === null) return null;
    const { cause, message: summary, advice, found } = fault;
    const shown = files.slice(0, SHOWN).map(({ path }) => shorten(path));
    return {
      message: message`The artifact ${safe(summary)}.`,
      advice,
      cause,
      evidence: { entry: appEntry, files: shown },
      ...(found !== null && isOutside(found) && { supersededBy: [OUTSIDE] }),
    };
  },
});

const OUTSIDE = explainedBy<typeof artifactUnsafeEntry>(
  'artifact-unsafe-entry',
  'The entry file is the one with that path, which has to be corrected anyway',
  'absolute-path',
  'path-escapes',
);

function isOutside(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}
