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

/** Counts versions by their builder. */
export class AttestedCounter {
  readonly #groups = new Map<string, AttestedVersions>();

  /** Counts one version. @param facts of its verified attestation */
  add({ signer }: AttestationFacts): void {
    if (signer !== null) this.addVersions({ builder: builderOf(signer), versions: 1 });
  }

  /** Adds versions that were counted elsewhere. */
  addVersions({ builder, versions }: AttestedVersions): void {
    const key = JSON.stringify(builder);
    this.#groups.set(key, { builder, versions: (this.#groups.get(key)?.versions ?? 0) + versions });
  }

  /** Those with most versions first. */
  all(): AttestedVersions[] {
    return [...this.#groups].sort(compareGroups).map(([, group]) => group);
  }
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
