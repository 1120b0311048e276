// Archives with everything inside: Node.js, the command line, esbuild. The same sources give the same bytes, on any
// machine: fixed order, dates, owners and modes.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { Header } from 'tar/header';
import { fetchPrograms, PLATFORMS } from './platforms.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version: VERSION } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Follows links to itself, such as /usr/local/bin/appreg, with the shell alone if it is not a link. */
const START_SCRIPT = `#!/bin/sh
self=$0
while [ -L "$self" ]; do
  link=$(readlink -- "$self")
  case $link in
    /*) self=$link ;;
    *) self=\${self%/*}/$link ;;
  esac
done
case $self in
  */*) folder=\${self%/*} ;;
  *) folder=. ;;
esac
exec "$folder/bin/node" "$folder/lib/node_modules/appreg/bin/appreg.js" "$@"
`;

const START_COMMAND = `@"%~dp0bin\\node.exe" "%~dp0lib\\node_modules\\appreg\\bin\\appreg.js" %*\r\n`;

/** Level 9 takes three times as long, and saves 0.3 %. */
const LEVEL = 6;
const FILE = 0o644;
const PROGRAM = 0o755;
const SKIPPED = /\.(?:d\.ts|map)$/;

/** The files below a folder, as paths with slashes. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
}

/** Where Node finds the packages by their names. */
const MODULES = 'lib/node_modules';
const TOOL = `${MODULES}/appreg`;
/** For browsers, and licences, which are in the first folder. */
const NOT_RUN = /^(?:core\/|THIRD-PARTY-LICENSES)/;

/**
 * Files that are installed for a platform, by their path, sorted.
 * @param programs as of `fetchPrograms`
 * @param packages the other packages to install, without `appreg-`
 */
export function installedFiles(platform, programs, packages = ['conformance', 'service']) {
  const isWindows = platform.startsWith('windows');
  const files = [];
  const add = (path, bytes, mode = FILE) => void files.push({ path, bytes, mode });
  const addTree = (from, to, isIncluded = () => true) => {
    for (const path of filesBelow(from)) {
      if (!isIncluded(path)) continue;
      const isProgram = /(?:^|\/)esbuild(?:\.exe)?$/.test(path) && to.includes('/@esbuild/');
      add(`${to}/${path}`, readFileSync(join(from, path)), isProgram ? PROGRAM : FILE);
    }
  };
  add(isWindows ? 'bin/node.exe' : 'bin/node', readFileSync(programs.node), PROGRAM);
  add(...(isWindows ? ['appreg.cmd', Buffer.from(START_COMMAND)] : ['appreg', Buffer.from(START_SCRIPT), PROGRAM]));
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md']) add(name, readFileSync(join(root, name)));
  add('LICENSE-node', readFileSync(programs.license));
  add('THIRD-PARTY-LICENSES.txt', readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt')));
  add(`${TOOL}/package.json`, readFileSync(join(root, 'package.json')));
  for (const name of ['bin', 'schemas']) addTree(join(root, name), `${TOOL}/${name}`);
  addTree(join(root, 'dist'), `${TOOL}/dist`, (path) => !SKIPPED.test(path) && !NOT_RUN.test(path));
  addTree(programs.esbuild, `${TOOL}/node_modules/${PLATFORMS[platform].esbuild}`, (path) => path !== 'README.md');
  for (const name of packages) {
    const { files: published } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
    for (const path of ['package.json', ...published]) {
      const to = `${MODULES}/appreg-${name}/${path}`;
      if (statSync(join(root, name, path)).isDirectory())
        addTree(join(root, name, path), to, (file) => !SKIPPED.test(file));
      else add(to, readFileSync(join(root, name, path)));
    }
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The name of an archive without its suffix, which is the folder inside. */
export function archiveName(platform) {
  return `appreg-${VERSION}-${platform}`;
}

/** @returns the file name and its bytes */
export function makeArchive(platform, programs) {
  const folder = archiveName(platform);
  const files = installedFiles(platform, programs).map((file) => ({ ...file, path: `${folder}/${file.path}` }));
  const { archive } = PLATFORMS[platform];
  return { name: `${folder}.${archive}`, bytes: archive === 'zip' ? zip(files) : tarGz(files) };
}

// The zip epoch has no earlier year than 1980.
const MTIME = new Date('1985-10-26T08:15:00.000Z');

function tarGz(files) {
  const parts = [];
  for (const { path, bytes, mode } of files) {
    const block = Buffer.alloc(512);
    const fields = { path, size: bytes.length, type: 'File', mode, uid: 0, gid: 0, mtime: MTIME, uname: '', gname: '' };
    if (new Header(fields).encode(block, 0)) throw new Error(`The path is too long for a ustar header: ${path}`);
    parts.push(block, bytes, Buffer.alloc(-bytes.length & 511));
  }
  const gzip = gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]), { level: LEVEL });
  // The operating system that compressed it.
  gzip[9] = 255;
  return gzip;
}

/** 1985-10-26 08:15 as DOS fields. */
const DOS_TIME = (8 << 11) | (15 << 5);
const DOS_DATE = (5 << 9) | (10 << 5) | 26;

function zip(files) {
  const [local, central] = [[], []];
  let offset = 0;
  for (const { path, bytes, mode } of files) {
    const packed = deflateRawSync(bytes, { level: LEVEL });
    const name = Buffer.from(path);
    const fields = Buffer.alloc(26);
    // Version 2.0, names in UTF-8, deflate.
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt16LE(DOS_TIME, 6);
    fields.writeUInt16LE(DOS_DATE, 8);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    local.push(Buffer.from('PK\x03\x04'), fields, name, packed);
    const more = Buffer.alloc(14);
    more.writeUInt32LE((0o100000 | mode) * 0x10000, 6);
    more.writeUInt32LE(offset, 10);
    // Made on Unix, for the modes.
    central.push(Buffer.from('PK\x01\x02\x14\x03'), fields, more, name);
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/** SHA256SUMS, in the format of sha256sum. */
export function checksums(archives) {
  return archives
    .map(({ name, bytes }) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .toSorted((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1))
    .join('');
}

/** Writes the archives of these platforms, and SHA256SUMS. */
function writeArchives(folder, platforms) {
  mkdirSync(folder, { recursive: true });
  const archives = platforms.map((platform) => makeArchive(platform, fetchPrograms(platform)));
  for (const { name, bytes } of archives) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(archives));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = 'release', ...platforms] = process.argv.slice(2);
  writeArchives(folder, platforms.length > 0 ? platforms : Object.keys(PLATFORMS));
}
