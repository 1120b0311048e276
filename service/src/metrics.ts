import { VERSION } from 'appreg';
import { Registry, Counter, Histogram, Gauge } from 'prom-client';

/** The Prometheus metrics of one node. */
export interface Metrics {
  registry: Registry;
  /** By outcome: good, problems, failing, unfinished; superseded if it was discarded. */
  refreshes: Counter<'outcome'>;
  refreshSeconds: Histogram;
  artifacts: Counter<'outcome'>;
  artifactBytes: Counter;
  requests: Counter<'method' | 'route' | 'status'>;
  requestSeconds: Histogram<'method' | 'route'>;
  refreshing: Gauge;
  /** Attempts, by outcome: delivered, failed, given-up. */
  webhookDeliveries: Counter<'outcome'>;
  /** Versions that neither their host nor the store of the service has any more. */
  lastCopiesLost: Counter;
}

export function openMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  registerBuildInfo(registry);
  return {
    registry,
    refreshes: new Counter({
      name: 'appreg_refreshes_total',
      help: 'Finished refreshes of registries, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    refreshSeconds: new Histogram({
      name: 'appreg_refresh_seconds',
      help: 'Duration of refreshes.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
      registers,
    }),
    artifacts: new Counter({
      name: 'appreg_artifacts_total',
      help: 'Fetched and hashed artifacts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    artifactBytes: new Counter({
      name: 'appreg_artifact_bytes_total',
      help: 'Bytes of fetched artifacts.',
      registers,
    }),
    requests: new Counter({
      name: 'appreg_http_requests_total',
      help: 'Served requests, by route.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'appreg_http_request_seconds',
      help: 'Duration of responses.',
      labelNames: ['method', 'route'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    webhookDeliveries: new Counter({
      name: 'appreg_webhook_attempts_total',
      help: 'Attempts to deliver events to webhooks, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    lastCopiesLost: new Counter({
      name: 'appreg_last_copies_lost_total',
      help: 'Versions that are refused since this node found that neither their host nor the service has the artifact.',
      registers,
    }),
    refreshing: new Gauge({
      name: 'appreg_refreshing',
      help: 'Registries that this node is refreshing at the moment.',
      registers,
    }),
  };
}

function registerBuildInfo(registry: Registry): void {
  const release = new Gauge({
    name: 'appreg_build_info',
    help: 'The release of appreg that this node runs; always 1.',
    labelNames: ['version'],
    registers: [registry],
  });
  release.set({ version: VERSION }, 1);
}
