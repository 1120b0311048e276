import { entriesOf } from '../record.ts';

/** Files that belong to the development of an app, and not to the app. */

export type LeftoverKind = keyof typeof KINDS;

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

/** The kind of leftover at a path of an archive, or null. */
export function leftoverKind(path: string): LeftoverKind | null {
  if (IN_PACKAGE.test(path)) return null;
  const plain = path.replace(/^(\.\/+)+/, '');
  for (const [kind, { paths }] of entriesOf(KINDS)) if (paths.test(plain)) return kind;
  return null;
}

/** A kind as the title of a list: `tests`. */
export function leftoverTitle(kind: LeftoverKind): string {
  return KINDS[kind].title;
}
