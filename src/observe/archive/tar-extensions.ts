import { isZero, type Name, readName, type TarHeader } from './header.ts';
import type { TarNotes } from './notes.ts';
import { type Pax, readPax } from './pax.ts';

/** The extended headers in front of an entry: PAX records, and GNU's long names. */
export class TarExtensions {
  private readonly notes: TarNotes;
  private paxRecords: Pax | null = null;
  private longPath: Name | null = null;
  private longLink: Name | null = null;

  constructor(notes: TarNotes) {
    this.notes = notes;
  }

  get pax(): Pax | null {
    return this.paxRecords;
  }

  get isEmpty(): boolean {
    return this.paxRecords === null && this.longPath === null && this.longLink === null;
  }

  /** The first name that they set, or null. */
  get firstName(): string | null {
    return (this.paxRecords?.path ?? this.longPath ?? this.longLink)?.text ?? null;
  }

  pathOf(header: TarHeader): Name {
    return this.paxRecords?.path ?? this.longPath ?? header.path;
  }

  linkOf(header: TarHeader): Name {
    return this.paxRecords?.link ?? this.longLink ?? header.link;
  }

  /** Whether the two formats set different names for one entry. */
  get namesDiffer(): boolean {
    const { path, link } = this.paxRecords ?? {};
    return isOtherName(path, this.longPath) || isOtherName(link, this.longLink);
  }

  /**
   * Takes the data of an extended header.
   * @param type its type flag: `L` and `K` for long names, `g` for a PAX header for all entries, otherwise PAX
   */
  add(type: string, bytes: Buffer): void {
    if (type === 'L' || type === 'K') this.addLongName(type, bytes);
    else this.addPax(type, bytes);
  }

  clear(): void {
    this.paxRecords = null;
    this.longPath = null;
    this.longLink = null;
  }

  private addLongName(type: 'L' | 'K', bytes: Buffer): void {
    const name = readName(bytes, 0, bytes.length);
    const zero = bytes.indexOf(0);
    if (zero !== -1 && !isZero(bytes.subarray(zero))) this.notes.add('path-with-nul', name.text);
    const earlier = type === 'L' ? this.longPath : this.longLink;
    if (earlier !== null) this.notes.add('extension-twice', name.text);
    if (type === 'L') this.longPath = name;
    else this.longLink = name;
  }

  private addPax(type: string, bytes: Buffer): void {
    const { notes } = this;
    const records = readPax(bytes);
    const path = records.path?.text ?? null;
    for (const code of records.oddities) notes.add(code, path);
    if (type === 'g') {
      const name = records.path ?? records.link;
      if (name) notes.add('path-for-all', name.text);
      if (records.size !== undefined) notes.add('pax-size-for-all', null);
      return;
    }
    if (this.paxRecords !== null) notes.add('extension-twice', path);
    this.paxRecords = records;
  }
}

function isOtherName(inPax: Name | undefined, long: Name | null): boolean {
  return inPax !== undefined && long !== null && inPax.text !== long.text;
}
