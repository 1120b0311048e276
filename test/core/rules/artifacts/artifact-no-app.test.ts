import { artifactNoApp } from '../../../../src/core/rules/artifacts/artifact-no-app.ts';
import { seen } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';

const { entry, header } = tar;
const ENTRY = 'app.js';
const of = async (parts: Uint8Array[], appEntry = ENTRY) => ({ ...(await seen(tar.tgz(...parts))), appEntry });
const js = (path: string): Uint8Array => entry(path, 'export {};\n');
const cut = async (): Promise<Awaited<ReturnType<typeof of>>> => {
  const facts = await of([js('other.js')]);
  return { ...facts, content: { ...facts.content, cut: true } };
};
const listedInPart = async (): Promise<Awaited<ReturnType<typeof of>>> => {
  const facts = await of([js('other.js')]);
  return { ...facts, archive: { ...facts.archive, entryCount: 2 } };
};

ruleTable(artifactNoApp, {
  clean: [
    ['app.js', await of([js('app.js')])],
    ['app.js among others', await of([entry('readme', 'x'), js('lib/a.js'), js('app.js')])],
    ['as tar -C writes it', await of([header({ path: './', type: '5' }), js('./app.js')])],
    ['a link of that name', await of([js('code.js'), header({ path: 'app.js', type: '1', link: 'code.js' })])],
    ['a symbolic link', await of([js('lib/code.js'), header({ path: './app.js', type: '2', link: './lib/code.js' })])],
    [
      'a link from a folder, to a link',
      await of(
        [
          js('code.js'),
          header({ path: 'lib/a.js', type: '1', link: './code.js' }),
          header({ path: 'dist/app.js', type: '2', link: '../lib//a.js' }),
        ],
        'dist/app.js',
      ),
    ],
    ['another entry by configuration', await of([js('index.js')], 'index.js')],
    ['an entry below a folder by configuration', await of([js('dist/main.js')], 'dist/main.js')],
    ['an entry with "./" in the configuration', await of([js('index.js')], './index.js')],
    ['no archive at all', { ...(await seen(Buffer.from('hello'))), appEntry: ENTRY }],
    ['an archive without files, which another rule tells', await of([header({ path: 'lib/', type: '5' })])],
    ['a file that was read in part', await cut()],
    ['entries that were not all listed', await listedInPart()],
    ['a broken archive', { ...(await seen(tar.tgz(js('other.js')).subarray(0, 40))), appEntry: ENTRY }],
  ],
  faulty: [
    [
      'files only',
      await of([entry('readme', 'x')]),
      { cause: 'absent', message: 'no app.js', advice: 'appreg bundle' },
    ],
    [
      'as npm pack writes it',
      await of([js('package/app.js'), entry('package/package.json', '{}')]),
      {
        cause: 'in-folder',
        message: '"package/"',
        advice: 'tar -czf',
        evidence: { entry: ENTRY, files: ['package/app.js', 'package/package.json'] },
      },
    ],
    ['deeper', await of([js('./a/b/app.js')]), { cause: 'in-folder', message: '"a/b/"' }],
    ['capitals', await of([js('App.js')]), { cause: 'other-case', advice: 'case' }],
    ['sources', await of([entry('app.ts', 'x')]), { cause: 'not-built', message: '"app.ts"', advice: 'appreg bundle' }],
    ['another module', await of([js('app.mjs')]), { cause: 'not-built', message: '"app.mjs"' }],
    ['a name that only begins so', await of([js('app.js.map')]), { cause: 'absent' }],
    ['a folder of that name', await of([header({ path: 'app.js/', type: '5' }), js('app.js/x')]), { cause: 'absent' }],
    [
      'a link to a file that is not there',
      await of([js('code.js'), header({ path: 'app.js', type: '2', link: 'other.js' })]),
      {
        cause: 'dangling-link',
        message: 'a link to "other.js", which is not a file of the archive',
        advice: 'dereference',
      },
    ],
    [
      'a link out of the archive',
      await of([js('code.js'), header({ path: 'app.js', type: '2', link: '../code.js' })]),
      { cause: 'dangling-link', message: '"../code.js"' },
    ],
    [
      'a link to an absolute path',
      await of([js('code.js'), header({ path: 'app.js', type: '2', link: '/code.js' })]),
      { cause: 'dangling-link', message: '"/code.js"' },
    ],
    [
      'links in a circle',
      await of([
        js('code.js'),
        header({ path: 'app.js', type: '2', link: 'b.js' }),
        header({ path: 'b.js', type: '2', link: 'app.js' }),
      ]),
      { cause: 'dangling-link', message: 'which is not a file' },
    ],
    ['app.js where another is configured', await of([js('app.js')], 'index.js'), { message: 'no index.js' }],
  ],
});
