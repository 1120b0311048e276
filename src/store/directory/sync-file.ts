import { fsync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Waits until the disk has confirmed the file's data. The FileHandle that Yarn's Plug'n'Play substitutes for Node's own
 * throws in `sync()`; its descriptor is a real one.
 */
export async function syncFile(handle: FileHandle): Promise<void> {
  await (process.versions['pnp'] === undefined ? handle.sync() : promisify(fsync)(handle.fd));
}
