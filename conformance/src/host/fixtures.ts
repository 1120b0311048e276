import { AppregError, message } from 'appreg';
import { systemErrorCode } from 'appreg/node';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

/** The tree of files that a host serves while it is tested: the same bytes on every machine. */

/** The folder of the app whose files are requested. */
const APP = 'apps/conformance-app';
/** Bytes of the app's code in version 2.0.0, which do not compress: enough for ranges, and little to upload. */
const LARGE = 200_000;
/** The address in the documents. No case requests it: paths are relative to the folder that was uploaded. */
const BASE = 'https://registry.example/';

let files: ReadonlyMap<string, Buffer> | null = null;

/** The files by their path, with forward slashes. Made once. */
export function fixtureFiles(): ReadonlyMap<string, Buffer> {
  return (files ??= makeFiles());
}

function makeFiles(): ReadonlyMap<string, Buffer> {
  const small = tarGz('app.js', Buffer.from('export const version = 1;\n'));
  const large = tarGz('app.js', Buffer.from(noise(LARGE).toString('base64')).subarray(0, LARGE));
  const versions = [
    { version: '1.0.0', bytes: small },
    { version: '2.0.0', bytes: large },
  ];
  return new Map([
    ['registry.json', json(manifest())],
    [`${APP}/versions.json`, json({ versions: versions.map((one) => listed(APP, one)) })],
    [`${APP}/versions/1.0.0.tar.gz`, small],
    [
      `${APP}/versions/1.0.0.tar.gz.sigstore.json`,
      json({ mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' }),
    ],
    [`${APP}/versions/1.0.0.tar.gz.cdx.json`, json({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 })],
    [`${APP}/versions/2.0.0.tar.gz`, large],
    [`${APP}/icon.svg`, Buffer.from(SVG)],
    [`${APP}/icon.png`, Buffer.from(PNG, 'base64')],
    [`${UPPER}/versions.json`, json({ versions: [] })],
    // Names that have to be escaped in a URL.
    ['paths/with space.json', json({ path: 'with space' })],
    ['paths/with+plus.json', json({ path: 'with+plus' })],
    ['paths/gr\u00fc\u00df-\u65e5\u672c.json', json({ path: 'Unicode' })],
    // Only requests that must not change anything name these.
    ['methods/put.json', json({ method: 'PUT' })],
    ['methods/post.json', json({ method: 'POST' })],
    ['methods/delete.json', json({ method: 'DELETE' })],
  ]);
}

/** A folder whose name has all letters that an app key may have. */
const UPPER = 'apps/Conformance_APP-09';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#336699"/></svg>\n';
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function manifest(): unknown {
  return {
    apps: {
      'conformance-app': {
        name: 'Conformance app',
        description: 'Its files show what a host does with them.',
        blockStyle: { iconUrl: `${BASE}${APP}/icon.svg`, color: '#336699' },
        appMetadataUrl: `${BASE}${APP}/versions.json`,
      },
      // Longer than the size from which servers compress.
      [UPPER.slice('apps/'.length)]: {
        name: 'Conformance app with other letters',
        description: 'Its key has all letters that a key may have. '.repeat(40).trim(),
        blockStyle: { iconUrl: `${BASE}${APP}/icon.png`, color: '#993366' },
        appMetadataUrl: `${BASE}${UPPER}/versions.json`,
      },
    },
  };
}

function listed(folder: string, { version, bytes }: { version: string; bytes: Buffer }): unknown {
  return {
    version,
    artifactUrl: `${BASE}${folder}/versions/${version}.tar.gz`,
    artifactChecksum: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  };
}

/** Bytes without a pattern, each block the digest of its number. */
function noise(length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at * 32 < length; at += 1) blocks.push(createHash('sha256').update(String(at)).digest());
  return Buffer.concat(blocks).subarray(0, length);
}

/** An archive with one file. Its content is stored: the output of a compressor depends on its version. */
function tarGz(name: string, content: Buffer): Buffer {
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return gzip(Buffer.concat([tarHeader(name, content.length), content, padding, Buffer.alloc(1024)]));
}

/** A header of a regular file (POSIX ustar), without times and owners. */
function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

const STORED_BLOCK = 65_535;

/** A gzip file of stored blocks (RFC 1951, section 3.2.4; RFC 1952). */
function gzip(content: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])];
  for (let at = 0; at < content.length; at += STORED_BLOCK) {
    const block = content.subarray(at, at + STORED_BLOCK);
    const head = Buffer.alloc(5);
    head.writeUInt8(at + STORED_BLOCK >= content.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    parts.push(head, block);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(content), 0);
  trailer.writeUInt32LE(content.length, 4);
  return Buffer.concat([...parts, trailer]);
}

/**
 * Writes the tree that is uploaded to a host under test. A folder with the same tree stays as it is.
 * @param folder is created if it is missing
 * @returns the paths of the files, with forward slashes
 * @throws AppregError `folder-not-empty` (exit 2) if the folder contains something else
 */
export async function writeFixtures(folder: string): Promise<string[]> {
  const files = fixtureFiles();
  for (const path of await filesIn(folder)) {
    const expected = files.get(path);
    if (expected !== undefined && expected.equals(await readFile(join(folder, path)))) continue;
    throw new AppregError(
      'folder-not-empty',
      message`${folder} contains other files, such as “${path}”.`,
      message`Give a new or empty folder: everything in it is uploaded to the host.`,
    );
  }
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return [...files.keys()];
}

/** The paths of all entries but folders, sorted; none for a missing folder. */
async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/'))
      .toSorted();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
