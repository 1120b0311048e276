import { message } from '../text/message.ts';
import { type ArtifactFacts, type Content, isMissing } from '../facts/facts.ts';
import { bytesOfHead, kindOf } from '../text/file-type.ts';
import { programMessage } from '../json/program-output.ts';
import type { Problem } from './rule.ts';
import { counted, shorten, safeExcerpt } from '../text/text.ts';
import { interceptedInstead, pageAnswer, pageInstead } from '../http/web-page.ts';

type SignatureCause =
  | 'empty-file'
  | 'program-message'
  | 'html-page'
  | 'git-lfs-pointer'
  | 'json-error'
  | 'xml-error'
  | 'text'
  | 'gzip-as-text'
  | 'gzip-as-base64'
  | 'line-ends-converted'
  | 'truncated'
  | 'unpacked'
  | 'bytes-added'
  | 'bytes-before';

type Signature = Problem<SignatureCause>;

/** Recognizes bytes in place of the listed artifact, determined by the bytes themselves; null if they look like one. */
export function contentSignature(content: Content, again: Content | null, facts: ArtifactFacts): Signature | null {
  const head = bytesOfHead(content.head);
  const kind = kindOf(head);
  const text = textOf(head);
  const intercepted = /^(empty|text)$/.test(kind)
    ? interceptedInstead(text, 'the artifact', pageAnswer(facts.web))
    : null;
  if (intercepted !== null) return { cause: 'html-page', ...intercepted };
  if (content.bytes === 0)
    return {
      cause: 'empty-file',
      message: isMissing(facts.web) ? message`The file is empty.` : message`The host serves an empty file.`,
      advice: message`Upload the artifact again.`,
    };
  return (
    (content.decoded === null ? bytesBefore(head, kind, facts) : null) ??
    messageSignature(kind, text, facts) ??
    conversionSignature(kind, facts) ??
    (kind === 'gzip' ? gzipSignature(content, again, facts.archive, text) : null)
  );
}

/** The beginning of a sentence about what is in place of the artifact. */
function serves({ web }: ArtifactFacts): string {
  return isMissing(web) ? 'The file is' : 'The host serves';
}

/** A text in place of the artifact: a page, a message of a program or of the host. */
function messageSignature(kind: string, text: string, facts: ArtifactFacts): Signature | null {
  const program = /^(html|xml|text|json)$/.test(kind) ? programMessage(text) : null;
  if (program !== null)
    return {
      cause: 'program-message',
      message: message`${serves(facts)} ${program.kind} instead of the artifact (“${program.text}”).`,
      advice: message`Check the program that serves this URL, or upload the artifact itself.`,
      evidence: { begins: program.text },
    };
  switch (kind) {
    case 'html':
      return { cause: 'html-page', ...pageInstead(text, 'the artifact', pageAnswer(facts.web)) };
    case 'git-lfs-pointer':
      return {
        cause: 'git-lfs-pointer',
        message: message`${serves(facts)} a Git LFS pointer, a few lines of text, instead of the artifact.`,
        advice: message`Serve the file itself: turn off Git LFS for it, or publish it as a release asset.`,
      };
    case 'text':
      return {
        cause: 'text',
        message: message`${serves(facts)} plain text instead of the artifact (“${safeExcerpt(firstLine(text), 80)}”).`,
        advice: message`Check the URL: this looks like an error message of the host.`,
      };
    case 'xml':
    case 'json':
    case 'svg': {
      const code = /<Code>([\w.-]{1,60})<\/Code>/.exec(text)?.[1];
      const isJson = kind === 'json';
      return {
        cause: isJson ? 'json-error' : 'xml-error',
        message: message`${serves(facts)} ${isJson ? 'JSON' : 'XML'} instead of the artifact${code ? ` (${code})` : ''}.`,
        advice: message`Check the URL: this looks like an error message of the host.`,
        evidence: { begins: text.slice(0, 200) },
      };
    }
    default:
      return null;
  }
}

/** The artifact in another form. */
function conversionSignature(kind: string, facts: ArtifactFacts): Signature | null {
  switch (kind) {
    case 'gzip-as-text':
      return {
        cause: 'gzip-as-text',
        message: message`The file was processed as text, which replaced some bytes.`,
        advice: message`Upload it as binary, with Content-Type: application/gzip`,
      };
    case 'gzip-as-base64':
      return {
        cause: 'gzip-as-base64',
        message: message`${serves(facts)} the artifact as base64 text.`,
        advice: message`Upload the file itself.`,
      };
    case 'tar':
      return {
        cause: 'unpacked',
        message: isMissing(facts.web)
          ? message`The file is the tar archive without its gzip compression.`
          : message`The host serves the tar archive without its gzip compression, which is removed in transit.`,
        advice: message`Remove the Content-Encoding from the stored file: stores decompress such objects for clients that do not accept gzip.`,
      };
    default:
      return null;
  }
}

/** A damaged archive. */
function gzipSignature(
  content: Content,
  again: Content | null,
  archive: ArtifactFacts['archive'],
  text: string,
): Signature | null {
  if (isMissing(archive)) return null;
  if (archive.fault?.layer === 'gzip') {
    if (lineEndsConverted(again?.lineFeeds, text))
      return {
        cause: 'line-ends-converted',
        message: message`The line endings of the file were converted (CR LF), which breaks binary files.`,
        advice: message`Upload it as binary; in .gitattributes: *.tar.gz binary`,
      };
    if (/TRUNCATED|BUF_ERROR|UNEXPECTED_END/i.test(archive.fault.code))
      return {
        cause: 'truncated',
        message: message`The file is truncated after ${counted(content.bytes, 'byte')}${isRound(content.bytes) ? ', a round number' : ''}: the archive is incomplete.`,
        advice: isRound(content.bytes)
          ? message`Check for a limit or a buffer of that size in the upload, the host or a proxy, then upload the complete file again.`
          : message`Upload the complete file again.`,
      };
  }
  if (archive.trailing?.layer !== 'gzip') return null;
  return {
    cause: 'bytes-added',
    message: message`The file has ${counted(archive.trailing.bytes, 'byte')} after the end of the archive; the listed checksum may be that of the file without them.`,
    advice: message`Upload the file again as built: a script or an editor added bytes to it.`,
  };
}

/** Recognizes bytes before the archive: the message of a program, a byte order mark, the headers of a response. */
function bytesBefore(head: Uint8Array, kind: string, facts: ArtifactFacts): Signature | null {
  if (!/^(unknown|html|xml|text|json)$/.test(kind)) return null;
  // The magic number, the only defined method, and flags of which three bits are reserved (RFC 1952 section 2.3.1).
  const length = head.findIndex(
    (byte, i) => byte === 0x1f && head[i + 1] === 0x8b && head[i + 2] === 8 && (head[i + 3] ?? 255) < 32,
  );
  if (length < 1) return null;
  const text = textOf(head.subarray(0, length));
  const program = programMessage(text);
  return {
    cause: 'bytes-before',
    message: message`${isMissing(facts.web) ? 'The file has' : 'The host serves'} ${counted(length, 'byte')} before the archive${describePrefix(text, program)}; gzip begins at byte ${length + 1}.`,
    advice: program
      ? program.advice
      : message`Serve the file as built: a program, an editor or the upload added bytes to it. Do this before you change the checksum.`,
  };
}

function describePrefix(text: string, program: ReturnType<typeof programMessage>): string {
  if (text === '\xef\xbb\xbf') return ': a byte order mark';
  if (program) return `: ${program.kind} (“${program.text}”)`;
  const line = firstLine(text);
  return /^[ -~]+$/.test(line) ? `: “${shorten(line, 80)}”` : '';
}

function firstLine(text: string): string {
  return text.trim().replace(/[\r\n].*/s, '');
}

function isRound(bytes: number): boolean {
  return bytes > 0 && (bytes % 4096 === 0 || bytes % 10_000 === 0);
}

function textOf(head: Uint8Array): string {
  return String.fromCharCode(...head);
}

/** Every LF follows a CR, several times: unlikely by chance in compressed bytes. */
function lineEndsConverted(counted: Content['lineFeeds'], text: string): boolean {
  if (counted) return counted.all >= 2 && counted.all === counted.afterCr;
  const ends = text.match(/\r?\n/g) ?? [];
  return ends.length >= 2 && ends.every((end) => end === '\r\n');
}
