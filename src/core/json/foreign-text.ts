import { messageInPlaceOfJson } from './program-output.ts';
import { HTML_START } from '../text/file-type.ts';
import { message } from '../text/message.ts';
import { counted, printable, safeExcerpt } from '../text/text.ts';
import { documentSyntaxError, type DocumentSyntaxError } from './document-syntax-error.ts';
import { utfOf } from '../text/utf.ts';

/** Files that are not JSON, recognized by their bytes or their beginning. */

/** The fault of bytes (base64) that are not UTF-8. */
export function syntaxErrorInBytes(base64: string): DocumentSyntaxError {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const form = utfOf(bytes);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    return documentSyntaxError(
      'gzip',
      0,
      message`The file is gzip data, not JSON text.`,
      message`Upload the uncompressed JSON, or configure the host to send Content-Encoding: gzip.`,
    );
  }
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd) {
    return documentSyntaxError(
      'zstd',
      0,
      message`The file is zstd data, not JSON text; few clients can decode it.`,
      message`Send the JSON uncompressed, or compressed with gzip for clients that accept it.`,
    );
  }
  if (form !== null) return { ...otherForm(form), evidence: { byteOffset: 0, encoding: form } };
  const gzipAt = gzipOffset(bytes);
  if (gzipAt !== null)
    return {
      ...documentSyntaxError(
        'gzip',
        0,
        message`The file is gzip data after ${counted(gzipAt, 'other byte')}: gzip begins at byte ${gzipAt + 1}.`,
        message`Upload the file as built: a program, an editor or the upload added bytes before it.`,
      ),
      evidence: { byteOffset: gzipAt },
    };
  const offset = invalidUtf8Offset(bytes);
  if (isBinary(bytes))
    return {
      ...documentSyntaxError(
        'not-utf8',
        offset,
        message`The file is binary data, not JSON text.`,
        message`Check that the URL leads to the JSON file. If it is compressed (br, deflate), the host must send Content-Encoding, and only to clients that accept it.`,
      ),
      evidence: { byteOffset: offset },
    };
  return {
    ...documentSyntaxError(
      'not-utf8',
      offset,
      message`Byte ${offset} (0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')}) is not valid UTF-8.`,
      message`Save the file as UTF-8 without a byte order mark.`,
    ),
    evidence: { byteOffset: offset },
  };
}

/** The offset of a gzip header behind other bytes at the start (RFC 1952 section 2.3.1); null if there is none. */
function gzipOffset(bytes: Uint8Array): number | null {
  const head = bytes.subarray(0, 512);
  const at = head.findIndex(
    (byte, i) => byte === 0x1f && head[i + 1] === 0x8b && head[i + 2] === 8 && (head[i + 3] ?? 255) < 32,
  );
  return at < 1 ? null : at;
}

/** More control characters than a typing error leaves in a text. */
function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 4096);
  const controls = head.filter((byte) => byte < 0x20 && ![9, 10, 12, 13].includes(byte)).length;
  return controls >= 2 && controls > head.length / 50;
}

function otherForm(form: string): DocumentSyntaxError {
  return documentSyntaxError(
    'not-utf8',
    0,
    message`The file is ${form}, not UTF-8.`,
    message`Save the file as UTF-8 without a byte order mark.`,
  );
}

/** Files of another format, recognized by their beginning (after a BOM); null if the text may be JSON. */
export function foreignKind(text: string): DocumentSyntaxError | null {
  const head = text
    .slice(0, 4096)
    .trimStart()
    .replace(/^(<!--[^]*?-->\s*)+/, '');
  if (head === '' && text.trim() === '')
    return documentSyntaxError(
      'empty',
      0,
      text === '' ? message`The file is empty.` : message`The file contains only white space.`,
      message`Upload the JSON again; the step that wrote it failed.`,
    );
  if (head.startsWith('version https://git-lfs.github.com/')) {
    return documentSyntaxError(
      'git-lfs-pointer',
      0,
      message`This is a Git LFS pointer, not the file itself.`,
      message`Fetch LFS files in the pipeline before publishing (git lfs pull), or do not store JSON in LFS.`,
    );
  }
  const summary = messageInPlaceOfJson(text);
  if (summary !== null) return summary;
  if (/^<\?(?!xml)/i.test(head))
    return documentSyntaxError(
      'source-code',
      0,
      message`This is the source of a program (it begins with <?), not JSON.`,
      message`Configure the host to run the program, or upload the JSON that it generates.`,
    );
  if (HTML_START.test(head)) {
    // The kind of page, and so the advice, is determined with the response: web-page.ts.
    return documentSyntaxError(
      'html-page',
      0,
      message`This is an HTML page, not JSON.`,
      message`Check the URL: it must lead to the JSON file itself.`,
    );
  }
  if (/^<(\?xml|!doctype|[a-z])/i.test(head)) return xmlFault(text, head);
  // "Not Found", "404: page not found": one short line of words.
  const line = head.length < 300 ? head.trimEnd() : '';
  if (
    /^(?!(?:true|false|null)\b)[\p{L}\d][^\r\n{}[\]"'`=<>\\]*$/u.test(line) &&
    /\p{L}{2}.* \p{L}{2}|\d: \p{L}{2}/u.test(line)
  ) {
    return documentSyntaxError(
      'text-message',
      0,
      message`This is a line of text (“${safeExcerpt(line, 80)}”), not JSON.`,
      message`It looks like an error message of the host: check the URL, that the file was uploaded, and that it is public.`,
    );
  }
  if (isYaml(head)) {
    const isHelm = /^apiVersion:/m.test(head) && /^entries:/m.test(head);
    return documentSyntaxError(
      'yaml',
      0,
      isHelm ? message`This is the index of a Helm repository, in YAML, not JSON.` : message`This is YAML, not JSON.`,
      isHelm
        ? message`Use the URL of the JSON file of this registry: a chart repository is another kind of registry.`
        : message`Write the file as JSON, or use the URL of the JSON file.`,
    );
  }
  const form = utfOf(Array.from(text.slice(0, 4), (c) => c.charCodeAt(0)));
  return form === null ? null : otherForm(form);
}

/** True for several lines that each are a mapping, an element of a sequence, or a comment of YAML. */
function isYaml(head: string): boolean {
  const lines = head.split(/\r?\n/).filter((line) => line.trim() !== '');
  const [first = ''] = lines[0] === '---' ? lines.slice(1) : lines;
  if (lines.length < 2 || !/^(?:[A-Za-z_][\w.-]*|"[^"]*"):(?:\s|$)/.test(first)) return false;
  return lines.slice(0, 8).every((line) => /^(?:---$|\s*#|\s*- |\s*(?:[\w./-]+|"[^"]*"):(?:\s|$))/.test(line));
}

/** XML in place of JSON: the error of an object store, or another document. */
function xmlFault(text: string, head: string): DocumentSyntaxError {
  const code = /<Code>([^<]{1,80})<\/Code>/.exec(text)?.[1];
  const root = /<([A-Za-z_][\w.:-]{0,60})/.exec(head.replace(/^(<[?!][^>]{0,500}>\s*)+/, ''))?.[1];
  if (root?.toLowerCase() === 'svg')
    return documentSyntaxError(
      'svg-image',
      0,
      message`This is an SVG image, not JSON.`,
      message`Check the URL: it leads to an icon.`,
    );
  const isError = code !== undefined || /error|exception|fault/i.test(root ?? '');
  const rootName = root ? ` (<${printable(root)}>)` : '';
  return {
    ...documentSyntaxError(
      'xml-error',
      0,
      message`This is XML${code ? ` with the error code ${code}` : rootName}, not JSON.`,
      isError
        ? message`Object stores respond with XML if an object is missing or not public: check the URL and the permissions.`
        : message`Check the URL: it must lead to the JSON file itself.`,
    ),
    ...(code ? { evidence: { code } } : {}),
  };
}

/** Sequences of UTF-8 by their lead byte: the length, and the bounds of the second byte (Unicode standard, table 3-7). */
const SEQUENCES = [
  { first: 0x00, last: 0x7f, length: 1, low: 0x80, high: 0xbf },
  { first: 0xc2, last: 0xdf, length: 2, low: 0x80, high: 0xbf },
  { first: 0xe0, last: 0xe0, length: 3, low: 0xa0, high: 0xbf },
  { first: 0xe1, last: 0xec, length: 3, low: 0x80, high: 0xbf },
  { first: 0xed, last: 0xed, length: 3, low: 0x80, high: 0x9f },
  { first: 0xee, last: 0xef, length: 3, low: 0x80, high: 0xbf },
  { first: 0xf0, last: 0xf0, length: 4, low: 0x90, high: 0xbf },
  { first: 0xf1, last: 0xf3, length: 4, low: 0x80, high: 0xbf },
  { first: 0xf4, last: 0xf4, length: 4, low: 0x80, high: 0x8f },
] as const;

/** The offset of the first byte that is invalid in UTF-8; 0 if there is none. */
function invalidUtf8Offset(bytes: Uint8Array): number {
  for (let start = 0; start < bytes.length;) {
    const lead = bytes[start] ?? 0;
    const sequence = SEQUENCES.find(({ first, last }) => lead >= first && lead <= last);
    if (sequence === undefined || !isComplete(bytes, start, sequence)) return start;
    start += sequence.length;
  }
  return 0;
}

function isComplete(bytes: Uint8Array, start: number, { length, low, high }: (typeof SEQUENCES)[number]): boolean {
  for (let index = 1; index < length; index++) {
    const byte = bytes[start + index];
    const isFirst = index === 1;
    if (byte === undefined || byte < (isFirst ? low : 0x80) || byte > (isFirst ? high : 0xbf)) return false;
  }
  return true;
}
