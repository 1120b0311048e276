import { ANCHORS } from './detectors.ts';

/** A part of a text that is scanned at once. */
export interface TextWindow {
  text: string;
  /** The part of it that belongs to this window; the rest is context, which belongs to its neighbors. */
  from: number;
  to: number;
  /** Number of the line that the text begins in, from 1. */
  line: number;
  isFirst: boolean;
  isLast: boolean;
}

/** Characters that belong to one window. */
const STEP = 256 * 1024;
/** Characters of context before and after: more than any secret has. */
const CONTEXT_BEFORE = 4 * 1024;
const CONTEXT_AFTER = 20 * 1024;

/** Cuts a text into windows at fixed places, regardless of the pieces in which it arrives. */
export class TextWindows {
  private readonly consume: (window: TextWindow) => void;
  private pending = '';
  /** Offset in `pending` where the next window begins. */
  private next = 0;
  /** Number of the line that `pending` begins in, and of its last line. */
  private line = 1;
  private last = 1;
  private isFirst = true;

  constructor(consume: (window: TextWindow) => void) {
    this.consume = consume;
  }

  /** The number of the last line so far. */
  get lastLine(): number {
    return this.last;
  }

  write(text: string): void {
    this.last += countLines(text);
    this.pending += text;
    while (this.pending.length >= this.next + STEP + CONTEXT_AFTER) {
      this.emit(this.pending.slice(0, this.next + STEP + CONTEXT_AFTER), this.next + STEP, false);
      const cut = Math.max(0, this.next + STEP - CONTEXT_BEFORE);
      this.line += countLines(this.pending.slice(0, cut));
      this.next += STEP - cut;
      this.pending = this.pending.slice(cut);
    }
  }

  end(): void {
    this.emit(this.pending, this.pending.length, true);
    this.pending = '';
  }

  private emit(text: string, to: number, isLast: boolean): void {
    const { next: from, line, isFirst } = this;
    this.isFirst = false;
    this.consume({ text, from, to, line, isFirst, isLast });
  }
}

/** The number of line feeds in a part of a text. */
export function countLines(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Counts the lines of a text up to ascending offsets, in one pass over the text. */
export function openLineCounter(text: string): (offset: number) => number {
  let counted = 0;
  let lines = 0;
  return (offset) => {
    lines += countLines(text, counted, offset);
    counted = Math.max(counted, offset);
    return lines;
  };
}

/** Characters around an anchor: more than a secret has before and after it. */
const BEFORE = 800;
const AFTER = 2500;
/** A private key is longer than any other secret. */
const AFTER_KEY = 18_000;
/**
 * Characters from which a region is not joined with the next one: some detectors take time that grows with the square
 * of what they find in one text. The next region begins before its first anchor, so that no secret is cut.
 */
const JOINED = 32 * 1024;

type Anchor = (typeof ANCHORS)[number];

/** A hash of three characters; a sum of shifts is as fast as the loop around it. */
const HASHES = 2 ** 15;
function hashOf(a: number, b: number, c: number): number {
  return ((a << 10) ^ (b << 5) ^ c) & (HASHES - 1);
}

const BY_HASH = new Map<number, Anchor[]>();
/** True if an anchor has such a hash: nearly all places of a text are passed over by this. */
const HAS_ANCHOR = new Uint8Array(HASHES);
for (const anchor of ANCHORS)
  for (const start of anchor.starts) {
    const hash = hashOf(start.charCodeAt(0), start.charCodeAt(1), start.charCodeAt(2));
    HAS_ANCHOR[hash] = 1;
    const anchors = BY_HASH.get(hash) ?? [];
    if (!anchors.includes(anchor)) BY_HASH.set(hash, [...anchors, anchor]);
  }

/** A part of a text that may contain a secret, as offsets. */
export interface RegionBounds {
  from: number;
  to: number;
}

/** The regions around the anchors in a window, in ascending order; they may overlap. */
export function regionsIn({ text, from, to }: TextWindow): RegionBounds[] {
  const regions: RegionBounds[] = [];
  let b = text.charCodeAt(from);
  let c = text.charCodeAt(from + 1);
  for (let at = from; at < to; at += 1) {
    const a = b;
    b = c;
    c = text.charCodeAt(at + 2);
    if (HAS_ANCHOR[hashOf(a, b, c)] === 1) addAt(text, at, hashOf(a, b, c), regions);
  }
  return regions;
}

/** True if detectors have to search a text. */
export function mayHaveSecret(text: string): boolean {
  const window = { text, from: 0, to: text.length, line: 1, isFirst: true, isLast: true };
  return regionsIn(window).length > 0;
}

function addAt(text: string, at: number, hash: number, regions: RegionBounds[]): void {
  const anchor = BY_HASH.get(hash)?.find((one) => isAt(one, text, at));
  if (anchor === undefined) return;
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, at + (anchor.isKey === true ? AFTER_KEY : AFTER));
  const last = regions.at(-1);
  if (last !== undefined && start <= last.to && start - last.from < JOINED) last.to = Math.max(last.to, end);
  else regions.push({ from: start, to: end });
}

function isAt({ starts, pattern }: Anchor, text: string, at: number): boolean {
  if (!starts.some((start) => text.startsWith(start, at))) return false;
  if (pattern === undefined) return true;
  pattern.lastIndex = at;
  return pattern.test(text);
}
