/**
 * Opaque response blocking (Fetch; ORB): what a browser keeps from a page that asks without CORS, as a plain <img>
 * does, by the label alone. Where the label decides nothing it looks at the bytes, and lets whole images through.
 */

// What is never an image, script or style sheet, so that nobody looks at the bytes.
const NEVER_SNIFFED =
  /^(?:application\/(?:x-)?gzip|application\/(?:zip|pdf|x-protobuf|msexcel|mspowerpoint|msword|msword-template)|application\/vnd\.(?:ms-excel|ms-powerpoint|ms-word|msword|ces-quick|openxmlformats-officedocument|presentation-openxml|spreadsheet-openxml|wordprocessing-openxml).*|text\/(?:csv|event-stream)|multipart\/(?:byteranges|signed))$/;
const PAGE_OR_DATA = /^(?:text\/(?:html|plain|json|xml)|application\/(?:json|xml)|.+\+(?:json|xml))$/;

/**
 * Whether a PNG with this label is blocked, and by what: `type` by its type, `nosniff` only together with nosniff.
 * @param type in lower case, without parameters
 */
export function isBlockedByType(type: string, nosniff: boolean): 'type' | 'nosniff' | null {
  if (NEVER_SNIFFED.test(type)) return 'type';
  return nosniff && PAGE_OR_DATA.test(type) ? 'nosniff' : null;
}
