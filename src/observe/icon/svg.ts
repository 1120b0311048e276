import { isUtf8 } from 'node:buffer';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { ImageFacts } from '../../core/facts/facts.ts';
import { type ActiveContent, collectActiveContent, SVG } from './active-content.ts';
import { expandEntities } from './entities.ts';

const SIZE_LIMIT = 5 * 2 ** 20;
const WRITE_CHARACTERS = 64 * 1024;
const DEPTH_LIMIT = 256;
// The parser resolves a namespace from the inside out, so that its work grows with elements times depth.
const WORK_LIMIT = 20_000_000;
const ELEMENT_LIMIT = 250_000;
const ATTRIBUTE_LIMIT = 2000;
// Written by drawing programs; it names the format and declares nothing.
const HARMLESS_DOCTYPE = /^svg( PUBLIC "-\/\/W3C\/\/DTD SVG [^"]*" "https?:\/\/www\.w3\.org\/[^"]*")? ?(\[ ?\])?$/;
// The same with entities for namespaces, as written by Adobe Illustrator.
const NAMESPACE_DOCTYPE =
  /^svg( PUBLIC "-\/\/W3C\/\/DTD SVG [^"]*" "https?:\/\/www\.w3\.org\/[^"]*")? ?\[ ?(<!ENTITY [\w:.-]+ "(?:https?:\/\/|&[\w:.-]+;)[\w:./&;#?=~-]*" ?> ?)+\]$/;
// Pixels per unit, as CSS defines them.
const UNITS: Partial<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
  q: 96 / 101.6,
};

type Parser = SaxesParser<{ xmlns: true; position: true }>;

/** The state during parsing. `kind` is a guess until the root element is read. */
interface SvgState {
  kind: string;
  width: number | null;
  height: number | null;
  fault: ImageFacts['fault'];
  active: ActiveContent;
  rootSeen: boolean;
}

/**
 * Reads XML as a browser reads an SVG image: strictly, with namespaces. Entities that a DOCTYPE declares are expanded
 * as text, up to a limit; beyond it they are a fault.
 * @param guess 'svg' or 'xml', the kind if parsing fails before the root element
 */
export function inspectXml(bytes: Uint8Array, guess: string): ImageFacts {
  let state = newState(guess);
  const text = decode(bytes, state);
  if (text !== null) {
    const expanded = parse(text, state, { expand: true });
    if (expanded !== null) {
      state = newState(guess);
      parse(expanded, state, { expand: false });
    }
    const label = encodingOf(bytes);
    if (state.kind === 'svg' && (label.startsWith('utf-16') ? !hasByteOrderMark(bytes) : !isUtf8(bytes)))
      state.fault ??= {
        code: 'not-utf-8',
        message: `it is in ${label}${label.startsWith('utf-16') ? ' without a byte order mark' : ''}, but Chromium reads every SVG image as UTF-8`,
      };
  }
  const { kind, width, height, fault, active } = state;
  return { kind, width, height, fault, active: kind === 'svg' ? active.list : [] };
}

function newState(guess: string): SvgState {
  return { kind: guess, width: null, height: null, fault: null, active: collectActiveContent(), rootSeen: false };
}

function decode(bytes: Uint8Array, state: SvgState): string | null {
  if (bytes.length > SIZE_LIMIT) {
    state.fault = { code: 'not-read', message: `it is larger than ${SIZE_LIMIT} bytes and was not inspected` };
    return null;
  }
  const label = encodingOf(bytes);
  if (label === 'utf-8' && isUtf8(bytes)) return new TextDecoder().decode(bytes);
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    state.fault = {
      code: 'encoding',
      message: `its bytes are not in the encoding that it declares (${label.slice(0, 40)})`,
    };
    return null;
  }
}

/** The byte order mark of UTF-16. */
function hasByteOrderMark(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** As XML 1.0, appendix F: a byte order mark, zero bytes, the XML declaration; otherwise UTF-8. */
function encodingOf(bytes: Uint8Array): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0)) return 'utf-16le';
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0 && bytes[1] === 0x3c)) return 'utf-16be';
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const label =
    /^<\?xml[^>]{0,150}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1]?.toLowerCase() ?? 'utf-8';
  // Text that was readable up to here is not UTF-16, whatever it declares.
  return label === 'utf8' || label.startsWith('utf-16') ? 'utf-8' : label;
}

/** Thrown through the parser, which has no other way to stop. */
const STOP = new Error('the parser was stopped');

/** @returns the text with its entities expanded, if it has any that are not yet; null once it was read */
function parse(text: string, state: SvgState, { expand }: { expand: boolean }): string | null {
  const parser: Parser = new SaxesParser({ xmlns: true, position: true });
  let line = 1;
  let expanded: string | null = null;
  function fail(code: string, message: string): never {
    state.fault = { code, message: message.slice(0, 300).replace(/\.$/, '') };
    throw STOP;
  }
  const guard = createGuard(fail);
  // The parser keeps one handler per event.
  parser.on('attribute', guard.attribute);
  parser.on('error', (error) => fail('syntax', error.message));
  parser.on('doctype', (doctype) => {
    const words = doctype.trim().replace(/\s+/g, ' ');
    if (/^svg\b/.test(words)) state.kind = 'svg';
    if (expand && doctype.includes('<!ENTITY')) {
      const rest = expandEntities(doctype, text.slice(parser.position));
      if (rest === null)
        fail('entities', 'its DOCTYPE declares entities that are recursive, too large, malformed or in other files');
      expanded = text.slice(0, parser.position) + rest;
      throw STOP;
    }
    if (HARMLESS_DOCTYPE.test(words)) return;
    const declares = doctype.includes('<!ENTITY') ? 'entities in the DOCTYPE' : 'DOCTYPE';
    state.active.add(NAMESPACE_DOCTYPE.test(words) ? 'namespace-entities' : 'doctype', declares, parser.line);
  });
  parser.on('processinginstruction', ({ target, body }) => {
    if (target === 'xml-stylesheet') state.active.stylesheet(body, parser.line);
  });
  parser.on('opentagstart', () => {
    line = parser.line;
    guard.opened();
  });
  parser.on('opentag', (tag) => {
    if (!state.rootSeen) onRoot(tag, state, fail);
    state.active.element(tag, line);
  });
  parser.on('text', state.active.text);
  parser.on('cdata', state.active.text);
  parser.on('closetag', () => {
    guard.closed();
    state.active.closed();
  });
  try {
    for (let at = 0; at < text.length; at += WRITE_CHARACTERS) parser.write(text.slice(at, at + WRITE_CHARACTERS));
    parser.close();
  } catch (error) {
    if (error !== STOP) throw error;
  }
  return expanded;
}

/** Hostile documents are cheap to write and expensive to parse. */
function createGuard(fail: (code: string, message: string) => never): {
  opened(): void;
  closed(): void;
  attribute(): void;
} {
  let depth = 0;
  let elements = 0;
  let work = 0;
  let attributes = 0;
  return {
    opened() {
      attributes = 0;
      depth += 1;
      elements += 1;
      work += depth;
      if (depth > DEPTH_LIMIT) fail('too-complex', `its elements are nested deeper than ${DEPTH_LIMIT} levels`);
      if (elements > ELEMENT_LIMIT || work > WORK_LIMIT) fail('too-complex', 'it has too many elements');
    },
    closed() {
      depth -= 1;
    },
    attribute() {
      attributes += 1;
      if (attributes > ATTRIBUTE_LIMIT) fail('too-complex', `an element has more than ${ATTRIBUTE_LIMIT} attributes`);
    },
  };
}

function onRoot(tag: SaxesTagNS, state: SvgState, fail: (code: string, message: string) => never): void {
  state.rootSeen = true;
  if (tag.local !== 'svg') {
    state.kind = tag.local.toLowerCase() === 'html' ? 'html' : 'xml';
    throw STOP;
  }
  state.kind = 'svg';
  const box = (tag.attributes['viewBox']?.value ?? '')
    .slice(0, 200)
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const isBox = box.length === 4 && box.every(Number.isFinite);
  const [, , boxWidth = null, boxHeight = null] = isBox ? box : [];
  state.width = extent(tag.attributes['width']?.value, boxWidth, boxHeight);
  state.height = extent(tag.attributes['height']?.value, boxHeight, boxWidth);
  // The parser trims the whitespace around a namespace, which browsers treat as part of it.
  const uri = tag.attributes[tag.prefix === '' ? 'xmlns' : `xmlns:${tag.prefix}`]?.value ?? tag.uri;
  if (uri === '') fail('no-namespace', `its root element lacks xmlns="${SVG}"`);
  else if (uri !== SVG)
    fail('wrong-namespace', `its root element is in the namespace ${JSON.stringify(uri.slice(0, 100))}`);
}

/** Width or height. A viewBox without extent shows nothing in any case; a negative one is ignored. */
function extent(length: string | undefined, box: number | null, otherBox: number | null): number | null {
  const valid = box !== null && box >= 0 && otherBox !== null && otherBox >= 0;
  if (valid && box === 0) return 0;
  return pixels(length) ?? (valid ? box : null);
}

/** A length in pixels; null for one that depends on its context, or is not a length. */
function pixels(length: string | undefined): number | null {
  const [, number, unit] =
    /^\s{0,20}([+-]?[\d.]{1,20}(?:e[+-]?\d{1,3})?)([a-z]{0,2})\s{0,20}$/i.exec(length ?? '') ?? [];
  const scale = UNITS[unit?.toLowerCase() ?? ''];
  const value = Number(number);
  return number === undefined || scale === undefined || !Number.isFinite(value)
    ? null
    : Math.round(value * scale * 1000) / 1000;
}
