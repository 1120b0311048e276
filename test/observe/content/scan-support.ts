import { expect } from 'vitest';
import type { ContentScan } from '../../../src/core/facts/facts.ts';
import type { ScanOptions } from '../../../src/observe/archive/read-archive.ts';
import { listArchive } from '../../support/archives.ts';
import * as tar from '../../support/tar-builder.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

interface ScanSettings extends Partial<ScanOptions> {
  size?: number;
}

/** Scans an archive of these files, in pieces of `size` bytes. */
export async function scan(
  files: Files,
  { size = 64 * 1024, folders = [], ...rest }: ScanSettings = {},
): Promise<ContentScan> {
  const bytes = tar.tgz(...Object.entries(files).map(([path, text]) => tar.entry(path, text)));
  const { fault, scan: found } = await listArchive(bytes, { size, scan: { folders, ...rest } });
  expect(fault).toBe(null);
  if (found === undefined) throw new Error('The archive was not scanned.');
  return found;
}

/** The comment with an inline source map. */
export function inlineMap(map: object): string {
  const base64 = Buffer.from(JSON.stringify(map)).toString('base64');
  return `//# sourceMappingURL=data:application/json;base64,${base64}`;
}
