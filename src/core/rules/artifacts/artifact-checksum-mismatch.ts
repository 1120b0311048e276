import { message, safe } from '../../text/message.ts';
import { authorOrCopy, hostOrCache, pageOwner } from '../owners.ts';
import { sameDigest } from '../../registry/baseline.ts';
import { framingDiffers } from '../../registry/archive-policy.ts';
import type { ArchiveFacts, ArtifactFacts, Content, PublishedVersion, Probe } from '../../facts/facts.ts';
import { isMissing } from '../../facts/facts.ts';
import { checksumError, digestOf } from '../../registry/checksum.ts';
import { headerValue } from '../../http/headers.ts';
import { contentSignature } from '../content-signature.ts';
import { kindOfContent } from '../../text/file-type.ts';
import { lastHop, whyUndecoded } from '../../http/probe.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, explainedBy, only, type Problem } from '../rule.ts';
import { NOT_ITS_URL } from '../other-url.ts';
import { otherAppsArtifact } from '../other-app.ts';
import { otherVersion } from '../other-version.ts';
import type { artifactChanged } from '../history/artifact-changed.ts';
import type { checksumMalformed } from '../metadata/checksum-malformed.ts';
import type { checksumPlaceholder } from '../metadata/checksum-placeholder.ts';

/** For a file of the workspace. */
const REBUILD = message`Restore the published file, or build the archive again if it was never published.`;

const CAUSES = {
  intermittent: { title: 'A second download has the listed digest', owner: hostOrCache },
  'empty-file': { title: 'The file is empty', owner: authorOrCopy, local: REBUILD },
  'html-page': { title: 'An HTML page instead of the artifact', owner: pageOwner, local: REBUILD },
  'json-error': { title: 'JSON instead of the artifact', owner: 'host', local: REBUILD },
  'xml-error': { title: 'XML instead of the artifact', owner: 'host', local: REBUILD },
  'program-message': { title: 'The output of a program instead of the artifact', owner: 'host', local: REBUILD },
  text: { title: 'Plain text instead of the artifact', local: REBUILD },
  'git-lfs-pointer': {
    title: 'A Git LFS pointer instead of the artifact',
    owner: 'host',
    local: message`Fetch the file (git lfs pull), or do not store artifacts in LFS.`,
  },
  'gzip-as-text': {
    title: 'The file was processed as text',
    local: message`${safe(REBUILD)} Mark it as binary: in .gitattributes, *.tar.gz binary`,
  },
  'line-ends-converted': {
    title: 'The line endings of the file were converted',
    local: message`${safe(REBUILD)} Mark it as binary: in .gitattributes, *.tar.gz binary`,
  },
  'gzip-as-base64': { title: 'The artifact is base64 text', local: message`Decode the file (base64 --decode).` },
  unpacked: { title: 'The artifact has no gzip compression', local: REBUILD },
  truncated: { title: 'The file ends early', owner: authorOrCopy, local: REBUILD },
  'bytes-before': {
    title: 'Bytes precede the archive',
    local: message`${safe(REBUILD)} Do this before you change the checksum.`,
  },
  'bytes-added': { title: 'Bytes follow the archive', local: REBUILD },
  joined: { title: 'The file consists of several archives', local: REBUILD },
  'decoded-bytes-match': { title: 'The decoded bytes have the listed digest', owner: hostOrCache, purge: 'last' },
  'compressed-twice': { title: 'The artifact is compressed twice' },
  're-encoded': { title: 'The artifact was compressed again in transit', owner: hostOrCache, purge: 'last' },
  'inner-tar-listed': { title: 'The listed digest is that of the tar archive inside' },
  'other-versions-artifact': { title: 'The file is the artifact of another version' },
  'other-apps-artifact': { title: 'The file is the artifact of another app' },
  'unstable-bytes': { title: 'Each download has a different digest' },
  'published-bytes': { title: 'The listed checksum changed since it was published' },
  'changed-since': { title: 'The file was replaced since it was published' },
  'other-bytes': { title: 'The file has different content', owner: authorOrCopy },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

const CHANGED_LISTING = explainedBy<typeof artifactChanged>(
  'artifact-changed',
  'The listed checksum was changed, and the file was not: that finding names the checksum to restore',
);

export const artifactChecksumMismatch = defineRule({
  id: 'artifact-checksum-mismatch',
  title: 'Artifact whose SHA-256 differs from the listed one',
  on: 'artifact',
  needs: ['facts', 'content', 'checksum', 'all', 'artifacts', 'app', 'otherApps', 'before'],
  severity: 'error',
  spec: '7',
  symptom: 'checksum-mismatch',
  owner: 'author',
  supersededBy: [
    ...only(
      [
        explainedBy<typeof checksumPlaceholder>(
          'checksum-placeholder',
          'No artifact has the listed checksum, and that finding names the one to list',
        ),
        explainedBy<typeof checksumMalformed>(
          'checksum-malformed',
          'The listed text is a placeholder, and that finding names the checksum to list',
          'placeholder',
        ),
      ],
      'other-bytes',
      'other-apps-artifact',
    ),
    ...only(NOT_ITS_URL, 'html-page', 'json-error', 'xml-error', 'text'),
  ],
  causes: CAUSES,
  failsWhen:
    'the SHA-256 of the artifact differs from the listed one. If a second download has the listed one, this is a warning',
  why: 'The service refuses such an artifact, to prevent tampering: the version cannot be installed.',
  examples: {
    bad: `artifactChecksum: sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
$ sha256sum echo-1.0.0.tar.gz
a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447  echo-1.0.0.tar.gz`,
    good: `artifactChecksum: sha256:3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b
$ sha256sum echo-1.0.0.tar.gz
3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b  echo-1.0.0.tar.gz`,
  },
  check({ facts, content, checksum, all, artifacts, app, otherApps, before }) {
    const digest = digestOf(checksum) ?? digestOf(checksumError(checksum)?.repaired ?? '');
    // A value that is not a SHA-256 digest is reported by checksum-malformed, which names the digest to list.
    if (digest === null || content.sha256 === digest || content.cut) return null;
    const again = facts.again && !isMissing(facts.again) ? facts.again : null;
    const ofOther = otherApps?.withDigest(content.sha256, app) ?? null;
    const answer = isMissing(facts.web) ? null : lastHop(facts.web.server);
    const found =
      again?.sha256 === digest
        ? intermittent(facts)
        : (contentSignature(content, again, facts) ??
          byDigest(digest, content, again, facts) ??
          otherVersion(facts, content, checksum, all, artifacts) ??
          (ofOther && otherAppsArtifact(ofOther)) ??
          reEncoded(content) ??
          unstable(content, again) ??
          changed(content, digest, before) ??
          joined(facts.archive) ??
          unknown(content, facts));
    return {
      ...found,
      evidence: {
        listed: `sha256:${digest}`,
        found: `sha256:${content.sha256}`,
        bytes: content.bytes,
        decoded: content.decoded?.sha256 ? `sha256:${content.decoded.sha256}` : null,
        again: again ? `sha256:${again.sha256}` : null,
        ...(answer ? httpEvidence(answer.headers) : {}),
        ...found.evidence,
      },
    };
  },
});

function httpEvidence(headers: Probe['hops'][number]['headers']): Record<string, string | null> {
  const evidence: Record<string, string | null> = { contentType: headerValue(headers, 'content-type') };
  for (const name of ['content-encoding', 'etag', 'last-modified', 'age', 'via', 'cf-cache-status', 'x-cache']) {
    const value = headerValue(headers, name);
    if (value !== null) evidence[name] = value;
  }
  return evidence;
}

function intermittent(facts: ArtifactFacts): Problem<Cause> {
  const headers = isMissing(facts.web) ? [] : (lastHop(facts.web.server)?.headers ?? []);
  const cached = headerValue(headers, 'age') !== null || headerValue(headers, 'via') !== null;
  return {
    severity: 'warning',
    cause: 'intermittent',
    message: message`The first download did not match the listed checksum, but the second one did: subscribers get one or the other.`,
    advice: message`${cached ? 'A cache has an older copy: purge it' : 'Some of the servers or caches behind this address have a different file: update them'}, and publish changes only as new versions.`,
  };
}

/** The cause, determined by another digest that matches. */
function byDigest(
  digest: string,
  content: Content,
  again: Content | null,
  { archive, web }: ArtifactFacts,
): Problem<Cause> | null {
  const decodedKind = content.decoded?.error === null ? kindOfContent(content.decoded.head) : null;
  if (content.decoded?.sha256 === digest && decodedKind !== 'tar') {
    return {
      cause: 'decoded-bytes-match',
      message: message`The bytes as sent do not match the listed checksum; they match only after decoding the Content-Encoding (${content.decoded.coding}). Clients that hash the bytes as sent reject the artifact.`,
      advice: message`Exclude .gz files from the server’s or CDN’s compression, so that the stored bytes are sent as they are.`,
    };
  }
  const inner = content.inner ?? again?.inner ?? null;
  const why = whyUndecoded(web);
  if (inner === digest && !isMissing(archive) && archive.fault?.code === 'gzip-inside')
    return {
      cause: 'compressed-twice',
      message: message`The host serves the listed artifact with an additional layer of compression, ${why === null ? 'without a Content-Encoding' : `and ${why}`}.`,
      advice: message`Upload the file as built, and exclude .gz files from compression.`,
    };
  if (inner === digest || content.decoded?.sha256 === digest)
    return {
      cause: 'inner-tar-listed',
      message: message`The listed checksum is that of the tar archive inside; it must be that of the .tar.gz file.`,
      advice: message`List "artifactChecksum": "sha256:${content.sha256}"`,
    };
  return null;
}

/** A compressed tar with a Content-Encoding, of which neither layer has the listed digest. */
function reEncoded({ decoded }: Content): Problem<Cause> | null {
  if (decoded === null || decoded.error !== null || kindOfContent(decoded.head) !== 'tar') return null;
  return {
    cause: 're-encoded',
    message: message`Neither the bytes as sent (Content-Encoding: ${decoded.coding}) nor the decoded ones match: the artifact is probably unpacked and repacked in transit.`,
    advice: message`Exclude .gz files from compression where the Content-Encoding is added (a setting of the CDN, the server or the stored object). The listed checksums may be correct: do that before you change them. If the bytes differ even without it, the file is a different build: restore the published one.`,
  };
}

function unstable(content: Content, again: Content | null): Problem<Cause> | null {
  if (again === null || again.sha256 === content.sha256) return null;
  return {
    cause: 'unstable-bytes',
    message: message`Two downloads had two different digests, neither of them the listed one: the archive is generated for each request.`,
    advice: message`List a stored file (a release asset or an object of your own), not a generated archive.`,
  };
}

/** The cause, determined by the baseline. */
function changed(content: Content, digest: string, before: PublishedVersion | null): Problem<Cause> | null {
  if (before === null) return null;
  if (sameDigest(before.artifactChecksum, `sha256:${content.sha256}`))
    return {
      cause: 'published-bytes',
      supersededBy: [CHANGED_LISTING],
      message: message`These are the published bytes; the listed checksum has changed since.`,
      advice: message`Restore "artifactChecksum": "sha256:${content.sha256}", and publish a change as a new version.`,
    };
  if (!sameDigest(before.artifactChecksum, `sha256:${digest}`)) return null;
  return {
    cause: 'changed-since',
    message: message`The version was published with this checksum; the file has been replaced since.`,
    advice: message`Restore the published file, and publish the change as a new version.`,
  };
}

/** The same archive twice, or two archives: an upload that was appended to an earlier one. */
function joined(archive: ArtifactFacts['archive']): Problem<Cause> | null {
  if (isMissing(archive)) return null;
  const codes = archive.oddities.map(({ code }) => code);
  if (!codes.includes('several-members') || !codes.includes('entries-after-end')) return null;
  return {
    cause: 'joined',
    message: message`The file consists of several archives, one after another; the listed checksum may be that of one.`,
    advice: message`Upload the file again as built: one upload was probably appended to another. Keep the listed checksum.`,
  };
}

function unknown(content: Content, { archive, web }: ArtifactFacts): Problem<Cause> {
  const summary = 'The SHA-256 of the artifact differs from the listed one';
  if (!isMissing(archive) && !mayBeTarGz(archive)) {
    const looks = /^(gzip|unknown)$/.test(archive.kind) ? '' : ` (it looks like: ${archive.kind})`;
    return {
      cause: 'other-bytes',
      message: message`${summary}, and it is not a complete .tar.gz archive${looks}.`,
      advice: message`${safe(isMissing(web) ? REBUILD : message`Upload the published file again, in binary mode.`)} Do not change the listed checksum: the service cannot unpack this file.`,
    };
  }
  return {
    cause: 'other-bytes',
    message: message`${summary}.`,
    advice: message`If it was never published before, list "artifactChecksum": "sha256:${content.sha256}"; otherwise restore the published file, and publish the change as a new version.`,
  };
}

/** True unless the bytes are known not to be a .tar.gz that tools can unpack. */
function mayBeTarGz(archive: ArchiveFacts): boolean {
  if (archive.kind !== 'gzip') return false;
  return archive.stopped !== null || archive.fault === null || framingDiffers(archive);
}
