import type {
  ComparedBody,
  HeaderGroup,
  HeaderProbe,
  ResourceKind,
  Probe,
  HttpViews,
} from '../../src/core/facts/facts.ts';
import { acao, browser, hop, probe, web } from './probes.ts';

/** Facts about the copies that browsers get, and about the probes that tell what they depend on. */

const ALL: readonly HeaderGroup[] = ['origin', 'fetch-metadata', 'encoding', 'agent'];

/** A copy that was compressed and is like the first answer. */
export function copy(more: Partial<ComparedBody> = {}): ComparedBody {
  return {
    coding: 'gzip',
    bytes: 50,
    kind: 'gzip',
    fault: null,
    decoded: { bytes: 90, sha256: 'b'.repeat(64), kind: 'json' },
    same: true,
    first: { bytes: 100, sha256: 'a'.repeat(64) },
    ...more,
  };
}

/** A page's GET that brought this copy. */
export function compressedCopy(more: Partial<ComparedBody> = {}, headers: Record<string, string> = {}): Probe {
  return { ...browser(acao('*', { 'content-encoding': 'gzip', ...headers })), copy: copy(more) };
}

/** A page's GET that was refused. */
export function refused(status = 403): Probe {
  return { ...browser([hop({}, { status })]) };
}

/** Probes in which the other answer comes wherever one of these groups is sent. */
export function probesDifferingBy(
  other: Probe,
  groups: readonly HeaderGroup[],
  like: HeaderProbe['like'] = 'fetch',
): HeaderProbe[] {
  const sent = [[], [], [...ALL], ...ALL.map((group) => [group])];
  return sent.map((list) => ({
    like,
    sent: list,
    round: 1,
    probe: list.some((group) => groups.includes(group)) ? other : probe(),
  }));
}

/** Probes with these results, the plain ones of the two rounds first, regardless of the request headers. */
export function probesInRounds(first: readonly Probe[], second: readonly Probe[]): HeaderProbe[] {
  return [...roundProbes(first, 1), ...roundProbes(second, 2)];
}

function roundProbes(probes: readonly Probe[], round: HeaderProbe['round']): HeaderProbe[] {
  return probes.map((one, i) => ({ like: 'fetch', sent: i < 2 ? [] : [...ALL], round, probe: one }));
}

/** Input of a rule about resources. */
export function resourceFacts(
  views: Partial<HttpViews>,
  answer: Probe = probe(),
  resource: ResourceKind = 'metadata',
): { resource: ResourceKind; web: HttpViews; answer: Probe; origins: readonly string[] } {
  return { resource, web: web(answer, views), answer, origins: [] };
}
