import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startJudging } from '../../../src/core/engine/judge.ts';
import type { Finding } from '../../../src/core/findings/report.ts';
import { observeWorkspace } from '../../../src/observe/workspace/observe-workspace.ts';
import { NOW } from '../../support/core-facts.ts';
import { folder } from '../../support/folders.ts';
import { BASE, entry, metadataWith } from '../../support/snapshots.ts';
import { endMark, entry as tarEntry } from '../../support/tar-builder.ts';

/** Findings about files of a workspace use words for files: nothing was requested, and no host was involved. */

const WORDS =
  /\b(serves?|served|uploads?|uploaded|hosts?|servers?|respon[ds]\w*|downloads?|URL (leads|probably)|Content-Encoding|Content-Type|HTTP|status)\b/i;

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const tarWith = (text: string): Buffer => Buffer.concat([tarEntry('app.js', text), endMark()]);

const PAGE = '<!doctype html><title>Sign in</title><input type="password">';
const PHP = 'PHP Warning:  Undefined variable $x in /srv/a.php on line 3\n';
const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 12\n';
const XML = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>';
const ARCHIVE = gzipSync(tarWith('export const app = 1;\n'.repeat(40)));
const ZSTD = Buffer.from('28b52ffd0400', 'hex');

const DOCUMENTS: Readonly<Record<string, string | Uint8Array>> = {
  empty: '',
  'html-page': PAGE,
  'app shell': '<!doctype html><title>App</title><div id="root"></div>',
  'error page': '<!doctype html><title>404 Not Found</title>',
  'xml-error': XML,
  'git-lfs-pointer': LFS,
  'text-message': '404: page not found',
  'program-message': PHP,
  'svg-image': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'source-code': '<?php echo json_encode($x);',
  javascript: 'export default { "versions": [] };',
  jsonp: 'callback({ "versions": [] });',
  'script-prefix': ')]}\'\n{ "versions": [] }',
  'text-before-json': 'building 1 app\n{ "versions": [1] }',
  gzip: gzipSync('{}'),
  zstd: ZSTD,
  'not-utf8': Buffer.from([0x7b, 0x00, 0xff, 0x01, 0x02, 0x03]),
  'utf-16': Buffer.from('{}', 'utf16le'),
  truncated: '{ "versions": [',
  comment: '{ /* a */ "versions": [] }',
  'merge-conflict': '<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n',
  'error-message': '{ "error": { "message": "not found" } }',
  'a manifest': '{ "apps": {} }',
};

const ARTIFACTS: Readonly<Record<string, string | Uint8Array>> = {
  'empty-file': '',
  'html-page': PAGE,
  'xml-error': XML,
  'json-error': '{ "message": "not found" }',
  text: 'Not Found',
  'program-message': PHP,
  'git-lfs-pointer': LFS,
  unpacked: tarWith('x'),
  'gzip-as-base64': ARCHIVE.toString('base64'),
  'gzip-as-text': Buffer.from(ARCHIVE.toString('utf8')),
  'bytes-before': Buffer.concat([Buffer.from('\ufeff'), ARCHIVE]),
  'bytes-added': Buffer.concat([ARCHIVE, Buffer.from('more')]),
  joined: Buffer.concat([ARCHIVE, ARCHIVE]),
  truncated: ARCHIVE.subarray(0, ARCHIVE.length - 12),
  'compressed-twice': gzipSync(ARCHIVE),
  'no tar inside': gzipSync('text'),
  'other-bytes': gzipSync(tarWith('y')),
  zip: Buffer.from('504b0304140000000800', 'hex'),
  'zeros after': Buffer.concat([ARCHIVE, Buffer.alloc(512)]),
};

const ICONS: Readonly<Record<string, string | Uint8Array>> = {
  empty: '',
  html: PAGE,
  'git-lfs-pointer': LFS,
  gzip: gzipSync('<svg/>'),
  zstd: ZSTD,
  xml: XML,
  json: '{}',
  text: 'Not Found',
  'program-message': PHP,
  'png-truncated': Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
  'svg-syntax': '<svg xmlns="http://www.w3.org/2000/svg"><path></svg>',
  jpeg: Buffer.from('ffd8ffe000104a464946', 'hex'),
};

/** The findings about a workspace with one app. */
async function findingsWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  checksum?: string,
): Promise<Finding[]> {
  const metadata = metadataWith('1.0.0');
  if (checksum !== undefined) metadata.versions[0]!['artifactChecksum'] = checksum;
  const root = folder({ 'registry.json': { apps: { a: entry('a') } }, 'apps/a/versions.json': metadata, ...files });
  const judging = startJudging({ command: 'lint', target: '.', now: NOW });
  await observeWorkspace({ root, manifest: 'registry.json', baseUrl: BASE }, judging, { nameOf: (path) => path });
  return judging.finish(0).findings;
}

function expectWordsForFiles(findings: readonly Finding[], cause: string): void {
  expect(findings).not.toEqual([]);
  if (/^[a-z0-9-]+$/.test(cause)) expect(findings.map((found) => found.cause)).toContain(cause);
  for (const { rule, message, advice } of findings) expect(`${rule}: ${message} ${advice}`).not.toMatch(WORDS);
}

describe('words for files of a workspace', () => {
  test.each(Object.entries(DOCUMENTS))('a metadata file: %s', async (name, bytes) => {
    const findings = await findingsWith({ 'apps/a/versions.json': bytes });
    expectWordsForFiles(findings, { 'html-page': name, 'utf-16': 'not-utf8' }[name] ?? name.replace(/ .*/, ' '));
  });

  test.each(Object.entries(DOCUMENTS))('a manifest: %s', async (name, bytes) => {
    if (name === 'a manifest') return;
    expectWordsForFiles(await findingsWith({ 'registry.json': bytes }), ' ');
  });

  test.each(Object.entries(ARTIFACTS))('an artifact with another checksum: %s', async (name, bytes) => {
    const findings = await findingsWith({ 'apps/a/versions/1.0.0.tar.gz': bytes });
    expectWordsForFiles(findings, /^(zip|zeros|compressed)/.test(name) ? ' ' : name);
  });

  test.each(Object.entries(ARTIFACTS))('an artifact with its checksum: %s', async (name, bytes) => {
    if (name === 'other-bytes') return;
    const files = { 'apps/a/versions/1.0.0.tar.gz': bytes };
    expectWordsForFiles(await findingsWith(files, `sha256:${sha256(bytes)}`), ' ');
  });

  test('the artifact of another version', async () => {
    const metadata = metadataWith('1.0.0', '2.0.0');
    metadata.versions[1]!['artifactChecksum'] = `sha256:${sha256(ARCHIVE)}`;
    const files = { 'apps/a/versions.json': JSON.stringify(metadata), 'apps/a/versions/1.0.0.tar.gz': ARCHIVE };
    expectWordsForFiles(await findingsWith(files), 'other-versions-artifact');
  });

  test.each(Object.entries(ICONS))('an icon: %s', async (name, bytes) => {
    expectWordsForFiles(await findingsWith({ 'apps/a/icon.svg': bytes }), /^(png|svg)/.test(name) ? ' ' : name);
  });
});
