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

/** Values that users choose reach the shell through variables alone, never as part of a command. */
function variables({ baseUrl, manifest, serviceOrigins }: NewWorkspace): { lines: string[]; origins: string } {
  const lines = [
    `REGISTRY_URL: ${JSON.stringify(baseUrl + encodeURIComponent(manifest))}`,
    ...serviceOrigins.map((origin, i) => `SERVICE_ORIGIN_${i + 1}: ${JSON.stringify(origin)}`),
  ];
  return { lines, origins: serviceOrigins.map((_, i) => ` --origin "$SERVICE_ORIGIN_${i + 1}"`).join('') };
}

function githubWorkflow(workspace: NewWorkspace): string {
  const { lines, origins } = variables(workspace);
  return `name: registry
on:
  pull_request:
  schedule:
    - cron: '17 6 * * *'
  workflow_dispatch:
permissions:
  contents: read
jobs:
  lint:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          # All of the history: what was published is compared with the branch that this goes to.
          fetch-depth: 0
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npx --yes appreg@${workspace.appreg} lint --against "origin/$BASE"
        env:
          BASE: \${{ github.base_ref }}
  verify:
    if: github.event_name != 'pull_request'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npx --yes appreg@${workspace.appreg} verify "$REGISTRY_URL"${origins}
        env:
${lines.map((line) => `          ${line}\n`).join('')}`;
}

function gitlabPipeline(workspace: NewWorkspace): string {
  const { lines, origins } = variables(workspace);
  return `default:
  image: node:22
variables:
${lines.map((line) => `  ${line.replaceAll('$', '$$$$')}\n`).join('')}lint:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    # All of the history: what was published is compared with the branch that this goes to.
    GIT_DEPTH: 0
  script:
    - npx --yes appreg@${workspace.appreg} lint --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
verify:
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule" || $CI_PIPELINE_SOURCE == "web"
  script:
    - npx --yes appreg@${workspace.appreg} verify "$REGISTRY_URL"${origins}
`;
}
