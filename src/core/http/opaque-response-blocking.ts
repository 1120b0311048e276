/**
 * Opaque response blocking (Fetch; ORB): the responses that a browser blocks for a no-cors request, such as a plain
 * <img>, based on the Content-Type. If the type is inconclusive it inspects the bytes, and allows complete images.
 */

// Types that are never an image, script or style sheet, so that their bytes are not inspected.
const NEVER_SNIFFED =
  /^(?:application\/(?:x-)?gzip|application\/(?:zip|pdf|x-protobuf|msexcel|mspowerpoint|msword|msword-template)|application\/vnd\.(?:ms-excel|ms-powerpoint|ms-word|msword|ces-quick|openxmlformats-officedocument|presentation-openxml|spreadsheet-openxml|wordprocessing-openxml).*|text\/(?:csv|event-stream)|multipart\/(?:byteranges|signed))$/;
const PAGE_OR_DATA = /^(?:text\/(?:html|plain|json|xml)|application\/(?:json|xml)|.+\+(?:json|xml))$/;

/**
 * Whether a PNG with this Content-Type is blocked, and why: `type` because of its type, `nosniff` only together with
 * nosniff.
 * @param type in lower case, without parameters
 */
export function isBlockedByType(type: string, nosniff: boolean): 'type' | 'nosniff' | null {
  if (NEVER_SNIFFED.test(type)) return 'type';
  return nosniff && PAGE_OR_DATA.test(type) ? 'nosniff' : null;
}
