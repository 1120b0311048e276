import type { AppFacts, ComparedState, DocumentFacts, HostFacts, Missing, ServiceFacts } from './facts.ts';

/** A part of an observation. The manifest comes first, then the apps, then what is about all of them. */
export type FactsPart =
  | { readonly kind: 'manifest'; readonly facts: DocumentFacts }
  | { readonly kind: 'app'; readonly facts: AppFacts }
  | { readonly kind: 'hosts'; readonly facts: readonly HostFacts[] }
  | { readonly kind: 'service'; readonly facts: ServiceFacts | Missing }
  | { readonly kind: 'against'; readonly facts: ComparedState }
  /** Without facts. */
  | { readonly kind: 'listed' | 'end' };
