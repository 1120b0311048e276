import { gzipSync } from 'node:zlib';
import { artifactFactsOf } from './archives.ts';
import * as tar from './tar-builder.ts';

/** Facts about an artifact, from what tar and sha256sum print. */

const END = '(end of archive)';

/**
 * - A listing as of `tar -tvzf`, of which each file consists of zeros, and the line `(end of archive)` where more follows.
 * - A listing of one file's content, as `tar -xOzf` prints it, beside an app.js.
 * - The listed digest and the one that `sha256sum` prints.
 * - Anything else is the content of the file.
 */
export async function artifactFacts(text: string): Promise<Record<string, unknown>> {
  const [, checksum = null, digest = null] =
    /^artifactChecksum: (sha256:\w{64})\n\$ sha256sum \S+\n(\w{64}) {2}\S+$/.exec(text) ?? [];
  const { content, archive } = await artifactFactsOf(
    extracted(text) ?? bytesOf(digest === null ? text : '-rw-r--r-- 0/0 10 2026-01-01 00:00 app.js'),
    { scan: { folders: [] } },
  );
  const shown = digest === null ? content : { ...content, sha256: digest };
  const facts = {
    url: null,
    file: null,
    web: { missing: { code: 'not-requested', flag: null } },
    content: shown,
    archive,
  };
  const { scan } = archive;
  const run = {
    all: [],
    artifacts: [],
    app: null,
    otherApps: null,
    before: null,
    appEntry: 'app.js',
    isPublishing: false,
  };
  return { facts, content: shown, archive, scan, wholeScan: scan, checksum, ...run };
}

/** An archive with the file of `$ tar -xOzf <archive> <path>` and its content in the next lines; null for other texts. */
function extracted(text: string): Uint8Array | null {
  const [, path, content] = /^\$ tar -xOzf \S+ (\S+)\n([^]+)$/.exec(text) ?? [];
  if (path === undefined || content === undefined) return null;
  return tar.tgz(tar.entry('app.js', 'export {};\n'), tar.entry(path, `${content}\n`));
}

function bytesOf(text: string): Uint8Array {
  const parts = text.split('\n').map((line) => (line === END ? tar.endMark() : entryOf(line)));
  return parts.every((part) => part !== null)
    ? gzipSync(Buffer.concat([...parts, tar.endMark()]), { level: 1 })
    : Buffer.from(text);
}

const TYPES: Readonly<Partial<Record<string, string>>> = { '-': '0', l: '2', d: '5' };

function entryOf(line: string): Buffer | null {
  const [, letter, size, path, link] =
    /^([-ld])[rwx-]{9} 0\/0 +(\d+) \d{4}-\d\d-\d\d \d\d:\d\d (.+?)(?: -> (.+))?$/.exec(line) ?? [];
  const type = TYPES[letter ?? ''];
  if (type === undefined || path === undefined) return null;
  return tar.entry(path, Buffer.alloc(Number(size)), { type, ...(link === undefined ? {} : { link }) });
}
