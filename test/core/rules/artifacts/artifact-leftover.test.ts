import { artifactLeftover } from '../../../../src/core/rules/artifacts/artifact-leftover.ts';
import type { ContentScan } from '../../../../src/core/facts/facts.ts';
import { artifactFactsOf } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';

const CLEAN: ContentScan = { secrets: [], secretCount: 0, buildPaths: [] };

async function archiveWith(
  paths: string[],
  wholeScan: ContentScan = CLEAN,
): Promise<{ archive: Awaited<ReturnType<typeof artifactFactsOf>>['archive']; wholeScan: ContentScan }> {
  const { archive } = await artifactFactsOf(tar.tgz(...['app.js', ...paths].map((path) => tar.entry(path, 'x'))));
  return { archive, wholeScan };
}

const APP_FILES = [
  'ui.js',
  'package.json',
  'assets/test/icon.png',
  'lib/latest.js',
  'contest.js',
  'map.js',
  '.well-known/x.json',
  'data/git.json',
  '.gitkeep.txt',
  'templates/editor~notes.txt',
];
const PACKAGE_FILES = [
  'node_modules/lodash/test/a.js',
  'node_modules/lodash/index.js.map',
  'node_modules/@scope/pkg/.vscode/settings.json',
  'node_modules/pkg/a.test.js',
];

const LEFTOVERS: [string, string][] = [
  ['.git/HEAD', 'version control'],
  ['sub/.git/config', 'version control'],
  ['.svn/entries', 'version control'],
  ['.hg/store', 'version control'],
  ['.vscode/settings.json', 'editor'],
  ['.idea/workspace.xml', 'editor'],
  ['lib/.app.js.swp', 'editor'],
  ['app.js~', 'editor'],
  ['.DS_Store', 'operating system'],
  ['lib/Thumbs.db', 'operating system'],
  ['__MACOSX/._app.js', 'operating system'],
  ['._app.js', 'operating system'],
  ['test/app.js', 'tests'],
  ['./tests/unit/a.ts', 'tests'],
  ['lib/__tests__/a.js', 'tests'],
  ['lib/a.test.js', 'tests'],
  ['lib/a.spec.ts', 'tests'],
  ['coverage/lcov.info', 'tests'],
  ['node_modules/.cache/babel/a.json', 'caches'],
  ['tsconfig.tsbuildinfo', 'caches'],
  ['npm-debug.log', 'logs'],
  ['app.js.map', 'source maps'],
  ['styles.css.map', 'source maps'],
];

ruleTable(artifactLeftover, {
  clean: [
    ['files of an app', await archiveWith(APP_FILES)],
    ['files of packages', await archiveWith(PACKAGE_FILES)],
  ],
  faulty: [
    ...(await Promise.all(
      LEFTOVERS.map(
        async ([path, words]) =>
          [path, await archiveWith([path]), { message: words, evidence: { leftovers: [path], count: 1 } }] as const,
      ),
    )),
    [
      'a path of the build machine',
      await archiveWith([], { ...CLEAN, buildPaths: [{ entry: 'app.js', line: 3, folder: '/home/kim' }] }),
      { message: 'paths of the build machine: app.js:3 /home/kim.', advice: 'relative paths' },
    ],
    [
      'several kinds, as one finding',
      await archiveWith(['.git/HEAD', '.git/config', '.DS_Store']),
      {
        message: 'version control data (2) and operating system files: .git/HEAD and 2 more files.',
        evidence: { leftovers: ['.git/HEAD', '.git/config', '.DS_Store'], count: 3 },
      },
    ],
  ],
});
