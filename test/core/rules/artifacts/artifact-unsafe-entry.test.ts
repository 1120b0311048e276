import { expect, test } from 'vitest';
import { artifactUnsafeEntry } from '../../../../src/core/rules/artifacts/artifact-unsafe-entry.ts';
import { ODDITIES } from '../../../../src/core/registry/archive-policy.ts';
import type { Problem } from '../../../../src/core/rules/rule.ts';
import { artifactFactsOf } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';
import { shortestRun } from '../../../support/timing.ts';

const { entry, header } = tar;
const APP = entry('app.js', 'export {};\n');
const archiveOf = (...parts: Uint8Array[]) => artifactFactsOf(tar.tgz(...parts));
const link = (path: string, target: string, type = '2') => header({ path, type, link: target });
const folder = (path: string, mode = 0o755) => header({ path, type: '5', mode });
const ODDITY_CODES = Object.entries(ODDITIES).flatMap(([code, { rule }]) =>
  rule === artifactUnsafeEntry.id ? [code] : [],
);
const PLAIN = await archiveOf(APP);
const withOddity = (code: string) => ({
  ...PLAIN,
  archive: { ...PLAIN.archive, oddities: [{ code, entry: 'app.js', message: 'readers differ' }] },
});
const warning = (cause: string) => ({ severity: 'warning' as const, cause });

ruleTable(artifactUnsafeEntry, {
  clean: [
    ['plain files', await archiveOf(APP, entry('ui.js', '1'))],
    [
      'files with "./" in front',
      await archiveOf(folder('./'), entry('./app.js', '1'), folder('./lib/'), entry('./lib/a.js', '1')),
    ],
    ['a "." folder', await archiveOf(folder('.'), APP)],
    [
      'folders that stand twice',
      await archiveOf(folder('lib/'), entry('lib/a', '1'), folder('lib'), entry('lib/b', '1')),
    ],
    ['names with dots', await archiveOf(entry('..a', '1'), entry('a..b/...', '1'), entry('.env', '1'))],
    ['executables', await archiveOf(entry('run', '1', { mode: 0o755 }))],
    ['folders that hand their group on', await archiveOf(folder('lib/', 0o2775), folder('tmp/', 0o1777))],
    ['PAX times', await archiveOf(tar.pax({ mtime: '1.5', atime: '1', ctime: '1' }), APP)],
    ['a global comment', await archiveOf(tar.pax({ comment: 'c0ffee' }, 'g'), APP)],
    [
      'letters of all languages',
      await archiveOf(entry('größe.js', '1'), entry('日本語/ファイル.js', '1'), entry('👩‍💻.js', '1')),
    ],
    ['names that only look alike', await archiveOf(entry('a/b', '1'), entry('a-b', '1'), entry('a/bc', '1'))],
    ['32 folders deep', await archiveOf(tar.pax({ path: `${'d/'.repeat(31)}f` }), APP)],
    ['no archive at all', await artifactFactsOf(Buffer.from('hello'))],
  ],
  faulty: [
    ...ODDITY_CODES.map((code) => [`an oddity: ${code}`, withOddity(code), { cause: code }] as const),
    [
      'the folder above',
      await archiveOf(entry('../escape.txt', '1')),
      { cause: 'path-escapes', message: '../escape.txt' },
    ],
    ['the folder above, hidden', await archiveOf(entry('a/../../x', '1')), { cause: 'path-escapes' }],
    ['just two dots', await archiveOf(folder('..')), { cause: 'path-escapes' }],
    ['the folder above, for Windows', await archiveOf(entry('..\\..\\x', '1')), { cause: 'path-escapes' }],
    ['an absolute path', await archiveOf(entry('/tmp/abs.txt', '1')), { cause: 'absolute-path' }],
    ['a drive', await archiveOf(entry('C:\\x', '1')), { cause: 'absolute-path' }],
    ["a drive's own folder", await archiveOf(entry('c:x', '1')), { cause: 'absolute-path' }],
    ['a network share', await archiveOf(entry('\\\\host\\x', '1')), { cause: 'absolute-path' }],
    ['a PAX path', await archiveOf(tar.pax({ path: '../x' }), APP), { cause: 'path-escapes' }],
    ['a GNU long name', await archiveOf(tar.gnuLong('../x'), APP), { cause: 'path-escapes' }],
    ['an absolute link', await archiveOf(link('l', '/etc/passwd')), { cause: 'link-escapes' }],
    ['a link out', await archiveOf(link('a/l', '../../etc/passwd')), { cause: 'link-escapes' }],
    ['a hard link out', await archiveOf(link('a/l', '../x', '1')), { cause: 'link-escapes' }],
    ['an absolute hard link', await archiveOf(link('l', '/etc/passwd', '1')), { cause: 'link-escapes' }],
    ["a hard link to a drive's folder", await archiveOf(link('l', 'C:../x', '1')), { cause: 'link-escapes' }],
    [
      'a link through a link',
      await archiveOf(APP, link('up', 'a/b'), link('out', 'up/../../x')),
      [{ cause: 'link-chain' }, warning('link-inside')],
    ],
    [
      'a file below a link',
      await archiveOf(link('l', 'lib'), entry('l/x', '1')),
      [{ cause: 'below-link' }, warning('link-inside')],
    ],
    [
      'a file below a link in other case',
      await archiveOf(link('L', 'lib'), entry('l/x', '1')),
      [{ cause: 'below-link' }, warning('link-inside')],
    ],
    [
      'a file below a folder that a link replaces',
      await archiveOf(folder('l/'), link('l', 'lib'), entry('l/x', '1')),
      [{ cause: 'duplicate-path' }, { cause: 'below-link' }, warning('link-inside')],
    ],
    [
      'a file below a file that a link replaces',
      await archiveOf(entry('l', '1'), link('l', 'lib'), entry('l/x', '1')),
      [{ cause: 'duplicate-path' }, { cause: 'below-link' }, warning('link-inside')],
    ],
    ['a link inside', await archiveOf(APP, link('l', 'app.js')), warning('link-inside')],
    ['a hard link inside', await archiveOf(APP, link('l', 'app.js', '1')), warning('link-inside')],
    ['a device', await archiveOf(header({ path: 'null', type: '3' })), { cause: 'device' }],
    ['a disk', await archiveOf(header({ path: 'sda', type: '4' })), { cause: 'device' }],
    ['a pipe', await archiveOf(header({ path: 'fifo', type: '6' })), { cause: 'device' }],
    ['a contiguous file', await archiveOf(entry('c', '1', { type: '7' })), warning('contiguous')],
    ['set-user-id', await archiveOf(entry('su', '1', { mode: 0o4755 })), warning('special-mode')],
    ['a path twice', await archiveOf(entry('a', '1'), entry('a', '2')), { cause: 'duplicate-path' }],
    [
      'a path twice, written differently',
      await archiveOf(entry('a/b', '1'), entry('./a//b', '2')),
      { cause: 'duplicate-path' },
    ],
    ['a file and a folder of one name', await archiveOf(entry('a', '1'), folder('a/')), { cause: 'duplicate-path' }],
    ['another case', await archiveOf(entry('App.js', '1'), entry('app.js', '2')), { cause: 'case-collision' }],
    ['another Unicode form', await archiveOf(entry('\u00e9', '1'), entry('e\u0301', '2')), { cause: 'case-collision' }],
    ['a file below a file', await archiveOf(entry('x', '1'), entry('x/y', '1')), { cause: 'file-as-folder' }],
    [
      'a file below a file that comes later',
      await archiveOf(entry('x/y', '1'), entry('x', '1')),
      { cause: 'file-as-folder' },
    ],
    ['no name', await archiveOf(entry('', '1')), { cause: 'empty-name' }],
    ['a file named "."', await archiveOf(entry('.', '1')), { cause: 'empty-name' }],
    [
      'an escape sequence',
      await archiveOf(entry('a\u001b[2J', '1')),
      { cause: 'control-characters', message: '"a\\u001b[2J"' },
    ],
    ['a line break', await archiveOf(entry('a\n::error::x', '1')), { cause: 'control-characters' }],
    [
      'a link target with a line break',
      await archiveOf(link('l', 'a\nb')),
      [{ cause: 'control-characters' }, warning('link-inside')],
    ],
    ['reversed text', await archiveOf(entry('a\u202esj.exe', '1')), warning('invisible-characters')],
    ['a backslash', await archiveOf(entry('a\\b.js', '1')), warning('backslash')],
    ['33 folders deep', await archiveOf(tar.pax({ path: `${'d/'.repeat(32)}f` }), APP), { cause: 'too-deep' }],
    [
      '3,000 folders deep',
      await archiveOf(tar.pax({ path: `${'d/'.repeat(3000)}f` }), APP),
      { cause: 'path-too-long' },
    ],
    ['a name that is not UTF-8', await archiveOf(entry(Buffer.from([0x66, 0xfc]), '1')), warning('name-not-utf8')],
    [
      'a PAX size that differs',
      await archiveOf(tar.pax({ size: '2048' }), entry('a', 'x'.repeat(600)), APP, APP),
      { cause: 'pax-size-differs' },
    ],
    [
      'a global path',
      await archiveOf(tar.pax({ path: 'x' }, 'g'), APP),
      { cause: 'path-for-all', message: 'is interpreted differently by different tools' },
    ],
    ['NUL in a PAX path', await archiveOf(tar.pax({ path: 'a\0b' }), APP), { cause: 'path-with-nul' }],
    ['a broken PAX record', await archiveOf(tar.rawPax('12 path=evil.txt\n'), APP), { cause: 'pax-record-broken' }],
    ['a PAX link target on a file', await archiveOf(tar.pax({ linkpath: 'x' }), APP), { cause: 'link-on-file' }],
    ['an unknown type', await archiveOf(entry('a', '1', { type: 'Z' })), { cause: 'unknown-type' }],
    [
      'several: each cause, errors before warnings',
      await archiveOf(link('l', 'app.js'), entry('/a', '1'), entry('../b', '1')),
      [{ cause: 'absolute-path' }, { cause: 'path-escapes' }, warning('link-inside')],
    ],
    [
      'several of one cause: one finding',
      await archiveOf(entry('/a', '1'), entry('/b', '1')),
      {
        cause: 'absolute-path',
        message: '(and 1 more of 2 entries)',
        evidence: { entries: ['/a', '/b'], offences: 2 },
      },
    ],
    [
      'several of one entry',
      await archiveOf(entry('/a\u202e', '1', { mode: 0o4755 })),
      [{ cause: 'absolute-path' }, warning('special-mode'), warning('invisible-characters')],
    ],
    [
      'very many: ten are listed',
      await archiveOf(...Array.from({ length: 50 }, (_, i) => entry(`../${i}`, '1'))),
      { evidence: { entries: expect.objectContaining({ length: 10 }), offences: 50 } },
    ],
  ],
});

test('the time for entries in deep folders grows with their number, not with its square', async () => {
  const deep = 'd/'.repeat(30);
  async function millisecondsFor(entries: number): Promise<number> {
    const headers = Array.from({ length: entries }, (_, i) => header({ path: `${deep}${i}` }));
    const facts = await artifactFactsOf(tar.tgz(...headers), { packedBytes: 1e9 });
    expect(facts.archive.entryCount).toBe(entries);
    return shortestRun(() => expect(artifactUnsafeEntry.check(facts)).toEqual([]));
  }
  // Sixteen times as many entries: with the square of their number, 256 times as long.
  expect((await millisecondsFor(4800)) / (await millisecondsFor(300))).toBeLessThan(100);
}, 90_000);

test('a long path is shortened in the message', async () => {
  const facts = await archiveOf(tar.pax({ path: `../${'x'.repeat(3000)}` }), APP);
  const [found] = artifactUnsafeEntry.check(facts) as Problem[];
  expect(found?.message.length).toBeLessThan(300);
});
