import { createHash, randomUUID } from 'node:crypto';
import { rm, type FileHandle, open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { message } from '../../core/text/message.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { readChunks } from '../../platform/read-chunks.ts';
import { fileBytes, digestOfChunks } from '../bytes.ts';
import { createFile } from '../directory/atomic.ts';
import { diskError, nullIfMissing } from '../directory/disk-error.ts';
import { removeStaleTempFiles } from '../directory/owner.ts';
import { FORCE_REMOVE, readFile, retryWhileBusy, syncFolder, syncFile } from '../directory/system.ts';
import { openRequests } from '../s3/request.ts';
import { openS3, type S3Options } from '../s3/s3.ts';

/** Large files by their digest, such as verified artifacts. Several processes may share a store. */
export interface BlobStore {
  /** As the user would name it. */
  readonly name: string;
  /** Where files are received before they are stored: on the disk of the store, if it has one. */
  readonly incoming: string;
  /** Identifies the store for all processes that share it. @throws AppregError if it cannot be used */
  identity(): Promise<string>;
  /**
   * True if this is still the store that `identity` has identified: the folder of another disk, or one that is not
   * mounted, has lost nothing.
   */
  isStill(identity: string): Promise<boolean>;
  /**
   * Stores a received file, which is gone afterwards; one that is stored already is replaced by the same bytes.
   * @throws AppregError if the file has other bytes, or cannot be written
   */
  put(file: ReceivedFile): Promise<void>;
  /** @param sha256 in hexadecimal digits; null if it is not stored */
  open(sha256: string): Promise<BlobReader | null>;
  remove(sha256: string): Promise<void>;
}

/** A file in the folder `incoming`, and what was written to it. */
export interface ReceivedFile {
  path: string;
  length: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** In base64. */
  md5: string;
}

/** A blob that is open for reading. */
export interface BlobReader {
  /** The bytes from `start` up to, but not including, `end`; null if they are gone, or if there are fewer. */
  read(start: number, end: number): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/** The path of a blob below the root. */
function blobPath(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('A blob is named by its SHA-256.');
  return `${sha256.slice(0, 2)}/${sha256}.tar.gz`;
}

/**
 * Blobs in a bucket. Every write is read back. A part is read by a range.
 * @param incoming a folder for files that are being received
 */
export function openBlobBucket(options: S3Options, incoming = tmpdir()): BlobStore {
  const requests = openRequests(options, options);
  const store = openS3(options, requests);
  return {
    name: store.name,
    incoming,
    async identity() {
      // A request, so that a wrong setting is found at the start.
      await requests.request('GET', 'appreg-artifacts.txt');
      const place = JSON.stringify([options.endpoint, options.bucket, options.prefix]);
      return createHash('sha256').update(place).digest('hex').slice(0, 32);
    },
    // A missing bucket is an error of each request.
    isStill: async () => true,
    async put(file) {
      const { path, length, sha256, md5 } = file;
      const name = blobPath(sha256);
      try {
        const bytes = fileBytes(path, name, { length, sha256, md5 });
        if ((await store.create(name, bytes)) === 'created') return;
        const stored = await store.digest(name);
        if (stored?.sha256 === sha256) return;
        await requests.request('DELETE', name);
        await store.create(name, bytes);
      } finally {
        await rm(path, FORCE_REMOVE);
      }
    },
    async open(sha256) {
      const name = blobPath(sha256);
      return {
        async read(start, end) {
          const range = `bytes=${start}-${end - 1}`;
          const answer = await requests.request('GET', name, { headers: { range } });
          if (answer.status === 404) return null;
          const bytes = answer.status === 206 ? answer.bytes : answer.bytes.subarray(start, end);
          return bytes.length === end - start ? bytes : null;
        },
        async close() {},
      };
    },
    async remove(sha256) {
      await requests.request('DELETE', blobPath(sha256));
    },
  };
}

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
