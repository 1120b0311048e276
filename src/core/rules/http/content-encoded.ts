import { hostOrCache } from '../owners.ts';
import { codings } from '../../http/headers.ts';
import { hostOf, lastHop } from '../../http/probe.ts';
import { defineRule } from '../rule.ts';
import { artifactChecksumMismatch } from '../artifacts/artifact-checksum-mismatch.ts';
import { documentUnreadable } from '../documents/document-unreadable.ts';
import { iconNotImage } from '../icons/icon-not-image.ts';

const KNOWN = new Set(['gzip', 'deflate', 'br', 'compress']);

export const contentEncoded = defineRule({
  id: 'content-encoded',
  on: 'resource',
  needs: ['role', 'web', 'answer'],
  severity: 'warning',
  spec: '7',
  symptom: 'by-resource',
  owner: hostOrCache,
  purge: 'last',
  supersededBy: [artifactChecksumMismatch, documentUnreadable, iconNotImage],
  causes: {
    'unknown-coding': { title: 'Content-Encoding names a coding that not every client knows' },
    labelled: { title: 'An artifact has a Content-Encoding' },
  },
  failsWhen: 'an artifact is labelled with a Content-Encoding, or another file with one that not every client knows',
  why: 'Clients that undo the label see other bytes than those that were hashed, and report a checksum mismatch. Where only the undone bytes match, artifact-checksum-mismatch says so.',
  check({ role, answer }) {
    const hop = lastHop(answer)!;
    const list = codings(hop.headers);
    if (list.length === 0) return null;
    const unknown = list.filter((coding) => !KNOWN.has(coding));
    const coding = list.join(', ');
    if (role !== 'artifact' && unknown.length === 0) return null;
    return {
      cause: unknown.length > 0 ? 'unknown-coding' : 'labelled',
      message:
        role === 'artifact'
          ? `${hostOf(hop.url)} labels the artifact with Content-Encoding: ${coding}; the bytes as sent are the listed ones, but clients that undo the label see others.`
          : `${hostOf(hop.url)} labels the ${role} with Content-Encoding: ${coding}, which ${list.includes('identity') ? 'names identity beside another coding: browsers then decode nothing, other clients do' : 'not every client knows'}.`,
      advice:
        role === 'artifact'
          ? 'Take the Content-Encoding off the stored file, and exclude .gz from the server’s compression.'
          : 'Take the Content-Encoding off the stored file, or use gzip where the client asks for it.',
      evidence: { contentEncoding: coding },
      dedupeKey: `${role} ${hostOf(hop.url)} ${coding}`,
    };
  },
});
