import { gzipSync } from 'node:zlib';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  redirect,
  reset,
  tagged,
} from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { entry, tgz } from '../../../test/support/tar-builder.ts';

/** A registry with every way of breaking an app or a version. */

/** The host that serves it. */
let host: FaultHost;

const bytes = archive('app');
const older = archive('older app');
const listed = checksum(bytes);

interface Case {
  /** Other fields of its manifest entry; null in place of the entry. */
  entry?: () => object | null;
  /** The versions of its metadata file; or its behaviour, text or value. */
  versions?: () => unknown[];
  metadata?: () => Behaviour | string | readonly unknown[] | Record<string, unknown>;
}
const good = (more: object = {}): object => ({
  version: '1.0.0',
  artifactUrl: `${host.origin}/good.tar.gz`,
  artifactChecksum: listed,
  ...more,
});
const withChecksum = (artifactChecksum: unknown): Case => ({ versions: () => [good({ artifactChecksum })] });
const withUrl = (artifactUrl: () => unknown): Case => ({ versions: () => [good({ artifactUrl: artifactUrl() })] });
const withBytes = (name: string, body: Buffer | string): Case => ({
  versions: () => [
    good({ artifactUrl: host.on(`/${name}.tar.gz`, gzipped(body)), artifactChecksum: checksum(Buffer.from(body)) }),
  ],
});
const served = (name: string, behaviour: Behaviour): Case => withUrl(() => host.on(`/${name}.tar.gz`, behaviour));

/** The reason, the key of the app, and how it is broken. */
export const FAULTY_APPS: readonly [reason: string, key: string, broken: Case][] = [
  ['Its key is not URL-safe.', 'key with space', {}],
  [
    'Its entry in the manifest lacks a required field, or a field has the wrong type.',
    'entry-null',
    { entry: () => null },
  ],
  [
    'Its entry in the manifest lacks a required field, or a field has the wrong type.',
    'entry-no-name',
    { entry: () => ({ name: undefined }) },
  ],
  ['The URL of its metadata file is not valid.', 'meta-malformed', { entry: () => ({ appMetadataUrl: 'nowhere' }) }],
  [
    'The URL of its metadata file is not valid.',
    'meta-credentials',
    { entry: () => ({ appMetadataUrl: host.origin.replace('://', '://u:p@') }) },
  ],
  [
    'The URL of its metadata file has a port that browsers block.',
    'meta-port-blocked',
    { entry: () => ({ appMetadataUrl: 'https://localhost:6000/x.json' }) },
  ],
  ['Its metadata file cannot be fetched.', 'meta-404', { metadata: () => answer({ status: 404 }) }],
  ['Its metadata file cannot be fetched.', 'meta-500', { metadata: () => answer({ status: 500 }) }],
  ['Its metadata file cannot be fetched.', 'meta-reset', { metadata: () => reset() }],
  [
    'Its metadata file cannot be fetched.',
    'meta-private',
    { entry: () => ({ appMetadataUrl: 'https://10.0.0.1/x.json' }) },
  ],
  [
    'The URL of its metadata file redirects too often, or in a loop.',
    'meta-loop',
    { metadata: () => redirect('/meta-loop.json') },
  ],
  ['Its metadata file is not readable JSON.', 'meta-html', { metadata: () => '<!doctype html><title>Sign in</title>' }],
  ['Its metadata file is not readable JSON.', 'meta-not-json', { metadata: () => '{"versions": [' }],
  ['Its metadata file lacks a required field, or a field has the wrong type.', 'meta-array', { metadata: () => [] }],
  [
    'Its metadata file lacks a required field, or a field has the wrong type.',
    'meta-no-versions',
    { metadata: () => ({}) },
  ],
  [
    'Its metadata file lacks a required field, or a field has the wrong type.',
    'meta-versions-object',
    { metadata: () => ({ versions: {} }) },
  ],
  [
    'Its metadata file is too large or nested too deeply.',
    'meta-deep',
    { metadata: () => `{"versions":${'['.repeat(2000)}${']'.repeat(2000)}}` },
  ],
  ['No version is published yet.', 'unpublished', { versions: () => [] }],
  ['Its metadata file lists no valid version.', 'versions-not-semver', { versions: () => [good({ version: 'v1' })] }],
  [
    'Its metadata file lacks a required field, or a field has the wrong type.',
    'versions-null',
    { versions: () => [null] },
  ],
  [
    'Its metadata file lacks a required field, or a field has the wrong type.',
    'no-checksum',
    { versions: () => [good({ artifactChecksum: undefined })] },
  ],
  [
    'Its metadata file lacks a required field, or a field has the wrong type.',
    'no-url',
    { versions: () => [good({ artifactUrl: undefined })] },
  ],
  ['checksum-malformed: The checksum is a placeholder.', 'checksum-todo', withChecksum('TODO')],
  ['checksum-malformed: The checksum is empty.', 'checksum-empty', withChecksum('')],
  [
    'checksum-malformed: The digest is in uppercase',
    'checksum-uppercase',
    withChecksum(listed.replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase())),
  ],
  [
    'checksum-malformed: The algorithm must be SHA-256, not MD5 (by the length of the digest)',
    'checksum-md5',
    withChecksum('d41d8cd98f00b204e9800998ecf8427e'),
  ],
  [
    'checksum-placeholder: The checksum is a placeholder, not a digest.',
    'checksum-zeros',
    withChecksum(`sha256:${'0'.repeat(64)}`),
  ],
  [
    'checksum-placeholder: The checksum is the digest of an empty file.',
    'checksum-of-nothing',
    withChecksum('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
  ],
  [
    'artifact-checksum-mismatch: The SHA-256 of the artifact differs from the listed one.',
    'checksum-other',
    withChecksum(checksum(Buffer.from('another build'))),
  ],
  [
    'url-malformed: The URL of the artifact cannot be used: The URL is relative',
    'url-malformed',
    withUrl(() => 'nowhere'),
  ],
  [
    'url-malformed: The URL of the artifact cannot be used: The URL is relative',
    'url-relative',
    withUrl(() => '/good.tar.gz'),
  ],
  [
    'url-malformed: The URL of the artifact cannot be used: The URL contains a user name',
    'url-credentials',
    withUrl(() => `${host.origin.replace('://', '://u:p@')}/good.tar.gz`),
  ],
  [
    'url-port-blocked: The URL of the artifact has port 6000',
    'url-port-blocked',
    withUrl(() => 'https://localhost:6000/x.tar.gz'),
  ],
  ['url-insecure: The URL of the artifact is not https.', 'url-http', withUrl(() => 'http://192.0.2.1/x.tar.gz')],
  [
    'url-malformed: The URL of the artifact cannot be used: The URL has the scheme “ftp:”',
    'url-ftp',
    withUrl(() => 'ftp://h.example/x.tar.gz'),
  ],
  [
    'unreachable: The artifact cannot be fetched: the host responds with 404',
    'artifact-404',
    served('a404', answer({ status: 404 })),
  ],
  [
    'unreachable: The artifact cannot be fetched: the host responds with 403',
    'artifact-403',
    served('a403', answer({ status: 403 })),
  ],
  [
    'unreachable: The artifact cannot be fetched: the host responds with 500',
    'artifact-500',
    served('a500', answer({ status: 500 })),
  ],
  [
    'unreachable: The artifact cannot be fetched: the connection was closed',
    'artifact-reset',
    served('areset', reset()),
  ],
  [
    'redirect-excessive: The artifact is redirected in a loop.',
    'artifact-loop',
    served('aloop', redirect('/aloop.tar.gz')),
  ],
  [
    'artifact-checksum-mismatch: 127.0.0.1',
    'artifact-html',
    served(
      'ahtml',
      byMethod({
        GET: answer({
          headers: { 'Content-Type': 'text/html', ...CORS },
          body: '<!doctype html><title>Sign in</title>',
        }),
      }),
    ),
  ],
  [
    'artifact-not-tar-gz: The artifact is not a valid .tar.gz: the gzip data ends too early.',
    'artifact-truncated',
    withBytes('truncated', archive('x').subarray(0, 40)),
  ],
  ['artifact-not-tar-gz: The artifact is plain text.', 'artifact-text', withBytes('text', 'no archive')],
  [
    'artifact-not-tar-gz: The artifact is zip data, not gzip.',
    'artifact-zip',
    withBytes('zip', Buffer.from('504b0304140000000000', 'hex')),
  ],
  ['artifact-not-tar-gz: The artifact is empty: 0 bytes.', 'artifact-empty', withBytes('empty', '')],
  [
    'artifact-not-tar-gz: The artifact is not a valid .tar.gz: the unpacked data is not a tar archive',
    'artifact-gzip-only',
    withBytes('gziponly', gzipSync('text')),
  ],
  ['artifact-unsafe-entry: The artifact', 'artifact-unsafe', withBytes('unsafe', tgz(entry('../app.js', 'x')))],
  [
    'version-duplicate: The version is listed more than once, with different checksums.',
    'duplicate',
    { versions: () => [good(), good({ artifactChecksum: `sha256:${'a'.repeat(64)}` })] },
  ],
];

/** A sound version below the faulty one. */
const sound = (): object[] => [
  good({ version: '0.9.0', artifactUrl: `${host.origin}/older.tar.gz`, artifactChecksum: checksum(older) }),
];

/**
 * Serves a registry with all of the apps.
 *
 * @param withSound also with each whose version is faulty a second time, with a sound version
 * @returns its URL
 */
export function serveFaultyApps(server: FaultHost, withSound = false): string {
  host = server;
  host.on('/good.tar.gz', gzipped(bytes));
  host.on('/older.tar.gz', gzipped(older));
  host.on('/icon.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG }) }));
  const apps: Record<string, object | null> = {};
  for (const [, key, { entry: fields = () => ({}), versions, metadata }] of FAULTY_APPS) {
    const own = fields();
    apps[key] = own === null ? null : { ...entryOf(key), ...own };
    serveMetadata(key, metadata?.() ?? { versions: versions?.() ?? [good()] });
    if (versions === undefined || !withSound || FAILING_REQUESTS.test(key)) continue;
    const second = secondKey(key);
    apps[second] = entryOf(second);
    serveMetadata(second, { versions: [...versions(), ...sound()] });
  }
  apps['sound'] = entryOf('sound');
  serveMetadata('sound', { versions: [...sound(), good()] });
  return host.on('/registry.json', tagged(JSON.stringify({ apps })));
}

/** More of these, and their host would no longer be requested. */
const FAILING_REQUESTS = /^artifact-(403|404|500|reset|loop)$/;

/** The key of the app that has a sound version as well. */
function secondKey(key: string): string {
  return `${key}-and-older`;
}

function entryOf(key: string): object {
  return {
    name: key,
    description: 'D',
    blockStyle: { iconUrl: `${host.origin}/icon.svg`, color: '#112233' },
    appMetadataUrl: `${host.origin}/${encodeURIComponent(key)}.json`,
  };
}

function serveMetadata(key: string, content: unknown): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  host.on(`/${encodeURIComponent(key)}.json`, typeof content === 'function' ? (content as Behaviour) : tagged(text));
}
