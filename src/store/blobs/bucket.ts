import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createHash } from 'node:crypto';
import { fileBytes } from '../bytes.ts';
import { FORCE_REMOVE } from '../directory/system.ts';
import { openRequests } from '../s3/request.ts';
import { openS3, type S3Options } from '../s3/s3.ts';
import { blobPath, type BlobStore } from './blobs.ts';

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
