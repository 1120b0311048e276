/**
 * The vocabulary of observation: what was observed of a registry. Plain JSON throughout, so that facts can be saved and
 * judged again with the same result. No fact says that anything is right or wrong.
 */

export { isMissing, type Missing } from './missing.ts';
export type { ResourceKind } from './resource-kind.ts';
export type { Resource, DocumentFacts, DocumentContent, Content, LocalState } from './resource.ts';
export type { ArtifactFacts, ArchiveFacts, ArchiveEntry, ContentScan, SecretPlace } from './archive.ts';
export type { IconFacts, ImageFacts } from './icon.ts';
export type { HttpViews, SideProbe, RepeatedProbe, HeaderGroup, HeaderProbe, Conditional } from './http-views.ts';
export type { AddressFacts, AddressAnswer, AddressSample } from './address-facts.ts';
export type { Probe, Hop, AddressFailure, ComparedBody, ProxyFacts, Failure } from './probe.ts';
export type { ChainCertificate, TlsFacts, PathCertificate } from './tls.ts';
export type { AppFacts, RequestedApps, Snapshot, HostFacts, Shard } from './snapshot.ts';
export type {
  ServedApp,
  ServedVersion,
  ServiceFacts,
  ServiceFailure,
  ServiceFinding,
  SubscribedApp,
  SubscribedRegistry,
  SubscribedVersion,
} from './service.ts';
export type { Baseline, OfferBefore, PublishedVersion } from './published.ts';
