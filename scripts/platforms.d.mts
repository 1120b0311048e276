/** Absolute paths. */
export interface Programs {
  node: string;
  license: string;
  /** The folder of esbuild's package for the platform. */
  esbuild: string;
}
export const NODE_VERSION: string;
export const PLATFORMS: Readonly<Record<string, { node: string; esbuild: string; archive: 'tar.gz' | 'zip' }>>;
export function platformFolder(platform: string): string;
export function programsOf(platform: string): Programs | null;
export function fetchPrograms(platform: string): Programs;
