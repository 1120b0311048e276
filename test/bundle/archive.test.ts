import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { packArchive } from '../../src/bundle/archive.ts';
import { createArchiveReader } from '../../src/observe/archive/read-archive.ts';
import { headers, listing, tree, unpacked } from './tree.ts';

const LONG = {
  'ninety-nine characters': `${'a'.repeat(96)}.js`,
  'a hundred characters': `${'a'.repeat(97)}.js`,
  'a name of 200 characters': `${'b'.repeat(197)}.js`,
  'a path of 150 characters': `${'folder/'.repeat(20)}x.js`,
  'a path of 700 characters': `${'folder/'.repeat(99)}x.js`,
  'not ASCII': 'données/ñandú 🦙.json',
  'not ASCII, and long': `${'日本/'.repeat(60)}語.txt`,
  'a space': 'read me.txt',
  'leading dash and dot': '-rf/.hidden',
};

describe('file names', () => {
  test.each(Object.entries(LONG))('are stored in PAX headers and read by standard readers: %s', async (_, path) => {
    const { archive } = await packArchive([{ path, bytes: Buffer.from('content') }]);
    expect(await unpacked(archive)).toEqual({ [path]: 'content' });
    const reader = createArchiveReader();
    await reader.write(archive);
    const facts = await reader.end();
    expect(facts).toMatchObject({
      kind: 'gzip',
      fault: null,
      stopped: null,
      trailing: null,
      gzipMembers: 1,
      oddities: [],
    });
    expect(facts.entries).toEqual([{ path, type: 'file', size: 7, mode: 0o644, link: null }]);
    for (const header of headers(archive)) expect(header.path).toMatch(/^[\x20-\x7e]+$/);
  });
});

test('every entry has the same owner, mode and date, and the gzip header has no metadata', async () => {
  const files = Object.values(LONG).map((path) => ({ path, bytes: Buffer.from(path) }));
  const { archive } = await packArchive(files);
  for (const { mode, uid, gid, uname, gname, mtime } of headers(archive)) {
    expect({ mode, uid, gid, uname, gname, mtime: mtime?.toISOString() }).toEqual({
      mode: 0o644,
      uid: 0,
      gid: 0,
      uname: '',
      gname: '',
      mtime: '1985-10-26T08:15:00.000Z',
    });
  }
  expect([...archive.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
});

// Around the edges of a tar block and of a slice of the compressor (which sees the tar: a header of 512 bytes first).
const SIZES = [0, 1, 511, 512, 513, 131072 - 512, 131072 - 511, 131072 * 3 + 5];

test.each(SIZES)('%i bytes are unchanged after packing and unpacking', async (size) => {
  const bytes = noise(size);
  const { archive, tarSha256 } = await packArchive([{ path: 'data', bytes }]);
  const tar = gunzipSync(archive);
  expect(tar.length % 512).toBe(0);
  expect(createHash('sha256').update(tar).digest('hex')).toBe(tarSha256);
  expect(await unpacked(archive)).toEqual({ data: bytes.toString() });
});

/** Text that compresses as code does: words that come back, in an order that does not. */
function noise(size: number): Buffer {
  const words = ['const', 'return', 'await', 'function', '{', '}', '(x) =>', '\n', '  ', 'import', 'value', "'text'"];
  let text = '';
  for (let state = 1; text.length < size; state = (state * 48271) % 2147483647)
    text += `${words[state % 12]} ${state % 97} `;
  return Buffer.from(text.slice(0, size));
}

// Should one of these change, published artifacts would get other checksums: that is a release note, not a detail.
// The second one may differ with another zlib (another processor, a later Node); the first may not.
test('the bytes of an archive do not change between releases', async () => {
  const files = [
    { path: 'app.js', bytes: noise(300_000) },
    { path: 'données.json', bytes: Buffer.from('{}\n') },
  ];
  const { archive, tarSha256 } = await packArchive(files);
  expect(tarSha256).toBe('f6ca5acde7ca156ac4f46aedf9bd1530576822d96788dadd24d9f96df8e99ef1');
  expect(createHash('sha256').update(archive).digest('hex')).toBe(
    '093f689899ed7eb130c3dc0c26583b4a739233739c4746f6a779e8f239641547',
  );
});

test('the archive is at most 1% larger than with gzip -9', async () => {
  const code = readFileSync(createRequire(import.meta.url).resolve('esbuild'));
  const { archive } = await packArchive([{ path: 'app.js', bytes: code }]);
  expect(archive.length / gzipSync(gunzipSync(archive), { level: 9 }).length).toBeLessThan(1.01);
});

describe('other readers', () => {
  const files = Object.values(LONG).map((path) => ({ path, bytes: Buffer.from(path) }));

  test.skipIf(!available('tar', '--version'))('GNU tar unpacks the archive without warnings', async () => {
    const folder = tree();
    writeFileSync(join(folder, 'x.tar.gz'), (await packArchive(files)).archive);
    mkdirSync(join(folder, 'out'));
    const output = execFileSync('tar', ['-xzf', '../x.tar.gz'], {
      cwd: join(folder, 'out'),
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(output).toBe('');
    for (const path of Object.values(LONG)) expect(readFileSync(join(folder, 'out', path), 'utf8')).toBe(path);
    expect(listing(join(folder, 'out')).length).toBeGreaterThan(files.length);
  });

  test.skipIf(!available('python3', '--version'))('Python lists the same names', async () => {
    const folder = tree();
    const file = join(folder, 'x.tar.gz');
    writeFileSync(file, (await packArchive(files)).archive);
    const script =
      'import json,sys,tarfile\nt=tarfile.open(sys.argv[1],"r:gz")\nprint(json.dumps([[m.name,t.extractfile(m).read().decode(),m.mode,m.mtime,m.uname] for m in t]))';
    const entries = JSON.parse(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }));
    expect(entries).toEqual(Object.values(LONG).map((path) => [path, path, 0o644, 499162500, '']));
  });
});

function available(command: string, argument: string): boolean {
  try {
    execFileSync(command, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
