import type { BuildSettings } from '../../core/release/build-settings.ts';
import { flag, list, type OptionDefinition, text } from './command.ts';

/** The options of a build as flags: one for each of `BuildSettings`, under its name. */
export const buildFlags = {
  external: list('--external <name>', 'leave a package out of the bundle; repeatable', 'any'),
  include: list('--include <glob|file:path>', 'add files to the archive, or one at this path; repeatable', 'any'),
  loader: list('--loader <suffix=form>', 'embed .sql=text or .wasm=bytes, or add .wasm=file; repeatable', 'any'),
  define: list('--define <name=value>', 'replace a name in the code by JSON or a name; repeatable', 'any'),
  conditions: list('--conditions <name>', 'a condition for the exports of packages; repeatable', 'any'),
  target: text('--target <target>', 'runtime to compile for (default: node22)', 'any'),
  minify: flag('--minify', 'minify the code'),
  sourcemap: flag('--sourcemap', 'embed the source map in the code'),
} as const satisfies Record<keyof BuildSettings, OptionDefinition>;
