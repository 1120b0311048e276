import { sameDigest } from '../earlier.ts';
import type { ArtifactFacts, Content, EarlierVersion, Hop, Visit } from '../facts.ts';
import { isUnseen } from '../facts.ts';
import { checksumFault, digestOf, EMPTY_SHA256 } from '../checksum.ts';
import { isCached } from '../cache.ts';
import { header } from '../headers.ts';
import { defineRule, type Problem, type VersionEntry } from '../rule.ts';
import { kindOfHead, tellingBytes } from '../telling-bytes.ts';
import { lastHop } from '../visit.ts';

export const artifactChecksumMismatch = defineRule({
  id: 'artifact-checksum-mismatch',
  on: 'artifact',
  needs: ['facts', 'content', 'checksum', 'all', 'before'],
  severity: 'error',
  spec: '7',
  symptom: 'checksum-mismatch',
  when: 'the SHA-256 of the artifact’s bytes is not the listed one; the cause is named where it can be: decoded-bytes-match, html-page, lfs-pointer, empty-file, truncated, other-versions-artifact, inner-tar-listed, changed-since, … Where a second look got the right bytes, a warning',
  why: 'The service refuses an artifact whose SHA-256 differs, to prevent tampering: the version cannot be installed.',
  check({ facts, content, checksum, all, before }) {
    const digest = digestOf(checksum) ?? digestOf(checksumFault(checksum)?.repaired ?? '');
    // A value that is no SHA-256 at all is checksum-malformed, which names the digest to list.
    if (digest === null || content.sha256 === digest || content.cut) return null;
    const again = facts.again && !isUnseen(facts.again) ? facts.again : null;
    const answer = isUnseen(facts.web) ? null : lastHop(facts.web.service);
    const found =
      again?.sha256 === digest
        ? intermittent(facts)
        : (tellingBytes(content, again, facts) ??
          byDigest(digest, content, again, all, facts.archive) ??
          changed(content, digest, before) ??
          unknown(content, answer));
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

function httpEvidence(headers: Visit['hops'][number]['headers']): Record<string, string | null> {
  const evidence: Record<string, string | null> = { contentType: header(headers, 'content-type') };
  for (const name of ['content-encoding', 'etag', 'last-modified', 'age', 'via', 'cf-cache-status', 'x-cache']) {
    const value = header(headers, name);
    if (value !== null) evidence[name] = value;
  }
  return evidence;
}

function intermittent(facts: ArtifactFacts): Problem {
  const headers = isUnseen(facts.web) ? [] : (lastHop(facts.web.service)?.headers ?? []);
  const cached = header(headers, 'age') !== null || header(headers, 'via') !== null;
  return {
    severity: 'warning',
    cause: 'intermittent',
    message:
      'The first download had other bytes than listed, the second one the right ones: subscribers get now these, now those.',
    advice: `${cached ? 'A cache holds an older copy: purge it' : 'Some of the servers or caches behind this address hold other bytes: bring them up to date'}, and publish changes only as new versions.`,
  };
}

/** Told by a digest that does match something. */
function byDigest(
  digest: string,
  content: Content,
  again: Content | null,
  all: readonly VersionEntry[],
  archive: ArtifactFacts['archive'],
): Problem | null {
  const decodedKind = content.decoded?.error === null ? kindOfHead(content.decoded.head) : null;
  if (content.decoded?.sha256 === digest && decodedKind !== 'tar') {
    return {
      cause: 'decoded-bytes-match',
      message: `The bytes as sent are not the listed ones; only after undoing the Content-Encoding (${content.decoded.coding}) they match. Clients that hash what is sent refuse the artifact.`,
      advice:
        'Exclude .gz files from the server’s or CDN’s compression, so that the stored bytes are sent as they are.',
    };
  }
  if (digest === EMPTY_SHA256)
    return {
      cause: 'empty-digest-listed',
      message: 'The listed checksum is that of an empty file: it was computed before the artifact was there.',
      advice: `If these are the published bytes, list "artifactChecksum": "sha256:${content.sha256}"`,
    };
  const inner = content.inner ?? again?.inner ?? null;
  if (inner === digest && !isUnseen(archive) && archive.fault?.code === 'gzip-inside')
    return {
      cause: 'compressed-twice',
      message: 'The host serves the listed artifact compressed once more, without saying so.',
      advice: 'Upload the file as it was built, and exclude .gz files from compression.',
    };
  if (inner === digest || content.decoded?.sha256 === digest)
    return {
      cause: 'inner-tar-listed',
      message: 'The listed checksum is that of the tar inside; it must be that of the .tar.gz file.',
      advice: `List "artifactChecksum": "sha256:${content.sha256}"`,
    };
  const other = all.find((entry) => entry.artifactChecksum === `sha256:${content.sha256}`);
  if (other) {
    return {
      cause: 'other-versions-artifact',
      message: `These are the bytes of version ${other.version ?? '(unnamed)'}: the artifacts or their entries were swapped.`,
      advice: 'Compare the artifactUrl and artifactChecksum of both versions, and put the right file in its place.',
      evidence: { otherVersion: other.version },
    };
  }
  if (content.decoded && decodedKind === 'tar') {
    return {
      cause: 're-encoded',
      message: `The host unpacks the artifact and packs it again on the way (Content-Encoding: ${content.decoded.coding}), so neither the sent nor the undone bytes are the listed ones.`,
      advice:
        'Exclude .gz files from the server’s compression (gzip_types is too wide, or the object’s Content-Encoding is set).',
    };
  }
  if (again && again.sha256 !== content.sha256) {
    return {
      cause: 'unstable-bytes',
      message:
        'Two downloads had two different digests, neither of them the listed one: the archive is made anew for each request.',
      advice: 'List a stored file (a release asset or an object of your own), not a generated archive.',
    };
  }
  return null;
}

/** Told by what had been published. */
function changed(content: Content, digest: string, before: EarlierVersion | null): Problem | null {
  if (before === null) return null;
  if (sameDigest(before.artifactChecksum, `sha256:${content.sha256}`))
    return {
      cause: 'published-bytes',
      message: 'These are the bytes that were published; it is the listed checksum that has changed since.',
      advice: `Restore "artifactChecksum": "sha256:${content.sha256}", and publish a change as a new version.`,
    };
  if (!sameDigest(before.artifactChecksum, `sha256:${digest}`)) return null;
  return {
    cause: 'changed-since',
    message: 'The version was published with this very checksum; the file at its URL has been replaced since.',
    advice: 'Put the published file back, and publish the change as a new version.',
  };
}

function unknown(content: Content, answer: Hop | null): Problem {
  const cached = answer !== null && isCached(answer.headers);
  return {
    cause: 'other-bytes',
    message: 'The SHA-256 of the artifact is not the listed one.',
    advice: `${cached ? 'The answer came from a cache, which may hold an older file: purge it, and check again. ' : ''}If it was never published before, list "artifactChecksum": "sha256:${content.sha256}"; otherwise put the published file back, and publish the change as a new version.`,
  };
}
