// Scenario: nginx compresses a registry in each way.
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { GOOD, nginx } from './nginx-frame.ts';
import { serverCases } from './site.ts';

/** Compressed copies beside the files of a real nginx (gzip_static), and compression by nginx itself. */

const METADATA = 'apps/app-a/versions.json';
const STATIC = `gzip_static on; gzip_vary on; ${GOOD}`;
const DYNAMIC = `gzip on; gzip_min_length 1; gzip_types application/json image/svg+xml; ${GOOD}`;

/** Writes a copy for clients that accept gzip, which nginx sends as it is. */
function copy(file: string, bytes: Uint8Array): (root: string) => void {
  return (root) => writeFileSync(join(root, `${file}.gz`), bytes);
}

const OLD = gzipSync('{"versions": []}');
const unreadable = (cause: string): string[] => [`error compressed-copy-unreadable ${cause} (metadata)`];

serverCases('nginx', 'compressed copies in nginx', nginx, [
  { name: 'compressed by nginx', server: `gzip_vary on; ${DYNAMIC}` },
  { name: 'compressed by nginx, without Vary', server: DYNAMIC, notes: ['compressed-copy-not-varied vary'] },
  {
    name: 'a copy that was not replaced',
    server: STATIC,
    put: copy(METADATA, OLD),
    expected: ['error compressed-copy-differs other (metadata)'],
  },
  {
    name: 'a copy of the manifest that was not replaced',
    server: STATIC,
    put: copy('registry.json', gzipSync('{"apps": {}}')),
    expected: ['error compressed-copy-differs other (manifest)'],
  },
  {
    name: 'a copy that is not compressed',
    server: STATIC,
    put: copy(METADATA, Buffer.from('{"versions": []}')),
    expected: unreadable('wrong-coding'),
  },
  {
    name: 'a copy that is compressed with Brotli',
    server: STATIC,
    put: copy(METADATA, brotliCompressSync('{"versions": []}')),
    expected: unreadable('wrong-coding'),
  },
  {
    name: 'a copy that was compressed twice',
    server: STATIC,
    put: copy(METADATA, gzipSync(OLD)),
    expected: unreadable('compressed-twice'),
  },
  {
    name: 'a copy that is cut off',
    server: STATIC,
    put: copy(METADATA, OLD.subarray(0, OLD.length - 12)),
    expected: unreadable('truncated'),
  },
  {
    name: 'a resource isolation policy',
    server: `if ($refused) { return 403; } ${GOOD}`,
    global: 'map $http_sec_fetch_site$request_uri $refused { default 0; ~^cross-site/apps/.*json 1; }',
    expected: ['error browser-refused fetch-metadata (metadata)'],
  },
]);
