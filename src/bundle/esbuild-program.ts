import { createRequire } from 'node:module';
import { arch } from 'node:os';

/**
 * The version of esbuild: of its API, which is part of this package, and of its programs, which are optional packages,
 * one for each system. A test compares it with package.json.
 */
export const ESBUILD_VERSION = '0.28.2';

/** The package with esbuild's program for this system. */
export const PROGRAM_PACKAGE = `@esbuild/${process.platform}-${arch()}`;

/** The package that runs everywhere, and is slower. */
export const PORTABLE_PACKAGE = 'esbuild-wasm';

/** From here, and thus from wherever this package is installed. */
const requireHere = createRequire(import.meta.url);

/**
 * The version of an installed package of esbuild.
 * @param name `PROGRAM_PACKAGE` or `PORTABLE_PACKAGE`
 * @returns null if it is not installed
 */
export function installedVersion(name: string): string | null {
  try {
    return (requireHere(`${name}/package.json`) as { version: string }).version;
  } catch {
    return null;
  }
}

/** The path of esbuild's program, which the API would start; null if there is none, or of another version. */
export function programPath(): string | null {
  if (installedVersion(PROGRAM_PACKAGE) !== ESBUILD_VERSION) return null;
  try {
    return requireHere.resolve(`${PROGRAM_PACKAGE}/bin/esbuild`);
  } catch {
    return null;
  }
}

/** The API of the package that runs everywhere. */
export function portableApi(): typeof import('esbuild') {
  return requireHere(PORTABLE_PACKAGE) as typeof import('esbuild');
}
