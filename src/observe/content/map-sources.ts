/** Reads the sources of a source map (ECMA-426) while its text arrives. */

/** Characters of a string that are kept. */
const MAX_LENGTH = 1000;
const MAX_SOURCES = 20_000;
const STRUCTURE = /["{}[\],]/g;
const STRING_PART = /["\\]/g;

export class MapSources {
  /** The values of `sources`, in order, and of `sourceRoot`. */
  readonly sources: string[] = [];
  root: string | null = null;
  /** Where the strings of `sourcesContent` begin. */
  private readonly contents: { from: number; index: number }[] = [];
  private offset = 0;
  private depth = 0;
  /** The member of the map that is read, and the element of its array. */
  private member = '';
  private index = 0;
  /** The string that is read; null outside of strings. */
  private text: string | null = null;
  private isEscaped = false;

  write(text: string): void {
    for (let at = 0; at < text.length;)
      at = this.text === null ? this.readStructure(text, at) : this.readString(text, at);
    this.offset += text.length;
  }

  /** The source whose content is at an offset of the map's text; null if it is unknown. */
  at(offset: number): string | null {
    const found = this.contents.findLast(({ from }) => from <= offset);
    return found === undefined ? null : (this.sources[found.index] ?? null);
  }

  private readStructure(text: string, from: number): number {
    STRUCTURE.lastIndex = from;
    const found = STRUCTURE.exec(text);
    if (found === null) return text.length;
    const [character] = found;
    if (character === '"') {
      this.text = '';
      if (this.isElementOf('sourcesContent') && this.contents.length < MAX_SOURCES)
        this.contents.push({ from: this.offset + found.index, index: this.index });
    } else if (character === '{' || character === '[') {
      this.depth += 1;
      this.index = 0;
    } else if (character === '}' || character === ']') this.depth -= 1;
    else if (this.depth === 2) this.index += 1;
    else if (this.depth === 1) this.member = '';
    return found.index + 1;
  }

  private readString(text: string, from: number): number {
    if (this.isEscaped) {
      this.isEscaped = false;
      this.keep(text.slice(from, from + 1));
      return from + 1;
    }
    STRING_PART.lastIndex = from;
    const found = STRING_PART.exec(text);
    const end = found?.index ?? text.length;
    this.keep(text.slice(from, end));
    if (found === null) return end;
    if (found[0] === '\\') {
      this.isEscaped = true;
      this.keep('\\');
    } else this.endString();
    return end + 1;
  }

  private keep(part: string): void {
    if (this.text !== null && this.text.length < MAX_LENGTH && this.isKept())
      this.text += part.slice(0, MAX_LENGTH - this.text.length);
  }

  /** Names of members, sources, and their folder. */
  private isKept(): boolean {
    return this.depth === 1 || this.isElementOf('sources');
  }

  private isElementOf(member: string): boolean {
    return this.depth === 2 && this.member === member;
  }

  private endString(): void {
    const value = valueOf(this.text ?? '');
    this.text = null;
    if (this.isElementOf('sources')) {
      if (this.index < MAX_SOURCES) this.sources[this.index] = value;
    } else if (this.depth === 1) {
      if (this.member === '') this.member = value;
      else if (this.member === 'sourceRoot') this.root = value;
    }
  }
}

/** The value of a JSON string, with the escapes that paths have. */
function valueOf(written: string): string {
  return written.replace(/\\(["\\/])/g, '$1');
}
