import type { Figures } from 'appreg/node';
import { writeProgress, type RegistryClaim } from '../db/claims.ts';
import type { Service } from '../context.ts';
import type { CheckProgress } from '../domain/registries.ts';

/** Milliseconds between two writes. */
const INTERVAL = 1000;

/** Stores how far a refresh has got, for the subscribers who wait for it. */
export interface ProgressWriter {
  /** Begins, once the number of apps to observe is known. A refresh that is quick stores nothing. */
  start(total: number): void;
  close(): Promise<void>;
}

export function openProgressWriter(
  { db, log }: Pick<Service, 'db' | 'log'>,
  registry: RegistryClaim,
  figures: Readonly<Figures>,
): ProgressWriter {
  let timer: NodeJS.Timeout | undefined;
  let stored = '';
  let writing: Promise<void> | null = null;

  async function write(progress: CheckProgress): Promise<void> {
    try {
      await writeProgress(db, registry, progress);
    } catch (error) {
      // The refresh itself reports a database that cannot be reached.
      log('debug', 'progress-not-stored', { registry: registry.id, error });
    } finally {
      writing = null;
    }
  }

  function writeNext(total: number): void {
    if (writing !== null) return;
    const { listed, verified } = figures.artifacts;
    const progress = { apps: { total, read: figures.apps }, artifacts: { total: listed, verified } };
    const text = JSON.stringify(progress);
    if (text === stored) return;
    stored = text;
    writing = write(progress);
  }

  return {
    start(total) {
      if (total > 0) timer = setInterval(writeNext, INTERVAL, total);
    },
    async close() {
      clearInterval(timer);
      await writing;
    },
  };
}
