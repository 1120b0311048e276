/** The job that publishes a version: triggered by a tag such as clock/v1.2.0, or manually. */

export interface Publishing {
  /** As configured. */
  store: { type: string } & Record<string, string>;
  /** The version of appreg to run. */
  appreg: string;
}

/** Whether CI can write to the store: a folder has to be uploaded by other means. */
export function publishes({ store }: Publishing): boolean {
  return store.type !== 'directory';
}

/** Amazon S3 supports assuming a role with the job's OIDC token; other stores require keys. */
function lendsRoles({ store }: Publishing): boolean {
  return store.type === 's3' && store['endpoint'] === undefined;
}

/** The branch that GitHub Pages is built from by default. */
function isPages({ store }: Publishing): boolean {
  return store.type === 'git' && store['branch'] === 'gh-pages';
}

/** A key contains no slash, and tag names reach the shell only through variables. */
const APP_OF_TAG = 'APP=${TAG%/v*} VERSION=${TAG##*/v}';
const PUBLISH = 'publish-version --entry "src/$APP/main.ts" --yes';

export function githubPublish(publishing: Publishing): string {
  const { appreg } = publishing;
  const pages = isPages(publishing);
  const permissions = ['contents: read'];
  const env = ['TAG: ${{ github.ref_name }}', 'APP: ${{ inputs.app }}', 'VERSION: ${{ inputs.version }}'];
  if (lendsRoles(publishing)) {
    permissions.push('id-token: write');
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
  // A push with the workflow's own token triggers no Pages build, so the build is requested: see docs/publishing.md.
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
          npx --yes appreg@${appreg} ${PUBLISH}${pages ? ' --no-read-back' : ''} -- "$APP" "$VERSION"${built}
        env:
${env.map((line) => `          ${line}\n`).join('')}`;
}

export function gitlabPublish(publishing: Publishing): string {
  const role = lendsRoles(publishing);
  return `publish:
  rules:
    - if: $CI_COMMIT_TAG =~ /^[A-Za-z0-9_-]+\\/v/
    - if: $CI_PIPELINE_SOURCE == "web" && $APP
  # One job at a time.
  resource_group: registry
${role ? '  # The variable AWS_ROLE_ARN of the project must be set.\n  id_tokens:\n    AWS_ID_TOKEN:\n      aud: https://gitlab.com\n' : ''}${
    publishing.store.type === 'git'
      ? '  # Settings > CI/CD > Job token permissions: allow Git push requests to the repository.\n'
      : ''
  }  script:
    - if [ -f package-lock.json ]; then npm ci; fi
${role ? '    - export AWS_WEB_IDENTITY_TOKEN_FILE=$(mktemp); printf %s "$AWS_ID_TOKEN" > "$AWS_WEB_IDENTITY_TOKEN_FILE"\n' : ''}    - if [ -n "$CI_COMMIT_TAG" ]; then TAG=$CI_COMMIT_TAG; ${APP_OF_TAG}; fi
    - appreg ${PUBLISH} -- "$APP" "$VERSION"
`;
}
