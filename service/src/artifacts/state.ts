import { type StoreFigures, storeFigures } from './evictions.ts';
import { type ArtifactKeeper } from './keeper.ts';
import { within } from '../time-limits.ts';
import { type Registry, Gauge } from 'prom-client';

/** The state of the store of artifacts, for health and metrics: of all nodes together, and never about a tenant. */

/** Reads the figures of the store; null without a store, or if the database does not respond. */
type ReadStoreFigures = () => Promise<StoreFigures | null>;

/** Milliseconds for which figures are used: they take a query for all files. */
const VALID = 60_000;
/** Milliseconds for the database, and for the disk, to respond. */
const TIMEOUT = 2_000;

const GAUGES: { name: string; help: string; value(figures: StoreFigures): number }[] = [
  { name: 'appreg_artifact_store_bytes', help: 'Bytes of all kept artifacts.', value: ({ bytes }) => bytes },
  { name: 'appreg_artifact_store_max_bytes', help: 'Maximum bytes (--artifacts-max).', value: ({ limit }) => limit },
  {
    name: 'appreg_last_copies',
    help: 'Kept artifacts of offered versions whose hosts no longer have them.',
    value: ({ lastCopies }) => lastCopies,
  },
  {
    name: 'appreg_last_copy_bytes',
    help: 'Bytes of the kept artifacts whose hosts no longer have them.',
    value: ({ lastCopyBytes }) => lastCopyBytes,
  },
  {
    name: 'appreg_last_copies_at_risk',
    help: 'Last copies of organizations whose last copies alone exceed their share: the next artifact of theirs drops some.',
    value: ({ lastCopiesAtRisk }) => lastCopiesAtRisk,
  },
];

export function openStoreState(keeper: Pick<ArtifactKeeper, 'files' | 'limit'> | null): ReadStoreFigures {
  let last: { at: number; figures: Promise<StoreFigures | null> } | null = null;
  return async () => {
    if (keeper === null) return null;
    if (last === null || performance.now() - last.at >= VALID) {
      const figures = keeper.files().then(
        (files) => storeFigures(files, keeper.limit),
        () => {
          // The metrics of the database report its fault.
          last = null;
          return null;
        },
      );
      last = { at: performance.now(), figures };
    }
    return within(TIMEOUT, last.figures, null);
  };
}

/** `none`: the service keeps no artifacts. `unknown`: the database does not respond. */
type StoreState = 'none' | 'unknown' | 'unavailable' | 'write-failed' | 'available' | 'last-copies-at-risk' | 'full';

export async function storeStateOf(
  keeper: Pick<ArtifactKeeper, 'isReachable' | 'hasFailedToWrite'> | null,
  read: ReadStoreFigures,
): Promise<StoreState> {
  if (keeper === null) return 'none';
  if (!(await within(TIMEOUT, keeper.isReachable(), false))) return 'unavailable';
  if (keeper.hasFailedToWrite) return 'write-failed';
  const figures = await read();
  if (figures === null) return 'unknown';
  if (figures.isFull) return 'full';
  return figures.lastCopiesAtRisk > 0 ? 'last-copies-at-risk' : 'available';
}

/** Metrics of the store, which all nodes share, and of what this node writes to it. */
export function registerStoreMetrics(
  registry: Registry,
  keeper: Pick<ArtifactKeeper, 'hasFailedToWrite'> | null,
  read: ReadStoreFigures,
): void {
  const failed: Gauge = new Gauge({
    name: 'appreg_artifact_write_failed',
    help: '1 if the node could not write the last artifact, otherwise 0.',
    registers: [registry],
    collect: () => failed.set(keeper?.hasFailedToWrite === true ? 1 : 0),
  });
  for (const { name, help, value } of GAUGES) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const figures = await read();
        gauge.set(figures === null ? Number.NaN : value(figures));
      },
    });
  }
}
