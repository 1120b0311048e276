import type { ArtifactFacts, Content, Visit } from '../facts.ts';
import { isUnseen } from '../facts.ts';
import { checksumFault, digestOf, EMPTY_SHA256 } from '../checksum.ts';
import { header } from '../headers.ts';
import { kindOf } from '../magic.ts';
import { defineRule, type Problem, type VersionEntry } from '../rule.ts';
import { lastHop } from '../visit.ts';

export const artifactChecksumMismatch = defineRule({
  id: 'artifact-checksum-mismatch',
  on: 'artifact',
  needs: ['facts', 'content', 'checksum', 'all'],
  severity: 'error',
  spec: '7',
  symptom: 'checksum-mismatch',
  when: 'the SHA-256 of the artifact’s bytes is not the listed one; the cause is named where it can be: decoded-bytes-match, html-page, lfs-pointer, empty-file, truncated, other-versions-artifact, inner-tar-listed, … Where a second look got the right bytes, a warning',
  why: 'The service refuses an artifact whose SHA-256 differs, to prevent tampering: the version cannot be installed.',
  check({ facts, content, checksum, all }) {
    const digest = digestOf(checksum) ?? digestOf(checksumFault(checksum)?.repaired ?? '');
    // A value that is no SHA-256 at all is checksum-malformed, which names the digest to list.
    if (digest === null || content.sha256 === digest || content.cut) return null;
    const again = facts.again && !isUnseen(facts.again) ? facts.again : null;
    const found =
      again?.sha256 === digest
        ? intermittent(facts)
        : (byBytes(content, facts) ?? byDigest(digest, content, again, all) ?? unknown(content));
    const answer = isUnseen(facts.web) ? null : lastHop(facts.web.service);
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

/** Told by the bytes themselves. */
function byBytes(content: Content, facts: ArtifactFacts): Problem | null {
  const head = bytesOf(content.head);
  const kind = kindOf(head);
  const text = textOf(head);
  if (content.bytes === 0)
    return { cause: 'empty-file', message: 'The host serves an empty file.', advice: 'Upload the artifact again.' };
  if (kind === 'html')
    return {
      cause: 'html-page',
      message: `The host serves an HTML page instead of the artifact${titleOf(text)}.`,
      advice: 'Check the URL: a login page, a page for people, or an error page with status 200 stands there.',
    };
  if (kind === 'git-lfs-pointer')
    return {
      cause: 'lfs-pointer',
      message: 'The host serves a Git LFS pointer, a few lines of text, instead of the artifact.',
      advice: 'Serve the file itself: switch Git LFS off for it, or publish it as a release asset.',
    };
  if (kind === 'xml' || kind === 'json' || kind === 'svg') {
    const code = /<Code>([\w.-]{1,60})<\/Code>/.exec(text)?.[1];
    return {
      cause: `${kind === 'json' ? 'json' : 'xml'}-error`,
      message: `The host serves ${kind === 'json' ? 'JSON' : 'XML'} instead of the artifact${code ? ` (${code})` : ''}.`,
      advice: 'Check the URL: this looks like a message of the host.',
      evidence: { begins: text.slice(0, 200) },
    };
  }
  if (kind === 'gzip-as-text' || text.startsWith('\u001f\u00ef\u00bf\u00bd'))
    return {
      cause: 'text-conversion',
      message: 'The file went through a conversion of text: its bytes that are no UTF-8 were replaced.',
      advice: 'Upload it as binary, with Content-Type: application/gzip',
    };
  if (kind === 'gzip-as-base64')
    return {
      cause: 'base64',
      message: 'The host serves the artifact as base64 text.',
      advice: 'Upload the file itself.',
    };
  const { archive } = facts;
  if (kind === 'gzip' && !isUnseen(archive) && archive.fault?.layer === 'gzip') {
    if (lineEndsConverted(text))
      return {
        cause: 'line-ends-converted',
        message: 'The file went through a conversion of line ends (CR LF), which breaks binary files.',
        advice: 'Upload it as binary; in git mark it so: *.tar.gz binary',
      };
    if (/TRUNCATED|BUF_ERROR|UNEXPECTED_END/i.test(archive.fault.code))
      return {
        cause: 'truncated',
        message: `The file breaks off after ${content.bytes} bytes: the archive has no end.`,
        advice: 'Upload it again, whole.',
      };
  }
  return null;
}

/** Told by a digest that does match something. */
function byDigest(
  digest: string,
  content: Content,
  again: Content | null,
  all: readonly VersionEntry[],
): Problem | null {
  if (content.decoded?.sha256 === digest) {
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
  if (inner === digest)
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
  if (content.decoded && content.decoded.error === null && kindOf(bytesOf(content.decoded.head)) === 'tar') {
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

function unknown(content: Content): Problem {
  return {
    cause: 'other-bytes',
    message: 'The SHA-256 of the artifact is not the listed one.',
    advice: `If it was never published before, list "artifactChecksum": "sha256:${content.sha256}"; otherwise put the published file back, and publish the change as a new version.`,
  };
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

function textOf(head: Uint8Array): string {
  return String.fromCharCode(...head);
}

function titleOf(text: string): string {
  const title = /<title[^>]{0,100}>([^<]{1,100})/i.exec(text)?.[1]?.trim();
  return title ? ` (“${title}”)` : '';
}

/** Every LF behind a CR, several times over: compressed bytes do not look like that by chance. */
function lineEndsConverted(text: string): boolean {
  const ends = text.match(/\r?\n/g) ?? [];
  return ends.length >= 2 && ends.every((end) => end === '\r\n');
}
