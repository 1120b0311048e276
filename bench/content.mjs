// Cost of the scan of the content of artifacts (src/observe/content): one archive of code, read by the library
// without and with the scan. CPU time, by MB of unpacked code. Needs a build.
// Usage: node bench/content.mjs [MB] [runs]   (50 MB, 5 runs); --smoke: 1 MB, one run
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const isSmoke = process.argv.includes('--smoke');
const [size = '50', count = '5'] = process.argv.slice(2).filter((text) => /^\d+$/.test(text));
const megabytes = isSmoke ? 1 : Number(size);
const runs = isSmoke ? 1 : Number(count);

/** A tar of one file, with as much of this program's own code as requested. */
function archiveOf(bytes) {
  const code = readFileSync(new URL('../dist/node.js', import.meta.url));
  const data = Buffer.alloc(Math.ceil(bytes / 512) * 512);
  for (let at = 0; at < bytes; at += code.length) code.copy(data, at);
  const header = Buffer.alloc(512);
  header.write('app.js', 0);
  header.write(['0000644', '0000000', '0000000', ''].join('\0'), 100, 'latin1');
  header.write([data.length.toString(8).padStart(11, '0'), '0'.repeat(11), ''].join('\0'), 124, 'latin1');
  header.write('        0', 148, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return gzipSync(Buffer.concat([header, data, Buffer.alloc(1024)]));
}

/** CPU milliseconds of one reading. */
async function time(read) {
  const before = process.cpuUsage();
  await read();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const { readArchiveFile } = await import('../dist/node.js');
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
try {
  const file = join(folder, 'app.tar.gz');
  writeFileSync(file, archiveOf(megabytes * 1e6));
  const plain = [];
  const scanned = [];
  for (let run = 0; run < runs; run += 1) {
    plain.push(await time(() => readArchiveFile(file)));
    scanned.push(
      await time(async () => {
        const { archive } = await readArchiveFile(file, { scan: { folders: [] } });
        if (archive.scan === undefined || archive.fault !== null) throw new Error('The archive was not scanned.');
      }),
    );
  }
  const each = (values) => `${(median(values) / megabytes).toFixed(1)} ms`;
  const extra = ((median(scanned) - median(plain)) / megabytes).toFixed(1);
  console.log(
    `${megabytes} MB of code: ${each(plain)} per MB without the scan, ${each(scanned)} with it: ${extra} ms more`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
