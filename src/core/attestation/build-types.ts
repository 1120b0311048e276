import type { BuildParameters, BuildWorkflow } from '../facts/attestation.ts';
import { isObject, type JsonObject, type JsonValue, stringOrNull } from '../json/values.ts';

/**
 * The build types of SLSA provenance whose external parameters are known. SLSA requires that a verifier refuses
 * parameters that it does not know, since they may change what was built.
 */

/** The build type of `publish-version` and `release`; its documentation has this address. */
export const APPREG_BUILD = 'https://github.com/appreg/appreg/blob/main/docs/attestations.md#build-type-v1';
/** The build type of `actions/attest-build-provenance`. */
const GITHUB_WORKFLOW = 'https://actions.github.io/buildtypes/workflow/v1';

/** The external parameters of each build type, and their members; null for a text. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, readonly string[] | null>>>> = {
  [APPREG_BUILD]: { app: null, version: null, workflow: ['repository', 'ref', 'path'] },
  [GITHUB_WORKFLOW]: { workflow: ['repository', 'ref', 'path'] },
};

/** @returns null for a build type that is not known */
export function readBuildParameters(buildType: string, parameters: JsonObject): BuildParameters | null {
  const known = Object.hasOwn(PARAMETERS, buildType) ? PARAMETERS[buildType] : undefined;
  if (known === undefined) return null;
  const workflow = parameters['workflow'];
  return {
    app: stringOrNull(parameters['app']),
    version: stringOrNull(parameters['version']),
    workflow: isObject(workflow) ? workflowOf(workflow) : null,
    unknown: Object.entries(parameters).flatMap(([name, value]) =>
      unknownIn(name, value, Object.hasOwn(known, name) ? known[name] : undefined),
    ),
  };
}

/** @param members of the parameter; null for a text, undefined for an unknown parameter */
function unknownIn(name: string, value: JsonValue, members: readonly string[] | null | undefined): string[] {
  const pointer = `/${name}`;
  if (members === undefined) return [pointer];
  if (members === null) return typeof value === 'string' ? [] : [pointer];
  if (!isObject(value)) return [pointer];
  const unknown = Object.entries(value).filter(
    ([member, text]) => !members.includes(member) || typeof text !== 'string',
  );
  return unknown.map(([member]) => `${pointer}/${member}`);
}

function workflowOf(workflow: JsonObject): BuildWorkflow | null {
  const [repository, ref, path] = [workflow['repository'], workflow['ref'], workflow['path']].map(stringOrNull);
  if (typeof repository !== 'string' || typeof ref !== 'string' || typeof path !== 'string') return null;
  return { repository, ref, path };
}

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
