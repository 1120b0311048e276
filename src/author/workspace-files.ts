import { githubWorkflow, gitlabPipeline } from './ci-files.ts';
import { type HostName, PRESETS } from './host-files.ts';
import { newManifest } from './manifest.ts';

/** The files of a new workspace. */

export interface NewWorkspace {
  manifest: string;
  /** With its trailing slash. */
  baseUrl: string;
  serviceOrigins: readonly string[];
  ci: 'github' | 'gitlab' | 'none';
  /** Where the registry is published, as the configuration has it. */
  store: { type: string } & Record<string, string>;
  /** Whose configuration is written, too; null for none. */
  host: HostName | null;
  /** The version of appreg: the CI runs it, and the schema of the configuration is that of its line. */
  appreg: string;
}

export interface NewFile {
  path: string;
  text: string;
  what: string;
  /** True for what lies where the registry is published, and not only beside the configuration. */
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
  const files = [beside('appreg.config.json', `${JSON.stringify(config, null, 2)}\n`, 'the configuration')];
  files.push({ path: manifest, text: newManifest(), what: 'the manifest, without apps', served: true });
  if (host !== null) files.push(...PRESETS[host].files(workspace));
  if (ci === 'github')
    files.push(beside('.github/workflows/registry.yml', githubWorkflow(workspace), 'the CI workflow'));
  if (ci === 'gitlab') files.push(beside('.gitlab-ci.yml', gitlabPipeline(workspace), 'the CI pipeline'));
  return files;
}

/**
 * Where editors find the schema of the configuration, wherever appreg was installed (npx and -g leave nothing beside the
 * file): the published package, in any version with the same meaning.
 */
function schemaUrl(version: string): string {
  const [major, minor] = version.split('.');
  const range = major === '0' ? `0.${minor}` : major;
  return `https://unpkg.com/appreg@${range}/schemas/config.schema.json`;
}

function beside(path: string, text: string, what: string): NewFile {
  return { path, text, what, served: false };
}
