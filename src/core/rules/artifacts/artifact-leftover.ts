import { message } from '../../text/message.ts';
import type { ArchiveFacts, ContentScan } from '../../facts/facts.ts';
import { leftoverKind, leftoverTitle } from '../../registry/leftovers.ts';
import { counted, shorten } from '../../text/text.ts';
import { defineRule } from '../rule.ts';
import { NOT_THE_ARCHIVE } from '../not-the-archive.ts';

/** The number of places in the evidence. */
const SHOWN = 10;

export const artifactLeftover = defineRule({
  id: 'artifact-leftover',
  title: 'Files in an artifact that are not part of the app',
  on: 'artifact',
  needs: ['archive', 'wholeScan'],
  severity: 'warning',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  supersededBy: NOT_THE_ARCHIVE,
  failsWhen:
    'the archive contains files that are not part of the app (version control data, editor and operating system files, tests, caches, logs, separate source maps), or code or source maps with absolute paths of the build machine. Files of packages in node_modules do not count',
  why: 'Subscribers download them with each version, and they reveal what was not meant to be published: history, user names, sources.',
  examples: {
    bad: '-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js\n-rw-r--r-- 0/0       23 2026-01-01 00:00 .git/HEAD',
    good: '-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js',
  },
  check({ archive, wholeScan }) {
    const byTitle = leftoversIn(archive, wholeScan);
    const all = [...byTitle.values()].flat();
    const [first] = all;
    if (first === undefined) return null;
    const summary = [...byTitle].map(([title, { length }]) => (length === 1 ? title : `${title} (${length})`));
    const isPathOnly = byTitle.size === 1 && byTitle.has(BUILD_PATHS);
    return {
      message: message`The artifact contains ${joined(summary)}: ${first}${all.length === 1 ? '' : ` and ${counted(all.length - 1, byTitle.has(BUILD_PATHS) ? 'more place' : 'more file')}`}.`,
      advice: isPathOnly
        ? message`Build with relative paths, as "appreg bundle <entry>" does.`
        : message`Remove these files: pack only what the app needs, or build it with "appreg bundle <entry>".`,
      evidence: { leftovers: all.slice(0, SHOWN), count: all.length },
    };
  },
});

const BUILD_PATHS = 'paths of the build machine';

/** Such as `a, b and c`. */
function joined(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** The places of leftovers, by the title of their kind. */
function leftoversIn({ entries }: ArchiveFacts, { buildPaths }: ContentScan): Map<string, string[]> {
  const byTitle = new Map<string, string[]>();
  function add(title: string, place: string): void {
    const places = byTitle.get(title);
    if (places) places.push(place);
    else byTitle.set(title, [place]);
  }
  for (const { path, type } of entries) {
    const kind = type === 'directory' ? null : leftoverKind(path);
    if (kind !== null) add(leftoverTitle(kind), shorten(path));
  }
  for (const { entry, line, folder } of buildPaths) add(BUILD_PATHS, `${shorten(entry)}:${line} ${shorten(folder)}`);
  return byTitle;
}
