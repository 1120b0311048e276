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
export { bundle, type Bundle, type BundleOptions } from './bundle/bundle.ts';
export {
  createArchiveReader,
  readArchiveFile,
  type ArchiveLimits,
  type ArchiveReader,
} from './observe/archive/read-archive.ts';
export {
  observeWorkspace,
  type ObserveWorkspaceOptions,
  type WorkspaceFactsSink,
} from './observe/workspace/observe-workspace.ts';
export { contentOf } from './observe/content/document-content.ts';
export { baselineOf, baselineFromSnapshot } from './observe/baseline/baseline.ts';
export { inspectImage } from './observe/icon/inspect-image.ts';
export { type Workspace } from './observe/workspace/places.ts';
export { targetAt, type LintTarget } from './observe/workspace/target.ts';
export { observe } from './observe/registry/observe.ts';
export type { ObserveBudget, WebOptions } from './observe/registry/options.ts';
export type { Figures, Observing, Part } from './observe/registry/part.ts';
export { applyPlan } from './publish/apply-plan.ts';
export { describePlan } from './publish/plan.ts';
export type { StepResult } from './publish/apply-step.ts';
export { planApp, type AppPlan, type NewApp } from './publish/add-app.ts';
export { type JudgeSettings } from './publish/check-change.ts';
export { type RegistryLocation } from './publish/registry-location.ts';
export { type Plan, type Step } from './publish/plan.ts';
export { planVersion, publishVersion as publish } from './publish/publish-version.ts';
export { type Published } from './publish/version-attempts.ts';
export { type VersionPlan } from './publish/version-plan.ts';
export { release, type Released, type ReleaseOptions } from './release/release.ts';
export { type Repository } from './release/repository.ts';
export { diffAsMarkdown, diffAsText } from './report/diff.ts';
export { needsAttention, releaseAsMarkdown, releaseAsText } from './report/release.ts';
export { render } from './report/index.ts';
export { type CheckFormat as Format, FORMATS, type RenderOptions } from './report/options.ts';
export { startServer, type ServeOptions, type Serving } from './serve/server.ts';
export { openDirectory } from './store/directory/directory.ts';
export { type Store, type Stored } from './store/store.ts';
export { fixFiles, type FixedFile } from './workspace/fix.ts';
export { type Listener } from './workspace/listener.ts';
export { recordVersions, type Recorded } from './workspace/lock.ts';
export { registryState, type StateOptions } from './workspace/registry-state.ts';
