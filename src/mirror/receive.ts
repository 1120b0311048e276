import { copyFile, type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Content } from '../core/facts/facts.ts';
import { comparableUrl } from '../core/url/url.ts';
import { createDigester } from '../observe/digest/digest.ts';
import type { ArtifactCopy } from '../observe/registry/options.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { readChunks } from '../platform/read-chunks.ts';
import { diskError } from '../store/directory/disk-error.ts';
import { tempName } from '../store/directory/owner.ts';
import { syncFile } from '../store/directory/system.ts';

/** Writes artifacts to files while they are observed. */

/** Where the artifacts of the versions belong: paths in the mirror, by URL and digest. */
export class ArtifactPaths {
  readonly #paths = new Map<string, Map<string, Set<string>>>();

  add(url: string, digest: string, path: string): void {
    const byDigest = this.#paths.get(comparableUrl(url)) ?? new Map<string, Set<string>>();
    this.#paths.set(comparableUrl(url), byDigest);
    byDigest.set(digest, (byDigest.get(digest) ?? new Set()).add(path));
  }

  delete(url: string, digest: string, path: string): void {
    const byDigest = this.#paths.get(comparableUrl(url));
    byDigest?.get(digest)?.delete(path);
    if (byDigest?.get(digest)?.size === 0) byDigest.delete(digest);
    if (byDigest?.size === 0) this.#paths.delete(comparableUrl(url));
  }

  /** A path of any version with this URL, of which the folder has room for the bytes; undefined for none. */
  anyOf(url: string): string | undefined {
    const [digests] = this.#paths.get(comparableUrl(url))?.values() ?? [];
    return digests?.values().next().value;
  }

  of(url: string, digest: string): string[] {
    return [...(this.#paths.get(comparableUrl(url))?.get(digest) ?? [])];
  }
}

export interface ReceiveOptions {
  root: string;
  paths: ArtifactPaths;
  onBytes(count: number): void;
  /** The files with a listed digest are complete. */
  onReceived(paths: readonly string[], sha256: string): Promise<void>;
  /** The disk is full, for example: the run cannot continue. */
  onError(error: unknown): void;
}

/**
 * Receives the bytes of an artifact. Each file is moved to its path atomically, and only if its digest is a listed one.
 * Null if no version needs them.
 */
export function receiveArtifact(
  url: string,
  { root, paths, onBytes, onReceived, onError }: ReceiveOptions,
): ArtifactCopy | null {
  const target = paths.anyOf(url);
  if (target === undefined) return null;
  const shown = join(root, target);
  const part = join(dirname(shown), tempName(basename(target)));
  let file: FileHandle | null = null;
  let isOver = false;

  async function discard(): Promise<void> {
    isOver = true;
    await file?.close().catch(() => {});
    file = null;
    await rm(part, { force: true }).catch(() => {});
  }
  /** Its errors end the run, and are not facts about the artifact. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    if (isOver) return;
    try {
      await work();
    } catch (error) {
      onError(diskError(error, shown));
      await discard();
    }
  }
  async function opened(): Promise<FileHandle> {
    await makeFolder(dirname(part));
    file = await open(part, 'wx');
    return file;
  }

  return {
    write: (chunk) =>
      attempt(async () => {
        onBytes(chunk.length);
        const target = file ?? (await opened());
        for (let done = 0; done < chunk.length;) done += (await target.write(chunk, done)).bytesWritten;
      }),
    end: (content: Content) =>
      attempt(async () => {
        const [first, ...others] = content.cut ? [] : paths.of(url, content.sha256);
        if (first === undefined) return discard();
        const complete = file ?? (await opened());
        await syncFile(complete);
        await complete.close();
        file = null;
        for (const path of others) await copyWhole(part, join(root, path));
        await makeFolder(dirname(join(root, first)));
        await rename(part, join(root, first));
        isOver = true;
        await onReceived([first, ...others], content.sha256);
      }),
    discard,
  };
}

/** Copies a file, so that it is either complete or missing. */
async function copyWhole(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  const part = join(dirname(to), tempName(basename(to)));
  try {
    await copyFile(from, part);
    await rename(part, to);
  } finally {
    await rm(part, { force: true });
  }
}

/** SHA-256 of a local file; null if missing. */
export async function digestOfFile(path: string): Promise<{ sha256: string; bytes: number } | null> {
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile()) return null;
  const digester = createDigester(Infinity);
  for await (const chunk of readChunks(path)) digester.write(chunk);
  const { sha256, bytes } = digester.end();
  return { sha256, bytes };
}
