// A registry as files, for benchmarks: real archives with real checksums; a few of them are listed at many URLs.
import { createHash, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A tar archive of one file. */
function tar(name, content) {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write('0000644\x000000000\x000000000\x00', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\x00${'0'.repeat(11)}\x00        0`, 124);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\x00 `, 148);
  const padding = Buffer.alloc(((512 - (content.length % 512)) % 512) + 1024);
  return Buffer.concat([header, content, padding]);
}

/** Content of about this size when compressed: random bytes, or text that shrinks to a fifth, as code does. */
function artifact(bytes, content) {
  if (content === 'noise') return gzipSync(tar('app.js', randomBytes(bytes)), { level: 1 });
  const lines = [];
  for (let length = 0, i = 0; length < bytes * 5; i++) {
    const line = `export function handler${i}(input) { return call('${randomBytes(9).toString('hex')}', input.items, { retries: ${i % 7} }); }\n`;
    lines.push(line);
    length += line.length;
  }
  return gzipSync(tar('app.js', Buffer.from(lines.join(''))), { level: 6 });
}

/**
 * Writes it below `root`, to be served at `base`. Sizes lie between `from` and `to`, evenly on a logarithmic scale.
 * @returns the paths of all files in the order in which they are listed, the digests of artifacts, and their bytes in all
 */
export function writeRegistry(root, base, { apps, versions, from, to, content = 'noise' }) {
  mkdirSync(join(root, 'pool'), { recursive: true });
  const size = versions + 4;
  const pool = Array.from({ length: size }, (_, i) => {
    const bytes = artifact(Math.round(from * (to / from) ** (i / (size - 1))), content);
    const path = join(root, 'pool', `${i}.tar.gz`);
    writeFileSync(path, bytes);
    return { path, bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') };
  });
  const files = ['registry.json'];
  const digests = [];
  const entries = {};
  let bytes = 0;
  for (let i = 0; i < apps; i++) {
    const key = `app-${i}`;
    const folder = `apps/${key}`;
    mkdirSync(join(root, folder, 'versions'), { recursive: true });
    const list = Array.from({ length: versions }, (_, minor) => {
      const one = pool[(i * 7 + minor) % size];
      const path = `${folder}/versions/1.${minor}.0.tar.gz`;
      linkSync(one.path, join(root, path));
      files.push(path);
      digests.push([one.digest, path]);
      bytes += one.bytes;
      return { version: `1.${minor}.0`, artifactUrl: `${base}/${path}`, artifactChecksum: `sha256:${one.digest}` };
    });
    writeFileSync(join(root, folder, 'versions.json'), `${JSON.stringify({ versions: list }, null, 2)}\n`);
    writeFileSync(
      join(root, folder, 'icon.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>\n',
    );
    files.push(`${folder}/versions.json`, `${folder}/icon.svg`);
    entries[key] = {
      name: `App ${i}`,
      description: `Does job number ${i}, in a sentence of the usual length.`,
      blockStyle: { iconUrl: `${base}/${folder}/icon.svg`, color: '#1a73e8' },
      appMetadataUrl: `${base}/${folder}/versions.json`,
    };
  }
  writeFileSync(join(root, 'registry.json'), `${JSON.stringify({ apps: entries }, null, 2)}\n`);
  return { files, digests, bytes };
}
