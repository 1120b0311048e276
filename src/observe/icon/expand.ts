import type { Doctype, TextFault } from './doctype.ts';

/** A text with edits, and where each part of it comes from. */
export interface Expanded {
  text: string;
  fault: TextFault | null;
  /** The position in the source of a position in the text. */
  sourceOf(position: number): number;
}

// Chromium refuses a reference that leads to more than ten entities.
const NESTED_LIMIT = 10;
const SIZE_LIMIT = 8 * 2 ** 20;

const NAME = String.raw`[^\s/>&<"'=]+`;
const OPEN_TAG = new RegExp(`<(?![!?])(${NAME})`, 'y');
const ATTRIBUTE = new RegExp(String.raw`(\s*)(${NAME})(\s*=\s*)("[^"<]*"|'[^'<]*')`, 'y');
const TAG_END = /\s*(\/?)>/y;
const REFERENCE = /&([^\s&;<>"'#]{1,1000});/y;
const REFERENCES = /&([^\s&;<>"'#]{1,1000});/g;
const ENCODING = /^(\ufeff?<\?xml[^>?]*?\sencoding\s*=\s*)("[^"<\0-\x1f]*"|'[^'<\0-\x1f]*')/;
// Chromium allows other prefixes for these namespaces.
const UNUSUAL = /<\?[^\s?>]*:|http:\/\/www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns\/)/;
const RESERVED = /^http:\/\/www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns\/)$/;

/**
 * Writes the references to declared entities and the default values of attributes into an XML text, and leaves out the
 * DOCTYPE. Details that browsers accept and the parser does not are replaced: names of encodings, colons in the targets
 * of processing instructions, prefixes for reserved namespaces. All that is not well-formed is preserved for the parser.
 */
export function expand(source: string, doctype: Doctype | null): Expanded {
  const expander = new Expander(doctype);
  expander.expand(source);
  return {
    text: expander.parts.join(''),
    fault: expander.fault,
    sourceOf: (position) => expander.sourceOf(position),
  };
}

class Expander {
  readonly parts: string[] = [];
  fault: Expanded['fault'] = null;
  private length = 0;
  private copied: { source: string; from: number; to: number } | null = null;
  private written = 0;
  private depth = 0;
  private nested = 0;
  private readonly doctype: Doctype | null;
  /** Starts of parts: in the output, in the source, and whether the part is a copy of the source. */
  private readonly starts: { at: number; from: number; isCopy: boolean }[] = [];

  constructor(doctype: Doctype | null) {
    this.doctype = doctype;
  }

  expand(source: string): void {
    const { doctype } = this;
    const [all = '', before = ''] = ENCODING.exec(source) ?? [];
    let at = all.length;
    if (at > 0) {
      this.copy(source, 0, before.length);
      this.write('"UTF-8"', before.length);
    }
    if (doctype !== null) {
      this.content(source, at, doctype.start, null);
      this.write('<!DOCTYPE svg>', doctype.start);
      at = doctype.end;
    }
    const declares = doctype !== null && (doctype.hasHtmlEntities || doctype.entities.size + doctype.defaults.size > 0);
    if (declares || UNUSUAL.test(source)) this.content(source, at, source.length, null);
    else this.copy(source, at, source.length);
    this.flush();
  }

  sourceOf(position: number): number {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle]?.at ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    const start = this.starts[low];
    if (start === undefined) return 0;
    return start.isCopy ? start.from + position - start.at : start.from;
  }

  /** @param origin where in the source the reference is that led to this text; null for the source itself */
  private content(text: string, from: number, to: number, origin: number | null): void {
    let at = from;
    while (at < to && this.fault === null) {
      const next = nextMarkup(text, at, to);
      this.copyOrWrite(text, at, next, origin);
      at = next;
      if (at >= to) return;
      at = text[at] === '&' ? this.reference(text, at, origin) : this.markup(text, at, to, origin);
    }
  }

  private reference(text: string, at: number, origin: number | null): number {
    const [all, name = ''] = matchAt(REFERENCE, text, at) ?? [];
    const value = all === undefined || this.depth === 0 ? undefined : this.valueOf(name);
    if (all === undefined || value === undefined) {
      this.copyOrWrite(text, at, at + 1, origin);
      return at + 1;
    }
    if (origin === null) this.nested = 0;
    if (value !== '') this.nested += 1;
    const place = origin ?? at;
    if (this.nested > NESTED_LIMIT)
      this.fault = {
        code: 'entities',
        offset: place,
        message: `the reference "&${name};" is recursive, or leads to more than ${NESTED_LIMIT} entities`,
      };
    else this.content(value, 0, value.length, place);
    return at + all.length;
  }

  private valueOf(name: string): string | undefined {
    if (/^(?:amp|lt|gt|quot|apos)$/.test(name)) return undefined;
    const declared = this.doctype?.entities.get(name);
    return declared === undefined && this.doctype?.hasHtmlEntities && /^[a-z]\w*$/i.test(name) ? '\u00a0' : declared;
  }

  /** Comments, CDATA sections and processing instructions contain no references. */
  private markup(text: string, at: number, to: number, origin: number | null): number {
    const [start, end] = OPAQUE.find(([opening]) => text.startsWith(opening, at)) ?? [];
    if (start !== undefined && end !== undefined) {
      const found = text.indexOf(end, at + start.length);
      const after = found === -1 ? to : found + end.length;
      if (start === '<?') this.instruction(text, at, after, origin);
      else this.copyOrWrite(text, at, after, origin);
      return after;
    }
    if (text.startsWith('</', at)) this.depth -= 1;
    const [all, name = ''] = matchAt(OPEN_TAG, text, at) ?? [];
    const after = at + (all?.length ?? 1);
    this.copyOrWrite(text, at, after, origin);
    return all === undefined ? after : this.attributes(text, after, name, origin);
  }

  private instruction(text: string, at: number, to: number, origin: number | null): void {
    const target = /^<\?[^\s?]*/.exec(text.slice(at, Math.min(to, at + 200)))?.[0] ?? '<?';
    if (target.includes(':')) this.write(target.replaceAll(':', '_'), origin ?? at);
    else this.copyOrWrite(text, at, at + target.length, origin);
    this.copyOrWrite(text, at + target.length, to, origin);
  }

  private attributes(text: string, from: number, element: string, origin: number | null): number {
    const missing = new Map(this.doctype?.defaults.get(element));
    let at = from;
    for (;;) {
      const [all, space = '', name = '', equals = '', quoted = ''] = matchAt(ATTRIBUTE, text, at) ?? [];
      if (all === undefined) break;
      missing.delete(name);
      const start = at + space.length + name.length + equals.length;
      const value = this.value(name, quoted.slice(1, -1));
      this.copyOrWrite(text, at, value === null ? at + all.length : start, origin);
      if (value !== null) this.write(`"${value}"`, origin ?? start);
      at += all.length;
    }
    const [end, slash] = matchAt(TAG_END, text, at) ?? [];
    if (end === undefined) {
      // Not well-formed: a reference here is not an entity.
      const next = at + text.slice(at).search(/[<>]|$/);
      this.copyOrWrite(text, at, next, origin);
      return next;
    }
    if (slash === '') this.depth += 1;
    for (const [name, value] of missing)
      this.write(` ${name}="${this.value(name, value) ?? quoteSafe(value)}"`, origin ?? at);
    this.copyOrWrite(text, at, at + end.length, origin);
    return at + end.length;
  }

  /** The value of an attribute with its entities; null if nothing changes. */
  private value(name: string, value: string): string | null {
    if (name.startsWith('xmlns:') && name !== 'xmlns:xml' && name !== 'xmlns:xmlns' && RESERVED.test(value))
      return 'urn:reserved';
    if (!value.includes('&') || this.doctype === null) return null;
    const expanded = this.inAttribute(value, []);
    return expanded === value ? null : quoteSafe(expanded);
  }

  /** A recursive reference is empty: Chromium does not resolve references inside of others here. */
  private inAttribute(value: string, inside: readonly string[]): string {
    return value.replace(REFERENCES, (reference, name: string) => {
      const text = this.valueOf(name);
      if (text === undefined) return reference;
      if (inside.includes(name) || inside.length > NESTED_LIMIT || this.written > SIZE_LIMIT) return '';
      this.written += text.length + 1;
      return this.inAttribute(text, [...inside, name]);
    });
  }

  private copyOrWrite(text: string, from: number, to: number, origin: number | null): void {
    if (origin === null) this.copy(text, from, to);
    else this.write(text.slice(from, to), origin);
  }

  /** Adjoining copies are one part. */
  private copy(source: string, from: number, to: number): void {
    if (this.copied === null || this.copied.to !== from) this.flush();
    this.copied ??= { source, from, to };
    this.copied.to = to;
  }

  private write(text: string, from: number): void {
    this.flush();
    this.written += text.length;
    if (this.written > SIZE_LIMIT)
      this.fault ??= { code: 'too-complex', offset: from, message: 'its entities expand to more than 8 MiB' };
    this.add(text, from, false);
  }

  private flush(): void {
    const { copied } = this;
    this.copied = null;
    if (copied !== null) this.add(copied.source.slice(copied.from, copied.to), copied.from, true);
  }

  private add(text: string, from: number, isCopy: boolean): void {
    this.starts.push({ at: this.length, from, isCopy });
    this.parts.push(text);
    this.length += text.length;
  }
}

const OPAQUE = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;
const MARKUP = /[<&]/g;

function nextMarkup(text: string, at: number, to: number): number {
  MARKUP.lastIndex = at;
  const found = MARKUP.exec(text)?.index ?? to;
  return Math.min(found, to);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function quoteSafe(value: string): string {
  return value.replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
