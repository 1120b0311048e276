/**
 * The DOCTYPE of an SVG, read as Chromium reads it: declarations of elements and notations are skipped, and no other
 * file is loaded.
 */

export interface Doctype {
  /** Where it begins and ends. */
  start: number;
  end: number;
  /** Internal entities by name; external ones are empty, since browsers do not load them. */
  entities: ReadonlyMap<string, string>;
  /** Default values of attributes, by the name of their element. */
  defaults: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** True if its public identifier is one for which browsers know the entities of HTML. */
  hasHtmlEntities: boolean;
}

/** Why a text cannot be read, and where. */
export interface TextFault {
  code: 'syntax' | 'entities' | 'too-complex';
  offset: number;
  message: string;
}

/** A name of XML. It is not restricted to the letters of XML, which the parser checks where names are used. */
const NAME = String.raw`(?![\d.-])[^\s<>&"'%;[\]#()|,=?*+!/]+`;
const LITERAL = String.raw`"[^"]*"|'[^']*'`;
const PUBLIC_ID = String.raw`"[\w\s\-'()+,./:=?;!*#@$%]*"|'[\w\s\-()+,./:=?;!*#@$%]*'`;
const HTML_ENTITIES =
  /^-\/\/(?:W3C\/\/DTD (?:XHTML 1\.0 (?:Transitional|Strict|Frameset)|XHTML 1\.1|XHTML Basic 1\.0|XHTML 1\.1 plus MathML 2\.0(?: plus SVG 1\.1)?|MathML 2\.0)|WAPFORUM\/\/DTD XHTML Mobile 1\.0)\/\/EN$/;
const PREDEFINED: ReadonlySet<string> = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);
const GROWTH_LIMIT = 2 ** 20;
/** Characters that may be copied to read parameter entities. */
const COPY_LIMIT = 500_000_000;

const sticky = (pattern: string): RegExp => new RegExp(pattern, 'y');
const BEFORE_ROOT = /\s+|<!--[^]*?-->|<\?[^]*?\?>/y;
const DOCTYPE_NAME = sticky(String.raw`\s*(${NAME})(?=[\s>])`);
const EXTERNAL_ID = sticky(String.raw`\s+(?:SYSTEM\s*(?:${LITERAL})|PUBLIC\s*(${PUBLIC_ID})\s*(?:${LITERAL}))`);
const COMMENT = /<!--(?:[^-]|-(?!-))*-->/y;
const INSTRUCTION = new RegExp(String.raw`<\?(?!xml[\s?])${NAME}[^]*?\?>`, 'iy');
const SKIPPED = /<!(?:ELEMENT|NOTATION)(?=[\s>])(?:[^>"']|"[^"]*"|'[^']*')*>/y;
const ENTITY = sticky(
  String.raw`\s+(%\s*)?(${NAME})\s+(?:(${LITERAL})|(?:SYSTEM|PUBLIC)\s*(?:${LITERAL}))(?:[^>"'%]|${LITERAL})*>`,
);
const ATTLIST = sticky(String.raw`\s+(${NAME})((?:[^>"'%]|${LITERAL})*)>`);
const DEFAULT = new RegExp(
  String.raw`(${NAME})\s+(?:\w+|(?:NOTATION\s*)?\([^()]*\))\s*(?:#REQUIRED|#IMPLIED|(?:#FIXED\s+)?(${LITERAL}))`,
  'g',
);
// eslint-disable-next-line no-control-regex -- XML does not allow them
const CONTROL = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/;
const PARAMETER_REFERENCE = sticky(`%(${NAME});`);

/** @returns null if the text has no DOCTYPE before its first element */
export function readDoctype(text: string): Doctype | TextFault | null {
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    BEFORE_ROOT.lastIndex = start;
    const found = BEFORE_ROOT.exec(text);
    if (found === null) break;
    start += found[0].length;
  }
  if (!text.startsWith('<!DOCTYPE', start)) return null;
  const reader = new DoctypeReader(text, start + '<!DOCTYPE'.length);
  try {
    reader.read();
  } catch (error) {
    if (error !== STOP || reader.fault === null) throw error;
    return reader.fault;
  }
  const { entities, defaults, publicId } = reader;
  return { start, end: reader.offset(), entities, defaults, hasHtmlEntities: HTML_ENTITIES.test(publicId) };
}

const STOP = new Error('the DOCTYPE is malformed');

class DoctypeReader {
  readonly entities = new Map<string, string>();
  readonly defaults = new Map<string, Map<string, string>>();
  fault: TextFault | null = null;
  publicId = '';
  private readonly parameters = new Map<string, string | null>();
  private readonly sourceLength: number;
  private text: string;
  private at: number;
  /** The length of the source after the last reference to a parameter entity: what is left beyond that is its text. */
  private tail: number;
  private grown = 0;
  private copied = 0;

  constructor(source: string, at: number) {
    this.sourceLength = source.length;
    this.text = source;
    this.at = at;
    this.tail = source.length;
  }

  /** The position in the source. */
  offset(): number {
    return this.sourceLength - Math.min(this.text.length - this.at, this.tail);
  }

  read(): void {
    this.need(DOCTYPE_NAME, 'the DOCTYPE has no name');
    let isSpaced = false;
    for (let found = this.take(EXTERNAL_ID); found !== null; found = this.take(EXTERNAL_ID)) {
      isSpaced = true;
      this.publicId = found[1]?.slice(1, -1) ?? '';
    }
    isSpaced ||= this.take(/\s+/y) !== null;
    if (isSpaced) while (this.take(/\s*\[/y)) this.subset();
    this.need(
      /\s*>/y,
      'the DOCTYPE is malformed: after its name, only SYSTEM "…" or PUBLIC "…" "…" and declarations in [ ] are allowed',
    );
  }

  private subset(): void {
    while (!this.take(/\s*\]/y)) {
      this.take(/\s+/y);
      if (this.take(COMMENT) || this.take(SKIPPED)) continue;
      const instruction = this.take(INSTRUCTION);
      if (instruction !== null) this.checkCharacters(instruction[0]);
      else this.declaration();
    }
  }

  private declaration(): void {
    if (this.take(/<!ENTITY(?=\s)/y)) this.entity();
    else if (this.take(/<!ATTLIST(?=\s)/y)) this.attributes();
    else this.parameterReference();
  }

  private entity(): void {
    const start = this.offset();
    const [, parameter, name = '', literal] = this.need(
      ENTITY,
      'the declaration of an entity is malformed; its value must be quoted',
    );
    const written = literal?.slice(1, -1) ?? '';
    this.checkCharacters(written);
    // A per cent sign would refer to a parameter entity, which is not allowed here.
    if (written.includes('%'))
      this.fail('the value of an entity contains "%", which must be written as &#37;', 'syntax', start);
    if (written.endsWith('&'))
      this.fail('the value of an entity ends with "&", which must be written as &#38;', 'syntax', start);
    const value = written.replace(/&#(?:x([\da-f]+)|(\d+)|[^;]*);/gi, (_, hex?: string, decimal?: string) => {
      const character = characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
      return character ?? this.fail('the value of an entity has a malformed character reference', 'syntax', start);
    });
    // The first of several declarations applies.
    if (parameter === undefined) {
      if (!this.entities.has(name)) this.entities.set(name, value);
    } else if (!this.parameters.has(name)) this.parameters.set(name, literal === undefined ? null : value);
  }

  private attributes(): void {
    const [, element = '', body = ''] = this.need(ATTLIST, 'the declaration of attributes is malformed');
    for (const [, name = '', literal] of body.matchAll(DEFAULT)) {
      if (literal === undefined) continue;
      this.checkReferences(literal);
      const known = this.defaults.get(element) ?? new Map<string, string>();
      this.defaults.set(element, known);
      if (!known.has(name)) known.set(name, literal.slice(1, -1));
    }
  }

  /** A default value is read where it is declared, also for elements that do not occur. */
  private checkReferences(text: string): void {
    for (const [all, name = ''] of text.matchAll(/&(?!#)([^\s&;"'<]*;?)/g)) {
      const entity = name.slice(0, -1);
      const isKnown = PREDEFINED.has(entity) || this.entities.has(entity) || HTML_ENTITIES.test(this.publicId);
      if (!name.endsWith(';') || !isKnown)
        this.fail(`the default value of an attribute contains "${all}", which is not declared`);
    }
  }

  /** Reads on in the text of a parameter entity. One of another file is not loaded. */
  private parameterReference(): void {
    const start = this.offset();
    const [, name = ''] = this.need(PARAMETER_REFERENCE, 'the DOCTYPE contains text that is not a declaration');
    const value = this.parameters.get(name);
    if (value === undefined) this.fail(`the parameter entity "%${name};" is not declared`, 'syntax', start);
    if (value === null) return;
    const rest = this.text.slice(this.at);
    this.tail = Math.min(this.tail, rest.length);
    this.grown += value.length + 1;
    this.copied += rest.length;
    if (this.grown > GROWTH_LIMIT) this.fail('its parameter entities are recursive or too large', 'entities', start);
    if (this.copied > COPY_LIMIT) this.fail('its DOCTYPE has too many references', 'too-complex', start);
    this.text = value + rest;
    this.at = 0;
  }

  private checkCharacters(text: string): void {
    const found = CONTROL.exec(text);
    if (found !== null)
      this.fail(`U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} is not allowed in XML`);
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  private need(pattern: RegExp, message: string): RegExpExecArray {
    return this.take(pattern) ?? this.fail(message);
  }

  private fail(message: string, code: TextFault['code'] = 'syntax', offset = this.offset()): never {
    this.fault = { code, offset, message };
    throw STOP;
  }
}

function characterOf(code: number): string | null {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  const isChar = code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0x10ffff && !isSurrogate);
  return isChar && code !== 0xfffe && code !== 0xffff ? String.fromCodePoint(code) : null;
}
