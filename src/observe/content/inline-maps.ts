import { StringDecoder } from 'node:string_decoder';

/** Finds inline source maps in a text (`sourceMappingURL=data:…;base64,…`), and decodes them while they are read. */

const MARK = /sourceMappingURL=data:application\/json;?(?:charset=[\w-]{1,20};?)?base64,/;
/** Characters of the mark at most. */
const MARK_LENGTH = 100;
const NOT_BASE64 = /[^A-Za-z0-9+/=_-]/;

export interface InlineMapSink {
  /** Text outside of maps. */
  text(text: string): void;
  mapStart(): void;
  mapText(text: string): void;
  mapEnd(): void;
}

export class InlineMaps {
  private readonly sink: InlineMapSink;
  /** The end of the text so far, in which a mark may begin. */
  private held = '';
  private map: { base64: string; decoder: StringDecoder } | null = null;

  constructor(sink: InlineMapSink) {
    this.sink = sink;
  }

  write(text: string): void {
    let rest = this.held + text;
    this.held = '';
    while (rest !== '') rest = this.map === null ? this.writeText(rest) : this.writeMap(rest, this.map);
  }

  end(): void {
    if (this.map !== null) this.endMap(this.map);
    this.sink.text(this.held);
    this.held = '';
  }

  /** @returns what follows the mark of a map */
  private writeText(text: string): string {
    const mark = text.includes('sourceMappingURL=data:') ? MARK.exec(text) : null;
    if (mark === null) {
      const known = Math.max(0, text.length - MARK_LENGTH);
      if (known > 0) this.sink.text(text.slice(0, known));
      this.held = text.slice(known);
      return '';
    }
    const end = mark.index + mark[0].length;
    this.sink.text(text.slice(0, end));
    this.map = { base64: '', decoder: new StringDecoder('utf8') };
    this.sink.mapStart();
    return text.slice(end);
  }

  /** @returns what follows the map */
  private writeMap(text: string, map: NonNullable<InlineMaps['map']>): string {
    const end = NOT_BASE64.exec(text)?.index ?? -1;
    map.base64 += end === -1 ? text : text.slice(0, end);
    const wholeGroups = map.base64.length - (map.base64.length % 4);
    this.sink.mapText(map.decoder.write(Buffer.from(map.base64.slice(0, wholeGroups), 'base64')));
    map.base64 = map.base64.slice(wholeGroups);
    if (end === -1) return '';
    this.endMap(map);
    return text.slice(end);
  }

  private endMap({ base64, decoder }: NonNullable<InlineMaps['map']>): void {
    this.sink.mapText(decoder.write(Buffer.from(base64, 'base64')) + decoder.end());
    this.sink.mapEnd();
    this.map = null;
  }
}
