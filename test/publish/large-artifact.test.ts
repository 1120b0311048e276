// Scenario: artifacts of more than a hundred megabytes are published.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, linkSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Kind, openArena } from '../support/arena.ts';
import { entry, header } from '../support/tar-builder.ts';
import { buildInto } from '../support/built.ts';
import { openSharedProcess } from '../support/shared-process.ts';

/** Publishing takes no more memory for a large artifact than for a small one. */

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
const MB = 1_000_000;
/** The highest peak memory of the process, in bytes: less than Node alone (60 MB) and the smallest artifact together. */
const BOUND = 170 * MB;

const scratch = mkdtempSync(join(tmpdir(), 'appreg-large-'));
const built = join(scratch, 'dist');
const shared = openSharedProcess(join(built, 'dist/node/main.cjs'));
beforeAll(() => buildInto(built), 120_000);
afterAll(() => {
  shared.close();
  rmSync(scratch, { recursive: true, force: true });
});

type Opened = Awaited<ReturnType<typeof openArena>>;
const open: Opened[] = [];
afterEach(async () => {
  for (const arena of open.splice(0)) await arena.close();
});

/** A .tar.gz of at least so many bytes, in stored blocks (RFC 1951, 3.2.4), written without holding it in memory. */
function writeLargeArchive(path: string, bytes: number): string {
  const app = entry('app.js', 'export default 1;\n');
  const data = header({ path: 'data.bin', size: bytes });
  const file = openSync(path, 'w');
  const hash = createHash('sha256');
  let crc = 0;
  let length = 0;
  const put = (chunk: Uint8Array): void => {
    hash.update(chunk);
    writeSync(file, chunk);
  };
  const stored = (chunk: Uint8Array, isLast = false): void => {
    crc = crc32(chunk, crc);
    length += chunk.length;
    const block = Buffer.alloc(5);
    block.writeUInt8(isLast ? 1 : 0, 0);
    block.writeUInt16LE(chunk.length, 1);
    block.writeUInt16LE(chunk.length ^ 0xffff, 3);
    put(block);
    put(chunk);
  };
  put(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]));
  stored(app);
  stored(data);
  const chunk = Buffer.alloc(32_768);
  for (let left = bytes; left > 0; left -= chunk.length) {
    chunk.writeUInt32LE(left, 0);
    stored(chunk.subarray(0, Math.min(left, chunk.length)));
  }
  stored(Buffer.alloc(-bytes & 511));
  stored(Buffer.alloc(1024), true);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  put(trailer);
  closeSync(file);
  return hash.digest('hex');
}

interface Ran {
  code: number | null;
  output: string;
  /** Bytes that the process held at its peak. */
  peak: number;
}

function environment({ env }: Opened): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], ...env };
}

async function run(arena: Opened, args: readonly string[]): Promise<Ran> {
  const { root } = arena;
  const measured = join(root, '..', 'peak');
  const main = JSON.stringify(join(built, 'dist/node/main.cjs'));
  // Not maxRSS: on Linux it begins with that of the process which started this one.
  const note = `require('node:fs').writeFileSync(${JSON.stringify(measured)}, /VmHWM:\\s*(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1])`;
  const start = `require(${main}).main(process.argv).then((code) => { process.exitCode = code; ${note}; });`;
  const child = spawn(process.execPath, ['-e', start, 'appreg', ...args], {
    cwd: root,
    env: environment(arena),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += String(text)));
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  return { code, output, peak: Number(readFileSync(measured, 'utf8')) * 1024 };
}

async function registry(kind: Kind): Promise<Opened> {
  const arena = await openArena(kind, { ceph: null });
  open.push(arena);
  writeFileSync(join(arena.root, 'i.svg'), SVG);
  const app = ['--name', 'A', '--description', 'An app.', '--icon', 'i.svg', '--color', '#112233'];
  for (const args of [
    ['init', '--base-url', arena.base, ...arena.flags],
    ['add-app', 'a', ...app],
  ])
    expect(await shared.run(args, { cwd: arena.root, env: environment(arena) })).toMatchObject({ code: 0 });
  return arena;
}

const archives = new Map<number, string>();

/** Puts an archive of this size into the workspace, as large.tar.gz; each size is written once. @returns its checksum */
function placeLargeArchive(root: string, bytes: number): string {
  const stored = join(scratch, `${bytes}.tar.gz`);
  const checksum = archives.get(bytes) ?? `sha256:${writeLargeArchive(stored, bytes)}`;
  archives.set(bytes, checksum);
  linkSync(stored, join(root, 'large.tar.gz'));
  return checksum;
}

async function listed(arena: Opened): Promise<string[]> {
  const { versions } = JSON.parse(String(await arena.get('apps/a/versions.json'))) as {
    versions: { artifactChecksum: string }[];
  };
  return versions.map(({ artifactChecksum }) => artifactChecksum);
}

const SIZES: [Kind, number][] = [
  ['folder', 130],
  ['bucket in memory', 300],
  ['git', 130],
];
describe.skipIf(process.platform !== 'linux')('publishing an artifact uses limited memory', () => {
  test.each(SIZES)(
    'in a %s for %i MB',
    async (kind, size) => {
      const arena = await registry(kind);
      const checksum = placeLargeArchive(arena.root, size * MB);
      const first = await run(arena, ['publish-version', 'a', '1.0.0', '--artifact', 'large.tar.gz']);
      expect(first).toMatchObject({ code: 0 });
      expect(first.peak).toBeLessThan(BOUND);
      expect(await listed(arena)).toEqual([checksum]);
      const stored = await arena.get('apps/a/versions/1.0.0.tar.gz');
      expect(createHash('sha256').update(stored!).digest('hex')).toBe(checksum.slice(7));
      // The second run compares the stored file.
      const second = await run(arena, ['publish-version', 'a', '1.0.0', '--artifact', 'large.tar.gz']);
      expect(second).toMatchObject({ code: 0, output: expect.stringContaining('already published') as string });
      expect(second.peak).toBeLessThan(BOUND);
    },
    300_000,
  );

  test('for 130 MB that are downloaded from --artifact-url', async () => {
    const arena = await registry('bucket in memory');
    placeLargeArchive(arena.root, 130 * MB);
    const path = join(arena.root, 'large.tar.gz');
    arena.front = async (requested, stored) => (requested === 'elsewhere.tar.gz' ? readFileSync(path) : stored());
    const done = await run(arena, ['publish-version', 'a', '1.0.0', '--artifact-url', `${arena.base}elsewhere.tar.gz`]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.peak).toBeLessThan(BOUND);
  }, 300_000);

  test('for 130 MB whose interrupted upload is repeated', async () => {
    const arena = await registry('bucket in memory');
    const checksum = placeLargeArchive(arena.root, 130 * MB);
    const mishaps = ['reset-before', '500-before'] as const;
    let count = 0;
    arena.objects!.mishapOf = (key) => (key.endsWith('.tar.gz') ? mishaps[count++] : undefined);
    const done = await run(arena, ['publish-version', 'a', '1.0.0', '--artifact', 'large.tar.gz']);
    expect(done).toMatchObject({ code: 0 });
    expect(count).toBe(3);
    expect(done.peak).toBeLessThan(BOUND);
    expect(await listed(arena)).toEqual([checksum]);
  }, 300_000);
});

describe('a file that changes during publishing', () => {
  const changes = [
    ['in one byte', 'const file = fs.openSync(path, "r+"); fs.writeSync(file, "X", 1_000_000); fs.closeSync(file);'],
    ['in its length', 'fs.appendFileSync(path, "more");'],
    ['to nothing', 'fs.writeFileSync(path, "");'],
  ] as const;
  test.each(
    (['folder', 'bucket in memory', 'git'] as const).flatMap((kind) => changes.map((one) => [kind, ...one] as const)),
  )(
    'is not published in a %s: it changes %s',
    async (kind, _what, change) => {
      const arena = await registry(kind);
      const path = join(arena.root, 'large.tar.gz');
      writeLargeArchive(path, 2 * MB);
      const preload = join(arena.root, '..', 'change.cjs');
      // The change comes once the file was read to its end the first time.
      writeFileSync(
        preload,
        `const fs = require('node:fs');
const { createReadStream } = fs;
let isFirst = true;
fs.createReadStream = function (path, ...rest) {
  const stream = createReadStream.call(fs, path, ...rest);
  if (isFirst && String(path).endsWith('large.tar.gz')) {
    isFirst = false;
    stream.on('end', () => { ${change} });
  }
  return stream;
};
`,
      );
      arena.env['NODE_OPTIONS'] = `--require=${preload}`;
      const done = await run(arena, ['publish-version', 'a', '1.0.0', '--artifact', 'large.tar.gz']);
      expect(done.output).toContain('large.tar.gz changed while it was published');
      expect(done).toMatchObject({ code: 1 });
      expect(await listed(arena)).toEqual([]);
      expect(await arena.get('apps/a/versions/1.0.0.tar.gz')).toBeNull();
    },
    60_000,
  );
});
