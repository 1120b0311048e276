import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArtifactKeeper } from '../src/artifacts/keeper.ts';
import { type Service } from '../src/context.ts';
import { openBlobDirectory } from '../../src/store/blobs/blobs.ts';

/** Keeps the artifacts of versions that `addApp` has added, whose bytes are their key and version. */
export interface KeptArtifacts {
  keeper: ArtifactKeeper;
  add(registryId: number, key: string, version: string): Promise<void>;
  remove(): void;
}

export async function openKeptArtifacts({ db, log }: Pick<Service, 'db' | 'log'>): Promise<KeptArtifacts> {
  const root = mkdtempSync(join(tmpdir(), 'appreg-artifacts-'));
  const blobs = openBlobDirectory(root);
  const keeper = new ArtifactKeeper({ blobs, store: await blobs.identity(), limit: 1e9, db, log });
  return {
    keeper,
    async add(registryId, key, version) {
      const bytes = Buffer.from(`${key} ${version}`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const keeping: Promise<boolean>[] = [];
      const copy = keeper.receive((file) => void keeping.push(keeper.keep(registryId, file, true)));
      await copy.write(bytes);
      const content = { bytes: bytes.length, sha256, sha1: '', md5: '', head: '', cut: false, decoded: null };
      await copy.end(content);
      if (!(await keeping[0])) throw new Error('It was not kept.');
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
