import { type HttpClient, observe, type Observing, openHttpClient } from 'appreg/node';
import { type AppRecords } from '../db/app-records.ts';
import { type RegistryRecord } from '../db/refreshes.ts';
import { openBudget } from './budget.ts';
import { type RequestCredentials } from './credentials.ts';
import { ICON_BYTES } from './icons.ts';
import { knownResults } from './known.ts';
import { type RefreshContext, type RefreshState, webOptions } from './plan.ts';
import { type ReceivedArtifacts } from './received.ts';
import { type RecordingClient } from './recording-client.ts';

/** The wiring of one refresh: its client, its limits, and the options of its observation. */
export interface Run {
  readonly context: RefreshContext;
  /** The registry as it was read at the start. */
  readonly seen: RegistryRecord;
  readonly credentials: RequestCredentials;
  readonly web: ReturnType<typeof webOptions>;
  readonly client: HttpClient;
  readonly budget: ReturnType<typeof openBudget>;
  /** The node is stopping. */
  readonly stopping: AbortSignal;
  /** When it started. */
  readonly now: Date;
  /** Milliseconds since the start. */
  elapsed(): number;
  /** True if a share of its time is over, or no more requests may be sent. @param share 1 for all of the time */
  isOver(share: number): boolean;
  close(): Promise<void>;
}

export function openRun(
  context: RefreshContext,
  seen: RegistryRecord,
  credentials: RequestCredentials,
  stopping: AbortSignal,
): Run {
  const { limits } = context.settings;
  const now = context.now();
  const started = performance.now();
  const elapsed = (): number => performance.now() - started;
  const budget = openBudget(limits, stopping);
  const web = webOptions(context, seen, budget.signal, credentials.secrets);
  const client = openHttpClient(web);
  return {
    context,
    seen,
    credentials,
    web,
    client,
    budget,
    stopping,
    now,
    elapsed,
    isOver: (share) => budget.signal.aborted || elapsed() > limits.refresh * share,
    async close() {
      budget.close();
      await client.close();
    },
  };
}

/** The parts of the registry, which are requested as they are taken. */
export function observeRegistry(
  { context, web, budget }: Run,
  state: RefreshState,
  recording: RecordingClient,
  { records, received }: { records: AppRecords; received: ReceivedArtifacts },
): Observing {
  const { url, resumeAfter } = state.registry;
  return observe(url, {
    ...web,
    http: recording.http,
    memory: knownResults(state, records),
    copyArtifact: received.copy,
    iconBytes: ICON_BYTES,
    about: true,
    announce: true,
    atMost: context.settings.limits.apps,
    startAfter: resumeAfter,
    budget: budget.observation,
  });
}
