import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { ImageFacts } from '../../core/facts/facts.ts';
import { type ActiveContent, collectActiveContent, SVG } from './active-content.ts';
import { decodeXml, type Place, placesIn } from './decode-xml.ts';
import { type Doctype, readDoctype } from './doctype.ts';

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
  /^svg( PUBLIC "-\/\/W3C\/\/DTD SVG [^"]*" "https?:\/\/www\.w3\.org\/[^"]*")? ?\[ ?(<!ENTITY [\w:.-]+ "https?:\/\/[\w:./;#?=~-]*" ?> ?)+\]$/;
const SVG_TAG = /<(?:[\w.-]{1,40}:)?svg[\s>/]|<!DOCTYPE\s+svg\b/;
/** Rare parts of XML that browsers accept and the parser does not. */
const UNREAD = [
  // The name of an encoding that is not well-formed.
  /^\ufeff?<\?xml\s[^>?]*?\bencoding\s*=\s*(?!"[a-z][\w.-]*"|'[a-z][\w.-]*')/i,
  // A colon in the target of a processing instruction.
  /<\?[^\s?>]*:/,
  // Another prefix for a reserved namespace.
  /\sxmlns:(?!xml\s*=|xmlns\s*=)[^\s=]+\s*=\s*["']http:\/\/www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns\/)["']/,
];
type Parser = SaxesParser<{ xmlns: true; position: true }>;

/** The state during parsing. `kind` is a guess until the root element is read. */
interface SvgState {
  kind: string;
  width: number | null;
  height: number | null;
  fault: ImageFacts['fault'];
  isUnread: boolean;
  active: ActiveContent;
  rootSeen: boolean;
}

/**
 * Reads XML as Chromium reads an SVG image: strictly, with namespaces and the entities that drawing programs declare. An
 * SVG with other declarations is not read.
 * @param guess 'svg', or the kind if the document has no root element svg
 */
export function inspectXml(bytes: Uint8Array, guess: string): ImageFacts {
  const state: SvgState = {
    kind: guess,
    width: null,
    height: null,
    fault: null,
    isUnread: false,
    active: collectActiveContent(),
    rootSeen: false,
  };
  if (bytes.length > SIZE_LIMIT)
    state.fault = { code: 'not-read', message: `it is larger than ${SIZE_LIMIT} bytes and was not inspected` };
  else {
    const { text, fault, warning } = decodeXml(bytes);
    if (fault === null) read(text.replace(/\r\n?/g, '\n'), state);
    else state.fault = fault;
    if (state.kind === 'svg') state.fault ??= warning;
  }
  const { kind, width, height, fault, active } = state;
  const facts: ImageFacts = { kind, width, height, fault, active: kind === 'svg' ? active.list : [] };
  return kind === 'svg' && state.isUnread ? { ...facts, unread: 'xml' } : facts;
}

/** Thrown through the parser, which has no other way to stop. */
const STOP = new Error('the parser was stopped');

function read(source: string, state: SvgState): void {
  const placeOf = placesIn(source);
  const doctype = readDoctype(source);
  if (doctype === 'unread' || UNREAD.some((pattern) => pattern.test(source))) {
    state.isUnread = true;
    if (state.kind === 'xml' && SVG_TAG.test(source)) state.kind = 'svg';
    return;
  }
  if (doctype !== null) noteDoctype(source, doctype, state, placeOf(doctype.end - 1).line);
  parse(source, doctype?.entities ?? {}, state, {
    place: placeOf,
    fail(code, message, position) {
      if (position === null) state.fault ??= { code, message };
      else {
        // The parser has read the character that it does not accept.
        const { line, column } = placeOf(Math.max(0, position - 1));
        state.fault ??= { code, message: `${line}:${column}: ${message}`.slice(0, 300).replace(/\.$/, '') };
      }
    },
  });
}

function noteDoctype(source: string, { start, end }: Doctype, state: SvgState, line: number): void {
  const declaration = source.slice(start + '<!DOCTYPE'.length, end - 1);
  const words = declaration.trim().replace(/\s+/g, ' ');
  if (HARMLESS_DOCTYPE.test(words)) return;
  const name = declaration.includes('<!ENTITY') ? 'entities in the DOCTYPE' : 'DOCTYPE';
  state.active.add(NAMESPACE_DOCTYPE.test(words) ? 'namespace-entities' : 'doctype', name, line);
}

interface Reading {
  place(position: number): Place;
  fail(code: string, message: string, position: number | null): void;
}

function parse(text: string, entities: Doctype['entities'], state: SvgState, { place, fail }: Reading): void {
  const parser: Parser = new SaxesParser({ xmlns: true, position: false });
  Object.assign(parser.ENTITIES, entities);
  let line = 1;
  const stop = (code: string, message: string, position: number | null = null): never => {
    fail(code, message, position);
    throw STOP;
  };
  const guard = createGuard(stop);
  // The parser keeps one handler per event.
  parser.on('attribute', guard.attribute);
  parser.on('error', (error) => stop('syntax', error.message, parser.position));
  parser.on('processinginstruction', ({ target, body }) => {
    if (target === 'xml-stylesheet') state.active.stylesheet(body, place(parser.position - 1).line);
  });
  parser.on('opentagstart', () => {
    line = place(parser.position - 1).line;
    guard.opened();
  });
  parser.on('opentag', (tag) => {
    if (!state.rootSeen) onRoot(tag, state, stop);
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
  const { width, height, viewBox } = tag.attributes;
  const size = sizeOf({ width: width?.value, height: height?.value, viewBox: viewBox?.value });
  state.width = size.width;
  state.height = size.height;
  // The parser trims the whitespace around a namespace, which browsers treat as part of it.
  const uri = tag.attributes[tag.prefix === '' ? 'xmlns' : `xmlns:${tag.prefix}`]?.value ?? tag.uri;
  if (uri === '') fail('no-namespace', `its root element lacks xmlns="${SVG}"`);
  else if (uri !== SVG)
    fail('wrong-namespace', `its root element is in the namespace ${JSON.stringify(uri.slice(0, 100))}`);
}

/** The size of an SVG, from the attributes of its root element, as browsers read them. */

/** Pixels per unit, as CSS defines them. */
const PIXELS: Partial<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
  q: 96 / 101.6,
};
/** Units that depend on a font or a viewport: only their sign is known. */
const RELATIVE = /^(?:r?(?:em|ex|ch|cap|ic|lh)|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max))$/;
/** A number of CSS and SVG: a period is followed by a digit. */
const NUMBER = String.raw`[+-]?(?:\d{1,40}(?:\.\d{1,40})?|\.\d{1,40})(?:e[+-]?\d{1,4})?`;
const LENGTH = new RegExp(String.raw`^\s*(${NUMBER})([a-z]{0,5})\s*$`, 'i');
const SEPARATOR = String.raw`(?:[ \t\r\n]+(?:,[ \t\r\n]*)?|,[ \t\r\n]*|(?=[+-])|(?<=\.\d+)(?=\.))`;
const VIEW_BOX = new RegExp(
  String.raw`^[ \t\r\n]*${[1, 2, 3, 4].map(() => `(${NUMBER})`).join(SEPARATOR)}[ \t\r\n]*$`,
  'i',
);
/** Characters of an attribute that are read; longer ones are not numbers. */
const MAX_LENGTH = 400;

interface SizeAttributes {
  width: string | undefined;
  height: string | undefined;
  viewBox: string | undefined;
}

/** Width and height in pixels; null for one that depends on its context. Zero or less shows nothing. */
function sizeOf({ width, height, viewBox }: SizeAttributes): { width: number | null; height: number | null } {
  const [, , , boxWidth, boxHeight] = VIEW_BOX.exec((viewBox ?? '').slice(0, MAX_LENGTH)) ?? [];
  const box = [Number(boxWidth), Number(boxHeight)];
  // A negative or infinite viewBox is ignored; one without extent shows nothing in any case.
  const [x = null, y = null] = box.every((side) => Number.isFinite(side) && side >= 0) ? box : [];
  return { width: extent(width, x), height: extent(height, y) };
}

function extent(length: string | undefined, box: number | null): number | null {
  return box === 0 ? 0 : (pixels(length) ?? box);
}

/** A length in pixels; null for one that depends on its context, or is not a length. */
function pixels(length: string | undefined): number | null {
  const [, number, name = ''] = LENGTH.exec((length ?? '').slice(0, MAX_LENGTH)) ?? [];
  const value = Number(number);
  if (!Number.isFinite(value)) return null;
  const unit = name.toLowerCase();
  if (RELATIVE.test(unit)) return value <= 0 ? value : null;
  const scale = PIXELS[unit];
  return scale === undefined ? null : Math.round(value * scale * 1000) / 1000;
}
