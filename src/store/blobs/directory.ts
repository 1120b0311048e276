import { message } from '../../core/text/message.ts';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppregError } from '../../core/errors.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { readChunks } from '../../platform/read-chunks.ts';
import { digestOfChunks } from '../bytes.ts';
import { createFile } from '../directory/atomic.ts';
import { diskError, nullIfMissing } from '../directory/disk-error.ts';
import { FORCE_REMOVE, readFile, retryWhileBusy, syncFolder } from '../directory/system.ts';
import { syncFile } from '../directory/sync-file.ts';
import { removeStaleTempFiles } from '../directory/stale-temp-files.ts';
import { type BlobReader, blobPath, type BlobStore, type ReceivedFile } from './blobs.ts';

const MARKER = 'appreg-artifacts.txt';

/** Blobs in a folder. A file is renamed to its name once it is complete, and its bytes were read back. */
export function openBlobDirectory(root: string): BlobStore {
  const incoming = join(root, 'incoming');
  const place = (sha256: string): string => join(root, ...blobPath(sha256).split('/'));

  return {
    name: root,
    incoming,
    async identity() {
      try {
        await makeFolder(incoming);
        await removeStaleTempFiles(incoming);
        const marker = join(root, MARKER);
        // Another process may create it at the same time: the first one counts.
        if ((await nullIfMissing(readFile(marker))) === null)
          await createFile(marker, Buffer.from(`${randomUUID()}\n`), { shownAs: marker });
        return (await readFile(marker)).toString('utf8').trim();
      } catch (error) {
        throw diskError(error, root, null);
      }
    },
    async isStill(identity) {
      const marker = await nullIfMissing(readFile(join(root, MARKER)));
      return marker?.toString('utf8').trim() === identity;
    },
    async put(file) {
      const target = place(file.sha256);
      try {
        await confirm(file, root);
        await makeFolder(dirname(target));
        await retryWhileBusy(() => rename(file.path, target));
        await syncFolder(dirname(target));
      } catch (error) {
        throw diskError(error, target);
      } finally {
        await rm(file.path, FORCE_REMOVE);
      }
    },
    async open(sha256) {
      const handle = await nullIfMissing(open(place(sha256), 'r'));
      return handle && readerOf(handle);
    },
    remove: (sha256) => rm(place(sha256), FORCE_REMOVE),
  };
}

/** Waits until the disk has the file, and reads it back. */
async function confirm({ path, length, sha256 }: ReceivedFile, root: string): Promise<void> {
  const handle = await open(path, 'r+');
  await syncFile(handle).finally(() => handle.close());
  const stored = await digestOfChunks(readChunks(path));
  if (stored.length === length && stored.sha256 === sha256) return;
  throw new AppregError(
    'write-corrupted',
    message`${length} bytes were written to ${root}, but it contains ${stored.length} different bytes.`,
    message`Check the disk for errors.`,
    { effect: 'none' },
  );
}

function readerOf(handle: FileHandle): BlobReader {
  return {
    async read(start, end) {
      const bytes = Buffer.alloc(end - start);
      let received = 0;
      while (received < bytes.length) {
        const { bytesRead } = await handle.read(bytes, received, bytes.length - received, start + received);
        if (bytesRead === 0) return null;
        received += bytesRead;
      }
      return bytes;
    },
    close: () => handle.close(),
  };
}
