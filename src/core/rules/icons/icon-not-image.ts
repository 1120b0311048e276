import { message, type SafeText, safe } from '../../text/message.ts';
import type { Content, IconFacts, ImageFacts } from '../../facts/facts.ts';
import { faultSeverity } from '../../registry/image-faults.ts';
import { programMessage } from '../../json/program-output.ts';
import { interceptedInstead, pageAnswer } from '../../http/web-page.ts';
import { safeExcerpt } from '../../text/text.ts';
import { whyUndecoded } from '../../http/probe.ts';
import { portalOrHost } from '../owners.ts';
import { type CauseOf, type Causes, hasCause } from '../cause.ts';
import { NOT_ITS_URL } from '../other-url.ts';
import { defineRule, only, type Problem } from '../rule.ts';

const KINDS: Partial<Record<string, readonly [is: string, advice: string]>> = {
  empty: ['is empty: 0 bytes', 'Upload the icon again; the upload created an empty file.'],
  html: [
    'is an HTML page',
    'The URL leads to a web page (a login, an error, a preview): use the URL of the image itself.',
  ],
  'git-lfs-pointer': [
    'is a Git LFS pointer, not the file itself',
    'Serve the file itself: fetch LFS objects before the upload ("git lfs pull"), or do not store icons in LFS.',
  ],
  gzip: [
    'is gzip-compressed',
    'Serve the uncompressed file; a compressed SVG (.svgz) is shown only with the header Content-Encoding: gzip.',
  ],
  zstd: [
    'is zstd-compressed, which few clients can decode',
    'Serve the uncompressed file, or compress it with gzip for clients that accept it (Content-Encoding: gzip).',
  ],
  xml: [
    'is an XML document whose root element is not svg',
    'Use the URL of the image itself; this may be an error message of the store.',
  ],
  json: ['is JSON', 'Use the URL of the image itself; this is probably an error message.'],
  'utf-32': ['is text in UTF-32, which browsers do not support', 'Save the SVG as UTF-8.'],
  text: ['is plain text', 'Use the URL of the image itself; this is probably an error message or a link.'],
};
const IMAGES = new Set(['jpeg', 'gif', 'webp', 'avif', 'heic', 'ico', 'bmp', 'tiff']);
const CONVERT = 'Convert it to PNG, or export it as SVG.';
const EXPORT = message`Export the image again, and check that it was uploaded completely.`;

/** Advice about a fault, if that is more than "export it again". */
const FAULT_ADVICE: Partial<Record<string, SafeText>> = {
  'png trailing-data': message`No action is required: viewers ignore it. An image optimizer removes it.`,
  'png dimensions': message`Scale it down; 256 by 256 is enough.`,
  'png apple': message`Use the original file, or convert it back ("xcrun pngcrush -revert-iphone-optimizations").`,
  'svg no-namespace': message`Add xmlns="http://www.w3.org/2000/svg" to the <svg> element: without it browsers do not show the file as an image.`,
  'svg wrong-namespace': message`Set xmlns="http://www.w3.org/2000/svg" on the <svg> element.`,
  'svg syntax': message`Fix the XML at that line and column: browsers do not show an invalid SVG.`,
  'svg encoding': message`Save the file as UTF-8.`,
  'svg not-utf-8': message`Save the file as UTF-8.`,
  'svg too-complex': message`Simplify the drawing; an icon needs few elements.`,
  'svg not-read': message`Simplify the drawing; an icon needs few elements.`,
};

/** For a file of the workspace. */
const REPLACE = message`Put the image itself in its place: the step that wrote the file saved something else.`;
const EXPORT_AGAIN = message`Export the image again.`;

const CAUSES = {
  empty: { title: 'The file is empty', local: EXPORT_AGAIN },
  html: { title: 'The file is an HTML page', owner: portalOrHost, local: REPLACE },
  'git-lfs-pointer': {
    title: 'The file is a Git LFS pointer',
    local: message`Fetch the file (git lfs pull), or do not store icons in LFS.`,
  },
  gzip: { title: 'The file is gzip data', local: message`Decompress the file (gunzip).` },
  zstd: { title: 'The file is zstd data', local: message`Decompress the file (unzstd).` },
  xml: { title: 'The file is XML other than SVG', owner: 'host', local: REPLACE },
  json: { title: 'The file is JSON', owner: 'host', local: REPLACE },
  'utf-32': { title: 'The file is text in UTF-32' },
  text: { title: 'The file is plain text', local: REPLACE },
  'program-message': { title: 'The output of a program instead of the icon', owner: 'host', local: REPLACE },
  jpeg: { title: 'The file is a JPEG image' },
  gif: { title: 'The file is a GIF image' },
  webp: { title: 'The file is a WebP image' },
  avif: { title: 'The file is an AVIF image' },
  heic: { title: 'The file is a HEIC image' },
  ico: { title: 'The file is an ICO image' },
  bmp: { title: 'The file is a BMP image' },
  tiff: { title: 'The file is a TIFF image' },
  'png-trailing-data': { title: 'Bytes follow the PNG' },
  'png-apple': { title: 'The PNG is in Apple’s variant of the format' },
  'png-palette-ignored': { title: 'The PNG has a palette that decoders ignore', local: EXPORT_AGAIN },
  'png-palette': { title: 'The palette of the PNG is not valid', local: EXPORT_AGAIN },
  'png-dimensions': { title: 'The PNG has more pixels than browsers decode' },
  'png-*': { title: 'The PNG is corrupt', local: EXPORT_AGAIN },
  'svg-size': { title: 'The SVG has a size of zero' },
  'svg-no-namespace': { title: 'The SVG has no namespace' },
  'svg-wrong-namespace': { title: 'The SVG has the wrong namespace' },
  'svg-not-utf-8': { title: 'The SVG is not UTF-8' },
  'svg-too-complex': { title: 'The SVG has too many elements' },
  'svg-not-read': { title: 'The SVG is too large' },
  'svg-*': { title: 'The SVG is invalid' },
  'xml-*': { title: 'The XML is invalid' },
  pdf: { title: 'The file is a PDF document' },
  zip: { title: 'The file is a zip archive' },
  '7z': { title: 'The file is a 7z archive' },
  rar: { title: 'The file is a rar archive' },
  tar: { title: 'The file is a tar archive' },
  xz: { title: 'The file is xz data' },
  bzip2: { title: 'The file is bzip2 data' },
  lz4: { title: 'The file is lz4 data' },
  lzip: { title: 'The file is lzip data' },
  zlib: { title: 'The file is zlib data' },
  compress: { title: 'The file is Unix compress data' },
  'gzip-as-text': { title: 'The file is gzip data that was processed as text' },
  'gzip-as-base64': { title: 'The file is gzip data in base64' },
  unknown: { title: 'The file is another kind of file' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const iconNotImage = defineRule({
  id: 'icon-not-image',
  title: 'Icon that is neither PNG nor SVG',
  on: 'icon',
  needs: ['facts', 'content', 'wholeImage'],
  severity: 'error',
  spec: '2.1',
  symptom: 'icon-does-not-display',
  owner: 'author',
  supersededBy: only(NOT_ITS_URL, 'html', 'xml', 'json', 'text'),
  causes: CAUSES,
  failsWhen:
    'the file is neither PNG nor SVG, or is corrupt. Not judged: an animated PNG, and an SVG with declarations in its DOCTYPE that drawing programs do not write',
  why: 'A browser shows no icon, or a broken one, on the blocks of the app.',
  examples: {
    bad: '<!doctype html><title>Not found</title>',
    good: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>',
  },
  check({ facts, content, wholeImage: image }): Problem<Cause> | null {
    const { kind, fault, width, height } = image;
    if (kind === 'xml' && fault !== null) return faultProblem('XML', kind, fault);
    if (kind !== 'png' && kind !== 'svg') return kindProblem(kind, content, facts.web);
    // The rest may be valid; icon-oversized reports the size.
    if (content.cut) return null;
    const name = kind.toUpperCase();
    if (fault !== null) return faultProblem(name, kind, fault);
    if (kind === 'svg' && ((width !== null && width <= 0) || (height !== null && height <= 0))) {
      return {
        message: message`The icon is an SVG of size zero (${String(width)} by ${String(height)}): it is invisible.`,
        advice: message`Set a viewBox, and a width and height above 0 or none at all.`,
        cause: 'svg-size',
        evidence: { width, height },
      };
    }
    return null;
  },
});

function kindProblem(kind: string, content: Content, web: IconFacts['web']): Problem<Cause> {
  const evidence = { kind, bytes: content.bytes };
  const cause = hasCause(CAUSES, kind) ? kind : 'unknown';
  const program = /^(html|xml|text|json)$/.test(kind) ? programMessage(atob(content.head)) : null;
  if (program !== null)
    return {
      message: message`The icon is ${program.kind} (“${program.text}”).`,
      advice: message`Check the program that serves this URL, or upload the image itself.`,
      cause: 'program-message',
      evidence: { ...evidence, begins: program.text },
    };
  const answer = pageAnswer(web);
  const intercepted = /^(html|xml|json|text|empty)$/.test(kind)
    ? interceptedInstead(atob(content.head), 'the icon', answer)
    : null;
  if (intercepted !== null)
    return { ...intercepted, cause: 'html', evidence: { ...evidence, ...intercepted.evidence } };
  const why = /^(gzip|zstd|compress|unknown)$/.test(kind) ? whyUndecoded(web) : null;
  if (why !== null)
    return {
      message: message`The icon is ${kind === 'unknown' ? 'not readable as an image' : `${kind} data`}, and ${why}.`,
      advice: message`Send Content-Encoding: gzip and nothing else, or the image as it is.`,
      cause,
      evidence,
    };
  const [is, advice] = KINDS[kind] ?? [null, CONVERT];
  if (is !== null) return { message: message`The icon ${is}.`, advice: message`${advice}`, cause, evidence };
  if (IMAGES.has(kind))
    return {
      message: message`The icon is a ${kind.toUpperCase()} image; icons are PNG or SVG.`,
      advice: message`${advice}`,
      cause,
      evidence,
    };
  const looks = kind === 'unknown' ? '' : ` (it looks like: ${kind})`;
  return { message: message`The icon is neither PNG nor SVG${looks}.`, advice: message`${advice}`, cause, evidence };
}

function faultProblem(
  name: string,
  kind: 'png' | 'svg' | 'xml',
  fault: NonNullable<ImageFacts['fault']>,
): Problem<Cause> {
  const { code, message: summary } = fault;
  const advice = FAULT_ADVICE[`${kind} ${code}`] ?? EXPORT;
  const severity = faultSeverity({ kind, fault }) ?? 'error';
  return {
    severity,
    message:
      severity === 'error'
        ? message`The icon is a corrupt ${name}: ${safeExcerpt(summary)}.`
        : message`The icon's ${name}: ${safeExcerpt(summary)}.`,
    advice: message`${safe(advice)}`,
    cause: `${kind}-${code}`,
    evidence: { fault: code },
  };
}
