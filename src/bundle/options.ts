export interface BundleOptions {
  /** Absolute: a source file to build, or a folder that is packed as it is. */
  entry: string;
  /** Absolute: a second source file, built for browsers to ui.js. */
  ui?: string;
  /** Packages that are left out of the code, beside `@slflows/sdk` and `*.node`. */
  external?: readonly string[];
  /** Globs relative to the entry's folder: files that are packed beside the code. A folder has everything already. */
  include?: readonly string[];
  /** What app.js will run on, as esbuild names it; default node22. */
  target?: string;
  minify?: boolean;
  /** Writes the source map into the code. */
  sourcemap?: boolean;
  /** Absolute: a file that is never packed, as the archive itself from the last time. */
  leaveOut?: string;
  /** Absolute: what paths in messages are relative to; default: the entry's folder. */
  cwd?: string;
}
