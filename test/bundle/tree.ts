import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Header, Parser, type ReadEntry } from 'tar';
import { bundle, type BundleOptions } from '../../src/bundle/bundle.ts';
import { afterFile } from '../support/cleanup.ts';

/** A fresh folder with these files in it; gone when the test file is done. */
export function tree(files: Record<string, string | Uint8Array> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bundle-test-')));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return writeFiles(folder, files);
}

export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Every path below the folder, to compare before and after. */
export function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

/** What a standard reader finds in the archive: path → text, in archive order. */
export async function unpacked(archive: Uint8Array): Promise<Record<string, string>> {
  const files = Object.entries(await unpackedBytes(archive));
  return Object.fromEntries(files.map(([path, bytes]) => [path, bytes.toString()]));
}

/** The same, as bytes. */
export async function unpackedBytes(archive: Uint8Array): Promise<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {};
  const parser = new Parser({ strict: true });
  const done = new Promise((resolve, reject) => parser.on('end', resolve).on('error', reject));
  parser.on('entry', (entry: ReadEntry) => {
    const parts: Buffer[] = [];
    entry.on('data', (part) => parts.push(part)).on('end', () => (found[entry.path] = Buffer.concat(parts)));
  });
  parser.end(Buffer.from(archive));
  await done;
  return found;
}

/** The raw headers of the archive, in order. */
export function headers(archive: Uint8Array): Header[] {
  const tar = gunzipSync(archive);
  const found: Header[] = [];
  for (let at = 0; at < tar.length - 1024;) {
    const header = new Header(tar, at);
    found.push(header);
    at += 512 + Math.ceil((header.size ?? 0) / 512) * 512;
  }
  return found;
}

/** Builds main.ts (or another entry) of a fresh folder. */
export async function built(files: Record<string, string>, options: Partial<BundleOptions> = {}, entry = 'main.ts') {
  const folder = tree(files);
  const result = await bundle({
    ...options,
    entry: join(folder, entry),
    ...(options.ui && { ui: join(folder, options.ui) }),
  });
  return { ...result, files: await unpacked(result.archive) };
}
