import type { CheckProgress } from '../registries/schema.ts';
import { writeProgress } from './records-store.ts';
import type { Run } from './run.ts';

/** Stores how far a refresh has got, for the subscribers who wait for it. A refresh that is quick stores nothing. */

/** Milliseconds between two writes. */
const INTERVAL = 1000;

interface ProgressWriter {
  stop(): Promise<void>;
}

export function startProgressWriter(run: Run): ProgressWriter {
  const { db, log } = run.context;
  let stored = '';
  let writing: Promise<void> | null = null;

  async function write(progress: CheckProgress): Promise<void> {
    try {
      await writeProgress(db, run.registry, progress);
    } catch (error) {
      // The refresh itself reports a database that cannot be reached.
      log('debug', 'progress-not-stored', { registry: run.registry.id, error });
    } finally {
      writing = null;
    }
  }

  const timer = setInterval(() => {
    const progress = progressOf(run);
    const text = JSON.stringify(progress);
    if (progress === null || writing !== null || text === stored) return;
    stored = text;
    writing = write(progress);
  }, INTERVAL);
  return {
    async stop() {
      clearInterval(timer);
      await writing;
    },
  };
}

function progressOf({ progress: { order, observed } }: Run): CheckProgress | null {
  if (observed === null || order.length === 0) return null;
  const { listed, verified } = observed.artifacts;
  return { apps: { total: order.length, read: observed.apps }, artifacts: { total: listed, verified } };
}
