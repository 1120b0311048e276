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

/** The workflow, or pipeline, that started a build. */
export interface BuildWorkflow {
  /** URL of the source repository. */
  repository: string;
  /** Full git ref: `refs/heads/main`. */
  ref: string;
  /** The file of the workflow in the repository. */
  path: string;
}

/** What the external parameters of a build contain. */
export interface BuildParameters {
  /** The app key; null for a build type without one. */
  app: string | null;
  version: string | null;
  workflow: BuildWorkflow | null;
  /** JSON Pointers of parameters that the build type does not have, or that are not texts. */
  unknown: readonly string[];
}

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
