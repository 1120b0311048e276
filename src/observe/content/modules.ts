import { mayHaveSecret } from './regions.ts';

/** The files that the code of a bundle came from, by the comments that esbuild writes above each module. */

const START = '\n// ';
/** A relative path, or the name of a module that a package replaces by an empty one. */
const PATH = /\/\/ (?!.*:\/\/)((?:\(disabled\):)?[^\s"'`<>*(][^"'`<>\n]{0,400}\.[A-Za-z0-9]{1,10})\r?(?:\n|$)/y;

export class Modules {
  /** The module in which the next window begins. */
  private last: string | null = null;

  /**
   * Reads the comments in the next window of a text.
   * @returns the path of the module at an offset of its text; null if it is unknown
   */
  read({ text, to }: { text: string; to: number }): (offset: number) => string | null {
    const before = this.last;
    const found: { from: number; path: string }[] = [];
    const add = (from: number): void => {
      PATH.lastIndex = from;
      const [, path] = PATH.exec(text) ?? [];
      if (path !== undefined) found.push({ from, path });
    };
    if (text.startsWith(START.slice(1))) add(0);
    for (let at = text.indexOf(START); at !== -1 && at < to; at = text.indexOf(START, at + 1)) add(at + 1);
    this.last = found.at(-1)?.path ?? before;
    return (offset) => found.findLast(({ from }) => from <= offset)?.path ?? before;
  }
}

/**
 * The path of a source file as shown: that of a package begins with its innermost `node_modules`, wherever it is
 * installed. Null for a path that may contain a secret itself.
 */
export function shownSource(path: string | null): string | null {
  if (path === null || mayHaveSecret(path)) return null;
  return path.slice(Math.max(0, path.lastIndexOf('node_modules/')));
}
