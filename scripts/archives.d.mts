import type { Programs } from './platforms.mjs';

export interface Archive {
  name: string;
  bytes: Buffer;
}
export function installedFiles(
  platform: string,
  programs: Programs,
  packages?: readonly ('conformance' | 'service')[],
): { path: string; bytes: Buffer; mode: number }[];
export function archiveName(platform: string): string;
export function makeArchive(platform: string, programs: Programs): Archive;
export function checksums(archives: readonly Archive[]): string;
