import { packagePath } from '../package-paths.ts';

/** The part of the compiled code that comes from one file. */
export interface CompiledModule {
  /** As in the metafile; null for code of which the file is not known. */
  input: string | null;
  code: string;
}

/** The comment that esbuild writes above each module. */
const COMMENT = /^\/\/ (\S.*)$/gm;
/** The comment above the modules that a template may name: `require("./dep-*.node") in <path>`. */
const GLOB = /^(?:require|import)\(".*"\) in (.*)$/;
/** The exports of the whole output, which the last module does not declare. */
const EXPORTS = /\nexport \{[^}]*\};\s*$/;

/**
 * Divides compiled code into its modules; minified code is one.
 * @param inputs the files of which bytes are in it, as in the metafile
 */
export function modulesIn(code: string, inputs: Iterable<string>): CompiledModule[] {
  const byPath = new Map([...inputs].map((input) => [packagePath(input), input]));
  const text = code.replace(EXPORTS, '\n');
  const starts = [...text.matchAll(COMMENT)].flatMap(({ index, 1: path = '' }) => {
    const input = byPath.get(GLOB.exec(path)?.[1] ?? path);
    return input === undefined ? [] : [{ index, input }];
  });
  if (starts.length === 0) return [{ input: byPath.size === 1 ? ([...byPath.values()][0] ?? null) : null, code: text }];
  return starts.map(({ index, input }, at) => ({ input, code: text.slice(index, starts[at + 1]?.index) }));
}
