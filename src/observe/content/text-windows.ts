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
