import { openBlobBucket } from '../../store/blobs/bucket.ts';
import { openBlobDirectory } from '../../store/blobs/directory.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Db } from '../database/database.ts';
import { ArtifactKeeper } from './keeper.ts';

/**
 * The store of `--artifacts`; null without one.
 * @param env with the credentials of a bucket
 * @param onLost receives the number of versions whose last copy was lost
 * @throws AppregError if it cannot be used
 */
export async function openArtifacts(
  { artifacts }: Settings,
  db: Db,
  log: Log,
  env: NodeJS.ProcessEnv,
  onLost: (versions: number) => void,
): Promise<ArtifactKeeper | null> {
  if (artifacts === null) return null;
  const { place, limit } = artifacts;
  const blobs =
    place.type === 'directory'
      ? openBlobDirectory(place.folder)
      : openBlobBucket({
          bucket: place.bucket,
          prefix: place.prefix,
          region: null,
          endpoint: null,
          env,
          onCredentialsError: (error) => log('warn', 'credentials-not-renewed', { store: place.bucket, error }),
        });
  const store = await blobs.identity();
  const keeper = new ArtifactKeeper({ blobs, store, limit, db, log, onLost });
  await keeper.tidy();
  return keeper;
}
