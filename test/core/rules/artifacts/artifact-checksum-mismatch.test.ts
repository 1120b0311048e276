import { versionEntry } from '../../../../src/core/registry/version-entry.ts';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ArchiveFacts, ArtifactFacts, Content } from '../../../../src/core/facts/facts.ts';
import { artifactChecksumMismatch } from '../../../../src/core/rules/artifacts/artifact-checksum-mismatch.ts';
import { ListedVersions } from '../../../../src/core/registry/listed-versions.ts';
import { entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const bytes = gzipSync('the published bytes');
const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');
const otherApps = new ListedVersions();
const LISTED = `sha256:${sha256(bytes)}`;

function content(data: Uint8Array | string, more: Partial<Content> = {}): Content {
  const buffer = Buffer.from(data);
  const of = (name: string): string => createHash(name).update(buffer).digest('hex');
  return {
    bytes: buffer.length,
    sha256: of('sha256'),
    sha1: of('sha1'),
    md5: of('md5'),
    head: buffer.toString('base64', 0, 512),
    cut: false,
    decoded: null,
    ...more,
  };
}

function facts(
  seen: Content,
  checksum = LISTED,
  more: {
    again?: Content;
    gzipFault?: string;
    kind?: string;
    others?: [string, string][];
    trailing?: number;
    before?: string;
    /** What was seen at the URL of the other version. */
    there?: Content;
    headers?: Record<string, string>;
    oddities?: ArchiveFacts['oddities'];
  } = {},
) {
  const fault =
    more.gzipFault === undefined ? null : { layer: 'gzip' as const, code: more.gzipFault, message: '', offset: 0 };
  const archive = {
    kind: more.kind ?? 'gzip',
    fault,
    entries: [],
    entryCount: 0,
    unpackedBytes: 0,
    stopped: null,
    trailing: more.trailing === undefined ? null : { layer: 'gzip' as const, bytes: more.trailing },
    gzipMembers: 1,
    oddities: more.oddities ?? [],
  } satisfies ArchiveFacts;
  const whole: ArtifactFacts = {
    url: 'https://a.test/x',
    file: null,
    web: web(probe(hop({ 'content-type': 'application/gzip', ...more.headers }))),
    content: seen,
    archive,
    ...(more.again ? { again: more.again } : {}),
  };
  const all = [['2.0.0', checksum], ...(more.others ?? [])].map(([version, artifactChecksum], index) =>
    versionEntry(index, {
      version: version!,
      artifactUrl: index === 0 ? whole.url : null,
      artifactChecksum: artifactChecksum!,
    }),
  );
  const before =
    more.before === undefined
      ? null
      : { version: '2.0.0', artifactUrl: 'https://a.test/x', artifactChecksum: more.before };
  const artifacts = more.there ? [whole, { ...whole, content: more.there }] : [whole];
  return { facts: whole, content: seen, checksum, all, artifacts, app: 'a', otherApps, before };
}

const decoded = (data: Uint8Array | string): Content['decoded'] => ({
  coding: 'gzip',
  bytes: 1,
  sha256: sha256(data),
  head: Buffer.from(data).toString('base64', 0, 512),
  error: null,
});
const tar = Buffer.alloc(512);
tar.write('ustar\u000000', 257);
const JOINED = ['several-members', 'entries-after-end'].map((code) => ({ code, message: '', entry: null }));
const otherBytes = gzipSync('other bytes');

/** Another app, whose artifact has these bytes. */
const otherAppsBytes = gzipSync('the artifact of another app');
otherApps.add('b', entries({ version: '3.0.0', artifactChecksum: `sha256:${sha256(otherAppsBytes)}` }));

ruleTable(artifactChecksumMismatch, {
  clean: [
    ['equal', facts(content(bytes))],
    ['equal but for the case of the list', facts(content(bytes), LISTED.toUpperCase().replace('SHA256', 'sha256'))],
    ['equal but for the prefix', facts(content(bytes), LISTED.slice(7))],
    ['not read to its end', facts(content(otherBytes, { cut: true }))],
    ['SHA-1 is listed, which another rule reports', facts(content(bytes), `sha1:${content(bytes).sha1}`)],
    ['a placeholder is listed, which another rule reports', facts(content(bytes), 'sha256:unknown')],
  ],
  faulty: [
    [
      'the artifact of another app',
      facts(content(otherAppsBytes)),
      { cause: 'other-apps-artifact', message: '“b” 3.0.0', advice: 'Keep the listed checksum' },
    ],
    ['other bytes', facts(content(otherBytes)), { cause: 'other-bytes', advice: `sha256:${sha256(otherBytes)}` }],
    ['empty', facts(content('')), { cause: 'empty-file' }],
    ['a page', facts(content('\n<!DOCTYPE html><title>Sign in</title>')), { cause: 'html-page', message: 'Sign in' }],
    [
      'a PHP warning',
      facts(content('\nWarning: readfile() in /srv/get.php on line 3\n')),
      { cause: 'program-message', message: 'a PHP warning' },
    ],
    [
      'a PHP warning before the archive',
      facts(
        content(
          Buffer.concat([
            Buffer.from('<br />\n<b>Warning</b>:  a in <b>/srv/get.php</b> on line <b>3</b><br />\n'),
            bytes,
          ]),
        ),
      ),
      {
        cause: 'bytes-before',
        message: '72 bytes before the archive: a PHP warning (“Warning: a in /srv/get.php on line 3”)',
        advice: 'display_errors = Off',
      },
    ],
    [
      'a byte order mark before the archive',
      facts(content(Buffer.concat([Buffer.from('\uFEFF'), bytes]))),
      {
        cause: 'bytes-before',
        message: '3 bytes before the archive: a byte order mark',
        advice: 'before you change the checksum',
      },
    ],
    [
      'a line feed before the archive',
      facts(content(Buffer.concat([Buffer.from('\n'), bytes]))),
      { cause: 'bytes-before', message: '1 byte before the archive; gzip begins at byte 2.' },
    ],
    [
      'the headers of an answer before the archive',
      facts(content(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), bytes]))),
      { cause: 'bytes-before', message: '“HTTP/1.1 200 OK”' },
    ],
    [
      'another kind of file, whose digest is not to be listed',
      facts(content(Buffer.from('504b0304aabb', 'hex')), LISTED, { kind: 'zip' }),
      {
        cause: 'other-bytes',
        message: 'not a complete .tar.gz archive (it looks like: zip)',
        advice: 'Do not change the listed checksum',
      },
    ],
    [
      'a broken archive, whose digest is not to be listed',
      facts(content(otherBytes), LISTED, { gzipFault: 'Z_DATA_ERROR' }),
      { cause: 'other-bytes', message: 'not a complete .tar.gz archive', advice: 'Do not change the listed checksum' },
    ],
    ['an LFS pointer', facts(content('version https://git-lfs.github.com/spec/v1\n')), { cause: 'git-lfs-pointer' }],
    [
      'an XML error',
      facts(content('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>')),
      { cause: 'xml-error', message: 'NoSuchKey' },
    ],
    ['a JSON error', facts(content('{"message":"Not Found"}')), { cause: 'json-error' }],
    ['replaced bytes', facts(content(Buffer.from('1fefbfbd0800', 'hex'))), { cause: 'gzip-as-text' }],
    ['the tar without gzip', facts(content(tar)), { cause: 'unpacked', advice: 'Content-Encoding' }],
    ['base64', facts(content(bytes.toString('base64'))), { cause: 'gzip-as-base64' }],
    [
      'converted line ends',
      facts(content(Buffer.concat([Buffer.from('1f8b0800', 'hex'), Buffer.from('a\r\nb\r\nc')])), LISTED, {
        gzipFault: 'Z_DATA_ERROR',
      }),
      { cause: 'line-ends-converted' },
    ],
    ['broken off', facts(content(bytes.subarray(0, 12)), LISTED, { gzipFault: 'TRUNCATED' }), { cause: 'truncated' }],
    [
      'decoded bytes match',
      facts(content(gzipSync(bytes), { decoded: decoded(bytes) })),
      { cause: 'decoded-bytes-match' },
    ],
    [
      'repacked',
      facts(content(otherBytes, { decoded: decoded(tar) })),
      { cause: 're-encoded', message: 'probably', advice: 'before you change them' },
    ],
    [
      'the inner tar’s digest is listed',
      facts(content(bytes), `sha256:${sha256('the published bytes')}`, {
        again: content(bytes, { inner: sha256('the published bytes') }),
      }),
      { cause: 'inner-tar-listed', advice: LISTED },
    ],
    [
      'another version’s',
      facts(content(otherBytes), LISTED, { others: [['1.0.0', `sha256:${sha256(otherBytes)}`]] }),
      { cause: 'other-versions-artifact', message: 'serves the file of version 1.0.0.', advice: LISTED },
    ],
    [
      'another version’s, which is right',
      facts(content(otherBytes), LISTED, {
        others: [['1.0.0', `sha256:${sha256(otherBytes)}`]],
        there: content(otherBytes),
      }),
      {
        cause: 'other-versions-artifact',
        message: '; 1.0.0 itself is correct.',
        advice: 'Do not change the listed checksum: a published version never changes.',
      },
    ],
    [
      'those of another entry of the same version',
      facts(content(otherBytes), LISTED, { others: [['2.0.0', `sha256:${sha256(otherBytes)}`]] }),
      { cause: 'other-bytes', message: 'differs from the listed one' },
    ],
    [
      'two that were swapped',
      facts(content(otherBytes), LISTED, {
        others: [['1.0.0', `sha256:${sha256(otherBytes)}`]],
        there: content(bytes),
      }),
      { cause: 'other-versions-artifact', message: 'and that of 1.0.0 the file of', advice: 'Swap the two files' },
    ],
    [
      'alternating bytes',
      facts(content(otherBytes), LISTED, { again: content(bytes) }),
      { cause: 'intermittent', severity: 'warning' },
    ],
    [
      'generated for each request',
      facts(content(otherBytes), LISTED, { again: content('third') }),
      { cause: 'unstable-bytes' },
    ],
    [
      'converted line ends, counted in all of it',
      facts(content(Buffer.from('1f8b0800', 'hex')), LISTED, {
        gzipFault: 'Z_DATA_ERROR',
        again: content(Buffer.from('1f8b0800', 'hex'), { lineFeeds: { all: 9, afterCr: 9 } }),
      }),
      { cause: 'line-ends-converted' },
    ],
    ['a text', facts(content('Not Found\n')), { cause: 'text', message: '“Not Found”' }],
    ['taken for Latin-1', facts(content(Buffer.from('1fc28b0800', 'hex'))), { cause: 'gzip-as-text' }],
    ['base64 as a JSON text', facts(content(JSON.stringify(bytes.toString('base64')))), { cause: 'gzip-as-base64' }],
    ['without the compression', facts(content(tar)), { cause: 'unpacked', message: 'without its gzip compression' }],
    [
      'compressed once more',
      facts(content(gzipSync(bytes)), LISTED, {
        gzipFault: 'gzip-inside',
        again: content(gzipSync(bytes), { inner: sha256(bytes) }),
      }),
      { cause: 'compressed-twice', message: 'compression, without a Content-Encoding.' },
    ],
    [
      'compressed once more, under a label that nothing is decoded for',
      facts(content(gzipSync(bytes)), LISTED, {
        gzipFault: 'gzip-inside',
        again: content(gzipSync(bytes), { inner: sha256(bytes) }),
        headers: { 'content-encoding': 'gzip, identity' },
      }),
      {
        cause: 'compressed-twice',
        message: 'compression, and its Content-Encoding (gzip, identity) combines identity',
      },
    ],
    [
      'something behind its end',
      facts(content(Buffer.concat([bytes, Buffer.from('\n')])), LISTED, { trailing: 1 }),
      { cause: 'bytes-added', message: '1 byte' },
    ],
    [
      'twice',
      facts(content(Buffer.concat([bytes, bytes])), LISTED, { oddities: JOINED }),
      { cause: 'joined', message: 'several archives', advice: 'Keep the listed checksum' },
    ],
    [
      'twice, after it was published once',
      facts(content(Buffer.concat([bytes, bytes])), LISTED, { oddities: JOINED, before: LISTED }),
      { cause: 'changed-since' },
    ],
    [
      'broken off at a round number',
      facts(content(Buffer.concat([bytes, Buffer.alloc(4096 - bytes.length)])), LISTED, { gzipFault: 'TRUNCATED' }),
      { cause: 'truncated', message: 'a round number', advice: 'limit' },
    ],
    [
      'the inner tar’s digest is listed, and the label is there',
      facts(content(bytes, { decoded: decoded(tar) }), `sha256:${sha256(tar)}`),
      { cause: 'inner-tar-listed', advice: LISTED },
    ],
    [
      'published with this checksum',
      facts(content(otherBytes), LISTED, { before: LISTED }),
      { cause: 'changed-since', message: 'has been replaced since' },
    ],
    [
      'published with the checksum of these bytes',
      facts(content(otherBytes), LISTED, { before: `SHA256:${sha256(otherBytes).toUpperCase()}` }),
      { cause: 'published-bytes', advice: `sha256:${sha256(otherBytes)}` },
    ],
    [
      'published with a third one',
      facts(content(otherBytes), LISTED, { before: `sha256:${sha256('x')}` }),
      { cause: 'other-bytes' },
    ],
  ],
});
