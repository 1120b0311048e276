/// <reference types="node" preserve="true" />
/**
 * appreg for Node.js programs: observes registries, builds artifacts, publishes versions and releases repositories. The observed facts are judged
 * by the core library, the package's main export.
 *
 * @example
 * import { startJudging } from 'appreg';
 * import { observe } from 'appreg/node';
 *
 * const url = 'https://apps.example.com/registry.json';
 * const judging = startJudging({ command: 'verify', target: url, now: new Date().toISOString() });
 * for await (const part of observe(url)) judging.add(part);
 * const report = judging.finish(0);
 */

// Observing: registries by HTTP, and workspaces on disk.
export { baselineFromSnapshot, baselineOf } from './observe/baseline/baseline.ts';
export {
  ARTIFACT_AGE,
  keptApp,
  keptDocument,
  type KnownAbout,
  type ObservationCache,
  type RememberedApp,
  reusableUntil,
  viewsUntil,
} from './observe/registry/cache.ts';
export { fetchCompanion } from './observe/registry/companion.ts';
export { isConfirmedBy, JSON_ACCEPT } from './observe/registry/document.ts';
export { observe } from './observe/registry/observe.ts';
export type { ArtifactCopy, ListedArtifact, ObserveBudget, WebOptions } from './observe/registry/options.ts';
export type {
  AppPart,
  FetchedIcon,
  Figures,
  ListedPart,
  ManifestPart,
  ObservedAbout,
  Observing,
  Part,
} from './observe/registry/part.ts';
export {
  observeWorkspace,
  type ObserveWorkspaceOptions,
  type WorkspaceFactsSink,
} from './observe/workspace/observe-workspace.ts';
export type { Workspace } from './observe/workspace/places.ts';
export { type LintTarget, targetAt } from './observe/workspace/target.ts';

// Content: documents, archives, icons and digests as facts.
export { openServerDigestPool } from './observe/archive/digest-worker-pool.ts';
export {
  type ArchiveLimits,
  type ArchiveReader,
  createArchiveReader,
  readArchiveFile,
} from './observe/archive/read-archive.ts';
export { factsOfBundle } from './observe/content/attestation.ts';
export { contentOf } from './observe/content/document-content.ts';
export { redactor } from './core/text/redactor.ts';
export { createDigester } from './observe/digest/digest.ts';
export { inspectImage } from './observe/icon/inspect-image.ts';

// HTTP: requests that are recorded, with the addresses that are allowed.
export { type AddressPolicy, type ConnectionTarget, targetOf } from './observe/http/address-policy.ts';
export type { BodyReader } from './observe/http/body.ts';
export { type HttpClient, type HttpOptions, openHttpClient } from './observe/http/client.ts';
export { ConnectFailure, failureFact } from './observe/http/failure.ts';
export { DEFAULT_TIMEOUTS } from './observe/http/limits.ts';
export { type ConnectOptions, openSocket } from './observe/http/open-socket.ts';
export type { ProxyFor } from './observe/http/proxy.ts';
export {
  ALL_GROUPS,
  IMAGE_ACCEPT,
  isEntityTag,
  type RequestShape,
  UNCOMPRESSED,
} from './observe/http/request-shape.ts';
export type { ProbeRequest, SecretHeaders } from './observe/http/request.ts';
export { openTrust, SecureContexts } from './observe/http/tls.ts';

// Attestations: verified with a trusted root.
export { readPublicKey, readTrustedRoot, shippedTrust, type Trust } from './attestation/trust.ts';
export { verifyAttestation } from './attestation/verify.ts';

// Building and publishing.
export { bundle, type Bundle, type BundleOptions } from './bundle/bundle.ts';
export { type Loaded, loadTest } from './bundle/load-test/load-test.ts';
export { type AppPlan, type NewApp, planApp } from './publish/add-app.ts';
export { applyPlan } from './publish/apply-plan.ts';
export type { StepResult } from './publish/apply-step.ts';
export type { JudgeSettings } from './publish/check-change.ts';
export { describePlan, type Plan, type Step } from './publish/plan.ts';
export { planVersion, publishVersion as publish } from './publish/publish-version.ts';
export type { RegistryLocation } from './publish/registry-location.ts';
export type { Published } from './publish/version-attempts.ts';
export type { VersionPlan } from './publish/version-plan.ts';
export { release, type Released, type ReleaseOptions } from './release/release.ts';
export type { Repository } from './release/repository.ts';
export { type FixedFile, fixFiles } from './workspace/fix.ts';
export type { Listener } from './workspace/listener.ts';
export { type Recorded, recordVersions } from './workspace/lock.ts';
export { registryState, type StateOptions } from './workspace/registry-state.ts';

// Stores: places of files, and of verified artifacts.
export {
  type BlobReader,
  type BlobStore,
  openBlobBucket,
  openBlobDirectory,
  type ReceivedFile,
} from './store/blobs/blobs.ts';
export { openDirectory } from './store/directory/directory.ts';
export { removeStaleTempFiles, tempName } from './store/directory/owner.ts';
export type { Store, Stored } from './store/store.ts';

// Reports: a report, a difference or a release as text.
export { alignedRows } from './report/columns.ts';
export { causesOf } from './report/diagnosis-causes.ts';
export type { Cause, SymptomView } from './report/diagnosis-evidence.ts';
export { type NotChecked, notCheckedOnPage } from './report/diagnosis-not-judged.ts';
export { symptomsOf } from './report/diagnosis-view.ts';
export { diffAsMarkdown, diffAsText } from './report/diff.ts';
export { annotations as githubAnnotations } from './report/github.ts';
export { render } from './report/index.ts';
export { type CheckFormat as Format, FORMATS, type RenderOptions } from './report/options.ts';
export { isFolderLost } from './core/release/without-folder.ts';
export { needsAttention, releaseAsMarkdown, releaseAsText, releaseLabel, remarksOn } from './report/release.ts';
export type { Style } from './report/style.ts';
export { reportTicket } from './report/ticket.ts';
export { elapsedTime, groupBy, byteSize, STATUS_WORDS, symptomName } from './report/words.ts';
export { xmlDocument, type XmlElement } from './report/xml.ts';

// Pages: markup that is escaped.
export { aboutLinks, notesSection, optionalFields, publishedText, retiredChip, retirementText } from './html/about.ts';
export {
  codeText,
  copyable,
  copyButton,
  html,
  type Html,
  NO_MARKUP,
  sanitized,
  sharedStyle,
  untrusted,
} from './html/html.ts';
export { commitUrl, externalLink } from './html/notes.ts';
export { iconTile, type TileApp } from './html/tile.ts';

// Serving a folder, with certificates for tests.
export { makeAuthority, makeKey, makeLeaf, type Period } from './serve/certificates.ts';
export { type ServeOptions, type Serving, startServer } from './serve/server.ts';

// The platform: files, folders and signals.
export { homeFolder } from './platform/home-folder.ts';
export { makeFolder, whyNotUsable } from './platform/make-folder.ts';
export { whyNotRegularFile, whyUnreadable } from './platform/regular-file.ts';
export { interruptedError, stopSignalOf } from './platform/stop-signals.ts';
export { systemErrorCode } from './platform/system-error.ts';
