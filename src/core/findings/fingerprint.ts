import type { Finding } from './report.ts';

/** The fields that identify a finding. */
export type FindingIdentity = Pick<
  Finding,
  'rule' | 'cause' | 'resource' | 'app' | 'version' | 'file' | 'url' | 'pointer'
>;

export interface FingerprintedFinding<F = Finding> {
  finding: F;
  /** 16 hexadecimal digits, unique within the report. */
  fingerprint: string;
}

/**
 * The findings, each with an identifier that stays the same if lines move, other findings are added or removed, or URLs
 * are signed again.
 */
export function withFingerprints<F extends FindingIdentity>(findings: readonly F[]): FingerprintedFinding<F>[] {
  const occurrences = new Map<string, number>();
  return findings.map((finding) => {
    const identity = identityOf(finding);
    const count = occurrences.get(identity) ?? 0;
    occurrences.set(identity, count + 1);
    return { finding, fingerprint: fnv1a(count === 0 ? identity : `${identity}\n${count}`) };
  });
}

/** The fingerprints of all findings of a report, for `known` of the options of judging. */
export function fingerprintsOf({ findings }: { findings: readonly FindingIdentity[] }): Set<string> {
  return new Set(withFingerprints(findings).map(({ fingerprint }) => fingerprint));
}

/** Excludes the message, which quotes variable values, and indices, which change when a version is prepended. */
function identityOf({ rule, cause, resource, app, version, file, url, pointer }: FindingIdentity): string {
  const place = file ?? url?.replace(/[?#].*$/, '') ?? null;
  const field = pointer?.replace(/\/\d+(?=\/|$)/g, '/*') ?? null;
  return JSON.stringify([rule, cause, resource, app, version, place, field]);
}

/**
 * FNV-1a of the UTF-8 bytes, 64 bits in two halves. Not cryptographic: forging one only hides the forger's own finding.
 */
export function fnv1a(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    // Times the prime 2^40 + 0x1b3.
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}
