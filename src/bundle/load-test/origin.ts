import { SourceMap } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildCode } from '../code.ts';
import type { BundleOptions } from '../options.ts';

/** A place in the sources, or in a file that is packed as it is. */
export interface Origin {
  /** Relative to the entry's folder, with packages in `node_modules`. */
  path: string;
  /** From 1; null if only the file is known. */
  line: number | null;
}

/** A place in an unpacked archive; the path is relative to that. */
interface Frame extends Origin {
  line: number;
  column: number;
}

/**
 * The place that an error comes from. Compiled code is built again for that, with a source map.
 * @param stack of the error
 * @param folder of the unpacked archive
 * @param options of the build; null for a folder that was packed as it is
 * @param modules the files of which code is in the archive, as the code names them
 */
export async function originOf(
  stack: string,
  folder: string,
  options: BundleOptions | null,
  modules: ReadonlyMap<string, string>,
): Promise<Origin | null> {
  const frame = firstFrame(stack, folder);
  if (frame === null || options === null) return frame;
  const { files } = await buildCode({ ...options, sourcemap: true });
  const code = Buffer.from(files.find(({ path }) => path === frame.path)?.bytes ?? []).toString();
  const [, data] = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/.exec(code) ?? [];
  // One of the files that --include adds.
  if (data === undefined) return frame;
  const map = new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString()));
  const entry = map.findEntry(frame.line - 1, frame.column - 1);
  if ('originalSource' in entry && modules.has(entry.originalSource))
    return { path: entry.originalSource, line: entry.originalLine + 1 };
  // A package may have a source map of its own, whose sources are not installed.
  const path = moduleAt(code, frame.line, modules);
  return path === null ? null : { path, line: null };
}

/** The module that a line of the code belongs to, by the comments of the compiler; null if there are none. */
function moduleAt(code: string, line: number, modules: ReadonlyMap<string, string>): string | null {
  const before = code.split('\n').slice(0, line);
  const comment = before.findLast((text) => text.startsWith('// ') && modules.has(text.slice(3)));
  return comment === undefined ? null : comment.slice(3);
}

/** The first frame of a stack in the folder. */
function firstFrame(stack: string, folder: string): Frame | null {
  const prefixes = [`${pathToFileURL(folder).href}/`, `${folder}${sep}`];
  for (const line of stack.split('\n')) {
    const prefix = prefixes.find((one) => line.includes(one));
    if (prefix === undefined || !/^\s+at /.test(line)) continue;
    const [, file, row, column] = /^(.*?):(\d+):(\d+)\)?$/.exec(line.slice(line.indexOf(prefix) + prefix.length)) ?? [];
    if (file !== undefined) return { path: file.split(sep).join('/'), line: Number(row), column: Number(column) };
  }
  return null;
}
