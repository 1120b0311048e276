/** A file or a package that compiled code asks for when it runs. */
export interface Reference {
  /** The code, in the notation of the sources: `new URL("./x.wasm", import.meta.url)`, shortened. */
  code: string;
  /**
   * `file`: a path beside the code; `code`: the same, of a worker or a process; `beside`: a file name that may be one;
   * `computed`: a path that is only known at run time; `module`: a module with such a name; `package`: a package or a
   * module of one, also by the `imports` of a package.json (`#name`); `addon`: a native addon
   * that a package finds by the path of its own folder.
   */
  kind: 'file' | 'code' | 'beside' | 'computed' | 'module' | 'package' | 'addon';
  /** The path from the folder of the archive, or the name of the package (for `addon`, of the one that finds it); null for one that the code computes. */
  target: string | null;
  /** True if the code handles that it is missing (`try`/`catch`). */
  isOptional: boolean;
  /** Absolute; null if it is not known, as in minified code. */
  source: string | null;
  /** From 1; null if it is not known. */
  line: number | null;
}

/** A reference as it is found in a part of the compiled code. */
export type FoundReference = Pick<Reference, 'code' | 'kind' | 'target' | 'isOptional'>;
