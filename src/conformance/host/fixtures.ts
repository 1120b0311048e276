import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files that a host serves for its test, by their path in the folder. */
export function fixtureFiles(): ReadonlyMap<string, Uint8Array> {
  return new Map([['registry.json', Buffer.from('{ "apps": {} }\n')]]);
}

/** Writes the files into a folder, which is created. @returns the number of files */
export function writeFixtures(folder: string): number {
  const files = fixtureFiles();
  for (const [path, bytes] of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
  return files.size;
}
