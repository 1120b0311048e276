// The peak memory of `appreg lint` with the artifact of one app in its workspace, for a small and a large artifact. The
// artifacts are code in stored blocks, so that the packed size is the unpacked one, and lint scans all of it. Needs a
// build and GNU time. Exit 1 if the large one takes 50 MB more.
// Usage: node bench/content-memory.mjs [MB]   (against 100 MB; default: 500 MB); --smoke: 20 MB against 10 MB
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

const ALLOWED = 50;
const isSmoke = process.argv.includes('--smoke');
const size = process.argv.slice(2).find((text) => /^\d+$/.test(text)) ?? '500';
const sizes = isSmoke ? [10, 20] : [100, Number(size)];
const program = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const code = readFileSync(new URL('../dist/node.js', import.meta.url));

function headerOf(path, bytes) {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(['0000644', '0000000', '0000000', ''].join('\0'), 100, 'latin1');
  header.write([bytes.toString(8).padStart(11, '0'), '0'.repeat(11), ''].join('\0'), 124, 'latin1');
  header.write('        0', 148, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** Writes a .tar.gz of stored blocks (RFC 1951, 3.2.4), without holding it in memory. @returns its digest */
function writeArchive(path, bytes) {
  const file = openSync(path, 'w');
  const hash = createHash('sha256');
  let crc = 0;
  let length = 0;
  const put = (chunk) => {
    hash.update(chunk);
    writeSync(file, chunk);
  };
  const stored = (data, isLast = false) => {
    for (let at = 0; at < data.length; at += 65_535) {
      const chunk = data.subarray(at, at + 65_535);
      crc = crc32(chunk, crc);
      length += chunk.length;
      const block = Buffer.alloc(5);
      block.writeUInt8(isLast && at + 65_535 >= data.length ? 1 : 0, 0);
      block.writeUInt16LE(chunk.length, 1);
      block.writeUInt16LE(chunk.length ^ 0xffff, 3);
      put(Buffer.concat([block, chunk]));
    }
  };
  put(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]));
  stored(headerOf('app.js', bytes));
  for (let left = bytes; left > 0; left -= code.length) stored(code.subarray(0, left));
  stored(Buffer.alloc((-bytes & 511) + 1024), true);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  put(trailer);
  closeSync(file);
  return `sha256:${hash.digest('hex')}`;
}

function writeWorkspace(root, megabytes) {
  const base = 'https://apps.example.com/';
  mkdirSync(root);
  const artifactChecksum = writeArchive(join(root, 'a.tar.gz'), megabytes * 1e6);
  const blockStyle = { iconUrl: 'https://icons.example.com/i.svg', color: '#112233' };
  const app = { name: 'A', description: 'An app.', blockStyle, appMetadataUrl: `${base}a.json` };
  const files = {
    'appreg.config.json': { baseUrl: base },
    'registry.json': { apps: { a: app } },
    'a.json': { versions: [{ version: '1.0.0', artifactUrl: `${base}a.tar.gz`, artifactChecksum }] },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(root, name), JSON.stringify(value));
}

const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
try {
  const peaks = sizes.map((megabytes) => {
    const root = join(folder, String(megabytes));
    writeWorkspace(root, megabytes);
    const start = performance.now();
    const args = ['-f', '%M', process.execPath, program, 'lint', '--format', 'json'];
    const { status, stdout, stderr } = spawnSync('/usr/bin/time', args, { cwd: root, encoding: 'utf8' });
    const seconds = (performance.now() - start) / 1000;
    if (status !== 0) throw new Error(`lint ended with ${status}: ${stdout}${stderr}`);
    const { summary, notJudged } = JSON.parse(stdout);
    if (summary.artifacts !== 1 || notJudged.some(({ rule }) => rule === 'artifact-secret'))
      throw new Error(`The artifact was not scanned: ${stdout}`);
    const peak = Number(stderr.trim().split('\n').at(-1)) / 1024;
    console.log(`${megabytes} MB: ${peak.toFixed(0)} MB at the peak, ${seconds.toFixed(1)} s`);
    rmSync(root, { recursive: true });
    return peak;
  });
  if (peaks[1] - peaks[0] > ALLOWED) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
