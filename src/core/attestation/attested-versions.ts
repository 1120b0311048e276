import type { Count, Digest } from '../values/scalars.ts';
import type { AttestationFacts, SignerFacts } from '../facts/attestation.ts';

/** The versions whose attestations prove what is required, counted by who built them. */

/** Versions of one builder. */
export interface AttestedVersions {
  versions: Count;
  builder: Builder;
}

/** Who built versions, as far as it is proved: a workflow, the holder of another identity, or the holder of a key. */
type Builder =
  | { kind: 'workflow'; workflow: string; repository: string }
  | { kind: 'identity'; identity: string | null; issuer: string | null }
  | { kind: 'key'; sha256: Digest };

export interface AttestedCounter {
  /** @param facts of a verified attestation */
  add(facts: AttestationFacts): void;
  /** Those with most versions first. */
  all(): AttestedVersions[];
}

export function countAttested(): AttestedCounter {
  const groups = new Map<string, AttestedVersions>();
  return {
    add({ signer }) {
      if (signer === null) return;
      const builder = builderOf(signer);
      const key = JSON.stringify(builder);
      groups.set(key, { builder, versions: (groups.get(key)?.versions ?? 0) + 1 });
    },
    all: () => [...groups].sort(compareGroups).map(([, group]) => group),
  };
}

/** The same order in each run, whichever response arrived first. */
function compareGroups([a, one]: [string, AttestedVersions], [b, other]: [string, AttestedVersions]): number {
  if (one.versions !== other.versions) return other.versions - one.versions;
  return a < b ? -1 : 1;
}

function builderOf(signer: SignerFacts): Builder {
  if (signer.kind === 'key') return { kind: 'key', sha256: signer.sha256 };
  const { identity, issuer, repository } = signer;
  if (identity === null || repository === null) return { kind: 'identity', identity, issuer };
  return { kind: 'workflow', workflow: workflowIn(identity, repository), repository };
}

/** The path of the workflow in its repository; its URL, if it is in another one. Each tag is another ref. */
function workflowIn(identity: string, repository: string): string {
  const url = identity.replace(/@refs\/[^@]*$/, '');
  const path = url.startsWith(`${repository}/`) ? url.slice(repository.length).replace(/^\/+/, '') : '';
  return path === '' ? url : path;
}
