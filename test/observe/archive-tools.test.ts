import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as nodeTar from 'tar';
import { afterAll, describe, expect, test } from 'vitest';
import { artifactNotTarGz } from '../../src/core/rules/artifacts/artifact-not-tar-gz.ts';
import { artifactTrailingData } from '../../src/core/rules/artifacts/artifact-trailing-data.ts';
import { artifactUnsafeEntry } from '../../src/core/rules/artifacts/artifact-unsafe-entry.ts';
import { readArchiveFile } from '../../src/observe/archive/read-archive.ts';

/** Archives from real tools: our listing must be the same as theirs, without findings. */

const folder = mkdtempSync(join(tmpdir(), 'archive-tools-'));
const source = join(folder, 'source');
afterAll(() => rmSync(folder, { recursive: true }));

const LONG = `${'a-rather-long-folder-name/'.repeat(6)}module.js`;
mkdirSync(join(source, LONG, '..'), { recursive: true });
writeFileSync(join(source, 'app.js'), 'export {};\n');
writeFileSync(join(source, 'empty.js'), '');
writeFileSync(join(source, 'größe 日本.js'), 'x'.repeat(512));
writeFileSync(join(source, `${'n'.repeat(120)}.js`), 'x'.repeat(513));
writeFileSync(join(source, LONG), 'x'.repeat(70_000));
writeFileSync(join(source, 'run.sh'), '#!/bin/sh\n');
chmodSync(join(source, 'run.sh'), 0o755);

const runs = (tool: string, ...args: string[]) => spawnSync(tool, args).status === 0;
const gnuTar = runs('tar', '--version') && execFileSync('tar', ['--version'], { encoding: 'utf8' }).includes('GNU tar');
const python = runs('python3', '--version');
const git = runs('git', '--version');

const LIST = `
import json, sys, tarfile
kinds = {tarfile.DIRTYPE: 'directory', tarfile.SYMTYPE: 'symlink', tarfile.LNKTYPE: 'link'}
print(json.dumps([{'path': m.name, 'type': kinds.get(m.type, 'file'), 'size': m.size, 'mode': m.mode,
  'link': m.linkname if m.issym() or m.islnk() else None} for m in tarfile.open(sys.argv[1])]))
`;

/** Python strips the slash behind directories; otherwise its listing must be the same as ours. */
async function compare(file: string): Promise<void> {
  const { archive, content } = await readArchiveFile(file);
  if (python) {
    const theirs = JSON.parse(execFileSync('python3', ['-c', LIST, file], { encoding: 'utf8' })) as unknown[];
    expect(archive.entries.map((entry) => ({ ...entry, path: entry.path.replace(/\/$/, '') }))).toEqual(theirs);
  }
  if (gnuTar) {
    const theirs = execFileSync('tar', ['-tzf', file, '--quoting-style=literal'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trimEnd()
      .split('\n');
    expect(archive.entries.map((entry) => entry.path)).toEqual(theirs);
  }
  const theirs: string[] = [];
  await nodeTar.t({ file, strict: true, onReadEntry: (entry) => void theirs.push(entry.path) });
  expect(archive.entries.map((entry) => entry.path)).toEqual(theirs);
  expect([archive.fault, archive.stopped, archive.trailing, archive.oddities]).toEqual([null, null, null, []]);
  expect(artifactNotTarGz.check({ archive, content })).toEqual([]);
  expect(artifactTrailingData.check({ archive })).toEqual([]);
  expect(artifactUnsafeEntry.check({ archive })).toEqual([]);
}

describe.skipIf(!gnuTar)('archives of GNU tar', () => {
  test.each([
    [['--format=gnu', '.']],
    [['--format=posix', '.']],
    [['--format=posix', '--pax-option=globexthdr.comment=hello', '.']],
    [['--format=ustar', 'app.js', 'empty.js', 'run.sh', 'größe 日本.js']],
    [['--format=v7', 'app.js', 'empty.js', 'run.sh']],
    [['--format=gnu', '-b1', '.']],
    [['--format=gnu', '-b2048', '.']],
    [['--format=posix', '--owner=somebody:3000000000', '--group=all:3000000000', '.']],
    [['--format=gnu', '--owner=somebody:3000000000', '.']],
  ])('are listed as by the tools, without findings: %s', async (args) => {
    const file = join(folder, 'gnu.tar.gz');
    execFileSync('tar', ['-czf', file, ...args], { cwd: source });
    await compare(file);
  });

  test('with links are listed with their targets', async () => {
    const linked = join(folder, 'linked');
    mkdirSync(linked);
    writeFileSync(join(linked, 'a'), 'a');
    linkSync(join(linked, 'a'), join(linked, 'b'));
    symlinkSync('a', join(linked, 'c'));
    const file = join(folder, 'linked.tar.gz');
    execFileSync('tar', ['-czf', file, 'a', 'b', 'c'], { cwd: linked });
    const { archive } = await readArchiveFile(file);
    expect(archive.entries.map(({ path, type, link }) => [path, type, link])).toEqual([
      ['a', 'file', null],
      ['b', 'link', 'a'],
      ['c', 'symlink', 'a'],
    ]);
    expect(artifactUnsafeEntry.check({ archive })).toMatchObject([{ severity: 'warning', cause: 'link-inside' }]);
  });
});

describe.skipIf(!python)('archives of Python', () => {
  test.each(['PAX_FORMAT', 'GNU_FORMAT'])('are listed as by the tools, without findings: %s', async (format) => {
    const file = join(folder, 'python.tar.gz');
    const script = `import sys, tarfile\nwith tarfile.open(sys.argv[1], 'w:gz', format=tarfile.${format}) as t: t.add(sys.argv[2], '.')`;
    execFileSync('python3', ['-c', script, file, source]);
    await compare(file);
  });
});

describe('archives of node-tar', () => {
  test.each([{}, { portable: true, mtime: new Date(0) }, { prefix: 'package' }])(
    'are listed as by the tools, without findings: %o',
    async (options) => {
      const file = join(folder, 'node.tar.gz');
      await nodeTar.c({ file, cwd: source, gzip: true, ...options }, ['.']);
      await compare(file);
    },
  );
});

describe.skipIf(!git)('archives of git archive', () => {
  test('are listed as by the tools, without findings', async () => {
    const run = (...args: string[]) =>
      execFileSync('git', ['-C', source, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
    run('init', '-q');
    run('add', '.');
    run('commit', '-q', '--no-gpg-sign', '-m', 'all');
    const file = join(folder, 'git.tar.gz');
    run('archive', '--format=tar.gz', '--prefix=app-1.0.0/', '-o', file, 'HEAD');
    rmSync(join(source, '.git'), { recursive: true });
    await compare(file);
  });
});

test('an archive with a file name and time in the gzip header has no findings', async () => {
  if (!runs('gzip', '--version') || !gnuTar) return;
  const plain = join(folder, 'named.tar');
  execFileSync('tar', ['-cf', plain, 'app.js'], { cwd: source });
  execFileSync('gzip', ['-9', '-f', plain]);
  expect(readFileSync(`${plain}.gz`)[3]).toBe(8);
  await compare(`${plain}.gz`);
});

test('a large valid archive has no findings', async () => {
  const file = join(folder, 'large.tar.gz');
  writeFileSync(join(source, 'blank.bin'), Buffer.alloc(12_000_000));
  await nodeTar.c({ file: join(folder, 'large.tar'), cwd: source }, ['.']);
  writeFileSync(file, gzipSync(readFileSync(join(folder, 'large.tar')), { level: 0 }));
  rmSync(join(source, 'blank.bin'));
  await compare(file);
});
