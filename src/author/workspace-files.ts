import { githubWorkflow } from './github-workflow.ts';
import { gitlabPipeline } from './gitlab-pipeline.ts';
import { type HostName, PRESETS } from './host-files.ts';
import { newManifest } from './manifest.ts';

/** The files of a new workspace. */

export const CONFIG_FILE = 'appreg.config.json';

export interface NewWorkspace {
  manifest: string;
  /** With a trailing slash. */
  baseUrl: string;
  serviceOrigins: readonly string[];
  ci: 'github' | 'gitlab' | 'none';
  /** True if the versions that CI publishes get an attestation. */
  attest: boolean;
  store: { type: string } & Record<string, string>;
  /** The host to generate configuration for; null for none. */
  host: HostName | null;
  /** The version of appreg: CI runs it, and the configuration's schema URL is derived from it. */
  appreg: string;
}

export interface NewFile {
  path: string;
  text: string;
  what: string;
  /** True for a file that is published with the registry, not only stored beside the configuration. */
  served: boolean;
}

export function workspaceFiles(workspace: NewWorkspace): NewFile[] {
  const { manifest, baseUrl, serviceOrigins, ci, store, host } = workspace;
  const config = {
    $schema: schemaUrl(workspace.appreg),
    manifest,
    baseUrl,
    serviceOrigins,
    store,
  };
  const files = [beside(CONFIG_FILE, `${JSON.stringify(config, null, 2)}\n`, 'the configuration')];
  files.push({ path: manifest, text: newManifest(), what: 'the manifest, without apps', served: true });
  if (host !== null) files.push(...PRESETS[host].files(workspace));
  if (ci === 'github')
    files.push(beside('.github/workflows/registry.yml', githubWorkflow(workspace), 'the CI workflow'));
  if (ci === 'gitlab') files.push(beside('.gitlab-ci.yml', gitlabPipeline(workspace), 'the CI pipeline'));
  return files;
}

/**
 * The URL of the configuration's schema for editors, independent of how appreg is installed (npx and -g leave nothing
 * beside the file): the published package, in any compatible version.
 */
function schemaUrl(version: string): string {
  const [major, minor] = version.split('.');
  const range = major === '0' ? `0.${minor}` : major;
  return `https://unpkg.com/appreg@${range}/schemas/config.schema.json`;
}

function beside(path: string, text: string, what: string): NewFile {
  return { path, text, what, served: false };
}
