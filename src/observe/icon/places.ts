/** Lines and columns in a text, from 1; a column is a number of characters. */
export interface Place {
  line: number;
  column: number;
}

/** Finds the place of an offset in a text whose lines end in LF. */
export function placesIn(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = starts[low] ?? 0;
    return {
      line: low + 1,
      // Counted only if it is needed: a line may be as long as the text.
      get column() {
        return Array.from(text.slice(start, offset)).length + 1;
      },
    };
  };
}
