import type { BuildWorkflow } from './build-types.ts';

/** The run of a CI system that builds a version, as its environment describes it. */
export interface CiRun {
  workflow: BuildWorkflow;
  /** The full id of the commit. */
  commit: string;
  /** Identifies the workflow: the identity that is in the certificate of a keyless signature. */
  builder: string;
  /** URL of the run. */
  url: string;
}

/** The environment variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The run that GitHub Actions or GitLab CI describe in environment variables.
 * @returns null outside of them, and if a variable is missing
 */
export function ciRunOf(env: Environment): CiRun | null {
  return env['GITHUB_ACTIONS'] === 'true' ? gitHubRun(env) : gitLabRun(env);
}

/** https://docs.github.com/actions/reference/variables-reference */
function gitHubRun(env: Environment): CiRun | null {
  const server = env['GITHUB_SERVER_URL'];
  const name = env['GITHUB_REPOSITORY'];
  const commit = env['GITHUB_SHA'];
  const id = env['GITHUB_RUN_ID'];
  // octo/repository/.github/workflows/release.yml@refs/heads/main
  const workflowRef = env['GITHUB_WORKFLOW_REF'];
  const [, path, ref] = /^[^/]+\/[^/]+\/(.+?)@(refs\/.+)$/.exec(workflowRef ?? '') ?? [];
  if (!server || !name || !commit || !id || !workflowRef || path === undefined || ref === undefined) return null;
  const repository = `${server}/${name}`;
  return {
    workflow: { repository, ref, path },
    commit,
    builder: `${server}/${workflowRef}`,
    url: `${repository}/actions/runs/${id}/attempts/${env['GITHUB_RUN_ATTEMPT'] || '1'}`,
  };
}

/** https://docs.gitlab.com/ci/variables/predefined_variables/ */
function gitLabRun(env: Environment): CiRun | null {
  const repository = env['CI_PROJECT_URL'];
  const commit = env['CI_COMMIT_SHA'];
  const name = env['CI_COMMIT_REF_NAME'];
  const url = env['CI_JOB_URL'];
  if (env['GITLAB_CI'] !== 'true' || !repository || !commit || !name || !url) return null;
  const ref = env['CI_COMMIT_TAG'] ? `refs/tags/${name}` : `refs/heads/${name}`;
  const path = env['CI_CONFIG_PATH'] || '.gitlab-ci.yml';
  return { workflow: { repository, ref, path }, commit, builder: `${repository}//${path}@${ref}`, url };
}
