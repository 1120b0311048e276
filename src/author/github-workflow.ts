/** Common parts of the CI configurations of GitHub and GitLab. */

/** Publication of versions from CI. */
export interface Publishing {
  /** As configured. */
  store: { type: string } & Record<string, string>;
  /** The version of appreg to run. */
  appreg: string;
  /** True if each version gets an attestation that is signed with the OIDC token of the job. */
  attest: boolean;
}

/** A workspace whose changes and live registry CI checks. */
export interface Checked extends Publishing {
  baseUrl: string;
  manifest: string;
  serviceOrigins: readonly string[];
}

/** User-controlled values reach the shell only through variables, never as part of a command. */
export function variables({ baseUrl, manifest, serviceOrigins }: Checked): { lines: string[]; origins: string } {
  const lines = [
    `REGISTRY_URL: ${JSON.stringify(baseUrl + encodeURIComponent(manifest))}`,
    ...serviceOrigins.map((origin, i) => `SERVICE_ORIGIN_${i + 1}: ${JSON.stringify(origin)}`),
  ];
  return { lines, origins: serviceOrigins.map((_, i) => ` --origin "$SERVICE_ORIGIN_${i + 1}"`).join('') };
}

/** The variable that names the package to run, with the comment that says which values work. */
export function packageVariable({ appreg }: Publishing): string[] {
  return [
    '# What npm installs. Until npm has this version: the URL of the file that `npm pack` writes in a checkout of appreg.',
    `APPREG: appreg@${appreg}`,
  ];
}

/** Runs the package of packageVariable(). */
const RUN = 'npx --yes --package="$APPREG" appreg';

/** True if CI can write to the store: a folder has to be uploaded by other means. */
export function publishes({ store }: Pick<Publishing, 'store'>): boolean {
  return store.type !== 'directory';
}

/** Amazon S3 supports assuming a role with the job's OIDC token; other stores require keys. */
export function assumesRole({ store }: Publishing): boolean {
  return store.type === 's3' && store['endpoint'] === undefined;
}

/** A key contains no slash, and tag names reach the shell only through variables. */
export const APP_OF_TAG = 'APP=${TAG%/v*} VERSION=${TAG##*/v}';

/** The command of the job that publishes a version. */
export function publishCommand({ attest }: Publishing): string {
  return `publish-version --entry "src/$APP/main.ts" --yes${attest ? ' --attest' : ''}`;
}

const GITHUB_TAGS = `  push:
    tags:
      - '*/v*'
`;
const GITHUB_INPUTS = `    inputs:
      app:
        description: Key of the app to publish (empty to verify the live registry instead)
        default: ''
      version:
        description: Version to publish, or major, minor or patch
        default: patch
`;

const GITHUB_LINT = `  lint:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v6
        with:
          # The pull request merged into its base, and the base itself, which holds what was published.
          fetch-depth: 2
      - uses: actions/setup-node@v6
        with:
          node-version: 24
      - run: ${RUN} lint --cwd "$GITHUB_WORKSPACE" --against HEAD^1
        # Away from the checkout, whose .npmrc and node_modules could replace the package.
        working-directory: \${{ runner.temp }}
`;

const GITHUB_HISTORY = `      - uses: actions/checkout@v6
        with:
          # All branches with their commits, which say since when a version is stored that is not served.
          fetch-depth: 0
`;

/** The branch that the registry is stored in, of the repository itself; null for another store. */
export function storedBranch({ store }: Pick<Publishing, 'store'>): string | null {
  if (store.type !== 'git' || (store['remote'] ?? 'origin') !== 'origin') return null;
  return store['branch'] ?? 'gh-pages';
}

/**
 * A workflow for a workspace: lint proposed changes if the files are in the repository, publish if they are stored
 * elsewhere, and verify the live registry daily.
 */
export function githubWorkflow(workspace: Checked): string {
  const { lines, origins } = variables(workspace);
  const published = publishes(workspace);
  const branch = storedBranch(workspace);
  const isInRepository = branch !== null || !published;
  const stored = branch === null ? 'HEAD' : '"origin/$STORED_BRANCH"';
  if (branch !== null) lines.push(`STORED_BRANCH: ${JSON.stringify(branch)}`);
  return `name: registry
on:
${published ? GITHUB_TAGS : '  pull_request:\n'}  schedule:
    - cron: '17 6 * * *'
  workflow_dispatch:
${published ? GITHUB_INPUTS : ''}permissions:
  contents: read
env:
${packageVariable(workspace)
  .map((line) => `  ${line}\n`)
  .join('')}jobs:
${published ? githubPublish(workspace) : GITHUB_LINT}  verify:
    if: ${published ? "github.event_name != 'push' && inputs.app == ''" : "github.event_name != 'pull_request'"}
    runs-on: ubuntu-latest
    steps:
${isInRepository ? GITHUB_HISTORY : ''}      - uses: actions/setup-node@v6
        with:
          node-version: 24
      - run: ${RUN} verify "$REGISTRY_URL"${isInRepository ? ` --cwd "$GITHUB_WORKSPACE" --against ${stored}` : ''}${origins}
${isInRepository ? '        working-directory: ${{ runner.temp }}\n' : ''}        env:
${lines.map((line) => `          ${line}\n`).join('')}`;
}

/** The branch that GitHub Pages is built from by default. */
function isPages({ store }: Publishing): boolean {
  return store.type === 'git' && store['branch'] === 'gh-pages';
}

/** The job that publishes a version: triggered by a tag such as clock/v1.2.0, or manually. */
function githubPublish(publishing: Publishing): string {
  const { attest } = publishing;
  const pages = isPages(publishing);
  const permissions = ['contents: read'];
  const env = ['TAG: ${{ github.ref_name }}', 'APP: ${{ inputs.app }}', 'VERSION: ${{ inputs.version }}'];
  if (assumesRole(publishing)) {
    env.push('AWS_ROLE_ARN: ${{ vars.AWS_ROLE_ARN }}');
  } else if (publishing.store.type === 's3') {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) env.push(`${name}: \${{ secrets.${name} }}`);
  } else {
    permissions[0] = 'contents: write';
    if (pages) permissions.push('pages: write');
    env.push(
      'GH_TOKEN: ${{ github.token }}',
      '# git runs this to get the password, in every folder.',
      'GIT_CONFIG_COUNT: 1',
      'GIT_CONFIG_KEY_0: credential.helper',
      `GIT_CONFIG_VALUE_0: '!f() { echo username=x-access-token; echo "password=$GH_TOKEN"; }; f'`,
    );
  }
  if (assumesRole(publishing) || attest) permissions.push('id-token: write');
  // A push with the workflow's own token triggers no Pages build, so the build is requested: see docs/pipelines/publishing.md.
  const built = pages ? '\n          gh api --silent --method POST "repos/$GITHUB_REPOSITORY/pages/builds"' : '';
  return `  publish:
    if: github.event_name == 'push' || inputs.app != ''
    runs-on: ubuntu-latest
    permissions:
${permissions.map((line) => `      ${line}\n`).join('')}    # One run at a time for each tag. A group for all tags would cancel all waiting runs but the last; appreg handles concurrent runs.
    concurrency:
      group: publish-\${{ inputs.app || github.ref_name }}
      cancel-in-progress: false
    steps:
      - uses: actions/checkout@v6
        with:
          persist-credentials: false
      - uses: actions/setup-node@v6
        with:
          node-version: 24
      - if: hashFiles('package-lock.json') != ''
        run: npm ci
      - run: |
          if [ "$GITHUB_EVENT_NAME" = push ]; then ${APP_OF_TAG}; fi
          ${RUN} ${publishCommand(publishing)}${pages ? ' --no-read-back' : ''} -- "$APP" "$VERSION"${built}
        env:
${env.map((line) => `          ${line}\n`).join('')}`;
}
