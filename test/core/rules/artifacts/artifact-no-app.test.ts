import { artifactNoApp } from '../../../../src/core/rules/artifacts/artifact-no-app.ts';
import { artifactFactsOf } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';

const { entry, header } = tar;
const ENTRY = 'app.js';
const archiveWith = async (parts: Uint8Array[], appEntry = ENTRY) => ({
  ...(await artifactFactsOf(tar.tgz(...parts))),
  appEntry,
});
const moduleEntry = (path: string): Uint8Array => entry(path, 'export {};\n');
const truncatedListing = async (): Promise<Awaited<ReturnType<typeof archiveWith>>> => {
  const facts = await archiveWith([moduleEntry('other.js')]);
  return { ...facts, content: { ...facts.content, cut: true } };
};
const listedInPart = async (): Promise<Awaited<ReturnType<typeof archiveWith>>> => {
  const facts = await archiveWith([moduleEntry('other.js')]);
  return { ...facts, archive: { ...facts.archive, entryCount: 2 } };
};

ruleTable(artifactNoApp, {
  clean: [
    ['app.js', await archiveWith([moduleEntry('app.js')])],
    ['app.js among others', await archiveWith([entry('readme', 'x'), moduleEntry('lib/a.js'), moduleEntry('app.js')])],
    ['as tar -C writes it', await archiveWith([header({ path: './', type: '5' }), moduleEntry('./app.js')])],
    [
      'a link of that name',
      await archiveWith([moduleEntry('code.js'), header({ path: 'app.js', type: '1', link: 'code.js' })]),
    ],
    [
      'a symbolic link',
      await archiveWith([moduleEntry('lib/code.js'), header({ path: './app.js', type: '2', link: './lib/code.js' })]),
    ],
    [
      'a link from a folder, to a link',
      await archiveWith(
        [
          moduleEntry('code.js'),
          header({ path: 'lib/a.js', type: '1', link: './code.js' }),
          header({ path: 'dist/app.js', type: '2', link: '../lib//a.js' }),
        ],
        'dist/app.js',
      ),
    ],
    ['another entry by configuration', await archiveWith([moduleEntry('index.js')], 'index.js')],
    ['an entry below a folder by configuration', await archiveWith([moduleEntry('dist/main.js')], 'dist/main.js')],
    ['an entry with "./" in the configuration', await archiveWith([moduleEntry('index.js')], './index.js')],
    ['no archive at all', { ...(await artifactFactsOf(Buffer.from('hello'))), appEntry: ENTRY }],
    ['an archive without files, which another rule reports', await archiveWith([header({ path: 'lib/', type: '5' })])],
    ['a file that was read in part', await truncatedListing()],
    ['entries that were not all listed', await listedInPart()],
    [
      'a broken archive',
      { ...(await artifactFactsOf(tar.tgz(moduleEntry('other.js')).subarray(0, 40))), appEntry: ENTRY },
    ],
  ],
  faulty: [
    [
      'files only',
      await archiveWith([entry('readme', 'x')]),
      { cause: 'absent', message: 'no app.js', advice: 'appreg bundle' },
    ],
    [
      'as npm pack writes it',
      await archiveWith([moduleEntry('package/app.js'), entry('package/package.json', '{}')]),
      {
        cause: 'in-folder',
        message: '"package/"',
        advice: 'tar -czf',
        evidence: { entry: ENTRY, files: ['package/app.js', 'package/package.json'] },
      },
    ],
    ['deeper', await archiveWith([moduleEntry('./a/b/app.js')]), { cause: 'in-folder', message: '"a/b/"' }],
    ['capitals', await archiveWith([moduleEntry('App.js')]), { cause: 'other-case', advice: 'case' }],
    [
      'sources',
      await archiveWith([entry('app.ts', 'x')]),
      { cause: 'not-built', message: '"app.ts"', advice: 'appreg bundle' },
    ],
    ['another module', await archiveWith([moduleEntry('app.mjs')]), { cause: 'not-built', message: '"app.mjs"' }],
    ['a name that only begins so', await archiveWith([moduleEntry('app.js.map')]), { cause: 'absent' }],
    [
      'a folder of that name',
      await archiveWith([header({ path: 'app.js/', type: '5' }), moduleEntry('app.js/x')]),
      { cause: 'absent' },
    ],
    [
      'a link to a missing file',
      await archiveWith([moduleEntry('code.js'), header({ path: 'app.js', type: '2', link: 'other.js' })]),
      {
        cause: 'dangling-link',
        message: 'a link to "other.js", which is not a file of the archive',
        advice: 'dereference',
      },
    ],
    [
      'a link out of the archive',
      await archiveWith([moduleEntry('code.js'), header({ path: 'app.js', type: '2', link: '../code.js' })]),
      { cause: 'dangling-link', message: '"../code.js"' },
    ],
    [
      'a link to an absolute path',
      await archiveWith([moduleEntry('code.js'), header({ path: 'app.js', type: '2', link: '/code.js' })]),
      { cause: 'dangling-link', message: '"/code.js"' },
    ],
    [
      'circular links',
      await archiveWith([
        moduleEntry('code.js'),
        header({ path: 'app.js', type: '2', link: 'b.js' }),
        header({ path: 'b.js', type: '2', link: 'app.js' }),
      ]),
      { cause: 'dangling-link', message: 'which is not a file' },
    ],
    [
      'app.js where another is configured',
      await archiveWith([moduleEntry('app.js')], 'index.js'),
      { message: 'no index.js' },
    ],
  ],
});
