import {
  APP_OF_TAG,
  type Checked,
  assumesRole,
  packageVariable,
  publishCommand,
  publishes,
  type Publishing,
  storedBranch,
  variables,
} from './github-workflow.ts';

const GITLAB_INPUTS = `  APP:
    value: ""
    description: Key of the app to publish (empty to verify the live registry instead)
  VERSION:
    value: patch
    description: Version to publish, or major, minor or patch
`;

/** One note of a merge request, which each pipeline updates. */
const NOTE = 'node "$(npm root --global)/appreg/action/gitlab-note.mjs"';

const GITLAB_RELEASE = `release:
  # Set RELEASE_CHECK to "true" once "release" in the configuration names the folders of the apps.
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event" && $RELEASE_CHECK == "true"
  script:
    - if [ -f package-lock.json ]; then npm ci; fi
    - appreg release --check
  # The same check again, for the note on the merge request. Only the script above can fail the job.
  after_script:
    - appreg release --check --format markdown --output release.md || true
    - ${NOTE} release=release.md || true
`;

const GITLAB_LINT = `lint:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    # The full history: the files are compared with the commit where the branch left its target.
    GIT_DEPTH: 0
  script:
    - appreg lint --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
  # The same check again, for the page of the merge request. Only the script above can fail the job.
  after_script:
    - appreg lint --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --format gitlab --output code-quality.json || true
    - appreg lint --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --format junit --output junit.xml || true
    - appreg diff "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --format markdown --output diff.md || true
    - ${NOTE} diff=diff.md || true
  artifacts:
    when: always
    reports:
      codequality: code-quality.json
      junit: junit.xml
`;

const GITLAB_HISTORY = `  variables:
    # The commits say since when a version is stored that is not served.
    GIT_DEPTH: 0
`;

const GITLAB_FETCH = '    - git fetch --quiet origin "+refs/heads/$STORED_BRANCH:refs/remotes/origin/$STORED_BRANCH"\n';

/** A pipeline that does the same as the workflow of GitHub (github-workflow.ts). */
export function gitlabPipeline(workspace: Checked): string {
  const { lines, origins } = variables(workspace);
  const published = publishes(workspace);
  const branch = storedBranch(workspace);
  const isInRepository = branch !== null || !published;
  const stored = branch === null ? 'HEAD' : '"origin/$STORED_BRANCH"';
  if (branch !== null) lines.push(`STORED_BRANCH: ${JSON.stringify(branch)}`);
  return `default:
  image: node:24
  before_script:
    - npm install --global "$APPREG"
variables:
${packageVariable(workspace)
  .map((line) => `  ${line}\n`)
  .join(
    '',
  )}${lines.map((line) => `  ${line.replaceAll('$', '$$$$')}\n`).join('')}${published ? GITLAB_INPUTS : ''}  RELEASE_CHECK: "false"
${published ? gitlabPublish(workspace) : GITLAB_LINT}${GITLAB_RELEASE}verify:
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule" || $CI_PIPELINE_SOURCE == "web"${published ? ' && $APP == ""' : ''}
${isInRepository ? GITLAB_HISTORY : ''}  script:
${branch === null ? '' : GITLAB_FETCH}    - appreg verify "$REGISTRY_URL"${isInRepository ? ` --against ${stored}` : ''}${origins} --save facts.json
  after_script:
    - appreg judge facts.json --format junit --output junit.xml || true
  artifacts:
    when: always
    paths:
      - facts.json
    reports:
      junit: junit.xml
`;
}

/** The OIDC tokens of a job in GitLab CI: for a role of Amazon, and for Sigstore. */
function idTokens(publishing: Publishing): string {
  const isRole = assumesRole(publishing);
  if (!isRole && !publishing.attest) return '';
  const note = isRole ? '  # The variable AWS_ROLE_ARN of the project must be set.\n' : '';
  const role = isRole ? '    AWS_ID_TOKEN:\n      aud: https://gitlab.com\n' : '';
  const sigstore = publishing.attest ? '    SIGSTORE_ID_TOKEN:\n      aud: sigstore\n' : '';
  return `${note}  id_tokens:\n${role}${sigstore}`;
}

/** The job that publishes a version: triggered by a tag such as clock/v1.2.0, or manually. */
function gitlabPublish(publishing: Publishing): string {
  const role = assumesRole(publishing);
  return `publish:
  rules:
    - if: $CI_COMMIT_TAG =~ /^[A-Za-z0-9_-]+\\/v/
    - if: $CI_PIPELINE_SOURCE == "web" && $APP
  # One job at a time.
  resource_group: registry
${idTokens(publishing)}${
    publishing.store.type === 'git'
      ? '  # Settings > CI/CD > Job token permissions: allow Git push requests to the repository.\n'
      : ''
  }  script:
    - if [ -f package-lock.json ]; then npm ci; fi
${role ? '    - export AWS_WEB_IDENTITY_TOKEN_FILE=$(mktemp); printf %s "$AWS_ID_TOKEN" > "$AWS_WEB_IDENTITY_TOKEN_FILE"\n' : ''}    - if [ -n "$CI_COMMIT_TAG" ]; then TAG=$CI_COMMIT_TAG; ${APP_OF_TAG}; fi
    - appreg ${publishCommand(publishing)} -- "$APP" "$VERSION"
`;
}
