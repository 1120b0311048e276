import type { ArchiveFacts, ContentScan } from '../../facts/facts.ts';
import { entriesOf } from '../../values/record.ts';
import { message } from '../../text/message.ts';
import { counted, shorten } from '../../text/text.ts';
import { NOT_THE_ARCHIVE } from '../not-the-archive.ts';
import { defineRule } from '../rule.ts';

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
  needsNewVersion: true,
  supersededBy: NOT_THE_ARCHIVE,
  failsWhen:
    'the archive contains files that are not part of the app (version control data, editor and operating system files, tests, caches, logs, separate source maps), source maps whose sources are absolute paths, or paths of the machine that builds it: below its working folder, home folder or folder for temporary files, which only bundle, publish-version and release know. Files of packages in node_modules do not count',
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

/** Files that belong to the development of an app, and not to the app. */

type LeftoverKind = keyof typeof KINDS;

/** The kinds of leftovers: the title for lists, and the paths of such files. */
const KINDS = {
  'version-control': {
    title: 'version control data',
    paths: /(^|\/)\.(git|svn|hg|bzr)(\/|$)|(^|\/)CVS\/(Entries|Root|Repository)$/,
  },
  'editor-file': {
    title: 'editor files',
    paths: /(^|\/)\.(vscode|idea|vs|fleet)\/|\.(swp|swo|sublime-workspace|code-workspace)$|[^/]~$|(^|\/)\.#[^/]+$/,
  },
  'system-file': {
    title: 'operating system files',
    paths:
      /(^|\/)(\.DS_Store|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.Spotlight-V100|\.Trashes|\._[^/]+)$|(^|\/)__MACOSX\//i,
  },
  test: {
    title: 'tests',
    paths:
      /(^|\/)(__tests__|__mocks__|__snapshots__|coverage|\.nyc_output)\/|^(test|tests|cypress|e2e)\/.*\.[cm]?[jt]sx?$|\.(test|spec)\.[cm]?[jt]sx?$/,
  },
  cache: {
    title: 'build tool caches',
    paths:
      /(^|\/)node_modules\/\.(cache|vite|vite-temp|vitest)\/|(^|\/)\.(cache|turbo|parcel-cache|eslintcache|nx)(\/|$)|\.tsbuildinfo$/,
  },
  log: { title: 'logs', paths: /(^|\/)(npm-debug|yarn-debug|yarn-error|pnpm-debug|lerna-debug)\.log(\.\d+)?$/ },
  'source-map': { title: 'source maps', paths: /\.[cm]?[jt]s\.map$|\.css\.map$/ },
} as const satisfies Record<string, { title: string; paths: RegExp }>;

/** A package below node_modules: its author decides what is in it. */
const IN_PACKAGE = /(^|\/)node_modules\/(?!\.)/;

function leftoverKind(path: string): LeftoverKind | null {
  if (IN_PACKAGE.test(path)) return null;
  const plain = path.replace(/^(\.\/+)+/, '');
  for (const [kind, { paths }] of entriesOf(KINDS)) if (paths.test(plain)) return kind;
  return null;
}

/** A kind as the title of a list: `tests`. */
function leftoverTitle(kind: LeftoverKind): string {
  return KINDS[kind].title;
}
