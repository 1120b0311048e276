export interface BundleOptions {
  /** Absolute: a source file to build, or a folder to pack unchanged. */
  entry: string;
  /** Absolute: a second source file, built for browsers to ui.js. */
  ui?: string;
  /** Packages that are not bundled, in addition to `@slflows/sdk` and `*.node`. */
  external?: readonly string[];
  /** Globs relative to the entry's folder: files to pack with the code. Not needed for a folder. */
  include?: readonly string[];
  /** The target of app.js in esbuild's notation; default node22. */
  target?: string;
  minify?: boolean;
  /** Inlines the source map. */
  sourcemap?: boolean;
  /** Absolute: a file that is never packed, such as the archive of the previous run. */
  leaveOut?: string;
  /** Absolute: the base of paths in messages; default: the entry's folder. */
  cwd?: string;
  /** Also determines what the archive was built from (`Bundle.provenance`), which takes a little longer. */
  traced?: boolean;
}
