import { createHash } from 'node:crypto';
import type { Artifact } from '../../src/publish/artifact.ts';
import type { RegistryLocation } from '../../src/publish/registry-location.ts';
import { digestOfBytes } from '../../src/store/bytes.ts';
import type { Store } from '../../src/store/store.ts';
import { localPath } from '../../src/observe/workspace/places.ts';
import { artifactFactsOf } from '../support/archives.ts';
import { entry, tgz } from '../support/tar-builder.ts';

function token(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A store in a Map. */
export function memoryStore(files: Record<string, string | Uint8Array>): Store & { files: Map<string, Buffer> } {
  const stored = new Map(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes)]));
  return {
    name: 'memory',
    files: stored,
    async read(path) {
      const bytes = stored.get(path);
      return bytes ? { bytes, token: token(bytes) } : null;
    },
    async digest(path) {
      const bytes = stored.get(path);
      return bytes ? digestOfBytes(bytes) : null;
    },
    async create(path, bytes) {
      if (stored.has(path)) return 'exists';
      stored.set(path, Buffer.from(bytes as Uint8Array));
      return 'created';
    },
    async replace(path, bytes, expected) {
      const there = stored.get(path);
      if (!there || token(there) !== expected) return 'changed';
      stored.set(path, Buffer.from(bytes));
      return 'replaced';
    },
  };
}

export const BASE = 'https://apps.example.com/r/';

export function placeOf(store: Store): RegistryLocation {
  return { store, manifest: 'registry.json', base: BASE, pathOf: (url) => localPath(url, BASE) };
}

export const JUDGEMENT = { now: '2026-01-01T00:00:00Z', severities: {} };

/** A whole .tar.gz whose bytes depend on `code`. */
export function tarGz(code: string): Buffer {
  return tgz(entry('app.js', code));
}

export async function artifact(bytes: Uint8Array, url: string | null = null): Promise<Artifact> {
  const inspected = await artifactFactsOf(bytes);
  return url === null ? { bytes, url, ...inspected } : { bytes: null, url, ...inspected };
}
