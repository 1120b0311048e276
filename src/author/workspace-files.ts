import { githubWorkflow, gitlabPipeline } from './ci-files.ts';
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
  /** The version of appreg that the CI runs. */
  appreg: string;
}

export interface NewFile {
  path: string;
  text: string;
  what: string;
}

export function workspaceFiles(workspace: NewWorkspace): NewFile[] {
  const { manifest, baseUrl, serviceOrigins, ci, store } = workspace;
  const config = {
    $schema: './node_modules/appreg/schemas/config.schema.json',
    manifest,
    baseUrl,
    serviceOrigins,
    store,
  };
  const files: NewFile[] = [
    { path: 'appreg.config.json', text: `${JSON.stringify(config, null, 2)}\n`, what: 'the configuration' },
    { path: manifest, text: newManifest(), what: 'the manifest, without apps' },
  ];
  if (ci === 'github')
    files.push({ path: '.github/workflows/registry.yml', text: githubWorkflow(workspace), what: 'the CI workflow' });
  if (ci === 'gitlab') files.push({ path: '.gitlab-ci.yml', text: gitlabPipeline(workspace), what: 'the CI pipeline' });
  return files;
}
