import { posix } from 'node:path';

const KEYWORD = /__dirname|__filename|import\.meta|\brequire\b|\bimport\b|\bfrom\b|Worker|fork|URL/;
const COMMENT = /^\s*(\/\/|\*|\/\*)/;

/**
 * The line of a source file that has an expression of the compiled code, whose names and quotes may differ.
 * @param code the expression, maybe shortened
 * @param target the path or the package that it names
 * @param isTaken true for the line of another reference
 * @returns from 1; null if no line resembles it
 */
export function lineOf(
  source: string,
  code: string,
  target: string | null,
  isTaken: (line: number) => boolean,
): number | null {
  const lines = source.split('\n');
  const literals = [...code.matchAll(/["'`]([^"'`$]+)["'`]/g)].map(([, text = '']) => text);
  const names = target === null ? [] : [target, posix.basename(target)];
  // The longest word says most about the place.
  const words = [...literals.toReversed(), ...names].toSorted((a, b) => b.length - a.length);
  const exact = code.replaceAll('__require', 'require').replace(/…$/, '');
  const tests = [
    (line: string) => line.includes(exact),
    ...words.map((word) => (line: string) => line.includes(word) && KEYWORD.test(line)),
    ...words.map((word) => (line: string) => line.includes(word)),
    ...(words.length === 0 ? [(line: string) => /__dirname|__filename|import\.meta/.test(line)] : []),
  ];
  for (const test of tests) {
    const found = lines.flatMap((line, index) => (!COMMENT.test(line) && test(line) ? [index + 1] : []));
    const line = found.find((one) => !isTaken(one)) ?? found[0];
    if (line !== undefined) return line;
  }
  return null;
}
