import { type Finding, isMissing, type JsonObject, manifestAppsIn, NOT_REACHED, rules, startJudging } from 'appreg';
import { observe, type SecretHeaders } from 'appreg/node';
import { type Service } from '../context.ts';
import { redactNetworkOfDocument } from '../domain/hidden-network.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Observes and judges the manifest of a registry that is new to the service, while a user waits. */

/**
 * Maximum bytes of a manifest that is checked while a user waits, since several are in memory at once; a refresh checks
 * larger ones.
 */
const MANIFEST_LIMIT = 2 ** 20;
/** Maximum findings in a response; the first ones give the reason. */
const FINDINGS_LIMIT = 20;
/** The rules that make a manifest unusable; the others report further errors. */
const BLOCKING = new Set(['schema-violation', ...rules.filter(({ hidesApp }) => hidesApp).map(({ id }) => id)]);
/** Minimum milliseconds until a host is reported as unreachable: the response time would reveal the reason. */
const UNREACHED_AFTER = 1500;

export interface UnusableManifest {
  message: string;
  /** The advice of a finding is for the author of the registry; this one is for the subscriber. */
  advice: string | null;
  /** True if the message is the one of a finding. */
  isFinding: boolean;
  findings: Finding[];
}

export type ManifestCheck =
  | { result: 'usable'; apps: JsonObject }
  | ({ result: 'unusable' } & UnusableManifest)
  /** Not known before the deadline, or too large. */
  | { result: 'unknown' };

/**
 * @param secrets the credentials of the registry, or null
 * @param timeout in milliseconds
 */
export async function checkManifest(
  { settings, log, outbound }: Service,
  url: string,
  { secrets, timeout }: { secrets: SecretHeaders | null; timeout: number },
): Promise<ManifestCheck> {
  const started = performance.now();
  const judging = startJudging({ command: 'verify', target: url, now: new Date().toISOString() });
  let apps: JsonObject | null = null;
  let isCut = false;
  const signal = AbortSignal.timeout(timeout);
  const parts = observe(url, {
    ca: settings.ca,
    machineCa: settings.machineCa,
    ...outbound,
    secrets,
    retries: 0,
    signal,
    maxWait: 0,
    limits: { manifest: MANIFEST_LIMIT },
    apps: [],
  });
  for await (const part of parts) {
    if (part.kind !== 'manifest') continue;
    const { content } = part.facts;
    judging.manifest(
      redactNetworkOfDocument(part.facts, ({ code, message }) =>
        log('info', 'host-unreachable', { url, code, message }),
      ),
    );
    apps = manifestAppsIn(content);
    isCut = !isMissing(content) && content.cut;
  }
  const { machineLimit } = parts.figures;
  const errors = judging
    .finish(0)
    .findings.filter(({ severity }) => severity === 'error')
    .toSorted((a, b) => Number(BLOCKING.has(b.rule)) - Number(BLOCKING.has(a.rule)));
  if (apps !== null) return { result: 'usable', apps };
  if (isCut || machineLimit !== null || (signal.aborted && errors.length === 0)) return { result: 'unknown' };
  const isUnreached = errors.some(({ evidence }) => evidence['code'] === NOT_REACHED);
  if (isUnreached) await sleep(Math.max(0, UNREACHED_AFTER - (performance.now() - started)));
  return { result: 'unusable', ...reasonOf(errors, isUnreached), findings: errors.slice(0, FINDINGS_LIMIT) };
}

function reasonOf([first]: readonly Finding[], isUnreached: boolean): Omit<UnusableManifest, 'findings'> {
  if (isUnreached)
    return { message: 'The registry could not be reached from the service.', advice: null, isFinding: false };
  if (first === undefined)
    return { message: 'The manifest of the registry cannot be used.', advice: null, isFinding: false };
  const advice = first.cause === 'status-401' ? 'If the registry is private, subscribe with its credentials.' : null;
  return { message: first.message, advice, isFinding: true };
}
